//! What keeps a motion from being followed.

use crate::reference::ReferenceError;
use cotangent_compile::CompileError;
use cotangent_dynamics::{Failure, FailureKind};
use cotangent_theory::TheoryError;
use std::fmt;

/// What keeps a motion, or small errors along it, from being followed.
#[derive(Clone, PartialEq, Debug)]
pub enum Obstacle {
    /// Its start or its rates have no value.
    Failure(Failure),
    /// It could not be solved for. The times of the solution are those since it was begun, and say nothing here.
    Solution(ReferenceError<Failure>),
    /// Its equations do not exist.
    Theory(TheoryError),
    /// Its equations could not be compiled.
    Compile(CompileError),
    /// There are no rates.
    NoField,
    /// There is no point that it starts from.
    NoStart,
    /// Its variables are not positions and momenta.
    NotCanonical,
    /// Other residuals vanish identically than at the start.
    OtherResiduals,
    /// Somebody asked to stop.
    Interrupted,
}

/// In words that do not depend on how rates are computed.
impl fmt::Display for Obstacle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Obstacle::Failure(failure) | Obstacle::Solution(ReferenceError::Rates { error: failure, .. }) => {
                match failure.kind() {
                    FailureKind::Singular => write!(f, "the constraints depend on each other there, or nearly"),
                    _ => write!(f, "{failure}"),
                }
            }
            Obstacle::Solution(error) => match error {
                ReferenceError::NotFinite { .. } => write!(f, "its rates are not finite there"),
                ReferenceError::StepTooSmall { .. } | ReferenceError::NotConverged { .. } => {
                    write!(f, "its rates change too fast there, or are known too badly")
                }
                ReferenceError::Budget { evaluations, .. } => write!(f, "{evaluations} evaluations are not enough"),
                other => write!(f, "{other}"),
            },
            Obstacle::Theory(error) => write!(f, "{error}"),
            Obstacle::Compile(error) => write!(f, "{error}"),
            Obstacle::NoField => write!(f, "there is no vector field to solve"),
            Obstacle::NoStart => write!(f, "the motion has no start"),
            Obstacle::NotCanonical => write!(f, "the variables of these equations are not positions and momenta"),
            Obstacle::OtherResiduals => write!(f, "other residuals vanish identically than at the start"),
            Obstacle::Interrupted => write!(f, "interrupted"),
        }
    }
}

impl From<Failure> for Obstacle {
    fn from(failure: Failure) -> Obstacle {
        Obstacle::Failure(failure)
    }
}

impl From<ReferenceError<Failure>> for Obstacle {
    fn from(error: ReferenceError<Failure>) -> Obstacle {
        Obstacle::Solution(error)
    }
}
