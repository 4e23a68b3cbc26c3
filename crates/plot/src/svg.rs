//! A small SVG writer: elements with attributes, paints, text and paths.
//!
//! Coordinates are rounded to hundredths of a pixel. Colours are plain attributes, so that any
//! renderer shows the light theme; classes let a style sheet override them.

use crate::font::{SUPERSCRIPT, is_superscript};
use crate::theme::{Paint, hex};

/// A point of the picture, in pixels.
pub(crate) type Point = [f64; 2];

/// The text of a picture under construction.
pub(crate) struct Svg {
    out: String,
    dark: bool,
    classes: bool,
    only_drawable: bool,
}

/// An element whose attributes are being written.
pub(crate) struct Element<'a> {
    svg: &'a mut Svg,
    name: &'static str,
    class: String,
}

impl Svg {
    /// An empty picture. `classes` are written for a style sheet; with `only_drawable`,
    /// characters that the embedded font lacks are replaced by a box.
    pub(crate) fn new(dark: bool, classes: bool, only_drawable: bool) -> Self {
        Svg { out: String::new(), dark, classes, only_drawable }
    }

    /// Begins an element.
    pub(crate) fn element(&mut self, name: &'static str) -> Element<'_> {
        self.out.push('<');
        self.out.push_str(name);
        Element { svg: self, name, class: String::new() }
    }

    /// Ends the element opened last.
    pub(crate) fn end(&mut self, name: &str) {
        self.out.push_str("</");
        self.out.push_str(name);
        self.out.push_str(">\n");
    }

    /// The finished text.
    pub(crate) fn finish(self) -> String {
        self.out
    }

    /// A horizontal text; `anchor` is `start`, `middle` or `end`.
    pub(crate) fn text(&mut self, [x, y]: Point, size: f64, anchor: &str, paint: Paint, text: &str) {
        self.element("text")
            .number("x", x)
            .number("y", y)
            .number("font-size", size)
            .anchor(anchor)
            .fill(paint)
            .text(text);
    }

    /// A text that reads upwards, centred on the point.
    pub(crate) fn upward_text(&mut self, [x, y]: Point, size: f64, paint: Paint, text: &str) {
        let turn = format!("rotate(-90 {} {})", number(x), number(y));
        self.element("text")
            .number("x", x)
            .number("y", y)
            .number("font-size", size)
            .anchor("middle")
            .attribute("transform", &turn)
            .fill(paint)
            .text(text);
    }

    /// A straight line.
    pub(crate) fn line(&mut self, class: &str, [x1, y1]: Point, [x2, y2]: Point, paint: Paint, width: f64) {
        self.element("line")
            .class(class)
            .number("x1", x1)
            .number("y1", y1)
            .number("x2", x2)
            .number("y2", y2)
            .stroke(paint, width)
            .close();
    }
}

impl Element<'_> {
    /// An attribute with any text.
    pub(crate) fn attribute(self, name: &str, value: &str) -> Self {
        self.svg.out.push(' ');
        self.svg.out.push_str(name);
        self.svg.out.push_str("=\"");
        escape(value, &mut self.svg.out);
        self.svg.out.push('"');
        self
    }

    /// A length or coordinate.
    pub(crate) fn number(self, name: &str, value: f64) -> Self {
        self.attribute(name, &number(value))
    }

    /// A class of the element.
    pub(crate) fn class(mut self, class: &str) -> Self {
        if !class.is_empty() {
            if !self.class.is_empty() {
                self.class.push(' ');
            }
            self.class.push_str(class);
        }
        self
    }

    fn anchor(self, anchor: &str) -> Self {
        if anchor == "start" { self } else { self.attribute("text-anchor", anchor) }
    }

    /// Fills with the paint.
    pub(crate) fn fill(self, paint: Paint) -> Self {
        self.paint("fill", "f-", paint)
    }

    /// Strokes with the paint and width.
    pub(crate) fn stroke(self, paint: Paint, width: f64) -> Self {
        self.paint("stroke", "k-", paint).number("stroke-width", width)
    }

    fn paint(self, name: &str, prefix: &str, paint: Paint) -> Self {
        let colour = hex(paint.colour(self.svg.dark));
        let class = match paint.role() {
            Some(role) if self.svg.classes => format!("{prefix}{role}"),
            _ => String::new(),
        };
        self.attribute(name, &colour).class(&class)
    }

    fn write_class(mut self) -> Self {
        let class = std::mem::take(&mut self.class);
        if class.is_empty() { self } else { self.attribute("class", &class) }
    }

    /// Ends an element without content.
    pub(crate) fn close(self) {
        self.write_class().svg.out.push_str("/>\n");
    }

    /// Opens the element for content; [`Svg::end`] closes it.
    pub(crate) fn open(self) {
        self.write_class().svg.out.push_str(">\n");
    }

    /// Ends an element whose content is a text.
    pub(crate) fn text(self, text: &str) {
        let element = self.write_class();
        element.svg.out.push('>');
        let drawable = if element.svg.only_drawable { crate::text::drawable(text) } else { text.to_owned() };
        if element.name == "text" {
            with_superscripts(&drawable, &mut element.svg.out);
        } else {
            escape(&drawable, &mut element.svg.out);
        }
        element.svg.end(element.name);
    }

    /// Ends an element whose content is a `<title>`, shown by viewers as a tip.
    pub(crate) fn titled(self, title: &str) {
        let element = self.write_class();
        element.svg.out.push('>');
        element.svg.out.push_str("<title>");
        escape(title, &mut element.svg.out);
        element.svg.out.push_str("</title>");
        element.svg.end(element.name);
    }
}

/// The text, escaped, with larger superscripts.
fn with_superscripts(text: &str, out: &mut String) {
    let characters: Vec<char> = text.chars().collect();
    for run in characters.chunk_by(|&a, &b| is_superscript(a) == is_superscript(b)) {
        let part: String = run.iter().collect();
        if run.first().copied().is_some_and(is_superscript) {
            out.push_str(&format!("<tspan font-size=\"{SUPERSCRIPT}em\">{part}</tspan>"));
        } else {
            escape(&part, out);
        }
    }
}

fn escape(text: &str, out: &mut String) {
    for character in text.chars() {
        match character {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\u{fffe}' | '\u{ffff}' => out.push('\u{fffd}'),
            character if character.is_control() => out.push(' '),
            character if crate::text::turns(character) => out.push('\u{fffd}'),
            character => out.push(character),
        }
    }
}

/// Hundredths of a pixel.
fn hundredths(value: f64) -> i64 {
    if value.is_finite() { (value.clamp(-1e7, 1e7) * 100.0).round() as i64 } else { 0 }
}

fn push_hundredths(value: i64, out: &mut String) {
    let size = value.unsigned_abs();
    if value < 0 {
        out.push('-');
    }
    let (whole, rest) = (size / 100, size % 100);
    if whole > 0 || rest == 0 {
        out.push_str(&whole.to_string());
    }
    if rest > 0 {
        out.push('.');
        out.push(char::from(b'0' + (rest / 10) as u8));
        if rest % 10 > 0 {
            out.push(char::from(b'0' + (rest % 10) as u8));
        }
    }
}

/// A coordinate as text.
pub(crate) fn number(value: f64) -> String {
    let mut out = String::new();
    push_hundredths(hundredths(value), &mut out);
    out
}

/// The `d` attribute of a path: absolute moves and relative lines, exact in hundredths.
#[derive(Default)]
pub(crate) struct Path {
    data: String,
    at: [i64; 2],
    in_line: bool,
}

impl Path {
    /// Moves the pen.
    pub(crate) fn move_to(&mut self, [x, y]: Point) {
        self.at = [hundredths(x), hundredths(y)];
        self.data.push('M');
        push_hundredths(self.at[0], &mut self.data);
        self.separate(self.at[1]);
        self.in_line = false;
    }

    /// Draws a line.
    pub(crate) fn line_to(&mut self, [x, y]: Point) {
        let next = [hundredths(x), hundredths(y)];
        let step = [next[0] - self.at[0], next[1] - self.at[1]];
        self.at = next;
        if self.in_line {
            self.separate(step[0]);
        } else {
            self.data.push('l');
            push_hundredths(step[0], &mut self.data);
            self.in_line = true;
        }
        self.separate(step[1]);
    }

    /// Closes the outline.
    pub(crate) fn close(&mut self) {
        self.data.push('z');
        self.in_line = false;
    }

    fn separate(&mut self, value: i64) {
        if value >= 0 {
            self.data.push(' ');
        }
        push_hundredths(value, &mut self.data);
    }

    /// The path through the points of each line.
    pub(crate) fn of_lines(lines: &[Vec<Point>]) -> Self {
        let mut path = Path::default();
        for line in lines {
            let mut points = line.iter();
            if let Some(&first) = points.next() {
                path.move_to(first);
                points.for_each(|&point| path.line_to(point));
            }
        }
        path
    }

    /// The text of the attribute.
    pub(crate) fn data(&self) -> &str {
        &self.data
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short_and_finite() {
        let written: Vec<_> = [0.0, -0.001, 0.5, -0.5, 12.0, 3.456, 1e300, f64::NAN].map(number).into();
        assert_eq!(written, ["0", "0", ".5", "-.5", "12", "3.46", "10000000", "0"]);
    }

    #[test]
    fn paths_do_not_accumulate_rounding() {
        let line: Vec<Point> = (0..1000).map(|i| [f64::from(i) * 0.333, 1.0]).collect();
        let path = Path::of_lines(&[line]);
        assert_eq!(path.at, [33267, 100]);
        assert!(path.data().starts_with("M0 1l.33 0 .34 0 .33 0"));
    }

    #[test]
    fn text_is_escaped() {
        let mut svg = Svg::new(false, false, false);
        svg.text([0.0, 0.0], 12.0, "start", Paint::Ink, "a<b & \"c\"\u{0}");
        assert!(svg.finish().contains("a&lt;b &amp; &quot;c&quot; </text>"));
        let mut turned = String::new();
        escape("a\u{202e}b\u{2067}c", &mut turned);
        assert_eq!(turned, "a\u{fffd}b\u{fffd}c");
    }
}
