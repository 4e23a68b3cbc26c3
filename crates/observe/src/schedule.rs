//! When a run steps, records and ends.

use cotangent_dynamics::Time;
use cotangent_scalar::figures::{number, short};

/// Steps of one size, a last one that may be shorter, and how often the state is recorded.
///
/// The time after n steps is n·h, not a sum of n terms.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Schedule {
    /// The step size h; negative to go back in time.
    pub step: f64,
    /// How many steps of this size.
    pub steps: u64,
    /// The size of one more step that ends exactly at the final time.
    pub last: Option<f64>,
    /// The final time, if one was given. Where it is a variable of the state it is found on the way how many steps lead
    /// there.
    pub until: Option<f64>,
    /// Record every so many steps, and the end; 0: the start and the end only.
    pub record: u64,
    /// Record at the multiples of this time, too, by steps of the method to there from which the run does not go on.
    pub every: Option<f64>,
}

/// Why there is no schedule.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
pub enum ScheduleError {
    /// A step that leads nowhere.
    #[error("the step is {0}; it must be a finite number other than 0")]
    Step(f64),
    /// An end that cannot be reached.
    #[error("the end is at t = {}, which steps of {} do not reach", number(*until), number(*step))]
    Until {
        /// The final time.
        until: f64,
        /// The step.
        step: f64,
    },
    /// More steps than can be counted exactly.
    #[error(
        "t = {} is {} steps of {} away; at most 2^53 steps can be counted",
        number(*until),
        short(*count),
        number(*step)
    )]
    TooMany {
        /// The final time.
        until: f64,
        /// The step.
        step: f64,
        /// How many steps that would be.
        count: f64,
    },
    /// A time between rows that leads to none.
    #[error("rows every {}: the time between them must be a finite number larger than 0", number(*.0))]
    Every(f64),
    /// More rows at even times than can be counted exactly.
    #[error(
        "t = {} is {} rows every {} away; at most 2^53 rows can be counted",
        number(*until),
        short(*count),
        number(*every)
    )]
    TooManyRows {
        /// The final time.
        until: f64,
        /// The time between two rows.
        every: f64,
        /// How many rows that would be.
        count: f64,
    },
}

/// A multiple of the step is one to this relative accuracy: about the rounding of two typed numbers.
const MULTIPLE: f64 = 1e-12;

/// Beyond, n·h is not exact in n, and two numbers n may give one time.
pub(crate) const MOST: f64 = 9_007_199_254_740_992.0;

impl Schedule {
    /// So many steps.
    pub fn count(step: f64, steps: u64, record: u64) -> Result<Schedule, ScheduleError> {
        if !step.is_finite() || step == 0.0 {
            return Err(ScheduleError::Step(step));
        }
        let until = steps as f64 * step;
        if steps as f64 > MOST || !until.is_finite() {
            return Err(ScheduleError::TooMany { until, step, count: steps as f64 });
        }
        Ok(Schedule { step, steps, last: None, until: None, record, every: None })
    }

    /// Steps to a final time; the last is shortened if the time is not a multiple of the step.
    pub fn until(step: f64, until: f64, record: u64) -> Result<Schedule, ScheduleError> {
        if !step.is_finite() || step == 0.0 {
            return Err(ScheduleError::Step(step));
        }
        let count = until / step;
        if !until.is_finite() || count < 0.0 {
            return Err(ScheduleError::Until { until, step });
        }
        if count > MOST {
            return Err(ScheduleError::TooMany { until, step, count });
        }
        let nearest = count.round();
        if (count - nearest).abs() <= MULTIPLE * nearest {
            return Ok(Schedule { step, steps: nearest as u64, last: None, until: Some(until), record, every: None });
        }
        let steps = count.floor();
        // n·h is exact up to one rounding, so the rest is.
        let last = (-steps).mul_add(step, until);
        Ok(Schedule {
            step,
            steps: steps as u64,
            last: (last != 0.0).then_some(last),
            until: Some(until),
            record,
            every: None,
        })
    }

    /// The same with rows at the multiples of a time besides. Where time is not the parameter of the steps, the number of rows is
    /// known if the final time is.
    pub fn with_rows_every(self, every: f64, has_time: bool) -> Result<Schedule, ScheduleError> {
        if !every.is_finite() || every <= 0.0 {
            return Err(ScheduleError::Every(every));
        }
        let until = self.until.or_else(|| (!has_time).then(|| self.time(self.total())));
        if let Some(until) = until {
            let count = until.abs() / every;
            if count > MOST {
                return Err(ScheduleError::TooManyRows { until, every, count });
            }
        }
        Ok(Schedule { every: Some(every), ..self })
    }

    /// The same where time is another one than the parameter of the steps: it is found on the way how many of them lead to a
    /// final time.
    pub fn in_another_time(self, time: Time) -> Schedule {
        match (time, self.until) {
            (Time::State(_), Some(_)) => Schedule { steps: MOST as u64, last: None, ..self },
            _ => self,
        }
    }

    /// The number of steps, the shortened one included.
    pub fn total(&self) -> u64 {
        self.steps + u64::from(self.last.is_some())
    }

    /// The time after so many steps.
    pub fn time(&self, done: u64) -> f64 {
        match self.last {
            Some(last) if done > self.steps => (self.steps as f64).mul_add(self.step, last),
            _ => done as f64 * self.step,
        }
    }

    /// The size of the step after so many.
    pub fn size(&self, done: u64) -> f64 {
        match self.last {
            Some(last) if done >= self.steps => last,
            _ => self.step,
        }
    }

    /// How many rows there will be after so many steps, with that of the state they have led to.
    pub fn rows_from(&self, done: u64) -> u64 {
        let (total, record) = (self.total(), self.record);
        match record {
            0 => 1 + u64::from(done < total),
            _ => 1 + total.div_ceil(record).saturating_sub(done / record),
        }
    }

    /// Whether the state after so many steps is recorded.
    pub fn records(&self, done: u64) -> bool {
        done == 0 || done == self.total() || (self.record > 0 && done.is_multiple_of(self.record))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_multiple_of_the_step_is_recognised_whatever_the_rounding() {
        for (step, until, steps) in [(0.1, 100.0, 1000), (0.1, 0.3, 3), (0.025, 1023.0, 40920), (1.0 / 3.0, 1.0, 3)] {
            let s = Schedule::until(step, until, 1).unwrap();
            assert_eq!((s.steps, s.last), (steps, None), "{step} {until}");
        }
        assert_eq!(Schedule::until(-0.1, -1.0, 1).unwrap().steps, 10);
    }

    #[test]
    fn another_time_is_reached_by_a_shorter_last_step() {
        let s = Schedule::until(0.3, 1.0, 2).unwrap();
        assert_eq!((s.steps, s.total()), (3, 4));
        assert!((s.last.unwrap() - 0.1).abs() < 1e-15);
        assert_eq!(s.time(4), 1.0);
        assert_eq!((s.size(2), s.size(3)), (0.3, s.last.unwrap()));
        let recorded: Vec<u64> = (0..=4).filter(|&k| s.records(k)).collect();
        assert_eq!(recorded, [0, 2, 4]);
    }

    #[test]
    fn nonsense_is_refused() {
        for step in [0.0, f64::NAN, f64::INFINITY] {
            assert!(matches!(Schedule::until(step, 1.0, 1), Err(ScheduleError::Step(_))));
            assert!(matches!(Schedule::count(step, 1, 1), Err(ScheduleError::Step(_))));
        }
        assert!(matches!(Schedule::until(0.1, -1.0, 1), Err(ScheduleError::Until { .. })));
        assert!(matches!(Schedule::until(0.1, f64::NAN, 1), Err(ScheduleError::Until { .. })));
        assert!(matches!(Schedule::until(1e-300, 1e300, 1), Err(ScheduleError::TooMany { .. })));
        assert_eq!(Schedule::until(0.1, 0.0, 1).unwrap().total(), 0);
    }

    #[test]
    fn rows_that_cannot_be_counted_are_refused() {
        let s = Schedule::count(0.5, 4, 1).unwrap();
        for every in [1e-300, 5e-324, 2.0 / 9_007_199_254_740_994.0] {
            assert!(matches!(s.with_rows_every(every, false), Err(ScheduleError::TooManyRows { until: 2.0, .. })));
            // Where time is a variable it is not known how far these steps lead.
            assert_eq!(s.with_rows_every(every, true).unwrap().every, Some(every));
            let s = Schedule::until(-0.5, -2.0, 1).unwrap();
            assert!(matches!(s.with_rows_every(every, true), Err(ScheduleError::TooManyRows { until: -2.0, .. })));
        }
        assert!(s.with_rows_every(2.0 / 9_007_199_254_740_992.0, false).is_ok());
        for every in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert!(matches!(s.with_rows_every(every, true), Err(ScheduleError::Every(_))));
        }
    }

    #[test]
    fn rows_are_as_many_as_states_are_recorded() {
        for (steps, record) in [(0, 1), (0, 0), (7, 1), (7, 0), (7, 3), (6, 3), (7, 9)] {
            let s = Schedule::count(0.1, steps, record).unwrap();
            for done in 0..=steps {
                let later = (done + 1..=steps).filter(|&k| s.records(k)).count() as u64;
                assert!((0..2).contains(&(s.rows_from(done) - 1 - later)), "{steps} {record} {done}");
            }
            assert_eq!(s.rows_from(0), (0..=steps).filter(|&k| s.records(k)).count() as u64);
        }
    }
}
