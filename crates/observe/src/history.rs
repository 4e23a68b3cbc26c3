//! What a run was like, in constant memory: samples that thin out as the run goes on.

use crate::samples::{Numbers, Samples, column};

/// A series of samples of several quantities. When it is full every second sample goes, and from
/// then on only half as many are taken; so a run of any length leaves between half of `capacity`
/// and `capacity` samples, evenly spaced.
///
/// Of quantities that are errors the largest since the last sample is kept, and of values that are
/// ranged the least and the greatest, so no peak is lost. Values that are followed as curves are
/// also kept from the start at the closest spacing at which thinning does not change them.
#[derive(Clone, Debug)]
pub struct History {
    capacity: usize,
    /// Steps from one sample to the next.
    stride: u64,
    samples: Samples,
    /// Sample after sample.
    errors: Vec<f64>,
    error_count: usize,
    /// The largest errors since the last sample, in size; each with its sign.
    pending: Vec<f64>,
    /// Values whose range is kept.
    ranged: Vec<usize>,
    /// Sample after sample: the least and the greatest since the one before.
    ranges: Vec<[f64; 2]>,
    pending_ranges: Vec<[f64; 2]>,
    /// Values that are seen as curves, together with those of the same scale.
    curves: Vec<Vec<usize>>,
    /// The samples before they became too few for the curves.
    dense: Option<Samples>,
}

/// No value yet.
const NOTHING: [f64; 2] = [f64::INFINITY, f64::NEG_INFINITY];

fn joined([a, b]: [f64; 2], [c, d]: [f64; 2]) -> [f64; 2] {
    [a.min(c), b.max(d)]
}

impl History {
    /// For at most so many samples of so many errors and values.
    pub fn new(capacity: usize, errors: usize, values: usize) -> History {
        History {
            capacity: capacity.max(4).next_multiple_of(2),
            stride: 1,
            samples: Samples::new(values),
            errors: vec![],
            error_count: errors,
            pending: vec![0.0; errors],
            ranged: vec![],
            ranges: vec![],
            pending_ranges: vec![],
            curves: vec![],
            dense: None,
        }
    }

    /// Keeps the range of these values, too.
    #[must_use]
    pub fn ranging(mut self, values: Vec<usize>) -> History {
        self.pending_ranges = vec![NOTHING; values.len()];
        self.ranged = values;
        self
    }

    /// Follows curves, each through values that have one scale.
    #[must_use]
    pub fn following(mut self, curves: Vec<Vec<usize>>) -> History {
        self.curves = curves;
        self
    }

    /// Takes note of the errors after a step.
    pub fn note(&mut self, errors: impl Iterator<Item = f64>) {
        for (largest, error) in self.pending.iter_mut().zip(errors) {
            *largest = larger(*largest, error);
        }
    }

    /// Takes note of the values after a step. One that is not finite is in no range.
    pub fn note_values(&mut self, values: &[f64]) {
        for (range, which) in self.pending_ranges.iter_mut().zip(&self.ranged) {
            if let Some(&value) = values.get(*which).filter(|x| x.is_finite()) {
                *range = joined(*range, [value; 2]);
            }
        }
    }

    /// The values whose range is kept.
    pub fn ranged(&self) -> &[usize] {
        &self.ranged
    }

    /// Whether the state after so many steps is a sample.
    pub fn is_due(&self, step: u64) -> bool {
        step.is_multiple_of(self.stride)
    }

    /// Takes a sample: what was noted since the last one, and these values.
    pub fn sample(&mut self, time: f64, values: &[f64]) {
        if self.samples.times().len() == self.capacity {
            self.thin();
        }
        self.note_values(values);
        self.samples.push(time, values);
        self.errors.append(&mut self.pending);
        self.pending.resize(self.error_count, 0.0);
        self.ranges.append(&mut self.pending_ranges);
        self.pending_ranges.resize(self.ranged.len(), NOTHING);
    }

    /// Takes the last sample of a run, sooner than it is due. Over so short a time errors may be
    /// small by chance: those of the interval before it count, too.
    pub fn close(&mut self, time: f64, values: &[f64]) {
        self.sample(time, values);
        let [n, end] = [self.error_count, self.errors.len()];
        // At the first sample nothing has happened yet.
        if end > 2 * n {
            for k in end - n..end {
                self.errors[k] = larger(self.errors[k], self.errors[k - n]);
            }
        }
    }

    /// Lets every second sample go; what was noted for it goes to the one after it.
    fn thin(&mut self) {
        if self.dense.is_none() && self.samples.coarsens(&self.curves) {
            self.dense = Some(self.samples.clone());
        }
        let (count, kept) = (self.samples.times().len(), self.samples.times().len().div_ceil(2));
        let (errors, ranges) = (self.error_count, self.ranged.len());
        // The last sample of an even number goes into what is pending.
        if count.is_multiple_of(2) {
            let last = self.errors.split_off((count - 1) * errors);
            self.note(last.into_iter());
            let last = self.ranges.split_off((count - 1) * ranges);
            self.pending_ranges.iter_mut().zip(last).for_each(|(range, last)| *range = joined(*range, last));
        }
        for k in 1..kept {
            for e in 0..errors {
                self.errors[k * errors + e] =
                    larger(self.errors[2 * k * errors + e], self.errors[(2 * k - 1) * errors + e]);
            }
            for r in 0..ranges {
                self.ranges[k * ranges + r] =
                    joined(self.ranges[2 * k * ranges + r], self.ranges[(2 * k - 1) * ranges + r]);
            }
        }
        self.errors.truncate(kept * errors);
        self.ranges.truncate(kept * ranges);
        self.samples.halve();
        self.stride *= 2;
    }

    /// Appends all it has noted to a list of numbers.
    pub fn export(&self, numbers: &mut Vec<f64>) {
        numbers.extend(self.shape());
        numbers.push(self.stride as f64);
        self.samples.export(numbers);
        numbers.extend(self.errors.iter().chain(&self.pending));
        numbers.extend(self.ranges.iter().chain(&self.pending_ranges).flatten());
        numbers.push(if self.dense.is_some() { 1.0 } else { 0.0 });
        self.dense.iter().for_each(|dense| dense.export(numbers));
    }

    /// A history of the same kind with what [`History::export`] has written; `None` if that is of another kind.
    pub fn import(&self, numbers: &[f64]) -> Option<History> {
        let mut numbers = Numbers(numbers);
        let width = self.samples.width();
        if numbers.take(self.shape().len())? != self.shape() {
            return None;
        }
        let stride = numbers.count()? as u64;
        let samples = Samples::import(width, &mut numbers)?;
        let count = samples.times().len();
        let pairs = |list: &[f64]| list.as_chunks::<2>().0.to_vec();
        let read = History {
            capacity: self.capacity,
            stride,
            errors: numbers.take(count * self.error_count)?.to_vec(),
            pending: numbers.take(self.error_count)?.to_vec(),
            ranges: pairs(numbers.take(count * self.ranged.len() * 2)?),
            pending_ranges: pairs(numbers.take(self.ranged.len() * 2)?),
            dense: match numbers.count()? {
                0 => None,
                _ => Some(Samples::import(width, &mut numbers)?),
            },
            samples,
            error_count: self.error_count,
            ranged: self.ranged.clone(),
            curves: self.curves.clone(),
        };
        (stride > 0 && count <= self.capacity + 1 && numbers.0.is_empty()).then_some(read)
    }

    /// What tells kinds of histories apart.
    fn shape(&self) -> [f64; 5] {
        let curves = self.curves.iter().map(Vec::len).sum();
        [self.capacity, self.error_count, self.samples.width(), self.ranged.len(), curves].map(|n: usize| n as f64)
    }

    /// Steps from one sample to the next.
    pub fn stride(&self) -> u64 {
        self.stride
    }

    /// The times of the samples.
    pub fn times(&self) -> &[f64] {
        self.samples.times()
    }

    /// One error at all samples.
    pub fn error(&self, which: usize) -> Vec<f64> {
        column(&self.errors, self.error_count, which)
    }

    /// One value at all samples.
    pub fn value(&self, which: usize) -> Vec<f64> {
        self.samples.value(which)
    }

    /// All values at one sample.
    pub fn values(&self, sample: usize) -> &[f64] {
        self.samples.values(sample)
    }

    /// The least and the greatest of one value since the sample before, at all samples; none if the
    /// value is not ranged. Without a finite value the first is the larger.
    pub fn range(&self, which: usize) -> Vec<[f64; 2]> {
        let place = self.ranged.iter().position(|r| *r == which);
        place.map_or(vec![], |place| column(&self.ranges, self.ranged.len(), place))
    }

    /// The samples that the curves are drawn from: from the start, and until the end if the
    /// history is not too coarse for them.
    pub fn dense(&self) -> &Samples {
        self.dense.as_ref().unwrap_or(&self.samples)
    }

    /// Whether the curves end before the history does.
    pub fn is_cut(&self) -> bool {
        self.dense.is_some()
    }
}

/// The larger in size; NaN is the largest of all.
fn larger(a: f64, b: f64) -> f64 {
    if b.is_nan() || b.abs() > a.abs() { b } else { a }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filled(steps: u64, capacity: usize, peak: u64) -> History {
        let mut h = History::new(capacity, 1, 2).ranging(vec![1]);
        for k in 0..=steps {
            h.note([if k == peak { -7.0 } else { 0.5 }].into_iter());
            let values = [2.0 * k as f64, if k == peak { 9.0 } else { 1.0 }];
            h.note_values(&values);
            if h.is_due(k) {
                h.sample(k as f64, &values);
            }
        }
        h
    }

    #[test]
    fn any_run_leaves_evenly_spaced_samples_and_no_more_than_the_capacity() {
        for steps in [0, 1, 3, 4, 5, 100, 1000, 12_345] {
            let h = filled(steps, 16, u64::MAX);
            assert!(h.times().len() <= 16 && (steps < 16 || h.times().len() >= 8), "{steps}: {}", h.times().len());
            assert_eq!(h.times()[0], 0.0);
            let gaps: Vec<f64> = h.times().windows(2).map(|w| w[1] - w[0]).collect();
            assert!(gaps.windows(2).all(|g| g[0] == g[1]), "{steps}: {:?}", h.times());
            assert!(h.value(0).iter().zip(h.times()).all(|(v, t)| *v == 2.0 * t));
            assert!(h.value(1).iter().all(|v| *v == 1.0) && h.range(1).iter().all(|r| *r == [1.0; 2]));
            assert_eq!((h.range(0).len(), h.range(1).len()), (0, h.times().len()));
        }
    }

    #[test]
    fn a_peak_of_one_step_is_never_lost() {
        for steps in [50, 1000, 5000] {
            // Up to the last sample; what comes after it is not in the picture yet.
            for peak in [0, 1, 7, 16, 31, 32, 33, steps / 2, steps / 2 + 1] {
                let h = filled(steps, 16, peak);
                let last = *h.times().last().unwrap();
                let lowest = h.error(0).into_iter().fold(0.0, f64::min);
                assert!(lowest == -7.0 || peak as f64 > last, "{steps} {peak}: {:?}", h.error(0));
                let at = h.range(1).iter().position(|[low, high]| *high == 9.0 && *low <= 9.0);
                assert!(at.is_some() || peak as f64 > last, "{steps} {peak}: {:?}", h.range(1));
                // And it is where it was.
                if let Some(k) = at {
                    let from = if k == 0 { -1.0 } else { h.times()[k - 1] };
                    assert!(from < peak as f64 && peak as f64 <= h.times()[k], "{steps} {peak} {k}");
                }
            }
        }
    }

    #[test]
    fn a_last_interval_that_is_short_has_no_smaller_error() {
        let mut h = filled(100, 16, 95);
        assert_eq!(h.error(0).last(), Some(&-7.0));
        h.note([0.001].into_iter());
        h.close(101.0, &[0.0, 1.0]);
        assert_eq!(h.error(0).last(), Some(&-7.0));
        let mut h = filled(0, 16, 0);
        h.note([0.001].into_iter());
        h.close(1.0, &[0.0, 1.0]);
        assert_eq!(h.error(0), [-7.0, 0.001]);
    }

    #[test]
    fn a_history_that_is_kept_and_read_goes_on_as_if_nothing_had_happened() {
        let step = |h: &mut History, k: u64| {
            h.note([(k as f64).sin()].into_iter());
            let values = [(k as f64 / 3.0).cos(), if k.is_multiple_of(7) { f64::NAN } else { k as f64 }];
            match h.is_due(k) {
                true => h.sample(k as f64, &values),
                false => h.note_values(&values),
            }
        };
        for at in [0, 1, 15, 16, 17, 40, 333] {
            let new = || History::new(16, 1, 2).ranging(vec![1]).following(vec![vec![0]]);
            let (mut whole, mut broken) = (new(), new());
            (0..1000).for_each(|k| step(&mut whole, k));
            (0..at).for_each(|k| step(&mut broken, k));
            let mut numbers = vec![];
            broken.export(&mut numbers);
            assert!(History::new(18, 1, 2).import(&numbers).is_none() && new().import(&numbers[1..]).is_none());
            assert!(new().import(&numbers[..numbers.len() - 1]).is_none());
            let mut resumed = new().import(&numbers).unwrap();
            (at..1000).for_each(|k| step(&mut resumed, k));
            let bits = |h: &History| {
                let mut numbers = vec![];
                h.export(&mut numbers);
                numbers.into_iter().map(f64::to_bits).collect::<Vec<_>>()
            };
            assert!(bits(&whole) == bits(&resumed), "{at}");
        }
    }

    /// A circle with so many steps to a turn.
    fn circling(steps: u64, turn: f64) -> History {
        let mut h = History::new(400, 0, 3).following(vec![vec![0], vec![1], vec![2]]);
        for k in 0..=steps {
            if h.is_due(k) {
                let (sin, cos) = (std::f64::consts::TAU * k as f64 / turn).sin_cos();
                // What rests but for rounding does not count.
                h.sample(k as f64, &[cos, sin, 1.0 + f64::EPSILON * (k % 3) as f64]);
            }
        }
        h
    }

    #[test]
    fn curves_are_kept_until_their_samples_become_too_few() {
        for turn in [5.0, 31.4, 100.0, 1e3] {
            let h = circling(100_000, turn);
            assert!(h.is_cut(), "{turn}");
            let times = h.dense().times();
            let apart = times[1] - times[0];
            assert!(times[0] == 0.0 && times.len() == 400, "{turn}: {}", times.len());
            assert!(turn / apart >= 20.0 || apart == 1.0, "{turn}: {apart}");
            assert!(turn / apart < 45.0, "{turn}: a longer stretch could be shown, {apart}");
        }
        let slow = circling(1000, 1e4);
        assert!(!slow.is_cut() && slow.dense().times() == slow.times());
    }
}
