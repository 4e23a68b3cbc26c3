//! What is measured along a run: energy, constraints, invariants, observables, reaction forces, and what the
//! formulation has besides.

use crate::callable::Callable;
use crate::conditioning::Conditioning;
use crate::error::underived;
use crate::joined::joined;
use crate::picture::Picture;
use cotangent_compile::{CallError, CompileError, Engine, Function, FunctionBuilder};
use cotangent_dynamics::{Condition, Failure, Family, Kept, Measure, Recorded, Time, Unsolved};
use cotangent_expr::{Array, Dim, Domain, Expr, Ix, Layout, Place, Range, Tensor, Term};
use cotangent_model::{ClaimKind, ConstraintKind};
use cotangent_theory::Motion;

/// Evaluates the quantities of a model along its motion.
#[derive(Clone)]
pub struct Diagnostics {
    /// The variables of the model.
    state: Layout,
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
    kept: Callable,
    observed: Callable,
    /// The multipliers, if there are constraints.
    forces: Option<Callable>,
    /// The quantities of the formulation, if it has any.
    own: Option<Callable>,
    /// The variables of the model, where the state has others.
    model_state: Option<Callable>,
    /// How well the constraint forces are determined, if there are constraints.
    pub conditioning: Option<Conditioning>,
    /// What is drawn, if somebody asks for it.
    pub picture: Option<Picture>,
    /// The size of the terms of the energy.
    energy_magnitude: Callable,
    /// Where the time is in the state, and the pace at which it passes, where it is a variable.
    lapse: Option<(usize, Callable)>,
    /// The last values.
    values: Kept,
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
            Some(state) => Some(Callable::from(compiled(&[state])?)),
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
        let constraints = match &motion.velocity {
            Some(velocity) => {
                let layout = constraints.shape()[0].then(&velocity.residuals.shape()[0]);
                let terms = constraints.terms().iter().chain(velocity.residuals.terms()).cloned().collect();
                Tensor::new(vec![layout], terms)?
            }
            None => constraints,
        };
        let kept = function(&[system.dynamics.energy().clone(), constraints.clone(), hidden.clone(), claimed.clone()])?;
        let observables = observed.shape()[0].clone();
        let observed = function(&[observed])?;
        let (mut multipliers, mut values) = (Layout::default(), vec![]);
        for (names, array) in motion.multipliers().map_err(underived)? {
            multipliers = multipliers.then(&names);
            values.push(array);
        }
        let forces = match values.is_empty() {
            true => None,
            false => Some(Callable::from(function(&[end_to_end(&values)?])?)),
        };
        let own = joined(motion.auxiliaries.iter().map(|q| (&q.array, &q.value)))?;
        let auxiliaries = own.shape()[0].clone();
        let own = match auxiliaries.is_empty() {
            true => None,
            false => {
                // Functions of the state as it is, and not of the model's.
                Some(Callable::from(compiled(&[own])?))
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
            state: system.state(),
            constraints: constraints.shape()[0].clone(),
            hidden_constraints: hidden.shape()[0].clone(),
            claims,
            observables,
            multipliers,
            auxiliaries,
            parameters: vec![0.0; inputs[1].len()],
            kept: kept.into(),
            observed: observed.into(),
            forces,
            own,
            model_state,
            conditioning: Conditioning::new(motion)?,
            picture: None,
            energy_magnitude: magnitude.into(),
            lapse: match &motion.lapse {
                Some(lapse) => Some((lapse.time, compiled(std::slice::from_ref(&lapse.pace))?.into())),
                None => None,
            },
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

    /// Which of the claims are Casimirs, by their numbers among [`Kept::claims`].
    pub fn casimirs(&self) -> Vec<usize> {
        let kinds = self.claims.iter().flat_map(|(kind, array)| vec![*kind; array.len()]);
        kinds.enumerate().filter(|(_, kind)| *kind == ClaimKind::Casimir).map(|(k, _)| k).collect()
    }

    /// Energy, constraints, hidden constraints and claims as one function of the state and the parameters, to be
    /// called in other arithmetics.
    pub fn kept_function(&self) -> &Function {
        &self.kept.f
    }
}

impl Measure for Diagnostics {
    fn kept(&mut self, state: &[f64]) -> Result<&Kept, Failure> {
        let Kept { energy, constraints, hidden_constraints, claims } = &mut self.values;
        let mut outputs = [std::slice::from_mut(energy), constraints, hidden_constraints, claims];
        self.kept.call(&[state, &self.parameters], &mut outputs)?;
        Ok(&self.values)
    }

    fn last(&self) -> &Kept {
        &self.values
    }

    fn energy_magnitude(&mut self, state: &[f64]) -> Result<f64, Failure> {
        let mut magnitude = [0.0];
        self.energy_magnitude.call(&[state, &self.parameters], &mut [&mut magnitude])?;
        Ok(magnitude[0])
    }

    fn names(&self) -> Recorded {
        let families = |layout: &Layout| layout.arrays().iter().map(family).collect();
        Recorded {
            state: families(&self.state),
            observables: families(&self.observables),
            // Those that are variables of the equations are there already.
            multipliers: match self.multipliers.arrays().iter().all(|a| self.state.offset(a).is_some()) {
                true => vec![],
                false => families(&self.multipliers),
            },
            auxiliaries: families(&self.auxiliaries),
            constraints: families(&self.constraints),
            hidden_constraints: families(&self.hidden_constraints),
            claims: self.claims.iter().map(|(_, array)| family(array)).collect(),
            drawn: self.picture.as_ref().map_or(0, Picture::len),
        }
    }

    fn model_state(&mut self, state: &[f64], out: &mut [f64]) -> Result<(), Failure> {
        match &mut self.model_state {
            Some(f) => Ok(f.call(&[state, &self.parameters], &mut [out])?),
            None => {
                out.copy_from_slice(state);
                Ok(())
            }
        }
    }

    fn observe(&mut self, state: &[f64], out: &mut [f64]) -> Result<(), Failure> {
        Ok(self.observed.call(&[state, &self.parameters], &mut [out])?)
    }

    fn multipliers(&mut self, state: &[f64], out: &mut [f64]) -> Result<(), Failure> {
        if out.is_empty() {
            return Ok(());
        }
        Ok(solved(&mut self.forces, state, &self.parameters, out)?)
    }

    fn auxiliaries(&mut self, state: &[f64], out: &mut [f64]) -> Result<(), Failure> {
        Ok(solved(&mut self.own, state, &self.parameters, out)?)
    }

    fn draw(&mut self, state: &[f64], out: &mut [f64]) -> Result<(), Failure> {
        self.picture.as_mut().map_or(Ok(()), |picture| Ok(picture.draw(state, out)?))
    }

    fn time(&self) -> Time {
        self.lapse.as_ref().map_or(Time::Parameter, |(index, _)| Time::State(*index))
    }

    fn pace(&mut self, state: &[f64]) -> Result<f64, Failure> {
        let mut pace = [1.0];
        if let Some((_, f)) = &mut self.lapse {
            f.call(&[state, &self.parameters], &mut [&mut pace])?;
        }
        Ok(pace[0])
    }

    fn conditioning(&mut self) -> Option<&mut dyn Condition> {
        self.conditioning.as_mut().map(|c| c as &mut dyn Condition)
    }
}

/// The name of an array and its indices.
fn family(array: &Array) -> Family {
    if let Some(members) = array.members() {
        return Family::listed(array.name(), members.to_vec());
    }
    let dims: Vec<(i64, usize)> = array.dims().iter().map(|d| (d.first, d.len)).collect();
    Family::indexed(array.name(), dims)
}

/// A function, if there is one, that solves equations: not a number where they have no solution.
fn solved(
    function: &mut Option<Callable>,
    state: &[f64],
    parameters: &[f64],
    out: &mut [f64],
) -> Result<(), CallError> {
    let Some(f) = function else { return Ok(()) };
    match f.call(&[state, parameters], &mut [&mut *out]) {
        Err(CallError::Implicit(implicit)) if matches!(implicit.cause, Unsolved::Linear(_)) => {
            out.fill(f64::NAN);
            Ok(())
        }
        done => done,
    }
}

/// Implicit vectors as one, over their own entries.
fn end_to_end(vectors: &[Array]) -> Result<Tensor, CompileError> {
    let range = |d: &Dim| Range { name: "i".into(), low: Ix::constant(d.first), high: Ix::constant(d.last()) };
    let term = |vector: &Array| {
        let index: Vec<Ix> = (0..vector.dims().len()).map(|k| Ix::var(k as u8)).collect();
        Term {
            domain: Domain::Ranges(vector.dims().iter().map(range).collect()),
            at: vec![Place { array: vector.clone(), index: index.clone() }],
            value: Expr::at(vector, index),
        }
    };
    Ok(Tensor::new(vec![Layout::new(vectors.to_vec())], vectors.iter().map(term).collect())?)
}
