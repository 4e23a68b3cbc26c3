//! Constraints that a run leaves.
//!
//! Equations that do not keep constraints drift off them, and at first that is an error like others. From a percent of the
//! terms of a constraint on it is another model: a rod is then longer or shorter by about as much.

use crate::certificate::{Candidate, residual_sizes};
use cotangent_dynamics::{Advance, Canonical, Kept, Measure};
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

/// Looks for the first constraint that a run leaves.
pub struct Departures<'a> {
    manifold: Option<Box<dyn Canonical<f64> + 'a>>,
    /// The largest sizes of the terms of constraints and hidden constraints so far.
    sizes: [Vec<f64>; 2],
    step: f64,
    /// Whether hidden constraints are left, too.
    hidden: bool,
    found: Option<Departure>,
}

impl<'a> Departures<'a> {
    /// Of a run with steps of this size.
    pub fn new<C: Candidate>(problem: &'a C, step: f64) -> Departures<'a> {
        let given = problem.surface_scales();
        let manifold = if given.is_some() { None } else { problem.numbers().manifold().ok().flatten() };
        Departures { manifold, sizes: given.unwrap_or_default(), step, hidden: true, found: None }
    }

    /// The same for equations with springs in the place of constraints: their lengths tell, not how fast they swing.
    pub fn of_springs(self) -> Departures<'a> {
        Departures { hidden: false, ..self }
    }

    /// The constraint that was left first, if one was.
    pub fn found(&self) -> Option<Departure> {
        self.found
    }

    /// Takes the sizes of terms at a state, too.
    fn grow(&mut self, state: &[f64]) {
        let Some(manifold) = &mut self.manifold else { return };
        let Some(found) = residual_sizes(manifold.as_mut(), state, self.step, 0.0) else { return };
        for (sizes, found) in self.sizes.iter_mut().zip(found) {
            sizes.resize(found.len(), 0.0);
            sizes.iter_mut().zip(found).filter(|(_, f)| f.is_finite()).for_each(|(s, f)| *s = s.max(f));
        }
    }

    /// The residual that is the largest part of its terms, if that is more than a constraint is kept to.
    fn beyond(&self, residuals: [&mut dyn Iterator<Item = f64>; 2]) -> Option<(bool, usize)> {
        let mut worst = (PART, None);
        let levels = if self.hidden { 2 } else { 1 };
        for ((level, residuals), sizes) in residuals.into_iter().enumerate().zip(&self.sizes).take(levels) {
            for (member, (residual, size)) in residuals.zip(sizes).enumerate() {
                // Without terms nothing moves.
                if *size > 0.0 && residual.abs() > worst.0 * size {
                    worst = (residual.abs() / size, Some((level == 1, member)));
                }
            }
        }
        worst.1
    }

    fn kept(&self, kept: &Kept) -> Option<(bool, usize)> {
        let [constraints, hidden] = [&kept.constraints, &kept.hidden_constraints].map(|list| list.iter().copied());
        self.beyond([&mut { constraints }, &mut { hidden }])
    }
}

impl<I: Advance, D: Measure> Observer<I, D> for Departures<'_> {
    fn begin(&mut self, run: &mut Run<I, D>) -> Result<(), RunError> {
        self.grow(&run.state().values.clone());
        if run.done() > 0 {
            let [constraints, hidden] =
                [run.constraints(), run.hidden_constraints()].map(|list| list.iter().map(|e| e.max_abs));
            let before = self.beyond([&mut { constraints }, &mut { hidden }]);
            self.found = before.map(|(hidden, member)| Departure { hidden, member, time: None });
        }
        Ok(())
    }

    fn sample(&mut self, sample: &mut Sample<'_, D>) -> Verdict {
        let regular = sample.step.is_power_of_two() || sample.step.is_multiple_of(EVERY);
        if self.found.is_none() && (regular || self.kept(sample.quantities.last()).is_some()) {
            self.grow(&sample.state.values);
            let found = self.kept(sample.quantities.last());
            self.found = found.map(|(hidden, member)| Departure { hidden, member, time: Some(sample.time) });
        }
        Ok(ControlFlow::Continue(()))
    }
}
