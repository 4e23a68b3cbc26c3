//! Recording a step: the arithmetic that a generic step performs, as a [`Program`](crate::program::Program).
//!
//! A step written over [`Scalar`](cotangent_scalar::Scalar) and [`Machine`](cotangent_dynamics::Machine) is run once with
//! numbers that record what is done with them. There are two kinds of these:
//!
//! - [`Traced`] numbers write everything out: what comes of it has no loops over members, and its numbers stay in registers.
//!   This is for small systems.
//! - [`Looped`] numbers know which entry of which vector they are. Operations on whole vectors, products with sparse matrices
//!   and compiled functions are kept as loops over families; loops over the same members are then joined, so that what one
//!   makes another takes from a register, and what nobody reads is not stored.
//!
//! In both an iteration of Newton's method is one region, and a linear solve one instruction.

mod alike;
mod entry;
mod fuse;
mod item;
mod layout;
mod looped;
mod numbers;
mod unread;
mod unrolled;

pub use looped::{LoopRecord, LoopRecorder, Looped};
pub use unrolled::{MAX_RECORDED, Record, Recorder, Traced};
