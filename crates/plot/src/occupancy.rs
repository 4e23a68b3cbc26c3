//! Which parts of a frame are covered by data, so that a legend can keep clear of them.

use crate::frame::Rect;
use crate::shape::Shape;
use crate::svg::Point;

const SIDE: f64 = 3.0;

/// A grid of cells over a rectangle, counted cumulatively.
pub(crate) struct Occupancy {
    rect: Rect,
    width: usize,
    height: usize,
    taken: Vec<bool>,
}

impl Occupancy {
    /// The cells covered by the shapes.
    pub(crate) fn of(rect: Rect, shapes: &[Shape]) -> Self {
        let cells = |length: f64| (length / SIDE).ceil().clamp(1.0, 1e4) as usize;
        let (width, height) = (cells(rect.width), cells(rect.height));
        let mut grid = Occupancy { rect, width, height, taken: vec![false; width * height] };
        for shape in shapes {
            shape.trace(SIDE, &mut |point, radius| grid.take(point, radius));
        }
        grid
    }

    fn take(&mut self, [x, y]: Point, radius: f64) {
        let column = |x: f64| ((x - self.rect.x) / SIDE).floor() as i64;
        let row = |y: f64| ((y - self.rect.y) / SIDE).floor() as i64;
        for j in row(y - radius).max(0)..=row(y + radius).min(self.height as i64 - 1) {
            for i in column(x - radius).max(0)..=column(x + radius).min(self.width as i64 - 1) {
                self.taken[j as usize * self.width + i as usize] = true;
            }
        }
    }

    /// Marks a rectangle as covered.
    pub(crate) fn take_rect(&mut self, rect: Rect) {
        let (columns, rows) = self.cells(&rect);
        for j in rows {
            for i in columns.clone() {
                self.taken[j * self.width + i] = true;
            }
        }
    }

    fn cells(&self, rect: &Rect) -> (std::ops::Range<usize>, std::ops::Range<usize>) {
        let column = |x: f64| ((x - self.rect.x) / SIDE).max(0.0);
        let row = |y: f64| ((y - self.rect.y) / SIDE).max(0.0);
        let columns = column(rect.x) as usize..(column(rect.right()).ceil() as usize).min(self.width);
        (columns, row(rect.y) as usize..(row(rect.bottom()).ceil() as usize).min(self.height))
    }

    /// Whether no data are under the rectangle.
    pub(crate) fn is_free(&self, rect: &Rect) -> bool {
        let (columns, mut rows) = self.cells(rect);
        let (start, end) = (columns.start.min(columns.end), columns.end);
        rows.all(|j| !self.taken[j * self.width + start..j * self.width + end].contains(&true))
    }

    /// A free place for a box along the edge of the frame, corners first.
    pub(crate) fn free_place(&self, width: f64, height: f64) -> Option<Rect> {
        const GAP: f64 = 8.0;
        let (left, top) = (self.rect.x + GAP, self.rect.y + GAP);
        let (right, bottom) = (self.rect.right() - GAP - width, self.rect.bottom() - GAP - height);
        if right < left || bottom < top {
            return None;
        }
        let corners = [[right, top], [left, top], [right, bottom], [left, bottom]];
        let along = |from: f64, to: f64| (1..12).map(move |i| from + (to - from) * f64::from(i) / 12.0);
        let horizontal = along(left, right).flat_map(|x| [[x, top], [x, bottom]]);
        let vertical = along(top, bottom).flat_map(|y| [[right, y], [left, y]]);
        let places = corners.into_iter().chain(horizontal).chain(vertical);
        places.map(|[x, y]| Rect { x, y, width, height }).find(|rect| {
            let margin = 5.0;
            self.is_free(&Rect {
                x: rect.x - margin,
                y: rect.y - margin,
                width: width + 2.0 * margin,
                height: height + 2.0 * margin,
            })
        })
    }

    /// A free place anywhere, searched from the lower left corner.
    pub(crate) fn free_anywhere(&self, width: f64, height: f64) -> Option<Rect> {
        let (left, low) = (self.rect.x + 6.0, self.rect.bottom() - 6.0 - height);
        let columns = ((self.rect.right() - 6.0 - width - left) / 6.0).floor();
        let rows = ((low - self.rect.y - 6.0) / 6.0).floor();
        if columns < 0.0 || rows < 0.0 {
            return None;
        }
        let places = (0..=rows as u32).flat_map(|j| (0..=columns as u32).map(move |i| (i, j)));
        places
            .map(|(i, j)| Rect { x: left + 6.0 * f64::from(i), y: low - 6.0 * f64::from(j), width, height })
            .find(|rect| self.is_free(rect))
    }
}
