//! Runs, and what they leave behind: tables written while they are computed, checkpoints to go on
//! from, the extremes of what was watched, and the flag that Ctrl-C sets.
//!
//! Everything here takes constant memory however long the run is, replaces files only as a whole,
//! and can be taken up again so that an interrupted and resumed run ends in the same bytes as an
//! uninterrupted one.

pub mod checkpoint;
mod history;
mod interrupt;
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
pub use interrupt::{InterruptError, cancel_on_signal};
pub use monitor::{Jump, MAX_PASSAGES, Monitor, Passage};
pub use platform::Platform;
pub use run::{Checkpoints, End, HISTORY_ERRORS, Header, Progress, Run, RunError, Unobserved};
pub use samples::Samples;
pub use schedule::{Schedule, ScheduleError};
pub use statistics::{Extremes, ExtremesList, StatisticsError};
pub use table::{Column, Columns, Mark, TableError, TableWriter};
