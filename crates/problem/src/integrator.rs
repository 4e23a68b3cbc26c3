//! A method on a compiled system, ready to run in `f64`.

use crate::equations::{Equations, Steps};
use cotangent_compile::{CompileError, Engine, Native, Step, StepWorkspace};
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
    whole: Option<Box<Whole>>,
    /// The same by calls of functions: all steps without a whole one, otherwise those that are out of the ordinary.
    calls: Propagator<'static>,
}

/// A step as a whole, with what it works with.
struct Whole {
    step: Arc<Step>,
    work: StepWorkspace,
    /// The step size, then the parameters.
    constants: Vec<f64>,
    /// Steps that were made by calls of functions.
    called: u64,
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
        let Some(step) = whole else { return Integrator::in_parts(equations, prepared, parameters, options) };
        let constants = std::iter::once(0.0).chain(parameters.iter().copied()).collect();
        let whole = Some(Box::new(Whole { work: step.workspace(options)?, constants, called: 0, step }));
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
        Ok(Integrator { whole: None, calls })
    }

    /// Whether a step is one function without loops over members.
    pub fn is_whole(&self) -> bool {
        self.whole.as_ref().is_some_and(|whole| whole.step.program().is_flat())
    }

    /// Whether a step is loops over families.
    pub fn is_looped(&self) -> bool {
        self.whole.is_some() && !self.is_whole()
    }

    /// Steps of a whole that were not made by native code alone.
    pub fn replayed(&self) -> u64 {
        self.whole.as_ref().map_or(0, |whole| whole.work.replayed + whole.called)
    }

    /// The number of operations of a step that is a whole.
    pub fn operations(&self) -> Option<usize> {
        self.whole.as_ref().map(|whole| whole.step.program().len())
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
        let Some(whole) = &mut self.whole else { return self.calls.advance(state, h, steps) };
        whole.constants[0] = h;
        let mut done = 0;
        while done < steps {
            let made = whole.step.advance(state, &whole.constants, steps - done, &mut whole.work);
            let Err((made, failure)) = made else { break };
            done += made;
            if let Failure::Interrupted = failure {
                return Err((done, failure));
            }
            whole.called += 1;
            match whole.step.program().is_flat() {
                // The tape has said why it cannot be made.
                true => self.calls.mend(state, h, failure).map_err(|failure| (done, failure))?,
                // Sums over loops that were joined may differ in the last digit: the calls have the word.
                false => self.calls.advance(state, h, 1).map_err(|(_, failure)| (done, failure))?,
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
        self.calls.iterations() + self.whole.as_ref().map_or(0, |whole| whole.work.iterations())
    }

    fn contractions(&self) -> u64 {
        self.calls.contractions() + self.whole.as_ref().map_or(0, |whole| whole.work.contractions())
    }

    fn mended(&self) -> u64 {
        self.calls.mended()
    }

    fn cancel_with(&mut self, cancel: &Cancel) {
        if let Some(whole) = &mut self.whole {
            whole.work.cancel_with(cancel);
        }
        self.calls.cancel_with(cancel);
    }
}
