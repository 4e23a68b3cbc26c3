//! A method on a compiled system, ready to run in `f64`.

use crate::equations::{Equations, Steps};
use cotangent_compile::{CompileError, Engine, Native, Step, StepWorkspace};
use cotangent_dynamics::{Advance, Failure, State};
use cotangent_integrate::{Prepared, Propagator};
use cotangent_scalar::Cancel;
use cotangent_solve::NewtonOptions;
use std::ops::Range;
use std::sync::Arc;

/// Makes steps: a small system as one native function, any other by calls of native functions.
///
/// Which of the two it is does not change the numbers.
pub struct Integrator {
    /// A step that is one function.
    whole: Option<Box<Whole>>,
    /// The same by calls of functions: all steps without a whole one, otherwise those that are out of the ordinary.
    calls: Propagator<'static>,
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
        let whole = Whole {
            work: step.workspace(options)?,
            state: vec![0.0; step.recording().outputs().len()],
            constants: std::iter::once(0.0).chain(parameters.iter().copied()).collect(),
            step,
        };
        let lengths = [equations.compiled.dimension(), memory];
        let calls = Propagator::remembering(prepared, options, lengths, views(equations, parameters));
        Ok(Integrator { whole: Some(Box::new(whole)), calls })
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

    /// Whether a step is one function.
    pub fn is_whole(&self) -> bool {
        self.whole.is_some()
    }

    /// The number of operations of a step that is one function.
    pub fn operations(&self) -> Option<usize> {
        self.whole.as_ref().map(|whole| whole.step.recording().ops().len())
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
        let Some(whole) = &mut self.whole else { return self.calls.advance(state, h, steps) };
        self.calls.check(state).map_err(|e| (0, e))?;
        let mut done = 0;
        while done < steps {
            let Err((made, failure)) = whole.advance(state, h, steps - done) else { break };
            done += made;
            self.calls.mend(state, h, failure).map_err(|failure| (done, failure))?;
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
        self.whole.as_ref().map_or_else(|| self.calls.iterations(), |whole| whole.work.iterations())
    }

    fn contractions(&self) -> u64 {
        self.whole.as_ref().map_or_else(|| self.calls.contractions(), |whole| whole.work.contractions())
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

impl Whole {
    fn advance(&mut self, state: &mut State<f64>, h: f64, steps: u64) -> Result<(), (u64, Failure)> {
        state.store(&mut self.state);
        self.constants[0] = h;
        let done = self.step.advance(&mut self.state, &self.constants, steps, &mut self.work);
        state.load(&self.state);
        done
    }
}
