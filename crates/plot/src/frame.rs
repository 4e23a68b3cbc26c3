//! The rectangle that data are drawn in, and the map from coordinates to pixels.

use crate::axis::Scale;
use crate::span::Span;
use crate::svg::Point;

/// A rectangle in pixels, y downwards.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Rect {
    pub(crate) x: f64,
    pub(crate) y: f64,
    pub(crate) width: f64,
    pub(crate) height: f64,
}

impl Rect {
    pub(crate) fn right(&self) -> f64 {
        self.x + self.width
    }

    pub(crate) fn bottom(&self) -> f64 {
        self.y + self.height
    }
}

/// A rectangle with the scales and spans of its two axes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Frame {
    pub(crate) rect: Rect,
    pub(crate) x_scale: Scale,
    pub(crate) y_scale: Scale,
    pub(crate) x: Span,
    pub(crate) y: Span,
}

/// Positions far outside the picture are drawn no farther than this.
const FAR: f64 = 1e6;

impl Frame {
    /// The horizontal position of a coordinate.
    pub(crate) fn across(&self, coordinate: f64) -> f64 {
        (self.rect.x + self.x.fraction(coordinate) * self.rect.width).clamp(-FAR, FAR)
    }

    /// The vertical position of a coordinate.
    pub(crate) fn up(&self, coordinate: f64) -> f64 {
        (self.rect.bottom() - self.y.fraction(coordinate) * self.rect.height).clamp(-FAR, FAR)
    }

    /// The position of a pair of values, if both have coordinates.
    pub(crate) fn point(&self, x: f64, y: f64) -> Option<Point> {
        Some([self.across(self.x_scale.coordinate(x)?), self.up(self.y_scale.coordinate(y)?)])
    }

    /// Whether a position lies in the frame, up to a hundredth of a pixel.
    pub(crate) fn contains(&self, [x, y]: Point) -> bool {
        let slack = 0.01;
        x >= self.rect.x - slack
            && x <= self.rect.right() + slack
            && y >= self.rect.y - slack
            && y <= self.rect.bottom() + slack
    }

    /// The parts of the lines inside the frame.
    pub(crate) fn clip(&self, lines: Vec<Vec<Point>>) -> Vec<Vec<Point>> {
        let mut out = Vec::with_capacity(lines.len());
        for line in lines {
            if line.iter().all(|&point| self.contains(point)) {
                out.push(line);
                continue;
            }
            let mut current: Vec<Point> = Vec::new();
            for pair in line.windows(2) {
                let Some((from, to)) = self.clip_segment(pair[0], pair[1]) else { continue };
                if current.last() != Some(&from) {
                    if current.len() > 1 {
                        out.push(std::mem::take(&mut current));
                    }
                    current = vec![from];
                }
                current.push(to);
            }
            if current.len() > 1 {
                out.push(current);
            }
        }
        out
    }

    /// The part of a segment inside the frame (Liang and Barsky).
    fn clip_segment(&self, from: Point, to: Point) -> Option<(Point, Point)> {
        let step = [to[0] - from[0], to[1] - from[1]];
        let (mut enter, mut leave) = (0.0_f64, 1.0_f64);
        let edges = [
            (-step[0], from[0] - self.rect.x),
            (step[0], self.rect.right() - from[0]),
            (-step[1], from[1] - self.rect.y),
            (step[1], self.rect.bottom() - from[1]),
        ];
        for (towards, room) in edges {
            if towards == 0.0 {
                if room < -0.01 {
                    return None;
                }
            } else if towards < 0.0 {
                enter = enter.max(room / towards);
            } else {
                leave = leave.min(room / towards);
            }
        }
        let at = |t: f64| [from[0] + t * step[0], from[1] + t * step[1]];
        let start = if enter <= 0.0 { from } else { at(enter) };
        let end = if leave >= 1.0 { to } else { at(leave) };
        (enter <= leave).then_some((start, end))
    }
}
