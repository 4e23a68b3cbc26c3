//! What comes of Newton's method: its work, or why there is no solution.

use crate::Singular;
use std::convert::Infallible;
use std::fmt::Display;

/// The work and the outcome of a successful [`newton`](crate::newton).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NewtonWork {
    /// Updates computed until the values had converged.
    pub iterations: u32,
    /// Calls of the system, those for derivative parts and halved steps included.
    pub evaluations: u32,
    /// Halvings of a step.
    pub halvings: u32,
    /// The largest residual at the last evaluation: before the last update, if one was made.
    pub residual: f64,
    /// [`LinearSolver::rcond`](crate::LinearSolver::rcond) of the last Jacobian; 1 if none was factored.
    pub rcond: f64,
}

/// Something that must be finite.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quantity {
    /// An unknown; the index is its number.
    Unknown,
    /// A residual; the index is that of the equation.
    Residual,
    /// An entry of the Jacobian; the index is that of the equation.
    Jacobian,
    /// The update of an unknown; the index is its number.
    Update,
}

/// Why [`newton`](crate::newton) has no solution. The unknowns are left at the last iterate. `E` is what the system may say; without
/// it the reasons are those of the iteration alone.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum NewtonError<E = Infallible> {
    /// The iteration did not arrive.
    #[error("Newton's method did not converge in {iterations} iterations: equation {worst} is off by {residual:.1e}")]
    NotConverged {
        /// The largest residual at the last evaluation.
        residual: f64,
        /// Updates made.
        iterations: u32,
        /// The equation with the largest residual.
        worst: usize,
    },
    /// The Jacobian could not be inverted.
    #[error("in iteration {iteration} of Newton's method {singular}")]
    Singular {
        /// Where: rows are equations, columns unknowns.
        singular: Singular,
        /// Updates made before.
        iteration: u32,
    },
    /// An infinity or NaN came up.
    #[error("in iteration {iteration} of Newton's method a value is not finite: {quantity:?} {index}")]
    NotFinite {
        /// What was not finite.
        quantity: Quantity,
        /// Which one.
        index: usize,
        /// Updates made before.
        iteration: u32,
    },
    /// The system itself failed.
    #[error(transparent)]
    Callback(E),
}

impl<E> NewtonError<E> {
    /// The reason of the iteration itself; otherwise what the system said.
    pub fn own(self) -> Result<NewtonError, E> {
        match self {
            Self::NotConverged { residual, iterations, worst } => {
                Ok(NewtonError::NotConverged { residual, iterations, worst })
            }
            Self::Singular { singular, iteration } => Ok(NewtonError::Singular { singular, iteration }),
            Self::NotFinite { quantity, index, iteration } => Ok(NewtonError::NotFinite { quantity, index, iteration }),
            Self::Callback(error) => Err(error),
        }
    }

    /// The number of the equation at fault, where there is one.
    pub fn equation(&self) -> Option<usize> {
        match self {
            Self::NotConverged { worst, .. } => Some(*worst),
            Self::Singular { singular, .. } => Some(singular.row),
            Self::NotFinite { .. } | Self::Callback(_) => None,
        }
    }
}

impl NewtonError {
    /// The same in words that have no numbers of equations and unknowns: those have a name elsewhere, if any.
    pub fn named(&self, equation: Option<&dyn Display>) -> String {
        match (self, equation) {
            (Self::NotConverged { residual, iterations, .. }, Some(name)) => {
                format!("Newton's method did not converge in {iterations} iterations: {name} is off by {residual:.1e}")
            }
            (Self::Singular { iteration, .. }, Some(name)) => {
                format!("in iteration {iteration} of Newton's method {name} depends on the others")
            }
            (Self::NotFinite { iteration, .. }, _) => {
                format!("in iteration {iteration} of Newton's method a value is not finite")
            }
            (Self::Singular { iteration, .. }, None) => {
                format!("in iteration {iteration} of Newton's method the equations have no unique solution")
            }
            (Self::NotConverged { residual, iterations, .. }, None) => {
                format!("Newton's method did not converge in {iterations} iterations: a residual is {residual:.1e}")
            }
            (Self::Callback(never), _) => match *never {},
        }
    }
}
