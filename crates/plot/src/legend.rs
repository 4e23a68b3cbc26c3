//! The legend: its entries, its size, and where it covers no data.

use crate::font::{LINE_HEIGHT, text_width};
use crate::frame::Rect;
use crate::palette::{Dash, Marker};
use crate::shape::{Look, Shape};
use crate::svg::Svg;
use crate::text::shorten;
use crate::theme::Paint;

/// Where the legend of a panel is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Legend {
    /// Inside the frame where it covers no data; if there is no such place, outside.
    #[default]
    Auto,
    /// Above the frame, in rows.
    Above,
    /// To the right of the frame.
    Right,
    /// Below the frame, in rows.
    Below,
    /// Nowhere.
    None,
}

/// How a series looks in the legend.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sample {
    pub(crate) paint: Paint,
    pub(crate) width: f64,
    pub(crate) dash: Option<Dash>,
    pub(crate) marker: Option<Marker>,
    pub(crate) opacity: f64,
}

/// Entries arranged in rows and columns.
#[derive(Clone, Debug)]
pub(crate) struct Block {
    names: Vec<String>,
    columns: usize,
    column_width: f64,
    pub(crate) width: f64,
    pub(crate) height: f64,
}

pub(crate) const SIZE: f64 = 13.0;
const SAMPLE: f64 = 32.0;
const GAP: f64 = 7.0;
const PAD: f64 = 6.0;
const ROW: f64 = SIZE * LINE_HEIGHT + 1.5;

impl Block {
    /// Entries in one column no wider than `width`.
    pub(crate) fn column(names: &[String], width: f64) -> Block {
        Block::arrange(names, width, 1)
    }

    /// Entries in as many columns as `width` holds.
    pub(crate) fn rows(names: &[String], width: f64) -> Block {
        let widest = names.iter().map(|name| text_width(name, SIZE)).fold(0.0, f64::max);
        let columns = ((width - PAD) / (SAMPLE + 3.0 * GAP + widest)).floor().max(1.0) as usize;
        let columns = columns.min(names.len().max(1));
        Block::arrange(names, width, names.len().max(1).div_ceil(names.len().max(1).div_ceil(columns)))
    }

    fn arrange(names: &[String], width: f64, columns: usize) -> Block {
        let room = (width - 2.0 * PAD) / columns as f64 - SAMPLE - 3.0 * GAP;
        let names: Vec<String> = names.iter().map(|name| shorten(name, SIZE, room.max(20.0))).collect();
        let widest = names.iter().map(|name| text_width(name, SIZE)).fold(0.0, f64::max);
        let column_width = SAMPLE + GAP + widest + 2.0 * GAP;
        let rows = names.len().div_ceil(columns);
        Block {
            columns,
            column_width,
            width: column_width * columns as f64 - 2.0 * GAP + 2.0 * PAD,
            height: rows as f64 * ROW + 2.0 * PAD - 2.0,
            names,
        }
    }

    /// Whether all entries are in one row, none of them shortened.
    pub(crate) fn is_one_row(&self) -> bool {
        self.columns == self.names.len() && !self.names.iter().any(|name| name.contains('…'))
    }

    /// Draws the block at a place; `boxed` puts paper and a border under it.
    pub(crate) fn draw(&self, svg: &mut Svg, place: Rect, samples: &[Sample], boxed: bool) {
        let group = svg.element("g").class("legend");
        let rect = format!(
            "{} {} {} {}",
            crate::svg::number(place.x),
            crate::svg::number(place.y),
            crate::svg::number(self.width),
            crate::svg::number(self.height)
        );
        group.attribute("data-box", &rect).attribute("data-inside", if boxed { "true" } else { "false" }).open();
        if boxed {
            svg.element("rect")
                .number("x", place.x)
                .number("y", place.y)
                .number("width", self.width)
                .number("height", self.height)
                .number("rx", 3.0)
                .fill(Paint::Paper)
                .stroke(Paint::Grid, 1.0)
                .close();
        }
        let rows = self.names.len().div_ceil(self.columns);
        for (index, (name, sample)) in self.names.iter().zip(samples).enumerate() {
            let x = place.x + PAD + (index / rows) as f64 * self.column_width;
            let y = place.y + PAD - 1.0 + ((index % rows) as f64 + 0.5) * ROW;
            sample.draw(svg, x, y);
            svg.text([x + SAMPLE + GAP, y + 0.36 * SIZE], SIZE, "start", Paint::Ink, name);
        }
        svg.end("g");
    }
}

impl Sample {
    fn draw(&self, svg: &mut Svg, x: f64, y: f64) {
        if let Some(dash) = self.dash {
            let line = svg.element("line").class("sample").number("x1", x).number("y1", y).number("x2", x + SAMPLE);
            let line = line.number("y2", y).stroke(self.paint, self.width).number("stroke-opacity", self.opacity);
            match dash.array() {
                Some(array) => line.attribute("stroke-dasharray", array).close(),
                None => line.close(),
            }
        }
        if let Some(marker) = self.marker {
            let at = vec![[x + 0.5 * SAMPLE, y]];
            Shape::Markers { at, marker, paint: self.paint, radius: 4.0, opacity: self.opacity, look: Look::Plain }
                .draw(svg);
        }
    }
}
