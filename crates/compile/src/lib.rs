//! The bridge from symbols to numbers: tensors become functions on slices.
//!
//! [`FunctionBuilder`] lowers any list of tensors (values, gradients, Jacobians, solves, roots) to a
//! [`Program`](program::Program), and [`record`] makes one of a step of a method, its iterations included: that is the one
//! intermediate form. The tape runs it in every [`Real`](cotangent_scalar::Real) arithmetic; in `f64` it is compiled to
//! native code (feature `jit`), with identical results.
//! Families become loops: compile time and code size do not depend on the number of members.

// Clock, threads, files and the like come from the caller: see clippy.toml.
#![cfg_attr(not(test), deny(clippy::disallowed_types, clippy::disallowed_methods))]

mod arithmetic;
#[cfg(all(test, feature = "jit", unix))]
mod c_text;
mod computed;
mod error;
mod evaluator;
mod function;
pub mod fuzzing;
#[cfg(feature = "jit")]
mod jit;
mod kernel;
mod lower;
mod position;
pub mod program;
pub mod record;
mod run;
mod step;
mod tape;
pub mod values;
mod verify;

pub use arithmetic::{Arithmetic, InLoops, Inline, Native, Tape};
pub use error::{CallError, CompileError};
pub use evaluator::Evaluator;
pub use function::{Engine, Function, FunctionBuilder, Workspace};
pub use kernel::MAX_OPS;
pub use lower::{Storage, UNROLL};
pub use step::{Step, StepWorkspace};
