//! Why a step could not be made.

use crate::cause::{Implicit, Misuse, Source, Unsolved, Value};
use crate::plan::Equation;
use cotangent_solve::{FixedPointError, NewtonError, Singular};
use std::error::Error;

/// Why a step could not be made: data, with the numbers of equations and variables.
///
/// [`Display`](std::fmt::Display) says it with these numbers, [`named`](Failure::named) with names in their place. It is returned by
/// everything that a step calls: large causes are boxed.
#[derive(Clone, PartialEq, Debug)]
pub enum Failure {
    /// Newton's method found no solution of equations of the step.
    Newton {
        /// Why.
        error: Box<NewtonError>,
        /// The equation at fault, where it is one of the method's.
        equation: Option<Equation>,
    },
    /// An iteration to a fixed point did not arrive.
    FixedPoint {
        /// Why.
        error: Box<FixedPointError>,
        /// The equation of the unknown at fault, where it is one of the method's.
        equation: Option<Equation>,
    },
    /// A function inside the equations of motion has no value.
    Implicit(Box<Implicit>),
    /// A matrix of the step has no inverse.
    Singular(Singular),
    /// What the step had to solve does not hold at its end: it has no solution, or none that was found.
    Unsatisfied {
        /// The equation that is off most.
        equation: Equation,
        /// By how much.
        residual: f64,
        /// What the rounding of its terms, or the tolerance that was asked for, explains.
        explained: f64,
    },
    /// No solution of the step continues the motion smoothly.
    Torn {
        /// The least change of the energy that was found.
        change: f64,
    },
    /// The step turned into another branch at a singular configuration.
    Branched {
        /// The constraint that depends on the others there.
        equation: Equation,
    },
    /// The step went over a gap between two branches.
    Jumped {
        /// The constraint that nearly depends on the others there.
        equation: Equation,
    },
    /// Variables without rates at the end of the step are not the continuation of those at its beginning.
    Ended {
        /// A constraint whose multiplier is one of them.
        equation: Equation,
    },
    /// The step comes by a singular configuration where masses are not positive, so that its branches are not known.
    Undetermined {
        /// The constraint that depends on the others there.
        equation: Equation,
    },
    /// Time, which is a variable of the state, does not pass there.
    Standstill {
        /// The pace at which it would.
        pace: f64,
    },
    /// No chart has the state, or none of those that may be used.
    NoChart {
        /// How many may be used; none if the method chooses them.
        given: usize,
    },
    /// A method that chooses its own steps gave up.
    ErrorControl(Box<ErrorControl>),
    /// An infinity or NaN came up.
    NotFinite(Value),
    /// A step was called or recorded in a way it cannot be.
    Misused(Misuse),
    /// Somebody asked to stop.
    Interrupted,
}

/// Why a method that chooses its own steps gave up.
#[derive(Clone, PartialEq, Debug)]
pub struct ErrorControl {
    /// The tolerance of the error of a step.
    pub tolerance: f64,
    /// Why it could not be kept.
    pub cause: GaveUp,
}

/// Why the tolerance of the error of a step could not be kept.
#[derive(Clone, PartialEq, Debug)]
pub enum GaveUp {
    /// It is below the precision of the arithmetic.
    RoundOff {
        /// The distance from 1 to the next number.
        epsilon: f64,
    },
    /// It took too many steps.
    TooMany {
        /// As many as are made in an interval.
        most: u32,
        /// The interval.
        interval: f64,
        /// The last of them.
        step: f64,
    },
    /// It took steps below the resolution of time.
    TooSmall {
        /// The last of them.
        step: f64,
        /// The interval.
        interval: f64,
        /// Why steps could not be made there, if it is not their error.
        undefined: Option<Failure>,
    },
}

/// The kinds of failures, by what they mean.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FailureKind {
    /// An iteration did not arrive.
    NotConverged,
    /// What the step had to solve does not hold at its end.
    Unsatisfied,
    /// No solution of the step continues the motion smoothly.
    Torn,
    /// The step turned into another branch.
    Branched,
    /// The step went over a gap between two branches.
    Jumped,
    /// The branch of velocities and multipliers ended in the step.
    Ended,
    /// The branches at a singular configuration are not known.
    Undetermined,
    /// Time does not pass.
    Standstill,
    /// The equations have no unique solution.
    Singular,
    /// An infinity or NaN came up.
    NotFinite,
    /// A step was called or recorded in a way it cannot be.
    Misused,
    /// Somebody asked to stop.
    Interrupted,
}

impl Failure {
    /// What kind of failure it is.
    pub fn kind(&self) -> FailureKind {
        match self {
            Failure::Newton { error, .. } => match &**error {
                NewtonError::NotConverged { .. } => FailureKind::NotConverged,
                NewtonError::Singular { .. } => FailureKind::Singular,
                NewtonError::NotFinite { .. } => FailureKind::NotFinite,
                NewtonError::Callback(never) => match *never {},
            },
            Failure::FixedPoint { error, .. } => match &**error {
                FixedPointError::NotConverged { .. } => FailureKind::NotConverged,
                FixedPointError::NotFinite { .. } => FailureKind::NotFinite,
                FixedPointError::Callback(never) => match *never {},
            },
            Failure::Implicit(implicit) => match implicit.cause {
                Unsolved::Linear(singular) if !singular.is_finite() => FailureKind::NotFinite,
                Unsolved::Linear(_) => FailureKind::Singular,
                Unsolved::Newton(_) => FailureKind::NotConverged,
            },
            Failure::Singular(singular) if !singular.is_finite() => FailureKind::NotFinite,
            Failure::Singular(_) | Failure::NoChart { .. } => FailureKind::Singular,
            Failure::Unsatisfied { .. } => FailureKind::Unsatisfied,
            Failure::Torn { .. } => FailureKind::Torn,
            Failure::Branched { .. } => FailureKind::Branched,
            Failure::Jumped { .. } => FailureKind::Jumped,
            Failure::Ended { .. } => FailureKind::Ended,
            Failure::Undetermined { .. } => FailureKind::Undetermined,
            Failure::Standstill { .. } => FailureKind::Standstill,
            Failure::ErrorControl(_) => FailureKind::NotConverged,
            Failure::NotFinite(_) => FailureKind::NotFinite,
            Failure::Misused(_) => FailureKind::Misused,
            Failure::Interrupted => FailureKind::Interrupted,
        }
    }

    /// The equation at fault, where it is one of the method's.
    pub fn equation(&self) -> Option<Equation> {
        match self {
            Failure::Newton { equation, .. } | Failure::FixedPoint { equation, .. } => *equation,
            Failure::Unsatisfied { equation, .. }
            | Failure::Branched { equation }
            | Failure::Jumped { equation }
            | Failure::Ended { equation }
            | Failure::Undetermined { equation } => Some(*equation),
            _ => None,
        }
    }

    /// A failure that an error of another kind is behind: of a system, or of a library above this one.
    pub fn of(error: impl Error + Send + Sync + 'static) -> Failure {
        Failure::Misused(Misuse::Source(Source::new(error)))
    }
}

impl Error for Failure {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Failure::Newton { error, .. } => Some(error),
            Failure::FixedPoint { error, .. } => Some(error),
            Failure::Implicit(implicit) => Some(&implicit.cause),
            Failure::Singular(singular) => Some(singular),
            Failure::NotFinite(value) => Some(value),
            Failure::Misused(misuse) => Some(misuse),
            _ => None,
        }
    }
}

impl From<Implicit> for Failure {
    fn from(implicit: Implicit) -> Failure {
        Failure::Implicit(Box::new(implicit))
    }
}

impl From<Misuse> for Failure {
    fn from(misuse: Misuse) -> Failure {
        Failure::Misused(misuse)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_is_not_larger_than_a_few_numbers() {
        assert!(size_of::<Failure>() <= 48, "{}", size_of::<Failure>());
    }
}
