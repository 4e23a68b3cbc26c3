//! Why a system cannot be integrated.

use crate::consistency::Measured;
use crate::redundancy::Redundant;
use cotangent_analysis::{AnalysisError, MotionError};
use cotangent_compile::CompileError;
use cotangent_compile::values::ValueError;
use cotangent_dynamics::{Failure, Source};
use cotangent_scalar::figures::number;
use cotangent_solve::Singular;
use cotangent_theory::{NumberError, TheoryError};

/// Why a system cannot be integrated.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
pub enum ProblemError {
    /// A value that is missing or wrong.
    #[error(transparent)]
    Value(#[from] ValueError),
    /// Equations that do not exist.
    #[error(transparent)]
    Theory(#[from] TheoryError),
    /// A number of the formulation that it cannot have.
    #[error(transparent)]
    Number(#[from] NumberError),
    /// Equations that somebody else derived would have to be derived again.
    #[error(
        "these equations of motion were given, and would have to be derived again, without constraints that depend on \
         others or with other numbers: derive them so"
    )]
    Given,
    /// An expression that could not be compiled.
    #[error(transparent)]
    Compile(#[from] CompileError),
    /// Initial data off the constraints.
    #[error("the initial data violate {}", list(residuals))]
    Inconsistent {
        /// The constraints that do not hold.
        residuals: Vec<Measured>,
    },
    /// Constraints that depend on others.
    #[error("{}", dependent(constraints))]
    Redundant {
        /// Which, and on what.
        constraints: Vec<Redundant>,
    },
    /// Constraints that cannot hold at once.
    #[error("the constraints contradict each other: {}", dependent(constraints))]
    Contradictory {
        /// Those that depend on others and do not hold.
        constraints: Vec<Redundant>,
    },
    /// A constraint force that nothing resists.
    #[error(
        "the force of the constraint `{name}` cannot be determined at the initial data: G H_pp Gᵀ, by which it acts \
         on the constraints, is singular there, though the constraints are independent"
    )]
    Unresisted {
        /// A constraint to blame.
        name: String,
    },
    /// A constraint whose gradient has a square beyond all numbers.
    #[error(
        "the constraint `{name}` is written in a scale beyond the numbers of 64 bits: its gradient has the size {size:.1e}, \
         and G H_pp Gᵀ, by which its force acts on it, is {entry:e}"
    )]
    Scale {
        /// The constraint.
        name: String,
        /// The largest entry of its gradient.
        size: f64,
        /// What its square with the masses becomes.
        entry: f64,
    },
    /// Second-class constraints that are not so at the start.
    #[error(
        "the multipliers cannot be determined at the initial data: the matrix of brackets of the second-class \
         constraints is singular there, at `{name}`"
    )]
    SingularBrackets {
        /// A constraint to blame.
        name: String,
    },
    /// Velocity constraints that depend on each other at the start.
    #[error(
        "the velocity constraint `{name}` depends on the others at the initial data, so that their multipliers are not \
         determined"
    )]
    DependentVelocities {
        /// A constraint to blame.
        name: String,
    },
    /// A velocity constraint that determines no multiplier at the start.
    #[error(
        "the multiplier of the velocity constraint `{name}` is not determined at the initial data: its gradient by the \
         velocities vanishes there, or the masses make nothing of it (G M⁻¹Gᵀ = 0)"
    )]
    Unrestricting {
        /// The constraint.
        name: String,
    },
    /// Constraints on positions and on velocities that depend on each other at the start.
    #[error(
        "the constraint `{name}` and the velocity constraints depend on each other at the initial data: the rows of ∂g/∂q̇ \
         and ∂φ/∂q are not independent, so that their multipliers are not determined"
    )]
    DependentTogether {
        /// A constraint on positions to blame.
        name: String,
    },
    /// An initial value that the equations determine otherwise.
    #[error("`{name}` is {given} at the start, and the equations determine it: {found}", given = number(*given), found = number(*found))]
    Contradicted {
        /// The variable.
        name: String,
        /// What it should be.
        given: f64,
        /// What it must be.
        found: f64,
    },
    /// Equations that are not of index one.
    #[error("the equations are not of index one at the initial data: {}", undetermined(variables))]
    NotIndexOne {
        /// Variables that the equations do not determine there.
        variables: Vec<String>,
    },
    /// Constraints that depend on others at the start alone.
    #[error("the initial configuration is singular: there {}", dependent(constraints))]
    SingularStart {
        /// Which, and on what.
        constraints: Vec<Redundant>,
    },
    /// A variable to keep that the model does not have.
    #[error("there is no variable `{name}`")]
    UnknownVariable {
        /// The name.
        name: String,
        /// Those that there are.
        known: Vec<String>,
    },
    /// Too many or too few variables to keep.
    #[error("{named} variables are named to be kept, and the constraints leave {wanted}")]
    Keep {
        /// How many are named.
        named: usize,
        /// How many there should be.
        wanted: usize,
    },
    /// Several charts where one is used.
    #[error("{given} charts are named, and this formulation has one")]
    Charts {
        /// How many.
        given: usize,
    },
    /// Variables that the constraints do not determine.
    #[error("the constraints do not determine {} as functions of the others at the initial data", left.join(", "))]
    Unkept {
        /// The variables.
        left: Vec<String>,
    },
    /// Initial data that could not be projected.
    #[error("the initial data could not be projected onto the constraints: {0}")]
    NotProjected(Unprojected),
    /// Equations of motion without a finite value at the start.
    #[error("the equations of motion have no finite value at the initial data: {0}")]
    NoRate(NoRate),
}

/// Why initial data could not be projected.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
pub enum Unprojected {
    /// A projection that failed.
    #[error(transparent)]
    Failure(#[from] Failure),
    /// Constraints that are nowhere satisfied, or not near the data.
    #[error("no point of their surface was found nearby")]
    NoPoint,
}

/// Why the equations of motion have no finite value.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
pub enum NoRate {
    /// They could not be evaluated.
    #[error(transparent)]
    Failure(Failure),
    /// A value that is not finite.
    #[error("{what} `{name}` is {value}")]
    NotFinite {
        /// Of what kind.
        what: Rate,
        /// The variable.
        name: String,
        /// The value.
        value: f64,
    },
}

impl NoRate {
    /// The matrix without an inverse that determines the rates, where that is why.
    pub fn singular(&self) -> Option<&Singular> {
        match self {
            NoRate::Failure(Failure::Implicit(implicit)) => implicit.cause.singular(),
            NoRate::Failure(Failure::Singular(singular)) => Some(singular),
            _ => None,
        }
    }
}

/// What the equations of motion give for a variable.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Rate {
    /// ∂H/∂p
    #[error("the velocity of")]
    Velocity,
    /// ∂H/∂q
    #[error("the force on")]
    Force,
    /// ż
    #[error("the rate of")]
    Variable,
}

fn list(residuals: &[Measured]) -> String {
    let one = |m: &Measured| {
        let derivative = if m.is_rate { "d/dt " } else { "" };
        format!("{derivative}{} (off by {:.3e})", m.name, m.value)
    };
    let mut parts: Vec<String> = residuals.iter().take(6).map(one).collect();
    if residuals.len() > 6 {
        parts.push(format!("{} more", residuals.len() - 6));
    }
    parts.join(", ")
}

fn dependent(constraints: &[Redundant]) -> String {
    let one = |r: &Redundant| match r.on.as_slice() {
        [] => format!("`{}` restricts nothing (its gradient is zero)", r.name),
        on => {
            let names: Vec<String> = on.iter().take(6).map(|n| format!("`{n}`")).collect();
            let more = if on.len() > 6 { format!(" and {} more", on.len() - 6) } else { String::new() };
            format!("`{}` depends on {}{more}", r.name, names.join(", "))
        }
    };
    let mut parts: Vec<String> = constraints.iter().take(6).map(one).collect();
    if constraints.len() > 6 {
        parts.push(format!("{} more are dependent", constraints.len() - 6));
    }
    parts.join("; ")
}

/// Why there is no problem.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
pub enum PoseError {
    /// Values, equations or a start that do not exist.
    #[error(transparent)]
    Problem(#[from] ProblemError),
    /// An analysis that leads to no equations of motion.
    #[error(transparent)]
    Motion(#[from] MotionError),
}

impl From<AnalysisError> for PoseError {
    fn from(error: AnalysisError) -> PoseError {
        MotionError::from(error).into()
    }
}

impl From<ValueError> for PoseError {
    fn from(error: ValueError) -> PoseError {
        ProblemError::from(error).into()
    }
}

/// Why a function cannot be compiled whose expression cannot be derived.
pub(crate) fn underived(error: TheoryError) -> CompileError {
    match error {
        TheoryError::Expression(error) => CompileError::Expression(error),
        other => CompileError::Underived(Source::new(other)),
    }
}

fn undetermined(variables: &[String]) -> String {
    let names: Vec<String> = variables.iter().map(|v| format!("`{v}`")).collect();
    format!("nothing determines {}", names.join(", "))
}
