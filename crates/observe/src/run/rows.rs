//! The numbers of a row: what a table has columns for.

use super::RunError;
use super::observer::Sample;
use crate::table::Columns;
use cotangent_dynamics::{Family, Kept, Measure, Recorded, Time};
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// The column of the numbers of the coordinates in use, counted from 1; 0 before the first step.
const CHART: &str = "chart";

/// The column of the parameter by which steps are made, where time is another one.
const PARAMETER: &str = "parameter_time";

/// Columns that a table has on request.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Extra {
    /// What is left of the constraints and of the hidden ones.
    pub residuals: bool,
    /// What the model claims to be constant.
    pub claims: bool,
}

impl Extra {
    /// The families that are asked for; residuals are told apart from what they are residuals of.
    fn families(self, names: &Recorded) -> [Vec<Family>; 3] {
        let residuals = |list: &[Family], prefix: &str| match self.residuals {
            true => list.iter().map(|f| Family { name: format!("{prefix}{}", f.name), ..f.clone() }).collect(),
            false => vec![],
        };
        let claims = if self.claims { names.claims.clone() } else { vec![] };
        [residuals(&names.constraints, "residual_"), residuals(&names.hidden_constraints, "hidden_residual_"), claims]
    }
}

/// The columns of a run's table: time, state, energy, observables, multipliers, what the formulation has
/// besides, the parameter of the steps where it is not the time, the coordinates of the chart, and what was asked for. The names of the model stay; others give
/// way to them with a `_` at their end.
pub(crate) fn columns(names: &Recorded, time: Time, chart: Option<&Range<usize>>, extra: Extra) -> Columns {
    let of_model = [&names.state, &names.observables, &names.multipliers, &names.auxiliaries];
    let mut taken: Vec<String> = of_model.iter().flat_map(|list| list.iter().map(|f| f.name.clone())).collect();
    let mut own = |name: String| {
        let mut name = name;
        while taken.contains(&name) {
            name.push('_');
        }
        taken.push(name.clone());
        name
    };
    let mut columns = vec![Family::scalar(own("time".into()))];
    columns.extend(names.state.iter().cloned());
    columns.push(Family::scalar(own("energy".into())));
    columns.extend(of_model[1..].iter().flat_map(|list| list.iter().cloned()));
    if time != Time::Parameter {
        columns.push(Family::scalar(own(PARAMETER.into())));
    }
    if let Some(chart) = chart {
        columns.push(Family::indexed(own(CHART.into()), vec![(1, chart.len())]));
    }
    let asked = extra.families(names).into_iter().flatten();
    columns.extend(asked.map(|family| Family { name: own(family.name), ..family }));
    Columns(columns)
}

/// How many numbers families have.
pub(crate) fn len(families: &[Family]) -> usize {
    families.iter().filter_map(Family::width).sum()
}

/// Makes rows of samples.
pub(crate) struct Rows {
    pub(crate) row: Vec<f64>,
    /// Variables of the model, observables, multipliers, auxiliaries.
    lengths: [usize; 4],
    chart: Range<usize>,
    extra: Extra,
}

impl Rows {
    pub(crate) fn new(names: &Recorded, chart: Option<Range<usize>>, extra: Extra) -> Rows {
        let lengths = [&names.state, &names.observables, &names.multipliers, &names.auxiliaries].map(|list| len(list));
        Rows { row: vec![], lengths, chart: chart.unwrap_or(0..0), extra }
    }

    /// The row of a state.
    pub(crate) fn fill<D: Measure>(&mut self, sample: &mut Sample<'_, D>) -> Result<&[f64], RunError> {
        let state = sample.state;
        let (values, [n, o, m, a]) = (&state.values, self.lengths);
        let row = &mut self.row;
        let parameter = usize::from(sample.parameter.is_some());
        row.resize(1 + n + 1 + o + m + a + parameter + self.chart.len(), 0.0);
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
        let (parameter, in_chart) = in_chart.split_at_mut(usize::from(sample.parameter.is_some()));
        parameter.iter_mut().zip(sample.parameter).for_each(|(out, parameter)| *out = parameter);
        in_chart.copy_from_slice(&state.memory[self.chart.clone()]);
        let Kept { constraints, hidden_constraints, claims, .. } = sample.quantities.last();
        if self.extra.residuals {
            row.extend(constraints.iter().chain(hidden_constraints));
        }
        if self.extra.claims {
            row.extend(claims);
        }
        Ok(row)
    }
}
