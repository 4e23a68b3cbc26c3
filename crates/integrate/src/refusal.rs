//! Why a method cannot be used on a system.

use crate::method::{MAX_STAGES, Method};
use crate::projection::Target;
use cotangent_dynamics::Failure;
use cotangent_solve::PatternError;

/// Why a method cannot be used on a system.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
pub enum Refusal {
    /// It would ignore the constraints.
    #[error("`{}` knows no constraints: it would ignore them", method.name())]
    IgnoresConstraints {
        /// The method.
        method: Method,
    },
    /// It integrates vector fields, and the multipliers of these equations are unknowns.
    #[error(
        "`{}` integrates ordinary differential equations, and these have unknown multipliers",
        method.name()
    )]
    UnknownMultipliers {
        /// The method.
        method: Method,
    },
    /// It holds constraints, and these equations hold their time derivatives instead.
    #[error("`{}` holds constraints, and these equations hold their time derivatives instead", method.name())]
    IndexTwo {
        /// The method.
        method: Method,
    },
    /// It needs the flows of parts of an energy.
    #[error("`{}` needs an energy and its bracket without constraints, and these equations have other terms", method.name())]
    NoSplit {
        /// The method.
        method: Method,
    },
    /// It needs a bracket that is linear in the variables.
    #[error("`{}` needs a bracket that is linear in the variables, without constraints", method.name())]
    NotLinear {
        /// The method.
        method: Method,
    },
    /// It needs spheres.
    #[error(
        "`{}` needs variables in triples with the bracket of so(3), {{y1, y2}} = k*y3 and so on, without constraints",
        method.name()
    )]
    NoSpheres {
        /// The method.
        method: Method,
    },
    /// It needs matrices.
    #[error(
        "`{}` needs variables that are the entries of matrices, as `algebra so(4): W` declares them, without constraints",
        method.name()
    )]
    NoMatrices {
        /// The method.
        method: Method,
    },
    /// It needs canonical equations, and these are others.
    #[error("`{}` is for canonical equations with their multipliers, and these are others", method.name())]
    NotCanonical {
        /// The method.
        method: Method,
    },
    /// Its inner method is for canonical equations.
    #[error(
        "the inner method of `{}` is for canonical equations, and these have a bracket: take `splitting-strang`, \
         `splitting-lie`, `implicit-midpoint` or `gauss`",
        method.name()
    )]
    InnerNotCanonical {
        /// The method.
        method: Method,
    },
    /// Its inner method does not keep what became Casimirs of the bracket.
    #[error(
        "`{}` does not keep the constraints that do not commute, which are not quadratic: take `splitting-strang` as the \
         inner method",
        inner.name()
    )]
    InnerLeavesPairs {
        /// The inner method.
        inner: Method,
    },
    /// A composition needs a symmetric method, positions and momenta of which are of its order.
    #[error(
        "a composition around `{}` would not have its order: it takes a symmetric method that keeps the hidden \
         constraints",
        method.name()
    )]
    NotComposable {
        /// The method.
        method: Method,
    },
    /// It is for constraints only.
    #[error("`{}` is for systems with constraints; without any it is `{}`", method.name(), instead.name())]
    NoConstraints {
        /// The method.
        method: Method,
        /// What it amounts to.
        instead: Method,
    },
    /// There is nothing to project on.
    #[error("there are no constraints to project on")]
    NothingToProjectOn,
    /// Constraints that do not fall into those on positions and their time derivatives.
    #[error(
        "the constraints mix positions and momenta, and are projected on together: `{}` has no meaning for them",
        target.name()
    )]
    NotSeparately {
        /// What was asked for.
        target: Target,
    },
    /// It undoes the shift that a symmetric projection makes before it.
    #[error(
        "a symmetric projection around `{}` does not converge: the method solves for constraint forces itself, and is \
         not symmetric",
        method.name()
    )]
    SymmetricProjection {
        /// The method.
        method: Method,
    },
    /// A number of stages that does not exist.
    #[error("this method has {least} to {MAX_STAGES} stages, not {stages}")]
    Stages {
        /// What was asked for.
        stages: usize,
        /// The smallest number.
        least: usize,
    },
    /// It solves no equations of stages.
    #[error("`{}` has no stages whose equations could be solved in one way or another", method.name())]
    NoStageSolver {
        /// The method.
        method: Method,
    },
    /// The equations of its stages are no fixed-point equation that contracts.
    #[error("the stages of `{}` on these equations are no iteration: Newton's method solves for them", method.name())]
    NotIterated {
        /// The method.
        method: Method,
    },
    /// A tolerance that no error can meet, or that every error would.
    #[error("the tolerance of the error of a step is relative, between 0 and 1, not {tolerance}")]
    Tolerance {
        /// What was asked for.
        tolerance: f64,
    },
    /// A factor by which no chart would be kept.
    #[error("a chart is changed for one that is better by a factor of 1 or more, not {threshold}")]
    Threshold {
        /// What was asked for.
        threshold: f64,
    },
    /// A set of coordinates that is no chart.
    #[error("a chart here is a choice of {needed} of the coordinates, each once, not of {coordinates}")]
    Chart {
        /// How many were given.
        coordinates: usize,
        /// How many degrees of freedom there are.
        needed: usize,
    },
    /// There are no charts.
    #[error("these equations have no charts")]
    NoCharts,
    /// The equations of a step are too large.
    #[error("the equations of a step are too large: {0}")]
    TooLarge(#[from] PatternError),
    /// The system could not be evaluated.
    #[error(transparent)]
    Failure(#[from] Failure),
}
