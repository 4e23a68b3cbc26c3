//! A history in the making.

use super::observer::{Observer, Sample, Verdict};
use super::rows::len;
use crate::history::History;
use cotangent_dynamics::{Measure, Recorded};
use cotangent_scalar::largest;
use std::ops::ControlFlow;

/// The errors of a history: that of the energy, the largest constraint residual and hidden one.
pub const HISTORY_ERRORS: [&str; 3] = ["energy error", "constraints", "hidden constraints"];

/// Takes states into a history: the variables of the model, the observables, the numbers of the picture.
pub(crate) struct Watch {
    pub(crate) history: History,
    values: Vec<f64>,
    /// How many variables and observables there are.
    lengths: [usize; 2],
    /// Whether observables are evaluated after every step.
    always: bool,
}

/// How many values each sample of a history has.
pub(crate) fn watched(names: &Recorded) -> [usize; 3] {
    [len(&names.state), len(&names.observables), names.drawn]
}

impl Watch {
    pub(crate) fn new(history: History, names: &Recorded) -> Watch {
        let [n, o, drawn] = watched(names);
        // Observables without a range need not be known between samples.
        let always = history.ranged().iter().any(|r| (n..n + o).contains(r));
        Watch { history, values: vec![0.0; n + o + drawn], lengths: [n, o], always }
    }

    /// Takes note of a state, and a sample of it if one is due, or wanted.
    pub(crate) fn look<D: Measure>(&mut self, sample: &mut Sample<'_, D>, wanted: bool) {
        let kept = sample.quantities.last();
        let [constraints, hidden] = [&kept.constraints, &kept.hidden_constraints].map(largest);
        let errors = [sample.energy_error(), constraints, hidden];
        self.history.note(errors.into_iter());
        let regular = self.history.is_due(sample.step);
        let wanted = wanted || regular || sample.is_last;
        let sampled = wanted && self.history.times().last() != Some(&sample.time);
        let [n, o] = self.lengths;
        let state = &{ sample.state }.values;
        let (own, rest) = self.values.split_at_mut(n);
        // A model's momenta that do not exist are seen in the energy, too, which is measured before.
        if sample.quantities.model_state(state, own).is_err() {
            own.fill(f64::NAN);
        }
        let (observed, drawn) = rest.split_at_mut(o);
        if sampled || self.always {
            match sample.quantities.observe(state, observed) {
                Ok(()) if sampled => sample.observed(observed),
                Ok(()) => {}
                Err(failure) => {
                    observed.fill(f64::NAN);
                    if sampled {
                        sample.has_no_value(&failure);
                    }
                }
            }
        }
        if !sampled {
            self.history.note_values(&self.values[..n + o]);
            return;
        }
        if let Err(failure) = sample.quantities.draw(state, drawn) {
            drawn.fill(f64::NAN);
            sample.has_no_value(&failure);
        }
        match regular || self.history.times().is_empty() {
            true => self.history.sample(sample.time, &self.values),
            false => self.history.close(sample.time, &self.values),
        }
    }
}

impl<I, D: Measure> Observer<I, D> for Watch {
    fn sample(&mut self, sample: &mut Sample<'_, D>) -> Verdict {
        self.look(sample, false);
        Ok(ControlFlow::Continue(()))
    }
}
