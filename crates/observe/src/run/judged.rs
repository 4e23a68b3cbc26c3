//! Steps that are looked at one by one: whether they went on smoothly.

use super::calm::Calm;
use super::made::{Made, Seen};
use super::{Halt, Observers, Run, RunError};
use cotangent_dynamics::{Advance, Failure, Measure, Time};

/// A lapse that is this part of its largest value vanishes…
const VANISHED: f64 = 1e-9;

/// … and so does one that is this part of it, if the energy changed by the next part of its terms.
const SMALL: f64 = 1e-2;
const OTHER: f64 = 0.05;

/// What a step shows besides when it is looked at.
#[derive(Default)]
struct Looked {
    /// The pace of time at its end, where time is a variable.
    pace: Option<f64>,
    /// The terms of the energy after two steps of half the size, if they were looked at; `None` inside if these steps cannot be
    /// made.
    halves: Option<Option<f64>>,
    /// Why it is none.
    failure: Option<Failure>,
}

impl<I: Advance, D: Measure> Run<I, D> {
    /// Steps one by one, each looked at, and measured where rows are recorded.
    pub(super) fn judged_steps(
        &mut self,
        h: f64,
        count: u64,
        observers: Observers<'_, '_, I, D>,
    ) -> Result<Option<Halt>, RunError> {
        let end = self.done.saturating_add(count);
        while self.done < end {
            if let Some(steps) = self.calm_steps() {
                match self.make_calmly(h, steps)? {
                    Calm::Made => {
                        observers.iter_mut().for_each(|o| o.pass(self.done, &self.state));
                        continue;
                    }
                    Calm::Interrupted => return Ok(Some(Halt::Interrupted)),
                    Calm::Over => {}
                }
            }
            self.before.copy_from(&self.state);
            self.remember();
            let energy = self.quantities.last().energy;
            let begun = self.counts();
            let (h, made) = match self.goal().filter(|_| self.is_ending) {
                Some(until) => self.step_to(until, h, energy)?,
                None => (h, self.make(h, energy)?),
            };
            if made.failure.is_none() && !self.is_ending && self.has_passed() {
                // The last step is made by itself: what is saved before it can go on to another end.
                self.go_back()?;
                self.forget(begun);
                self.is_ending = true;
                return Ok(None);
            }
            let looked = made.seen.map_or(Ok(Looked::default()), |seen| self.look_at(h, energy, seen))?;
            let failure = looked.failure.clone().or(made.failure.clone());
            let (None, Some(seen)) = (&failure, made.seen) else {
                self.go_back()?;
                return Ok(failure.map(|failure| self.halted(failure, begun)));
            };
            let made_by = self.counts();
            let recorded = self.record_between(h, energy);
            if !matches!(recorded, Ok(None)) {
                // The step is made again when the run goes on, without the rows that were written.
                self.forget_between(begun, made_by);
            }
            if let Some(halted) = recorded? {
                self.go_back()?;
                return Ok(Some(halted));
            }
            self.note(energy, seen, &made, &looked)?;
            self.done += 1;
            if self.is_ending {
                self.last = Some(h);
            }
            if self.schedule.record == 0 {
                observers.iter_mut().for_each(|o| o.pass(self.done, &self.state));
            } else if let Some(halted) = self.measured(observers)? {
                return Ok(Some(halted));
            }
        }
        Ok(None)
    }

    /// Remembers what is known of the forces before a step.
    pub(super) fn remember(&mut self) {
        self.known.clear();
        if let Some(conditioning) = self.quantities.conditioning() {
            conditioning.memory(&mut self.known);
        }
    }

    /// The state is that before the step again, and what was seen of the step is forgotten.
    pub(super) fn go_back(&mut self) -> Result<(), RunError> {
        self.state.copy_from(&self.before);
        if let Some(conditioning) = self.quantities.conditioning() {
            conditioning.restore(&self.known);
        }
        self.quantities.kept(&self.state.values)?;
        Ok(())
    }

    /// Looks at a step from `before`, where the energy was this, to the state: whether time goes on, and whether the step
    /// resolves the motion.
    fn look_at(&mut self, h: f64, energy: f64, seen: Seen) -> Result<Looked, RunError> {
        let mut looked = Looked::default();
        if self.time != Time::Parameter {
            let pace = self.quantities.pace(&self.state.values)?;
            let error = energy + seen.change - self.kept.as_slice()[0].initial;
            looked.pace = Some(pace);
            looked.failure = self.stands_still(h, pace, error)?.then_some(Failure::Standstill { pace });
        }
        match self.halves(h, seen) {
            Ok(halves) => looked.halves = halves,
            Err(failure) => looked.failure = Some(failure),
        }
        Ok(looked)
    }

    /// Takes note of a step that was made.
    fn note(&mut self, energy: f64, seen: Seen, made: &Made, looked: &Looked) -> Result<(), RunError> {
        let time = self.time_of(&self.state, self.done + 1);
        let monitor = &mut self.monitor;
        if let Some(pace) = looked.pace {
            monitor.note_pace(pace);
        }
        monitor.note(time, seen.change, seen.kind, seen.conditioned);
        monitor.settled += u64::from(seen.settled);
        monitor.followed += u64::from(made.followed);
        monitor.parted += u64::from(made.parted);
        monitor.mended += made.mended;
        if made.parted || made.followed {
            let terms = self.quantities.energy_magnitude(&self.state.values)?;
            monitor.note_kick(time, seen.change, terms);
        }
        if let Some(terms) = seen.terms {
            monitor.note_terms(time, terms, looked.halves);
        }
        let error = energy + seen.change - self.kept.as_slice()[0].initial;
        if monitor.is_new_error(error) {
            let magnitude = self.quantities.energy_magnitude(&self.state.values)?;
            self.monitor.note_error(time, error, magnitude);
        }
        Ok(())
    }

    /// The terms of the energy after two steps of half the size from `before`, if their growth has to be looked at; `None`
    /// inside if these steps cannot be made.
    fn halves(&mut self, h: f64, seen: Seen) -> Result<Option<Option<f64>>, Failure> {
        // A method that chooses its steps resolves what it meets.
        if seen.terms.is_some() && self.monitor.lacks_terms() {
            let terms = self.quantities.energy_magnitude(&self.before.values)?;
            self.monitor.note_terms(0.0, terms, None);
        }
        let grown = seen.terms.and_then(|terms| self.monitor.has_grown(terms));
        // Where branches meet, half steps may take another one.
        if grown.is_none() || self.integrator.own_steps().is_some() || self.monitor.is_ill() {
            return Ok(None);
        }
        let mut state = self.integrator.state(self.before.values.clone());
        match self.integrator.advance(&mut state, h / 2.0, 2) {
            // A state whose energy has no value is none.
            Ok(()) => Ok(Some(self.quantities.energy_magnitude(&state.values).ok().filter(|terms| terms.is_finite()))),
            Err((_, Failure::Interrupted)) => Err(Failure::Interrupted),
            Err(_) => Ok(Some(None)),
        }
    }

    /// Whether time, where it is a variable of the state, came to a stand in the step from `before`, or turned. A lapse that
    /// vanishes on the way is approached in ever shorter steps and never reached; rounding throws the motion back at last, on a
    /// branch of another energy.
    fn stands_still(&mut self, h: f64, pace: f64, error: f64) -> Result<bool, RunError> {
        let passed = self.time_of(&self.state, self.done + 1) - self.time_of(&self.before, self.done);
        let part = pace / self.monitor.pace.map_or(pace, |[_, largest]| largest);
        if pace.is_nan() || pace <= 0.0 || passed * h <= 0.0 || part < VANISHED {
            return Ok(true);
        }
        Ok(part < SMALL && error.abs() > OTHER * self.quantities.energy_magnitude(&self.state.values)?)
    }
}
