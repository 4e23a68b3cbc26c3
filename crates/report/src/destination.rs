//! Destinations: refused early, replaced in one step.

use crate::error::ReportError;
use std::path::Path;

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
    Ok(cotangent_destination::check(path)?)
}
