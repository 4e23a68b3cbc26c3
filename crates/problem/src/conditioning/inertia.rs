//! Whether multipliers of velocity constraints stay on their branch.
//!
//! Velocities and multipliers solve H_u(q, p, u) = 0, u = (v, λ). Along a branch of solutions H_uu is regular, so that the
//! numbers of its positive and negative eigenvalues cannot change: where they have, Newton's method has found another
//! branch, or the branch has ended.

use crate::callable::Callable;
use cotangent_compile::{CallError, CompileError, Engine, FunctionBuilder};
use cotangent_solve::{Pattern, eigenvalues};
use cotangent_theory::{Law, Motion};

/// Beyond, eigenvalues at every step would take longer than the step.
const LARGEST: usize = 60;

/// H_uu as a function of the state.
#[derive(Clone)]
pub(super) struct Inertia {
    matrix: Callable,
    pattern: Pattern,
    values: Vec<f64>,
}

impl Inertia {
    /// For equations whose velocities and multipliers are variables.
    pub(super) fn new(motion: &Motion) -> Result<Option<Inertia>, CompileError> {
        let (Law::Form(_), Some(velocity)) = (&motion.law, &motion.velocity) else { return Ok(None) };
        let builder = FunctionBuilder::new().input(&motion.state).input(&motion.parameters()).engine(Engine::Best);
        let function = builder.sparse_output(&velocity.kkt).compile()?;
        let Some(pattern) = function.pattern(0).cloned().filter(|p| p.rows() <= LARGEST) else { return Ok(None) };
        Ok(Some(Inertia { matrix: function.into(), values: vec![0.0; pattern.len()], pattern }))
    }

    /// Whether a step has left the branch.
    pub(super) fn has_changed(&mut self, before: &[f64], after: &[f64], parameters: &[f64]) -> Result<bool, CallError> {
        let [first, last] = [self.positive(before, parameters)?, self.positive(after, parameters)?];
        Ok(first.is_some() && last.is_some() && first != last)
    }

    /// The number of positive eigenvalues; `None` if they are not known.
    fn positive(&mut self, state: &[f64], parameters: &[f64]) -> Result<Option<usize>, CallError> {
        self.matrix.call(&[state, parameters], &mut [&mut self.values])?;
        let n = self.pattern.rows();
        let mut rows = vec![vec![0.0; n]; n];
        for ((i, j), value) in self.pattern.addresses().zip(&self.values) {
            rows[i as usize][j as usize] = *value;
        }
        Ok(eigenvalues(&rows).ok().map(|list| list.iter().filter(|[re, _]| *re > 0.0).count()))
    }
}
