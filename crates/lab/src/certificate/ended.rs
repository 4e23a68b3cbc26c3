//! Why a run did not reach its end.

use cotangent_dynamics::{Failure, Names, Source};

/// Why a run did not reach its end.
#[derive(Clone, PartialEq, Debug)]
pub struct Ended {
    /// The steps it made.
    pub steps: u64,
    /// The steps it was to make.
    pub of: u64,
    /// What stopped it.
    pub cause: Stopped,
}

/// What stopped a run.
#[derive(Clone, PartialEq, Debug)]
pub enum Stopped {
    /// A step that could not be made.
    Step(Failure),
    /// Something that could not be measured: a `RunError` of a run.
    Unmeasured(Source),
}

impl Ended {
    /// What it says, with names for the numbers of equations and variables if there are any.
    pub(super) fn said(&self, names: Option<&dyn Names>) -> String {
        let Ended { steps, of, cause } = self;
        match (cause, names) {
            (Stopped::Step(failure), Some(names)) => {
                format!("the run ended after {steps} of {of} steps: {}", failure.named(names))
            }
            (Stopped::Step(failure), None) => format!("the run ended after {steps} of {of} steps: {failure}"),
            (Stopped::Unmeasured(error), _) => format!("nothing can be measured after {steps} steps: {error}"),
        }
    }

    /// The step that could not be made, where that was it.
    pub fn failure(&self) -> Option<&Failure> {
        match &self.cause {
            Stopped::Step(failure) => Some(failure),
            Stopped::Unmeasured(_) => None,
        }
    }
}

impl std::fmt::Display for Ended {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.said(None))
    }
}
