//! Equations of motion without values: derived and compiled once, for as many instances as are asked for.

use crate::compiled::{Compiled, Shared};
use crate::diagnostics::Diagnostics;
use crate::error::{PoseError, ProblemError};
use crate::forces::Forces;
use crate::model::{Model, once};
use crate::surface::Residuals;
use cotangent_analysis::{Lagrangian, constraints_within};
use cotangent_compile::record::{LoopRecorder, MAX_RECORDED, Recorder};
use cotangent_compile::values::Values;
use cotangent_compile::{Arithmetic, CompileError, Engine, Evaluator, InLoops, Inline, Native, Step};
use cotangent_dynamics::{Failure, Machine, Misuse, State, Unrecordable};
use cotangent_expr::{Layout, Tensor};
use cotangent_integrate::{Prepared, Recipe, Refusal};
use cotangent_model::System;
use cotangent_scalar::{Limits, Random, Scalar};
use cotangent_solve::LARGEST_UNROLLED;
use cotangent_theory::{Formulation, Motion};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// Stages of so many variables are iterated in one function without loops, which is longer than loops of more.
const MOST_ITERATED: usize = 100;

/// A system in a formulation, compiled, without values: real parameters, step, tolerance and start are inputs.
///
/// [`Equations::instance`](Equations::instance) gives it values and a consistent start. Steps of a method and what is
/// measured on the way are compiled when they are first asked for, and then kept.
pub struct Equations {
    /// The equations of motion, as symbols.
    pub motion: Motion,
    /// The same as functions.
    pub compiled: Compiled,
    pub(crate) engine: Engine,
    /// Whether somebody else derived them: only they can derive them again.
    given: bool,
    pub(crate) model: Arc<Model>,
    /// The values of the model in Hamiltonian form.
    pub(crate) canonical: Values,
    /// The Lagrangian that an analysis began with, and its momenta ∂L/∂v.
    pub(crate) lagrangian: Option<(Lagrangian, Evaluator)>,
    forces: OnceLock<Option<Forces>>,
    velocities: OnceLock<Option<Forces>>,
    residuals: OnceLock<Option<Residuals>>,
    diagnostics: OnceLock<Diagnostics>,
    steps: Mutex<Vec<(StepsOf, Steps)>>,
}

/// A method, whether its steps must end on the constraints, and what runs them.
type StepsOf = (Recipe, bool, Engine);

/// The steps of a method: how many numbers they remember, and one as a whole, if it can be.
#[derive(Clone)]
pub(crate) struct Steps {
    pub(crate) memory: usize,
    pub(crate) whole: Option<Arc<Step>>,
}

impl std::fmt::Debug for Equations {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Equations").field("formulation", &self.motion.formulation).finish_non_exhaustive()
    }
}

impl Model {
    /// Its equations in a formulation.
    pub fn equations(self: &Arc<Self>, formulation: Formulation, engine: Engine) -> Result<Equations, ProblemError> {
        let motion = self.motion(formulation)?;
        let shared = match engine {
            Engine::Best => &self.shared[0],
            Engine::Tape => &self.shared[1],
        };
        Ok(Equations::compile(self, motion, None, engine, shared)?)
    }

    /// Equations of motion that somebody else derived, in whatever variables: their lift and restriction lead to those of
    /// the model and back.
    pub fn compile(self: &Arc<Self>, motion: Motion, engine: Engine) -> Result<Equations, ProblemError> {
        Ok(Equations { given: true, ..Equations::compile(self, motion, None, engine, &Shared::default())? })
    }

    /// The Hamilton–Dirac equations that its analysis leads to.
    pub fn analysed(self: &Arc<Self>, engine: Engine) -> Result<Equations, PoseError> {
        let (system, limits) = (&self.system, &self.limits);
        let known = constraints_within(system, limits)?;
        let motion = known.motion(system, limits).map_err(ProblemError::from)?;
        let lagrangian = match Lagrangian::new(system)? {
            Some(lagrangian) => {
                let by = [&lagrangian.coordinates, &lagrangian.velocities, &system.parameter_layout()];
                let momentum = momentum(&lagrangian, &by, limits).map_err(ProblemError::from)?;
                Some((lagrangian, momentum))
            }
            None => None,
        };
        let equations = Equations::compile(self, motion, lagrangian, engine, &Shared::default());
        Ok(equations.map_err(ProblemError::from)?)
    }
}

impl Equations {
    /// The equations of a system in a formulation.
    pub fn new(system: &System, formulation: Formulation, engine: Engine) -> Result<Equations, ProblemError> {
        Arc::new(Model::new(system, &Limits::default())).equations(formulation, engine)
    }

    fn compile(
        model: &Arc<Model>,
        motion: Motion,
        lagrangian: Option<(Lagrangian, Evaluator)>,
        engine: Engine,
        shared: &Shared,
    ) -> Result<Equations, CompileError> {
        Ok(Equations {
            compiled: Compiled::sharing(&motion, engine, shared)?,
            engine,
            given: false,
            canonical: Values::new(&motion.system, &model.limits),
            model: model.clone(),
            motion,
            lagrangian,
            forces: OnceLock::new(),
            velocities: OnceLock::new(),
            residuals: OnceLock::new(),
            diagnostics: OnceLock::new(),
            steps: Mutex::default(),
        })
    }

    /// Whether they can be derived again, for another model or other numbers.
    pub(crate) fn derivable(&self) -> Result<(), ProblemError> {
        if self.given { Err(ProblemError::Given) } else { Ok(()) }
    }

    /// Plans a method, alone or with what is put around it, for these equations, or says why it does not fit.
    pub fn prepare(&self, recipe: impl Into<Recipe>) -> Result<Prepared, Refusal> {
        // Plans are made of patterns, and of the rank of J: that for parameters that are nothing special.
        let mut random = Random::default();
        let parameters = (0..self.compiled.parameters()).map(|_| 0.5 + random.uniform()).collect();
        Prepared::new(recipe, &self.compiled.view(Native, parameters))
    }

    /// The steps of a planned method, compiled once.
    pub(crate) fn steps(&self, prepared: &Prepared, engine: Engine) -> Result<Steps, CompileError> {
        let known = || self.steps.lock().unwrap_or_else(PoisonError::into_inner);
        let key = (prepared.recipe().clone(), prepared.is_held(), engine);
        if let Some((_, steps)) = known().iter().find(|(k, _)| *k == key) {
            return Ok(steps.clone());
        }
        let parameters = vec![0.0; self.compiled.parameters()];
        let failed = |e: Failure| CompileError::system(prepared.method().name(), e);
        let stepper = prepared.stepper(&self.compiled.view(Native, parameters.clone())).map_err(failed)?;
        let memory = stepper.memory();
        // What cannot be recorded (an iteration inside an iteration, a decision) runs in parts. Equations of many unknowns are
        // not solved by Newton's method inside of one function without loops, and loops are then as fast, and shorter. To iterate
        // them takes no matrix.
        let n = self.compiled.dimension();
        let sites = prepared.plan().sites();
        let is_iterated = sites.iter().any(|site| site.stages.is_some()) && n <= MOST_ITERATED;
        let size = sites.iter().map(|site| site.len()).max().unwrap_or(0);
        let mut lengths = vec![n, n, 1 + parameters.len()];
        lengths.extend((memory > 0).then_some(memory));
        let unrolled = || match n > MAX_RECORDED / 16 {
            true => Ok(None),
            false => match Recorder::record(prepared.plan(), &lengths, |machine, inputs| {
                let arithmetic = Inline(machine.recorder());
                stepped(&self.compiled, prepared, arithmetic, machine, inputs)
            }) {
                Ok(program) => Step::new(program, engine).map(Some),
                Err(_) => Ok(None),
            },
        };
        let looped = || {
            let program = LoopRecorder::record(prepared.plan(), &lengths, |machine, inputs| {
                let arithmetic = InLoops(machine.recorder());
                stepped(&self.compiled, prepared, arithmetic, machine, inputs)
            });
            Step::new(program.ok()?, engine).ok()
        };
        let whole = match is_iterated || size <= LARGEST_UNROLLED {
            true => unrolled()?.or_else(looped),
            false => looped().map_or_else(unrolled, |made| Ok(Some(made)))?,
        };
        let whole = whole.map(Arc::new);
        let steps = Steps { memory, whole };
        known().push((key, steps.clone()));
        Ok(steps)
    }

    /// What there is to measure on the way, for these parameters.
    pub(crate) fn diagnostics(&self, parameters: &[f64]) -> Result<Diagnostics, CompileError> {
        Ok(once(&self.diagnostics, || Diagnostics::new(&self.motion, Engine::Best))?.with(parameters))
    }

    /// The matrix that determines the constraint forces.
    pub(crate) fn forces(&self) -> Result<Option<&Forces>, CompileError> {
        Ok(once(&self.forces, || Forces::new(&self.motion))?.as_ref())
    }

    /// What says whether velocity constraints are independent.
    pub(crate) fn velocities(&self) -> Result<Option<&Forces>, CompileError> {
        Ok(once(&self.velocities, || Forces::of_velocities(&self.motion))?.as_ref())
    }

    /// The constraints that an analysis found.
    pub(crate) fn residuals(&self) -> Result<Option<&Residuals>, CompileError> {
        Ok(once(&self.residuals, || Residuals::new(&self.motion))?.as_ref())
    }
}

fn momentum(lagrangian: &Lagrangian, by: &[&Layout], limits: &Limits) -> Result<Evaluator, CompileError> {
    let momentum = Tensor::scalar(lagrangian.value.clone())?.gradient_within(&lagrangian.velocities, limits)?;
    Evaluator::new(&momentum, by, limits)
}

/// A step in numbers that record: values, carry, step size and parameters, and what is remembered.
fn stepped<S: Scalar>(
    compiled: &Compiled,
    prepared: &Prepared,
    arithmetic: impl Arithmetic<S>,
    machine: &mut dyn Machine<S>,
    inputs: Vec<Vec<S>>,
) -> Result<Vec<Vec<S>>, Failure> {
    if !compiled.is_inlinable() {
        return Err(Misuse::from(Unrecordable::Implicit).into());
    }
    let mut inputs = inputs.into_iter();
    let [values, carry, constants, memory] = [(); 4].map(|()| inputs.next().unwrap_or_default());
    let from = State { values, carry, memory };
    let view = compiled.view(arithmetic, constants[1..].to_vec());
    let mut stepper = prepared.stepper(&view)?;
    let mut to = from.clone();
    stepper.step(machine, constants[0], &from, &mut to)?;
    let State { values, carry, memory } = to;
    Ok(if memory.is_empty() { vec![values, carry] } else { vec![values, carry, memory] })
}
