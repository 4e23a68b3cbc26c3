//! New content in the making: a hidden file of one process, which the next one takes away if the first was killed.
//!
//! A draft is locked as long as its process lives. One that nobody has locked was left behind.

use crate::Destination;
use std::ffi::OsStr;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

/// A draft may be taken for one that was left behind only before it is locked, which is soon.
const ATTEMPTS: usize = 10;

/// Begins the draft of this process, and removes those of processes that were killed.
pub(crate) fn begin(destination: &Destination) -> io::Result<(File, PathBuf)> {
    clean(destination);
    let path = destination.sibling(&format!("{}.new", std::process::id()));
    for _ in 0..ATTEMPTS {
        let file = File::create_new(&path)?;
        // File systems without locks do without, and nothing is cleaned there.
        let _ = file.lock();
        if path.exists() {
            return Ok((file, path));
        }
    }
    Err(io::ErrorKind::NotFound.into())
}

/// Removes the drafts of processes that were killed. What cannot be looked at or removed is in nobody's way.
fn clean(destination: &Destination) {
    let Ok(entries) = fs::read_dir(&destination.folder) else { return };
    for entry in entries.flatten().filter(|entry| is_draft(&entry.file_name(), &destination.name)) {
        let path = entry.path();
        // It stays locked until it is gone: who has begun one of this name meanwhile sees that, and begins again.
        if let Some(_locked) = left_behind(&path) {
            let _ = fs::remove_file(&path);
        }
    }
}

/// Whether this is the name of a draft, `.NAME.PROCESS.new`.
fn is_draft(file: &OsStr, name: &OsStr) -> bool {
    let rest = file.as_encoded_bytes().strip_prefix(b".").and_then(|rest| rest.strip_prefix(name.as_encoded_bytes()));
    let process = rest.and_then(|rest| rest.strip_prefix(b".")?.strip_suffix(b".new"));
    process.is_some_and(|digits| !digits.is_empty() && digits.iter().all(u8::is_ascii_digit))
}

/// The file, locked, if nobody else has locked it. Unknown on file systems without locks, where it is somebody's.
fn left_behind(path: &Path) -> Option<File> {
    let is_file = fs::symlink_metadata(path).is_ok_and(|there| there.is_file());
    let file = OpenOptions::new().write(true).open(path).ok().filter(|_| is_file)?;
    match file.try_lock() {
        Ok(()) => Some(file),
        Err(TryLockError::WouldBlock | TryLockError::Error(_)) => None,
    }
}
