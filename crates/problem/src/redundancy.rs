//! Constraints that depend on others.
//!
//! The rows of G = ∂φ/∂q are compared at the initial configuration and, where some depend on others
//! there, at generic configurations near it: constraints that are dependent everywhere are
//! redundant; those that are dependent at one configuration only make it a singular one.
//!
//! Neither the units of constraints nor those of coordinates count: G is looked at in scales in which its rows and
//! columns are of size 1, entries that are nothing but rounding of their terms aside.

use cotangent_compile::values::ValueError;
use cotangent_compile::{CompileError, Evaluator};
use cotangent_expr::Layout;
use cotangent_model::{ConstraintKind, System};
use cotangent_scalar::{Limits, Random};
use cotangent_solve::{Dependent, Scales, dependent_rows};

/// A constraint that depends on others.
#[derive(Clone, PartialEq, Debug)]
pub struct Redundant {
    /// The constraint member.
    pub name: String,
    /// The members before it that determine it; none if its gradient is zero.
    pub on: Vec<String>,
    /// Whether it depends on them at the initial configuration only.
    pub here_only: bool,
}

/// Rows closer to the span of the others than this, relative to their length, depend on them.
const TOLERANCE: f64 = 1e-9;

/// Entries that are smaller, compared with their terms, are rounding.
const ROUNDING: f64 = 64.0 * f64::EPSILON;

/// The relative size of the changes that lead to a generic configuration.
const CHANGE: f64 = 1e-3;

/// The gradients of the holonomic constraints of a system.
pub(crate) struct Gradients {
    names: Layout,
    function: Evaluator,
    /// The sizes of the terms of each entry.
    magnitudes: Evaluator,
}

impl Gradients {
    /// Compiles them; `None` without holonomic constraints.
    pub(crate) fn new(system: &System, limits: &Limits) -> Result<Option<Gradients>, CompileError> {
        let residual = system.residuals(&[ConstraintKind::Holonomic])?;
        let names = residual.shape()[0].clone();
        if names.is_empty() || system.dynamics.momenta().is_none() {
            return Ok(None);
        }
        let jacobian = residual.jacobian_within(system.dynamics.variables(), limits)?;
        let by = [system.dynamics.variables(), &system.parameter_layout()];
        let function = Evaluator::sparse(&jacobian, &by, limits)?;
        Ok(Some(Gradients { names, function, magnitudes: Evaluator::sparse(&jacobian.magnitude()?, &by, limits)? }))
    }

    /// The scales of rows and columns at a configuration, and the rows that depend on others.
    fn dependent(&self, parameters: &[f64], q: &[f64]) -> Result<Option<(Scales, Vec<Dependent>)>, ValueError> {
        let (Some(pattern), Some(sizes)) = (self.function.pattern(), self.magnitudes.pattern()) else {
            return Ok(None);
        };
        let (mut values, terms) = (self.function.call(&[q, parameters])?, self.magnitudes.call(&[q, parameters])?);
        let rows = pattern.addresses().map(|(i, j)| sizes.position(i as usize, j as usize));
        let terms: Vec<f64> = rows.map(|k| k.map_or(0.0, |k| terms[k])).collect();
        let scales = Scales::new(pattern, &values, |k| values[k].abs() > ROUNDING * terms[k]);
        scales.apply(pattern, &mut values);
        // Undecided (too large, not finite) is left to the solver, which names a singular row.
        let dependent = dependent_rows(pattern, &values, TOLERANCE).unwrap_or_default();
        Ok(Some((scales, dependent)))
    }

    /// The constraints that depend on others at a configuration.
    pub(crate) fn redundant(&self, parameters: &[f64], coordinates: &[f64]) -> Result<Vec<Redundant>, ValueError> {
        let Some((scales, here)) = self.dependent(parameters, coordinates)? else { return Ok(vec![]) };
        if here.is_empty() {
            return Ok(vec![]);
        }
        let near = self.dependent(parameters, &generic(coordinates, &scales))?.map_or(vec![], |(_, rows)| rows);
        let name = |row: usize| self.names.entry_name(row);
        // Where constraints are redundant everywhere, only those are to blame.
        let everywhere = !near.is_empty();
        let list = if everywhere { near } else { here };
        let redundant = |d: Dependent| Redundant {
            name: name(d.row),
            on: d.on.into_iter().map(name).collect(),
            here_only: !everywhere,
        };
        Ok(list.into_iter().map(redundant).collect())
    }
}

/// Every coordinate changed a little, in no particular direction; in units of its own where the constraints show it.
fn generic(coordinates: &[f64], scales: &Scales) -> Vec<f64> {
    let or_one = |x: f64| if x > 0.0 { x } else { 1.0 };
    let largest = or_one(coordinates.iter().fold(0.0f64, |m, v| m.max(v.abs())));
    let sizes = coordinates.iter().zip(&scales.columns).filter_map(|(q, c)| c.map(|c| q.abs() / c));
    let size = or_one(sizes.filter(|s| s.is_finite()).fold(0.0, f64::max));
    let units = scales.columns.iter().map(|c| CHANGE * c.map_or(largest, |c| c * size));
    let mut random = Random::default();
    coordinates.iter().zip(units).map(|(q, unit)| q + unit * random.signed()).collect()
}
