//! Why numbers do not tell.

use super::FitError;
use cotangent_scalar::figures::short;

/// Why a table of errors says nothing about an order or a growth.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum Undecided {
    /// The numbers are not a table of steps or times and errors.
    #[error(transparent)]
    Invalid(#[from] FitError),
    /// A step is not positive.
    #[error("step {index} is not positive")]
    Step {
        /// Which one.
        index: usize,
    },
    /// The times do not increase from zero or later.
    #[error("time {index} is negative or not after the one before")]
    Times {
        /// Which one.
        index: usize,
    },
    /// The errors do not fall with the step.
    #[error(
        "only {usable} errors are clear of the level {}, below which they do not fall with the step: this is \
         round-off (take larger steps), or there is no convergence",
        short(*floor)
    )]
    AtFloor {
        /// Errors above the floor.
        usable: usize,
        /// The largest error that is not made smaller by smaller steps.
        floor: f64,
    },
    /// Too few errors are finite and not zero.
    #[error("only {usable} errors can be used (finite, not zero, of different steps); an order takes 3")]
    TooFew {
        /// Errors left.
        usable: usize,
    },
    /// The series does not cover three doublings of time after the first oscillations.
    #[error("the series is too short: {windows} doublings of time after its first oscillations, of 3 needed")]
    TooShort {
        /// Doublings covered.
        windows: usize,
    },
}
