//! The choice of step and order: the least work per unit of time.

use super::extrapolation::work;

/// The fewest rows a step is accepted with: the difference of the last two values means little before.
pub(super) const FEWEST_ROWS: usize = 3;

/// What the next step should be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Proposal {
    /// The row at which it should be good enough.
    pub(super) row: usize,
    /// Its size, relative to the last one.
    pub(super) factor: f64,
}

/// The differences of the last two values, row by row, of one step; in tolerances.
#[derive(Clone, Debug, Default)]
pub(super) struct Record {
    /// Of rows 2, 3, …
    excess: Vec<f64>,
}

impl Record {
    pub(super) fn push(&mut self, excess: f64) {
        self.excess.push(if excess.is_nan() { f64::INFINITY } else { excess });
    }

    /// The last difference.
    pub(super) fn last(&self) -> f64 {
        self.excess.last().copied().unwrap_or(f64::INFINITY)
    }

    pub(super) fn accepted(&self) -> bool {
        self.rows() >= FEWEST_ROWS && self.last() <= 1.0
    }

    /// Whether the rows up to `limit` will not make the step good enough: the differences grow, or
    /// those of the rows before the last two are too large, when row j is expected to make them
    /// smaller by (n_j/n₁)² = j².
    pub(super) fn hopeless(&self, limit: usize) -> bool {
        let expected: f64 = (self.rows() + 1..=limit).map(|row| (row * row) as f64).product();
        let grows = match self.excess[..] {
            [.., before, now] => self.rows() > FEWEST_ROWS && now >= before,
            _ => false,
        };
        self.last() > 1.0 && (grows || (self.rows() + 2 >= limit && self.last() > expected))
    }

    /// After a step that was good enough.
    pub(super) fn next(&self, most_rows: usize) -> Proposal {
        let (best, last) = (self.cheapest(), self.rows());
        let improves = self.cost(last) < 0.9 * self.cost(last - 1);
        if best.row == last && last < most_rows && improves {
            return Proposal { row: last + 1, factor: best.factor * work(last + 1) / work(last) };
        }
        best
    }

    /// After a step that was not.
    pub(super) fn again(&self) -> Proposal {
        let best = self.cheapest();
        Proposal { factor: best.factor.min(0.5), ..best }
    }

    /// The rows computed.
    pub(super) fn rows(&self) -> usize {
        self.excess.len() + 1
    }

    /// The row with the least work per unit of time.
    fn cheapest(&self) -> Proposal {
        let best = (2..=self.rows()).min_by(|&a, &b| self.cost(a).total_cmp(&self.cost(b)));
        match best {
            Some(row) => Proposal { row: row.max(FEWEST_ROWS), factor: self.factor(row) },
            None => Proposal { row: FEWEST_ROWS, factor: 0.1 },
        }
    }

    fn cost(&self, row: usize) -> f64 {
        work(row) / self.factor(row)
    }

    /// By how much to change the step to be good enough at this row, whose difference is of
    /// order H^{2j−1}.
    fn factor(&self, row: usize) -> f64 {
        let excess = self.excess.get(row.wrapping_sub(2)).copied().unwrap_or(f64::INFINITY);
        (0.9 * (0.4 / excess).powf(1.0 / (2 * row - 1) as f64)).clamp(0.02, 8.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(excess: &[f64]) -> Record {
        let mut record = Record::default();
        excess.iter().for_each(|&e| record.push(e));
        record
    }

    #[test]
    fn a_step_that_was_too_long_is_at_least_halved() {
        let plan = record(&[1e12, 1e9, 1.1]).again();
        assert!(plan.factor <= 0.5 && plan.row == 4);
        assert_eq!(record(&[]).again(), Proposal { row: 3, factor: 0.1 });
        assert!(record(&[f64::NAN, f64::NAN]).again().factor < 0.1);
    }

    #[test]
    fn rows_that_do_not_help_are_not_computed() {
        assert!(record(&[10.0, 5.0, 6.0]).hopeless(8));
        assert!(!record(&[10.0, 5.0, 0.5]).hopeless(8));
        // Row 5 gains 25, not 1000.
        assert!(record(&[1e9, 1e6, 1e3]).hopeless(5));
        assert!(!record(&[1e9, 1e6, 20.0]).hopeless(5));
    }

    #[test]
    fn a_good_step_is_not_accepted_before_its_time() {
        assert!(!record(&[0.0]).accepted());
        assert!(record(&[0.0, 0.0]).accepted());
        assert!(!record(&[0.0, f64::NAN]).accepted());
    }

    #[test]
    fn an_exact_step_lengthens_the_next() {
        assert!(record(&[0.0, 0.0]).next(9).factor > 4.0);
    }
}
