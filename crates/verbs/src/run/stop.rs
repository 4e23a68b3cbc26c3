//! Why a run stopped early.

use crate::failure::Code;
use crate::figures::number;
use crate::setup::Blamed;
use cotangent_observe::RunError;
use serde::{Deserialize, Serialize};

/// Why a run stopped early.
#[derive(Clone, Debug, Serialize, Deserialize)]
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

impl Stop {
    /// A step that could not be made, after `done` steps.
    pub(super) fn failed(blamed: Blamed, time: f64, done: u64) -> Stop {
        let Blamed { code, message, constraints, variables, advice } = blamed;
        let message = format!("step {}, from t = {}, could not be made: {message}", done + 1, number(time));
        Stop { code, message, time, step: done + 1, constraints, variables, advice: advice.to_owned() }
    }

    /// Something around the steps that failed.
    pub(super) fn broken(error: &RunError, time: f64, done: u64, table: Option<&str>) -> Stop {
        let code = match error {
            RunError::Quantity(_) => Code::Evaluate,
            RunError::Table(_) => Code::Write,
            RunError::Checkpoint(_) => Code::Checkpoint,
            RunError::Energy(_) => Code::NoValue,
            RunError::Foreign(_) => Code::Foreign,
        };
        let advice = match (error, table) {
            (RunError::Table(_) | RunError::Checkpoint(_), Some(table)) => {
                format!(
                    "make room or give access, then `cotangent run --resume {table}` goes on from the last checkpoint"
                )
            }
            _ => "what was asked to be measured has no value there".to_owned(),
        };
        let message = format!("after step {done}, t = {}: {error}", number(time));
        Stop { code, message, time, step: done, constraints: vec![], variables: vec![], advice }
    }
}
