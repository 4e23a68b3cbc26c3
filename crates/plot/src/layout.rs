//! Where every frame is: a grid of equal frames with room for what surrounds them.

use crate::axes::{Axes, Margins};
use crate::figure::{Figure, Size};
use crate::font::LINE_HEIGHT;
use crate::frame::{Frame, Rect};
use crate::panel::{Aspect, Content};
use crate::sketch::Sketch;
use crate::text::{clean, wrap};

pub(crate) const TITLE_SIZE: f64 = 16.0;
const LEAST_WIDTH: f64 = 100.0;
const LEAST_HEIGHT: f64 = 70.0;
const MOST: f64 = 10_000.0;

/// A frame with its surroundings; `left` is where its cell begins.
pub(crate) struct Placed {
    pub(crate) frame: Frame,
    pub(crate) axes: Axes,
    pub(crate) left: f64,
}

/// The sheet.
pub(crate) struct Layout {
    pub(crate) width: f64,
    pub(crate) height: f64,
    pub(crate) title: Vec<String>,
    pub(crate) placed: Vec<Placed>,
}

/// The number of columns of a figure.
pub(crate) fn columns(figure: &Figure) -> usize {
    figure.columns.clamp(1, figure.panels.len().max(1))
}

/// The height of the frames of a row that has room for what it wants.
fn wanted_height(sketches: &[Sketch<'_>], rows: usize) -> f64 {
    let tall = sketches
        .iter()
        .any(|sketch| sketch.panel.aspect == Aspect::Equal || matches!(sketch.panel.content, Content::HeatMap(_)));
    match (rows, tall) {
        (1, false) => 290.0,
        (1, true) => 360.0,
        (_, false) => 180.0,
        (_, true) => 300.0,
    }
}

fn side(length: f64, otherwise: f64) -> f64 {
    if length.is_finite() && length > 0.0 { length.min(MOST) } else { otherwise }
}

/// Lays the panels out. Ticks depend on the length of axes and the length on the width of
/// labels, so sizes are found in a few rounds.
pub(crate) fn layout(figure: &Figure, sketches: &[Sketch<'_>]) -> Layout {
    let columns = columns(figure);
    let rows = sketches.len().div_ceil(columns).max(1);
    let auto_width = [620.0, 960.0, 1260.0][columns.min(3) - 1] + 300.0 * columns.saturating_sub(3) as f64;
    let (width, height) = match figure.size {
        Size::Auto => (auto_width, None),
        Size::Fixed { width, height } => (side(width, auto_width), Some(side(height, 400.0))),
    };
    let title = wrap(&clean(&figure.title), TITLE_SIZE, width - 24.0, 3);
    let head = if title.is_empty() { 4.0 } else { 10.0 + title.len() as f64 * TITLE_SIZE * LINE_HEIGHT };
    let mut sheet = Sheet {
        width,
        head,
        frame_width: (width / columns as f64 - 90.0).max(LEAST_WIDTH),
        frame_heights: (0..rows).map(|row| wanted_height(row_of(sketches, row, columns), rows)).collect(),
        sides: vec![Margins::default(); columns],
        ends: vec![Margins::default(); rows],
    };
    let mut placed = sheet.place(figure, sketches);
    for round in 0..12 {
        let (sides, ends) = sheet.needed(&placed);
        if round > 2 && sheet.holds(&sides, &ends) {
            break;
        }
        // Margins and ticks may pull each other to and fro: in the end margins only grow.
        sheet.fit(sides, ends, height, round > 3);
        placed = sheet.place(figure, sketches);
    }
    Layout { width: sheet.total_width(), height: sheet.total_height(), title, placed }
}

fn row_of<'a, 'b>(sketches: &'b [Sketch<'a>], row: usize, columns: usize) -> &'b [Sketch<'a>] {
    sketches.chunks(columns).nth(row).unwrap_or_default()
}

struct Sheet {
    width: f64,
    head: f64,
    frame_width: f64,
    frame_heights: Vec<f64>,
    /// Left and right margins of every column.
    sides: Vec<Margins>,
    /// Top and bottom margins of every row.
    ends: Vec<Margins>,
}

impl Sheet {
    fn total_width(&self) -> f64 {
        self.sides.iter().map(|side| side.left + side.right + self.frame_width).sum::<f64>().ceil()
    }

    fn total_height(&self) -> f64 {
        let rows = self.ends.iter().zip(&self.frame_heights);
        (self.head + rows.map(|(end, height)| end.top + end.bottom + height).sum::<f64>()).ceil()
    }

    fn place(&self, figure: &Figure, sketches: &[Sketch<'_>]) -> Vec<Placed> {
        let columns = self.sides.len();
        let mut out = Vec::new();
        let mut y = self.head;
        for (row, (end, &height)) in self.ends.iter().zip(&self.frame_heights).enumerate() {
            let mut x = 0.0;
            for (column, side) in self.sides.iter().enumerate() {
                let Some(sketch) = sketches.get(row * columns + column) else { continue };
                let rect = Rect { x: x + side.left, y: y + end.top, width: self.frame_width, height };
                let frame = framed(sketch, rect);
                let below = sketches.get(row * columns + column + columns);
                let labels_x = !(figure.share_x && below.is_some_and(|below| share(sketch, below)));
                let cell = side.left + side.right + self.frame_width;
                let cell = if side.left > 0.0 { cell } else { self.width / columns as f64 };
                out.push(Placed { frame, axes: Axes::new(sketch, &frame, cell, labels_x), left: x });
                x += cell;
            }
            y += end.top + end.bottom + height;
        }
        out
    }

    /// The margins that every column and every row need.
    fn needed(&self, placed: &[Placed]) -> (Vec<Margins>, Vec<Margins>) {
        let (columns, rows) = (self.sides.len(), self.ends.len());
        let (mut sides, mut ends) = (vec![Margins::default(); columns], vec![Margins::default(); rows]);
        for (index, one) in placed.iter().enumerate() {
            let margins = one.axes.margins(&one.frame);
            sides[index % columns] = sides[index % columns].join(margins);
            ends[index / columns] = ends[index / columns].join(margins);
        }
        (sides, ends)
    }

    /// Whether the margins are as large as needed.
    fn holds(&self, sides: &[Margins], ends: &[Margins]) -> bool {
        let slack = 1e-6;
        let mut across = self.sides.iter().zip(sides);
        let mut down = self.ends.iter().zip(ends);
        across.all(|(have, need)| need.left <= have.left + slack && need.right <= have.right + slack)
            && down.all(|(have, need)| need.top <= have.top + slack && need.bottom <= have.bottom + slack)
    }

    /// Takes the margins, or lets them grow to these, and gives the rest to the frames.
    fn fit(&mut self, sides: Vec<Margins>, ends: Vec<Margins>, height: Option<f64>, grow: bool) {
        let (columns, rows) = (sides.len(), ends.len());
        let joined = |have: &[Margins], need: Vec<Margins>| {
            need.into_iter().zip(have).map(|(need, &have)| if grow { need.join(have) } else { need }).collect()
        };
        self.sides = joined(&self.sides, sides);
        self.ends = joined(&self.ends, ends);
        let taken: f64 = self.sides.iter().map(|side| side.left + side.right).sum();
        self.frame_width = ((self.width - taken) / columns as f64).max(LEAST_WIDTH);
        if let Some(height) = height {
            let taken: f64 = self.head + self.ends.iter().map(|end| end.top + end.bottom).sum::<f64>();
            self.frame_heights = vec![((height - taken) / rows as f64).max(LEAST_HEIGHT); rows];
        }
    }
}

/// Whether two panels have the same horizontal axis.
fn share(sketch: &Sketch<'_>, below: &Sketch<'_>) -> bool {
    let free = |sketch: &Sketch<'_>| sketch.panel.aspect == Aspect::Free;
    let axis = |sketch: &Sketch<'_>| (sketch.panel.x.scale.is_log(), sketch.x.lo, sketch.x.hi);
    free(sketch) && free(below) && axis(sketch) == axis(below) && sketch.x_label == below.x_label
}

/// The frame of a sketch in a rectangle; spans are widened for equal units.
fn framed(sketch: &Sketch<'_>, rect: Rect) -> Frame {
    let (x_scale, y_scale) = (sketch.panel.x.scale, sketch.panel.y.scale);
    let mut frame = Frame { rect, x_scale, y_scale, x: sketch.x, y: sketch.y };
    let equal = sketch.panel.aspect == Aspect::Equal && !x_scale.is_log() && !y_scale.is_log();
    let (per_x, per_y) = (sketch.x.width() / rect.width, sketch.y.width() / rect.height);
    if equal && per_x.is_finite() && per_y.is_finite() {
        if per_x < per_y {
            frame.x = sketch.x.stretched(per_y / per_x);
        } else {
            frame.y = sketch.y.stretched(per_x / per_y);
        }
    }
    frame
}
