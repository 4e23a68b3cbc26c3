//! Reads a figure back from its SVG text.
#![allow(dead_code)]

use cotangent_plot::text_width;
use roxmltree::{Document, Node};

/// A rectangle: left, top, right, bottom.
pub(crate) type Bounds = [f64; 4];

/// An axis as written in the figure.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Axis {
    pub(crate) log: bool,
    pub(crate) lo: f64,
    pub(crate) hi: f64,
}

impl Axis {
    fn parse(text: &str) -> Axis {
        let mut parts = text.split(' ');
        let log = parts.next() == Some("log");
        let mut number = || parts.next().unwrap().parse().unwrap();
        Axis { log, lo: number(), hi: number() }
    }

    /// The coordinate (value or decimal logarithm) at a fraction of the axis.
    pub(crate) fn at(&self, fraction: f64) -> f64 {
        self.lo + fraction * (self.hi - self.lo)
    }
}

/// A panel read back.
#[derive(Debug)]
pub(crate) struct Panel {
    pub(crate) frame: Bounds,
    pub(crate) x: Axis,
    pub(crate) y: Axis,
    /// All points of lines and dots of series, in pixels.
    pub(crate) drawn: Vec<[f64; 2]>,
    /// Lines of series, in pixels.
    pub(crate) lines: Vec<Vec<[f64; 2]>>,
    pub(crate) markers: Vec<[f64; 2]>,
    pub(crate) edges: usize,
    pub(crate) legend: Option<(Bounds, bool)>,
    pub(crate) ticks: Vec<[f64; 2]>,
}

/// A text with its rectangle.
#[derive(Debug)]
pub(crate) struct Text {
    pub(crate) text: String,
    pub(crate) bounds: Bounds,
}

/// A figure read back.
#[derive(Debug)]
pub(crate) struct Figure {
    pub(crate) width: f64,
    pub(crate) height: f64,
    pub(crate) panels: Vec<Panel>,
    pub(crate) texts: Vec<Text>,
    pub(crate) description: String,
}

impl Figure {
    pub(crate) fn says(&self, part: &str) -> bool {
        self.texts.iter().any(|text| text.text.contains(part))
    }
}

fn number(node: Node<'_, '_>, name: &str) -> f64 {
    node.attribute(name).unwrap_or("0").parse().unwrap_or_else(|_| panic!("{name}: {:?}", node.attribute(name)))
}

fn numbers(text: &str) -> Vec<f64> {
    text.split(' ').map(|part| part.parse().unwrap()).collect()
}

/// The lines of a path of absolute moves and relative lines.
pub(crate) fn path(data: &str) -> Vec<Vec<[f64; 2]>> {
    let mut lines: Vec<Vec<[f64; 2]>> = Vec::new();
    let mut command = ' ';
    let mut pending: Vec<f64> = Vec::new();
    let mut token = String::new();
    let mut at = [0.0, 0.0];
    let mut flush = |token: &mut String, command: char, lines: &mut Vec<Vec<[f64; 2]>>| {
        if token.is_empty() {
            return;
        }
        pending.push(token.parse().unwrap_or_else(|_| panic!("{token}")));
        token.clear();
        if pending.len() == 2 {
            match command {
                'M' => {
                    at = [pending[0], pending[1]];
                    lines.push(vec![at]);
                }
                'l' => {
                    at = [at[0] + pending[0], at[1] + pending[1]];
                    lines.last_mut().unwrap().push(at);
                }
                other => panic!("{other}"),
            }
            pending.clear();
        }
    };
    for character in data.chars() {
        match character {
            'M' | 'l' | 'z' => {
                flush(&mut token, command, &mut lines);
                command = character;
            }
            ' ' => flush(&mut token, command, &mut lines),
            '-' => {
                flush(&mut token, command, &mut lines);
                token.push('-');
            }
            character => token.push(character),
        }
    }
    flush(&mut token, command, &mut lines);
    lines
}

fn text_bounds(node: Node<'_, '_>, text: &str) -> Bounds {
    let (x, y, size) = (number(node, "x"), number(node, "y"), number(node, "font-size"));
    let width = text_width(text, size);
    let shift = match node.attribute("text-anchor") {
        Some("middle") => -0.5,
        Some("end") => -1.0,
        _ => 0.0,
    };
    let (start, end) = (shift * width, (shift + 1.0) * width);
    let (above, below) = (-0.76 * size, 0.12 * size);
    if node.attribute("transform").is_some() {
        [x + above, y - end, x + below, y - start]
    } else {
        [x + start, y + above, x + end, y + below]
    }
}

fn panel(node: Node<'_, '_>) -> Panel {
    let frame = numbers(node.attribute("data-frame").unwrap());
    let mut out = Panel {
        frame: [frame[0], frame[1], frame[0] + frame[2], frame[1] + frame[3]],
        x: Axis::parse(node.attribute("data-x").unwrap()),
        y: Axis::parse(node.attribute("data-y").unwrap()),
        drawn: Vec::new(),
        lines: Vec::new(),
        markers: Vec::new(),
        edges: 0,
        legend: None,
        ticks: Vec::new(),
    };
    for child in node.descendants() {
        let in_legend = child.ancestors().any(|ancestor| ancestor.attribute("class") == Some("legend"));
        let first = child.attribute("class").and_then(|class| class.split(' ').next()).unwrap_or("");
        match first {
            "legend" => {
                let place = numbers(child.attribute("data-box").unwrap());
                let bounds = [place[0], place[1], place[0] + place[2], place[1] + place[3]];
                out.legend = Some((bounds, child.attribute("data-inside") == Some("true")));
            }
            _ if in_legend => {}
            "series" | "series-dot" => {
                let lines = path(child.attribute("d").unwrap());
                out.drawn.extend(lines.iter().flatten());
                out.lines.extend(lines);
            }
            "marker" => out.markers.extend(path(child.attribute("d").unwrap()).concat()),
            "edge" => out.edges += path(child.attribute("d").unwrap()).len(),
            "major" => out.ticks.push([number(child, "x1"), number(child, "y1")]),
            _ => {}
        }
    }
    out
}

/// Reads SVG text.
pub(crate) fn read(svg: &str) -> Figure {
    let document = Document::parse(svg).unwrap();
    let root = document.root_element();
    let view = numbers(root.attribute("viewBox").unwrap());
    let tag = |name: &'static str| root.descendants().filter(move |node| node.has_tag_name(name));
    let texts = tag("text").map(|node| {
        let text: String = node.descendants().filter(Node::is_text).filter_map(|part| part.text()).collect();
        Text { bounds: text_bounds(node, &text), text }
    });
    Figure {
        width: view[2],
        height: view[3],
        panels: root.descendants().filter(|node| node.attribute("class") == Some("panel")).map(panel).collect(),
        texts: texts.collect(),
        description: tag("desc").next().and_then(|node| node.text()).unwrap_or("").to_owned(),
    }
}

fn overlap(a: &Bounds, b: &Bounds) -> bool {
    a[0] < b[2] && b[0] < a[2] && a[1] < b[3] && b[1] < a[3]
}

/// Nothing is clipped, no two texts overlap, ticks are on their axes, no legend covers data.
pub(crate) fn check(svg: &str) -> Figure {
    let figure = read(svg);
    let inside = |[left, top, right, bottom]: Bounds| {
        left >= 0.0 && top >= 0.0 && right <= figure.width && bottom <= figure.height
    };
    let texts: Vec<&Text> = figure.texts.iter().filter(|text| !text.text.is_empty()).collect();
    for (i, text) in texts.iter().enumerate() {
        assert!(inside(text.bounds), "clipped: {text:?} in {} × {}", figure.width, figure.height);
        for other in &texts[..i] {
            assert!(!overlap(&text.bounds, &other.bounds), "{text:?} overlaps {other:?}");
        }
    }
    for panel in &figure.panels {
        let [left, top, right, bottom] = panel.frame;
        assert!(inside(panel.frame), "{:?}", panel.frame);
        for [x, y] in panel.drawn.iter().chain(&panel.markers) {
            let slack = if panel.markers.is_empty() { 0.03 } else { 6.0 };
            assert!(*x >= left - slack && *x <= right + slack && *y >= top - slack && *y <= bottom + slack, "{x} {y}");
        }
        for [x, y] in &panel.ticks {
            assert!(*x >= left - 0.02 && *y >= top - 0.02 && *y <= bottom + 0.02, "{x} {y} {:?}", panel.frame);
        }
        if let Some((place, within)) = panel.legend {
            assert!(inside(place), "{place:?}");
            for [x, y] in panel.drawn.iter().chain(&panel.markers).filter(|_| within) {
                assert!(!overlap(&place, &[*x, *y, *x, *y]), "{x} {y} under {place:?}");
            }
            for pair in panel.lines.iter().flat_map(|line| line.windows(2)).filter(|_| within) {
                for i in 1..20 {
                    let t = f64::from(i) / 20.0;
                    let [x, y] = [0, 1].map(|k| pair[0][k] + t * (pair[1][k] - pair[0][k]));
                    assert!(!overlap(&place, &[x, y, x, y]), "a line passes under {place:?}");
                }
            }
            assert!(within || !overlap(&place, &panel.frame), "{place:?} {:?}", panel.frame);
        }
    }
    figure
}

/// The bounds of what is drawn, as coordinates on the axes: x from and to, y from and to.
pub(crate) fn extremes(panel: &Panel) -> [f64; 4] {
    let [left, top, right, bottom] = panel.frame;
    let mut out = [f64::INFINITY, f64::NEG_INFINITY, f64::INFINITY, f64::NEG_INFINITY];
    for [px, py] in &panel.drawn {
        let x = panel.x.at((px - left) / (right - left));
        let y = panel.y.at((bottom - py) / (bottom - top));
        out = [out[0].min(x), out[1].max(x), out[2].min(y), out[3].max(y)];
    }
    out
}

/// The size of three hundredths of a pixel on both axes.
pub(crate) fn tolerance(panel: &Panel) -> [f64; 2] {
    let [left, top, right, bottom] = panel.frame;
    [0.03 * (panel.x.hi - panel.x.lo) / (right - left), 0.03 * (panel.y.hi - panel.y.lo) / (bottom - top)]
}
