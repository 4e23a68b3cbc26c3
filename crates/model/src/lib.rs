//! Cotangent models: the `.cot` language.
//!
//! [`System::parse`] turns the text of a model into a [`System`]; everything that is wrong with the
//! text comes back as [`diagnostic::Diagnostics`], all at once. [`SystemBuilder`] makes the same in
//! Rust. The syntax alone is in [`syntax`]: text to tree and back.

// Clock, threads, files and the like come from the caller: see clippy.toml.
#![cfg_attr(not(test), deny(clippy::disallowed_types, clippy::disallowed_methods))]
#![doc = include_str!("grammar.md")]

mod builder;
pub mod diagnostic;
mod drawing;
mod drop;
mod elaborate;
pub mod fuzzing;
pub mod limits;
pub mod nearest;
mod parse;
pub mod syntax;
mod system;

pub use builder::{BuildError, Coordinate, Sum, SystemBuilder};
pub use drawing::{Drawing, Look};
pub use system::{
    BuiltInLapse, Claim, ClaimKind, Colour, Constraint, ConstraintKind, DrawingKind, Dynamics, Initial, Options,
    OrbitParameter, Parameter, Quantity, RunKey, RunValue, Sign, System,
};
