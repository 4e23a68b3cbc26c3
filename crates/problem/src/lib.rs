//! Problems: a system in a formulation, with values and a start from which it can be integrated.
//!
//! The one entry point of everything that integrates: [`pose`] takes a model, a formulation and what is set to a
//! [`Problem`], [`Problem::prepare`] plans a method for it, [`Problem::integrator`] compiles its steps, and
//! [`Problem::diagnostics`] what is measured on the way.

mod compiled;
mod conditioning;
pub mod consistency;
mod diagnostics;
mod integrator;
mod picture;
mod pose;
mod problem;
mod redundancy;
mod suited;
mod surface;

pub use compiled::{Compiled, View};
pub use conditioning::{Conditioned, Conditioning};
pub use diagnostics::{Diagnostics, Kept};
pub use integrator::Integrator;
pub use picture::{Picture, Shape};
pub use pose::{PoseError, pose, pose_within};
pub use problem::{Problem, ProblemError, Repairs};
pub use redundancy::{Redundant, redundant};
pub use suited::{Need, needs_analysis};
pub use surface::{Freedom, Start};
