//! A file that is replaced as a whole or not at all.
//!
//! New content is written beside the file under another name and renamed over it when it is
//! complete, so a reader sees the old file or the new one, also after a crash. What a process that
//! was killed left under other names is taken away when the file is next written.

mod draft;

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
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
    /// Links that lead to each other.
    #[error("cannot write `{path}`: the link there leads nowhere, only to itself")]
    Loop {
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

/// Links are followed at most so often; systems have limits like this.
const LINKS: usize = 40;

/// The file that a path means: links are followed, also one whose target is not there yet. `None`
/// if there is no end to them.
fn followed(path: &Path) -> io::Result<Option<PathBuf>> {
    let mut path = path.to_owned();
    for _ in 0..LINKS {
        match fs::symlink_metadata(&path) {
            Ok(there) if there.is_symlink() => {
                let target = fs::read_link(&path)?;
                path = path.parent().map_or(target.clone(), |folder| folder.join(&target));
            }
            _ => return Ok(Some(path)),
        }
    }
    Ok(None)
}

/// Whether two paths mean one file, which need not exist.
pub fn is_same(a: &Path, b: &Path) -> bool {
    let whole = |path: &Path| {
        let path = followed(path).ok().flatten()?;
        let folder = path.parent().filter(|f| !f.as_os_str().is_empty()).unwrap_or(Path::new("."));
        Some(folder.canonicalize().ok()?.join(path.file_name()?))
    };
    match (a.canonicalize(), b.canonicalize()) {
        (Ok(a), Ok(b)) => a == b,
        _ => whole(a).is_some_and(|a| whole(b) == Some(a)),
    }
}

/// Whether a file can be written, tried in its folder; nothing is left there.
pub fn check(path: &Path) -> Result<(), DestinationError> {
    let destination = Destination::at(path)?;
    let refused = |source| DestinationError::Refused { path: path.to_owned(), source };
    let (_draft, at) = draft::begin(&destination).map_err(refused)?;
    fs::remove_file(&at).map_err(refused)
}

/// Puts these bytes in the place of the file: whoever reads it sees the old ones or the new ones.
pub fn replace(path: &Path, bytes: &[u8]) -> Result<(), DestinationError> {
    let destination = Destination::at(path)?;
    let refused = |source| DestinationError::Refused { path: path.to_owned(), source };
    let (mut draft, at) = draft::begin(&destination).map_err(refused)?;
    let put = draft.write_all(bytes).and_then(|()| destination.replace_with(&draft, &at));
    put.map_err(|source| {
        // Nothing half written stays; that there is nothing to remove is no error.
        let _ = fs::remove_file(&at);
        refused(source)
    })
}

/// Where a file goes, checked.
#[derive(Debug)]
pub struct Destination {
    /// The file itself; links are resolved, so that a link stays one.
    path: PathBuf,
    folder: PathBuf,
    name: OsString,
}

impl Destination {
    /// Checks everything that can be checked without creating a file.
    pub fn at(path: &Path) -> Result<Self, DestinationError> {
        let refused = |source| DestinationError::Refused { path: path.to_owned(), source };
        let resolved = followed(path).map_err(refused)?;
        let Some(resolved) = resolved else { return Err(DestinationError::Loop { path: path.to_owned() }) };
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
                if !folder.is_dir() {
                    return Err(DestinationError::NoFolder { path: path.to_owned(), folder: folder.to_owned() });
                }
            }
            Err(error) => return Err(refused(error)),
        }
        Ok(Destination { folder: folder.to_owned(), name: name.to_owned(), path: resolved })
    }

    /// The hidden file `.NAME.ENDING` in the same folder, hence on the same device.
    pub fn sibling(&self, ending: &str) -> PathBuf {
        let mut name = OsString::from(".");
        name.push(&self.name);
        name.push(".");
        name.push(ending);
        self.folder.join(name)
    }

    /// Where new content is put together before it replaces the file.
    pub fn temporary(&self) -> PathBuf {
        self.sibling("new")
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Puts a complete file from the same folder in the place of this one, on the disk and not
    /// only in its cache. An existing file hands on its permissions.
    pub fn replace_with(&self, complete: &File, at: &Path) -> io::Result<()> {
        if let Ok(old) = fs::metadata(&self.path) {
            complete.set_permissions(old.permissions())?;
        }
        complete.sync_all()?;
        fs::rename(at, &self.path)?;
        self.sync_folder()
    }

    /// Makes sure that files created or renamed in the folder are found there after a crash.
    pub fn sync_folder(&self) -> io::Result<()> {
        // Only Unix opens a folder like a file; elsewhere the rename is as durable as it gets.
        if cfg!(unix) { File::open(&self.folder)?.sync_all() } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tempfile::tempdir;

    fn names(folder: &Path) -> Vec<OsString> {
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name()).collect()
    }

    #[test]
    fn asking_leaves_nothing_and_writing_one_file() {
        let folder = tempdir().unwrap();
        let path = folder.path().join("a");
        check(&path).unwrap();
        assert!(names(folder.path()).is_empty());
        for bytes in [b"one", b"two"] {
            replace(&path, bytes).unwrap();
            assert_eq!(fs::read(&path).unwrap(), bytes);
        }
        assert_eq!(names(folder.path()), ["a"]);
    }

    #[test]
    fn what_a_killed_process_left_goes_and_what_a_living_one_writes_stays() {
        let folder = tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        // The last has the number of this process, as often happens in a container.
        let own = format!(".a.png.{}.new", std::process::id());
        for name in [".a.png.1.new", ".a.png.99999999.new", &own] {
            fs::write(at(name), "half").unwrap();
        }
        let others = [".a.png.part", ".a.png.x.new", ".a.png.new", ".b.png.1.new", ".a.png.7.8.new"];
        others.iter().for_each(|name| fs::write(at(name), "other").unwrap());
        let living = File::create(at(".a.png.2.new")).unwrap();
        living.lock().unwrap();
        replace(&at("a.png"), b"whole").unwrap();
        let mut left = names(folder.path());
        left.sort();
        let mut expected: Vec<OsString> = others.iter().map(|&name| name.into()).collect();
        expected.extend(["a.png".into(), ".a.png.2.new".into()]);
        expected.sort();
        assert_eq!(left, expected);
    }

    #[cfg(unix)]
    mod unix {
        use super::*;
        use std::os::unix::fs::{MetadataExt, symlink};

        #[test]
        fn who_has_the_file_open_still_reads_the_old_one() {
            let folder = tempdir().unwrap();
            let path = folder.path().join("a");
            fs::write(&path, "old").unwrap();
            let open = File::open(&path).unwrap();
            replace(&path, b"new").unwrap();
            assert_eq!(io::read_to_string(&open).unwrap(), "old");
            assert_ne!(open.metadata().unwrap().ino(), fs::metadata(&path).unwrap().ino());
        }

        #[test]
        fn a_link_to_a_file_that_is_not_there_yet_writes_it() {
            let folder = tempdir().unwrap();
            let (link, file) = (folder.path().join("link"), folder.path().join("file"));
            symlink("file", &link).unwrap();
            replace(&link, b"x").unwrap();
            assert!(fs::symlink_metadata(&link).unwrap().is_symlink() && fs::read(&file).unwrap() == b"x");
            let astray = folder.path().join("astray");
            symlink("missing/file", &astray).unwrap();
            assert!(matches!(check(&astray), Err(DestinationError::NoFolder { .. })));
        }

        #[test]
        fn what_is_no_ordinary_file_is_refused_and_stays() {
            let folder = tempdir().unwrap();
            let at = |name: &str| folder.path().join(name);
            symlink("b", at("a")).unwrap();
            symlink("a", at("b")).unwrap();
            assert!(matches!(replace(&at("a"), b""), Err(DestinationError::Loop { .. })));
            symlink("/dev/null", at("null")).unwrap();
            assert!(matches!(replace(&at("null"), b""), Err(DestinationError::NotAFile { .. })));
            let _socket = std::os::unix::net::UnixListener::bind(at("socket")).unwrap();
            assert!(matches!(replace(&at("socket"), b""), Err(DestinationError::NotAFile { .. })));
            fs::create_dir(at("folder")).unwrap();
            assert!(matches!(replace(&at("folder"), b""), Err(DestinationError::Folder { .. })));
            assert_eq!(names(folder.path()).len(), 5);
        }

        #[test]
        fn one_file_under_two_names_is_known() {
            let folder = tempdir().unwrap();
            let at = |name: &str| folder.path().join(name);
            symlink("file", at("link")).unwrap();
            assert!(
                is_same(&at("link"), &at("file")) && is_same(&at("x/../file"), &at("x/../file")) == at("x").exists()
            );
            assert!(!is_same(&at("link"), &at("other")));
            fs::write(at("file"), "").unwrap();
            assert!(is_same(&at("link"), &at("file")));
        }
    }
}
