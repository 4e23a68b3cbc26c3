//! What a constrained system is: hidden constraints, their classes, what is left.
//!
//! [`analyze`] makes a Hamiltonian system of a model (singular Lagrangians included), runs Dirac's algorithm,
//! and reports constraints, multipliers, gauge transformations, the Dirac bracket and the degrees of freedom;
//! of a Poisson model also whether its bracket is one. Every statement says how it is known: proved by
//! symbols, or sampled at random points of the constraint surface; what cannot be decided is said to be
//! undecided, and the analysis stops there with what it has.
//!
//! ```
//! let system = cotangent_model::System::parse("
//! param B != 0 = 1
//! coord x, y
//! lagrangian B*(x*y' - y*x')/2 - (x^2 + y^2)/2
//! ")?;
//! let report = cotangent_analysis::analyze(&system)?;
//! assert_eq!(report.degrees_of_freedom, Some(1));
//! assert_eq!(report.count.map(|c| c.second), Some(2));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

// Clock, threads, files and the like come from the caller: see clippy.toml.
#![cfg_attr(not(test), deny(clippy::disallowed_types, clippy::disallowed_methods))]

mod acceptance;
mod algebra;
mod analyze;
mod branches;
mod cases;
mod casimirs;
mod claims;
mod classes;
mod conclusion;
mod conjecture;
mod coordinates;
mod defects;
mod determined;
mod dirac;
mod error;
mod gauges;
mod homogeneous;
mod implicit;
mod integrable;
mod journal;
mod labels;
mod latex;
mod lie;
mod matrix;
mod multipliers;
mod names;
mod own;
mod parts;
mod pieces;
mod point;
mod poisson;
mod projection;
mod rank;
mod regular;
mod report;
mod sample;
mod special;
mod specialise;
mod surface;
mod transform;
mod weighed;

pub use analyze::{MAX_VARIABLES, analyze, analyze_within, bracket};
pub use coordinates::{Coordinates, CoordinatesError};
pub use determined::{MotionError, constraints, constraints_within};
pub use error::AnalysisError;
pub use implicit::Implicit;
pub use integrable::{Integrable, integrable, jointly_integrable};
pub use latex::latex;
pub use report::{
    Analysis, AtValues, BracketForm, BracketMatrix, Branch, CasimirSearch, Certainty, ClaimReport, Class,
    ConditionOutcome, Conjecture, ConsistencyCondition, Constraint, Count, DiracBracket, GaugeTransformation,
    Invertibility, LieAlgebra, Multiplier, MultiplierValue, Outcome, PoissonReport, Symbols, Transform, Verdict,
    Witness,
};
pub use specialise::{at_exact_values, specialise};
pub use transform::Lagrangian;
