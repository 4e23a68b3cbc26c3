//! What a run was like, in constant memory: samples that thin out as the run goes on.

/// A series of samples of several quantities. When it is full every second sample goes, and from
/// then on only half as many are taken; so a run of any length leaves between half of `capacity`
/// and `capacity` samples, evenly spaced.
///
/// Of quantities that are errors the largest since the last sample is kept, so no peak is lost.
#[derive(Clone, Debug)]
pub struct History {
    capacity: usize,
    /// Steps from one sample to the next.
    stride: u64,
    times: Vec<f64>,
    /// Sample after sample.
    errors: Vec<f64>,
    values: Vec<f64>,
    widths: [usize; 2],
    /// The largest errors since the last sample, in size; each with its sign.
    pending: Vec<f64>,
}

impl History {
    /// For at most so many samples of so many errors and values.
    pub fn new(capacity: usize, errors: usize, values: usize) -> History {
        History {
            capacity: capacity.max(4).next_multiple_of(2),
            stride: 1,
            times: vec![],
            errors: vec![],
            values: vec![],
            widths: [errors, values],
            pending: vec![0.0; errors],
        }
    }

    /// Takes note of the errors after a step.
    pub fn note(&mut self, errors: impl Iterator<Item = f64>) {
        for (largest, error) in self.pending.iter_mut().zip(errors) {
            // NaN is the largest of all.
            if error.is_nan() || error.abs() > largest.abs() {
                *largest = error;
            }
        }
    }

    /// Whether the state after so many steps is a sample.
    pub fn is_due(&self, step: u64) -> bool {
        step.is_multiple_of(self.stride)
    }

    /// Takes a sample: the errors noted since the last one, and these values.
    pub fn sample(&mut self, time: f64, values: &[f64]) {
        if self.times.len() == self.capacity {
            self.thin();
        }
        self.times.push(time);
        self.errors.append(&mut self.pending);
        self.pending.resize(self.widths[0], 0.0);
        self.values.extend(values.iter().copied().chain(std::iter::repeat(f64::NAN)).take(self.widths[1]));
    }

    /// Lets every second sample go; its errors go to the one after it.
    fn thin(&mut self) {
        let [errors, values] = self.widths;
        let kept = self.times.len().div_ceil(2);
        for k in 0..kept {
            let from = 2 * k;
            self.times[k] = self.times[from];
            self.values.copy_within(from * values..(from + 1) * values, k * values);
            for e in 0..errors {
                let (own, before) =
                    (self.errors[from * errors + e], (from > 0).then(|| self.errors[(from - 1) * errors + e]));
                let larger = before.filter(|b| b.is_nan() || b.abs() > own.abs());
                self.errors[k * errors + e] = larger.unwrap_or(own);
            }
        }
        // The last sample of an even number goes into what is pending.
        if self.times.len().is_multiple_of(2) {
            let last: Vec<f64> = self.errors[self.errors.len() - errors..].to_vec();
            self.note(last.into_iter());
        }
        self.times.truncate(kept);
        self.errors.truncate(kept * errors);
        self.values.truncate(kept * values);
        self.stride *= 2;
    }

    /// The times of the samples.
    pub fn times(&self) -> &[f64] {
        &self.times
    }

    /// One error at all samples.
    pub fn error(&self, which: usize) -> Vec<f64> {
        column(&self.errors, self.widths[0], which)
    }

    /// One value at all samples.
    pub fn value(&self, which: usize) -> Vec<f64> {
        column(&self.values, self.widths[1], which)
    }

    /// All values at one sample.
    pub fn values(&self, sample: usize) -> &[f64] {
        self.values.get(sample * self.widths[1]..(sample + 1) * self.widths[1]).unwrap_or_default()
    }
}

fn column(numbers: &[f64], width: usize, which: usize) -> Vec<f64> {
    match which < width {
        true => numbers.iter().skip(which).step_by(width).copied().collect(),
        false => vec![],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filled(steps: u64, capacity: usize, peak: u64) -> History {
        let mut h = History::new(capacity, 1, 1);
        for k in 0..=steps {
            h.note([if k == peak { -7.0 } else { 0.5 }].into_iter());
            if h.is_due(k) {
                h.sample(k as f64, &[2.0 * k as f64]);
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
            }
        }
    }
}
