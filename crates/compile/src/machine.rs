//! The machine that runs a step in numbers.

use cotangent_dynamics::{Equations, Failure, Machine};
use cotangent_scalar::Real;
use cotangent_solve::{NewtonError, NewtonOptions, NewtonWorkspace, Pattern, newton};
use std::convert::Infallible;

/// Runs Newton's method for a step in any [`Real`] arithmetic.
///
/// Workspaces are made by [`Numeric::reserve`], or when an iteration is met for the first time; a
/// step that has been made once is made again without allocation if [`Numeric::begin`] is called
/// before each.
#[derive(Default)]
pub struct Numeric<S> {
    workspaces: Vec<NewtonWorkspace<S>>,
    next: usize,
    /// Newton updates made so far.
    pub iterations: u64,
    /// When an iteration stops.
    pub options: NewtonOptions,
}

impl<S: Real> Numeric<S> {
    /// A machine without workspaces yet.
    pub fn new() -> Self {
        Numeric { workspaces: vec![], next: 0, iterations: 0, options: NewtonOptions::default() }
    }

    /// Makes the workspaces of iterations with these numbers of unknowns.
    pub fn reserve(&mut self, sizes: impl Iterator<Item = usize>) -> Result<(), Failure> {
        self.workspaces = sizes.map(workspace).collect::<Result<_, _>>()?;
        Ok(())
    }

    /// The next step begins: its iterations use the workspaces again, in order.
    pub fn begin(&mut self) {
        self.next = 0;
    }
}

impl<S: Real> Machine<S> for Numeric<S> {
    fn newton(&mut self, unknowns: &mut [S], equations: &mut Equations<'_, S>) -> Result<(), Failure> {
        let k = unknowns.len();
        if self.workspaces.get(self.next).is_none_or(|w| w.size() != k) {
            self.workspaces.truncate(self.next);
            self.workspaces.push(workspace(k)?);
        }
        let workspace = &mut self.workspaces[self.next];
        self.next += 1;
        let work = newton(workspace, &self.options, unknowns, |x, r, j| {
            equations(x, r, j);
            Ok::<(), Infallible>(())
        })
        .map_err(failure)?;
        self.iterations += work.iterations as u64;
        Ok(())
    }
}

fn workspace<S: Real>(size: usize) -> Result<NewtonWorkspace<S>, Failure> {
    let failed = |e: &dyn std::fmt::Display| Failure::Misused { reason: e.to_string() };
    let pattern = Pattern::dense(size, size).map_err(|e| failed(&e))?;
    NewtonWorkspace::new(&pattern).map_err(|e| failed(&e))
}

fn failure(e: NewtonError<Infallible>) -> Failure {
    let reason = e.to_string();
    match e {
        NewtonError::NotConverged { worst, .. } => Failure::NotConverged { reason, equation: worst },
        NewtonError::Singular { singular, .. } => Failure::Singular { reason, equation: singular.row },
        NewtonError::NotFinite { .. } => Failure::NotFinite { reason },
        NewtonError::Callback(never) => match never {},
    }
}
