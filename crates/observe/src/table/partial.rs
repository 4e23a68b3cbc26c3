//! The rows of a table while it grows: a file, a buffer before it and a running checksum.

use super::{Mark, TableError};
use cotangent_scalar::Cancel;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// How much is collected before it is handed to the operating system.
const BUFFER: usize = 256 << 10;

/// The partial data of a table.
#[derive(Debug)]
pub(super) struct Partial {
    file: File,
    path: PathBuf,
    buffer: Vec<u8>,
    /// Bytes in the file that are known to be right; behind them may be remains of a failed write.
    written: u64,
    checksum: crc32fast::Hasher,
}

impl Partial {
    /// Starts anew, in the place of what an earlier run may have left.
    pub(super) fn create(part: PathBuf, table: &Path) -> Result<Self, TableError> {
        let refused = |source| crate::DestinationError::Refused { path: table.to_owned(), source };
        // Not truncated before it is locked: it may be in use.
        let options = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(&part);
        let file = options.map_err(refused)?;
        lock(&file, &part, table)?;
        file.set_len(0).map_err(refused)?;
        Ok(Self::new(file, part))
    }

    fn new(file: File, path: PathBuf) -> Self {
        Partial { file, path, buffer: Vec::new(), written: 0, checksum: crc32fast::Hasher::new() }
    }

    /// Goes on behind the first bytes, as a mark has them.
    pub(super) fn reopen(part: PathBuf, table: &Path, mark: &Mark, cancel: &Cancel) -> Result<Self, TableError> {
        let Mark { bytes, checksum, .. } = *mark;
        let file = match OpenOptions::new().read(true).write(true).open(&part) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Err(TableError::NothingToResume { path: table.to_owned(), part });
            }
            opened => opened.map_err(|source| TableError::Write { path: part.clone(), source })?,
        };
        lock(&file, &part, table)?;
        let mut partial = Self::new(file, part);
        let found = partial.file.metadata().map_err(|e| partial.failed(e))?.len();
        if found < bytes {
            let (path, part) = (table.to_owned(), partial.path);
            return Err(TableError::TooShort { path, part, found, needed: bytes });
        }
        partial.read_to(bytes, cancel).map_err(|error| match error.kind() {
            io::ErrorKind::Interrupted => TableError::Interrupted { path: table.to_owned() },
            _ => partial.failed(error),
        })?;
        if partial.checksum.clone().finalize() != checksum {
            return Err(TableError::Changed { path: table.to_owned(), part: partial.path });
        }
        // Only now: partial data that are refused stay as they are.
        partial.file.set_len(bytes).map_err(|e| partial.failed(e))?;
        Ok(partial)
    }

    /// Takes the first `bytes` bytes of the file for written.
    fn read_to(&mut self, bytes: u64, cancel: &Cancel) -> io::Result<()> {
        self.file.seek(SeekFrom::Start(0))?;
        let mut chunk = vec![0; BUFFER];
        while self.written < bytes {
            goes_on(cancel)?;
            let most = (bytes - self.written).min(BUFFER as u64) as usize;
            self.file.read_exact(&mut chunk[..most])?;
            self.checksum.update(&chunk[..most]);
            self.written += most as u64;
        }
        Ok(())
    }

    /// Where to append, with room made if it is full. A caller appends whole rows, so a failed write
    /// here leaves out the row it was called for and nothing else.
    pub(super) fn buffer(&mut self) -> Result<&mut Vec<u8>, TableError> {
        if self.buffer.len() >= BUFFER {
            self.flush()?;
        }
        Ok(&mut self.buffer)
    }

    /// Hands everything to the operating system. After a failure (a full disk) it can be tried again:
    /// the place to write at is where the last success ended.
    pub(super) fn flush(&mut self) -> Result<(), TableError> {
        if self.buffer.is_empty() {
            return Ok(());
        }
        self.write_buffer().map_err(|e| self.failed(e))?;
        self.checksum.update(&self.buffer);
        self.written += self.buffer.len() as u64;
        self.buffer.clear();
        Ok(())
    }

    fn write_buffer(&mut self) -> io::Result<()> {
        self.file.seek(SeekFrom::Start(self.written))?;
        self.file.write_all(&self.buffer)
    }

    /// Appends all of a source, written as it comes.
    pub(super) fn fill(&mut self, source: &mut impl Read, cancel: &Cancel) -> io::Result<()> {
        let mut chunk = vec![0; BUFFER];
        loop {
            goes_on(cancel)?;
            match source.read(&mut chunk) {
                Ok(0) => return Ok(()),
                Ok(read) => self.buffer().map_err(io::Error::other)?.extend_from_slice(&chunk[..read]),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }

    /// Everything on the disk; how many bytes, with which checksum.
    pub(super) fn sync(&mut self) -> Result<(u64, u32), TableError> {
        self.flush()?;
        self.file.sync_data().map_err(|e| self.failed(e))?;
        Ok((self.written, self.checksum.clone().finalize()))
    }

    /// How many bytes there are, in the file and before it.
    pub(super) fn bytes(&self) -> u64 {
        self.written + self.buffer.len() as u64
    }

    /// The file from its beginning, and how many bytes of it count.
    pub(super) fn rewind(&mut self) -> Result<(&mut File, u64), TableError> {
        self.flush()?;
        self.file.seek(SeekFrom::Start(0)).map_err(|e| self.failed(e))?;
        Ok((&mut self.file, self.written))
    }

    /// The file.
    pub(super) fn file(&self) -> &File {
        &self.file
    }

    /// Where it is.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Removes the file.
    pub(super) fn remove(self) -> Result<(), TableError> {
        fs::remove_file(&self.path).map_err(|e| self.failed(e))
    }

    fn failed(&self, source: io::Error) -> TableError {
        TableError::Write { path: self.path.clone(), source }
    }
}

/// An error of the kind [`io::ErrorKind::Interrupted`] once somebody asks to stop.
pub(super) fn goes_on(cancel: &Cancel) -> io::Result<()> {
    if cancel.is_set() { Err(io::ErrorKind::Interrupted.into()) } else { Ok(()) }
}

/// Keeps a second run from writing the same table. File systems without locks do without.
fn lock(file: &File, part: &Path, table: &Path) -> Result<(), TableError> {
    let busy = || TableError::Busy { path: table.to_owned(), part: part.to_owned() };
    match file.try_lock() {
        Err(TryLockError::WouldBlock) => Err(busy()),
        // It may have been opened just before the run that held it made it the table.
        _ if !part.exists() => Err(busy()),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn after_a_full_disk_nothing_is_lost_or_written_twice() {
        // Every write to it fails as on a full disk.
        let Ok(full) = OpenOptions::new().write(true).open("/dev/full") else { return };
        let mut partial = Partial::new(full, "a.part".into());
        partial.buffer().unwrap().extend(vec![7; BUFFER]);
        for _ in 0..2 {
            let error = partial.buffer().unwrap_err().to_string();
            assert!(error.starts_with("writing `a.part` failed: "), "{error}");
        }
        partial.file = tempfile::tempfile().unwrap();
        partial.file.write_all(b"what a write that failed half-way left").unwrap();
        partial.buffer().unwrap().extend([8; 3]);
        let expected = [vec![7; BUFFER], vec![8; 3]].concat();
        assert_eq!(partial.sync().unwrap(), (expected.len() as u64, crc32fast::hash(&expected)));
        let mut content = Vec::new();
        partial.rewind().unwrap().0.read_to_end(&mut content).unwrap();
        assert!(content == expected);
    }
}
