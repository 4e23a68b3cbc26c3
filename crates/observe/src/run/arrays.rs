//! The rows of a table kept in memory, for programs that take them from there.

use super::observer::{Observer, Sample, Verdict};
use super::rows::Rows;
use super::{End, Run, RunError};
use crate::schedule::Schedule;
use crate::table::Columns;
use cotangent_dynamics::{Advance, Measure};
use cotangent_scalar::Cancel;
use std::ops::ControlFlow;

/// Between two looks at whether somebody asks to stop so many numbers are copied.
const BLOCK: usize = 1 << 20;

/// Keeps the rows that a table would have, as long as there is memory for them.
pub struct Arrays {
    columns: Columns,
    rows: Rows,
    schedule: Schedule,
    kept: Vec<f64>,
    /// How many numbers may be kept, and whether there are more of them.
    most: usize,
    is_full: bool,
    /// The step of the last row.
    last: Option<u64>,
}

impl Arrays {
    /// For a run that begins, or goes on: the rows from there.
    pub fn new<I: Advance, D: Measure>(run: &Run<I, D>) -> Arrays {
        let rows = Rows::new(&run.quantities.names(), run.integrator.chart(), run.extra);
        let (columns, schedule) = (run.columns(), run.schedule);
        Arrays { columns, rows, schedule, kept: vec![], most: usize::MAX, is_full: false, last: None }
    }

    /// Bytes that a number takes: as part of a row, and of a column.
    pub const BYTES: u64 = 16;

    /// The same with no more memory than so many bytes.
    pub fn within(self, bytes: u64) -> Arrays {
        Arrays { most: usize::try_from(bytes / Self::BYTES).unwrap_or(usize::MAX), ..self }
    }

    /// How many rows of how many numbers there will be, unless it is found on the way.
    pub fn expected<I, D>(&self, run: &Run<I, D>) -> Option<[u64; 2]> {
        let rows = || self.schedule.rows_from(run.done());
        run.goal().is_none().then(|| [rows(), self.width() as u64])
    }

    fn width(&self) -> usize {
        self.columns.width().unwrap_or(0)
    }

    /// How many numbers they are.
    pub fn len(&self) -> usize {
        self.kept.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.kept.is_empty()
    }

    /// Whether there was no memory for all of them. None of them are kept then.
    pub fn is_full(&self) -> bool {
        self.is_full
    }

    /// The name and the values of every column, in order. `None`: somebody asks to stop, or there is no memory.
    pub fn columns(&self, cancel: &Cancel) -> Option<Vec<(String, Vec<f64>)>> {
        let width = self.width().max(1);
        let count = self.kept.len() / width;
        let mut columns: Vec<(String, Vec<f64>)> = self.columns.members().map(|name| (name, vec![])).collect();
        for (_, column) in &mut columns {
            column.try_reserve_exact(count).ok()?;
        }
        for rows in self.kept.chunks(width * (BLOCK / width).max(1)) {
            if cancel.is_set() {
                return None;
            }
            for (k, (_, column)) in columns.iter_mut().enumerate() {
                column.extend(rows.iter().skip(k).step_by(width));
            }
        }
        Some(columns)
    }

    fn keep<D: Measure>(&mut self, sample: &mut Sample<'_, D>) -> Result<(), RunError> {
        if !self.is_full && self.last.replace(sample.step) != Some(sample.step) {
            let row = self.rows.fill(sample)?;
            self.is_full = self.kept.len() + row.len() > self.most || self.kept.try_reserve(row.len()).is_err();
            match self.is_full {
                true => self.kept = vec![],
                false => self.kept.extend_from_slice(row),
            }
        }
        Ok(())
    }
}

impl<I: Advance, D: Measure> Observer<I, D> for Arrays {
    fn begin(&mut self, run: &mut Run<I, D>) -> Result<(), RunError> {
        self.keep(&mut run.sample())
    }

    fn sample(&mut self, sample: &mut Sample<'_, D>) -> Verdict {
        if self.schedule.records(sample.step) {
            self.keep(sample)?;
        }
        Ok(ControlFlow::Continue(()))
    }

    fn end(&mut self, run: &mut Run<I, D>, end: Result<&End, &RunError>) -> Result<(), RunError> {
        // The last state of a run that did not reach its end is part of it, as it is of a table.
        if end.is_ok() { self.keep(&mut run.sample()) } else { Ok(()) }
    }
}
