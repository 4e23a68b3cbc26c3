//! From one system to equivalent ones: the Legendre transform and formulations of the motion.
//!
//! Everything here works on symbols and keeps families as families. Nothing is derived by hand:
//! a formulation is assembled from derivatives, contractions and implicit linear solves of the
//! model's own expressions.

// Clock, threads, files and the like come from the caller: see clippy.toml.
#![cfg_attr(not(test), deny(clippy::disallowed_types, clippy::disallowed_methods))]

mod constraints;
mod error;
pub mod formulation;
mod legendre;
pub mod phase;
mod restrained;
mod splitting;
mod structure;
mod surface;
mod velocity;

pub use constraints::{Classified, Constraints};
pub use error::{NoFlow, TheoryError, Unrestrained};
pub use formulation::{
    Bracket, Card, Form, Formulation, Lapse, Law, Lift, LocalChart, MatrixBlock, Motion, NumberError, Shape, Space,
    VectorField,
};
pub use legendre::{legendre, legendre_within};
pub use phase::Phase;
pub use restrained::Restrained;
pub use splitting::{Part, Splitting};
pub use structure::Structure;
pub use surface::ConstraintSurface;
pub use velocity::VelocityConstraints;
