//! Why a run stopped early, and what to try.

use crate::figures::number;
use crate::noticed::{BRANCHED, JUMPED};
use crate::setup::Blamed;
use cotangent_observe::RunError;
use cotangent_theory::Formulation;
use serde::Serialize;

/// Why a run stopped early.
#[derive(Clone, Debug, Serialize)]
pub struct Stop {
    /// A stable name for the kind of failure.
    pub code: &'static str,
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
    pub(super) fn failed(blamed: Blamed, formulation: Formulation, time: f64, done: u64) -> Stop {
        let Blamed { code, reason, constraints, variables } = blamed;
        // Only a Hamiltonian that is not quadratic makes Newton's method look for the reactions from nothing.
        let inside = reason.starts_with("Newton's method inside the equations of motion");
        let advice = match code {
            "not-converged" if inside && formulation == Formulation::ImpetusStriction => {
                "the impetus may have left the domain of the Hamiltonian, where no velocity belongs to it, though one \
                 belongs to the momentum: --project momentum makes them one after every step; other formulations have no \
                 impetus"
            }
            "not-converged" if inside && matches!(formulation, Formulation::LocalChart { .. }) => {
                "the momentum along the chart may be none of the Hamiltonian's domain, though that with its reaction is: \
                 take another formulation"
            }
            "singular" if !constraints.is_empty() => {
                "the constraints depend on each other there (a singular configuration): start elsewhere, or state the \
                 model with other constraints"
            }
            "singular" if reason.contains("chart") => "name other charts with --chart, or none to have them chosen",
            "singular" => "the equations have no unique solution there: start elsewhere, or take another formulation",
            // A method that chooses its own steps has said what to do.
            "not-converged" if reason.contains("the tolerance") => "--step is only the interval of output here",
            "not-converged" | "unsatisfied" => {
                "take a smaller --step; if it is small already, look whether the motion comes near a singular \
                 configuration, where the constraints depend on each other; --solver-tol asks for less than round-off"
            }
            "torn" => {
                "take a smaller --step; at a singular configuration another one, so that no step ends so close to it: if \
                 the mechanism may go several ways there, the equations do not say which"
            }
            "branched" => BRANCHED,
            "jumped" => JUMPED,
            "not-finite" => "take a smaller --step; the motion may also reach a point where the model is not defined",
            "interrupted" => "give it more time",
            _ => "this should not happen; please report it",
        };
        Stop {
            code,
            message: format!("step {}, from t = {}, could not be made: {reason}", done + 1, number(time)),
            time,
            step: done + 1,
            constraints,
            variables,
            advice: advice.to_owned(),
        }
    }

    /// Something around the steps that failed.
    pub(super) fn broken(error: &RunError, time: f64, done: u64, table: Option<&str>) -> Stop {
        let code = match error {
            RunError::Call(_) => "evaluate",
            RunError::Table(_) => "write",
            RunError::Checkpoint(_) => "checkpoint",
            RunError::Energy(_) => "no-value",
            RunError::Foreign(_) => "foreign",
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
