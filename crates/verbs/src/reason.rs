//! Why something is not decided, was not measured or does not fit.

use crate::failure::{Code, Failure};
use cotangent_dynamics::Names;
use cotangent_lab::ReferenceError;
use cotangent_lab::certificate::{self, Stopped};
use cotangent_lab::comparison::{NoPace, Unknown};
use serde::{Deserialize, Serialize};
use std::fmt;

/// Why something is not decided, was not measured or does not fit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Reason {
    /// A stable name for the kind of reason.
    pub code: Code,
    /// The reason in words.
    pub message: String,
}

impl From<&Reason> for Failure {
    fn from(reason: &Reason) -> Failure {
        Failure::new(reason.code, &reason.message)
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl Reason {
    /// A reason.
    pub(crate) fn new(code: Code, message: impl Into<String>) -> Reason {
        Reason { code, message: message.into() }
    }

    /// Why a property is not certified, in the names of the model.
    pub(crate) fn of_a_property(reason: &certificate::Reason, names: &dyn Names) -> Reason {
        Reason { code: property(reason), message: reason.named(names) }
    }
}

fn property(reason: &certificate::Reason) -> Code {
    use certificate::Reason as R;
    match reason {
        R::Step(failure) | R::StepBack(failure) | R::Value(failure) => failure.kind().into(),
        R::Ended(ended) => match &ended.cause {
            Stopped::Step(failure) => failure.kind().into(),
            Stopped::Unmeasured(source) => source.into(),
        },
        R::Tangent(_) => Code::Misused,
        R::Theory(_) => Code::Derive,
        R::Compile(_) => Code::Compile,
        R::Reference(ReferenceError::Rates { error, .. }) => error.kind().into(),
        R::NoField | R::Reference(_) => Code::NoExactMotion,
        R::NoTangentMap { .. } | R::NoReference { .. } => Code::TooLarge,
        R::Singular => Code::SingularConfiguration,
        R::NoOrder(_) | R::NotConfirmed => Code::NoOrder,
        R::TooLarge(_) | R::Unresolved { .. } | R::Unstable { .. } | R::Quadrature { .. } => Code::StepTooLarge,
        R::OtherSolution { .. } => Code::StepTooLarge,
        R::OrderElsewhere { here, .. } => property(here),
        R::SmallerSteps { reason, .. } => property(reason),
        R::OrderAbove(_) | R::DefectAbove { .. } | R::RoundOff(_) | R::NotFalling { .. } => Code::RoundOff,
        R::InSteps | R::Accumulated | R::Underflow { .. } => Code::RoundOff,
        R::NoEnergy => Code::Absent,
        R::NoGrowth(_) | R::TooShort { .. } | R::Open { .. } => Code::TooShort,
        R::Unbounded | R::ThisMotion { .. } | R::OneChart | R::NowhereElse => Code::NotExcluded,
    }
}

/// Why the exact motion is not known.
impl From<&Unknown> for Reason {
    fn from(unknown: &Unknown) -> Reason {
        let code = match unknown {
            Unknown::Failure(failure) | Unknown::Reference(ReferenceError::Rates { error: failure, .. }) => {
                failure.kind().into()
            }
            Unknown::Theory(_) => Code::Derive,
            Unknown::Compile(_) => Code::Compile,
            Unknown::TooLarge { .. } => Code::TooLarge,
            Unknown::Reference(_) | Unknown::NoField | Unknown::Uncertain { .. } => Code::NoExactMotion,
            Unknown::NothingRun => Code::Absent,
            Unknown::Singular { .. } => Code::SingularConfiguration,
        };
        Reason::new(code, unknown.to_string())
    }
}

/// Why the growth of an error is not known.
impl From<&NoPace> for Reason {
    fn from(reason: &NoPace) -> Reason {
        let code = match reason {
            NoPace::NotExact => Code::NoExactMotion,
            NoPace::Large | NoPace::NoPower => Code::NoPower,
            NoPace::Series(_) => Code::TooShort,
            NoPace::NotBegun(_) => Code::Compile,
        };
        Reason::new(code, reason.to_string())
    }
}
