//! How far a quantity goes between samples that do not say it themselves.

/// Times with the least and the greatest value around each.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Band {
    pub(crate) low: Vec<f64>,
    pub(crate) high: Vec<f64>,
    /// How many intervals between samples each range is over.
    pub(crate) intervals: usize,
}

/// Ranges over more than a part of this of the run would be seen as such; over less, a band has the
/// ripples of a motion that is longer than they are.
const PARTS: usize = 400;

/// A quantity that stays between two samples, up to this part of all it does, is a line.
const EXPLAINED: f64 = 0.01;

impl Band {
    /// Around each sample the range up to its next neighbours, from the values at the samples and their
    /// ranges since the one before; so lines from sample to sample contain every value between
    /// them. `None` if lines through the values show the same.
    pub(super) fn new(values: &[f64], ranges: &[[f64; 2]]) -> Option<Band> {
        if ranges.len() != values.len() {
            return None;
        }
        let finite = |x: f64| if x.is_finite() { [x, x] } else { EMPTY };
        let ends = |k: usize| joined(finite(values[k - 1]), finite(values[k]));
        let spans: Vec<[f64; 2]> = (1..values.len()).map(|k| joined(ends(k), ranges[k])).collect();
        let [low, high] = spans.iter().copied().fold(EMPTY, joined);
        let beyond = |k: usize| {
            let ([a, b], [c, d]) = (ends(k), spans[k - 1]);
            // Halves keep the difference finite; an empty range is beyond any other.
            d / 2.0 - b / 2.0 > EXPLAINED * (high / 2.0 - low / 2.0)
                || a / 2.0 - c / 2.0 > EXPLAINED * (high / 2.0 - low / 2.0)
        };
        if low >= high || !(1..values.len()).any(beyond) {
            return None;
        }
        let reach = values.len().div_ceil(PARTS);
        let around = |k: usize| {
            let near = &spans[k.saturating_sub(reach)..(k + reach).min(spans.len())];
            let [low, high] = near.iter().copied().fold(EMPTY, joined);
            if low <= high { (low, high) } else { (f64::NAN, f64::NAN) }
        };
        let (low, high) = (0..values.len()).map(around).unzip();
        Some(Band { low, high, intervals: 2 * reach })
    }
}

const EMPTY: [f64; 2] = [f64::INFINITY, f64::NEG_INFINITY];

fn joined([a, b]: [f64; 2], [c, d]: [f64; 2]) -> [f64; 2] {
    [a.min(c), b.max(d)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_samples_show_is_no_band() {
        let values: Vec<f64> = (0..10).map(f64::from).collect();
        let ranges: Vec<[f64; 2]> = values.iter().map(|v| [v - 0.9, *v]).collect();
        assert_eq!(Band::new(&values, &ranges), None);
        assert_eq!(Band::new(&[1.0; 3], &[[1.0, 1.0]; 3]), None);
        assert_eq!(Band::new(&[], &[]), None);
        assert_eq!(Band::new(&[f64::NAN; 3], &[EMPTY; 3]), None);
    }

    #[test]
    fn a_band_has_the_extremes_and_contains_what_lies_between() {
        let band =
            Band::new(&[0.0, 0.0, 0.0, f64::NAN, f64::NAN], &[[0.0, 0.0], [0.0, 7.0], [-3.0, 0.0], EMPTY, EMPTY])
                .expect("a band");
        assert_eq!(band.high[..4], [7.0, 7.0, 0.0, 0.0]);
        assert_eq!(band.intervals, 2);
        assert_eq!(band.low[..3], [0.0, -3.0, -3.0]);
        assert!(band.high[4].is_nan() && band.low[4].is_nan());
    }

    #[test]
    fn a_motion_that_is_longer_than_the_intervals_has_an_even_band() {
        let values: Vec<f64> = (0..4000).map(|k| (f64::from(k) * 0.7).sin()).collect();
        let ranges: Vec<[f64; 2]> = values.iter().map(|v| [(v - 0.1).max(-1.0), (v + 0.1).min(1.0)]).collect();
        let band = Band::new(&values, &ranges).expect("a band");
        assert!(band.high.iter().all(|h| *h > 0.99) && band.low.iter().all(|l| *l < -0.99));
    }
}
