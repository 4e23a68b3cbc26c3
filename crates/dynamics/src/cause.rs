//! The causes inside of a [`Failure`](crate::Failure).

use cotangent_solve::{NewtonError, Singular};
use std::error::Error;
use std::fmt;
use std::sync::Arc;

/// A function that equations define, inside of the equations of motion, and why it has no value.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
#[error("{cause}")]
pub struct Implicit {
    /// What is solved for: a name that no model knows.
    pub name: String,
    /// Why there is no solution.
    pub cause: Unsolved,
}

/// Why the equations of an implicit function have no solution.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
pub enum Unsolved {
    /// They are linear, and their matrix has no inverse.
    #[error("a linear system inside the equations of motion is singular (row {})", .0.row)]
    Linear(Singular),
    /// Newton's method did not find the root.
    #[error("Newton's method inside the equations of motion failed: {0}")]
    Newton(NewtonError),
}

impl Unsolved {
    /// The matrix without an inverse, where that is why.
    pub fn singular(&self) -> Option<&Singular> {
        match self {
            Unsolved::Linear(singular) | Unsolved::Newton(NewtonError::Singular { singular, .. }) => Some(singular),
            Unsolved::Newton(_) => None,
        }
    }
}

/// What is not finite.
#[derive(Clone, Copy, PartialEq, Debug, thiserror::Error)]
pub enum Value {
    /// An entry of the state after the step: its values come first, then what rounding cut off from each of them, then
    /// what the method remembers.
    #[error("entry {0} of the new state")]
    State(usize),
    /// The rate of a variable where the step begins.
    #[error("the rate of a variable at the start of a step")]
    Rate(usize),
    /// A number to decide by.
    #[error("a residual")]
    Residual,
    /// The energy where the step begins.
    #[error("the energy before it is {0}")]
    Energy(f64),
}

/// How a step was called or recorded in a way it cannot be.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
pub enum Misuse {
    /// Equations that are not in the plan.
    #[error("the plan has no such equations")]
    NoSuchEquations,
    /// A fixed point that is not in the plan, or of another size.
    #[error("the plan has no such fixed point")]
    NoSuchFixedPoint,
    /// Another number of unknowns than in the plan.
    #[error("as many unknowns as the plan says")]
    Unknowns,
    /// A method that needs hidden constraints, on a system that does not show any.
    #[error("the system has no hidden constraints to offer")]
    NoHiddenConstraints,
    /// A method that was planned for another system.
    #[error("the system is not the one the method was planned for")]
    OtherSystem,
    /// A state of another kind than positions and momenta.
    #[error("the state is not one of positions and momenta")]
    NotCanonical,
    /// A state of another length.
    #[error("the state is not one of this integrator")]
    OtherState,
    /// A workspace of another step.
    #[error("the workspace was made for another step")]
    OtherWorkspace,
    /// Another number of values than a step takes.
    #[error("it takes {} state values and {} constants, not {} and {}", expected[0], expected[1], found[0], found[1])]
    Lengths {
        /// State values and constants that it takes.
        expected: [usize; 2],
        /// Those it was given.
        found: [usize; 2],
    },
    /// A step that cannot be recorded.
    #[error(transparent)]
    Unrecordable(#[from] Unrecordable),
    /// What the system says, or what else is above steps.
    #[error(transparent)]
    Source(#[from] Source),
}

/// Why a step cannot be recorded.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Unrecordable {
    /// It calls a function that equations define.
    #[error("an implicit function cannot be recorded")]
    Implicit,
    /// It iterates to a fixed point that is not one of stages.
    #[error("a fixed-point iteration cannot be recorded")]
    FixedPoint,
    /// It branches on values.
    #[error("a decision on values cannot be recorded")]
    Decision,
    /// It iterates inside an iteration.
    #[error("an iteration inside an iteration cannot be recorded")]
    Nested,
    /// It uses a number of another recording.
    #[error("a number of another recording was used")]
    Foreign,
    /// It uses what belongs to an iterate, not to the solution.
    #[error("a value computed inside an iteration was used after it; compute it again from the solution")]
    Leak,
    /// It has too many operations.
    #[error("the step has too many operations to be recorded")]
    TooLong,
    /// The system has too many variables.
    #[error("the system is too large to be recorded")]
    TooLarge,
}

/// An error of another kind, of a system or of a library above this one.
#[derive(Clone, Debug)]
pub struct Source(Arc<dyn Error + Send + Sync>);

impl Source {
    /// Takes an error in.
    pub fn new(error: impl Error + Send + Sync + 'static) -> Source {
        Source(Arc::new(error))
    }

    /// The error.
    pub fn error(&self) -> &(dyn Error + Send + Sync + 'static) {
        &*self.0
    }
}

/// Errors of unknown types are the same if they say the same.
impl PartialEq for Source {
    fn eq(&self, other: &Source) -> bool {
        Arc::ptr_eq(&self.0, &other.0) || self.0.to_string() == other.0.to_string()
    }
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl Error for Source {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.0.source()
    }
}
