//! The ways a compiled function is evaluated: native, on the tape in any arithmetic, or recorded.

use crate::error::{CallError, CompileError};
use crate::function::{Function, Workspace};
use crate::record::{LoopRecorder, Looped, Recorder, Traced};
use cotangent_dynamics::{Failure, Misuse, Unrecordable};
use cotangent_scalar::{Real, Scalar};

/// A way to evaluate functions in the arithmetic `S`.
pub trait Arithmetic<S: Scalar>: Copy {
    /// What a function needs besides its arguments.
    type Work;

    /// A workspace for a function.
    fn workspace(&self, function: &Function) -> Result<Self::Work, CompileError>;

    /// Evaluates.
    fn call(
        &self,
        function: &Function,
        inputs: &[&[S]],
        outputs: &mut [&mut [S]],
        work: &mut Self::Work,
    ) -> Result<(), Failure>;
}

/// Native code in `f64`, where there is any.
#[derive(Clone, Copy, Debug, Default)]
pub struct Native;

/// The tape, in any arithmetic.
#[derive(Clone, Copy, Debug, Default)]
pub struct Tape;

/// Records what a function does.
#[derive(Clone, Copy)]
pub struct Inline<'t>(pub &'t Recorder);

impl Arithmetic<f64> for Native {
    type Work = Workspace<f64>;

    fn workspace(&self, function: &Function) -> Result<Workspace<f64>, CompileError> {
        Ok(function.workspace())
    }

    #[inline]
    fn call(
        &self,
        function: &Function,
        inputs: &[&[f64]],
        outputs: &mut [&mut [f64]],
        work: &mut Workspace<f64>,
    ) -> Result<(), Failure> {
        function.call(inputs, outputs, work).map_err(failure)
    }
}

impl<S: Real> Arithmetic<S> for Tape {
    type Work = Workspace<S>;

    fn workspace(&self, function: &Function) -> Result<Workspace<S>, CompileError> {
        function.workspace_in()
    }

    fn call(
        &self,
        function: &Function,
        inputs: &[&[S]],
        outputs: &mut [&mut [S]],
        work: &mut Workspace<S>,
    ) -> Result<(), Failure> {
        function.call_in(inputs, outputs, work).map_err(failure)
    }
}

impl<'t> Arithmetic<Traced<'t>> for Inline<'t> {
    type Work = ();

    fn workspace(&self, _: &Function) -> Result<(), CompileError> {
        Ok(())
    }

    fn call(
        &self,
        function: &Function,
        inputs: &[&[Traced<'t>]],
        outputs: &mut [&mut [Traced<'t>]],
        _: &mut (),
    ) -> Result<(), Failure> {
        match function.inline(self.0, inputs, outputs).map_err(failure)? {
            true => Ok(()),
            false => Err(Failure::from(Misuse::from(Unrecordable::Implicit))),
        }
    }
}

/// Records what a function does, with its loops.
#[derive(Clone, Copy)]
pub struct InLoops<'t>(pub &'t LoopRecorder);

impl<'t> Arithmetic<Looped<'t>> for InLoops<'t> {
    type Work = ();

    fn workspace(&self, _: &Function) -> Result<(), CompileError> {
        Ok(())
    }

    fn call(
        &self,
        function: &Function,
        inputs: &[&[Looped<'t>]],
        outputs: &mut [&mut [Looped<'t>]],
        _: &mut (),
    ) -> Result<(), Failure> {
        match self.0.splice(function.program(), inputs, outputs) {
            true => Ok(()),
            false => Err(Failure::from(Misuse::from(Unrecordable::Implicit))),
        }
    }
}

impl From<CallError> for Failure {
    fn from(error: CallError) -> Failure {
        failure(error)
    }
}

fn failure(error: CallError) -> Failure {
    match error {
        CallError::Implicit(implicit) => Failure::Implicit(implicit),
        other => Failure::of(other),
    }
}
