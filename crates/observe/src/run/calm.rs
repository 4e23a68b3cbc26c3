//! Steps that nobody wants measured, looked at several at once as long as nothing happens: they are the same steps, and when
//! anything is out of the ordinary they are made again one by one.

use super::{Halt, Run, RunError};
use cotangent_dynamics::{Advance, Failure, Measure, Time};

/// No more numbers than this are computed before the run looks around.
const NUMBERS: usize = 1 << 22;

/// What became of several steps.
pub(super) enum Calm {
    /// They are made.
    Made,
    /// Somebody asked to stop.
    Halted(Halt),
    /// None is: each has to be looked at.
    Not,
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
        let most = NUMBERS / self.state.values.len().max(1);
        let steps = self.monitor.stride.steps().min(to_end).min(most as u64);
        (steps > 1 && self.quantities.conditioning().is_some_and(|c| c.strides())).then_some(steps)
    }

    /// Makes so many steps and looks at them as one.
    pub(super) fn make_calmly(&mut self, h: f64, steps: u64) -> Result<Calm, RunError> {
        self.before.copy_from(&self.state);
        self.remember();
        let mended = self.integrator.mended();
        let made = self.integrator.advance(&mut self.state, h, steps);
        if let Err((_, Failure::Interrupted)) = made {
            // What comes next is as if nobody had asked.
            self.go_back()?;
            return Ok(Calm::Halted(Halt::Failed(Failure::Interrupted)));
        }
        let [before, after] = [&self.before.values[..], &self.state.values];
        let turn = match self.quantities.conditioning().filter(|_| made.is_ok()) {
            Some(conditioning) => conditioning.calm([before, after]).unwrap_or(None),
            None => None,
        };
        let stride = &mut self.monitor.stride;
        match turn {
            Some(turn) if turn <= 1.0 => stride.adapt(steps, turn),
            Some(_) => stride.shorten(steps),
            None => stride.interrupt(),
        }
        if turn.is_none_or(|turn| turn > 1.0) {
            self.state.copy_from(&self.before);
            return Ok(Calm::Not);
        }
        // Something that has to be spoken of may have changed the energy.
        let energy = self.quantities.last().energy;
        let now = self.quantities.kept(&self.state.values).map_or(f64::NAN, |kept| kept.energy);
        let terms = || self.quantities.energy_magnitude(&self.state.values).unwrap_or(0.0);
        if !self.monitor.expects(now - energy, steps, terms) {
            self.go_back()?;
            self.monitor.stride.pause(steps);
            return Ok(Calm::Not);
        }
        self.done += steps;
        self.monitor.mended += self.integrator.mended() - mended;
        self.monitor.note_calm(now - energy, steps);
        let error = now - self.kept.as_slice()[0].initial;
        if self.monitor.is_new_error(error) {
            let magnitude = self.quantities.energy_magnitude(&self.state.values)?;
            self.monitor.note_error(self.schedule.time(self.done), error, magnitude);
        }
        Ok(Calm::Made)
    }
}
