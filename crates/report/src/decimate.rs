//! Fewer points, with every peak and every gap.
//!
//! The points are cut into buckets of consecutive ones. Of each bucket the first, the last, the
//! lowest, the highest and the lowest positive point are kept, for a curve that turns back also
//! the leftmost and the rightmost, and one point that is not finite where there is one: the
//! picture at the width of the buckets is that of all points, on a linear and on a logarithmic
//! axis.

use crate::series::Series;

/// Indices of the points to keep, in order, at most `limit` if that is at least 8.
pub(crate) fn keep(series: &Series, limit: usize) -> Vec<usize> {
    let points = series.x.len().min(series.y.len());
    let limit = limit.max(8);
    if points <= limit {
        return (0..points).collect();
    }
    let ordered = series.is_ordered();
    let mut buckets = limit / 4;
    loop {
        let kept = with_buckets(series, points, ordered, buckets.max(1));
        if kept.len() <= limit || buckets <= 1 {
            return kept;
        }
        // The number kept is nearly proportional to the number of buckets.
        buckets = (buckets * limit / kept.len()).min(buckets - 1);
    }
}

/// A band of at most `limit` points if that is at least 8: pairs are joined, so that it contains
/// what it did; a gap stays one.
pub(crate) fn band(series: &Series, limit: usize) -> (Vec<f64>, Vec<f64>) {
    let pairs = series.x.len().min(series.y.len()) / 2;
    if 2 * pairs <= limit.max(8) {
        return (series.x[..2 * pairs].to_vec(), series.y[..2 * pairs].to_vec());
    }
    let buckets = limit.max(8) / 4;
    let (mut x, mut y) = (vec![], vec![]);
    for b in 0..buckets {
        let range = pairs * b / buckets..pairs * (b + 1) / buckets;
        if range.is_empty() {
            continue;
        }
        let ends = &series.y[2 * range.start..2 * range.end];
        let low = ends.iter().copied().fold(f64::INFINITY, f64::min);
        let high = ends.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let ends = if low <= high && !ends.iter().any(|y| y.is_nan()) { [low, high] } else { [f64::NAN; 2] };
        // At both ends of the bucket, so that lines to its neighbours do not cut into it.
        for at in [series.x[2 * range.start], series.x[2 * range.end - 1]] {
            x.extend([at; 2]);
            y.extend(ends);
        }
    }
    (x, y)
}

fn with_buckets(series: &Series, points: usize, ordered: bool, buckets: usize) -> Vec<usize> {
    let mut kept = Vec::with_capacity(buckets * 6);
    for b in 0..buckets {
        let range = points * b / buckets..points * (b + 1) / buckets;
        if range.is_empty() {
            continue;
        }
        let start = kept.len();
        let (first, last) = (range.start, range.end - 1);
        let mut chosen = Chosen::default();
        for k in range {
            chosen.see(k, series.x[k], series.y[k], ordered);
        }
        kept.extend([first, last]);
        kept.extend(chosen.indices());
        kept[start..].sort_unstable();
    }
    kept.dedup();
    kept
}

/// The remarkable points of a bucket: index and value.
#[derive(Default)]
struct Chosen {
    lowest: Option<(usize, f64)>,
    highest: Option<(usize, f64)>,
    positive: Option<(usize, f64)>,
    leftmost: Option<(usize, f64)>,
    rightmost: Option<(usize, f64)>,
    gap: Option<usize>,
}

impl Chosen {
    fn see(&mut self, k: usize, x: f64, y: f64, ordered: bool) {
        if !x.is_finite() || !y.is_finite() {
            self.gap.get_or_insert(k);
            return;
        }
        less(&mut self.lowest, k, y);
        less(&mut self.highest, k, -y);
        if y > 0.0 {
            less(&mut self.positive, k, y);
        }
        if !ordered {
            less(&mut self.leftmost, k, x);
            less(&mut self.rightmost, k, -x);
        }
    }

    fn indices(self) -> impl Iterator<Item = usize> {
        [self.lowest, self.highest, self.positive, self.leftmost, self.rightmost]
            .into_iter()
            .map(|found| found.map(|(k, _)| k))
            .chain([self.gap])
            .flatten()
    }
}

fn less(best: &mut Option<(usize, f64)>, k: usize, value: f64) {
    if best.is_none_or(|(_, least)| value < least) {
        *best = Some((k, value));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn value() -> impl Strategy<Value = f64> {
        prop_oneof![8 => -1e3..1e3f64, 1 => Just(f64::NAN), 1 => Just(0.0), 1 => Just(f64::INFINITY)]
    }

    fn extreme(values: impl Iterator<Item = f64>, pick: fn(f64, f64) -> f64) -> Option<f64> {
        values.filter(|v| v.is_finite()).reduce(pick)
    }

    proptest! {
        #[test]
        fn extremes_and_gaps_survive(xs in prop::collection::vec(value(), 1..400), limit in 8usize..100, turn: bool) {
            let y = xs.clone();
            let x = if turn { xs.iter().rev().copied().collect() } else { (0..xs.len()).map(|k| k as f64).collect() };
            let series = Series::line("", x, y);
            let kept = keep(&series, limit);
            prop_assert!(kept.windows(2).all(|pair| pair[0] < pair[1]));
            prop_assert!(kept.len() <= limit.max(8));
            let good = |k: &usize| series.x[*k].is_finite() && series.y[*k].is_finite();
            let all: Vec<usize> = (0..series.x.len()).collect();
            for pick in [f64::min, f64::max] {
                let of = |indices: &[usize]| extreme(indices.iter().filter(|k| good(k)).map(|&k| series.y[k]), pick);
                prop_assert_eq!(of(&kept), of(&all));
            }
            let least = |indices: &[usize]| {
                extreme(indices.iter().filter(|k| good(k)).map(|&k| series.y[k]).filter(|y| *y > 0.0), f64::min)
            };
            prop_assert_eq!(least(&kept), least(&all));
            prop_assert_eq!(all.iter().all(good), kept.iter().all(good));
        }
    }

    #[test]
    fn a_band_contains_what_it_did() {
        let t: Vec<f64> = (0..10_000).map(f64::from).collect();
        let low: Vec<f64> = t.iter().map(|t| if *t == 777.0 { -9.0 } else { -1.0 }).collect();
        let high: Vec<f64> = t.iter().map(|t| if *t == 7777.0 { 9.0 } else { 1.0 }).collect();
        let (x, y) = band(&Series::band("", &t, &low, &high), 400);
        assert!(x.len() == y.len() && x.len() <= 400 && x.len() > 200);
        let around = |at: f64| x.iter().zip(&y).filter(move |(x, _)| (*x - at).abs() < 200.0).map(|(_, y)| *y);
        assert_eq!((around(777.0).fold(0.0, f64::min), around(7777.0).fold(0.0, f64::max)), (-9.0, 9.0));
        assert!(y.chunks(2).all(|pair| pair[0] <= -1.0 && pair[1] >= 1.0));
    }

    #[test]
    fn a_spike_in_a_million_points_is_kept() {
        let mut y = vec![0.0; 1_000_000];
        y[777_777] = 5.0;
        y[123_456] = f64::NAN;
        let series = Series::line("", (0..1_000_000).map(f64::from).collect(), y);
        let kept = keep(&series, 2000);
        assert!(kept.len() <= 2000 && kept.contains(&777_777) && kept.contains(&123_456));
    }
}
