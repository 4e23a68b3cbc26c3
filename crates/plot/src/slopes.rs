//! Triangles that show the slope of a power law, placed where there are no data.

use crate::font::text_width;
use crate::frame::Frame;
use crate::occupancy::Occupancy;
use crate::panel::Slope;
use crate::svg::{Path, Point, Svg};
use crate::theme::Paint;

const SIZE: f64 = 12.0;

/// A placed triangle.
pub(crate) struct Triangle {
    corners: [Point; 3],
    label: String,
    label_at: Point,
}

/// Triangles for the slopes in free places of a log–log frame; those without room are left out.
pub(crate) fn place(slopes: &[Slope], frame: &Frame, taken: &mut Occupancy) -> Vec<Triangle> {
    if !frame.x_scale.is_log() || !frame.y_scale.is_log() {
        return Vec::new();
    }
    let (decade_x, decade_y) = (frame.rect.width / frame.x.width(), frame.rect.height / frame.y.width());
    slopes.iter().filter_map(|slope| one(slope.exponent, decade_x, decade_y, taken)).collect()
}

fn one(exponent: f64, decade_x: f64, decade_y: f64, taken: &mut Occupancy) -> Option<Triangle> {
    if !exponent.is_finite() || exponent == 0.0 {
        return None;
    }
    let label = format!("slope {}", exponent.to_string().replace('-', "−"));
    let steepness = exponent.abs() * decade_y / decade_x;
    for width in [70.0, 55.0, 42.0, 32.0, 24.0, 18.0, 12.0_f64] {
        let height = width * steepness;
        if !(8.0..=130.0).contains(&height) {
            continue;
        }
        let text = text_width(&label, SIZE);
        let falls = exponent < 0.0;
        let reach = if falls { width.max(0.5 * width + 6.0 + text) } else { width + 5.0 + text };
        let Some(rect) = taken.free_anywhere(reach + 8.0, height.max(SIZE) + 10.0) else { continue };
        let (left, top, bottom) = (rect.x + 4.0, rect.bottom() - 5.0 - height, rect.bottom() - 5.0);
        let right = left + width;
        let corners = if falls {
            [[left, top], [right, bottom], [left, bottom]]
        } else {
            [[left, bottom], [right, top], [right, bottom]]
        };
        let label_at = if falls {
            [left + 0.5 * width + 6.0, (top + 0.5 * height).min(bottom - 4.0)]
        } else {
            [right + 5.0, bottom - 2.0]
        };
        taken.take_rect(rect);
        return Some(Triangle { corners, label, label_at });
    }
    None
}

impl Triangle {
    /// Draws the triangle and its label.
    pub(crate) fn draw(&self, svg: &mut Svg) {
        let mut path = Path::default();
        path.move_to(self.corners[0]);
        path.line_to(self.corners[1]);
        path.line_to(self.corners[2]);
        path.close();
        let element = svg.element("path").class("slope").attribute("d", path.data());
        element.attribute("fill", "none").stroke(Paint::Muted, 1.0).attribute("stroke-linejoin", "round").close();
        svg.text(self.label_at, SIZE, "start", Paint::Muted, &self.label);
    }
}
