//! The matrix that determines the constraint forces: G H_pp Gᵀ, or the brackets of second-class constraints.

use crate::error::ProblemError;
use cotangent_compile::values::ValueError;
use cotangent_compile::{CompileError, Evaluator};
use cotangent_expr::Layout;
use cotangent_solve::LinearSolver;
use cotangent_theory::Motion;

/// The matrix as a function of state and parameters.
pub(crate) struct Forces {
    function: Evaluator,
    solver: LinearSolver<f64>,
    names: Layout,
    /// Whether it is G H_pp Gᵀ.
    is_gram: bool,
}

impl Forces {
    /// Compiles it; `None` without constraints.
    pub(crate) fn new(motion: &Motion) -> Result<Option<Forces>, CompileError> {
        let structure = motion.structure.as_ref().filter(|_| motion.multipliers.is_some());
        let (gram, brackets) = (structure.map(|s| &s.gram), motion.surface.as_ref().map(|s| &s.brackets));
        let Some(matrix) = gram.or(brackets) else { return Ok(None) };
        let function = Evaluator::sparse(matrix, &[&motion.state, &motion.system.parameter_layout()])?;
        let Some(pattern) = function.pattern() else { return Ok(None) };
        let unsolvable = |reason: String| CompileError::System { name: "the multipliers".into(), reason };
        let solver = LinearSolver::new(pattern).map_err(|e| unsolvable(e.to_string()))?;
        Ok(Some(Forces { solver, names: matrix.shape()[0].clone(), is_gram: gram.is_some(), function }))
    }

    /// Whether the forces are determined at a state.
    pub(crate) fn check(&self, state: &[f64], parameters: &[f64]) -> Result<(), ProblemError> {
        let values = self.function.call(&[state, parameters]).map_err(ValueError::from)?;
        match self.solver.clone().factor(&values) {
            Ok(()) => Ok(()),
            Err(singular) => {
                let name = self.names.entry_name(singular.row);
                Err(match self.is_gram {
                    true => ProblemError::Unresisted { name },
                    false => ProblemError::SingularBrackets { name },
                })
            }
        }
    }
}
