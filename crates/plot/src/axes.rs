//! Everything around a frame: ticks, labels, titles, notes, the colour bar and an outer legend.

use crate::font::{CAP_HEIGHT, LINE_HEIGHT, text_width};
use crate::frame::{Frame, Rect};
use crate::legend::{Block, Legend, Sample};
use crate::panel::Content;
use crate::sketch::Sketch;
use crate::svg::Svg;
use crate::text::wrap;
use crate::theme::{Paint, hex};
use crate::ticks::{Room, Ticks};

const TICK_SIZE: f64 = 13.0;
const LABEL_SIZE: f64 = 14.0;
const TITLE_SIZE: f64 = 14.5;
const NOTE_SIZE: f64 = 11.5;
const TICK: f64 = 5.0;
const BAR_GAP: f64 = 12.0;
const BAR_WIDTH: f64 = 15.0;
const LEGEND_GAP: f64 = 12.0;

/// Room around a frame.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Margins {
    pub(crate) left: f64,
    pub(crate) right: f64,
    pub(crate) top: f64,
    pub(crate) bottom: f64,
}

impl Margins {
    /// The larger of both on every side.
    pub(crate) fn join(self, other: Margins) -> Margins {
        Margins {
            left: self.left.max(other.left),
            right: self.right.max(other.right),
            top: self.top.max(other.top),
            bottom: self.bottom.max(other.bottom),
        }
    }
}

/// The texts and ticks around one frame, broken into lines.
#[derive(Clone, Debug, Default)]
pub(crate) struct Axes {
    x: Ticks,
    y: Ticks,
    bar: Option<(Ticks, Vec<String>)>,
    title: Vec<String>,
    x_label: Vec<String>,
    y_label: Vec<String>,
    notes: Vec<String>,
    outer: Option<(Block, Legend)>,
    /// Whether the horizontal axis has labels (not if a panel below shares it).
    labels_x: bool,
    /// Width of the cell of the figure in which the frame is.
    width: f64,
}

fn lines_height(lines: &[String], size: f64) -> f64 {
    lines.len() as f64 * size * LINE_HEIGHT
}

impl Axes {
    /// The surroundings of a frame; `width` is that of its cell in the figure.
    pub(crate) fn new(sketch: &Sketch<'_>, frame: &Frame, width: f64, labels_x: bool) -> Self {
        let room = |length, horizontal| Room { length, size: TICK_SIZE, horizontal };
        let x = Ticks::of(frame.x_scale, &frame.x, room(frame.rect.width, true));
        let y = Ticks::of(frame.y_scale, &frame.y, room(frame.rect.height, false));
        let note_width = if x.note.is_empty() { 0.0 } else { text_width(&x.note, TICK_SIZE) + 10.0 };
        let x_room = (frame.rect.width - 2.0 * note_width).max(50.0);
        let outer = match sketch.legend {
            Legend::Right => Some((Block::column(&sketch.names(), (0.36 * width).max(120.0)), Legend::Right)),
            Legend::Below => Some((Block::rows(&sketch.names(), width - 16.0), Legend::Below)),
            Legend::Above => Some((Block::rows(&sketch.names(), frame.rect.width), Legend::Above)),
            _ => None,
        };
        let bar = sketch.bar.as_ref().map(|bar| {
            let ticks = Ticks::of(bar.scale, &bar.span, room(frame.rect.height, false));
            (ticks, wrap(&bar.label, LABEL_SIZE, frame.rect.height.max(80.0), 2))
        });
        Axes {
            x_label: if labels_x { wrap(&sketch.x_label, LABEL_SIZE, x_room, 3) } else { Vec::new() },
            y_label: wrap(&sketch.y_label, LABEL_SIZE, frame.rect.height.max(60.0), 3),
            title: wrap(&sketch.title, TITLE_SIZE, width - 16.0, 3),
            notes: sketch.notes.iter().flat_map(|note| wrap(note, NOTE_SIZE, width - 16.0, 3)).collect(),
            x,
            y,
            bar,
            outer,
            labels_x,
            width,
        }
    }

    /// The room needed around the frame.
    pub(crate) fn margins(&self, frame: &Frame) -> Margins {
        let mut left = TICK + 4.0 + self.y.widest(TICK_SIZE) + 8.0;
        if !self.y_label.is_empty() {
            left += 5.0 + lines_height(&self.y_label, LABEL_SIZE);
        }
        let mut right: f64 = 12.0;
        if self.labels_x {
            for tick in &self.x.major {
                let half = 0.5 * text_width(&tick.label, TICK_SIZE) + 4.0;
                let at = frame.x.fraction(tick.at) * frame.rect.width;
                left = left.max(half - at);
                right = right.max(half - (frame.rect.width - at));
            }
        }
        let mut top = 10.0 + lines_height(&self.title, TITLE_SIZE);
        let factor = &self.y.note;
        if !factor.is_empty() || self.bar.as_ref().is_some_and(|(ticks, _)| !ticks.note.is_empty()) {
            top += TICK_SIZE * LINE_HEIGHT;
            right = right.max(text_width(factor, TICK_SIZE) + 4.0 - frame.rect.width);
        }
        if let Some((ticks, label)) = &self.bar {
            right = right.max(BAR_GAP) + BAR_WIDTH + TICK + 5.0 + ticks.widest(TICK_SIZE) + 10.0;
            right = right.max(BAR_GAP + text_width(&ticks.note, TICK_SIZE) + 8.0);
            right += lines_height(label, LABEL_SIZE);
        }
        let mut bottom = self.below(frame) - frame.rect.bottom() + 8.0;
        bottom += lines_height(&self.notes, NOTE_SIZE) + if self.notes.is_empty() { 0.0 } else { 4.0 };
        match &self.outer {
            Some((block, Legend::Right)) => right += LEGEND_GAP + block.width,
            Some((block, Legend::Above)) => top += block.height,
            Some((block, _)) => bottom += block.height + 4.0,
            None => {}
        }
        Margins { left, right, top, bottom }
    }

    /// Where the labels below the frame end.
    fn below(&self, frame: &Frame) -> f64 {
        if !self.labels_x {
            return frame.rect.bottom() + TICK;
        }
        let rows = self.x_label.len().max(usize::from(!self.x.note.is_empty()));
        frame.rect.bottom() + TICK + 4.0 + TICK_SIZE * 1.1 + 4.0 + rows as f64 * LABEL_SIZE * LINE_HEIGHT
    }

    /// Draws the paper and grid of the frame, to be covered by data.
    pub(crate) fn draw_grid(&self, svg: &mut Svg, frame: &Frame) {
        for tick in &self.x.major {
            let x = frame.across(tick.at);
            svg.line("grid", [x, frame.rect.y], [x, frame.rect.bottom()], Paint::Grid, 1.0);
        }
        for tick in &self.y.major {
            let y = frame.up(tick.at);
            svg.line("grid", [frame.rect.x, y], [frame.rect.right(), y], Paint::Grid, 1.0);
        }
    }

    /// Draws the border, ticks, labels and notes.
    pub(crate) fn draw(&self, svg: &mut Svg, frame: &Frame, sketch: &Sketch<'_>, left: f64, samples: &[Sample]) {
        let rect = frame.rect;
        self.draw_x(svg, frame);
        self.draw_y(svg, frame);
        draw_border(svg, rect);
        let mut y = rect.y - 10.0;
        if !self.y.note.is_empty() || self.bar.as_ref().is_some_and(|(ticks, _)| !ticks.note.is_empty()) {
            svg.text([rect.x, rect.y - 7.0], TICK_SIZE, "start", Paint::Ink, &self.y.note);
            y -= TICK_SIZE * LINE_HEIGHT;
        }
        if let Some((block, Legend::Above)) = &self.outer {
            let place = Rect { x: rect.right() - block.width, y: y - block.height + 9.0, ..rect };
            block.draw(svg, place, samples, false);
            y -= block.height;
        }
        for line in self.title.iter().rev() {
            let start = self.centred(left, rect, text_width(line, TITLE_SIZE));
            svg.text([start, y], TITLE_SIZE, "start", Paint::Ink, line);
            y -= TITLE_SIZE * LINE_HEIGHT;
        }
        let widest = self.y.widest(TICK_SIZE);
        let count = self.y_label.len();
        for (i, line) in self.y_label.iter().enumerate() {
            let back = TICK + 4.0 + widest + 9.0 + (count - 1 - i) as f64 * LABEL_SIZE * LINE_HEIGHT;
            svg.upward_text([rect.x - back, rect.y + 0.5 * rect.height], LABEL_SIZE, Paint::Ink, line);
        }
        if self.bar.is_some() {
            self.draw_bar(svg, frame, sketch);
        }
        let mut y = self.below(frame) + if self.notes.is_empty() { 0.0 } else { 4.0 };
        for note in &self.notes {
            y += NOTE_SIZE * LINE_HEIGHT;
            svg.text([left + 8.0, y - 3.0], NOTE_SIZE, "start", Paint::Muted, note);
        }
        match &self.outer {
            Some((block, Legend::Right)) => {
                let x = rect.right() + self.right_of_frame();
                block.draw(svg, Rect { x, y: rect.y - 4.0, ..rect }, samples, false);
            }
            Some((block, Legend::Below)) => {
                let x = self.centred(left, rect, block.width);
                block.draw(svg, Rect { x, y: y + 4.0, ..rect }, samples, false);
            }
            _ => {}
        }
    }

    /// Where something begins that is centred on the frame, as far as its cell allows.
    fn centred(&self, left: f64, rect: Rect, width: f64) -> f64 {
        let start = rect.x + 0.5 * (rect.width - width);
        start.min(left + self.width - 8.0 - width).max(left + 8.0)
    }

    /// Where an outer legend begins.
    fn right_of_frame(&self) -> f64 {
        let bar = self.bar.as_ref().map_or(0.0, |(ticks, label)| {
            BAR_GAP + BAR_WIDTH + TICK + 15.0 + ticks.widest(TICK_SIZE) + lines_height(label, LABEL_SIZE)
        });
        LEGEND_GAP + bar
    }

    fn draw_x(&self, svg: &mut Svg, frame: &Frame) {
        let rect = frame.rect;
        for &at in &self.x.minor {
            let x = frame.across(at);
            svg.line("minor x", [x, rect.bottom()], [x, rect.bottom() + 0.6 * TICK], Paint::Ink, 0.8);
        }
        let baseline = rect.bottom() + TICK + 4.0 + TICK_SIZE * CAP_HEIGHT + 1.5;
        for tick in &self.x.major {
            let x = frame.across(tick.at);
            svg.line("major x", [x, rect.bottom()], [x, rect.bottom() + TICK], Paint::Ink, 1.0);
            if self.labels_x && !tick.label.is_empty() {
                svg.text([x, baseline], TICK_SIZE, "middle", Paint::Ink, &tick.label);
            }
        }
        if !self.labels_x {
            return;
        }
        let mut y = rect.bottom() + TICK + 4.0 + TICK_SIZE * 1.1 + 4.0 + LABEL_SIZE;
        if !self.x.note.is_empty() {
            svg.text([rect.right(), y], TICK_SIZE, "end", Paint::Ink, &self.x.note);
        }
        for line in &self.x_label {
            svg.text([rect.x + 0.5 * rect.width, y], LABEL_SIZE, "middle", Paint::Ink, line);
            y += LABEL_SIZE * LINE_HEIGHT;
        }
    }

    fn draw_y(&self, svg: &mut Svg, frame: &Frame) {
        let rect = frame.rect;
        for &at in &self.y.minor {
            let y = frame.up(at);
            svg.line("minor y", [rect.x, y], [rect.x - 0.6 * TICK, y], Paint::Ink, 0.8);
        }
        for tick in &self.y.major {
            let y = frame.up(tick.at);
            svg.line("major y", [rect.x, y], [rect.x - TICK, y], Paint::Ink, 1.0);
            if !tick.label.is_empty() {
                let at = [rect.x - TICK - 4.0, y + 0.5 * CAP_HEIGHT * TICK_SIZE];
                svg.text(at, TICK_SIZE, "end", Paint::Ink, &tick.label);
            }
        }
    }

    fn draw_bar(&self, svg: &mut Svg, frame: &Frame, sketch: &Sketch<'_>) {
        let (Some((ticks, label)), Some(bar), Content::HeatMap(map)) = (&self.bar, &sketch.bar, &sketch.panel.content)
        else {
            return;
        };
        let rect = Rect { x: frame.rect.right() + BAR_GAP, width: BAR_WIDTH, ..frame.rect };
        let id = format!("{:?}-{:.0}-{:.0}", map.map, rect.x, rect.y).to_lowercase();
        let defs = svg.element("linearGradient").attribute("id", &id).attribute("x1", "0").attribute("x2", "0");
        defs.attribute("y1", "1").attribute("y2", "0").open();
        for i in 0..=16 {
            let at = f64::from(i) / 16.0;
            let stop = svg.element("stop").attribute("offset", &at.to_string());
            stop.attribute("stop-color", &hex(map.map.colour(at))).close();
        }
        svg.end("linearGradient");
        let strip = svg.element("rect").number("x", rect.x).number("y", rect.y).number("width", rect.width);
        strip.number("height", rect.height).attribute("fill", &format!("url(#{id})")).close();
        draw_border(svg, rect);
        let y_of = |at: f64| rect.bottom() - bar.span.fraction(at) * rect.height;
        for &at in &ticks.minor {
            svg.line("minor bar", [rect.right(), y_of(at)], [rect.right() + 0.6 * TICK, y_of(at)], Paint::Ink, 0.8);
        }
        for tick in &ticks.major {
            let y = y_of(tick.at);
            svg.line("major bar", [rect.right(), y], [rect.right() + TICK, y], Paint::Ink, 1.0);
            if !tick.label.is_empty() {
                let at = [rect.right() + TICK + 4.0, y + 0.5 * CAP_HEIGHT * TICK_SIZE];
                svg.text(at, TICK_SIZE, "start", Paint::Ink, &tick.label);
            }
        }
        svg.text([rect.x, rect.y - 7.0], TICK_SIZE, "start", Paint::Ink, &ticks.note);
        for (i, line) in label.iter().enumerate() {
            let x = rect.right() + TICK + 5.0 + ticks.widest(TICK_SIZE) + LABEL_SIZE * (0.9 + LINE_HEIGHT * i as f64);
            svg.upward_text([x + 3.0, rect.y + 0.5 * rect.height], LABEL_SIZE, Paint::Ink, line);
        }
    }
}

fn draw_border(svg: &mut Svg, rect: Rect) {
    svg.element("rect")
        .class("frame")
        .number("x", rect.x)
        .number("y", rect.y)
        .number("width", rect.width)
        .number("height", rect.height)
        .attribute("fill", "none")
        .stroke(Paint::Ink, 1.0)
        .close();
}
