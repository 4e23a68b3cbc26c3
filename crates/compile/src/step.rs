//! A recorded step that runs: on the tape, with native loops, or as one native function.

use crate::error::CompileError;
use crate::function::Engine;
#[cfg(feature = "jit")]
use crate::jit::{Arrival, Native, NativeLoops, NativeStep, spill};
use crate::program::{Instruction, Program};
use crate::run::{Run, Solvers};
use crate::tape::{self, Memory};
use crate::verify::verify;
use cotangent_dynamics::{Failure, Machine, Misuse, Numeric, State, Value};
use cotangent_scalar::Cancel;
#[cfg(feature = "jit")]
use cotangent_scalar::Limits;
use cotangent_solve::NewtonOptions;
use std::sync::Arc;

/// The most operations of a step: beyond, compiling it takes long.
const MOST_OPERATIONS: usize = 40_000;

/// A step compiled as a whole. The inputs of its program are values, carry, constants and, if there are any, what is
/// remembered; its outputs values, carry and what is remembered.
///
/// Without loops it becomes one native function, which makes the common decisions of Newton's method inline, by the same
/// rule and in the same arithmetic as the reference. Where an iteration is out of the ordinary (it stalls, does
/// not end, meets a singular matrix or a number that is not finite) it leaves the state as it is
/// and the tape makes that step, or says why it cannot be made. With loops over families it is one native function, too, with vectors
/// in memory; there native loops and the reference's Newton between them make the steps that are out of the ordinary.
pub struct Step {
    program: Arc<Program>,
    #[cfg(feature = "jit")]
    native: Option<Compiled>,
}

#[cfg(feature = "jit")]
enum Compiled {
    /// One function.
    Whole(Box<NativeStep>),
    /// Loops over members: one function, if it is not too long, and one for each segment, with the reference's Newton between them.
    Loops(Option<Box<NativeLoops>>, Box<Native>),
}

/// What a [`Step`] needs besides its arguments.
pub struct StepWorkspace {
    /// The program it was made for: native code relies on its sizes.
    owner: Arc<Program>,
    work: Vec<f64>,
    registers: Vec<f64>,
    solvers: Solvers<f64>,
    machine: Numeric<f64>,
    next: State<f64>,
    #[cfg(feature = "jit")]
    arrival: Arrival,
    /// What native code calls for its matrices.
    #[cfg(feature = "jit")]
    linear: Vec<cotangent_solve::LinearSolver<f64>>,
    /// Updates of Newton's method and iterations to fixed points made by native code.
    iterations: [f64; 2],
    #[cfg(feature = "jit")]
    pause: Pause,
    cancel: Cancel,
    /// Steps that were not made by one native function.
    pub replayed: u64,
}

/// For how many steps one native function is not tried, which was not able to make the last ones: about twice as many after each
/// attempt, up to 64.
#[cfg(feature = "jit")]
#[derive(Default)]
struct Pause {
    steps: u32,
    left: u32,
}

#[cfg(feature = "jit")]
impl Pause {
    /// Whether it is tried in this step.
    fn is_over(&mut self) -> bool {
        let is_over = self.left == 0;
        self.left = self.left.saturating_sub(1);
        is_over
    }

    fn lengthen(&mut self) {
        self.steps = (2 * self.steps + 1).min(64);
        self.left = self.steps;
    }
}

impl StepWorkspace {
    /// Steps fail when the token is set, also inside the solution of a large linear system.
    pub fn cancel_with(&mut self, cancel: &Cancel) {
        self.cancel = cancel.clone();
        self.machine.cancel_with(cancel);
        self.solvers.cancel_with(cancel);
        #[cfg(feature = "jit")]
        self.linear.iter_mut().for_each(|solver| solver.cancel_with(cancel));
    }

    /// Updates of Newton's method made so far.
    pub fn iterations(&self) -> u64 {
        self.iterations[0] as u64 + self.machine.iterations
    }

    /// Iterations to fixed points made so far.
    pub fn contractions(&self) -> u64 {
        self.iterations[1] as u64 + self.machine.contractions
    }
}

impl Step {
    /// Prepares a recorded step.
    pub fn new(program: Program, engine: Engine) -> Result<Step, CompileError> {
        if !(3..=4).contains(&program.inputs.len()) || program.outputs.len() + 1 != program.inputs.len() {
            return Err(CompileError::Native("a step has values, carry, constants and memory".into()));
        }
        if program.len() > MOST_OPERATIONS {
            return Err(CompileError::TooLarge { limit: MOST_OPERATIONS });
        }
        verify(&program)?;
        let program = Arc::new(program);
        #[cfg(feature = "jit")]
        let native = match engine {
            Engine::Best if program.is_flat() => Some(Compiled::Whole(Box::new(NativeStep::compile(&program)?))),
            Engine::Best => {
                let segments = Box::new(Native::compile(&program, &Limits::default())?);
                Some(Compiled::Loops(NativeLoops::compile(&program).unwrap_or_default().map(Box::new), segments))
            }
            Engine::Tape => None,
        };
        #[cfg(not(feature = "jit"))]
        let _ = engine;
        Ok(Step {
            program,
            #[cfg(feature = "jit")]
            native,
        })
    }

    /// What it does.
    pub fn program(&self) -> &Program {
        &self.program
    }

    /// A workspace, with how the equations of a step are solved.
    pub fn workspace(&self, options: NewtonOptions) -> Result<StepWorkspace, CompileError> {
        let program = &self.program;
        let failed = |e| CompileError::system("step", e);
        let work = program.work;
        #[cfg(feature = "jit")]
        let (work, linear) = match &self.native {
            Some(Compiled::Loops(None, _)) => (work.max(spill(program)), vec![]),
            Some(one) => {
                let solver = |s: &crate::program::System| cotangent_solve::LinearSolver::new(&s.pattern);
                let made = program.systems.iter().map(solver).collect::<Result<_, _>>();
                let work = if let Compiled::Loops(Some(loops), _) = one { loops.work() } else { work };
                (work, made.map_err(|e| CompileError::system("step", e))?)
            }
            None => (work, vec![]),
        };
        Ok(StepWorkspace {
            owner: program.clone(),
            work: vec![0.0; work],
            registers: vec![0.0; program.segments.iter().map(tape::registers).max().unwrap_or(0)],
            solvers: Solvers::new(program)?,
            machine: Numeric::new(&program.plan, options).map_err(failed)?,
            next: State::default(),
            #[cfg(feature = "jit")]
            arrival: Arrival::new(&options),
            #[cfg(feature = "jit")]
            linear,
            iterations: [0.0; 2],
            #[cfg(feature = "jit")]
            pause: Pause::default(),
            cancel: Cancel::new(),
            replayed: 0,
        })
    }

    /// Makes `steps` steps. On failure the state is that of the last good step; the error says how
    /// many were made.
    pub fn advance(
        &self,
        state: &mut State<f64>,
        constants: &[f64],
        steps: u64,
        work: &mut StepWorkspace,
    ) -> Result<(), (u64, Failure)> {
        self.check(state, constants, work).map_err(|e| (0, e))?;
        work.next.copy_from(state);
        let (once, each) = self.program.instructions.split_at(self.program.once);
        let mut prepared = false;
        let mut done = 0;
        while done < steps {
            #[cfg(feature = "jit")]
            if let Some(Compiled::Whole(native)) = &self.native {
                let StepWorkspace { linear, iterations, arrival, .. } = work;
                done += native.advance(state, constants, steps - done, linear, iterations, arrival);
                if done == steps {
                    break;
                }
            }
            // One step of a large system may take long.
            if work.cancel.is_set() {
                return Err((done, Failure::Interrupted));
            }
            if !prepared {
                self.run(once, state, constants, work).map_err(|e| (done, e))?;
                prepared = true;
            }
            #[cfg(feature = "jit")]
            if let Some(Compiled::Loops(Some(native), _)) = &self.native
                && work.pause.is_over()
            {
                let StepWorkspace { work: own, linear, iterations, arrival, next, .. } = work;
                if native.step((state, next), constants, own, linear, iterations, arrival) {
                    std::mem::swap(state, &mut work.next);
                    work.pause = Pause::default();
                    done += 1;
                    continue;
                }
                work.pause.lengthen();
            }
            let counted = (work.machine.iterations, work.machine.contractions);
            let mut made = self.run(each, state, constants, work);
            if matches!(made, Err(Failure::Unsatisfied { .. })) && work.machine.refine(true) {
                made = self.run(each, state, constants, work);
                work.machine.refine(false);
            }
            if made.is_err() && !self.program.is_flat() {
                // Calls of functions make this step again, and count anew.
                (work.machine.iterations, work.machine.contractions) = counted;
            }
            made.map_err(|e| (done, e))?;
            let State { values, carry, memory } = &work.next;
            let mut first = 0;
            for part in [values, carry, memory] {
                if let Some(k) = part.iter().position(|v| !v.is_finite()) {
                    return Err((done, Failure::NotFinite(Value::State(first + k))));
                }
                first += part.len();
            }
            std::mem::swap(state, &mut work.next);
            work.replayed += 1;
            done += 1;
        }
        Ok(())
    }

    /// Checks what a call is given: native code relies on it.
    fn check(&self, state: &State<f64>, constants: &[f64], work: &StepWorkspace) -> Result<(), Failure> {
        let State { values, carry, memory } = state;
        let lengths = [values.len(), carry.len(), constants.len(), memory.len()];
        let Program { inputs, outputs, .. } = &*self.program;
        let made = [values.len(), carry.len(), memory.len()];
        let fits = lengths[..inputs.len()] == inputs[..] && made[..outputs.len()] == outputs[..];
        if (values.len(), constants.len()) != (inputs[0], inputs[2]) {
            let (expected, found) = ([inputs[0], inputs[2]], [values.len(), constants.len()]);
            return Err(Misuse::Lengths { expected, found }.into());
        }
        if !fits || (inputs.len() == 3 && !memory.is_empty()) {
            return Err(Misuse::OtherState.into());
        }
        if Arc::ptr_eq(&self.program, &work.owner) { Ok(()) } else { Err(Misuse::OtherWorkspace.into()) }
    }

    /// Runs instructions from a state to the next.
    fn run(
        &self,
        instructions: &[Instruction],
        state: &State<f64>,
        constants: &[f64],
        work: &mut StepWorkspace,
    ) -> Result<(), Failure> {
        let Program { inputs: wanted, outputs: made, .. } = &*self.program;
        let StepWorkspace { work, registers, solvers, machine, next, .. } = work;
        let inputs = [&state.values[..], &state.carry, constants, &state.memory];
        let mut outputs = [&mut next.values[..], &mut next.carry, &mut next.memory];
        let memory = Memory { inputs: &inputs[..wanted.len()], outputs: &mut outputs[..made.len()], work };
        let segment = |k: usize, memory: &mut Memory<'_, '_, f64>, registers: &mut [f64]| {
            let segment = &self.program.segments[k];
            #[cfg(feature = "jit")]
            if let Some(Compiled::Loops(_, native)) = &self.native {
                return native.run(k, segment, memory);
            }
            memory.clear(segment);
            tape::run(segment, memory, registers);
        };
        let mut run = Run { program: &self.program, memory, registers, solvers, segment: &segment };
        run.instructions(instructions, machine)
    }
}
