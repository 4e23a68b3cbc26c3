//! From a Lie algebra of fields to a Lie–Poisson system.
//!
//! - [`VectorFields`]: vector fields on a line that are spanned by piecewise polynomials, with exact structure constants;
//!   with a quadratic energy they give a Lie–Poisson [`System`](cotangent_model::System) (Euler–Poincaré, Clebsch);
//! - [`burgers`]: u_t + u u_x = 0 on a circle by broken linear functions: the constraints that make them continuous, and
//!   what can be made of them; [`Characteristics`]: the exact solution up to the shock;
//! - [`zeitlin`]: the Euler equations of a plane fluid on a torus, as matrices that keep their eigenvalues;
//! - [`total_variation`] and [`spectrum`] to look at fields.

// Clock, threads, files and the like come from the caller: see clippy.toml.
#![cfg_attr(not(test), deny(clippy::disallowed_types, clippy::disallowed_methods))]

pub mod burgers;
mod characteristics;
mod diagnostics;
mod error;
mod rational;
mod vector_fields;
pub mod zeitlin;

pub use characteristics::Characteristics;
pub use diagnostics::{spectrum, total_variation};
pub use error::FieldsError;
pub use vector_fields::{PiecewisePolynomial, StructureConstant, VectorFields};
