//! Destinations: refused early, replaced in one step.

use crate::error::PlotError;
use std::io::Write;
use std::path::{Path, PathBuf};

/// The formats a figure is written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Format {
    /// Scalable vector graphics.
    Svg,
    /// Pixels.
    Png,
}

/// Whether a figure can be written to the path, and in which format.
///
/// To be asked before a long computation: the extension must be `.svg` or `.png`, the directory
/// must exist and accept a new file, and what exists under the name must be a writable file.
pub fn check_destination(path: impl AsRef<Path>) -> Result<Format, PlotError> {
    let path = path.as_ref();
    let format = match path.extension().and_then(|extension| extension.to_str()) {
        Some(extension) if extension.eq_ignore_ascii_case("svg") => Format::Svg,
        Some(extension) if extension.eq_ignore_ascii_case("png") => Format::Png,
        _ => return Err(PlotError::UnknownExtension { path: path.into() }),
    };
    let directory = directory(path);
    if !directory.is_dir() {
        return Err(PlotError::NoDirectory { path: path.into(), directory });
    }
    if path.is_dir() {
        return Err(PlotError::IsDirectory { path: path.into() });
    }
    if path.metadata().is_ok_and(|data| data.permissions().readonly()) {
        return Err(PlotError::ReadOnly { path: path.into() });
    }
    temporary(path).map_err(|source| PlotError::NotWritable { path: path.into(), source })?;
    Ok(format)
}

/// The directory in which the file is, or would be; links are followed.
fn directory(path: &Path) -> PathBuf {
    let target = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    match target.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent.to_owned(),
        _ => PathBuf::from("."),
    }
}

fn temporary(path: &Path) -> std::io::Result<tempfile::NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".figure-").suffix(".tmp");
    #[cfg(unix)]
    let builder = {
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(std::fs::Permissions::from_mode(0o666))
    };
    builder.tempfile_in(directory(path))
}

/// Replaces the file by the bytes: a temporary file in the same directory, then a rename.
pub(crate) fn replace(path: &Path, bytes: &[u8]) -> Result<(), PlotError> {
    let target = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let put = || {
        let mut file = temporary(path)?;
        file.write_all(bytes)?;
        if let Ok(data) = target.metadata() {
            file.as_file().set_permissions(data.permissions())?;
        }
        file.as_file().sync_all()?;
        file.persist(&target).map_err(|refused| refused.error)?;
        Ok(())
    };
    put().map_err(|source| PlotError::NotWritable { path: path.into(), source })
}
