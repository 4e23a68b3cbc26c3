//! A method on a compiled system, ready to run in `f64`.

use crate::arithmetic::{Inline, Native};
use crate::compiled::Compiled;
use crate::error::CompileError;
use crate::function::Engine;
use crate::record::{MAX_RECORDED, Recorder, Recording, Traced};
use crate::step::{Step, StepWorkspace};
use cotangent_dynamics::{Failure, Numeric, State, Stepper};
use cotangent_integrate::Prepared;
use cotangent_solve::NewtonOptions;

/// Makes steps: a small system as one native function, any other by calls of native functions.
///
/// Which of the two it is does not change the numbers.
pub struct Integrator {
    memory: usize,
    inner: Inner,
}

enum Inner {
    Whole {
        step: Step,
        work: StepWorkspace,
        /// Values, carry and memory, one after the other.
        state: Vec<f64>,
        /// The step size, then the parameters.
        constants: Vec<f64>,
    },
    Parts {
        stepper: Box<dyn Stepper<f64>>,
        machine: Numeric<f64>,
        next: State<f64>,
    },
}

impl Integrator {
    /// A method planned for a compiled system, with values of its parameters.
    pub fn new(
        compiled: &Compiled,
        prepared: &Prepared,
        parameters: &[f64],
        options: NewtonOptions,
        engine: Engine,
    ) -> Result<Integrator, CompileError> {
        let parts = Integrator::in_parts(compiled, prepared, parameters, options)?;
        // What cannot be recorded (too large, an iteration inside an iteration, a decision) runs in
        // parts.
        let Ok(recording) = record(compiled, prepared, parameters.len(), parts.memory) else { return Ok(parts) };
        let step = Step::new(recording, options, engine)?;
        let work = step.workspace()?;
        let constants = std::iter::once(0.0).chain(parameters.iter().copied()).collect();
        let state = vec![0.0; step.recording().outputs().len()];
        Ok(Integrator { memory: parts.memory, inner: Inner::Whole { step, work, state, constants } })
    }

    /// The same by calls of functions, whatever the size.
    pub fn in_parts(
        compiled: &Compiled,
        prepared: &Prepared,
        parameters: &[f64],
        options: NewtonOptions,
    ) -> Result<Integrator, CompileError> {
        let failed = |e: Failure| CompileError::System { name: prepared.method().name().into(), reason: e.to_string() };
        let stepper = prepared.stepper(&compiled.view(Native, parameters.to_vec())).map_err(failed)?;
        let machine = Numeric::new(prepared.plan(), options).map_err(failed)?;
        Ok(Integrator { memory: stepper.memory(), inner: Inner::Parts { stepper, machine, next: State::default() } })
    }

    /// A state to start from.
    pub fn state(&self, values: Vec<f64>) -> State<f64> {
        State::new(values, self.memory)
    }

    /// Makes `steps` steps of size `h`. On failure the state is that of the last good step; the
    /// error says how many were made.
    pub fn advance(&mut self, state: &mut State<f64>, h: f64, steps: u64) -> Result<(), (u64, Failure)> {
        match &mut self.inner {
            Inner::Whole { step, work, state: flat, constants } => {
                let (n, lengths) = (state.values.len(), [state.values.len(), state.carry.len(), state.memory.len()]);
                if lengths.iter().sum::<usize>() != flat.len() || lengths[1] != n {
                    return Err((0, wrong_state()));
                }
                flat[..n].copy_from_slice(&state.values);
                flat[n..2 * n].copy_from_slice(&state.carry);
                flat[2 * n..].copy_from_slice(&state.memory);
                constants[0] = h;
                let done = step.advance(flat, constants, steps, work);
                state.values.copy_from_slice(&flat[..n]);
                state.carry.copy_from_slice(&flat[n..2 * n]);
                state.memory.copy_from_slice(&flat[2 * n..]);
                done
            }
            Inner::Parts { stepper, machine, next } => {
                if next.values.len() != state.values.len() {
                    next.clone_from(state);
                }
                if state.memory.len() != self.memory || state.carry.len() != state.values.len() {
                    return Err((0, wrong_state()));
                }
                for done in 0..steps {
                    stepper.step(machine, h, state, next).map_err(|e| (done, e))?;
                    if let Some(k) = next.values.iter().position(|v| !v.is_finite()) {
                        let reason = format!("entry {k} of the new state");
                        return Err((done, Failure::NotFinite { reason }));
                    }
                    std::mem::swap(state, next);
                }
                Ok(())
            }
        }
    }

    /// Updates of Newton's method made so far.
    pub fn iterations(&self) -> u64 {
        match &self.inner {
            Inner::Whole { work, .. } => work.iterations(),
            Inner::Parts { machine, .. } => machine.iterations,
        }
    }

    /// Whether a step is one function.
    pub fn is_whole(&self) -> bool {
        matches!(self.inner, Inner::Whole { .. })
    }

    /// The number of operations of a step that is one function.
    pub fn operations(&self) -> Option<usize> {
        match &self.inner {
            Inner::Whole { step, .. } => Some(step.recording().ops().len()),
            Inner::Parts { .. } => None,
        }
    }
}

fn wrong_state() -> Failure {
    Failure::Misused { reason: "the state is not one of this integrator".into() }
}

/// Records a step: state, step size and parameters in, state out.
fn record(compiled: &Compiled, prepared: &Prepared, parameters: usize, memory: usize) -> Result<Recording, Failure> {
    if !compiled.is_inlinable() {
        return Err(Failure::Misused { reason: "an implicit function cannot be recorded".into() });
    }
    let n = compiled.dimension();
    if n > MAX_RECORDED / 16 {
        return Err(Failure::Misused { reason: "the system is too large to be recorded".into() });
    }
    let len = 2 * n + memory;
    Recorder::record(prepared.plan(), len + 1 + parameters, len, |machine, inputs, out| {
        let (flat, constants) = inputs.split_at(len);
        let view = compiled.view(Inline(machine.recorder()), constants[1..].to_vec());
        let mut stepper = prepared.stepper(&view)?;
        let part = |range: std::ops::Range<usize>| flat[range].to_vec();
        let from = State { values: part(0..n), carry: part(n..2 * n), memory: part(2 * n..len) };
        let mut to: State<Traced<'_>> = from.clone();
        stepper.step(machine, constants[0], &from, &mut to)?;
        out[..n].copy_from_slice(&to.values);
        out[n..2 * n].copy_from_slice(&to.carry);
        out[2 * n..].copy_from_slice(&to.memory);
        Ok(())
    })
}
