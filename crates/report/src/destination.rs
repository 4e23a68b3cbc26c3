//! Destinations: refused early, replaced in one step.

use crate::error::ReportError;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Whether a report can be written to the path.
///
/// To be asked before a long computation: the name must end in `.html` or `.htm`, the directory
/// must exist and accept a new file, and what exists under the name must be a writable file.
pub fn check_destination(path: impl AsRef<Path>) -> Result<(), ReportError> {
    let path = path.as_ref();
    let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or("");
    if !["html", "htm"].iter().any(|known| extension.eq_ignore_ascii_case(known)) {
        return Err(ReportError::UnknownExtension { path: path.into() });
    }
    let directory = directory(path);
    if !directory.is_dir() {
        return Err(ReportError::NoDirectory { path: path.into(), directory });
    }
    if path.is_dir() {
        return Err(ReportError::IsDirectory { path: path.into() });
    }
    if path.metadata().is_ok_and(|data| data.permissions().readonly()) {
        return Err(ReportError::ReadOnly { path: path.into() });
    }
    temporary(path).map_err(|source| ReportError::NotWritable { path: path.into(), source })?;
    Ok(())
}

/// The file that is meant: links are followed.
fn target(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}

fn directory(path: &Path) -> PathBuf {
    match target(path).parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent.to_owned(),
        _ => PathBuf::from("."),
    }
}

fn temporary(path: &Path) -> std::io::Result<tempfile::NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".report-").suffix(".tmp");
    #[cfg(unix)]
    let builder = {
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(std::fs::Permissions::from_mode(0o666))
    };
    builder.tempfile_in(directory(path))
}

/// Replaces the file by the text: a temporary file in the same directory, then a rename.
pub(crate) fn replace(path: &Path, text: &str) -> Result<(), ReportError> {
    let target = target(path);
    let put = || {
        let mut file = temporary(path)?;
        file.write_all(text.as_bytes())?;
        if let Ok(data) = target.metadata() {
            file.as_file().set_permissions(data.permissions())?;
        }
        file.as_file().sync_all()?;
        file.persist(&target).map_err(|refused| refused.error)?;
        Ok(())
    };
    put().map_err(|source| ReportError::NotWritable { path: path.into(), source })
}
