//! Series of points in a plot.

/// A series of points.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Series {
    /// Name in the legend.
    pub name: String,
    /// Abscissas; they need not increase.
    pub x: Vec<f64>,
    /// Ordinates, one for each abscissa. A value that is not a number is a gap.
    pub y: Vec<f64>,
    /// How the points are drawn.
    pub mark: Mark,
    /// The number of its colour; `None`: that of its place in the plot.
    pub ink: Option<usize>,
    /// How many of the values are not numbers because the line is broken there on purpose: no note counts them.
    pub gaps: usize,
}

/// How the points of a series are drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Mark {
    /// Joined by a line.
    #[default]
    Line,
    /// As discs.
    Points,
    /// As discs joined by a line.
    Both,
    /// As an area: the points come in pairs, the lower and the upper end at one abscissa.
    Band,
}

impl Series {
    /// Points joined by a line.
    pub fn line(name: impl Into<String>, x: Vec<f64>, y: Vec<f64>) -> Self {
        Series { name: name.into(), x, y, mark: Mark::Line, ink: None, gaps: 0 }
    }

    /// Points on their own.
    pub fn points(name: impl Into<String>, x: Vec<f64>, y: Vec<f64>) -> Self {
        Series { mark: Mark::Points, ..Series::line(name, x, y) }
    }

    /// Points joined by a line, each of them marked.
    pub fn marked(name: impl Into<String>, x: Vec<f64>, y: Vec<f64>) -> Self {
        Series { mark: Mark::Both, ..Series::line(name, x, y) }
    }

    /// An area from the lower to the upper values: what lies between samples that are too far apart
    /// for a line.
    pub fn band(name: impl Into<String>, x: &[f64], low: &[f64], high: &[f64]) -> Self {
        let twice = |a: &[f64], b: &[f64]| a.iter().zip(b).flat_map(|(a, b)| [*a, *b]).collect();
        Series { mark: Mark::Band, ..Series::line(name, twice(x, x), twice(low, high)) }
    }

    /// The same in the colour of this number, whatever else is in the plot.
    pub fn ink(self, number: usize) -> Self {
        Series { ink: Some(number), ..self }
    }

    /// The same with so many gaps that are meant.
    pub fn gaps(self, gaps: usize) -> Self {
        Series { gaps, ..self }
    }

    /// Whether the abscissas never decrease.
    pub(crate) fn is_ordered(&self) -> bool {
        self.x.windows(2).all(|pair| pair[0] <= pair[1]) && self.x.iter().all(|x| x.is_finite())
    }
}
