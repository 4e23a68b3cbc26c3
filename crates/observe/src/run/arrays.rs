//! The rows of a table kept in memory, for programs that take them from there.

use super::observer::{Observer, Sample, Verdict};
use super::rows::Rows;
use super::{End, Run, RunError};
use crate::schedule::Schedule;
use crate::table::Columns;
use cotangent_dynamics::{Advance, Measure};
use std::ops::ControlFlow;

/// Keeps the rows that a table would have.
pub struct Arrays {
    columns: Columns,
    rows: Rows,
    schedule: Schedule,
    kept: Vec<f64>,
    /// The step of the last row.
    last: Option<u64>,
}

impl Arrays {
    /// For a run that begins, or goes on: the rows from there.
    pub fn new<I: Advance, D: Measure>(run: &Run<I, D>) -> Arrays {
        let rows = Rows::new(&run.quantities.names(), run.integrator.chart(), run.extra);
        Arrays { columns: run.columns(), rows, schedule: run.schedule, kept: vec![], last: None }
    }

    /// How many numbers they are.
    pub fn len(&self) -> usize {
        self.kept.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.kept.is_empty()
    }

    /// The name and the values of every column, in order.
    pub fn columns(&self) -> impl Iterator<Item = (String, Vec<f64>)> + '_ {
        let width = self.columns.width().unwrap_or(0).max(1);
        let column = move |k: usize| self.kept.iter().skip(k).step_by(width).copied().collect();
        self.columns.members().enumerate().map(move |(k, name)| (name, column(k)))
    }

    fn keep<D: Measure>(&mut self, sample: &mut Sample<'_, D>) -> Result<(), RunError> {
        if self.last.replace(sample.step) != Some(sample.step) {
            self.kept.extend_from_slice(self.rows.fill(sample)?);
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
