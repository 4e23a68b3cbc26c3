//! Fixed points: the one loop for equations of the form x = F(x).

use cotangent_scalar::Real;
use std::convert::Infallible;
use std::fmt::Display;

mod columns;

use crate::StoppingRule;
use crate::stopping::size_ratio;
use columns::Column;
pub use columns::{StageRule, UNSETTLED};

/// The memory of [`fixed_point`] for so many unknowns, allocated once.
#[derive(Clone, Debug)]
pub struct FixedPointWorkspace<S> {
    next: Vec<S>,
    /// The largest size of each unknown so far; the first alone if all have one.
    sizes: Vec<f64>,
    /// The entries of stages, where the unknowns are such.
    columns: Vec<Column>,
    /// How many unknowns are stages, where others follow them.
    stages: Option<usize>,
    /// How many unknowns each group has, in order.
    groups: Vec<usize>,
    /// Whether the unknowns of a group have the size of the largest of them.
    normed: bool,
}

impl<S: Real> FixedPointWorkspace<S> {
    /// A workspace for the given number of unknowns, each of its own kind.
    pub fn new(size: usize) -> Self {
        Self::grouped(&vec![1; size])
    }

    /// A workspace for groups of unknowns of one kind and unit, one after the other.
    pub fn grouped(groups: &[usize]) -> Self {
        let size = groups.iter().sum();
        let (next, groups) = (vec![S::from_f64(0.0); size], groups.to_vec());
        Self { next, sizes: vec![0.0; size], columns: vec![], stages: None, groups, normed: false }
    }

    /// A workspace for the entries of one vector or matrix, whose errors are measured by its largest entry: those that are
    /// smaller by many digits are not waited for.
    pub fn normed(size: usize) -> Self {
        Self { normed: true, ..Self::grouped(&[size]) }
    }

    /// The number of unknowns.
    pub fn size(&self) -> usize {
        self.next.len()
    }
}

/// The work and the outcome of a successful [`fixed_point`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FixedPointWork {
    /// Iterations until the values had converged.
    pub iterations: u32,
    /// Calls of the map, those for derivative parts included.
    pub evaluations: u32,
    /// max |δⱼ|/sⱼ at the last iteration of the values, with sⱼ the size of the unknown.
    pub update: f64,
    /// By how much an iteration shrinks the update, an estimate of how strongly the map contracts;
    /// 0 if the updates did not show it.
    pub contraction: f64,
}

/// Why [`fixed_point`] has no solution. The unknowns are left at the last iterate. `E` is what the map may say; without
/// it the reasons are those of the iteration alone.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum FixedPointError<E = Infallible> {
    /// The iteration did not arrive: the map does not contract, or too slowly.
    #[error(
        "the fixed-point iteration did not converge in {iterations} iterations: unknown {worst} still changes by \
         {update:.1e} of its size, {ratio:.2} times the change before"
    )]
    NotConverged {
        /// The largest update at the last iteration, relative to the unknown.
        update: f64,
        /// That update over the one before: 1 or more if the iteration does not contract.
        ratio: f64,
        /// Iterations made.
        iterations: u32,
        /// The unknown with the largest relative update.
        worst: usize,
    },
    /// An infinity or NaN came up.
    #[error("in iteration {iteration} of the fixed-point iteration unknown {index} is not finite")]
    NotFinite {
        /// Which unknown.
        index: usize,
        /// Iterations made before.
        iteration: u32,
    },
    /// The map itself failed.
    #[error(transparent)]
    Callback(E),
}

impl<E> FixedPointError<E> {
    /// The reason of the iteration itself; otherwise what the map said.
    pub fn own(self) -> Result<FixedPointError, E> {
        match self {
            Self::NotConverged { update, ratio, iterations, worst } => {
                Ok(FixedPointError::NotConverged { update, ratio, iterations, worst })
            }
            Self::NotFinite { index, iteration } => Ok(FixedPointError::NotFinite { index, iteration }),
            Self::Callback(error) => Err(error),
        }
    }

    /// The number of the unknown that changes most, where there is one.
    pub fn unknown(&self) -> Option<usize> {
        match self {
            Self::NotConverged { worst, .. } => Some(*worst),
            Self::NotFinite { .. } | Self::Callback(_) => None,
        }
    }
}

impl FixedPointError {
    /// The same with a name for the unknown that changes most.
    pub fn named(&self, unknown: Option<&dyn Display>) -> String {
        match (self, unknown) {
            (Self::NotConverged { update, ratio, iterations, .. }, Some(name)) => format!(
                "the fixed-point iteration did not converge in {iterations} iterations: {name} still changes by \
                 {update:.1e} of its size, {ratio:.2} times the change before"
            ),
            (other, _) => other.to_string(),
        }
    }
}

/// Changes of a derivative part that would be lost beside it if they were so much smaller count as
/// round-off.
const JITTER: f64 = 1.0 / 4096.0;
/// The part of its digits that an unknown must have before a stall counts as round-off.
const ROUGH: f64 = 0.375;

/// How often in a row updates at round-off must fail to be the smallest so far to count as a stall.
const STALLS: u32 = 3;

/// Solves x = F(x) by x ← F(x), for maps that contract.
///
/// `unknowns` holds the first guess before and the solution after. `map` fills F(x), all of it; an
/// error it returns ends the iteration.
///
/// The [`StoppingRule`] is understood as for [`newton`](crate::newton), with what a linearly
/// converging iteration can know. With δ the update, u the precision, sⱼ the largest size of
/// unknown j so far, and everything relative to that, it has arrived when
///
/// 1. no value changes; or
/// 2. |δⱼ| ≤ u sⱼ for every unknown, and either the updates no longer shrink or, with θ the ratio of
///    the last two, all further updates together are negligible, θ/(1 − θ) |δⱼ| ≤ u sⱼ/16; or
/// 3. three updates in a row were not the smallest so far, and are round-off: |δⱼ| ≤ u^⅜ times the
///    largest size in its group. (Where the iterates of a slow contraction or a cancellation jitter
///    by more than a unit; an unknown that happens to be zero has no size of its own.)
///
/// With a `tolerance`, an update of |δⱼ| ≤ tolerance · sⱼ is the last, too. Units do not matter, and
/// the `scale` of the rule is not used. The stages of a Runge–Kutta method have a rule of their own, [`StageRule`].
/// Updates that grow to
/// 1/√u times the smallest before are a divergence and end the iteration at once; a contraction
/// that is too slow for `max_iterations` ends it then.
///
/// Decisions look at values only, so an iteration on dual numbers makes the same updates of the
/// values, to the bit, as one on plain numbers. Derivative parts converge at the same rate, but one
/// behind the other: the error of the part of order d obeys δₖ₊₁ = F′ δₖ + (errors of lower
/// order), so each order needs as long again once the order below has arrived. How long that is
/// does not depend on the guess for the values, which may have been good, but on the rate θ at
/// which they converged: ln u/ln θ. So after the values have converged there are up to
/// [`Real::DERIVATIVE_ORDER`] · (max(k, ln u/ln θ) + 2) further iterations, k being those that the
/// values took, in which the values are held; they end early when no part changes any more. Where
/// the values arrived before they could show a rate, or showed one that is too slow,
/// `max_iterations` takes the place of ln u/ln θ, and it is an error if derivative parts still
/// change by more than round-off then.
///
/// # Panics
/// If the number of unknowns is not that of the workspace.
pub fn fixed_point<S: Real, E>(
    workspace: &mut FixedPointWorkspace<S>,
    stopping: &StoppingRule,
    unknowns: &mut [S],
    mut map: impl FnMut(&[S], &mut [S]) -> Result<(), E>,
) -> Result<FixedPointWork, FixedPointError<E>> {
    let (w, x) = (workspace, unknowns);
    assert_eq!(x.len(), w.size(), "as many unknowns as the workspace is for");
    let mut work = FixedPointWork { iterations: 0, evaluations: 0, update: 0.0, contraction: 0.0 };
    if x.is_empty() {
        return Ok(work);
    }
    w.sizes.fill(0.0);
    w.begin();
    finite(x, 0)?;
    let mut history = History::new();
    loop {
        let change = w.evaluate(x, &mut map, &mut work)?;
        history.note::<S>(&change);
        (work.update, work.contraction) = (change.update, history.rate.unwrap_or(0.0));
        let verdict = match w.columns.is_empty() {
            true => history.judge::<S>(stopping, &change),
            false if w.is_settled(stopping) => Verdict::Arrived,
            false => Verdict::Continue,
        };
        match verdict {
            Verdict::Arrived => break,
            Verdict::Diverged => return Err(history.not_converged(&work, change.worst)),
            Verdict::Continue if work.iterations >= stopping.max_iterations => {
                return Err(history.not_converged(&work, change.worst));
            }
            Verdict::Continue => {}
        }
    }
    if S::DERIVATIVE_ORDER > 0 {
        let (rounds, certain) = history.rounds::<S>(&work, stopping);
        if !w.converge_derivatives(x, rounds, &mut map, &mut work)? && !certain {
            return Err(history.not_converged(&work, history.worst));
        }
    }
    Ok(work)
}

/// How much the last iteration changed.
#[derive(Clone, Copy)]
struct Change {
    /// max |δⱼ|/sⱼ.
    update: f64,
    worst: usize,
    /// Whether round-off alone explains it.
    is_round_off: bool,
}

impl<S: Real> FixedPointWorkspace<S> {
    /// One iteration.
    fn evaluate<E>(
        &mut self,
        x: &mut [S],
        map: &mut impl FnMut(&[S], &mut [S]) -> Result<(), E>,
        work: &mut FixedPointWork,
    ) -> Result<Change, FixedPointError<E>> {
        work.evaluations += 1;
        map(x, &mut self.next).map_err(FixedPointError::Callback)?;
        finite(&self.next, work.iterations)?;
        work.iterations += 1;
        if self.normed {
            return Ok(self.update_normed(x));
        }
        if !self.columns.is_empty() {
            return Ok(self.update_columns(x));
        }
        let mut change = Change { update: 0.0, worst: 0, is_round_off: true };
        let mut first = 0;
        for &count in &self.groups {
            let group = first..first + count;
            let sizes = group.clone().map(|j| self.sizes[j].max(self.next[j].value().abs()));
            let largest = sizes.fold(0.0, f64::max);
            let rough = S::EPSILON.powf(ROUGH) * largest;
            for j in group {
                let delta = (self.next[j] - x[j]).value().abs();
                change.is_round_off &= delta <= rough;
            }
            first += count;
        }
        for (j, ((x, &next), size)) in x.iter_mut().zip(&self.next).zip(&mut self.sizes).enumerate() {
            let delta = (next - *x).value().abs();
            *size = size.max(x.value().abs()).max(next.value().abs());
            let update = size_ratio(delta, *size);
            if update > change.update || update.is_nan() {
                (change.update, change.worst) = (update, j);
            }
            *x = next;
        }
        Ok(change)
    }

    /// Takes the next iterate, with the size of the largest unknown for all.
    fn update_normed(&mut self, x: &mut [S]) -> Change {
        let (mut largest, mut delta, mut worst) = (self.sizes.first().copied().unwrap_or(0.0), 0.0, 0);
        // All are finite: comparisons that rarely hold are cheaper than maxima.
        for (j, (x, &next)) in x.iter_mut().zip(&self.next).enumerate() {
            let (change, before, after) = ((next - *x).value().abs(), x.value().abs(), next.value().abs());
            if change > delta {
                (delta, worst) = (change, j);
            }
            if before > largest {
                largest = before;
            }
            if after > largest {
                largest = after;
            }
            *x = next;
        }
        if let Some(size) = self.sizes.first_mut() {
            *size = largest;
        }
        let update = size_ratio(delta, largest);
        Change { update, worst, is_round_off: update <= S::EPSILON.powf(ROUGH) }
    }

    /// Iterates with the values held; whether the derivative parts have settled.
    fn converge_derivatives<E>(
        &mut self,
        x: &mut [S],
        rounds: u32,
        map: &mut impl FnMut(&[S], &mut [S]) -> Result<(), E>,
        work: &mut FixedPointWork,
    ) -> Result<bool, FixedPointError<E>> {
        let mut settled = false;
        for _ in 0..S::DERIVATIVE_ORDER.saturating_mul(rounds) {
            work.evaluations += 1;
            map(x, &mut self.next).map_err(FixedPointError::Callback)?;
            finite(&self.next, work.iterations)?;
            let mut changed = false;
            settled = true;
            for (x, &next) in x.iter_mut().zip(&self.next) {
                let change = (next - *x).infinitesimal();
                changed |= !change.is_zero();
                // Round-off: so small a part of it is lost beside each part of x.
                settled &= (*x + S::from_f64(JITTER) * change - *x).infinitesimal().is_zero();
                *x = *x + change;
            }
            if !changed {
                break;
            }
        }
        Ok(settled)
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Verdict {
    Continue,
    Arrived,
    Diverged,
}

const RECENT: usize = 8;

/// The updates so far, as far as they matter.
struct History {
    previous: f64,
    ratio: f64,
    smallest: f64,
    /// The mean ratio of all updates above round-off, or of the recent ones if larger.
    rate: Option<f64>,
    first: f64,
    /// The last updates, in turn.
    recent: [f64; RECENT],
    count: u32,
    stalls: u32,
    worst: usize,
}

impl History {
    fn new() -> Self {
        let none = f64::INFINITY;
        let recent = [none; RECENT];
        Self {
            previous: none,
            ratio: 0.0,
            smallest: none,
            rate: None,
            first: none,
            recent,
            count: 0,
            stalls: 0,
            worst: 0,
        }
    }

    fn note<S: Real>(&mut self, change: &Change) {
        let update = change.update;
        self.worst = change.worst;
        self.ratio = size_ratio(update, self.previous);
        // Smaller by more than the growth of an unknown by a unit makes it.
        self.stalls = if update < 0.9 * self.smallest { 0 } else { self.stalls + 1 };
        if self.count == 0 {
            self.first = update;
        } else if update > 64.0 * S::EPSILON {
            let mean = (update / self.first).powf(1.0 / f64::from(self.count));
            let before = self.recent[self.count as usize % RECENT];
            self.rate = Some(mean.max((update / before).powf(1.0 / RECENT as f64)));
        }
        self.recent[self.count as usize % RECENT] = update;
        self.count += 1;
        self.previous = update;
    }

    fn judge<S: Real>(&mut self, stopping: &StoppingRule, change: &Change) -> Verdict {
        let least = self.smallest;
        self.smallest = least.min(change.update);
        let rest = if self.ratio < 1.0 { change.update * self.ratio / (1.0 - self.ratio) } else { f64::INFINITY };
        let tolerated = stopping.tolerance.is_some_and(|tolerance| change.update <= tolerance);
        if tolerated
            || change.update == 0.0
            || (change.update <= S::EPSILON && (self.stalls > 0 || rest <= S::EPSILON / 16.0))
            || (change.is_round_off && self.stalls >= STALLS)
        {
            return Verdict::Arrived;
        }
        // Relative to the size reached, a divergence shows as updates of order one that stay.
        let grown = !change.is_round_off && change.update * S::EPSILON.sqrt() >= least;
        if grown || !change.update.is_finite() { Verdict::Diverged } else { Verdict::Continue }
    }

    /// Iterations that make the derivatives of one order right when those below are, and whether
    /// the values have shown that they do.
    fn rounds<S: Real>(&self, work: &FixedPointWork, stopping: &StoppingRule) -> (u32, bool) {
        let most = stopping.max_iterations;
        let needed = match self.rate {
            Some(rate) if rate < 1.0 => (S::EPSILON.ln() / rate.ln()).ceil(),
            _ => f64::INFINITY,
        };
        // A rate seen only briefly may be too good: it must leave room.
        let certain = match self.count as usize > RECENT {
            true => needed <= f64::from(most),
            false => 2.0 * needed <= f64::from(most),
        };
        let rounds = if certain && self.count as usize > RECENT { needed as u32 } else { most };
        (work.iterations.max(rounds).saturating_add(2), certain)
    }

    fn not_converged<E>(&self, work: &FixedPointWork, worst: usize) -> FixedPointError<E> {
        let (update, ratio) = (self.previous, self.ratio);
        FixedPointError::NotConverged { update, ratio, iterations: work.iterations, worst }
    }
}

fn finite<S: Real, E>(values: &[S], iteration: u32) -> Result<(), FixedPointError<E>> {
    match values.iter().position(|value| !value.is_finite()) {
        Some(index) => Err(FixedPointError::NotFinite { index, iteration }),
        None => Ok(()),
    }
}
