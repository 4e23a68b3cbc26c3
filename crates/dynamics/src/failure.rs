//! Why a step could not be made.

use crate::plan::Equation;

/// Why a step could not be made.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
pub enum Failure {
    /// An iteration did not arrive.
    #[error("{reason}")]
    NotConverged {
        /// What it says.
        reason: String,
        /// The equation with the largest residual, where it is one of the method's.
        equation: Option<Equation>,
    },
    /// The equations have no unique solution here.
    #[error("{reason}")]
    Singular {
        /// What the linear solver says.
        reason: String,
        /// The equation that depends on the others, where it is one of the method's.
        equation: Option<Equation>,
    },
    /// A step was called or recorded in a way it cannot be.
    #[error("a step was used wrongly: {reason}")]
    Misused {
        /// What is wrong.
        reason: String,
    },
    /// An infinity or NaN came up.
    #[error("a value of the step is not finite: {reason}")]
    NotFinite {
        /// What was not finite.
        reason: String,
    },
    /// Somebody asked to stop.
    #[error("interrupted")]
    Interrupted,
}
