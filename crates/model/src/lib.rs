//! Cotangent models: the `.cot` language.
//!
//! So far this crate holds the syntax of the language. [`syntax::parse`] turns text into a tree,
//! [`syntax::format`] turns the tree back into canonical text, and everything that is wrong with
//! the text comes back as [`diagnostic::Diagnostics`], all at once.
#![doc = include_str!("grammar.md")]

pub mod diagnostic;
mod elaborate;
pub mod fuzzing;
pub mod limits;
pub mod nearest;
pub mod syntax;
mod system;

pub use system::{
    Claim, ClaimKind, Constraint, ConstraintKind, Dynamics, Initial, Options, Parameter, Quantity, RunKey, RunValue,
    Sign, System,
};
