//! Destinations: refused early, replaced in one step.

use crate::error::PlotError;
use std::path::Path;

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
    cotangent_destination::check(path)?;
    Ok(format)
}
