//! What is measured along a run: energy, constraints, invariants, observables, reaction forces, and what the
//! formulation has besides.

use crate::conditioning::Conditioning;
use crate::error::underived;
use crate::measure::Measure;
use cotangent_compile::{CallError, CompileError, Engine, Function, FunctionBuilder};
use cotangent_dynamics::Unsolved;
use cotangent_expr::{Array, Dim, Domain, Expr, Ix, Layout, Place, Range, Tensor, Term};
use cotangent_model::{ClaimKind, ConstraintKind};
use cotangent_theory::Motion;

/// Evaluates the quantities of a model along its motion.
#[derive(Clone)]
pub struct Diagnostics {
    /// φ, one entry for each member.
    pub constraints: Layout,
    /// What follows from their time derivatives.
    pub hidden_constraints: Layout,
    /// The quantities claimed to be constant, and what is claimed.
    pub claims: Vec<(ClaimKind, Array)>,
    /// What else the model asks to record.
    pub observables: Layout,
    /// `lambda_NAME`, one entry for each constraint member, or what an analysis calls them.
    pub multipliers: Layout,
    /// What the formulation has besides the variables of the model.
    pub auxiliaries: Layout,
    parameters: Vec<f64>,
    /// Energy, constraints, hidden constraints, claims: cheap enough for every step.
    kept: Measure,
    observed: Measure,
    /// The multipliers, if there are constraints.
    forces: Option<Measure>,
    /// The quantities of the formulation, if it has any.
    own: Option<Measure>,
    /// The variables of the model, where the state has others.
    model_state: Option<Measure>,
    /// How well the constraint forces are determined, if there are constraints.
    pub conditioning: Option<Conditioning>,
    /// The size of the terms of the energy.
    energy_magnitude: Measure,
    /// The last values.
    values: Kept,
}

/// Quantities that should not change, or be zero.
#[derive(Clone, Debug, Default)]
pub struct Kept {
    /// H.
    pub energy: f64,
    /// φ.
    pub constraints: Vec<f64>,
    /// ψ = G q̇, or the constraints of later generations.
    pub hidden_constraints: Vec<f64>,
    /// Claims, one after the other.
    pub claims: Vec<f64>,
}

impl Diagnostics {
    /// Compiles what there is to measure, for parameters that are zero.
    pub fn new(motion: &Motion, engine: Engine) -> Result<Diagnostics, CompileError> {
        let system = &motion.system;
        let inputs = [motion.state.clone(), motion.parameters()];
        let compiled = |outputs: &[Tensor]| {
            let builder = FunctionBuilder::new().engine(engine).within(&motion.limits);
            let builder = inputs.iter().fold(builder, |b, layout| b.input(layout));
            outputs.iter().fold(builder, |b, t| b.output(t)).compile()
        };
        let function = |outputs: &[Tensor]| {
            let at_state = outputs.iter().map(|t| motion.at_state(t).map_err(underived));
            compiled(&at_state.collect::<Result<Vec<_>, _>>()?)
        };
        let model_state = match motion.model_state().map_err(underived)? {
            Some(state) => Some(Measure::from(compiled(&[state])?)),
            None => None,
        };
        let claims: Vec<(ClaimKind, Array)> =
            system.claims.iter().map(|c| (c.kind, c.quantity.array.clone())).collect();
        let claimed = joined(system.claims.iter().map(|c| (&c.quantity.array, &c.quantity.value)))?;
        let observed = joined(system.observables.iter().map(|q| (&q.array, &q.value)))?;
        let [constraints, hidden] = match motion.constraints() {
            Some(known) => known.map(Clone::clone),
            None => {
                let stated = system.residuals(&[ConstraintKind::Holonomic, ConstraintKind::PhaseSpace])?;
                [stated, Tensor::zero(vec![Layout::default()])]
            }
        };
        let kept = function(&[system.dynamics.energy().clone(), constraints.clone(), hidden.clone(), claimed.clone()])?;
        let observables = observed.shape()[0].clone();
        let observed = function(&[observed])?;
        let arrays = system.constraints.iter().filter(|c| c.kind == ConstraintKind::Holonomic);
        let own = || Layout::new(arrays.map(|c| c.multiplier.clone()).collect());
        let multipliers = motion.surface().map_or_else(own, |s| s.multipliers.clone());
        let forces = match motion.multipliers().map_err(underived)? {
            Some(mu) => Some(Measure::from(function(&[whole(&mu)?])?)),
            None => None,
        };
        let own = joined(motion.auxiliaries.iter().map(|q| (&q.array, &q.value)))?;
        let auxiliaries = own.shape()[0].clone();
        let own = match auxiliaries.is_empty() {
            true => None,
            false => {
                // Functions of the state as it is, and not of the model's.
                Some(Measure::from(compiled(&[own])?))
            }
        };
        let magnitude = function(&[system.dynamics.energy().term_sizes()?])?;
        let values = Kept {
            energy: 0.0,
            constraints: vec![0.0; kept.program().outputs[1]],
            hidden_constraints: vec![0.0; kept.program().outputs[2]],
            claims: vec![0.0; kept.program().outputs[3]],
        };
        Ok(Diagnostics {
            constraints: constraints.shape()[0].clone(),
            hidden_constraints: hidden.shape()[0].clone(),
            claims,
            observables,
            multipliers: if forces.is_some() { multipliers } else { Layout::new(vec![]) },
            auxiliaries,
            parameters: vec![0.0; inputs[1].len()],
            kept: kept.into(),
            observed: observed.into(),
            forces,
            own,
            model_state,
            conditioning: Conditioning::new(motion)?,
            energy_magnitude: magnitude.into(),
            values,
        })
    }

    /// The same for these parameters, from the start of a run.
    pub fn with(&self, parameters: &[f64]) -> Diagnostics {
        // Numbers of another formulation may follow those of this one.
        let parameters = &parameters[..self.parameters.len().min(parameters.len())];
        let conditioning = self.conditioning.as_ref().map(|c| c.with(parameters));
        Diagnostics { parameters: parameters.to_vec(), conditioning, ..self.clone() }
    }

    /// The quantities that should be kept, at a state.
    pub fn kept(&mut self, state: &[f64]) -> Result<&Kept, CallError> {
        let Kept { energy, constraints, hidden_constraints, claims } = &mut self.values;
        let mut outputs = [std::slice::from_mut(energy), constraints, hidden_constraints, claims];
        self.kept.call(&[state, &self.parameters], &mut outputs)?;
        Ok(&self.values)
    }

    /// The size of the terms of the energy at a state.
    pub fn energy_magnitude(&mut self, state: &[f64]) -> Result<f64, CallError> {
        let mut magnitude = [0.0];
        self.energy_magnitude.call(&[state, &self.parameters], &mut [&mut magnitude])?;
        Ok(magnitude[0])
    }

    /// Energy, constraints, hidden constraints and claims as one function of the state and the parameters, to be
    /// called in other arithmetics.
    pub fn kept_function(&self) -> &Function {
        &self.kept.f
    }

    /// The quantities as they were found last.
    pub fn last(&self) -> &Kept {
        &self.values
    }

    /// The variables of the model at a state of the equations of motion, which may have others.
    pub fn model_state(&mut self, state: &[f64], out: &mut [f64]) -> Result<(), CallError> {
        match &mut self.model_state {
            Some(f) => f.call(&[state, &self.parameters], &mut [out]),
            None => {
                out.copy_from_slice(state);
                Ok(())
            }
        }
    }

    /// The observables at a state.
    pub fn observe(&mut self, state: &[f64], out: &mut [f64]) -> Result<(), CallError> {
        self.observed.call(&[state, &self.parameters], &mut [out])
    }

    /// The multipliers at a state: the reaction forces are −Gᵀμ. Not a number where the constraints
    /// are dependent.
    pub fn multipliers(&mut self, state: &[f64], out: &mut [f64]) -> Result<(), CallError> {
        solved(&mut self.forces, state, &self.parameters, out)
    }

    /// The quantities of the formulation at a state. Not a number where the constraints are dependent.
    pub fn auxiliaries(&mut self, state: &[f64], out: &mut [f64]) -> Result<(), CallError> {
        solved(&mut self.own, state, &self.parameters, out)
    }
}

/// A function, if there is one, that solves equations: not a number where they have no solution.
fn solved(function: &mut Option<Measure>, state: &[f64], parameters: &[f64], out: &mut [f64]) -> Result<(), CallError> {
    let Some(f) = function else { return Ok(()) };
    match f.call(&[state, parameters], &mut [&mut *out]) {
        Err(CallError::Implicit(implicit)) if matches!(implicit.cause, Unsolved::Linear(_)) => {
            out.fill(f64::NAN);
            Ok(())
        }
        done => done,
    }
}

/// Named vectors as one.
pub(crate) fn joined<'a>(parts: impl Iterator<Item = (&'a Array, &'a Tensor)>) -> Result<Tensor, CompileError> {
    let (arrays, tensors): (Vec<&Array>, Vec<&Tensor>) = parts.unzip();
    let layout = Layout::new(arrays.into_iter().cloned().collect());
    let terms = tensors.iter().flat_map(|t| t.terms().iter().cloned()).collect();
    Ok(Tensor::new(vec![layout], terms)?)
}

/// An implicit vector as a tensor over its own entries.
fn whole(vector: &Array) -> Result<Tensor, CompileError> {
    let range = |d: &Dim| Range { name: "i".into(), low: Ix::constant(d.first), high: Ix::constant(d.last()) };
    let index: Vec<Ix> = (0..vector.dims().len()).map(|k| Ix::var(k as u8)).collect();
    let term = Term {
        domain: Domain::Ranges(vector.dims().iter().map(range).collect()),
        at: vec![Place { array: vector.clone(), index: index.clone() }],
        value: Expr::at(vector, index),
    };
    Ok(Tensor::new(vec![Layout::new(vec![vector.clone()])], vec![term])?)
}
