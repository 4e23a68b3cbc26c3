//! The time of a run, and steps that end at a given one.
//!
//! Where time is a variable of the state, steps of equal size have different durations, and it is found on the way how many
//! lead to a time T. The first step that would pass it is made again with the size σ for which t(σ) = T, by the secant method
//! inside the bracket of the whole step.

use super::made::Made;
use super::{Run, RunError};
use cotangent_dynamics::{Advance, Measure, State, Time};

/// A step that ends this near to the final time, relative to that, is the last one.
pub(super) const NEAR: f64 = 1e-12;

/// Updates of the secant method, which needs a handful.
const MOST: usize = 60;

impl<I, D> Run<I, D> {
    /// The time of a state that was reached by so many steps.
    pub(super) fn time_of(&self, state: &State<f64>, done: u64) -> f64 {
        match self.time {
            Time::Parameter => self.schedule.time(done),
            Time::State(entry) => state.values[entry],
        }
    }

    /// The time reached.
    pub fn time(&self) -> f64 {
        self.time_of(&self.state, self.done)
    }

    /// The parameter by which steps are made, where time is another one.
    pub fn parameter_time(&self) -> Option<f64> {
        match (self.time, self.last) {
            (Time::Parameter, _) => None,
            (Time::State(_), None) => Some(self.schedule.time(self.done)),
            (Time::State(_), Some(last)) => Some(((self.done - 1) as f64).mul_add(self.schedule.step, last)),
        }
    }

    /// The final time, where it is found on the way how many steps lead there.
    pub(super) fn goal(&self) -> Option<f64> {
        self.schedule.until.filter(|_| self.time != Time::Parameter)
    }

    /// Whether nothing is left to do.
    pub fn is_finished(&self) -> bool {
        match self.goal() {
            Some(goal) => self.last.is_some() || self.time() == goal,
            None => self.done == self.schedule.total(),
        }
    }

    /// Whether a state is at the final time or behind it, where that is a variable.
    pub(super) fn has_passed(&self) -> bool {
        let ahead = |goal: f64| (goal - self.time()) * self.schedule.step.signum();
        self.goal().is_some_and(|goal| ahead(goal) <= NEAR * goal.abs())
    }
}

impl<I: Advance, D: Measure> Run<I, D> {
    /// Steps from `before`, where the energy was this, to a time that a step of size h reaches or passes: the size of the
    /// step, whose end the state is then.
    pub(super) fn step_to(&mut self, until: f64, h: f64, energy: f64) -> Result<(f64, Made), RunError> {
        let Time::State(entry) = self.time else {
            let size = until - self.schedule.time(self.done);
            self.go_back()?;
            return Ok((size, self.make(size, energy)?));
        };
        let start = self.before.values[entry] - until;
        // How far a step of some size goes beyond the time.
        let mut beyond = |size: f64| -> Result<(f64, Made), RunError> {
            self.go_back()?;
            let made = self.make(size, energy)?;
            Ok((self.state.values[entry] - until, made))
        };
        let (off, made) = beyond(h)?;
        if made.failure.is_some() {
            return Ok((h, made));
        }
        let (mut low, mut high) = (0.0, h);
        let mut points = [(0.0, start), (h, off)];
        let mut best = points[1];
        for _ in 0..MOST {
            let [(a, fa), (b, fb)] = points;
            if best.1.abs() <= f64::EPSILON * until.abs() || a == b {
                break;
            }
            let secant = b - fb * (b - a) / (fb - fa);
            let inside = (secant - low) * (secant - high) < 0.0;
            // A step that hardly passes the time may have to be a little longer.
            let size = if inside || best.1.abs() <= NEAR * until.abs() { secant } else { (low + high) / 2.0 };
            let (off, made) = beyond(size)?;
            if made.failure.is_some() {
                return Ok((size, made));
            }
            if off * h < 0.0 {
                low = size
            } else {
                high = size
            }
            points = [points[1], (size, off)];
            if off.abs() < best.1.abs() {
                best = (size, off);
            } else if best.1.abs() <= 4.0 * f64::EPSILON * until.abs() {
                break;
            }
        }
        let (_, made) = beyond(best.0)?;
        // The last bit.
        (self.state.values[entry], self.state.carry[entry]) = (until, 0.0);
        self.quantities.kept(&self.state.values)?;
        Ok((best.0, made))
    }
}
