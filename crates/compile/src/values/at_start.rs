//! What initial values give: the state, the residuals of the constraints, the energy.

use super::{Given, InitialValues, Key, Rates, ValueError, Values, evaluate};
use crate::error::CompileError;
use crate::evaluator::Evaluator;
use crate::function::{Engine, FunctionBuilder};
use cotangent_expr::Layout;
use cotangent_model::{ConstraintKind, Dynamics, System};
use cotangent_scalar::Random;
use cotangent_solve::{NewtonError, NewtonOptions, NewtonWorkspace, newton};

/// The value of one constraint member.
#[derive(Clone, PartialEq, Debug)]
pub struct Residual {
    /// The constraint, with its index.
    pub name: String,
    /// Left side minus right side.
    pub value: f64,
    /// The sizes of the terms that it is the sum of; zero where it is zero.
    pub magnitude: f64,
}

/// Named values of a vector.
fn named(layout: &Layout, values: Vec<f64>, magnitudes: Vec<f64>) -> Vec<Residual> {
    let values = values.into_iter().zip(magnitudes);
    let named = layout.entry_names().into_iter().zip(values);
    named.map(|(name, (value, magnitude))| Residual { name, value, magnitude }).collect()
}

impl Rates {
    fn given(&self) -> Given {
        match self {
            Rates::None => Given::Nothing,
            Rates::Momenta(_) => Given::Momenta,
            Rates::Velocities(_) => Given::Velocities,
        }
    }
}

impl Values {
    /// The layouts and values that expressions of a system may use at the start.
    fn inputs<'a>(&'a self, parameters: &'a [f64], initial: &'a InitialValues) -> Vec<(&'a Layout, &'a [f64])> {
        let dynamics = &self.system.dynamics;
        let mut inputs = vec![(&self.layout, parameters), (dynamics.variables(), &initial.coordinates[..])];
        match &initial.rates {
            Rates::Momenta(p) => inputs.extend(dynamics.momenta().map(|l| (l, &p[..]))),
            Rates::Velocities(v) => inputs.extend(dynamics.velocities().map(|l| (l, &v[..]))),
            Rates::None => {}
        }
        inputs
    }

    /// The state (q, p), or the variables, that initial values describe: velocities become momenta.
    pub fn start(&self, parameters: &[f64], initial: &InitialValues) -> Result<Vec<f64>, ValueError> {
        let q = &initial.coordinates;
        let p = match (&initial.rates, &self.system.dynamics) {
            (Rates::None, _) => vec![],
            (Rates::Momenta(p), _) => p.clone(),
            (Rates::Velocities(_), Dynamics::Lagrangian { .. }) => self.momentum(parameters, initial)?,
            (Rates::Velocities(v), _) => momenta(&self.system, parameters, q, v)?,
        };
        Ok([q.clone(), p].concat())
    }

    /// ∂L/∂v, less λᵀ∂g/∂v for the multipliers of velocity constraints.
    fn momentum(&self, parameters: &[f64], initial: &InitialValues) -> Result<Vec<f64>, ValueError> {
        let Dynamics::Lagrangian { velocities, lagrangian, .. } = &self.system.dynamics else { return Ok(vec![]) };
        let make =
            |by: &[&Layout]| Evaluator::new(&lagrangian.gradient_within(velocities, &self.limits)?, by, &self.limits);
        let inputs = self.inputs(parameters, initial);
        let mut momentum = self.evaluated(Key::Momentum, &inputs, make)?.1;
        let mut multipliers = &initial.multipliers[..];
        for (k, c) in self.system.constraints.iter().enumerate() {
            let (own, rest) = multipliers.split_at(c.multiplier.len().min(multipliers.len()));
            multipliers = rest;
            if c.kind != ConstraintKind::Vakonomic || own.iter().all(|l| *l == 0.0) {
                continue;
            }
            let make = |by: &[&Layout]| {
                Evaluator::sparse(&c.residual.jacobian_within(velocities, &self.limits)?, by, &self.limits)
            };
            let (gradients, values) = self.evaluated(Key::VelocityGradients(k), &inputs, make)?;
            let Some(pattern) = gradients.pattern() else { continue };
            for ((row, column), value) in pattern.addresses().zip(&values) {
                momentum[column as usize] -= own[row as usize] * value;
            }
        }
        Ok(momentum)
    }

    /// The residuals of the constraints at the initial values. Vakonomic constraints are left out
    /// where momenta are given instead of velocities.
    pub fn constraint_residuals(
        &self,
        parameters: &[f64],
        initial: &InitialValues,
    ) -> Result<Vec<Residual>, ValueError> {
        let inputs = self.inputs(parameters, initial);
        let given = initial.rates.given();
        let mut out = vec![];
        for (k, c) in self.system.constraints.iter().enumerate() {
            if c.kind == ConstraintKind::Vakonomic && given != Given::Velocities {
                continue;
            }
            if c.kind == ConstraintKind::PhaseSpace && given == Given::Velocities {
                continue;
            }
            let make = |by: &[&Layout]| Evaluator::new(&c.residual, by, &self.limits);
            let (_, values) = self.evaluated(Key::Residual(k, given), &inputs, make)?;
            let magnitudes = match values.iter().any(|value| *value != 0.0) {
                true => {
                    let make = |by: &[&Layout]| Evaluator::new(&c.residual.magnitude()?, by, &self.limits);
                    self.evaluated(Key::Magnitude(k, given), &inputs, make)?.1
                }
                false => vec![0.0; values.len()],
            };
            out.extend(named(&Layout::new(vec![c.array.clone()]), values, magnitudes));
        }
        Ok(out)
    }

    /// The hidden constraints G(q)·q̇ of the holonomic ones at the initial values; `None` where the
    /// velocity is known only through the Legendre transform of a Lagrangian.
    pub fn hidden_residuals(
        &self,
        parameters: &[f64],
        initial: &InitialValues,
    ) -> Result<Option<Vec<Residual>>, ValueError> {
        let inputs = self.inputs(parameters, initial);
        let velocity = match (&initial.rates, &self.system.dynamics) {
            (Rates::Velocities(v), _) => v.clone(),
            (Rates::Momenta(_), Dynamics::Hamiltonian { momenta, hamiltonian, .. }) => {
                let make = |by: &[&Layout]| {
                    Evaluator::new(&hamiltonian.gradient_within(momenta, &self.limits)?, by, &self.limits)
                };
                self.evaluated(Key::Velocity, &inputs, make)?.1
            }
            _ => return Ok(None),
        };
        let residual = match self.holonomic.get() {
            Some(known) => known,
            None => {
                let found = self.system.residuals(&[ConstraintKind::Holonomic]).map_err(CompileError::from)?;
                self.holonomic.get_or_init(|| found)
            }
        };
        let coordinates = self.system.dynamics.variables();
        let make =
            |by: &[&Layout]| Evaluator::sparse(&residual.jacobian_within(coordinates, &self.limits)?, by, &self.limits);
        let (gradients, values) = self.evaluated(Key::Gradients(initial.rates.given()), &inputs, make)?;
        let mut rate = vec![0.0; residual.shape()[0].len()];
        let mut magnitude = rate.clone();
        if let Some(pattern) = gradients.pattern() {
            for ((row, column), value) in pattern.addresses().zip(&values) {
                rate[row as usize] += value * velocity[column as usize];
                magnitude[row as usize] += (value * velocity[column as usize]).abs();
            }
        }
        Ok(Some(named(&residual.shape()[0], rate, magnitude)))
    }

    /// The energy at the initial values: H, or v·∂L/∂v − L; `None` where the velocity is unknown.
    pub fn energy(&self, parameters: &[f64], initial: &InitialValues) -> Result<Option<f64>, ValueError> {
        let inputs = self.inputs(parameters, initial);
        let make = |by: &[&Layout]| Evaluator::new(self.system.dynamics.energy(), by, &self.limits);
        let value = || Ok(self.evaluated(Key::Energy(initial.rates.given()), &inputs, make)?.1);
        match (&self.system.dynamics, &initial.rates) {
            (Dynamics::Lagrangian { .. }, Rates::Velocities(v)) => {
                let momentum = self.momentum(parameters, initial)?;
                let value: Vec<f64> = value()?;
                Ok(Some(momentum.iter().zip(v).map(|(p, v)| p * v).sum::<f64>() - value[0]))
            }
            (Dynamics::Lagrangian { .. }, _) | (Dynamics::Hamiltonian { .. }, Rates::Velocities(_)) => Ok(None),
            _ => value().map(|v: Vec<f64>| v.first().copied()),
        }
    }
}

/// The momenta with H_p(q, p) = v.
fn momenta(system: &System, parameters: &[f64], q: &[f64], v: &[f64]) -> Result<Vec<f64>, ValueError> {
    let Dynamics::Hamiltonian { coordinates, momenta, hamiltonian } = &system.dynamics else { return Ok(vec![]) };
    let velocity = hamiltonian.gradient(momenta).map_err(CompileError::from)?;
    let hessian = velocity.jacobian(momenta).map_err(CompileError::from)?;
    let f = FunctionBuilder::new()
        .input(coordinates)
        .input(momenta)
        .input(&system.parameter_layout())
        .output(&velocity)
        .sparse_output(&hessian)
        .engine(Engine::Tape)
        .compile()?;
    let failed = |e| CompileError::system("the momenta of the initial velocities", e);
    let Some(pattern) = f.pattern(1) else { return Ok(vec![]) };
    let mut workspace = NewtonWorkspace::new(pattern).map_err(failed)?;
    let options = NewtonOptions { max_halvings: 40, ..NewtonOptions::default() };
    let (mut p, mut work) = (vec![0.0; v.len()], f.workspace());
    newton(&mut workspace, &options, &mut p, |p, r, j| {
        f.call(&[q, p, parameters], &mut [&mut *r, j], &mut work)?;
        r.iter_mut().zip(v).for_each(|(r, v)| *r -= v);
        Ok(())
    })
    .map_err(|e: NewtonError<ValueError>| match e.own() {
        Ok(cause) => ValueError::NoMomenta { cause },
        Err(inner) => inner,
    })?;
    Ok(p)
}

/// Parts of the energy that differ from it by more than this do not add up.
pub const SPLIT_TOLERANCE: f64 = 1e-10;

/// By how much the parts of an energy differ from it, at a point.
#[derive(Clone, PartialEq, Debug)]
pub struct SplitDifference {
    /// The variables.
    pub point: Vec<f64>,
    /// H − Σ parts.
    pub difference: f64,
    /// Its size relative to |H| and the parts.
    pub relative: f64,
}

/// The largest |H − Σ parts| relative to |H| and the parts, at 16 generic points; `None` without
/// `split` statements, NaN if none of the points has a finite energy.
pub fn split_defect(system: &System, parameters: &[f64]) -> Result<Option<f64>, ValueError> {
    if system.splits.is_empty() {
        return Ok(None);
    }
    Ok(Some(split_difference(system, parameters)?.map_or(f64::NAN, |found| found.relative)))
}

/// Where that is, and the difference; `None` without `split` statements, or if none of the points has a finite energy.
pub fn split_difference(system: &System, parameters: &[f64]) -> Result<Option<SplitDifference>, ValueError> {
    if system.splits.is_empty() {
        return Ok(None);
    }
    let state = system.state();
    let layout = system.parameter_layout();
    let mut worst: Option<SplitDifference> = None;
    let mut random = Random::default();
    for _ in 0..16 {
        let point: Vec<f64> = (0..state.len()).map(|_| 0.25 + random.uniform()).collect();
        let inputs: [(&Layout, &[f64]); 2] = [(&layout, parameters), (&state, &point)];
        let whole = evaluate(system.dynamics.energy(), &inputs)?[0];
        let mut parts = vec![];
        for s in &system.splits {
            parts.extend(evaluate(&s.value, &inputs)?);
        }
        let scale = parts.iter().map(|p| p.abs()).fold(whole.abs(), f64::max);
        if scale.is_finite() && scale > 0.0 {
            let difference = whole - parts.iter().sum::<f64>();
            let relative = difference.abs() / scale;
            if worst.as_ref().is_none_or(|worst| relative > worst.relative) {
                worst = Some(SplitDifference { point, difference, relative });
            }
        }
    }
    Ok(worst)
}
