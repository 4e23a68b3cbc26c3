//! Series of points.

use crate::palette::Style;

/// How the points of a series are drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Kind {
    /// A line through the points.
    #[default]
    Line,
    /// A marker at every point.
    Points,
    /// A line with a marker at every point (at some of them if there are many).
    LinePoints,
    /// A line that keeps each value until the next point.
    Step,
    /// An area between lower and upper values: the points come in pairs, the lower and the upper
    /// end at one x.
    Band,
}

/// Points (xᵢ, yᵢ) under one name. A point whose coordinate is not a number is a gap.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Series {
    /// The name in the legend; without one the series has no entry there.
    pub name: String,
    /// How the points are drawn.
    pub kind: Kind,
    /// First coordinates.
    pub x: Vec<f64>,
    /// Second coordinates; surplus values on either side are not drawn, and a note says so.
    pub y: Vec<f64>,
    /// Colour, dash and marker, by default from the position in the panel.
    pub style: Style,
}

impl Series {
    /// A series of the given kind.
    pub fn new(name: impl Into<String>, kind: Kind, x: Vec<f64>, y: Vec<f64>) -> Self {
        Series { name: name.into(), kind, x, y, style: Style::default() }
    }

    /// A line through the points.
    pub fn line(name: impl Into<String>, x: Vec<f64>, y: Vec<f64>) -> Self {
        Series::new(name, Kind::Line, x, y)
    }

    /// A marker at every point.
    pub fn points(name: impl Into<String>, x: Vec<f64>, y: Vec<f64>) -> Self {
        Series::new(name, Kind::Points, x, y)
    }

    /// A line with markers.
    pub fn line_points(name: impl Into<String>, x: Vec<f64>, y: Vec<f64>) -> Self {
        Series::new(name, Kind::LinePoints, x, y)
    }

    /// A line of steps.
    pub fn step(name: impl Into<String>, x: Vec<f64>, y: Vec<f64>) -> Self {
        Series::new(name, Kind::Step, x, y)
    }

    /// An area from the lower to the upper values: what lies between samples that are too far apart
    /// for a line.
    pub fn band(name: impl Into<String>, x: &[f64], low: &[f64], high: &[f64]) -> Self {
        let twice = |a: &[f64], b: &[f64]| a.iter().zip(b).flat_map(|(a, b)| [*a, *b]).collect();
        Series::new(name, Kind::Band, twice(x, x), twice(low, high))
    }

    /// The same series in another style.
    pub fn styled(mut self, style: Style) -> Self {
        self.style = style;
        self
    }

    /// The points that have both coordinates.
    pub(crate) fn pairs(&self) -> impl Iterator<Item = (f64, f64)> + '_ {
        self.x.iter().copied().zip(self.y.iter().copied())
    }
}
