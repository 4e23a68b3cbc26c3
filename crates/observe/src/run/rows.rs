//! The numbers of a row: what a table has columns for.

use super::RunError;
use super::observer::Sample;
use crate::table::Columns;
use cotangent_dynamics::{Family, Kept, Measure, Recorded};
use serde::{Deserialize, Serialize};
use std::collections::HashSet;
use std::ops::Range;

/// The column of the numbers of the coordinates in use, counted from 1; 0 before the first step.
const CHART: &str = "chart";

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
/// besides, the coordinates of the chart, and what was asked for. The variables and observables of the model, which
/// it names differently, keep their names; others give way to them with a `_` at their end.
pub(crate) fn columns(names: &Recorded, chart: Option<&Range<usize>>, extra: Extra) -> Columns {
    let of_model = names.state.iter().chain(&names.observables);
    let mut taken: HashSet<String> = of_model.map(|f| f.name.clone()).collect();
    let mut own = |mut family: Family| {
        while !taken.insert(family.name.clone()) {
            family.name.push('_');
        }
        family
    };
    // In the order in which they give way, which is not that of the table.
    let [multipliers, auxiliaries] =
        [&names.multipliers, &names.auxiliaries].map(|list| list.iter().cloned().map(&mut own).collect::<Vec<_>>());
    let mut columns = vec![own(Family::scalar("time"))];
    columns.extend(names.state.iter().cloned());
    columns.push(own(Family::scalar("energy")));
    columns.extend(names.observables.iter().cloned().chain(multipliers).chain(auxiliaries));
    columns.extend(chart.map(|chart| own(Family::indexed(CHART, vec![(1, chart.len())]))));
    columns.extend(extra.families(names).into_iter().flatten().map(own));
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_are_not_of_the_model_give_way() {
        let scalars = |names: &[&str]| names.iter().map(|name| Family::scalar(*name)).collect::<Vec<_>>();
        let names = Recorded {
            state: scalars(&["x", "energy"]),
            observables: scalars(&["time", "lambda_rod", "residual_rod"]),
            multipliers: scalars(&["lambda_rod"]),
            auxiliaries: scalars(&["x"]),
            constraints: scalars(&["rod"]),
            claims: scalars(&["x", "time"]),
            ..Recorded::default()
        };
        let found = columns(&names, Some(&(0..1)), Extra { residuals: true, claims: true });
        let found: Vec<&str> = found.0.iter().map(|family| family.name.as_str()).collect();
        let expected = [
            "time_",
            "x",
            "energy",
            "energy_",
            "time",
            "lambda_rod",
            "residual_rod",
            "lambda_rod_",
            "x_",
            "chart",
            "residual_rod_",
            "x__",
            "time__",
        ];
        assert_eq!(found, expected);
    }
}
