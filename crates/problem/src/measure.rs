//! Functions that are compiled once, and measure for many.

use cotangent_compile::{CallError, Function, Workspace};
use std::sync::Arc;

/// A function with the memory it works in.
pub(crate) struct Measure {
    pub(crate) f: Arc<Function>,
    work: Workspace<f64>,
}

impl From<Function> for Measure {
    fn from(f: Function) -> Measure {
        Measure { work: f.workspace(), f: f.into() }
    }
}

impl Clone for Measure {
    /// The same function, in memory of its own.
    fn clone(&self) -> Measure {
        Measure { work: self.f.workspace(), f: self.f.clone() }
    }
}

impl Measure {
    pub(crate) fn call(&mut self, inputs: &[&[f64]], outputs: &mut [&mut [f64]]) -> Result<(), CallError> {
        self.f.call(inputs, outputs, &mut self.work)
    }
}
