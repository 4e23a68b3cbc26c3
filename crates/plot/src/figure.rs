//! Figures: panels on a sheet.

use crate::error::PlotError;
use crate::panel::Panel;
use crate::theme::Theme;
use crate::{render, write};
use std::path::Path;

/// The size of a figure, in pixels at scale 1.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Size {
    /// Wide enough for a column of text; as high as its content asks for.
    #[default]
    Auto,
    /// At least this wide and high; a figure whose content needs more is larger.
    Fixed {
        /// Width.
        width: f64,
        /// Height.
        height: f64,
    },
}

/// A figure: a title and panels, row after row.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Figure {
    /// The title above all panels; empty for none.
    pub title: String,
    /// The panels, row after row.
    pub panels: Vec<Panel>,
    /// Panels in a row; 0 counts as 1.
    pub columns: usize,
    /// Whether panels below one another share their horizontal axis: the same range, and labels
    /// under the lowest only if the axes are then the same.
    pub share_x: bool,
    /// The size.
    pub size: Size,
    /// Light, dark, or as the viewer prefers.
    pub theme: Theme,
}

impl Figure {
    /// A figure without panels.
    pub fn new(title: impl Into<String>) -> Self {
        Figure { title: title.into(), ..Figure::default() }
    }

    /// The same figure with one more panel.
    pub fn with(mut self, panel: Panel) -> Self {
        self.panels.push(panel);
        self
    }

    /// The same figure in another size.
    pub fn sized(mut self, width: f64, height: f64) -> Self {
        self.size = Size::Fixed { width, height };
        self
    }

    /// The same figure in another theme.
    pub fn themed(mut self, theme: Theme) -> Self {
        self.theme = theme;
        self
    }

    /// The figure as SVG text. The same figure always gives the same text.
    pub fn to_svg(&self) -> String {
        render::render(self, self.theme, false)
    }

    /// The figure as a PNG file, `scale` pixels to the unit (2 is good for print and screens).
    pub fn to_png(&self, scale: f64) -> Result<Vec<u8>, PlotError> {
        let theme = if self.theme == Theme::Dark { Theme::Dark } else { Theme::Light };
        crate::raster::png(&render::render(self, theme, true), scale)
    }

    /// Writes the figure to a file whose name ends in `.svg` or `.png` (at scale 2). An existing
    /// file is replaced in one step: it is never seen half written.
    pub fn write(&self, path: impl AsRef<Path>) -> Result<(), PlotError> {
        let path = path.as_ref();
        let format = write::check_destination(path)?;
        let bytes = match format {
            write::Format::Svg => self.to_svg().into_bytes(),
            write::Format::Png => self.to_png(2.0)?,
        };
        Ok(cotangent_destination::replace(path, &bytes)?)
    }
}
