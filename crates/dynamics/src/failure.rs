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
    /// What the step had to solve does not hold at its end: it has no solution, or none that was found.
    #[error(
        "the step found no solution: equation {} is off by {residual:.1e}, of which the rounding of its terms explains \
         {explained:.1e}",
        equation.index
    )]
    Unsatisfied {
        /// The equation that is off most.
        equation: Equation,
        /// By how much.
        residual: f64,
        /// What the rounding of its terms, or the tolerance that was asked for, explains.
        explained: f64,
    },
    /// No solution of the step continues the motion smoothly.
    #[error(
        "no step was found that continues the motion smoothly: the energy would change by {change:.1e}; the constraints \
         are nearly dependent here, or bend too much for the step"
    )]
    Torn {
        /// The least change of the energy that was found.
        change: f64,
    },
    /// The step turned into another branch at a singular configuration.
    #[error("the step turns into another branch at a singular configuration of equation {}", equation.index)]
    Branched {
        /// The constraint that depends on the others there.
        equation: Equation,
    },
    /// The step went over a gap between two branches.
    #[error(
        "the step goes over a gap between two branches, near a singular configuration of equation {}, that is narrower than \
         the step",
        equation.index
    )]
    Jumped {
        /// The constraint that nearly depends on the others there.
        equation: Equation,
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
