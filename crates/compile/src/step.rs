//! A recorded step that runs: replayed on the tape, or as one native function.

use crate::error::CompileError;
use crate::function::Engine;
#[cfg(feature = "jit")]
use crate::jit::{Arrival, NativeStep};
use crate::record::{LinearSolve, Recording, Requirement, TraceOp};
use crate::tape::{binary, unary};
use cotangent_dynamics::{Failure, Machine, Misuse, Numeric, Value, allowance, unsatisfied};
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
    /// The unknowns of each iteration.
    unknowns: Vec<Vec<f64>>,
    /// The sizes of the terms of its equations, if they are known.
    terms: Vec<Vec<f64>>,
    machine: Numeric<f64>,
    options: NewtonOptions,
    #[cfg(feature = "jit")]
    arrival: Arrival,
    /// For the iterations, used by native code; then for the matrices that are factored.
    solvers: Vec<LinearSolver<f64>>,
    /// Updates of Newton's method made by native code.
    iterations: u64,
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
        self.iterations + self.machine.iterations
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
            unknowns: self.recording.iterations.iter().map(|i| vec![0.0; i.guess.len()]).collect(),
            terms: self.recording.iterations.iter().map(|i| vec![0.0; i.terms.len()]).collect(),
            machine,
            options,
            #[cfg(feature = "jit")]
            arrival: Arrival::new(&options),
            solvers,
            iterations: 0,
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
        let Recording { ops, iterations, factors, solves, requirements, .. } = &*self.recording;
        let allowance = allowance(f64::EPSILON, work.options.stopping.tolerance);
        let StepWorkspace { values: v, unknowns, terms, machine, solvers, .. } = work;
        let plain = |k: usize, v: &mut [f64], solvers: &mut [LinearSolver<f64>]| -> Result<(), Failure> {
            match ops[k] {
                TraceOp::Input(i) => {
                    let i = i as usize;
                    v[k] = if i < state.len() { state[i] } else { constants[i - state.len()] };
                }
                TraceOp::Constant(c) => v[k] = c,
                TraceOp::Unary(f, a) => v[k] = unary(f, v[a as usize]),
                TraceOp::Binary(f, a, b) => v[k] = binary(f, v[a as usize], v[b as usize]),
                TraceOp::Factor(f) => {
                    let matrix = &factors[f as usize].matrix;
                    // The workspace has a row for the values of each matrix, beyond the operations.
                    let (v, scratch) = v.split_at_mut(ops.len());
                    let scratch = &mut scratch[..matrix.len()];
                    scratch.iter_mut().zip(matrix).for_each(|(s, &at)| *s = v[at as usize]);
                    let solver = &mut solvers[iterations.len() + f as usize];
                    solver.factor(scratch).map_err(Failure::Singular)?;
                }
                TraceOp::Linear { solve, component: 0 } => {
                    let LinearSolve { factor, rhs, transposed } = &solves[solve as usize];
                    for (j, &at) in rhs.iter().enumerate() {
                        v[k + j] = v[at as usize];
                    }
                    let solver = &mut solvers[iterations.len() + *factor as usize];
                    for x in v[k..k + rhs.len()].chunks_mut(solver.size().max(1)) {
                        if *transposed { solver.solve_transposed(x) } else { solver.solve(x) }
                    }
                }
                TraceOp::Require(r) => {
                    let Requirement { kind, residual, magnitude } = &requirements[r as usize];
                    let equations = residual.iter().zip(magnitude).map(|(&r, &m)| (v[r as usize], v[m as usize]));
                    return unsatisfied(*kind, equations, allowance).map_or(Ok(()), Err);
                }
                TraceOp::Unknown { .. } | TraceOp::Solution { .. } | TraceOp::Linear { .. } => {}
            }
            Ok(())
        };
        let mut k = 0;
        for ((iteration, unknowns), terms) in iterations.iter().zip(unknowns).zip(terms) {
            let (start, end, n) = (iteration.start as usize, iteration.end as usize, iteration.guess.len());
            while k < start - n {
                plain(k, v, solvers)?;
                k += 1;
            }
            unknowns.iter_mut().zip(&iteration.guess).for_each(|(x, &g)| *x = v[g as usize]);
            terms.iter_mut().zip(&iteration.terms).for_each(|(t, &at)| *t = v[at as usize]);
            machine.newton_of_terms(iteration.site, unknowns, terms, &mut |x, r, j| {
                v[start - n..start].copy_from_slice(x);
                (start..end).try_for_each(|k| plain(k, v, solvers))?;
                r.iter_mut().zip(&iteration.residual).for_each(|(r, &at)| *r = v[at as usize]);
                j.iter_mut().zip(&iteration.jacobian).for_each(|(j, &at)| *j = v[at as usize]);
                Ok(())
            })?;
            v[end..end + n].copy_from_slice(unknowns);
            k = end + n;
        }
        (k..ops.len()).try_for_each(|k| plain(k, v, solvers))?;
        if let Some(k) = self.recording.outputs.iter().position(|&at| !v[at as usize].is_finite()) {
            return Err(Failure::NotFinite(Value::State(k)));
        }
        for (s, &at) in state.iter_mut().zip(&self.recording.outputs) {
            *s = v[at as usize];
        }
        Ok(())
    }
}
