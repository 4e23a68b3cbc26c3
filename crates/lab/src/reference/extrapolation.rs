//! One basic step: the midpoint rule with more and more substeps, extrapolated.

use cotangent_scalar::Real;

use super::rates::{Counted, Failed};

/// The most rows a table may have.
const MOST_ROWS: usize = 24;

/// Which extrapolated value a solution goes on with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Value {
    /// The best one.
    Last,
    /// The one whose error is about the difference of the two.
    LastButOne,
}

/// Evaluations of f behind row j, those of the rows before included: one at the start, 2i − 1 for row i.
pub(super) fn work(row: usize) -> f64 {
    (1 + row * row) as f64
}

/// How much the rounding errors of the first column can grow in the value of row j.
///
/// That value is Σ wᵢ Tᵢ₁ with
///
/// $$ w_i = \prod_{l \ne i} \frac{i^2}{i^2 - l^2} = \frac{2\,(-1)^{j-i}\, i^{2j}}{(j+i)!\,(j-i)!}, $$
///
/// whose sum is 1, while Σ |wᵢ| is 6·10² for j = 10 and 3·10⁴ for j = 15.
pub(super) fn amplification(row: usize) -> f64 {
    let weight = |i: usize| -> f64 {
        let square = |n: usize| (n * n) as f64;
        (1..=row).filter(|&l| l != i).map(|l| square(i) / (square(i) - square(l)).abs()).product()
    };
    (1..=row).map(weight).sum()
}

/// As many rows as keep amplified rounding errors below the tolerance.
pub(super) fn most_rows(epsilon: f64, tolerance: f64) -> usize {
    let fits = |row: &usize| epsilon * amplification(*row) <= tolerance;
    (4..=MOST_ROWS).take_while(fits).last().unwrap_or(4)
}

/// The table of Aitken and Neville for the step H from z₀.
///
/// Row j starts with Gragg's midpoint rule in n = 2j substeps of h = H/n,
///
/// $$ d_1 = h f(z_0), \qquad d_{m+1} = d_{m-1} + 2h f(z_0 + d_m), \qquad T_{j1} = d_n , $$
///
/// whose error is a series in h² because n is even. Then
///
/// $$ T_{j,k+1} = T_{jk} + \frac{T_{jk} - T_{j-1,k}}{(n_j/n_{j-k})^2 - 1} . $$
///
/// The table holds increments of z₀, which are small, so that it is their rounding errors which
/// are amplified. Of all rows only the last is kept.
pub(super) struct Table<S> {
    /// One list for each component: T_{j1}, …, T_{jj}.
    entries: Vec<Vec<S>>,
    rows: usize,
    slope: Vec<S>,
    point: Vec<S>,
    before: Vec<S>,
    now: Vec<S>,
}

impl<S: Real> Table<S> {
    pub(super) fn new(size: usize) -> Self {
        let zeros = vec![S::from_f64(0.0); size];
        Self {
            entries: vec![Vec::with_capacity(MOST_ROWS); size],
            rows: 0,
            slope: zeros.clone(),
            point: zeros.clone(),
            before: zeros.clone(),
            now: zeros,
        }
    }

    pub(super) fn clear(&mut self) {
        self.rows = 0;
        self.entries.iter_mut().for_each(Vec::clear);
    }

    /// Adds a row; `start` is f(z₀).
    pub(super) fn add_row<E>(
        &mut self,
        rates: &mut Counted<'_, '_, S, E>,
        base: &[S],
        start: &[S],
        step: S,
    ) -> Result<(), Failed<E>> {
        self.midpoint(rates, base, start, step, self.rows + 1)?;
        self.rows += 1;
        let row = self.rows as i64;
        let weights = (1..row).map(|k| S::ratio((row - k) * (row - k), k * (2 * row - k)));
        let weights: Vec<S> = weights.collect();
        for (entries, &first) in self.entries.iter_mut().zip(&self.now) {
            let mut new = first;
            for (entry, &weight) in entries.iter_mut().zip(&weights) {
                let old = std::mem::replace(entry, new);
                new = new + weight * (new - old);
            }
            entries.push(new);
        }
        Ok(())
    }

    /// The value of each component with which a solution goes on: T_{jj}, or T_{j,j−1}.
    pub(super) fn increments(&self, value: Value) -> impl Iterator<Item = S> {
        let back = match value {
            Value::Last => 1,
            Value::LastButOne => 2,
        };
        let zero = S::from_f64(0.0);
        self.entries.iter().map(move |entries| entries.iter().nth_back(back - 1).copied().unwrap_or(zero))
    }

    /// |T_{jj} − T_{j,j−1}| for each component.
    pub(super) fn differences(&self) -> impl Iterator<Item = f64> {
        self.entries.iter().map(|entries| match entries[..] {
            [.., a, b] => (b - a).value().abs(),
            _ => f64::INFINITY,
        })
    }

    fn midpoint<E>(
        &mut self,
        rates: &mut Counted<'_, '_, S, E>,
        base: &[S],
        start: &[S],
        step: S,
        half: usize,
    ) -> Result<(), Failed<E>> {
        // h = H/2j, 2h = H/j.
        let double = step / S::from_f64(half as f64);
        let single = double * S::from_f64(0.5);
        for i in 0..base.len() {
            self.before[i] = S::from_f64(0.0);
            self.now[i] = single * start[i];
        }
        for _ in 1..2 * half {
            for i in 0..base.len() {
                self.point[i] = base[i] + self.now[i];
            }
            rates.evaluate(&self.point, &mut self.slope)?;
            for i in 0..base.len() {
                let next = self.before[i] + double * self.slope[i];
                self.before[i] = std::mem::replace(&mut self.now[i], next);
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounding_is_amplified_as_the_weights_say() {
        // j = 2: 1/3 + 4/3; j = 3: 1/24 + 16/15 + 81/40.
        assert!((amplification(2) - 5.0 / 3.0).abs() < 1e-15);
        assert!((amplification(3) - (1.0 / 24.0 + 16.0 / 15.0 + 81.0 / 40.0)).abs() < 1e-14);
    }

    #[test]
    fn each_row_adds_two_orders() {
        // z′ = z: T_{jj} of e^H − 1 is off by O(H^{2j+1}).
        for row in 1..=4 {
            let error = |step: f64| {
                let mut table = Table::new(1);
                let mut rates = |z: &[f64], r: &mut [f64]| -> Result<(), ()> {
                    r[0] = z[0];
                    Ok(())
                };
                let mut rates = Counted::new(&mut rates, 1000);
                for _ in 0..row {
                    assert!(table.add_row(&mut rates, &[1.0], &[1.0], step).is_ok());
                }
                assert_eq!(rates.evaluations() + 1, work(row) as u64);
                let increment: Vec<f64> = table.increments(Value::Last).collect();
                (increment[0] - step.exp_m1()).abs()
            };
            let order = (error(1.0) / error(0.5)).log2();
            assert!((order - (2 * row + 1) as f64).abs() < 0.7, "row {row}: {order}");
        }
    }
}
