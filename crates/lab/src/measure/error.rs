//! Why there is no measurement.

use crate::fit::{FitError, Undecided};

/// Why there is no measurement.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum MeasureError {
    /// The text is no expression.
    #[error("`{text}` is no expression: {found} at character {at}, where {expected} is expected")]
    Syntax {
        /// The text.
        text: String,
        /// What stands there.
        found: String,
        /// Where, from 1.
        at: usize,
        /// What should.
        expected: &'static str,
    },
    /// The text is too long.
    #[error("the expression is {length} characters long, and may have {most}")]
    Long {
        /// How many characters it has.
        length: usize,
        /// How many it may have.
        most: usize,
    },
    /// Parentheses, powers or signs stand too deep in each other.
    #[error("the expression is more than {most} levels deep at character {at}: parentheses, powers and signs count")]
    Deep {
        /// Where, from 1.
        at: usize,
        /// How many levels it may have.
        most: usize,
    },
    /// There is no run of this name.
    #[error("there is no run `{name}`")]
    UnknownRun {
        /// The name.
        name: String,
    },
    /// A run has no column of this name.
    #[error("the run `{run}` has no column `{column}`; it has {known}")]
    UnknownColumn {
        /// The run.
        run: String,
        /// The name.
        column: String,
        /// Those it has.
        known: String,
    },
    /// There is no function of this name.
    #[error("there is no measurement `{name}`")]
    UnknownFunction {
        /// The name.
        name: String,
    },
    /// A function has another number of arguments.
    #[error("`{function}` takes {expected}, and is given {given}")]
    Arguments {
        /// The function.
        function: &'static str,
        /// What it takes.
        expected: &'static str,
        /// How many it is given.
        given: usize,
    },
    /// Two series do not belong together.
    #[error("`{function}` is given {left} and {right} values")]
    Lengths {
        /// The function or operation.
        function: &'static str,
        /// The length of the first series.
        left: usize,
        /// That of the other.
        right: usize,
    },
    /// A function is given nothing to measure.
    #[error("`{function}` is given no values")]
    Empty {
        /// The function.
        function: &'static str,
    },
    /// A series stands where a number is expected.
    #[error("a number is expected, and these are {count} values")]
    NotOne {
        /// How many there are.
        count: usize,
    },
    /// A line cannot be fitted.
    #[error(transparent)]
    Fit(#[from] FitError),
    /// An exponent cannot be fitted.
    #[error(transparent)]
    Undecided(#[from] Undecided),
}
