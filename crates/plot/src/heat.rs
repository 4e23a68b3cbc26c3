//! Heat maps: a matrix of values shown as colours.

use crate::axis::Axis;
use crate::colour_map::ColourMap;

/// The largest number of pixels in a picture.
const PIXELS: usize = 150_000;

/// A matrix of values over a rectangle.
#[derive(Clone, Debug, PartialEq)]
pub struct HeatMap {
    /// Number of columns (along x).
    pub columns: usize,
    /// Number of rows (along y, from below).
    pub rows: usize,
    /// The values, row after row, beginning with the lowest row. Cells that are not numbers are
    /// left blank; infinite ones have the colour of the nearer end. Notes count both.
    pub values: Vec<f64>,
    /// The interval of x that the columns divide evenly.
    pub x: (f64, f64),
    /// The interval of y that the rows divide evenly.
    pub y: (f64, f64),
    /// Label, scale and range of the values.
    pub colour: Axis,
    /// Which colours are used.
    pub map: ColourMap,
}

impl HeatMap {
    /// A matrix of cells with unit sides.
    pub fn new(columns: usize, rows: usize, values: Vec<f64>, colour: Axis) -> Self {
        HeatMap {
            columns,
            rows,
            values,
            x: (0.0, columns as f64),
            y: (0.0, rows as f64),
            colour,
            map: ColourMap::default(),
        }
    }

    /// The same matrix over another rectangle.
    pub fn over(mut self, x: (f64, f64), y: (f64, f64)) -> Self {
        self.x = x;
        self.y = y;
        self
    }

    /// What is wrong with the matrix, if anything.
    pub(crate) fn fault(&self) -> Option<String> {
        let cells = self.columns.checked_mul(self.rows);
        if cells != Some(self.values.len()) {
            return Some(format!("{} × {} cells, but {} values", self.columns, self.rows, self.values.len()));
        }
        if self.values.is_empty() {
            return Some("no data".into());
        }
        let good = |(from, to): (f64, f64)| from.is_finite() && to.is_finite() && from != to;
        if !good(self.x) || !good(self.y) {
            return Some("the matrix lies over an empty or infinite interval".into());
        }
        None
    }
}

/// How many columns and rows become one cell in the picture, so that it is not too large.
pub(crate) fn blocks(map: &HeatMap) -> (usize, usize) {
    let (mut across, mut up) = (1, 1);
    while map.columns.div_ceil(across) * map.rows.div_ceil(up) > PIXELS {
        if map.columns.div_ceil(across) >= map.rows.div_ceil(up) { across += 1 } else { up += 1 }
    }
    (across, up)
}
