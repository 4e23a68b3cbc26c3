//! Why there is no reference solution.

/// Why there is no reference solution. Times are those reached.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ReferenceError<E> {
    /// The tolerance is not one this arithmetic can meet, or no tolerance at all.
    #[error("a reference in this arithmetic needs a tolerance between {smallest:.1e} and {largest}, not {tolerance:e}")]
    Tolerance {
        /// The tolerance given.
        tolerance: f64,
        /// The smallest possible.
        smallest: f64,
        /// The largest allowed.
        largest: f64,
    },
    /// An initial value is not finite.
    #[error("initial value {index} is not finite")]
    State {
        /// Which component.
        index: usize,
    },
    /// The times are not finite, or do not all grow or all fall away from zero.
    #[error("time {index} is not finite, or turns back: times must move away from zero in one direction")]
    Times {
        /// Which time.
        index: usize,
    },
    /// The rates are infinite or NaN on the solution itself.
    #[error("rate {index} is not finite at time {time}: the solution has left the domain of its equations")]
    NotFinite {
        /// The first component whose rate is not finite.
        index: usize,
        /// Where.
        time: f64,
    },
    /// The step had to become smaller than the arithmetic can tell from zero.
    #[error(
        "at time {time} the step fell to {step:.1e}, below the resolution of time: the solution is singular \
         there, or its motion too fast for so long a time"
    )]
    StepTooSmall {
        /// Where.
        time: f64,
        /// The step.
        step: f64,
    },
    /// No step however small was good enough.
    #[error(
        "at time {time} extrapolation does not converge (step {step:.1e}, {excess:.1e} times the tolerance): the rates \
         are not smooth there, or less accurate than the tolerance"
    )]
    NotConverged {
        /// Where.
        time: f64,
        /// The last step tried.
        step: f64,
        /// The difference of the last two extrapolated values, in tolerances.
        excess: f64,
    },
    /// The evaluations allowed have been made.
    #[error(
        "{evaluations} evaluations took the reference only to time {time}: the equations are stiff, their rates less \
         accurate than the tolerance, or the time is long"
    )]
    Budget {
        /// Evaluations made.
        evaluations: u64,
        /// Where.
        time: f64,
    },
    /// The rates could not be computed, with no step however small.
    #[error("at time {time} the rates could not be evaluated: {error}")]
    Rates {
        /// Where.
        time: f64,
        /// What they say.
        error: E,
    },
}
