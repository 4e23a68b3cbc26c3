//! Figures as files: refused early, replaced in one step.

use crate::error::PlotError;
use crate::figure::Figure;
use crate::raster;
use crate::render::render;
use crate::theme::Theme;
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

impl Figure {
    /// The figure as SVG text. The same figure always gives the same text.
    pub fn to_svg(&self) -> String {
        render(self, self.theme, false)
    }

    /// The figure as a PNG file, `scale` pixels to the unit (2 is good for print and screens).
    pub fn to_png(&self, scale: f64) -> Result<Vec<u8>, PlotError> {
        let theme = if self.theme == Theme::Dark { Theme::Dark } else { Theme::Light };
        raster::png(&render(self, theme, true), scale)
    }

    /// Writes the figure to a file whose name ends in `.svg` or `.png` (at scale 2). An existing
    /// file is replaced in one step: it is never seen half written.
    pub fn write(&self, path: impl AsRef<Path>) -> Result<(), PlotError> {
        let path = path.as_ref();
        let format = check_destination(path)?;
        let bytes = match format {
            Format::Svg => self.to_svg().into_bytes(),
            Format::Png => self.to_png(2.0)?,
        };
        Ok(cotangent_destination::replace(path, &bytes)?)
    }
}
