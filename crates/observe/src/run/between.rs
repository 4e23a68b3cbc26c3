//! Rows at even times, which steps do not meet: by steps of the method to there, from which the run does not go on.
//!
//! They are made as all steps are, and judged like them. A step whose rows were not all written is made again when the run is
//! resumed, without those that were. A row that no such step reaches, as beside a singular configuration, is left out.

use super::arrival::NEAR;
use super::observer::{Observer, Sample};
use super::{Halt, Run, RunError};
use crate::schedule::{MOST, ScheduleError};
use cotangent_dynamics::{Advance, Failure, Measure, Time};

impl<I, D> Run<I, D> {
    /// The number of the first even time after `time`, in multiples of `every`.
    fn first_after(time: f64, every: f64) -> f64 {
        let from = time / every;
        let next = from.floor() + 1.0;
        // One that is as good as met belongs to the step before.
        if next - from <= NEAR * next.abs() { next + 1.0 } else { next }
    }

    /// Whether the rows of the next step that are written already are not beyond the end of the run.
    pub(super) fn has_room_between(&self) -> bool {
        let Some(every) = self.schedule.every.filter(|_| self.between > 0) else { return true };
        let every = every.abs() * self.schedule.step.signum();
        let last = Self::first_after(self.time(), every) + (self.between - 1) as f64;
        let end = self.goal().unwrap_or_else(|| self.schedule.time(self.schedule.total())) / every;
        last <= end + NEAR * end.abs()
    }
}

impl<I: Advance, D: Measure> Run<I, D> {
    /// Records at the even times between `before`, where the energy was this, and the state, which a step of size h has
    /// reached. Why the step ends there: somebody asks to stop.
    pub(super) fn record_between(&mut self, h: f64, energy: f64) -> Result<Option<Halt>, RunError> {
        let (Some(every), Some(_)) = (self.schedule.every, &self.recorder) else { return Ok(None) };
        let every = every.abs() * h.signum();
        let to = self.time_of(&self.state, self.done + 1) / every;
        let within = to + NEAR * to.abs();
        let mut next = Self::first_after(self.time_of(&self.before, self.done), every);
        if next > within {
            return Ok(None);
        }
        if within.abs() > MOST {
            // Where time is a variable it is known on the way only how far it comes.
            let until = self.time_of(&self.state, self.done + 1);
            self.go_back()?;
            return Err(ScheduleError::TooManyRows { until, every: every.abs(), count: within.abs() }.into());
        }
        let is_last = match self.goal() {
            Some(goal) => self.is_ending || self.time_of(&self.state, self.done + 1) == goal,
            None => self.done + 1 == self.schedule.total(),
        };
        self.ahead.copy_from(&self.state);
        let known = self.conditioning();
        let mut number = 0;
        while next <= within {
            let is_here = (next - to).abs() <= NEAR * to.abs();
            // The end is recorded as such.
            if is_here && is_last {
                break;
            }
            number += 1;
            // Those that are written already are not written twice.
            if number > self.between {
                if self.cancel.is_set() {
                    return Ok(Some(Halt::Interrupted));
                }
                let begun = self.counts();
                let size = match is_here {
                    true => Some(h),
                    false => {
                        let (size, made) = self.step_to(next * every, h, energy)?;
                        match made.failure {
                            Some(failure @ Failure::Interrupted) => return Ok(Some(self.halted(failure, begun))),
                            Some(_) => None,
                            None => Some(size),
                        }
                    }
                };
                self.monitor.omitted += u64::from(size.is_none());
                let written = size.map_or(Ok(()), |size| self.record_step(next * every, size));
                if let Err(error) = written {
                    // The row is written when the step is made again.
                    self.forget(begun);
                    self.go_back()?;
                    return Err(error);
                }
                self.between = number;
                self.state.copy_from(&self.ahead);
            }
            next += 1.0;
        }
        self.between = 0;
        if let Some(conditioning) = self.quantities.conditioning() {
            conditioning.restore(&known);
        }
        // As it was measured.
        self.quantities.kept(&self.state.values)?;
        Ok(None)
    }

    /// Records the state, which a step of this size from `before` has reached.
    fn record_step(&mut self, time: f64, size: f64) -> Result<(), RunError> {
        let parameter = (self.time != Time::Parameter).then(|| (self.done as f64).mul_add(self.schedule.step, size));
        let (sample, own) = self.shown();
        let mut sample = Sample { step: sample.step + 1, time, parameter, is_last: false, ..sample };
        let Some(recorder) = own.recorder else { return Ok(()) };
        let written = Observer::<I, D>::sample(recorder, &mut sample).map(drop);
        // It is not the row of the state with which the run ends.
        recorder.is_behind = false;
        written
    }
}
