//! When to step, record and end.

use crate::choice::Choice;
use crate::failure::{Code, Failure};
use crate::figures::{number, short};
use cotangent_observe::{Schedule, ScheduleError};

/// The steps of a choice that says how large they are; `None` if nothing says when they end.
pub(crate) fn schedule(choice: &Choice) -> Result<Option<Schedule>, Failure> {
    let (step, record) = (choice.step.unwrap_or(f64::NAN), choice.record.unwrap_or(1));
    let schedule = match (choice.until, choice.steps) {
        (Some(t), _) => Schedule::until(step, t, record),
        (None, Some(n)) => Schedule::count(step, n, record),
        (None, None) => return Ok(None),
    };
    let schedule = schedule.and_then(|schedule| match choice.every {
        Some(every) => schedule.with_rows_every(every, choice.has_time()),
        None => Ok(schedule),
    });
    schedule.map(Some).map_err(|error| {
        let message = match error {
            ScheduleError::TooMany { count, .. } if count < 1e9 => {
                format!("{count} steps of {} lead beyond every number", short(step))
            }
            ScheduleError::TooMany { count, .. } => {
                format!("{} steps of {} are more than can be counted (2^53)", short(count), short(step))
            }
            ScheduleError::Every(every) => format!("--every is {}", short(every)),
            ScheduleError::TooManyRows { until, every, count } => {
                let (count, every, until) = (short(count), short(every), number(until));
                format!("{count} rows every {every} up to t = {until} are more than can be counted (2^53)")
            }
            _ => error.to_string(),
        };
        let failure = Failure::new(Code::Schedule, message);
        match error {
            ScheduleError::Step(_) => failure.help("give another --step"),
            ScheduleError::Until { .. } => failure.help("--step and --until must have the same sign"),
            ScheduleError::TooMany { .. } => failure.help("give a larger --step or an earlier --until"),
            ScheduleError::Every(_) => failure.help("it must be a positive time"),
            ScheduleError::TooManyRows { .. } => failure.help("give a larger --every"),
        }
    })
}
