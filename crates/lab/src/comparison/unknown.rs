//! Why something is not known.

use crate::fit::Undecided;
use crate::reference::ReferenceError;
use cotangent_compile::CompileError;
use cotangent_dynamics::Failure;
use cotangent_scalar::figures::{number, short};
use cotangent_theory::TheoryError;

/// Why the exact motion is not known, or not for longer.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
pub enum Unknown {
    /// Its start could not be found, or its rates.
    #[error(transparent)]
    Failure(#[from] Failure),
    /// Its equations do not exist.
    #[error(transparent)]
    Theory(#[from] TheoryError),
    /// Its equations could not be compiled.
    #[error(transparent)]
    Compile(#[from] CompileError),
    /// It could not be solved for.
    #[error(transparent)]
    Reference(#[from] ReferenceError<Failure>),
    /// More variables than are solved for.
    #[error("there is no reference solution for {size} variables, at most for {largest}")]
    TooLarge {
        /// The number of variables.
        size: usize,
        /// The most.
        largest: usize,
    },
    /// There are no rates.
    #[error("there is no vector field to solve")]
    NoField,
    /// There is no run to compare with.
    #[error("nothing was run")]
    NothingRun,
    /// Its own error grows.
    #[error("beyond, errors grow so fast that it is not known to {}", short(*certain))]
    Uncertain {
        /// Up to this error it is known.
        certain: f64,
    },
    /// It comes to where branches meet.
    #[error(
        "the motion comes to a singular configuration before t = {}, where branches meet, and its equations do not say \
         which is the smooth continuation",
        number(*time)
    )]
    Singular {
        /// A time behind it.
        time: f64,
    },
}

/// Why the growth of an error is not known.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
pub enum NoPace {
    /// There is nothing to compare with.
    #[error("the exact motion is not known")]
    NotExact,
    /// There are no errors that are small, and known.
    #[error("it is too large from the first sample on, or not known")]
    Large,
    /// It grows in another way: exponentially, or in bursts.
    #[error("it does not grow like a power of time")]
    NoPower,
    /// The series does not tell.
    #[error(transparent)]
    Series(#[from] Undecided),
    /// The run could not be begun.
    #[error(transparent)]
    NotBegun(#[from] CompileError),
}
