//! Bands as shapes: an area with its edges.

use crate::frame::Frame;
use crate::series::Series;
use crate::shape::Shape;
use crate::svg::Point;
use crate::text::clean;
use crate::theme::Paint;

/// Columns of this many pixels have one lower and one upper end.
const COLUMN: f64 = 0.5;

/// Lower and upper ends from left to right.
#[derive(Default)]
struct Ends {
    low: Vec<Point>,
    high: Vec<Point>,
}

/// One area for each stretch without a gap.
pub(crate) fn shapes(series: &Series, frame: &Frame, paint: Paint) -> Vec<Shape> {
    let pairs: Vec<(f64, f64)> = series.pairs().collect();
    let (mut stretches, mut current) = (vec![], Ends::default());
    for pair in pairs.chunks(2) {
        let [(x, a), (_, b)] = pair else { continue };
        match (frame.point(*x, *a), frame.point(*x, *b)) {
            (Some(a), Some(b)) => current.push(a, b),
            _ => stretches.push(std::mem::take(&mut current)),
        }
    }
    stretches.push(current);
    let inside = |[x, y]: Point| {
        let r = frame.rect;
        [x.clamp(r.x, r.right()), y.clamp(r.y, r.bottom())]
    };
    let mut shapes = vec![];
    for Ends { low, high } in stretches.into_iter().filter(|s| !s.low.is_empty()) {
        let outline: Vec<Point> = high.iter().chain(low.iter().rev()).map(|&p| inside(p)).collect();
        let edges = frame.clip(vec![high, low]);
        shapes.push(Shape::Band { outline, edges, paint, name: clean(&series.name) });
    }
    shapes
}

impl Ends {
    fn push(&mut self, a: Point, b: Point) {
        let (low, high) = if a[1] >= b[1] { (a, b) } else { (b, a) };
        let column = |x: f64| (x / COLUMN).floor();
        match (self.low.last_mut(), self.high.last_mut()) {
            (Some(l), Some(h)) if column(l[0]) == column(low[0]) => {
                l[1] = l[1].max(low[1]);
                h[1] = h[1].min(high[1]);
            }
            _ => {
                self.low.push(low);
                self.high.push(high);
            }
        }
    }
}
