//! Constraints that depend on others.
//!
//! The rows of G = ∂φ/∂q are compared at the initial configuration and, where some depend on others
//! there, at generic configurations near it: constraints that are dependent everywhere are
//! redundant; those that are dependent at one configuration only make it a singular one.

use crate::error::CompileError;
use crate::function::{Engine, FunctionBuilder};
use crate::values::ValueError;
use cotangent_model::{ConstraintKind, System};
use cotangent_scalar::Limits;
use cotangent_solve::{Dependent, dependent_rows};

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

/// The relative size of the changes that lead to a generic configuration.
const CHANGE: f64 = 1e-3;

/// The holonomic constraints that depend on others at a configuration.
pub fn redundant(system: &System, parameters: &[f64], coordinates: &[f64]) -> Result<Vec<Redundant>, ValueError> {
    redundant_within(system, parameters, coordinates, &Limits::default())
}

/// The same within limits.
pub fn redundant_within(
    system: &System,
    parameters: &[f64],
    coordinates: &[f64],
    limits: &Limits,
) -> Result<Vec<Redundant>, ValueError> {
    let residual = system.residuals(&[ConstraintKind::Holonomic]).map_err(CompileError::from)?;
    let layout = residual.shape()[0].clone();
    if layout.is_empty() || system.dynamics.momenta().is_none() {
        return Ok(vec![]);
    }
    let jacobian = residual.jacobian_within(system.dynamics.variables(), limits).map_err(CompileError::from)?;
    let f = FunctionBuilder::new()
        .input(system.dynamics.variables())
        .input(&system.parameter_layout())
        .sparse_output(&jacobian)
        .engine(Engine::Tape)
        .within(limits)
        .compile()?;
    let (Some(pattern), mut work) = (f.pattern(0), f.workspace()) else { return Ok(vec![]) };
    let mut dependent = |q: &[f64]| -> Result<Option<Vec<Dependent>>, ValueError> {
        let mut values = vec![0.0; pattern.len()];
        f.call(&[q, parameters], &mut [&mut values], &mut work)?;
        // Undecided (too large, not finite) is left to the solver, which names a singular row.
        Ok(dependent_rows(pattern, &values, TOLERANCE).ok())
    };
    let here = dependent(coordinates)?.unwrap_or_default();
    if here.is_empty() {
        return Ok(vec![]);
    }
    let near = dependent(&generic(coordinates))?.unwrap_or_default();
    let name = |row: usize| layout.entry_name(row);
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

/// Every coordinate changed a little, in no particular direction.
fn generic(coordinates: &[f64]) -> Vec<f64> {
    let largest = coordinates.iter().fold(0.0f64, |m, v| m.max(v.abs()));
    let scale = CHANGE * if largest > 0.0 { largest } else { 1.0 };
    let mut seed = 0x9e37_79b9_7f4a_7c15u64;
    let mut next = || {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    };
    coordinates.iter().map(|q| q + scale * next()).collect()
}
