//! Unknowns that are one vector at several stages: measured column by column.

use cotangent_scalar::Real;

use super::{Change, FixedPointWorkspace, History, ROUGH, STALLS};
use crate::StoppingRule;
use crate::stopping::size_ratio;

/// The numbers of the rule for the stages of a Runge–Kutta method, which native code compares with, too.
///
/// The stages hold one vector after the other; an entry of it has the size of the largest at any stage, so that one
/// that passes through zero at a stage is not waited for. With δ the largest update relative to that size, the iteration
/// has arrived when
///
/// 1. no value changes, or δ is at most the tolerance that was asked for; or
/// 2. δ is at most the precision u, and with θ the ratio of the last two all further updates are negligible:
///    θ/(1 − θ) δ ≤ [`NEGLIGIBLE`](Self::NEGLIGIBLE) u; or
/// 3. the updates no longer decrease, and are round-off: δ ≤ [`ROUND_OFF`](Self::ROUND_OFF) u; or
/// 4. three in a row were not smaller by a tenth than the smallest so far, each at most u^⅜ times the largest entry of
///    its group.
///
/// (E. Hairer, R. I. McLachlan & A. Razakarivony, BIT 48 (2008) 231: with a threshold in the place of 2 and 3 the energy
/// drifts.)
pub struct StageRule;

impl StageRule {
    /// The part of the precision that may be left of an iteration that still shrinks.
    pub const NEGLIGIBLE: f64 = 1.0 / 64.0;
    /// How many units of the precision updates that no longer decrease may have.
    pub const ROUND_OFF: f64 = 256.0;
    /// How much smaller an update must be than the smallest before, not to be a stall.
    pub const SHRINKING: f64 = 0.9;
    /// How many stalls in a row are the end.
    pub const STALLS: u32 = STALLS;
    /// The power of the precision up to which they are round-off.
    pub const ROUGH: f64 = ROUGH;
}

impl<S: Real> FixedPointWorkspace<S> {
    /// A workspace for so many stages of a vector, whose entries come in groups of one kind and unit.
    pub fn stages(stages: usize, groups: &[usize]) -> Self {
        let columns: usize = groups.iter().sum();
        let mut made = Self::grouped(&vec![columns; stages]);
        made.sizes = vec![0.0; columns];
        made.updates = vec![0.0; columns];
        made.groups = groups.to_vec();
        made
    }

    /// Takes the next iterate, with the size of the largest stage for all.
    pub(super) fn update_columns(&mut self, x: &mut [S]) -> Change {
        let Self { next, sizes, updates, .. } = self;
        let (n, mut change) = (sizes.len(), Change { update: 0.0, worst: 0, is_round_off: false });
        for j in 0..n {
            let (mut delta, mut size) = (0.0, 0.0);
            for k in (j..x.len()).step_by(n) {
                delta = f64::max((next[k] - x[k]).value().abs(), delta);
                size = f64::max(next[k].value().abs(), size);
                x[k] = next[k];
            }
            (sizes[j], updates[j]) = (size, delta);
            let update = size_ratio(delta, size);
            if update > change.update {
                (change.update, change.worst) = (update, j);
            }
        }
        change
    }

    /// Whether round-off alone explains the last update: as in 4 of [`StageRule`].
    fn is_rough(&self) -> bool {
        let (mut first, rough) = (0, S::EPSILON.powf(ROUGH));
        self.groups.iter().all(|count| {
            let group = first..first + count;
            first += count;
            let largest = self.sizes[group.clone()].iter().copied().fold(0.0, f64::max);
            self.updates[group].iter().all(|&update| update <= rough * largest)
        })
    }
}

impl History {
    /// Whether stages have arrived.
    pub(super) fn stages_arrived<S: Real>(
        &mut self,
        stopping: &StoppingRule,
        change: &Change,
        workspace: &FixedPointWorkspace<S>,
    ) -> bool {
        let (update, least, ratio) = (change.update, self.smallest, self.ratio);
        self.smallest = least.min(update);
        let rest = update * ratio / (1.0 - ratio);
        update <= stopping.tolerance.unwrap_or(0.0)
            || (update <= S::EPSILON && ratio < 1.0 && rest <= StageRule::NEGLIGIBLE * S::EPSILON)
            || (update <= StageRule::ROUND_OFF * S::EPSILON && update >= least)
            || (self.stalls >= STALLS && workspace.is_rough())
    }
}
