//! Unknowns that are one vector at several stages: measured entry by entry.

use cotangent_scalar::Real;

use super::{Change, FixedPointWorkspace, STALLS};
use crate::StoppingRule;
use crate::stopping::size_ratio;

/// The numbers of the rule for the stages of a Runge–Kutta method, which native code compares with, too.
///
/// The unknowns are one vector after the other, and an entry of it has the size s of the largest at any stage, so that
/// one that passes through zero at a stage is not waited for. With δ its largest update at any stage, and δₘ the smallest
/// such update before, it is settled when
///
/// 1. δ is at most the tolerance that was asked for, if any, times s: zero without one; or
/// 2. δ is at most the precision, u s, and all further updates together are negligible, θ/(1 − θ) δ ≤
///    [`NEGLIGIBLE`](Self::NEGLIGIBLE) u s with θ = δ/δₘ; or
/// 3. updates no longer decrease, δ ≥ δₘ, and are round-off, δ ≤ [`ROUND_OFF`](Self::ROUND_OFF) u s; or
/// 4. three updates in a row did not decrease, and this one is at most [`NOISE`](Self::NOISE) u times the largest entry of its
///    group: an entry that is nothing but what rounding leaves of others.
///
/// Once it is settled by 1, 2 or 3 later updates up to the bound of 3 are no matter; a larger one begins anew. The iteration
/// has arrived when all entries are settled.
///
/// (E. Hairer, R. I. McLachlan & A. Razakarivony, BIT 48 (2008) 231: with a threshold in the place of 2 and 3 the energy
/// drifts.)
pub struct StageRule;

impl StageRule {
    /// The part of the precision that may be left of an iteration that still shrinks.
    pub const NEGLIGIBLE: f64 = 1.0 / 64.0;
    /// How many units of the precision updates that no longer decrease may have.
    pub const ROUND_OFF: f64 = 256.0;
    /// How many updates in a row that do not decrease are noise,
    pub const STALLS: u32 = STALLS;
    /// and up to how many units of the precision of the largest entry.
    pub const NOISE: f64 = 1024.0;
}

/// An entry of the vector.
#[derive(Clone, Copy, Debug)]
pub(super) struct Column {
    size: f64,
    update: f64,
    smallest: f64,
    stalls: u32,
}

const NEW: Column = Column { size: 0.0, update: 0.0, smallest: f64::INFINITY, stalls: 0 };

impl<S: Real> FixedPointWorkspace<S> {
    /// A workspace for so many stages of a vector, whose entries come in groups of one kind and unit.
    pub fn stages(stages: usize, groups: &[usize]) -> Self {
        let columns: usize = groups.iter().sum();
        let made = Self::grouped(&vec![columns; stages]);
        Self { columns: vec![NEW; columns], groups: groups.to_vec(), ..made }
    }

    /// Forgets an earlier iteration.
    pub(super) fn begin(&mut self) {
        self.columns.fill(NEW);
    }

    /// Takes the next iterate.
    pub(super) fn update_columns(&mut self, x: &mut [S]) -> Change {
        let Self { next, columns, .. } = self;
        let (n, mut change) = (columns.len(), Change { update: 0.0, worst: 0, is_round_off: false });
        for (j, column) in columns.iter_mut().enumerate() {
            (column.update, column.size) = (0.0, 0.0);
            for k in (j..x.len()).step_by(n) {
                column.update = f64::max((next[k] - x[k]).value().abs(), column.update);
                column.size = f64::max(next[k].value().abs(), column.size);
                x[k] = next[k];
            }
            let update = size_ratio(column.update, column.size);
            if update > change.update {
                (change.update, change.worst) = (update, j);
            }
        }
        change
    }

    /// Whether all entries are settled.
    pub(super) fn is_settled(&mut self, stopping: &StoppingRule) -> bool {
        let (tolerance, noise) = (stopping.tolerance.unwrap_or(0.0), StageRule::NOISE * S::EPSILON);
        let (mut all, mut rest) = (true, &mut self.columns[..]);
        for &count in &self.groups {
            let (group, others) = rest.split_at_mut(count);
            let largest = group.iter().fold(0.0, |largest, column| f64::max(column.size, largest));
            for column in group {
                all &= column.judge(S::EPSILON, tolerance, noise * largest);
            }
            rest = others;
        }
        all
    }
}

impl Column {
    fn judge(&mut self, epsilon: f64, tolerance: f64, noise: f64) -> bool {
        let Column { size, update, smallest, stalls } = *self;
        let unit = epsilon * size;
        let settled = update <= tolerance * size
            || (update <= unit && update * update <= StageRule::NEGLIGIBLE * unit * (smallest - update))
            || (update <= StageRule::ROUND_OFF * unit && update >= smallest);
        let stalls = if update < smallest { 0 } else { stalls + 1 };
        // Settled entries have a smallest update of zero, which none is below.
        (self.smallest, self.stalls) = match (settled, smallest == 0.0) {
            (true, _) => (0.0, 0),
            (false, true) => (update, 0),
            (false, false) => (f64::min(update, smallest), stalls),
        };
        settled || (self.stalls >= STALLS && update <= noise)
    }
}
