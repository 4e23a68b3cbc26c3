//! Numbers of parameters and initial values, summarised where there are many.

use cotangent_compile::values::{InitialValues, Rates, Setting};
use cotangent_expr::Array;
use cotangent_model::{ConstraintKind, System};
use serde::Serialize;
use std::collections::HashMap;

/// The values of one array.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Values {
    /// Its name.
    pub name: String,
    /// First and last index of each dimension; empty for a scalar.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub range: Vec<(i64, i64)>,
    /// How many members it has.
    pub members: usize,
    /// The value, if all members have the same.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<f64>,
    /// All values, if they differ and are not too many.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub values: Option<Vec<f64>>,
    /// The first values and the last.
    #[serde(skip)]
    pub sample: Vec<f64>,
    /// The least, if they differ.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min: Option<f64>,
    /// The greatest, if they differ.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max: Option<f64>,
}

/// Longer lists are summarised in JSON too.
const MAX_LISTED: usize = 1_000;

impl Values {
    pub(super) fn new(array: &Array, values: &[f64]) -> Values {
        let first = values.first().copied();
        let value = first.filter(|f| values.iter().all(|v| v == f));
        let many = value.is_none() && !values.is_empty();
        let listed = many && values.len() <= MAX_LISTED;
        let sample = if values.len() <= 5 { values } else { &values[..3] };
        Values {
            name: array.name().to_owned(),
            range: range(array),
            members: values.len(),
            value,
            values: listed.then(|| values.to_vec()),
            sample: sample.iter().chain(values.last().filter(|_| values.len() > 5)).copied().collect(),
            min: many.then(|| values.iter().copied().fold(f64::INFINITY, f64::min)),
            max: many.then(|| values.iter().copied().fold(f64::NEG_INFINITY, f64::max)),
        }
    }
}

/// First and last index of each dimension; of members with indices of their own, the least and the largest of each.
pub(super) fn range(array: &Array) -> Vec<(i64, i64)> {
    if let Some(members) = array.members() {
        let widest = |k: usize| {
            let of = || members.iter().filter_map(|m| m.get(k).copied());
            Some((of().min()?, of().max()?))
        };
        return (0..members.first().map_or(0, Vec::len)).filter_map(widest).collect();
    }
    array.dims().iter().map(|d| (d.first, d.last())).collect()
}

/// Members of a variable that neither the model nor `--set` names.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct NotNamed {
    /// Its name.
    pub name: String,
    /// How many are not named.
    pub members: usize,
    /// How many there are in all.
    pub of: usize,
}

/// Initial values: given ones, and what was not named.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Start {
    /// Those that are given.
    pub values: Vec<Values>,
    /// Taken as 0.
    pub not_named: Vec<NotNamed>,
}

impl Start {
    pub(super) fn new(system: &System, initial: &InitialValues, set: &[Setting]) -> Start {
        let mut start = Start { values: vec![], not_named: vec![] };
        let named = &system.initial.iter().rev().map(|i| (&i.array, i.named)).collect();
        let variables = system.dynamics.variables().arrays();
        start.add(named, variables, &initial.coordinates, set, true);
        match &initial.rates {
            Rates::None => {}
            Rates::Momenta(p) => {
                let arrays = system.dynamics.momenta().map_or(&[][..], |l| l.arrays());
                start.add(named, arrays, p, set, true);
            }
            Rates::Velocities(v) => {
                let velocity = |q: &Array| {
                    let name = format!("{}'", q.name());
                    Array::given(&name, cotangent_expr::Role::Velocity, q.dims().to_vec())
                };
                let arrays: Vec<Array> = variables.iter().map(velocity).collect();
                start.add(named, &arrays, v, set, true);
            }
        }
        // Beside velocities those of velocity constraints are data; beside momenta they follow.
        let by_velocity = matches!(initial.rates, Rates::Velocities(_));
        let mut offset = 0;
        for c in &system.constraints {
            let own = initial.multipliers.get(offset..offset + c.multiplier.len()).unwrap_or(&[]);
            offset += c.multiplier.len();
            let wanted = by_velocity && c.kind == ConstraintKind::Vakonomic;
            start.add(named, std::slice::from_ref(&c.multiplier), own, set, wanted);
        }
        start
    }

    fn add(&mut self, named: &HashMap<&Array, usize>, arrays: &[Array], values: &[f64], set: &[Setting], wanted: bool) {
        let mut offset = 0;
        for array in arrays {
            let members = array.len();
            let own = values.get(offset..offset + members).unwrap_or(&[]);
            offset += members;
            let mut set = set.iter().filter(|s| s.name == array.name()).peekable();
            let in_model = named.get(array).copied().unwrap_or(0);
            let is_set = set.peek().is_some();
            let whole = set.clone().any(|s| s.index.is_none());
            // Which members the model names is not known, only how many.
            let by_set = if in_model == 0 { set.count() } else { 0 };
            let missing = if whole { 0 } else { members.saturating_sub(in_model + by_set) };
            if in_model > 0 || is_set {
                self.values.push(Values::new(array, own));
            }
            if missing > 0 && wanted {
                self.not_named.push(NotNamed { name: array.name().to_owned(), members: missing, of: members });
            }
        }
    }
}
