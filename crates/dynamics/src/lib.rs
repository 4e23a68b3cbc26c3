//! What a step of a method may do besides arithmetic.
//!
//! A step is straight-line arithmetic over a [`Scalar`]; its only branches are those of a
//! [`Machine`]. So one source of a step is *run* in `f64`, *differentiated* with dual numbers, run
//! in extended precision, or *recorded* and compiled as a whole.

use cotangent_scalar::Scalar;

/// Residual and Jacobian of an implicit equation: (unknowns, residual, dense Jacobian row by row).
pub type Equations<'a, S> = dyn FnMut(&[S], &mut [S], &mut [S]) + 'a;

/// Where the branches of a step are.
pub trait Machine<S: Scalar> {
    /// Solves equations by Newton's method; `unknowns` holds the first guess before and the
    /// solution after.
    ///
    /// The equations may be evaluated any number of times, the last time not at the solution: what
    /// else depends on the unknowns is computed from them afterwards. They are evaluated with the
    /// same instructions each time (a recording evaluates them once).
    fn newton(&mut self, unknowns: &mut [S], equations: &mut Equations<'_, S>) -> Result<(), Failure>;
}

/// Why a step could not be made.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
pub enum Failure {
    /// Newton's method did not arrive.
    #[error("Newton's method did not converge: {reason}")]
    NotConverged {
        /// What it says.
        reason: String,
        /// The equation with the largest residual.
        equation: usize,
    },
    /// The equations have no unique solution here.
    #[error("the equations of a step are singular: {reason}")]
    Singular {
        /// What the linear solver says.
        reason: String,
        /// The equation that depends on the others.
        equation: usize,
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
}
