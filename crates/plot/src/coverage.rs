//! The area that too many lines or points cover, as horizontal runs of small cells.

use crate::svg::Point;

/// Horizontal lines that, drawn `side` wide, cover what was to be drawn.
pub(crate) struct Runs {
    pub(crate) lines: Vec<Vec<Point>>,
    pub(crate) side: f64,
}

/// Leftmost, rightmost, highest and lowest point.
pub(crate) fn extremes<'a>(points: impl Iterator<Item = &'a Point>) -> Vec<Point> {
    let mut found: Option<[Point; 4]> = None;
    for &point in points {
        let best = found.get_or_insert([point; 4]);
        if point[0] < best[0][0] {
            best[0] = point;
        }
        if point[0] > best[1][0] {
            best[1] = point;
        }
        if point[1] < best[2][1] {
            best[2] = point;
        }
        if point[1] > best[3][1] {
            best[3] = point;
        }
    }
    found.map(Vec::from).unwrap_or_default()
}

/// The area covered by lines, in about `budget` points at most. The segments at the highest and
/// lowest points are kept as they are.
pub(crate) fn of_lines(lines: &[Vec<Point>], budget: usize) -> Runs {
    let bounds = extremes(lines.iter().flatten());
    let mut runs = Runs { lines: Vec::new(), side: 1.0 };
    for side in [1.0, 2.0, 4.0] {
        let Some(mut grid) = Grid::new(&bounds, side) else { return runs };
        grid.take_lines(lines);
        runs = Runs { lines: grid.runs(), side };
        if 2 * runs.lines.len() <= budget {
            break;
        }
    }
    let [_, _, top, bottom] = bounds.as_slice() else { return runs };
    let extreme = |pair: &&[Point]| pair.iter().any(|point| point[1] == top[1] || point[1] == bottom[1]);
    let kept = lines.iter().flat_map(|line| line.windows(2)).filter(extreme).take(8);
    runs.lines.extend(kept.map(<[Point]>::to_vec));
    runs
}

/// The area covered by points, in cells of two pixels.
pub(crate) fn of_points(points: &[Point]) -> Runs {
    let side = 2.0;
    let Some(mut grid) = Grid::new(&extremes(points.iter()), side) else { return Runs { lines: Vec::new(), side } };
    for &point in points {
        grid.take(point);
    }
    Runs { lines: grid.runs(), side }
}

/// Once most cells are passed, and so many segments in a row passed no new one, segments between
/// passed cells are skipped.
const SATURATED: usize = 1000;

/// Cells over the bounds of the points.
struct Grid {
    left: f64,
    right: f64,
    top: f64,
    bottom: f64,
    side: f64,
    width: usize,
    height: usize,
    passed: Vec<bool>,
}

impl Grid {
    /// An empty grid; none without points or over an area far larger than any picture.
    fn new(bounds: &[Point], side: f64) -> Option<Grid> {
        let [a, b, c, d] = bounds else { return None };
        let [left, right, top, bottom] = [a[0], b[0], c[1], d[1]];
        let (width, height) = (((right - left) / side) as usize + 1, ((bottom - top) / side) as usize + 1);
        let cells = width.checked_mul(height).filter(|&cells| cells <= 200_000_000)?;
        Some(Grid { left, right, top, bottom, side, width, height, passed: vec![false; cells] })
    }

    fn index(&self, [x, y]: Point) -> usize {
        let (column, row) = (((x - self.left) / self.side) as usize, ((y - self.top) / self.side) as usize);
        row.min(self.height - 1) * self.width + column.min(self.width - 1)
    }

    /// Marks the cell of a point; whether it is new.
    fn take(&mut self, point: Point) -> bool {
        let index = self.index(point);
        !std::mem::replace(&mut self.passed[index], true)
    }

    fn take_lines(&mut self, lines: &[Vec<Point>]) {
        let (mut idle, mut passed) = (0, 0);
        for pair in lines.iter().flat_map(|line| line.windows(2)) {
            let full = idle > SATURATED && 10 * passed > 7 * self.passed.len();
            if full && self.passed[self.index(pair[0])] && self.passed[self.index(pair[1])] {
                continue;
            }
            idle += 1;
            let step = [pair[1][0] - pair[0][0], pair[1][1] - pair[0][1]];
            let count = (step[0].abs().max(step[1].abs()) / self.side).ceil().max(1.0);
            for i in 0..=count as usize {
                let t = i as f64 / count;
                if self.take([pair[0][0] + t * step[0], pair[0][1] + t * step[1]]) {
                    idle = 0;
                    passed += 1;
                }
            }
        }
    }

    /// The marked cells, row by row, within the bounds of the points.
    fn runs(&self) -> Vec<Vec<Point>> {
        let mut out = Vec::new();
        for (row, cells) in self.passed.chunks(self.width).enumerate() {
            let y = (self.top + (row as f64 + 0.5) * self.side).min(self.bottom);
            let mut column = 0;
            for run in cells.chunk_by(|a, b| a == b) {
                let from = self.left + column as f64 * self.side;
                column += run.len();
                let to = (self.left + column as f64 * self.side).min(self.right);
                if run[0] {
                    out.push(vec![[from, y], [to, y]]);
                }
            }
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_cover_the_cells_and_stay_within_the_bounds() {
        let line = vec![[10.0, 10.0], [50.0, 10.0], [50.0, 30.0], [10.0, 10.0]];
        let runs = of_lines(std::slice::from_ref(&line), 1000);
        assert!(runs.lines.concat().iter().all(|p| (10.0..=50.0).contains(&p[0]) && (10.0..=30.0).contains(&p[1])));
        let covered = |[x, y]: Point| {
            runs.lines.iter().any(|run| run[0][0] <= x + 1.0 && run[1][0] >= x - 1.0 && (run[0][1] - y).abs() <= 1.0)
        };
        assert!(covered([30.0, 10.0]) && covered([50.0, 20.0]) && covered([30.0, 20.0]) && !covered([15.0, 25.0]));
    }

    #[test]
    fn nothing_covers_nothing() {
        assert!(of_lines(&[], 10).lines.is_empty() && of_points(&[]).lines.is_empty());
    }
}
