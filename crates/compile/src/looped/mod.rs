//! Steps of large systems, with their loops.
//!
//! A step is run once with numbers that know which entry of which vector they are ([`Looped`]). Operations on whole vectors,
//! products with sparse matrices and compiled functions are kept as loops over families ([`record`](self)); loops over the
//! same members are then joined, so that what one makes another takes from a register, and what nobody reads is not stored.
//! The result is a [`Program`](crate::program::Program), which the tape and native code run ([`LoopedStep`]).

mod fuse;
mod record;
mod step;

pub use record::{LoopRecord, LoopRecorder, Looped, LoopedRecording};
pub use step::{LoopedStep, LoopedWorkspace};
