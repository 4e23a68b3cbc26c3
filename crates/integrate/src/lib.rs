//! Methods: from a system to a step, with a card that says what each one keeps.
//!
//! A [`Method`] describes, a [`Recipe`] says what is around it; [`Prepared::new`] plans it for a
//! system and is the only place where a mismatch is refused; [`Prepared::stepper`] makes the machine
//! that steps, in any arithmetic. A method file is its formulas, its card and its stage equations as data, which a
//! `Machine` solves; the rest of a step is operations on vectors over a `Scalar`. The same source is run, differentiated
//! and recorded.

// Clock, threads, files and the like come from the caller: see clippy.toml.
#![cfg_attr(not(test), deny(clippy::disallowed_types, clippy::disallowed_methods))]

mod blocks;
mod bracket;
mod card;
mod charts;
mod coefficients;
mod compose;
mod continuation;
mod derivative_form;
mod ending;
mod expected;
mod free;
mod half_step;
mod handwritten;
mod held;
mod index_one;
mod leapfrog;
mod method;
mod methods;
mod offer;
mod plain;
mod prepare;
mod projection;
mod propagator;
mod recipe;
mod refusal;
mod residuals;
mod scheme;
mod sparse;
mod stage_solver;
mod stages;
mod underlying;
mod vector;

pub use card::{BracketKind, Card, Claims, Keeps, KeepsBracket, Kind, Needs};
pub use compose::Composition;
pub use handwritten::{Handwritten, Quantities};
pub use index_one::IndexOne;
pub use method::{Inner, MAX_STAGES, Method, TOLERANCE};
pub use offer::Offer;
pub use prepare::Prepared;
pub use projection::{Projection, Target, project, project_onto};
pub use propagator::Propagator;
pub use recipe::Recipe;
pub use refusal::Refusal;
pub use residuals::residuals;
pub use stage_solver::StageSolver;
pub use underlying::Underlying;
