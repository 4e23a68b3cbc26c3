//! A recorded step that runs: replayed on the tape, or as one native function.

use crate::error::CompileError;
use crate::function::Engine;
#[cfg(feature = "jit")]
use crate::jit::NativeStep;
use crate::machine::Numeric;
use crate::record::{Recording, TraceOp};
use crate::tape::{binary, unary};
use cotangent_dynamics::{Failure, Machine};
use cotangent_solve::{LinearSolver, Pattern};
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
    /// The unknowns of each iteration.
    unknowns: Vec<Vec<f64>>,
    machine: Numeric<f64>,
    #[cfg_attr(not(feature = "jit"), allow(dead_code))]
    solvers: Vec<LinearSolver<f64>>,
    /// Steps that native code left to the reference.
    pub replayed: u64,
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

    /// A workspace.
    pub fn workspace(&self) -> Result<StepWorkspace, CompileError> {
        let solver = |k: usize| {
            let failed = |reason: String| CompileError::System { name: "step".into(), reason };
            let pattern = Pattern::dense(k, k).map_err(|e| failed(e.to_string()))?;
            LinearSolver::new(&pattern).map_err(|e| failed(e.to_string()))
        };
        let solvers: Result<Vec<_>, _> = self.recording.iterations.iter().map(|i| solver(i.guess.len())).collect();
        let mut machine = Numeric::new();
        let sizes = self.recording.iterations.iter().map(|i| i.guess.len());
        machine.reserve(sizes).map_err(|e| CompileError::System { name: "step".into(), reason: e.to_string() })?;
        Ok(StepWorkspace {
            owner: self.recording.clone(),
            values: vec![0.0; self.recording.ops.len()],
            unknowns: self.recording.iterations.iter().map(|i| vec![0.0; i.guess.len()]).collect(),
            machine,
            solvers: solvers?,
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
                done += native.advance(state, constants, steps - done, &mut work.solvers);
                if done == steps {
                    break;
                }
            }
            self.replay(state, constants, work).map_err(|e| (done, e))?;
            work.replayed += 1;
            done += 1;
        }
        Ok(())
    }

    /// Checks what a call is given: native code relies on it.
    fn check(&self, state: &[f64], constants: &[f64], work: &StepWorkspace) -> Result<(), Failure> {
        let (n, all) = (self.recording.outputs.len(), self.recording.inputs);
        if state.len() != n || constants.len() != all - n {
            let (found, others) = (state.len(), constants.len());
            return Err(Failure::Misused {
                reason: format!("it takes {n} state values and {} constants, not {found} and {others}", all - n),
            });
        }
        if !Arc::ptr_eq(&self.recording, &work.owner) {
            return Err(Failure::Misused { reason: "the workspace was made for another step".into() });
        }
        Ok(())
    }

    /// One step on the tape: the reference.
    fn replay(&self, state: &mut [f64], constants: &[f64], work: &mut StepWorkspace) -> Result<(), Failure> {
        let StepWorkspace { values: v, unknowns, machine, .. } = work;
        machine.begin();
        let ops = &self.recording.ops;
        let plain = |k: usize, v: &mut [f64]| match ops[k] {
            TraceOp::Input(i) => {
                let i = i as usize;
                v[k] = if i < state.len() { state[i] } else { constants[i - state.len()] };
            }
            TraceOp::Constant(c) => v[k] = c,
            TraceOp::Unary(f, a) => v[k] = unary(f, v[a as usize]),
            TraceOp::Binary(f, a, b) => v[k] = binary(f, v[a as usize], v[b as usize]),
            TraceOp::Unknown { .. } | TraceOp::Solution { .. } => {}
        };
        let mut k = 0;
        for (iteration, unknowns) in self.recording.iterations.iter().zip(unknowns) {
            let (start, end, n) = (iteration.start as usize, iteration.end as usize, iteration.guess.len());
            while k < start - n {
                plain(k, v);
                k += 1;
            }
            unknowns.iter_mut().zip(&iteration.guess).for_each(|(x, &g)| *x = v[g as usize]);
            machine.newton(unknowns, &mut |x, r, j| {
                v[start - n..start].copy_from_slice(x);
                (start..end).for_each(|k| plain(k, v));
                r.iter_mut().zip(&iteration.residual).for_each(|(r, &at)| *r = v[at as usize]);
                j.iter_mut().zip(&iteration.jacobian).for_each(|(j, &at)| *j = v[at as usize]);
            })?;
            v[end..end + n].copy_from_slice(unknowns);
            k = end + n;
        }
        (k..ops.len()).for_each(|k| plain(k, v));
        if let Some(k) = self.recording.outputs.iter().position(|&at| !v[at as usize].is_finite()) {
            return Err(Failure::NotFinite { reason: format!("entry {k} of the new state") });
        }
        for (s, &at) in state.iter_mut().zip(&self.recording.outputs) {
            *s = v[at as usize];
        }
        Ok(())
    }
}
