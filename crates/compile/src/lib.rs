//! The bridge from symbols to numbers: tensors become functions on slices.
//!
//! [`FunctionBuilder`] lowers any list of tensors (values, gradients, Jacobians, solves, roots) to a
//! [`Program`](program::Program), the tape. The tape runs in every [`Real`](cotangent_scalar::Real)
//! arithmetic; in `f64` it is compiled to native code (feature `jit`), with identical results.
//! Families become loops: compile time and code size do not depend on the number of members.

mod arithmetic;
mod compiled;
mod computed;
mod conditioning;
pub mod consistency;
mod diagnostics;
mod error;
mod function;
pub mod fuzzing;
mod integrator;
#[cfg(feature = "jit")]
mod jit;
mod kernel;
mod lower;
mod picture;
mod position;
mod problem;
pub mod program;
pub mod record;
mod redundancy;
mod run;
mod start;
mod step;
mod surface;
mod tape;
pub mod values;
mod verify;

pub use arithmetic::{Arithmetic, Inline, Native, Tape};
pub use compiled::{Compiled, View, offer};
pub use conditioning::{Branch, Conditioned, Conditioning};
pub use diagnostics::{Diagnostics, Kept};
pub use error::{CallError, CompileError};
pub use function::{Engine, Function, FunctionBuilder, Workspace};
pub use integrator::Integrator;
pub use lower::{MAX_OPS, Storage, UNROLL};
pub use picture::{Picture, Shape};
pub use problem::{Problem, ProblemError, Repairs};
pub use redundancy::{Redundant, redundant, redundant_within};
pub use step::{Step, StepWorkspace};
pub use surface::{Freedom, Start};
