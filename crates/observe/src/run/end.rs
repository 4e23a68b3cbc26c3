//! How a run ends.

use crate::checkpoint::CheckpointError;
use crate::schedule::ScheduleError;
use crate::statistics::StatisticsError;
use crate::table::TableError;
use cotangent_dynamics::Failure;

/// How a run ended.
#[derive(Debug)]
pub enum End {
    /// At its last step.
    Finished,
    /// On request; it can be resumed if it has a checkpoint.
    Interrupted,
    /// An observer has seen enough; it can be resumed likewise.
    Stopped,
    /// At a step that could not be made; the state is that before it.
    Failed(Failure),
}

/// Why a run could not go on, apart from its mathematics.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// A quantity has no value.
    #[error(transparent)]
    Quantity(#[from] Failure),
    /// The table could not be written.
    #[error(transparent)]
    Table(#[from] TableError),
    /// The checkpoint could not be written or read.
    #[error(transparent)]
    Checkpoint(#[from] CheckpointError),
    /// An energy beyond all numbers, or none.
    #[error("the energy at the start is {0}: it has no finite value in numbers of 64 bits")]
    Energy(f64),
    /// Time that does not pass.
    #[error("the lapse at the start is {0}: it must be more than 0")]
    Pace(f64),
    /// More rows than can be counted, up to a time that was not known before.
    #[error(transparent)]
    Schedule(#[from] ScheduleError),
    /// The checkpoint belongs to another run.
    #[error("the checkpoint is of another run: {0}")]
    Foreign(#[from] Foreign),
}

/// Why a checkpoint is not one of a run.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Foreign {
    /// Fewer numbers than the run has.
    #[error("it has another number of variables")]
    Variables,
    /// More steps than the run has.
    #[error("it has more steps")]
    Steps,
    /// Other quantities are watched.
    #[error(transparent)]
    Quantities(#[from] StatisticsError),
}

impl From<StatisticsError> for RunError {
    fn from(error: StatisticsError) -> RunError {
        RunError::Foreign(error.into())
    }
}
