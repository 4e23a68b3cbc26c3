//! Runs over anything that steps and can be measured, and what they leave behind: tables written while they are
//! computed, checkpoints to go on from, the extremes of what was watched.
//!
//! A [`Run`] drives what implements [`Advance`](cotangent_dynamics::Advance) and
//! [`Measure`](cotangent_dynamics::Measure); every step is measured and pushed to [`Observer`]s, which may stop it. Clock
//! and cancel token come from the caller, in its [`Limits`](cotangent_scalar::Limits).
//!
//! Everything here takes constant memory however long the run is, replaces files only as a whole,
//! and can be taken up again so that an interrupted and resumed run ends in the same bytes as an
//! uninterrupted one.

// Clock, threads, files and the like come from the caller: see clippy.toml.
#![cfg_attr(not(test), deny(clippy::disallowed_types, clippy::disallowed_methods))]

pub mod checkpoint;
mod history;
mod monitor;
mod platform;
mod reserve;
mod run;
mod samples;
mod schedule;
mod statistics;
pub mod table;

pub use checkpoint::{Checkpoint, CheckpointError};
pub use cotangent_destination::{DestinationError, is_same};
pub use history::History;
pub use monitor::{Jump, MAX_PASSAGES, Monitor, Passage, Unresolved};
pub use platform::Platform;
pub use run::{
    Arrays, Checkpoints, Each, End, Extra, Foreign, HISTORY_ERRORS, Header, Observer, OnProgress, Progress, Run,
    RunError, Sample, Unobserved, Verdict, each, progress,
};
pub use samples::Samples;
pub use schedule::{Schedule, ScheduleError};
pub use statistics::{Extremes, ExtremesList, StatisticsError};
pub use table::{Columns, Family, Mark, TableError, TableWriter, Text};
