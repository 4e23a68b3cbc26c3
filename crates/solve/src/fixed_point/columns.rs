//! Unknowns that are one vector at several stages: measured entry by entry.

use cotangent_scalar::Real;

use super::{Change, FixedPointWorkspace};
use crate::stopping::{Comparisons, Made, StoppingRule, size_ratio};

/// When the stages of a Runge–Kutta method have arrived, in [`Comparisons`]: they are made here, and emitted as native code.
///
/// The unknowns are one vector after the other, and an entry of it has the size s of the largest at any stage, so that
/// one that passes through zero at a stage is not waited for. With δ its largest update at any stage, and δₘ the smallest
/// such update before, it is settled when
///
/// 1. δ is at most the tolerance that was asked for, if any, times s: zero without one; or
/// 2. δ is at most the precision, u s, and all further updates together are negligible: with θ = δ/δₘ ≤ ½ they are at most
///    2 θ δ ≤ u s/64; or
/// 3. two updates in a row did not decrease, δ ≥ δₘ, and this one is round-off, δ ≤ 256 u s: one alone happens on the way,
///    where the map also turns what it contracts. Where the map says how large the numbers are whose rounding the entry
///    has, and that is more than s, it stands for s here; or
/// 4. three updates in a row did not decrease, and this one is at most 1024 u times the largest entry of its group: an entry
///    that is nothing but what rounding leaves of others; or
/// 5. it is all but gone beside the largest entry of its group, s ≤ u^(3/2) times that: in a long chain where one end moves
///    such entries go on for as many iterations as there are links, each smaller than the one before.
///
/// Once it is settled by 1, 2 or 3 later updates up to the bound of 3 are no matter, and once by 4 those up to its bound: what
/// is rounding goes up and down, and of many entries there is always one that has just gone down. A larger one begins anew,
/// and counts as one that did not decrease.
/// The iteration has arrived when all entries are settled.
///
/// (E. Hairer, R. I. McLachlan & A. Razakarivony, BIT 48 (2008) 231: with a threshold in the place of 2 and 3 the energy
/// drifts.)
pub struct StageRule;

/// An entry of the stages before its first update: δₘ, and 2 to the number of updates in a row that did not decrease. In the
/// place of δₘ stands 0 once the entry is settled, and −1 once it is by 4.
pub const UNSETTLED: [f64; 2] = [f64::INFINITY, 1.0];

impl StageRule {
    /// Whether an entry is settled, and what is known of it from now on (see [`UNSETTLED`]).
    ///
    /// δ and s are given, and the largest entry of its group; perhaps what its rounding is that of.
    pub fn judge<C: Comparisons>(
        c: &mut C,
        epsilon: f64,
        tolerance: C::Number,
        ([update, size, largest], rounded): ([C::Number; 3], Option<C::Number>),
        [smallest, stalls]: [C::Number; 2],
    ) -> (C::Truth, [C::Number; 2]) {
        let (zero, one, two, minus) = (c.number(0.0), c.number(1.0), c.number(2.0), c.number(-1.0));
        let was_noise = c.at_most(smallest, minus);
        let part = |c: &mut C, part: f64, of: C::Number| {
            let part = c.number(part);
            c.product(part, of)
        };
        let tolerated = c.product(tolerance, size);
        let tolerated = c.at_most(update, tolerated);
        let unit = part(c, epsilon, size);
        let is_small = c.at_most(update, unit);
        let half = part(c, 0.5, smallest);
        let shrinks_fast = c.at_most(update, half);
        let square = c.product(update, update);
        let rest = part(c, 1.0 / 128.0, unit);
        let rest = c.product(rest, smallest);
        let negligible = c.at_most(square, rest);
        let last = c.both(is_small, shrinks_fast);
        let last = c.both(last, negligible);
        let unit = match rounded {
            Some(rounded) => {
                let more = c.at_most(size, rounded);
                let size = c.choice(more, rounded, size);
                part(c, epsilon, size)
            }
            None => unit,
        };
        let round_off = part(c, 256.0, unit);
        let round_off = c.at_most(update, round_off);
        let steady = c.at_most(smallest, update);
        let more = c.product(two, stalls);
        let four = c.number(4.0);
        let twice = c.at_most(four, more);
        let settled = c.both(steady, twice);
        let settled = c.both(round_off, settled);
        // None is below the zero of settled entries.
        let anew = c.at_most(smallest, zero);
        let still = c.both(anew, round_off);
        let settled = c.either(settled, still);
        let settled = c.either(settled, last);
        let settled = c.either(settled, tolerated);
        let gone = part(c, epsilon * epsilon.sqrt(), largest);
        let gone = c.at_most(size, gone);
        let settled = c.either(settled, gone);

        // An update that begins anew did not decrease.
        let after = c.choice(steady, more, one);
        let stalls = c.choice(settled, stalls, after);
        let smallest = c.choice(steady, smallest, update);
        let smallest = c.choice(anew, update, smallest);
        let smallest = c.choice(settled, zero, smallest);
        let eight = c.number(8.0);
        let stalled = c.at_most(eight, stalls);
        let noise = part(c, 1024.0 * epsilon, largest);
        let noise = c.at_most(update, noise);
        let known = c.either(stalled, was_noise);
        let noise = c.both(noise, known);
        let smallest = c.choice(noise, minus, smallest);
        (c.either(settled, noise), [smallest, stalls])
    }
}

/// An entry of the vector.
#[derive(Clone, Copy, Debug)]
pub(super) struct Column {
    size: f64,
    update: f64,
    /// Where the map says it.
    rounded: Option<f64>,
    known: [f64; 2],
}

const NEW: Column = Column { size: 0.0, update: 0.0, rounded: None, known: UNSETTLED };

impl<S: Real> FixedPointWorkspace<S> {
    /// A workspace for so many stages of a vector, whose entries come in groups of one kind and unit. After the stages there
    /// may be a row of numbers that the map keeps: how large the numbers are whose rounding the entries have.
    pub fn stages(stages: usize, rounded: bool, groups: &[usize]) -> Self {
        let columns: usize = groups.iter().sum();
        let made = Self::grouped(&vec![columns; stages + usize::from(rounded)]);
        let stages = Some(columns * stages).filter(|_| rounded);
        Self { columns: vec![NEW; columns], stages, groups: groups.to_vec(), ..made }
    }

    /// Forgets an earlier iteration.
    pub(super) fn begin(&mut self) {
        self.columns.fill(NEW);
    }

    /// Takes the next iterate.
    pub(super) fn update_columns(&mut self, x: &mut [S]) -> Change {
        let Self { next, columns, stages, .. } = self;
        let rows = stages.unwrap_or(x.len());
        let (n, mut change) = (columns.len(), Change { update: 0.0, worst: 0, is_round_off: false });
        for (j, column) in columns.iter_mut().enumerate() {
            (column.update, column.size) = (0.0, 0.0);
            for k in (j..rows).step_by(n) {
                column.update = f64::max((next[k] - x[k]).value().abs(), column.update);
                column.size = f64::max(next[k].value().abs(), column.size);
                x[k] = next[k];
            }
            column.rounded = x.get(rows + j).map(|x| x.value());
            let size = column.rounded.map_or(column.size, |rounded| f64::max(rounded, column.size));
            let update = size_ratio(column.update, size);
            if update > change.update {
                (change.update, change.worst) = (update, j);
            }
        }
        change
    }

    /// Whether all entries are settled.
    pub(super) fn is_settled(&mut self, stopping: &StoppingRule) -> bool {
        let tolerance = stopping.tolerance.unwrap_or(0.0);
        let (mut all, mut rest) = (true, &mut self.columns[..]);
        for &count in &self.groups {
            let (group, others) = rest.split_at_mut(count);
            let largest = group.iter().fold(0.0, |largest, column| f64::max(column.size, largest));
            for Column { size, update, rounded, known } in group {
                let settled;
                let sizes = ([*update, *size, largest], *rounded);
                (settled, *known) = StageRule::judge(&mut Made, S::EPSILON, tolerance, sizes, *known);
                all &= settled;
            }
            rest = others;
        }
        all
    }
}
