//! A file that is replaced as a whole or not at all.
//!
//! New content is written beside the file under another name and renamed over it when it is
//! complete, so a reader sees the old file or the new one, also after a crash.

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

/// Why a file cannot be written where it should go.
#[derive(Debug, thiserror::Error)]
pub enum DestinationError {
    /// The path is a folder or has no file name.
    #[error("cannot write `{path}`: it is a folder; give the name of a file")]
    Folder {
        /// Where the file should go.
        path: PathBuf,
    },
    /// The folder of the file is not there.
    #[error("cannot write `{path}`: there is no folder `{folder}`; create it first")]
    NoFolder {
        /// Where the file should go.
        path: PathBuf,
        /// The missing folder.
        folder: PathBuf,
    },
    /// A pipe, a device or the like.
    #[error("cannot write `{path}`: it is not an ordinary file")]
    NotAFile {
        /// Where the file should go.
        path: PathBuf,
    },
    /// A file that is write-protected; renaming over it would succeed where the owner said no.
    #[error("cannot write `{path}`: the file there is write-protected")]
    Protected {
        /// Where the file should go.
        path: PathBuf,
    },
    /// The operating system refuses.
    #[error("cannot write `{path}`: {source}")]
    Refused {
        /// Where the file should go.
        path: PathBuf,
        /// What the operating system says.
        source: io::Error,
    },
}

/// Where a file goes, checked.
#[derive(Debug)]
pub(crate) struct Destination {
    /// The file itself; links are resolved, so that a link stays one.
    path: PathBuf,
    folder: PathBuf,
    name: OsString,
}

impl Destination {
    /// Checks everything that can be checked without creating a file.
    pub(crate) fn at(path: &Path) -> Result<Self, DestinationError> {
        let refused = |source| DestinationError::Refused { path: path.to_owned(), source };
        let resolved = match fs::symlink_metadata(path) {
            Ok(there) if there.is_symlink() => fs::canonicalize(path).map_err(refused)?,
            _ => path.to_owned(),
        };
        let (Some(folder), Some(name)) = (resolved.parent(), resolved.file_name()) else {
            return Err(DestinationError::Folder { path: path.to_owned() });
        };
        let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
        match fs::metadata(&resolved) {
            Ok(there) if there.is_dir() => return Err(DestinationError::Folder { path: path.to_owned() }),
            Ok(there) if !there.is_file() => return Err(DestinationError::NotAFile { path: path.to_owned() }),
            Ok(there) if there.permissions().readonly() => {
                return Err(DestinationError::Protected { path: path.to_owned() });
            }
            Ok(_) => drop(OpenOptions::new().write(true).open(&resolved).map_err(refused)?),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                if !folder.exists() {
                    return Err(DestinationError::NoFolder { path: path.to_owned(), folder: folder.to_owned() });
                }
            }
            Err(error) => return Err(refused(error)),
        }
        Ok(Destination { folder: folder.to_owned(), name: name.to_owned(), path: resolved })
    }

    /// The hidden file `.NAME.ENDING` in the same folder, hence on the same device.
    pub(crate) fn sibling(&self, ending: &str) -> PathBuf {
        let mut name = OsString::from(".");
        name.push(&self.name);
        name.push(".");
        name.push(ending);
        self.folder.join(name)
    }

    /// Where new content is put together before it replaces the file.
    pub(crate) fn temporary(&self) -> PathBuf {
        self.sibling("new")
    }

    /// The file.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Puts a complete file from the same folder in the place of this one, on the disk and not
    /// only in its cache. An existing file hands on its permissions.
    pub(crate) fn replace_with(&self, complete: &File, at: &Path) -> io::Result<()> {
        if let Ok(old) = fs::metadata(&self.path) {
            complete.set_permissions(old.permissions())?;
        }
        complete.sync_all()?;
        fs::rename(at, &self.path)?;
        self.sync_folder()
    }

    /// Makes sure that files created or renamed in the folder are found there after a crash.
    pub(crate) fn sync_folder(&self) -> io::Result<()> {
        // Only Unix opens a folder like a file; elsewhere the rename is as durable as it gets.
        if cfg!(unix) { File::open(&self.folder)?.sync_all() } else { Ok(()) }
    }
}
