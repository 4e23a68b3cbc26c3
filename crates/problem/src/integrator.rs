//! A method on a compiled system, ready to run in `f64`.

use crate::equations::{self, Equations, Steps};
use cotangent_compile::{CompileError, Engine, LoopedStep, LoopedWorkspace, Native, Step, StepWorkspace};
use cotangent_dynamics::{Advance, Failure, State};
use cotangent_integrate::{Prepared, Propagator};
use cotangent_scalar::Cancel;
use cotangent_solve::NewtonOptions;
use std::ops::Range;
use std::sync::Arc;

/// Makes steps: of a small system as one native function, of a large one as native loops, any other by calls of native
/// functions.
///
/// Which of these it is does not change the numbers.
pub struct Integrator {
    /// A step as a whole.
    whole: Whole,
    /// The same by calls of functions: all steps without a whole one, otherwise those that are out of the ordinary.
    calls: Propagator<'static>,
}

enum Whole {
    Function(Box<Function>),
    Loops(Box<Loops>),
    No,
}

/// A step that is one function.
struct Function {
    step: Arc<Step>,
    work: StepWorkspace,
    /// Values, carry and memory, one after the other.
    state: Vec<f64>,
    /// The step size, then the parameters.
    constants: Vec<f64>,
}

/// A step that is loops over families.
struct Loops {
    step: Arc<LoopedStep>,
    work: LoopedWorkspace,
    /// The step size, then the parameters.
    constants: Vec<f64>,
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
        let Steps { memory, whole } = equations.steps(prepared, engine)?;
        let constants = std::iter::once(0.0).chain(parameters.iter().copied()).collect();
        let whole = match whole {
            equations::Whole::No => return Integrator::in_parts(equations, prepared, parameters, options),
            equations::Whole::Function(step) => Whole::Function(Box::new(Function {
                work: step.workspace(options)?,
                state: vec![0.0; step.recording().outputs().len()],
                constants,
                step,
            })),
            equations::Whole::Loops(step) => {
                Whole::Loops(Box::new(Loops { work: step.workspace(options)?, constants, step }))
            }
        };
        let lengths = [equations.compiled.dimension(), memory];
        let calls = Propagator::remembering(prepared, options, lengths, views(equations, parameters));
        Ok(Integrator { whole, calls })
    }

    /// The same by calls of functions, whatever the size.
    pub fn in_parts(
        equations: &Arc<Equations>,
        prepared: &Prepared,
        parameters: &[f64],
        options: NewtonOptions,
    ) -> Result<Integrator, CompileError> {
        let dimension = equations.compiled.dimension();
        let failed = |e: Failure| CompileError::system(prepared.method().name(), e);
        let calls = Propagator::new(prepared, options, dimension, views(equations, parameters)).map_err(failed)?;
        Ok(Integrator { whole: Whole::No, calls })
    }

    /// Whether a step is one function.
    pub fn is_whole(&self) -> bool {
        matches!(self.whole, Whole::Function(_))
    }

    /// Whether a step is loops over families.
    pub fn is_looped(&self) -> bool {
        matches!(self.whole, Whole::Loops(_))
    }

    /// The number of operations of a step that is a whole.
    pub fn operations(&self) -> Option<usize> {
        match &self.whole {
            Whole::Function(whole) => Some(whole.step.recording().ops().len()),
            Whole::Loops(loops) => Some(loops.step.program().len()),
            Whole::No => None,
        }
    }
}

/// The compiled equations, as methods see them.
fn views(
    equations: &Arc<Equations>,
    parameters: &[f64],
) -> impl Fn() -> Box<dyn cotangent_dynamics::Dynamics<'static, f64>> + 'static {
    let (equations, parameters) = (equations.clone(), parameters.to_vec());
    move || Box::new(equations.compiled.view(Native, parameters.clone()))
}

impl Advance for Integrator {
    fn state(&self, values: Vec<f64>) -> State<f64> {
        self.calls.state(values)
    }

    fn advance(&mut self, state: &mut State<f64>, h: f64, steps: u64) -> Result<(), (u64, Failure)> {
        self.calls.check(state).map_err(|e| (0, e))?;
        let mut done = 0;
        while done < steps {
            let made = match &mut self.whole {
                Whole::Function(whole) => whole.advance(state, h, steps - done),
                Whole::Loops(loops) => loops.advance(state, h, steps - done),
                Whole::No => return self.calls.advance(state, h, steps),
            };
            let Err((made, failure)) = made else { break };
            done += made;
            match self.whole {
                // The reference makes such a step, or says why it cannot be made.
                Whole::Loops(_) => self.calls.advance(state, h, 1).map_err(|(_, failure)| (done, failure))?,
                _ => self.calls.mend(state, h, failure).map_err(|failure| (done, failure))?,
            }
            done += 1;
        }
        Ok(())
    }

    fn follow(&mut self, state: &mut State<f64>, h: f64, parts: u32) -> Result<(), Failure> {
        self.calls.follow(state, h, parts)
    }

    fn settle(&mut self, state: &mut State<f64>) -> bool {
        self.calls.settle(state)
    }

    fn own_steps(&self) -> Option<&[f64]> {
        self.calls.own_steps()
    }

    fn chart(&self) -> Option<Range<usize>> {
        self.calls.chart()
    }

    fn iterations(&self) -> u64 {
        self.calls.iterations()
            + match &self.whole {
                Whole::Function(whole) => whole.work.iterations(),
                Whole::Loops(loops) => loops.work.iterations(),
                Whole::No => 0,
            }
    }

    fn contractions(&self) -> u64 {
        let own = if let Whole::Function(whole) = &self.whole { whole.work.contractions() } else { 0 };
        self.calls.contractions() + own
    }

    fn mended(&self) -> u64 {
        self.calls.mended()
    }

    fn cancel_with(&mut self, cancel: &Cancel) {
        match &mut self.whole {
            Whole::Function(whole) => whole.work.cancel_with(cancel),
            Whole::Loops(loops) => loops.work.cancel_with(cancel),
            Whole::No => {}
        }
        self.calls.cancel_with(cancel);
    }
}

impl Loops {
    fn advance(&mut self, state: &mut State<f64>, h: f64, steps: u64) -> Result<(), (u64, Failure)> {
        self.constants[0] = h;
        self.step.advance(state, &self.constants, steps, &mut self.work)
    }
}

impl Function {
    fn advance(&mut self, state: &mut State<f64>, h: f64, steps: u64) -> Result<(), (u64, Failure)> {
        state.store(&mut self.state);
        self.constants[0] = h;
        let done = self.step.advance(&mut self.state, &self.constants, steps, &mut self.work);
        state.load(&self.state);
        done
    }
}
