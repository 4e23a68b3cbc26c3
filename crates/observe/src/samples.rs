//! Values at times.

/// Samples of several values, in the order of their times.
#[derive(Clone, Debug, Default)]
pub struct Samples {
    times: Vec<f64>,
    /// Sample after sample.
    values: Vec<f64>,
    width: usize,
}

impl Samples {
    /// None yet, of so many values each.
    pub(crate) fn new(width: usize) -> Samples {
        Samples { times: vec![], values: vec![], width }
    }

    /// Adds one; values that are missing are not numbers.
    pub(crate) fn push(&mut self, time: f64, values: &[f64]) {
        self.times.push(time);
        self.values.extend(values.iter().copied().chain(std::iter::repeat(f64::NAN)).take(self.width));
    }

    /// Appends its numbers to a list: how many samples, their times, their values.
    pub(crate) fn export(&self, numbers: &mut Vec<f64>) {
        numbers.push(self.times.len() as f64);
        numbers.extend(&self.times);
        numbers.extend(&self.values);
    }

    /// What [`Samples::export`] has written.
    pub(crate) fn import(width: usize, numbers: &mut Numbers<'_>) -> Option<Samples> {
        let count = numbers.count()?;
        let times = numbers.take(count)?.to_vec();
        let values = numbers.take(count.checked_mul(width)?)?.to_vec();
        Some(Samples { times, values, width })
    }

    /// Lets every second one go.
    pub(crate) fn halve(&mut self) {
        let kept = self.times.len().div_ceil(2);
        for k in 0..kept {
            self.times[k] = self.times[2 * k];
            self.values.copy_within(2 * k * self.width..(2 * k + 1) * self.width, k * self.width);
        }
        self.times.truncate(kept);
        self.values.truncate(kept * self.width);
    }

    /// The times.
    pub fn times(&self) -> &[f64] {
        &self.times
    }

    /// How many values each has.
    pub(crate) fn width(&self) -> usize {
        self.width
    }

    /// One value at all times.
    pub fn value(&self, which: usize) -> Vec<f64> {
        column(&self.values, self.width, which)
    }

    /// All values at one of the times.
    pub fn values(&self, sample: usize) -> &[f64] {
        self.values.get(sample * self.width..(sample + 1) * self.width).unwrap_or_default()
    }

    /// Whether curves through every second sample would leave the others aside: more than one in a
    /// hundred lies off the chord between its neighbours by more than [`BESIDE`] of the size of its
    /// group. A curve has then few samples to a turn; with half of them it could look like another.
    pub(crate) fn coarsens(&self, groups: &[Vec<usize>]) -> bool {
        groups.iter().any(|group| {
            let (mut size, mut largest) = (0.0f64, 0.0f64);
            for &which in group {
                let finite = || self.values.iter().skip(which).step_by(self.width.max(1)).filter(|x| x.is_finite());
                let (low, high) = finite().fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), x| (l.min(*x), h.max(*x)));
                size = size.max(if high > low { high - low } else { 0.0 });
                largest = finite().fold(largest, |m, x| m.max(x.abs()));
            }
            // What is at rest but for rounding is no curve.
            if size <= 1e-9 * largest {
                return false;
            }
            let off = |k: &usize| {
                let [a, b, c] = [k - 1, *k, k + 1].map(|k| self.values(k));
                group.iter().any(|&i| (b[i] - (a[i] / 2.0 + c[i] / 2.0)).abs() > BESIDE * size)
            };
            let between = (1..self.times.len().saturating_sub(1)).step_by(2);
            between.clone().filter(off).count() * 100 > between.count()
        })
    }
}

/// With less than this a curve with its corners looks smooth: some 22 samples to a circle.
const BESIDE: f64 = 0.005;

/// Numbers that are read one after the other.
pub(crate) struct Numbers<'a>(pub(crate) &'a [f64]);

impl<'a> Numbers<'a> {
    /// So many; `None` if there are fewer.
    pub(crate) fn take(&mut self, count: usize) -> Option<&'a [f64]> {
        let (taken, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(taken)
    }

    /// A whole number.
    pub(crate) fn count(&mut self) -> Option<usize> {
        let number = *self.take(1)?.first()?;
        (number >= 0.0 && number.fract() == 0.0 && number < 9.0e15).then_some(number as usize)
    }
}

/// One column of a table that is stored row after row.
pub(crate) fn column<T: Copy>(numbers: &[T], width: usize, which: usize) -> Vec<T> {
    match which < width {
        true => numbers.iter().skip(which).step_by(width).copied().collect(),
        false => vec![],
    }
}
