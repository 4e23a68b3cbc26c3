//! From a figure to SVG text.

use crate::axes::Axes;
use crate::figure::Figure;
use crate::font::{FAMILIES, LINE_HEIGHT, text_width};
use crate::frame::{Frame, Rect};
use crate::layout::{self, Layout, Placed, TITLE_SIZE};
use crate::legend::{self, Block, Legend, Sample};
use crate::occupancy::Occupancy;
use crate::panel::Content;
use crate::shape::Shape;
use crate::sketch::Sketch;
use crate::slopes::{self, Triangle};
use crate::summary;
use crate::survey::Survey;
use crate::svg::{Svg, number};
use crate::text::{clean, wrap};
use crate::theme::{Paint, Theme, dark_style};
use crate::{curves, mosaic, scene};

/// What is drawn in one frame.
struct Drawing {
    shapes: Vec<Shape>,
    samples: Vec<Sample>,
    legend: Option<(Block, Rect)>,
    slopes: Vec<Triangle>,
}

/// The SVG text of a figure; with `only_drawable`, all text is in the embedded font.
pub(crate) fn render(figure: &Figure, theme: Theme, only_drawable: bool) -> String {
    let mut sketches = sketches(figure);
    let (layout, drawings) = settle(figure, &mut sketches, !only_drawable);
    let mut svg = Svg::new(theme == Theme::Dark, theme == Theme::Auto, only_drawable);
    let (width, height) = (number(layout.width), number(layout.height));
    svg.element("svg")
        .attribute("xmlns", "http://www.w3.org/2000/svg")
        .attribute("width", &width)
        .attribute("height", &height)
        .attribute("viewBox", &format!("0 0 {width} {height}"))
        .attribute("role", "img")
        .attribute("font-family", FAMILIES)
        .open();
    let title = clean(&figure.title);
    svg.element("title").text(if title.is_empty() { "Figure" } else { &title });
    svg.element("desc").text(&summary::of(figure, &sketches));
    if theme == Theme::Auto {
        svg.element("style").text(&dark_style());
    }
    svg.element("rect").number("width", layout.width).number("height", layout.height).fill(Paint::Paper).close();
    let mut y = 8.0;
    for line in &layout.title {
        y += TITLE_SIZE * LINE_HEIGHT;
        svg.text([0.5 * layout.width, y - 4.0], TITLE_SIZE, "middle", Paint::Ink, line);
    }
    if sketches.is_empty() {
        svg.text([0.5 * layout.width, 0.5 * layout.height + 10.0], 14.0, "middle", Paint::Muted, "no panels");
    }
    for ((sketch, placed), drawing) in sketches.iter().zip(&layout.placed).zip(&drawings) {
        draw_panel(&mut svg, sketch, placed, drawing);
    }
    svg.end("svg");
    svg.finish()
}

/// Sketches of all panels; those below one another may share the extent of x.
fn sketches(figure: &Figure) -> Vec<Sketch<'_>> {
    let mut surveys: Vec<Survey> = figure.panels.iter().map(Survey::of).collect();
    if figure.share_x {
        let columns = layout::columns(figure);
        for index in 0..surveys.len() {
            let alike = |other: &usize| {
                other % columns == index % columns && figure.panels[*other].x.scale == figure.panels[index].x.scale
            };
            let others: Vec<usize> = (0..surveys.len()).filter(alike).collect();
            let margin = others.iter().map(|&other| surveys[other].margins[0]).fold(0.0, f64::max);
            for other in others {
                let extent = surveys[other].x;
                surveys[index].x.merge(extent);
            }
            surveys[index].margins[0] = margin;
        }
    }
    figure.panels.iter().zip(surveys).map(|(panel, survey)| Sketch::new(panel, survey)).collect()
}

/// Lays out and draws; a legend that finds no place inside moves out, and the rest follows.
fn settle(figure: &Figure, sketches: &mut [Sketch<'_>], pixels: bool) -> (Layout, Vec<Drawing>) {
    loop {
        let layout = layout::layout(figure, sketches);
        let mut moved = false;
        let mut drawings = Vec::new();
        for (sketch, placed) in sketches.iter_mut().zip(&layout.placed) {
            let drawing = draw(sketch, &placed.frame, pixels);
            if sketch.legend == Legend::Auto && drawing.legend.is_none() {
                sketch.legend = outside(&sketch.names(), placed.frame.rect);
                moved = true;
            }
            drawings.push(drawing);
        }
        if !moved {
            return (layout, drawings);
        }
    }
}

/// The place for a legend that would cover data inside the frame.
fn outside(names: &[String], frame: Rect) -> Legend {
    let widest = names.iter().map(|name| text_width(name, legend::SIZE)).fold(0.0, f64::max);
    if Block::rows(names, frame.width).is_one_row() {
        Legend::Above
    } else if widest < 0.22 * frame.width && Block::column(names, frame.width).height <= frame.height + 8.0 {
        Legend::Right
    } else {
        Legend::Below
    }
}

fn draw(sketch: &Sketch<'_>, frame: &Frame, pixels: bool) -> Drawing {
    let (mut shapes, samples, slopes) = match &sketch.panel.content {
        Content::Curves { series, slopes } => {
            let (shapes, samples) = curves::shapes(series, &sketch.series, frame);
            (shapes, samples, slopes.as_slice())
        }
        Content::Bodies(bodies) => {
            let (shapes, samples) = scene::shapes(bodies, frame);
            (shapes, samples, [].as_slice())
        }
        Content::HeatMap(map) => match &sketch.bar {
            Some(bar) => (mosaic::shapes(map, frame, bar, pixels), Vec::new(), [].as_slice()),
            None => (Vec::new(), Vec::new(), [].as_slice()),
        },
    };
    shapes.retain(|shape| !matches!(shape, Shape::Dots { at, .. } | Shape::Markers { at, .. } if at.is_empty()));
    let samples = sketch.entries.iter().filter_map(|(index, _)| samples.get(*index).copied()).collect();
    let mut taken = Occupancy::of(frame.rect, &shapes);
    if sketch.message.is_some() {
        let (middle, width) = (frame.rect.y + 0.5 * frame.rect.height, frame.rect.width);
        taken.take_rect(Rect { x: frame.rect.x, y: middle - 30.0, width, height: 60.0 });
    }
    let mut inside = None;
    if sketch.legend == Legend::Auto {
        let block = Block::column(&sketch.names(), 0.62 * frame.rect.width);
        if block.height <= 0.6 * frame.rect.height {
            inside = taken.free_place(block.width, block.height).map(|rect| (block, rect));
        }
        if let Some((_, rect)) = &inside {
            taken.take_rect(*rect);
        }
    }
    let slopes = slopes::place(slopes, frame, &mut taken);
    Drawing { shapes, samples, legend: inside, slopes }
}

fn draw_panel(svg: &mut Svg, sketch: &Sketch<'_>, placed: &Placed, drawing: &Drawing) {
    let Placed { frame, axes, left } = placed;
    let rect = frame.rect;
    let span = |log: bool, lo: f64, hi: f64| format!("{} {lo:e} {hi:e}", if log { "log" } else { "linear" });
    svg.element("g")
        .class("panel")
        .attribute("data-frame", &[rect.x, rect.y, rect.width, rect.height].map(number).join(" "))
        .attribute("data-x", &span(frame.x_scale.is_log(), frame.x.lo, frame.x.hi))
        .attribute("data-y", &span(frame.y_scale.is_log(), frame.y.lo, frame.y.hi))
        .open();
    draw_inside(svg, sketch, frame, axes, drawing);
    axes.draw(svg, frame, sketch, *left, &drawing.samples);
    svg.end("g");
}

/// The shapes, cut off at the frame where large points would cover what is around it.
fn draw_shapes(svg: &mut Svg, shapes: &[Shape], rect: Rect) {
    let is_cut = shapes.iter().any(|shape| shape.leaves(rect));
    if is_cut {
        let Rect { x, y, width, height } = rect;
        // Frames of one name are one, also where several pictures are in one page.
        let name = format!("frame-{}", [x, y, width, height].map(number).join("-"));
        svg.element("clipPath").attribute("id", &name).open();
        let area = svg.element("rect").number("x", x).number("y", y);
        area.number("width", width).number("height", height).close();
        svg.end("clipPath");
        svg.element("g").attribute("clip-path", &format!("url(#{name})")).open();
    }
    shapes.iter().for_each(|shape| shape.draw(svg));
    if is_cut {
        svg.end("g");
    }
}

fn draw_inside(svg: &mut Svg, sketch: &Sketch<'_>, frame: &Frame, axes: &Axes, drawing: &Drawing) {
    let rect = frame.rect;
    if sketch.bar.is_none() && sketch.message.is_none() {
        axes.draw_grid(svg, frame);
    }
    drawing.slopes.iter().for_each(|triangle| triangle.draw(svg));
    draw_shapes(svg, &drawing.shapes, rect);
    if let Some((block, place)) = &drawing.legend {
        block.draw(svg, *place, &drawing.samples, true);
    }
    if let Some(message) = &sketch.message {
        let lines = wrap(message, 14.0, rect.width - 16.0, 3);
        let first = rect.y + 0.5 * (rect.height - lines.len() as f64 * 18.0) + 14.0;
        for (i, line) in lines.iter().enumerate() {
            let at = [rect.x + 0.5 * rect.width, first + 18.0 * i as f64];
            svg.text(at, 14.0, "middle", Paint::Muted, line);
        }
    }
}
