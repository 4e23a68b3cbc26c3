//! Bodies as shapes.

use crate::bodies::{Bodies, Joint};
use crate::coverage::Runs;
use crate::decimate::{self, Orbit};
use crate::frame::Frame;
use crate::legend::Sample;
use crate::palette::{Colour, Dash, Marker};
use crate::shape::{Look, Shape};
use crate::svg::Point;
use crate::theme::Paint;

/// The shapes of all snapshots and trails, and samples for the legend.
pub(crate) fn shapes(bodies: &Bodies, frame: &Frame) -> (Vec<Shape>, Vec<Sample>) {
    let mut shapes: Vec<Shape> =
        bodies.trails.iter().enumerate().map(|(i, trail)| trail_shape(bodies, trail, i, frame)).collect();
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

/// The colour of one of a list, or else the usual one.
fn paint(list: &[Option<Colour>], index: usize, usual: Paint) -> Paint {
    list.get(index).copied().flatten().map_or(usual, Paint::Named)
}

/// The width of one of a list, 1 being the usual one.
fn scale(list: &[f64], index: usize) -> f64 {
    list.get(index).copied().filter(|w| w.is_finite()).unwrap_or(1.0).clamp(0.1, 10.0)
}

fn trail_shape(bodies: &Bodies, trail: &[[f64; 2]], index: usize, frame: &Frame) -> Shape {
    let mut trace = trail.iter().map(|[x, y]| frame.point(*x, *y));
    let lines = frame.clip(decimate::all(&mut trace));
    let usual = 1.1 * scale(&bodies.trail_widths, index);
    let (lines, width) = match lines.iter().map(Vec::len).sum::<usize>() {
        0..=2000 => (lines, usual),
        _ => match decimate::orbit(lines, 8000) {
            Orbit::Lines(lines) => (lines, usual),
            Orbit::Area(Runs { lines, side }) => (lines, 1.05 * side),
        },
    };
    let usual = if index == 0 { Paint::Series(1) } else { Paint::Series(3 + index) };
    let paint = paint(&bodies.colours.trails, index, usual);
    Shape::Lines { lines, paint, width, dash: Dash::Solid, opacity: 0.8, name: String::new() }
}

fn draw_snapshot(bodies: &Bodies, points: &[Option<Point>], opacity: f64, frame: &Frame, shapes: &mut Vec<Shape>) {
    let at = |i: usize| points.get(i).copied().flatten();
    for (k, hull) in bodies.hulls.iter().enumerate() {
        let paint = paint(&bodies.colours.hulls, k, Paint::Series(0));
        let Some(outline) = hull.iter().map(|&i| at(i)).collect::<Option<Vec<Point>>>() else { continue };
        let Some(&first) = outline.first() else { continue };
        let mut closed = outline.clone();
        closed.push(first);
        shapes.push(Shape::Area { outline, paint, opacity: 0.25 * opacity });
        shapes.push(rods(vec![closed], 1.4, paint, opacity));
    }
    let usual = if bodies.rods.len() > 40 { 1.6 } else { 2.2 };
    let look = |k: usize| (paint(&bodies.colours.rods, k, Paint::Series(0)), usual * scale(&bodies.widths, k));
    let all: Vec<usize> = (0..bodies.rods.len()).collect();
    for alike in all.chunk_by(|a, b| look(*a) == look(*b)) {
        let segment = |&k: &usize| Some(vec![at(bodies.rods[k].0)?, at(bodies.rods[k].1)?]);
        let (paint, width) = look(alike[0]);
        shapes.push(rods(chained(alike.iter().filter_map(segment).collect()), width, paint, opacity));
    }
    let (mut masses, mut hinges, mut supports) = (Vec::new(), Vec::new(), Vec::new());
    for i in 0..points.len() {
        let Some(point) = at(i) else { continue };
        match bodies.joints.get(i).copied().unwrap_or_default() {
            Joint::Mass(size) => {
                let size = if size.is_finite() { size.clamp(0.05, 10.0) } else { 1.0 };
                masses.push((point, size, paint(&bodies.colours.points, i, Paint::Series(0))));
            }
            Joint::Hinge if points.len() > 60 => {}
            Joint::Hinge => hinges.push((point, paint(&bodies.colours.points, i, Paint::Series(0)))),
            Joint::Support => supports.push(point),
            Joint::Hidden => {}
        }
    }
    let radius = if frame.rect.width < 200.0 { 4.0 } else { 6.0 };
    let crowd = if points.len() > 25 { 0.55 } else { 1.0 };
    for alike in hinges.chunk_by(|a, b| a.1 == b.1) {
        let at = alike.iter().map(|(point, _)| *point).collect();
        shapes.push(Shape::Dots { at, paint: alike[0].1, radius: 2.4 * crowd, opacity });
    }
    masses.sort_by(|a, b| a.1.total_cmp(&b.1));
    for group in masses.chunk_by(|a, b| (a.1, a.2) == (b.1, b.2)) {
        let at: Vec<Point> = group.iter().map(|(point, ..)| *point).collect();
        let (size, paint) = (radius * crowd * group[0].1, group[0].2);
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

fn rods(lines: Vec<Vec<Point>>, width: f64, paint: Paint, opacity: f64) -> Shape {
    Shape::Lines { lines, paint, width, dash: Dash::Solid, opacity, name: String::new() }
}
