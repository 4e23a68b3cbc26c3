//! Constraints that a run leaves.
//!
//! Equations that do not keep constraints drift off them, and at first that is an error like others. From a percent of the
//! terms of a constraint on it is another model: a rod is then longer or shorter by about as much.

use crate::certificate::{Candidate, residual_sizes};
use cotangent_dynamics::{Advance, Canonical, Kept, Measure, State};
use cotangent_observe::{Observer, Run, RunError, Sample, Verdict};
use std::ops::ControlFlow;

/// A constraint is left where its residual is this part of its terms.
const PART: f64 = 0.01;

/// Steps after which the sizes of terms are taken again, besides those whose number is a power of two.
const EVERY: u64 = 64;

/// A constraint that a run has left.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Departure {
    /// Whether it is a hidden one.
    pub hidden: bool,
    /// Its number.
    pub member: usize,
    /// When its residual was first seen to be a part of its terms that changes the model; none if that was before the run was
    /// resumed.
    pub time: Option<f64>,
}

/// Residuals that are a part of their terms.
#[derive(Clone, Copy)]
struct Left {
    /// The largest of them.
    largest: f64,
    /// Steps made, and the time, at the first.
    step: u64,
    time: Option<f64>,
}

/// A residual is looked at again where it is so many times as large.
const AGAIN: f64 = 1.1;

/// Looks for the first constraint that a run leaves.
///
/// Terms may be small early, and vanish, as at a vertex: how large they are is known at the end of a run. What was a part of
/// them is dropped where they have outgrown it.
pub struct Departures<'a> {
    manifold: Option<Box<dyn Canonical<f64> + 'a>>,
    /// The largest sizes of the terms of constraints and hidden constraints so far.
    sizes: [Vec<f64>; 2],
    /// Those that are left, as far as is known.
    left: [Vec<Option<Left>>; 2],
    step: f64,
    /// Whether hidden constraints are left, too.
    hidden: bool,
    /// Steps made when sizes were taken last.
    taken: u64,
}

impl<'a> Departures<'a> {
    /// Of a run with steps of this size.
    pub fn new<C: Candidate>(problem: &'a C, step: f64) -> Departures<'a> {
        let given = problem.surface_scales();
        let manifold = if given.is_some() { None } else { problem.numbers().manifold().ok().flatten() };
        let sizes = given.unwrap_or_default();
        Departures { manifold, sizes, left: [vec![], vec![]], step, hidden: true, taken: 0 }
    }

    /// The same for equations with springs in the place of constraints: their lengths tell, not how fast they swing.
    pub fn of_springs(self) -> Departures<'a> {
        Departures { hidden: false, ..self }
    }

    /// The constraint that was left first, if one was; of several at once the one with the largest part.
    pub fn found(&self) -> Option<Departure> {
        let mut first: Option<(u64, f64, Departure)> = None;
        for (level, (list, sizes)) in self.left.iter().zip(&self.sizes).enumerate() {
            for (member, (left, size)) in list.iter().zip(sizes).enumerate() {
                let Some(Left { largest, step, time }) = left.filter(|left| is_left(left.largest, *size)) else {
                    continue;
                };
                let part = largest / size;
                if first.is_none_or(|(before, most, _)| step < before || step == before && part > most) {
                    first = Some((step, part, Departure { hidden: level == 1, member, time }));
                }
            }
        }
        first.map(|(_, _, departure)| departure)
    }

    /// Takes the sizes of terms at a state, too.
    fn grow(&mut self, step: u64, state: &[f64]) {
        self.taken = step;
        let Some(manifold) = &mut self.manifold else { return };
        let Some(found) = residual_sizes(manifold.as_mut(), state, self.step, 0.0) else { return };
        for (sizes, found) in self.sizes.iter_mut().zip(found) {
            sizes.resize(found.len(), 0.0);
            sizes.iter_mut().zip(found).filter(|(_, f)| f.is_finite()).for_each(|(s, f)| *s = s.max(f));
        }
    }

    /// Whether sizes are to be taken after so many steps.
    fn is_due(&self, step: u64) -> bool {
        step.is_power_of_two() || step / EVERY > self.taken / EVERY
    }

    /// Whether one of these residuals is a part of its terms, and larger than before.
    fn is_new(&self, residuals: [&[f64]; 2]) -> bool {
        (0..self.levels()).any(|level| {
            let before = |k: usize| self.left[level].get(k).copied().flatten().map_or(0.0, |left| left.largest);
            let mut members = residuals[level].iter().zip(&self.sizes[level]).enumerate();
            members.any(|(k, (residual, size))| is_left(residual.abs(), *size) && residual.abs() > AGAIN * before(k))
        })
    }

    /// Takes note of these residuals, and drops what is no such part any more; whether one of them is.
    fn note(&mut self, residuals: [&[f64]; 2], step: u64, time: Option<f64>) -> bool {
        let mut leaves = false;
        for level in 0..self.levels() {
            let list = &mut self.left[level];
            list.resize(self.sizes[level].len(), None);
            for ((left, residual), size) in list.iter_mut().zip(residuals[level]).zip(&self.sizes[level]) {
                *left = left.filter(|left| is_left(left.largest, *size));
                if is_left(residual.abs(), *size) {
                    leaves = true;
                    let left = left.get_or_insert(Left { largest: 0.0, step, time });
                    left.largest = left.largest.max(residual.abs());
                }
            }
        }
        leaves
    }

    fn levels(&self) -> usize {
        if self.hidden { 2 } else { 1 }
    }
}

/// Whether a residual is more of its terms than a constraint is kept to. Without terms nothing moves.
fn is_left(residual: f64, size: f64) -> bool {
    size > 0.0 && residual > PART * size
}

impl<I: Advance, D: Measure> Observer<I, D> for Departures<'_> {
    fn begin(&mut self, run: &mut Run<I, D>) -> Result<(), RunError> {
        self.grow(run.done(), &run.state().values.clone());
        if run.done() > 0 {
            let before = [run.constraints(), run.hidden_constraints()];
            let [constraints, hidden] = before.map(|list| list.iter().map(|e| e.max_abs).collect::<Vec<f64>>());
            self.note([&constraints, &hidden], 0, None);
        }
        Ok(())
    }

    fn sample(&mut self, sample: &mut Sample<'_, D>) -> Verdict {
        let Kept { constraints, hidden_constraints, .. } = sample.quantities.last();
        let residuals = [&constraints[..], hidden_constraints];
        if self.is_due(sample.step) || sample.is_last || self.is_new(residuals) {
            let before = self.sizes.clone();
            self.grow(sample.step, &sample.state.values);
            if self.note(residuals, sample.step, Some(sample.time)) {
                // Off the constraints terms say nothing of those on them.
                for (sizes, before) in self.sizes.iter_mut().zip(before) {
                    sizes.iter_mut().zip(before).filter(|(_, b)| *b > 0.0).for_each(|(s, b)| *s = b);
                }
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    fn pass(&mut self, step: u64, state: &State<f64>) {
        if self.is_due(step) {
            self.grow(step, &state.values);
        }
    }
}
