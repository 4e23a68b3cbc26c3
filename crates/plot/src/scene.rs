//! Bodies as shapes.

use crate::bodies::{Bodies, Joint};
use crate::coverage::Runs;
use crate::decimate::{self, Orbit};
use crate::frame::Frame;
use crate::legend::Sample;
use crate::palette::{Dash, Marker};
use crate::shape::{Look, Shape};
use crate::svg::Point;
use crate::theme::Paint;

/// The shapes of all snapshots and trails, and samples for the legend.
pub(crate) fn shapes(bodies: &Bodies, frame: &Frame) -> (Vec<Shape>, Vec<Sample>) {
    let mut shapes: Vec<Shape> =
        bodies.trails.iter().enumerate().map(|(i, trail)| trail_shape(trail, i, frame)).collect();
    let mut samples = Vec::new();
    for (index, snapshot) in bodies.snapshots.iter().enumerate() {
        let opacity = bodies.opacity(index);
        let points: Vec<Option<Point>> =
            snapshot.points.iter().map(|[x, y]| frame.point(*x, *y).filter(|&point| frame.contains(point))).collect();
        draw_snapshot(bodies, &points, opacity, frame, &mut shapes);
        let marker = bodies.joints.iter().any(|joint| matches!(joint, Joint::Mass(_))).then_some(Marker::Circle);
        samples.push(Sample { paint: Paint::Series(0), width: 2.2, dash: Some(Dash::Solid), marker, opacity });
    }
    (shapes, samples)
}

fn trail_shape(trail: &[[f64; 2]], index: usize, frame: &Frame) -> Shape {
    let mut trace = trail.iter().map(|[x, y]| frame.point(*x, *y));
    let lines = frame.clip(decimate::all(&mut trace));
    let (lines, width) = match lines.iter().map(Vec::len).sum::<usize>() {
        0..=2000 => (lines, 1.1),
        _ => match decimate::orbit(lines, 8000) {
            Orbit::Lines(lines) => (lines, 1.1),
            Orbit::Area(Runs { lines, side }) => (lines, 1.05 * side),
        },
    };
    let paint = if index == 0 { Paint::Series(1) } else { Paint::Series(3 + index) };
    Shape::Lines { lines, paint, width, dash: Dash::Solid, opacity: 0.8, name: String::new() }
}

fn draw_snapshot(bodies: &Bodies, points: &[Option<Point>], opacity: f64, frame: &Frame, shapes: &mut Vec<Shape>) {
    let at = |i: usize| points.get(i).copied().flatten();
    for hull in &bodies.hulls {
        let Some(outline) = hull.iter().map(|&i| at(i)).collect::<Option<Vec<Point>>>() else { continue };
        let Some(&first) = outline.first() else { continue };
        let mut closed = outline.clone();
        closed.push(first);
        shapes.push(Shape::Area { outline, paint: Paint::Series(0), opacity: 0.25 * opacity });
        shapes.push(rods(vec![closed], 1.4, opacity));
    }
    let segments = bodies.rods.iter().filter_map(|&(i, j)| Some(vec![at(i)?, at(j)?])).collect::<Vec<_>>();
    let crowded = bodies.rods.len() > 40;
    shapes.push(rods(chained(segments), if crowded { 1.6 } else { 2.2 }, opacity));
    let (mut masses, mut hinges, mut supports) = (Vec::new(), Vec::new(), Vec::new());
    for i in 0..points.len() {
        let Some(point) = at(i) else { continue };
        match bodies.joints.get(i).copied().unwrap_or_default() {
            Joint::Mass(size) => masses.push((point, if size.is_finite() { size.clamp(0.2, 4.0) } else { 1.0 })),
            Joint::Hinge if points.len() > 60 => {}
            Joint::Hinge => hinges.push(point),
            Joint::Support => supports.push(point),
            Joint::Hidden => {}
        }
    }
    let radius = if frame.rect.width < 200.0 { 4.0 } else { 6.0 };
    let crowd = if points.len() > 25 { 0.55 } else { 1.0 };
    let paint = Paint::Series(0);
    shapes.push(Shape::Dots { at: hinges, paint, radius: 2.4 * crowd, opacity });
    masses.sort_by(|a, b| a.1.total_cmp(&b.1));
    for group in masses.chunk_by(|a, b| a.1 == b.1) {
        let at: Vec<Point> = group.iter().map(|(point, _)| *point).collect();
        let size = radius * crowd * group[0].1;
        shapes.push(Shape::Dots { at: at.clone(), paint: Paint::Paper, radius: size + 0.8, opacity: 1.0 });
        shapes.push(Shape::Dots { at, paint, radius: size, opacity });
    }
    shapes.push(Shape::Markers {
        at: supports,
        marker: Marker::Square,
        paint: Paint::Ink,
        radius: 4.5,
        opacity: 1.0,
        look: Look::Plain,
    });
}

/// Segments joined where one begins at the end of the one before, so that joins are round.
fn chained(segments: Vec<Vec<Point>>) -> Vec<Vec<Point>> {
    let mut out: Vec<Vec<Point>> = Vec::new();
    for segment in segments {
        match out.last_mut() {
            Some(line) if line.last() == segment.first() => line.extend(segment.into_iter().skip(1)),
            _ => out.push(segment),
        }
    }
    out
}

fn rods(lines: Vec<Vec<Point>>, width: f64, opacity: f64) -> Shape {
    Shape::Lines { lines, paint: Paint::Series(0), width, dash: Dash::Solid, opacity, name: String::new() }
}
