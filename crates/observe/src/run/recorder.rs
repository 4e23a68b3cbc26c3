//! Rows of a table, written while a run is computed.

use super::RunError;
use super::observer::{Observer, Sample, Verdict};
use super::rows::Rows;
use crate::table::TableWriter;
use cotangent_dynamics::Measure;
use std::ops::ControlFlow;

/// Writes a row for every sample it is shown.
pub(crate) struct Recorder {
    pub(crate) table: TableWriter,
    rows: Rows,
    /// Whether the last row could not be written.
    pub(crate) is_behind: bool,
}

impl Recorder {
    pub(crate) fn new(table: TableWriter, rows: Rows) -> Recorder {
        Recorder { table, rows, is_behind: false }
    }

    /// Writes the row of a state. After an error it is not in the table.
    fn write<D: Measure>(&mut self, sample: &mut Sample<'_, D>) -> Result<(), RunError> {
        let made = self.rows.fill(sample);
        let written = made.and_then(|row| Ok(self.table.row(row)?));
        self.is_behind = written.is_err();
        written
    }
}

impl<I, D: Measure> Observer<I, D> for Recorder {
    fn sample(&mut self, sample: &mut Sample<'_, D>) -> Verdict {
        self.write(sample).map(ControlFlow::Continue)
    }
}
