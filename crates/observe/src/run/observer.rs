//! Who is shown what a run does, and may stop it.

use super::{End, Run, RunError};
use crate::statistics::ExtremesList;
use cotangent_dynamics::{Failure, Kept, Measure, State};
use serde::{Deserialize, Serialize};
use std::marker::PhantomData;
use std::ops::ControlFlow;

/// What an observer says: go on, or stop.
pub type Verdict = Result<ControlFlow<()>, RunError>;

/// Is shown what a run does. The default of each method looks away.
///
/// Tables, histories, checkpoints and bars of progress are observers; so is a closure, by [`each`] and [`progress`].
pub trait Observer<I, D> {
    /// The run begins, or goes on from where it is.
    fn begin(&mut self, _run: &mut Run<I, D>) -> Result<(), RunError> {
        Ok(())
    }

    /// A step was made and measured.
    fn sample(&mut self, _sample: &mut Sample<'_, D>) -> Verdict {
        Ok(ControlFlow::Continue(()))
    }

    /// Steps were made that are not measured, where each is looked at: this is the state after so many of the run.
    fn pass(&mut self, _step: u64, _state: &State<f64>) {}

    /// Between steps, some twenty times a second by the clock of the run.
    fn pause(&mut self, _run: &mut Run<I, D>) -> Verdict {
        Ok(ControlFlow::Continue(()))
    }

    /// The run has ended, or an error has ended it.
    fn end(&mut self, _run: &mut Run<I, D>, _end: Result<&End, &RunError>) -> Result<(), RunError> {
        Ok(())
    }
}

/// The state of a run after a step.
pub struct Sample<'a, D> {
    /// Steps made.
    pub step: u64,
    /// The time.
    pub time: f64,
    /// The parameter by which steps are made, where time is another one.
    pub parameter: Option<f64>,
    /// Whether it is the last of the run.
    pub is_last: bool,
    /// The state of the equations of motion.
    pub state: &'a State<f64>,
    /// What can be measured there; [`Measure::last`] has what should be kept, at this state.
    pub quantities: &'a mut D,
    /// The energy at the start.
    pub initial_energy: f64,
    pub(crate) unobserved: &'a mut Option<Unobserved>,
}

impl<D: Measure> Sample<'_, D> {
    /// By how much the energy has changed since the start.
    pub fn energy_error(&self) -> f64 {
        self.quantities.last().energy - self.initial_energy
    }
}

impl<D> Sample<'_, D> {
    /// Notes that an observable or the picture has no value here.
    pub(crate) fn has_no_value(&mut self, why: &Failure) {
        self.gap().reason.get_or_insert_with(|| why.to_string());
    }

    /// Notes which observables are infinite or not a number here.
    pub(crate) fn observed(&mut self, values: &[f64]) {
        if values.iter().all(|v| v.is_finite()) {
            return;
        }
        let entries = &mut self.gap().observables;
        let undefined = (0..values.len()).filter(|k| !values[*k].is_finite());
        undefined.for_each(|k| {
            if let Err(place) = entries.binary_search(&k) {
                entries.insert(place, k);
            }
        });
    }

    /// The samples without a value, with this one, which is counted once, whoever takes it.
    fn gap(&mut self) -> &mut Unobserved {
        let Sample { step, time, .. } = *self;
        let first = || Unobserved { samples: 0, time, reason: None, observables: vec![], last: None };
        let gap = self.unobserved.get_or_insert_with(first);
        gap.samples += u64::from(gap.last != Some(step));
        gap.last = Some(step);
        gap
    }
}

/// Samples at which observables or the picture had no finite value.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Unobserved {
    /// How many.
    pub samples: u64,
    /// The time of the first.
    pub time: f64,
    /// Why the first could not be evaluated; NaN stands in its place.
    pub reason: Option<String>,
    /// The observables that were infinite or not a number, by their places in a row.
    #[serde(default)]
    pub observables: Vec<usize>,
    /// The step of the last.
    #[serde(default)]
    last: Option<u64>,
}

/// How far a run is.
#[derive(Clone, Copy, Debug)]
pub struct Progress {
    /// Steps made.
    pub done: u64,
    /// Steps in all.
    pub total: u64,
    /// The time reached.
    pub time: f64,
}

/// A closure that is shown every step that is measured: all of them, but with `record` 0 and without constraints only
/// the last.
pub fn each<D, F: FnMut(&mut Sample<'_, D>) -> ControlFlow<()>>(look: F) -> Each<D, F> {
    Each(look, PhantomData)
}

/// See [`each`].
pub struct Each<D, F>(F, PhantomData<fn(&mut D)>);

impl<I, D, F: FnMut(&mut Sample<'_, D>) -> ControlFlow<()>> Observer<I, D> for Each<D, F> {
    fn sample(&mut self, sample: &mut Sample<'_, D>) -> Verdict {
        Ok((self.0)(sample))
    }
}

/// A closure that is told how far the run is.
pub fn progress<F: FnMut(Progress)>(tell: F) -> OnProgress<F> {
    OnProgress(tell)
}

/// See [`progress`].
pub struct OnProgress<F>(F);

impl<I, D: Measure, F: FnMut(Progress)> Observer<I, D> for OnProgress<F> {
    fn pause(&mut self, run: &mut Run<I, D>) -> Verdict {
        (self.0)(run.progress());
        Ok(ControlFlow::Continue(()))
    }
}

impl<I, D: Measure> Observer<I, D> for ExtremesList {
    fn sample(&mut self, sample: &mut Sample<'_, D>) -> Verdict {
        let Kept { energy, constraints, hidden_constraints, claims } = sample.quantities.last();
        self.record_parts(&[std::slice::from_ref(energy), constraints, hidden_constraints, claims])?;
        Ok(ControlFlow::Continue(()))
    }
}
