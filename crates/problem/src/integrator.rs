//! A method on a compiled system, ready to run in `f64`.

use crate::equations::{Equations, Steps};
use cotangent_compile::{CompileError, Engine, Native, Step, StepWorkspace};
use cotangent_dynamics::{
    Dynamics, Failure, Following, Kind, Misuse, Numeric, State, Stepper, Value, allowance, unsatisfied,
};
use cotangent_integrate::{Prepared, Target, project_onto};
use cotangent_scalar::Cancel;
use cotangent_solve::NewtonOptions;
use std::ops::Range;
use std::sync::Arc;

/// The part of the terms of a constraint that the rounding of multipliers may be; more is no solution.
const NOISE: f64 = 1e-9;

/// Makes steps: a small system as one native function, any other by calls of native functions.
///
/// Which of the two it is does not change the numbers.
pub struct Integrator {
    memory: usize,
    inner: Inner,
    recipe: Recipe,
    /// What makes steps that are mended, once there was one.
    unheld: Option<Box<Parts>>,
    mended: u64,
}

/// What a step is made of.
struct Recipe {
    equations: Arc<Equations>,
    prepared: Prepared,
    parameters: Vec<f64>,
    options: NewtonOptions,
    cancel: Cancel,
}

enum Inner {
    Whole(Box<Whole>),
    Parts(Box<Parts>),
}

/// A step that is one function.
struct Whole {
    step: Arc<Step>,
    work: StepWorkspace,
    /// Values, carry and memory, one after the other.
    state: Vec<f64>,
    /// The step size, then the parameters.
    constants: Vec<f64>,
}

/// A step that calls functions.
struct Parts {
    stepper: Box<dyn Stepper<f64>>,
    machine: Numeric<f64>,
    next: State<f64>,
}

impl Integrator {
    /// A method planned for equations, with values of their parameters.
    pub fn new(
        equations: &Arc<Equations>,
        prepared: &Prepared,
        parameters: &[f64],
        options: NewtonOptions,
        engine: Engine,
    ) -> Result<Integrator, CompileError> {
        let recipe = Recipe::new(equations, prepared, parameters, options);
        let Steps { memory, whole } = equations.steps(prepared, engine)?;
        let inner = match whole {
            Some(step) => Inner::Whole(Box::new(Whole {
                work: step.workspace(options)?,
                state: vec![0.0; step.recording().outputs().len()],
                constants: std::iter::once(0.0).chain(parameters.iter().copied()).collect(),
                step,
            })),
            None => Inner::Parts(Box::new(recipe.parts(prepared).map_err(|e| recipe.failed(e))?)),
        };
        Ok(Integrator { memory, inner, recipe, unheld: None, mended: 0 })
    }

    /// The same by calls of functions, whatever the size.
    pub fn in_parts(
        equations: &Arc<Equations>,
        prepared: &Prepared,
        parameters: &[f64],
        options: NewtonOptions,
    ) -> Result<Integrator, CompileError> {
        let recipe = Recipe::new(equations, prepared, parameters, options);
        let parts = recipe.parts(prepared).map_err(|e| recipe.failed(e))?;
        let memory = parts.stepper.memory();
        Ok(Integrator { memory, inner: Inner::Parts(Box::new(parts)), recipe, unheld: None, mended: 0 })
    }

    /// Steps fail when the token is set, also in the middle of a long one.
    pub fn cancel_with(&mut self, cancel: &Cancel) {
        self.recipe.cancel = cancel.clone();
        match &mut self.inner {
            Inner::Whole(whole) => whole.work.cancel_with(cancel),
            Inner::Parts(parts) => parts.machine.cancel_with(cancel),
        }
    }

    /// A state to start from.
    pub fn state(&self, values: Vec<f64>) -> State<f64> {
        State::new(values, self.memory)
    }

    /// Where the memory of a state has the coordinates of its chart, if there are charts: their numbers, counted
    /// from 1, or 0 before the first step.
    pub fn chart(&self) -> Option<Range<usize>> {
        self.recipe.prepared.chart()
    }

    /// Makes `steps` steps of size `h`. On failure the state is that of the last good step; the
    /// error says how many were made.
    pub fn advance(&mut self, state: &mut State<f64>, h: f64, steps: u64) -> Result<(), (u64, Failure)> {
        self.check(state).map_err(|e| (0, e))?;
        let mut done = 0;
        while done < steps {
            let made = match &mut self.inner {
                Inner::Whole(whole) => whole.advance(state, h, steps - done),
                Inner::Parts(parts) => parts.advance(state, h, steps - done),
            };
            let Err((made, failure)) = made else { break };
            done += made;
            self.mend(state, h, failure).map_err(|failure| (done, failure))?;
            done += 1;
        }
        Ok(())
    }

    /// Makes a step that failed by the rounding of its multipliers, which a light mass makes larger than that of its
    /// constraints: ∂q/∂λ ~ h²/m. What the step finds is brought onto the constraints, by no more than that.
    fn mend(&mut self, state: &mut State<f64>, h: f64, failure: Failure) -> Result<(), Failure> {
        let allowed = allowance(f64::EPSILON, self.recipe.options.stopping.tolerance);
        match failure {
            Failure::Unsatisfied { residual, explained, .. } if residual <= NOISE * explained / allowed => {}
            _ => return Err(failure),
        }
        let recipe = &self.recipe;
        if self.unheld.is_none() {
            self.unheld = Some(Box::new(recipe.parts(&recipe.prepared.unheld())?));
        }
        let Some(parts) = &mut self.unheld else { return Err(failure) };
        let Parts { stepper, machine, next } = &mut **parts;
        next.copy_from(state);
        stepper.step(machine, h, state, next)?;
        let view = recipe.equations.compiled.view(Native, recipe.parameters.clone());
        let (Some(mut manifold), Some(onto)) = (view.manifold()?, view.manifold()?) else { return Err(failure) };
        let target = if recipe.prepared.claims(true).hidden_constraints { Target::Both } else { Target::Position };
        project_onto(target, onto, next)?;
        let (n, m) = (manifold.shape().coordinates, manifold.shape().constraints);
        let (mut residual, mut magnitude) = (vec![0.0; m], vec![0.0; m]);
        manifold.constraints(&next.values[..n], &mut residual)?;
        manifold.constraint_magnitudes(&next.values[..n], &mut magnitude)?;
        if let Some(failure) = unsatisfied(Kind::Constraint, residual.into_iter().zip(magnitude), allowed) {
            return Err(failure);
        }
        if let Some(k) = next.values.iter().position(|v| !v.is_finite()) {
            return Err(Failure::NotFinite(Value::State(k)));
        }
        std::mem::swap(state, next);
        self.mended += 1;
        Ok(())
    }

    /// Steps that were brought back onto the constraints, by no more than the rounding of their multipliers.
    pub fn mended(&self) -> u64 {
        self.mended
    }

    /// Brings momenta back onto G H_p = 0 where the method leaves them free, and no position changes by that; whether it
    /// did.
    ///
    /// SHAKE kicks with the multiplier of the step, λ, at both of its ends. Through a singular configuration G changes its
    /// sign, and so does λ, whose size grows like 1/|G| on the way: the kick at the end is then a large one in the wrong
    /// direction, and each later step reverses it.
    pub fn settle(&self, state: &mut State<f64>) -> bool {
        let Recipe { equations, prepared, parameters, .. } = &self.recipe;
        if !prepared.leaves_momenta_free() {
            return false;
        }
        let Ok(Some(manifold)) = equations.compiled.view(Native, parameters.clone()).manifold() else { return false };
        let mut settled = state.clone();
        let projected = project_onto(Target::Momentum, manifold, &mut settled);
        let is_good = projected.is_ok() && settled.values.iter().all(|v| v.is_finite());
        if is_good {
            *state = settled;
        }
        is_good
    }

    /// The states at the ends of the method's own steps in the last step, one after the other, where it chooses them
    /// itself (see [`Stepper::own_steps`]).
    pub fn own_steps(&self) -> Option<&[f64]> {
        match &self.inner {
            Inner::Whole(_) => None,
            Inner::Parts(parts) => parts.stepper.own_steps(),
        }
    }

    /// Makes one step of size `h` as [`advance`](Integrator::advance) does, of whose solutions it takes the one that
    /// is reached continuously while the step grows from nothing to `h` in so many parts (see [`Following`]). On
    /// failure the state is what it was.
    pub fn follow(&self, state: &mut State<f64>, h: f64, parts: u32) -> Result<(), Failure> {
        self.check(state)?;
        let Parts { mut stepper, mut machine, mut next } = self.recipe.parts(&self.recipe.prepared)?;
        next.copy_from(state);
        let mut following = Following::new(&mut machine);
        let mut step = |k: u32| {
            let part = f64::from(k) / f64::from(parts);
            following.begin(part);
            stepper.step(&mut following, part * h, state, &mut next)
        };
        // What cannot be solved on the way, at the singular point itself, is passed over.
        (1..parts).for_each(|k| drop(step(k)));
        step(parts)?;
        if let Some(k) = next.values.iter().position(|v| !v.is_finite()) {
            return Err(Failure::NotFinite(Value::State(k)));
        }
        state.copy_from(&next);
        Ok(())
    }

    fn check(&self, state: &State<f64>) -> Result<(), Failure> {
        let lengths = [state.values.len(), state.carry.len(), state.memory.len()];
        let dimension = self.recipe.equations.compiled.dimension();
        match lengths == [dimension, dimension, self.memory] {
            true => Ok(()),
            false => Err(Misuse::OtherState.into()),
        }
    }

    /// Updates of Newton's method made so far.
    pub fn iterations(&self) -> u64 {
        match &self.inner {
            Inner::Whole(whole) => whole.work.iterations(),
            Inner::Parts(parts) => parts.machine.iterations,
        }
    }

    /// Whether a step is one function.
    pub fn is_whole(&self) -> bool {
        matches!(self.inner, Inner::Whole(_))
    }

    /// The number of operations of a step that is one function.
    pub fn operations(&self) -> Option<usize> {
        match &self.inner {
            Inner::Whole(whole) => Some(whole.step.recording().ops().len()),
            Inner::Parts(_) => None,
        }
    }
}

impl Recipe {
    fn new(equations: &Arc<Equations>, prepared: &Prepared, parameters: &[f64], options: NewtonOptions) -> Recipe {
        let (equations, prepared) = (equations.clone(), prepared.clone());
        Recipe { equations, prepared, parameters: parameters.to_vec(), options, cancel: Cancel::new() }
    }

    fn parts(&self, prepared: &Prepared) -> Result<Parts, Failure> {
        let stepper = prepared.stepper(&self.equations.compiled.view(Native, self.parameters.clone()))?;
        let mut machine = Numeric::new(prepared.plan(), self.options)?;
        machine.cancel_with(&self.cancel);
        Ok(Parts { stepper, machine, next: State::default() })
    }

    fn failed(&self, failure: Failure) -> CompileError {
        CompileError::system(self.prepared.method().name(), failure)
    }
}

impl Whole {
    fn advance(&mut self, state: &mut State<f64>, h: f64, steps: u64) -> Result<(), (u64, Failure)> {
        let n = state.values.len();
        let flat = &mut self.state;
        flat[..n].copy_from_slice(&state.values);
        flat[n..2 * n].copy_from_slice(&state.carry);
        flat[2 * n..].copy_from_slice(&state.memory);
        self.constants[0] = h;
        let done = self.step.advance(flat, &self.constants, steps, &mut self.work);
        state.values.copy_from_slice(&flat[..n]);
        state.carry.copy_from_slice(&flat[n..2 * n]);
        state.memory.copy_from_slice(&flat[2 * n..]);
        done
    }
}

impl Parts {
    fn advance(&mut self, state: &mut State<f64>, h: f64, steps: u64) -> Result<(), (u64, Failure)> {
        let Parts { stepper, machine, next } = self;
        next.copy_from(state);
        for done in 0..steps {
            stepper.step(machine, h, state, next).map_err(|e| (done, e))?;
            if let Some(k) = next.values.iter().position(|v| !v.is_finite()) {
                return Err((done, Failure::NotFinite(Value::State(k))));
            }
            std::mem::swap(state, next);
        }
        Ok(())
    }
}
