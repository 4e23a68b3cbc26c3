//! What the numbers say about errors off the constraint manifold.

use super::StabilityError;
use cotangent_scalar::figures::{measured, short};
use std::fmt;

/// What happens to small errors of the constraints.
#[derive(Clone, PartialEq, Debug)]
pub enum Verdict {
    /// They grow exponentially.
    Saddle {
        /// The exponent.
        rate: f64,
        /// For which times.
        time: Time,
    },
    /// They stay bounded; as far as the motion was followed, if that is all that is known, which does not
    /// exclude a slow resonance later.
    Centre {
        /// The largest frequency: the imaginary part of an eigenvalue.
        frequency: f64,
        /// For which times.
        time: Time,
    },
    /// They stay as they are: φ and ψ are integrals.
    Integrals {
        /// Whether the variables of the equations cannot violate ψ = 0 at all.
        identical: bool,
    },
    /// ψ stays as it is, and φ drifts linearly with it.
    Drift,
    /// There are none: the variables of the equations cannot violate the constraints.
    Identical,
    /// They decay.
    Damped {
        /// The exponent, without its sign.
        rate: f64,
        /// For which times.
        time: Time,
    },
    /// The manifold is not one of solutions.
    NotInvariant {
        /// The part of the motion that leads off it.
        part: f64,
    },
    /// The numbers do not tell.
    Undecided(Unsure),
}

/// Why the numbers do not tell what happens to errors.
#[derive(Clone, PartialEq, Debug)]
pub enum Unsure {
    /// The residuals do not obey equations of their own.
    Residuals {
        /// The part of their rates that they do not determine.
        left: f64,
    },
    /// The multipliers of a period lie where nothing follows from them.
    Multipliers {
        /// Whether two of them coincide; otherwise they are near 1.
        coincide: bool,
        /// To this accuracy.
        within: f64,
    },
    /// The motion could not be followed.
    Stopped {
        /// Why.
        error: Box<StabilityError>,
        /// By how much errors have grown until then.
        factor: f64,
    },
    /// Errors neither surely grow nor surely stay.
    Growth {
        /// By how much they grow.
        factor: f64,
        /// Until this time.
        until: f64,
        /// Like e to the power of this times time.
        exponent: f64,
        /// How far that may be off.
        uncertainty: f64,
    },
}

impl fmt::Display for Unsure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unsure::Residuals { left } => {
                write!(f, "the residuals do not obey equations of their own ({} is left)", short(*left))
            }
            Unsure::Multipliers { coincide, within } => {
                let near = if *coincide { "two multipliers of the period coincide" } else { "multipliers are near 1" };
                write!(f, "{near} to {}: errors neither surely grow nor surely stay", short(*within))
            }
            Unsure::Stopped { error, factor } => {
                write!(f, "{error}; until then errors grow to {} times themselves", measured(*factor))
            }
            Unsure::Growth { factor, until, exponent, uncertainty } => {
                let [factor, exponent, uncertainty] = [factor, exponent, uncertainty].map(|x| measured(*x));
                write!(
                    f,
                    "errors grow to {factor} times themselves until t = {until:.3}, like e^(({exponent} ± {uncertainty}) \
                     t): neither surely exponential nor surely bounded"
                )
            }
        }
    }
}

/// For which times something holds.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Time {
    /// As far as the motion was followed.
    Until(f64),
    /// Always: the residual equations are periodic, with this period.
    Period(f64),
    /// Always: the residual equations do not change.
    Steady,
}

impl Verdict {
    /// In a word.
    pub fn name(&self) -> &'static str {
        match self {
            Verdict::Saddle { .. } => "saddle",
            Verdict::Centre { .. } => "centre",
            Verdict::Integrals { .. } | Verdict::Drift | Verdict::Identical => "neutral",
            Verdict::Damped { .. } => "damped",
            Verdict::NotInvariant { .. } => "not-invariant",
            Verdict::Undecided(_) => "undecided",
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Verdict::Saddle { rate, time } => write!(f, "saddle: errors grow like e^({} t) {time}", measured(*rate)),
            Verdict::Centre { frequency, time } => {
                write!(f, "centre: errors oscillate with frequencies up to {}, bounded {time}", measured(*frequency))
            }
            Verdict::Integrals { identical: true } => {
                write!(f, "neutral: constraints are integrals, hidden constraints hold identically")
            }
            Verdict::Integrals { identical: false } => {
                write!(f, "neutral: constraints and hidden constraints are integrals")
            }
            Verdict::Drift => {
                write!(f, "neutral: hidden constraints are integrals, constraints drift linearly with them")
            }
            Verdict::Identical => write!(f, "neutral: the variables cannot violate the constraints"),
            Verdict::Damped { rate, time } => write!(f, "damped: errors decay like e^(-{} t) {time}", measured(*rate)),
            Verdict::NotInvariant { .. } => write!(f, "not invariant: solutions leave the constraints"),
            Verdict::Undecided(why) => write!(f, "undecided: {why}"),
        }
    }
}

impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Time::Until(time) => write!(f, "until t = {}", measured(*time)),
            Time::Period(period) => write!(f, "from period to period ({})", measured(*period)),
            Time::Steady => write!(f, "for ever"),
        }
    }
}
