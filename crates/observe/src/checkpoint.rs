//! Checkpoints: everything a run needs to go on, in one file that is there as a whole or not at all.
//!
//! # The file
//!
//! ```text
//! cotangent-checkpoint 1        the format and its version
//! 213 48                        bytes of the header, number of numbers
//! {"model":"pendulum",...}      the header: JSON in one line
//! ........                      the numbers: 8 bytes each, IEEE 754, little-endian
//! ....                          the CRC-32 of all that precedes, little-endian
//! ```
//!
//! Lines end in `\n`. What has to be kept to the bit is among the numbers; NaNs keep their payload.
//! The header is for what a person or a script may want to look up with `head -n 3`. JSON has no
//! infinity and no NaN; a header that would not be read back as it is written is refused.

// A checkpoint is a file.
#![allow(clippy::disallowed_types, clippy::disallowed_methods)]

use crate::DestinationError;
use cotangent_destination::Destination;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

/// How the file begins; the version follows.
const MAGIC: &[u8] = b"cotangent-checkpoint ";
/// The version that is written, and the newest that is read.
pub const VERSION: u64 = 1;

/// So many numbers are written at once.
const PIECE: usize = 1 << 15;

/// The state of a run.
#[derive(Clone, PartialEq, Debug)]
pub struct Checkpoint<T> {
    /// What the run is and how far it has come.
    pub header: T,
    /// What is kept to the bit.
    pub numbers: Vec<f64>,
}

/// Why a checkpoint could not be written or read.
#[derive(Debug, thiserror::Error)]
pub enum CheckpointError {
    /// The file cannot be written there.
    #[error(transparent)]
    Destination(#[from] DestinationError),
    /// The operating system refuses to write, for instance because the disk is full.
    #[error("writing the checkpoint `{path}` failed: {source}")]
    Write {
        /// The file.
        path: PathBuf,
        /// What the operating system says.
        source: io::Error,
    },
    /// The header is nothing that JSON can keep.
    #[error("the header of the checkpoint `{path}` cannot be kept as JSON: {reason}")]
    Unkeepable {
        /// The file.
        path: PathBuf,
        /// Why not.
        reason: String,
    },
    /// The operating system refuses to read.
    #[error("cannot read the checkpoint `{path}`: {source}")]
    Read {
        /// The file.
        path: PathBuf,
        /// What the operating system says.
        source: io::Error,
    },
    /// Some other file.
    #[error("`{path}` is not a checkpoint of Cotangent")]
    NotACheckpoint {
        /// The file.
        path: PathBuf,
    },
    /// Written by a later version of this program.
    #[error("the checkpoint `{path}` has format {found}; this version of Cotangent reads formats up to {VERSION}")]
    Newer {
        /// The file.
        path: PathBuf,
        /// The version of its format.
        found: u64,
    },
    /// The end is missing.
    #[error("the checkpoint `{path}` is cut off: it has {found} bytes and should have {needed}")]
    Truncated {
        /// The file.
        path: PathBuf,
        /// How many bytes it has.
        found: u64,
        /// How many it says it has; if it is cut before it says so, how many it has at least.
        needed: u64,
    },
    /// Bytes have changed.
    #[error("the checkpoint `{path}` is damaged: its checksum does not agree with its content")]
    Damaged {
        /// The file.
        path: PathBuf,
    },
    /// An undamaged header that is not of the expected kind.
    #[error("the checkpoint `{path}` belongs to something else: {source}")]
    Header {
        /// The file.
        path: PathBuf,
        /// What is missing or different.
        source: serde_json::Error,
    },
}

/// Checks that a checkpoint can be written, before a run that would end without one.
pub fn check_destination(path: &Path) -> Result<(), CheckpointError> {
    let temporary = Destination::at(path)?.temporary();
    let probe = File::create(&temporary).and_then(|_| fs::remove_file(&temporary));
    probe.map_err(|source| DestinationError::Refused { path: path.to_owned(), source }.into())
}

/// Removes a checkpoint that is of no more use; one that stays is harmless.
pub fn remove(path: &Path) {
    let _ = fs::remove_file(path);
}

impl<T: Serialize + DeserializeOwned> Checkpoint<T> {
    /// Writes the checkpoint in the place of an older one, which stays until this one is complete.
    pub fn write(&self, path: &Path) -> Result<(), CheckpointError> {
        let head = self.head().map_err(|reason| CheckpointError::Unkeepable { path: path.to_owned(), reason })?;
        let destination = Destination::at(path)?;
        let temporary = destination.temporary();
        let written = File::create(&temporary).and_then(|file| {
            put(&file, &head, &self.numbers)?;
            destination.replace_with(&file, &temporary)
        });
        written.map_err(|source| {
            let _ = fs::remove_file(&temporary);
            CheckpointError::Write { path: path.to_owned(), source }
        })
    }

    /// Reads a checkpoint.
    pub fn read(path: &Path) -> Result<Self, CheckpointError> {
        let refused = |source| CheckpointError::Read { path: path.to_owned(), source };
        let mut file = File::open(path).map_err(refused)?;
        // Looked at before it is read as a whole: some other file may be of any size.
        let mut bytes = Vec::new();
        (&file).take(MAGIC.len() as u64).read_to_end(&mut bytes).map_err(refused)?;
        if bytes == MAGIC {
            file.read_to_end(&mut bytes).map_err(refused)?;
        }
        Self::decode(&bytes, path)
    }

    /// What precedes the numbers.
    fn head(&self) -> Result<Vec<u8>, String> {
        let header = serde_json::to_vec(&self.header).map_err(|e| e.to_string())?;
        let back: T = serde_json::from_slice(&header).map_err(|e| format!("it could not be read back ({e})"))?;
        if serde_json::to_vec(&back).map_err(|e| e.to_string())? != header {
            return Err("it would be read back as something else".into());
        }
        let mut bytes = MAGIC.to_vec();
        bytes.extend(format!("{VERSION}\n{} {}\n", header.len(), self.numbers.len()).bytes());
        bytes.extend(&header);
        bytes.push(b'\n');
        Ok(bytes)
    }

    fn decode(bytes: &[u8], path: &Path) -> Result<Self, CheckpointError> {
        let path = || path.to_owned();
        let found = bytes.len() as u64;
        let cut = || CheckpointError::Truncated { path: path(), found, needed: found + 1 };
        let damaged = || CheckpointError::Damaged { path: path() };
        let rest = bytes.strip_prefix(MAGIC).ok_or_else(|| CheckpointError::NotACheckpoint { path: path() })?;
        let (version, rest) = line(rest).ok_or_else(cut)?;
        match number(version) {
            Some(VERSION) => {}
            Some(found) if found > VERSION => return Err(CheckpointError::Newer { path: path(), found }),
            _ => return Err(damaged()),
        }
        let (lengths, rest) = line(rest).ok_or_else(cut)?;
        let space = lengths.iter().position(|&b| b == b' ').ok_or_else(damaged)?;
        let (length, count) = (number(&lengths[..space]), number(&lengths[space + 1..]));
        let (length, count) = length.zip(count).ok_or_else(damaged)?;
        let begin = found - rest.len() as u64;
        let needed = count.checked_mul(8).and_then(|n| n.checked_add(length)?.checked_add(begin + 5));
        let needed = needed.ok_or_else(damaged)?;
        if found < needed {
            return Err(CheckpointError::Truncated { path: path(), found, needed });
        }
        let (content, checksum) = bytes.split_last_chunk::<4>().ok_or_else(cut)?;
        if found > needed || crc32fast::hash(content) != u32::from_le_bytes(*checksum) {
            return Err(damaged());
        }
        // The lengths add up to that of the file, so they fit it.
        let (header, numbers) = rest.split_at(length as usize);
        let header =
            serde_json::from_slice(header).map_err(|source| CheckpointError::Header { path: path(), source })?;
        let numbers = numbers[1..].as_chunks::<8>().0.iter().map(|&x| f64::from_le_bytes(x)).collect();
        Ok(Checkpoint { header, numbers })
    }
}

/// Writes the head, the numbers and the checksum, piece by piece: there may be more of them than there is memory for
/// twice.
fn put(mut file: &File, head: &[u8], numbers: &[f64]) -> io::Result<()> {
    let mut checksum = crc32fast::Hasher::new();
    checksum.update(head);
    file.write_all(head)?;
    let mut bytes = Vec::with_capacity(PIECE * 8);
    for piece in numbers.chunks(PIECE) {
        bytes.clear();
        piece.iter().for_each(|x| bytes.extend_from_slice(&x.to_le_bytes()));
        checksum.update(&bytes);
        file.write_all(&bytes)?;
    }
    file.write_all(&checksum.finalize().to_le_bytes())
}

/// Splits off a line; `None` if it does not end.
fn line(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let end = bytes.iter().position(|&b| b == b'\n')?;
    Some((&bytes[..end], &bytes[end + 1..]))
}

fn number(digits: &[u8]) -> Option<u64> {
    str::from_utf8(digits).ok()?.parse().ok()
}
