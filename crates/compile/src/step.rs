//! A recorded step that runs: replayed on the tape, or as one native function.

use crate::error::CompileError;
use crate::function::Engine;
#[cfg(feature = "jit")]
use crate::jit::{Arrival, NativeStep};
use crate::record::Recording;
use crate::replay::Replay;
use cotangent_dynamics::{Failure, Machine, Misuse, Numeric, Value, allowance};
use cotangent_scalar::Cancel;
use cotangent_solve::{LinearSolver, NewtonOptions, Pattern};
use std::sync::Arc;

/// A step compiled as a whole: state and constants in, the next state out.
///
/// The native form makes the common decisions of Newton's method inline, by the same rule and in
/// the same arithmetic as the reference. Where an iteration is out of the ordinary (it stalls, does
/// not end, meets a singular matrix or a number that is not finite) it leaves the state as it is
/// and the reference makes that step, or says why it cannot be made.
pub struct Step {
    recording: Arc<Recording>,
    #[cfg(feature = "jit")]
    native: Option<NativeStep>,
}

/// What a [`Step`] needs besides its arguments.
pub struct StepWorkspace {
    /// The recording it was made for: native code relies on its sizes.
    owner: Arc<Recording>,
    values: Vec<f64>,
    /// Room for the unknowns of an iteration, and of one inside another way to a fixed point.
    unknowns: [Vec<f64>; 2],
    /// Room for the sizes of the terms of equations, where they are known.
    terms: Vec<f64>,
    machine: Numeric<f64>,
    options: NewtonOptions,
    #[cfg(feature = "jit")]
    arrival: Arrival,
    /// For the iterations, used by native code; then for the matrices that are factored.
    solvers: Vec<LinearSolver<f64>>,
    /// Updates of Newton's method and iterations to fixed points made by native code.
    iterations: [u64; 2],
    /// Steps that native code left to the reference.
    pub replayed: u64,
}

impl StepWorkspace {
    /// Steps fail when the token is set, also inside the solution of a large linear system.
    pub fn cancel_with(&mut self, cancel: &Cancel) {
        self.machine.cancel_with(cancel);
        self.solvers.iter_mut().for_each(|solver| solver.cancel_with(cancel));
    }

    /// Updates of Newton's method made so far.
    pub fn iterations(&self) -> u64 {
        self.iterations[0] + self.machine.iterations
    }

    /// Iterations to fixed points made so far.
    pub fn contractions(&self) -> u64 {
        self.iterations[1] + self.machine.contractions
    }
}

impl Step {
    /// Prepares a recording whose first inputs are the state and whose outputs are the next state.
    pub fn new(recording: Recording, engine: Engine) -> Result<Step, CompileError> {
        if recording.outputs.len() > recording.inputs {
            return Err(CompileError::Native("a step has more outputs than inputs".into()));
        }
        #[cfg(feature = "jit")]
        let native = match engine {
            Engine::Best => Some(NativeStep::compile(&recording)?),
            Engine::Tape => None,
        };
        #[cfg(not(feature = "jit"))]
        let _ = engine;
        Ok(Step {
            recording: Arc::new(recording),
            #[cfg(feature = "jit")]
            native,
        })
    }

    /// The recording.
    pub fn recording(&self) -> &Recording {
        &self.recording
    }

    /// A workspace, with how the equations of a step are solved.
    pub fn workspace(&self, options: NewtonOptions) -> Result<StepWorkspace, CompileError> {
        let solver = |p: &Pattern| LinearSolver::new(p).map_err(|e| CompileError::system("step", e));
        let recording = &self.recording;
        let patterns = recording.iterations.iter().filter_map(|i| recording.plan.unknowns(i.site)?.pattern.as_ref());
        let patterns = patterns.chain(recording.factors.iter().map(|f| &f.pattern));
        let solvers = patterns.map(solver).collect::<Result<_, _>>()?;
        let machine = Numeric::new(&recording.plan, options).map_err(|e| CompileError::system("step", e))?;
        let scratch = recording.factors.iter().map(|f| f.matrix.len()).max().unwrap_or(0);
        Ok(StepWorkspace {
            owner: self.recording.clone(),
            values: vec![0.0; recording.ops.len() + scratch],
            unknowns: recording.room(),
            terms: vec![0.0; recording.iterations.iter().map(|i| i.terms.len()).max().unwrap_or(0)],
            machine,
            options,
            #[cfg(feature = "jit")]
            arrival: Arrival::new(&options),
            solvers,
            iterations: [0; 2],
            replayed: 0,
        })
    }

    /// Makes `steps` steps. On failure the state is that of the last good step; the error says how
    /// many were made.
    pub fn advance(
        &self,
        state: &mut [f64],
        constants: &[f64],
        steps: u64,
        work: &mut StepWorkspace,
    ) -> Result<(), (u64, Failure)> {
        self.check(state, constants, work).map_err(|e| (0, e))?;
        let mut done = 0;
        while done < steps {
            #[cfg(feature = "jit")]
            if let Some(native) = &self.native {
                let StepWorkspace { solvers, iterations, arrival, .. } = work;
                done += native.advance(state, constants, steps - done, solvers, iterations, arrival);
                if done == steps {
                    break;
                }
            }
            let mut made = self.replay(state, constants, work);
            if matches!(made, Err(Failure::Unsatisfied { .. })) && work.machine.refine(true) {
                made = self.replay(state, constants, work);
                work.machine.refine(false);
            }
            made.map_err(|e| (done, e))?;
            work.replayed += 1;
            done += 1;
        }
        Ok(())
    }

    /// Checks what a call is given: native code relies on it.
    fn check(&self, state: &[f64], constants: &[f64], work: &StepWorkspace) -> Result<(), Failure> {
        let (n, all) = (self.recording.outputs.len(), self.recording.inputs);
        if state.len() != n || constants.len() != all - n {
            let found = [state.len(), constants.len()];
            return Err(Misuse::Lengths { expected: [n, all - n], found }.into());
        }
        if !Arc::ptr_eq(&self.recording, &work.owner) {
            return Err(Misuse::OtherWorkspace.into());
        }
        Ok(())
    }

    /// One step on the tape: the reference.
    fn replay(&self, state: &mut [f64], constants: &[f64], work: &mut StepWorkspace) -> Result<(), Failure> {
        let StepWorkspace { values, unknowns, terms, machine, solvers, options, .. } = work;
        let allowance = allowance(f64::EPSILON, options.stopping.tolerance);
        let recording = &*self.recording;
        let mut replay = Replay { recording, state, constants, values, unknowns, terms, solvers, allowance };
        replay.run(0..recording.ops.len(), machine)?;
        let v = &work.values;
        if let Some(k) = self.recording.outputs.iter().position(|&at| !v[at as usize].is_finite()) {
            return Err(Failure::NotFinite(Value::State(k)));
        }
        for (s, &at) in state.iter_mut().zip(&self.recording.outputs) {
            *s = v[at as usize];
        }
        Ok(())
    }
}
