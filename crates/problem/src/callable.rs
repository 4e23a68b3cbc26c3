//! Functions that are compiled once, and serve many.

use cotangent_compile::{CallError, Function, Workspace};
use std::sync::Arc;

/// A function with the memory it works in.
pub(crate) struct Callable {
    pub(crate) f: Arc<Function>,
    work: Workspace<f64>,
}

impl From<Function> for Callable {
    fn from(f: Function) -> Callable {
        Callable { work: f.workspace(), f: f.into() }
    }
}

impl Clone for Callable {
    /// The same function, in memory of its own.
    fn clone(&self) -> Callable {
        Callable { work: self.f.workspace(), f: self.f.clone() }
    }
}

impl Callable {
    pub(crate) fn call(&mut self, inputs: &[&[f64]], outputs: &mut [&mut [f64]]) -> Result<(), CallError> {
        self.f.call(inputs, outputs, &mut self.work)
    }
}
