//! Figures: panels on a sheet.

use crate::panel::Panel;
use crate::theme::Theme;

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
}
