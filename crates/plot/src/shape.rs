//! What is drawn inside a frame, in pixels.

use crate::frame::Rect;
use crate::palette::{Dash, Marker};
use crate::svg::{Path, Point, Svg};
use crate::theme::Paint;

/// Of the area; its edges are opaque.
pub(crate) const OPACITY: f64 = 0.35;

/// How a marker is set off from what is under it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Look {
    /// Filled.
    Plain,
    /// Filled, with a rim of paper: seen on a dense line.
    Rimmed,
    /// An outline at the edge, for a value that has no place.
    Hollow,
}

/// A drawn part of the data.
pub(crate) enum Shape {
    /// Lines of one series.
    Lines { lines: Vec<Vec<Point>>, paint: Paint, width: f64, dash: Dash, opacity: f64, name: String },
    /// Markers of one series; hollow ones stand at the edge for values that have no place.
    Markers { at: Vec<Point>, marker: Marker, paint: Paint, radius: f64, opacity: f64, look: Look },
    /// Round dots.
    Dots { at: Vec<Point>, paint: Paint, radius: f64, opacity: f64 },
    /// A filled outline.
    Area { outline: Vec<Point>, paint: Paint, opacity: f64 },
    /// An area, the upper edge followed by the lower one backwards, and the parts of its edges
    /// inside the frame.
    Band { outline: Vec<Point>, edges: Vec<Vec<Point>>, paint: Paint, name: String },
    /// Cells of one colour, each a rectangle from the first to the second corner.
    Cells { cells: Vec<[Point; 2]>, colour: [u8; 3] },
    /// Pixels (a PNG file) stretched between two corners.
    Pixels { corners: [Point; 2], png: Vec<u8> },
}

/// The radius of points that are larger than masses usually are.
const LARGE: f64 = 7.0;

impl Shape {
    /// Writes the shape.
    pub(crate) fn draw(&self, svg: &mut Svg) {
        match self {
            Shape::Lines { lines, paint, width, dash, opacity, name } => {
                draw_lines(svg, lines, *paint, *width, *dash, *opacity, name);
            }
            Shape::Markers { at, marker, paint, radius, opacity, look } => {
                draw_markers(svg, at, *marker, *paint, *radius, *opacity, *look);
            }
            Shape::Dots { at, paint, radius, opacity } => dots(svg, "marker", at, *paint, *radius, *opacity),
            Shape::Area { outline, paint, opacity } => {
                let mut path = Path::of_lines(std::slice::from_ref(outline));
                path.close();
                svg.element("path").attribute("d", path.data()).fill(*paint).number("fill-opacity", *opacity).close();
            }
            Shape::Band { outline, edges, paint, name } => {
                let mut path = Path::of_lines(std::slice::from_ref(outline));
                path.close();
                let area = svg.element("path").class("band").attribute("d", path.data()).fill(*paint);
                area.number("fill-opacity", OPACITY).close();
                draw_lines(svg, edges, *paint, 0.9, Dash::Solid, 1.0, name);
            }
            Shape::Cells { cells, colour } => {
                let mut path = Path::default();
                for [[x0, y0], [x1, y1]] in cells {
                    path.move_to([*x0, *y0]);
                    path.line_to([*x1, *y0]);
                    path.line_to([*x1, *y1]);
                    path.line_to([*x0, *y1]);
                    path.close();
                }
                let element = svg.element("path").class("cells").attribute("shape-rendering", "crispEdges");
                element.attribute("d", path.data()).fill(Paint::Fixed(*colour)).close();
            }
            Shape::Pixels { corners: [[x0, y0], [x1, y1]], png } => svg
                .element("image")
                .number("x", *x0)
                .number("y", *y0)
                .number("width", x1 - x0)
                .number("height", y1 - y0)
                .attribute("preserveAspectRatio", "none")
                .attribute("image-rendering", "optimizeSpeed")
                .attribute("style", "image-rendering:pixelated")
                .attribute("href", &format!("data:image/png;base64,{}", base64(png)))
                .close(),
        }
    }

    /// Whether it has points that are larger than usual and reach over the edge of a frame.
    pub(crate) fn leaves(&self, frame: Rect) -> bool {
        let Shape::Dots { at, radius, .. } = self else { return false };
        let inside = |[x, y]: &Point| {
            (frame.x + radius..=frame.x + frame.width - radius).contains(x)
                && (frame.y + radius..=frame.y + frame.height - radius).contains(y)
        };
        *radius > LARGE && !at.iter().all(inside)
    }

    /// Calls `visit` with positions a few pixels apart along everything that is drawn, and with
    /// the radius that is covered around each.
    pub(crate) fn trace(&self, spacing: f64, visit: &mut dyn FnMut(Point, f64)) {
        match self {
            Shape::Lines { lines, width, .. } => {
                for line in lines {
                    if let [only] = line.as_slice() {
                        visit(*only, *width);
                    }
                    for pair in line.windows(2) {
                        let step = [pair[1][0] - pair[0][0], pair[1][1] - pair[0][1]];
                        let count = (step[0].abs().max(step[1].abs()) / spacing).ceil().clamp(1.0, 1e4);
                        for i in 0..=count as usize {
                            let t = i as f64 / count;
                            visit([pair[0][0] + t * step[0], pair[0][1] + t * step[1]], *width);
                        }
                    }
                }
            }
            Shape::Markers { at, radius, .. } | Shape::Dots { at, radius, .. } => {
                at.iter().for_each(|&point| visit(point, *radius + 1.0));
            }
            Shape::Band { outline, .. } => {
                for (a, b) in outline.iter().zip(outline.iter().rev()).take(outline.len() / 2) {
                    let count = ((b[1] - a[1]).abs() / spacing).ceil().clamp(1.0, 1e4);
                    (0..=count as usize).for_each(|i| visit([a[0], a[1] + (b[1] - a[1]) * i as f64 / count], 1.0));
                }
            }
            Shape::Area { .. } | Shape::Cells { .. } | Shape::Pixels { .. } => {}
        }
    }
}

fn draw_lines(svg: &mut Svg, lines: &[Vec<Point>], paint: Paint, width: f64, dash: Dash, opacity: f64, name: &str) {
    // A point alone, or many at one place, would be a line without length.
    let is_alone = |line: &&Vec<Point>| {
        let near = |p: &Point| (p[0] - line[0][0]).abs() < 0.5 && (p[1] - line[0][1]).abs() < 0.5;
        !line.is_empty() && line.iter().all(near)
    };
    let alone: Vec<Point> = lines.iter().filter(is_alone).map(|line| line[0]).collect();
    dots(svg, "series-dot", &alone, paint, width.max(1.7), opacity);
    let joined: Vec<Vec<Point>> = lines.iter().filter(|line| line.len() > 1 && !is_alone(line)).cloned().collect();
    if joined.is_empty() {
        return;
    }
    let path = Path::of_lines(&joined);
    let mut element = svg.element("path").class("series").attribute("d", path.data()).attribute("fill", "none");
    element = element.stroke(paint, width).attribute("stroke-linejoin", "round");
    if let Some(array) = dash.array() {
        element = element.attribute("stroke-dasharray", array);
    }
    if opacity < 1.0 {
        element = element.number("stroke-opacity", opacity);
    }
    if name.is_empty() { element.close() } else { element.titled(name) }
}

/// Dots as lines without length and with round caps.
fn dots(svg: &mut Svg, class: &str, at: &[Point], paint: Paint, radius: f64, opacity: f64) {
    if at.is_empty() {
        return;
    }
    let mut path = Path::default();
    for &point in at {
        path.move_to(point);
        path.line_to(point);
    }
    let element = svg.element("path").class(class).attribute("d", path.data()).attribute("fill", "none");
    let element = element.stroke(paint, 2.0 * radius).attribute("stroke-linecap", "round");
    if opacity < 1.0 { element.number("stroke-opacity", opacity).close() } else { element.close() }
}

fn draw_markers(svg: &mut Svg, at: &[Point], marker: Marker, paint: Paint, radius: f64, opacity: f64, look: Look) {
    if at.is_empty() {
        return;
    }
    if marker == Marker::Circle && look != Look::Hollow {
        if look == Look::Rimmed {
            dots(svg, "rim", at, Paint::Paper, radius + 1.3, opacity);
        }
        dots(svg, "marker", at, paint, radius, opacity);
        return;
    }
    let mut path = Path::default();
    at.iter().for_each(|&centre| add_outline(&mut path, marker, centre, radius));
    let strokes = matches!(marker, Marker::Plus | Marker::Cross);
    if look == Look::Rimmed {
        let rim = svg.element("path").class("rim").attribute("d", path.data()).fill(Paint::Paper);
        rim.stroke(Paint::Paper, if strokes { 4.8 } else { 2.6 }).close();
    }
    let element = svg.element("path").class(if look == Look::Hollow { "edge" } else { "marker" });
    let element = element.attribute("d", path.data());
    let element = match look {
        Look::Hollow => element.fill(Paint::Paper).stroke(paint, 1.1),
        _ if strokes => element.attribute("fill", "none").stroke(paint, 2.2),
        _ => element.fill(paint),
    };
    if opacity < 1.0 { element.number("opacity", opacity).close() } else { element.close() }
}

/// The outline of a marker with the area of a disc of the given radius, roughly.
fn add_outline(path: &mut Path, marker: Marker, [x, y]: Point, radius: f64) {
    let mut polygon = |corners: &[Point]| {
        for (i, [dx, dy]) in corners.iter().enumerate() {
            let point = [x + radius * dx, y + radius * dy];
            if i == 0 { path.move_to(point) } else { path.line_to(point) }
        }
    };
    match marker {
        Marker::Circle => {
            let corner = |i: u32| (std::f64::consts::TAU * f64::from(i) / 12.0).sin_cos();
            polygon(&(0..12).map(|i| corner(i).into()).collect::<Vec<Point>>());
        }
        Marker::Square => polygon(&[[-0.88, -0.88], [0.88, -0.88], [0.88, 0.88], [-0.88, 0.88]]),
        Marker::Triangle => polygon(&[[0.0, -1.25], [1.15, 0.8], [-1.15, 0.8]]),
        Marker::Wedge => polygon(&[[0.0, 1.25], [1.15, -0.8], [-1.15, -0.8]]),
        Marker::Diamond => polygon(&[[0.0, -1.3], [1.1, 0.0], [0.0, 1.3], [-1.1, 0.0]]),
        Marker::Plus => {
            polygon(&[[-1.2, 0.0], [1.2, 0.0]]);
            return polygon(&[[0.0, -1.2], [0.0, 1.2]]);
        }
        Marker::Cross => {
            polygon(&[[-0.9, -0.9], [0.9, 0.9]]);
            return polygon(&[[-0.9, 0.9], [0.9, -0.9]]);
        }
    }
    path.close();
}

fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let get = |i: usize| u32::from(chunk.get(i).copied().unwrap_or(0));
        let word = get(0) << 16 | get(1) << 8 | get(2);
        for i in 0..4 {
            let digit = DIGITS[(word >> (18 - 6 * i) & 63) as usize];
            out.push(if i <= chunk.len() { char::from(digit) } else { '=' });
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::base64;

    #[test]
    fn base64_is_padded() {
        assert_eq!(
            [b"".as_slice(), b"f", b"fo", b"foo", b"foob"].map(base64),
            ["", "Zg==", "Zm8=", "Zm9v", "Zm9vYg=="]
        );
    }
}
