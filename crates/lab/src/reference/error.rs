//! Why there is no reference solution.

use cotangent_scalar::figures::{number, short};

/// Why there is no reference solution. Times are those reached.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ReferenceError<E> {
    /// The tolerance is not one this arithmetic can meet, or no tolerance at all.
    #[error(
        "a reference in this arithmetic needs a tolerance between {} and {}, not {}",
        short(*smallest),
        short(*largest),
        number(*tolerance)
    )]
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
    #[error("rate {index} is not finite at time {}: the solution has left the domain of its equations", number(*time))]
    NotFinite {
        /// The first component whose rate is not finite.
        index: usize,
        /// Where.
        time: f64,
    },
    /// The step had to become smaller than the arithmetic can tell from zero.
    #[error(
        "at time {} the step fell to {}, below the resolution of time: the solution is singular there, or its motion too \
         fast for so long a time",
        number(*time),
        short(*step)
    )]
    StepTooSmall {
        /// Where.
        time: f64,
        /// The step.
        step: f64,
    },
    /// No step however small was good enough.
    #[error(
        "at time {} extrapolation does not converge (step {}, {} times the tolerance): the rates are not smooth there, or \
         less accurate than the tolerance",
        number(*time),
        short(*step),
        short(*excess)
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
        "{evaluations} evaluations took the reference only to time {}: the equations are stiff, their rates less \
         accurate than the tolerance, or the time is long",
        number(*time)
    )]
    Budget {
        /// Evaluations made.
        evaluations: u64,
        /// Where.
        time: f64,
    },
    /// The rates could not be computed, with no step however small.
    #[error("at time {} the rates could not be evaluated: {error}", number(*time))]
    Rates {
        /// Where.
        time: f64,
        /// What they say.
        error: E,
    },
}

#[cfg(test)]
mod tests {
    use super::ReferenceError;

    #[test]
    fn times_and_sizes_have_the_digits_that_people_read() {
        let error: ReferenceError<String> =
            ReferenceError::NotConverged { time: 1.1107207345395915, step: 1e-17 / 3.0, excess: 31.25 };
        let said = error.to_string();
        assert!(
            said.starts_with("at time 1.110720735 extrapolation does not converge (step 3.3e-18, 31.2 times"),
            "{said}"
        );
        let error: ReferenceError<String> = ReferenceError::Tolerance { tolerance: 2.0, smallest: 1e-28, largest: 0.1 };
        assert!(error.to_string().ends_with("between 1.0e-28 and 0.1, not 2"), "{error}");
    }
}
