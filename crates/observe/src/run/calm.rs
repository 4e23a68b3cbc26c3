//! Steps that nobody wants measured: each is looked at, but only for how well forces are determined, and several of them for their
//! energy.

use super::{Run, RunError};
use cotangent_dynamics::{Advance, Failure, Measure, State, Time};

/// So many steps at most are looked at as one for their energy, and no more of them than have so many numbers.
const STEPS: u64 = 64;
const NUMBERS: usize = 1 << 22;
/// A step whose changes differ from those of the step before by this part of the largest changes is measured: where a motion turns
/// so fast, several steps may change the energy by far more than all of them together.
const TURN: f64 = 0.05;

/// What became of several steps.
pub(super) enum Calm {
    /// Some are made.
    Made,
    /// Somebody asked to stop.
    Interrupted,
    /// The next one has to be looked at more closely.
    Over,
}

impl<I: Advance, D: Measure> Run<I, D> {
    /// How many steps may be looked at as one now, if it is several. That depends on the steps so far alone, so that a resumed run
    /// does the same.
    pub(super) fn calm_steps(&mut self) -> Option<u64> {
        let is_plain = self.schedule.record == 0 && self.schedule.every.is_none() && self.time == Time::Parameter;
        if !is_plain || !self.monitor.is_calm() || self.integrator.own_steps().is_some() {
            return None;
        }
        // The last step is made by itself.
        let to_end = self.schedule.total().saturating_sub(self.done + 1);
        let most = STEPS.min((NUMBERS / self.state.values.len().max(1)) as u64).min(to_end);
        (most > 1 && self.quantities.conditioning().is_some()).then_some(most)
    }

    /// Makes up to so many steps, as long as forces are determined well.
    pub(super) fn make_calmly(&mut self, h: f64, most: u64) -> Result<Calm, RunError> {
        self.since.copy_from(&self.state);
        self.remember();
        self.changes.clear();
        self.changes.resize(self.state.values.len(), [0.0; 2]);
        let begun = self.counts();
        let energy = self.quantities.last().energy;
        // Before the next step, if it is known there.
        let mut known = Some(energy);
        let mut counts = begun;
        let mut steps = 0;
        while steps < most {
            self.before.copy_from(&self.state);
            let made = self.integrator.advance(&mut self.state, h, 1);
            if let Err((_, Failure::Interrupted)) = made {
                // What comes next is as if nobody had asked.
                self.return_to_first(begun)?;
                return Ok(Calm::Interrupted);
            }
            let is_ordinary = made.is_ok() && self.changes_ordinarily(&mut known);
            let [before, after] = [&self.before.values[..], &self.state.values];
            let is_well = match self.quantities.conditioning().filter(|_| is_ordinary) {
                Some(conditioning) => conditioning.stays_well([before, after]).unwrap_or(false),
                None => false,
            };
            if !is_well {
                self.state.copy_from(&self.before);
                break;
            }
            steps += 1;
            counts = self.counts();
        }
        if steps == 0 {
            self.forget(counts);
            self.quantities.kept(&self.state.values)?;
            self.monitor.look_closely();
            return Ok(Calm::Over);
        }
        // Something that has to be spoken of may have changed the energy.
        let now = self.quantities.kept(&self.state.values).map_or(f64::NAN, |kept| kept.energy);
        let terms = || self.quantities.energy_magnitude(&self.state.values).unwrap_or(0.0);
        if !self.monitor.expects(now - energy, steps, terms) {
            self.return_to_first(begun)?;
            return Ok(Calm::Over);
        }
        self.forget(counts);
        self.done += steps;
        self.monitor.mended += counts[2] - begun[2];
        self.monitor.note_calm(now - energy, steps);
        let error = now - self.kept.as_slice()[0].initial;
        if self.monitor.is_new_error(error) {
            let magnitude = self.quantities.energy_magnitude(&self.state.values)?;
            self.monitor.note_error(self.schedule.time(self.done), error, magnitude);
        }
        Ok(Calm::Made)
    }

    /// Whether the step from `before` to the state changes the energy no more than others have let expect, if it turns the motion so
    /// fast that this has to be known. The energy before it may be known, and may be known behind it.
    fn changes_ordinarily(&mut self, known: &mut Option<f64>) -> bool {
        let before = known.take();
        if !self.turns() {
            return true;
        }
        let mut energy = |state: &State<f64>| self.quantities.kept(&state.values).map_or(f64::NAN, |kept| kept.energy);
        let before = before.unwrap_or_else(|| energy(&self.before));
        let after = energy(&self.state);
        *known = Some(after);
        let terms = || self.quantities.energy_magnitude(&self.state.values).unwrap_or(0.0);
        self.monitor.expects_one(after - before, terms)
    }

    /// Whether the changes of the variables in the step from `before` to the state are others than in the step before.
    fn turns(&mut self) -> bool {
        let mut turns = false;
        let steps = self.before.values.iter().zip(&self.state.values);
        for ([last, largest], (before, after)) in self.changes.iter_mut().zip(steps) {
            let change = after - before;
            turns |= (change - *last).abs() > TURN * *largest;
            *last = change;
            *largest = largest.max(change.abs());
        }
        turns
    }

    /// Updates, iterations and steps that were brought back so far.
    pub(super) fn counts(&self) -> [u64; 3] {
        [self.integrator.iterations(), self.integrator.contractions(), self.integrator.mended()]
    }

    /// What was done since these counts is done again.
    pub(super) fn forget(&mut self, begun: [u64; 3]) {
        self.forget_between(begun, self.counts());
    }

    /// What was done between these counts is done again.
    pub(super) fn forget_between(&mut self, begun: [u64; 3], ended: [u64; 3]) {
        self.again[0] += ended[0] - begun[0];
        self.again[1] += ended[1] - begun[1];
    }

    /// None of the steps is made.
    fn return_to_first(&mut self, begun: [u64; 3]) -> Result<(), RunError> {
        self.forget(begun);
        self.before.copy_from(&self.since);
        self.go_back()
    }
}
