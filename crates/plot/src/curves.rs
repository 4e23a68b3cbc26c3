//! Series as shapes: lines, markers, and marks at the edge.

use crate::axis::Place;
use crate::band;
use crate::coverage::{self, Runs};
use crate::decimate::{self, Orbit};
use crate::frame::Frame;
use crate::legend::Sample;
use crate::palette::{Dash, Marker};
use crate::series::{Kind, Series};
use crate::shape::{Look, Shape};
use crate::survey::Found;
use crate::svg::Point;
use crate::theme::Paint;

/// Series with no more points than this are drawn as they are.
const SPARSE: usize = 2000;
/// Points that the dense series of a panel share.
const BUDGET: usize = 20_000;
/// Points of a series up to which each has its own marker.
const MARKERS: usize = 400;

/// The shapes of all series and their samples for the legend.
pub(crate) fn shapes(series: &[Series], found: &[Found], frame: &Frame) -> (Vec<Shape>, Vec<Sample>) {
    let dense = series.iter().filter(|one| one.x.len() > SPARSE).count().max(1);
    let drawn = Drawer { frame, share: BUDGET / dense, several: series.len() > 1 };
    let (mut lines, mut marks, mut edges, mut samples) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for (index, (one, found)) in series.iter().zip(found).enumerate() {
        samples.push(drawn.series(one, found.ascends, index, &mut lines, &mut marks));
        if found.tally.has_edges() {
            drawn.edges(one, index, &mut edges);
        }
    }
    lines.extend(marks);
    lines.extend(edges);
    (lines, samples)
}

struct Drawer<'a> {
    frame: &'a Frame,
    share: usize,
    several: bool,
}

impl Drawer<'_> {
    fn series(
        &self,
        one: &Series,
        ascends: bool,
        index: usize,
        lines: &mut Vec<Shape>,
        marks: &mut Vec<Shape>,
    ) -> Sample {
        let style = one.style.resolve(index);
        let paint = Paint::Series(style.colour);
        let mut sample = Sample { paint, width: style.width, dash: None, marker: None, opacity: 1.0 };
        if one.kind == Kind::Points {
            sample.marker = Some(style.marker);
            marks.extend(self.scatter(one, paint, style.marker));
            return sample;
        }
        if one.kind == Kind::Band {
            sample.dash = Some(Dash::Solid);
            sample.width = 7.0;
            sample.opacity = crate::shape::OPACITY;
            lines.extend(band::shapes(one, self.frame, paint));
            return sample;
        }
        let (drawn, forced) = self.lines(one, ascends);
        let busy = is_busy(&drawn, self.frame) || (!ascends && winds(&drawn));
        let dash = if busy { one.style.dash.unwrap_or(Dash::Solid) } else { style.dash };
        let width = if busy { one.style.width.map_or(1.1, |_| style.width) } else { style.width };
        let (dash, width) = forced.map_or((dash, width), |width| (Dash::Solid, width));
        sample.dash = Some(dash);
        let count = one.x.len().min(one.y.len());
        let wanted = match one.kind {
            Kind::LinePoints if count <= 80 => count,
            Kind::LinePoints => 14,
            _ if busy && self.several => 9,
            _ => 0,
        };
        if wanted > 0 {
            sample.marker = Some(style.marker);
            let at = self.sample_points(one, ascends, index, wanted);
            let radius = if self.frame.rect.width < 160.0 { 2.8 } else { 3.8 };
            let look = if one.kind == Kind::LinePoints { Look::Plain } else { Look::Rimmed };
            marks.push(Shape::Markers { at, marker: style.marker, paint, radius, opacity: 1.0, look });
        }
        let name = crate::text::clean(&one.name);
        lines.push(Shape::Lines { lines: drawn, paint, width, dash, opacity: 1.0, name });
        sample
    }

    /// The points in order, with the corners of steps.
    fn trace<'b>(&'b self, one: &'b Series) -> impl Iterator<Item = Option<Point>> + 'b {
        let step = one.kind == Kind::Step;
        let mut before: Option<Point> = None;
        one.pairs().flat_map(move |(x, y)| {
            let point = self.frame.point(x, y);
            let corner = match (step, before, point) {
                (true, Some(last), Some(next)) => Some(Some([next[0], last[1]])),
                _ => None,
            };
            before = point;
            corner.into_iter().chain([point])
        })
    }

    /// The lines inside the frame, and their width if it must be a certain one.
    fn lines(&self, one: &Series, ascends: bool) -> (Vec<Vec<Point>>, Option<f64>) {
        let mut trace = self.trace(one);
        if one.x.len() <= SPARSE {
            return (self.frame.clip(decimate::all(&mut trace)), None);
        }
        if ascends && (!self.frame.x_scale.is_log() || one.x.first().is_some_and(|&x| x >= 0.0)) {
            let width = (4.0 * self.frame.rect.width / self.share as f64).max(0.5);
            return (self.frame.clip(decimate::columns(&mut trace, width)), None);
        }
        match decimate::orbit(self.frame.clip(decimate::all(&mut trace)), self.share) {
            Orbit::Lines(lines) => (lines, None),
            Orbit::Area(Runs { lines, side }) => (lines, Some(1.05 * side)),
        }
    }

    fn scatter(&self, one: &Series, paint: Paint, marker: Marker) -> Vec<Shape> {
        let mut at: Vec<Point> = self.trace(one).flatten().filter(|&point| self.frame.contains(point)).collect();
        if one.x.len() <= MARKERS {
            return vec![Shape::Markers { at, marker, paint, radius: 3.8, opacity: 1.0, look: Look::Plain }];
        }
        let mut shapes = Vec::new();
        at = decimate::scattered(at, 0.5);
        if at.len() > self.share / 2 {
            let Runs { lines, side } = coverage::of_points(&at);
            let name = crate::text::clean(&one.name);
            shapes.push(Shape::Lines { lines, paint, width: side, dash: Dash::Solid, opacity: 1.0, name });
            at = coverage::extremes(at.iter());
        }
        shapes.push(Shape::Dots { at, paint, radius: 1.1, opacity: 1.0 });
        shapes
    }

    /// Some of the data points in the frame, spread over the series and staggered by its index.
    fn sample_points(&self, one: &Series, ascends: bool, index: usize, wanted: usize) -> Vec<Point> {
        let count = one.x.len().min(one.y.len());
        let at = |i: usize| {
            let point = self.frame.point(*one.x.get(i)?, *one.y.get(i)?)?;
            self.frame.contains(point).then_some(point)
        };
        if wanted >= count {
            return (0..count).filter_map(at).collect();
        }
        if !ascends {
            return spread(count, index, wanted, at);
        }
        let stagger = (0.15 + index as f64 * 0.382) % 1.0;
        let pick = |k: usize| ((k as f64 + stagger) / wanted as f64 * count as f64) as usize;
        (0..wanted).filter_map(|k| at(pick(k))).collect()
    }

    /// Marks at the edge for values that are infinite, or not positive on a logarithmic axis.
    fn edges(&self, one: &Series, index: usize, shapes: &mut Vec<Shape>) {
        const INSET: f64 = 4.0;
        let paint = Paint::Series(one.style.resolve(index).colour);
        let rect = self.frame.rect;
        let (mut low, mut high, mut side) = (Vec::new(), Vec::new(), Vec::new());
        for (x, y) in one.pairs() {
            let (x, y) = (self.frame.x_scale.place(x), self.frame.y_scale.place(y));
            if matches!((x, y), (Place::At(_), Place::At(_))) {
                continue;
            }
            let across = match x {
                Place::At(at) => self.frame.across(at),
                Place::Infinite { above: true } => rect.right() - INSET,
                Place::NotANumber => continue,
                _ => rect.x + INSET,
            };
            let up = match y {
                Place::At(at) => self.frame.up(at),
                Place::Infinite { above: true } => rect.y + INSET,
                Place::NotANumber => continue,
                _ => rect.bottom() - INSET,
            };
            let point = [across, up];
            if !self.frame.contains(point) {
                continue;
            }
            match (x, y) {
                (Place::At(_), Place::Infinite { above: true }) => push_apart(&mut high, point),
                (Place::At(_), _) => push_apart(&mut low, point),
                _ => push_apart(&mut side, point),
            }
        }
        for (at, marker) in [(low, Marker::Wedge), (high, Marker::Triangle), (side, Marker::Diamond)] {
            if !at.is_empty() {
                shapes.push(Shape::Markers { at, marker, paint, radius: 2.8, opacity: 1.0, look: Look::Hollow });
            }
        }
    }
}

/// Points of a curve that are apart from one another. The indices follow the golden ratio, which
/// keeps no step with the period of an orbit.
fn spread(count: usize, index: usize, wanted: usize, at: impl Fn(usize) -> Option<Point>) -> Vec<Point> {
    let mut out: Vec<Point> = Vec::new();
    for k in 0..12 * wanted {
        let fraction = (0.1 * index as f64 + 0.618_033_988_749_895 * k as f64).fract();
        let Some(point) = at((fraction * count as f64) as usize) else { continue };
        let apart = |other: &Point| (other[0] - point[0]).hypot(other[1] - point[1]) > 30.0;
        if out.len() < wanted && out.iter().all(apart) {
            out.push(point);
        }
    }
    out
}

/// Adds a mark unless it would cover the one before.
fn push_apart(marks: &mut Vec<Point>, [x, y]: Point) {
    let near = |mark: &Point| (mark[0] - x).abs() < 7.0 && (mark[1] - y).abs() < 7.0;
    if marks.len() < 500 && !marks.last().is_some_and(near) {
        marks.push([x, y]);
    }
}

/// Whether lines go up and down so often that gaps of a dash could hide a peak.
fn is_busy(lines: &[Vec<Point>], frame: &Frame) -> bool {
    path_length(lines) > 5.0 * frame.rect.width.max(frame.rect.height)
}

/// Whether a curve goes around more than once, so that dashes would fall on one another: it is
/// then longer than the rectangle around it (both measured along the axes).
fn winds(lines: &[Vec<Point>]) -> bool {
    let mut bounds = [f64::INFINITY, f64::NEG_INFINITY, f64::INFINITY, f64::NEG_INFINITY];
    for [x, y] in lines.iter().flatten() {
        bounds = [bounds[0].min(*x), bounds[1].max(*x), bounds[2].min(*y), bounds[3].max(*y)];
    }
    path_length(lines) > 2.2 * (bounds[1] - bounds[0] + bounds[3] - bounds[2])
}

/// The length of lines, measured along the axes.
fn path_length(lines: &[Vec<Point>]) -> f64 {
    lines
        .iter()
        .flat_map(|line| line.windows(2))
        .map(|pair| (pair[1][0] - pair[0][0]).abs() + (pair[1][1] - pair[0][1]).abs())
        .sum()
}
