//! Thinning dense series without losing a peak and without inventing one.
//!
//! Two cases. If x never decreases, every column of pixels keeps its first, lowest, highest and
//! last point, in their order ("M4"): no peak is lost, every drawn point is a data point, and the
//! lines between columns are lines of the data. Otherwise (an orbit in phase space) points that
//! stay in one small cell are merged and segments between the same two cells are drawn once; if
//! the orbit still has too many segments, the cells it passes are drawn as runs.

use crate::coverage::{self, Runs, extremes};
use crate::svg::Point;
use std::collections::HashSet;
use std::hash::{BuildHasherDefault, Hasher};

/// Points in drawing order; `None` is a gap.
pub(crate) type Trace<'a> = &'a mut dyn Iterator<Item = Option<Point>>;

/// All points, in lines between the gaps.
pub(crate) fn all(trace: Trace<'_>) -> Vec<Vec<Point>> {
    let mut lines = Lines::default();
    for point in trace {
        match point {
            Some(point) => lines.push(point),
            None => lines.lift(),
        }
    }
    lines.finish()
}

/// First, lowest, highest and last point of every column of the given width; x must not decrease.
///
/// A gap that begins and ends in one column cannot be seen and is closed.
pub(crate) fn columns(trace: Trace<'_>, width: f64) -> Vec<Vec<Point>> {
    let mut lines = Lines::default();
    let mut column: Option<Column> = None;
    let mut gap = false;
    for point in trace {
        let Some(point) = point else {
            gap = true;
            continue;
        };
        let index = (point[0] / width).floor() as i64;
        match &mut column {
            Some(current) if current.index == index => current.include(point),
            _ => {
                if let Some(done) = column.take() {
                    done.write(&mut lines);
                }
                if gap {
                    lines.lift();
                }
                column = Some(Column::new(index, point));
            }
        }
        gap = false;
    }
    if let Some(done) = column {
        done.write(&mut lines);
    }
    lines.finish()
}

/// Lines under construction.
#[derive(Default)]
struct Lines {
    done: Vec<Vec<Point>>,
    current: Vec<Point>,
}

impl Lines {
    fn push(&mut self, point: Point) {
        self.current.push(point);
    }

    fn lift(&mut self) {
        if !self.current.is_empty() {
            self.done.push(std::mem::take(&mut self.current));
        }
    }

    fn finish(mut self) -> Vec<Vec<Point>> {
        self.lift();
        self.done
    }
}

struct Column {
    index: i64,
    count: usize,
    first: Point,
    last: Point,
    low: (usize, Point),
    high: (usize, Point),
}

impl Column {
    fn new(index: i64, point: Point) -> Self {
        Column { index, count: 1, first: point, last: point, low: (0, point), high: (0, point) }
    }

    fn include(&mut self, point: Point) {
        if point[1] < self.low.1[1] {
            self.low = (self.count, point);
        }
        if point[1] > self.high.1[1] {
            self.high = (self.count, point);
        }
        self.last = point;
        self.count += 1;
    }

    fn write(self, lines: &mut Lines) {
        let mut kept = [(0, self.first), self.low, self.high, (self.count - 1, self.last)];
        kept.sort_by_key(|(order, _)| *order);
        let mut before = None;
        for (order, point) in kept {
            if before != Some(order) {
                lines.push(point);
            }
            before = Some(order);
        }
    }
}

/// The side of a cell in which points of an orbit are merged, in pixels.
const CELL: f64 = 0.5;

fn cell(point: Point, side: f64) -> (i32, i32) {
    ((point[0] / side).floor() as i32, (point[1] / side).floor() as i32)
}

/// An orbit, thinned.
pub(crate) enum Orbit {
    /// Lines through points of the orbit.
    Lines(Vec<Vec<Point>>),
    /// The area it covers.
    Area(Runs),
}

/// A quick hash of cells; which cells are seen never depends on it.
#[derive(Default)]
struct CellHasher(u64);

impl Hasher for CellHasher {
    fn finish(&self) -> u64 {
        self.0 ^ (self.0 >> 29)
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&byte| self.write_i32(i32::from(byte)));
    }

    fn write_i32(&mut self, value: i32) {
        self.0 = (self.0.rotate_left(23) ^ u64::from(value.cast_unsigned())).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }
}

type Seen<T> = HashSet<T, BuildHasherDefault<CellHasher>>;

/// An orbit with at most about `budget` points, or the area it covers; the extreme points are
/// kept exactly.
pub(crate) fn orbit(lines: Vec<Vec<Point>>, budget: usize) -> Orbit {
    let extremes = extremes(lines.iter().flatten());
    let mut seen: Seen<_> = HashSet::default();
    let mut out = Lines::default();
    let mut kept = 0;
    for line in &lines {
        out.lift();
        let mut at: Option<Point> = None;
        for &point in line {
            let must = extremes.contains(&point);
            let Some(before) = at.replace(point) else {
                out.push(point);
                kept += 1;
                continue;
            };
            let (from, to) = (cell(before, CELL), cell(point, CELL));
            if from == to && !must {
                at = Some(before);
                continue;
            }
            let ends = if from < to { (from, to) } else { (to, from) };
            if seen.insert(ends) || must {
                if out.current.is_empty() {
                    out.push(before);
                    kept += 1;
                }
                out.push(point);
                kept += 1;
            } else {
                out.lift();
            }
            if kept > budget {
                return Orbit::Area(coverage::of_lines(&lines, budget));
            }
        }
    }
    Orbit::Lines(out.finish())
}

/// Points of which no two share a cell, with the extreme points.
pub(crate) fn scattered(points: Vec<Point>, side: f64) -> Vec<Point> {
    let extremes = extremes(points.iter());
    let mut seen: Seen<_> = HashSet::default();
    points.into_iter().filter(|point| seen.insert(cell(*point, side)) || extremes.contains(point)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_single_spike_in_a_million_points_survives() {
        let spike = 654_321;
        let mut trace = (0..1_000_000).map(|i| Some([f64::from(i) * 5e-4, if i == spike { 3.0 } else { 200.0 }]));
        let lines = columns(&mut trace, 0.5);
        let points: Vec<_> = lines.concat();
        assert!(points.contains(&[f64::from(spike) * 5e-4, 3.0]));
        assert!(points.len() < 4100);
    }

    #[test]
    fn an_orbit_that_repeats_is_drawn_once() {
        let mut trace = (0..1_000_000).map(|i| {
            let angle = f64::from(i) * 0.01;
            Some([200.0 + 150.0 * angle.cos(), 200.0 + 100.0 * angle.sin()])
        });
        let Orbit::Lines(lines) = orbit(all(&mut trace), 30_000) else { panic!("too many points") };
        assert!(lines.concat().len() < 12_000, "{}", lines.concat().len());
    }

    #[test]
    fn a_chaotic_orbit_is_drawn_within_its_bounds() {
        let mut state = 1_u64;
        let mut random = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 40) as f64 / 16_777_216.0
        };
        let mut trace = (0..100_000).map(|_| Some([10.0 + 300.0 * random(), 10.0 + 200.0 * random()]));
        let Orbit::Area(runs) = orbit(all(&mut trace), 20_000) else { panic!("too many lines") };
        let points = runs.lines.concat();
        assert!(points.len() <= 20_100, "{}", points.len());
        assert!(points.iter().all(|p| (10.0..=310.0).contains(&p[0]) && (10.0..=210.0).contains(&p[1])));
    }

    proptest! {
        #[test]
        fn columns_keep_extremes_and_order(ys in prop::collection::vec(prop::option::weighted(0.9, -50.0..50.0_f64), 1..400)) {
            let trace: Vec<_> = ys.iter().enumerate().map(|(i, y)| y.map(|y| [i as f64 * 0.1, y])).collect();
            let kept = columns(&mut trace.iter().copied(), 1.0).concat();
            let data: Vec<Point> = trace.into_iter().flatten().collect();
            prop_assert!(kept.iter().all(|point| data.contains(point)));
            prop_assert!(kept.windows(2).all(|pair| pair[0][0] <= pair[1][0]));
            for column in 0..40 {
                let inside = |p: &&Point| p[0].floor() as i32 == column;
                let low = |points: &[Point]| points.iter().filter(inside).map(|p| p[1]).fold(f64::INFINITY, f64::min);
                let high = |points: &[Point]| points.iter().filter(inside).map(|p| p[1]).fold(f64::NEG_INFINITY, f64::max);
                prop_assert_eq!((low(&kept), high(&kept)), (low(&data), high(&data)));
            }
        }
    }
}
