//! Rows of a table, written while a run is computed.

use super::RunError;
use super::observer::{Observer, Sample, Verdict};
use crate::table::{Columns, TableWriter};
use cotangent_dynamics::{Family, Measure, Recorded};
use std::ops::{ControlFlow, Range};

/// The column of the numbers of the coordinates in use, counted from 1; 0 before the first step.
const CHART: &str = "chart";

/// The columns of a run's table: time, state, energy, observables, multipliers, what the formulation has
/// besides, and the coordinates of the chart. The names of the model stay; `time`, `energy` and `chart` give
/// way to them with a `_` at their end.
pub(crate) fn columns(names: &Recorded, chart: Option<Range<usize>>) -> Columns {
    let of_model = [&names.state, &names.observables, &names.multipliers, &names.auxiliaries];
    let own = |name: &str| {
        let taken = |name: &str| of_model.iter().flat_map(|list| list.iter()).any(|family| family.name == name);
        let mut name = name.to_owned();
        while taken(&name) {
            name.push('_');
        }
        name
    };
    let mut columns = vec![Family::scalar(own("time"))];
    columns.extend(names.state.iter().cloned());
    columns.push(Family::scalar(own("energy")));
    columns.extend(of_model[1..].iter().flat_map(|list| list.iter().cloned()));
    if let Some(chart) = chart {
        columns.push(Family::indexed(own(CHART), vec![(1, chart.len())]));
    }
    Columns(columns)
}

/// How many numbers families have.
pub(crate) fn len(families: &[Family]) -> usize {
    families.iter().filter_map(Family::width).sum()
}

/// Writes a row for every sample it is shown.
pub(crate) struct Recorder {
    pub(crate) table: TableWriter,
    row: Vec<f64>,
    /// Variables of the model, observables, multipliers, auxiliaries.
    lengths: [usize; 4],
    chart: Range<usize>,
    /// Whether the last row could not be written.
    pub(crate) is_behind: bool,
}

impl Recorder {
    pub(crate) fn new(table: TableWriter, names: &Recorded, chart: Option<Range<usize>>) -> Recorder {
        let lengths = [&names.state, &names.observables, &names.multipliers, &names.auxiliaries].map(|list| len(list));
        Recorder { table, row: vec![], lengths, chart: chart.unwrap_or(0..0), is_behind: false }
    }

    /// Writes the row of a state. After an error it is not in the table.
    fn write<D: Measure>(&mut self, sample: &mut Sample<'_, D>) -> Result<(), RunError> {
        let made = self.fill(sample);
        let written = made.and_then(|()| Ok(self.table.row(&self.row)?));
        self.is_behind = written.is_err();
        written
    }

    fn fill<D: Measure>(&mut self, sample: &mut Sample<'_, D>) -> Result<(), RunError> {
        let state = sample.state;
        let (values, [n, o, m, a]) = (&state.values, self.lengths);
        let row = &mut self.row;
        row.resize(1 + n + 1 + o + m + a + self.chart.len(), 0.0);
        row[0] = sample.time;
        sample.quantities.model_state(values, &mut row[1..=n])?;
        row[1 + n] = sample.quantities.kept(values)?.energy;
        let (observed, rest) = row[2 + n..].split_at_mut(o);
        let (forces, rest) = rest.split_at_mut(m);
        let (own, in_chart) = rest.split_at_mut(a);
        match sample.quantities.observe(values, observed) {
            Ok(()) => sample.observed(observed),
            Err(failure) => {
                observed.fill(f64::NAN);
                sample.has_no_value(&failure);
            }
        }
        sample.quantities.multipliers(values, forces)?;
        sample.quantities.auxiliaries(values, own)?;
        in_chart.copy_from_slice(&state.memory[self.chart.clone()]);
        Ok(())
    }
}

impl<I, D: Measure> Observer<I, D> for Recorder {
    fn sample(&mut self, sample: &mut Sample<'_, D>) -> Verdict {
        self.write(sample).map(ControlFlow::Continue)
    }
}
