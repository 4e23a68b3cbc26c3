//! Why a run stopped early.

use crate::failure::{Code, Failure};
use crate::figures::number;
use crate::setup::Blamed;
use cotangent_observe::RunError;
use serde::{Deserialize, Serialize};

/// Why a run stopped early.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Stop {
    /// A stable name for the kind of failure.
    pub code: Code,
    /// What happened.
    pub message: String,
    /// The time reached.
    pub time: f64,
    /// The number of the step that could not be made.
    pub step: u64,
    /// The constraints at fault.
    pub constraints: Vec<String>,
    /// The variables at fault.
    pub variables: Vec<String>,
    /// What to try.
    pub advice: String,
}

const NO_VALUE: &str = "what was asked to be measured has no value there";

impl Stop {
    /// A step that could not be made, after `done` steps.
    pub(crate) fn failed(blamed: Blamed, time: f64, done: u64) -> Stop {
        let message = format!("step {}, from t = {}, could not be made: {}", done + 1, number(time), blamed.message);
        let is_of_tolerance = blamed.is_of_tolerance;
        let mut stop = Stop { message, ..Stop::because(blamed, time, done) };
        if is_of_tolerance {
            stop.advice += "; --solver-tol asks for less than round-off";
        }
        stop
    }

    /// The same, with nothing said but the reason.
    pub(crate) fn because(blamed: Blamed, time: f64, done: u64) -> Stop {
        let Blamed { code, message, constraints, variables, advice, .. } = blamed;
        Stop { code, message, time, step: done + 1, constraints, variables, advice: advice.to_owned() }
    }

    /// Something around the steps that failed.
    pub(crate) fn broken(error: &RunError, time: f64, done: u64, table: Option<&str>) -> Stop {
        let advice = match (error, table) {
            (RunError::Table(_) | RunError::Checkpoint(_), Some(table)) => {
                format!(
                    "make room or give access, then `cotangent run --resume {table}` goes on from the last checkpoint"
                )
            }
            (RunError::Schedule(_), _) => "give a larger --every".to_owned(),
            _ => NO_VALUE.to_owned(),
        };
        let mut message = format!("after step {done}, t = {}: {error}", number(time));
        if let (RunError::Table(_) | RunError::Checkpoint(_), Some(table)) = (error, table) {
            message += &format!("; `{table}` is not complete");
        }
        Stop { advice, ..Stop::undefined(error.into(), message, time, done) }
    }

    /// What is to be measured has no value after `done` steps.
    pub(crate) fn undefined(code: Code, message: String, time: f64, done: u64) -> Stop {
        let advice = NO_VALUE.to_owned();
        Stop { code, message, time, step: done, constraints: vec![], variables: vec![], advice }
    }
}

impl From<&Stop> for Failure {
    fn from(stop: &Stop) -> Failure {
        Failure::new(stop.code, stop.message.clone()).help(stop.advice.clone())
    }
}
