//! The matrix that determines the constraint forces: G H_pp Gᵀ, the brackets of second-class constraints, or what says
//! whether velocity constraints are independent.

use crate::error::{ProblemError, underived};
use cotangent_compile::values::ValueError;
use cotangent_compile::{CompileError, Evaluator};
use cotangent_expr::{Layout, Tensor};
use cotangent_solve::LinearSolver;
use cotangent_theory::Motion;

/// The size of a gradient below which its square is no number: half of the exponents.
const LEAST: f64 = 1e-150;

/// The matrix as a function of state and parameters.
pub(crate) struct Forces {
    function: Evaluator,
    solver: LinearSolver<f64>,
    names: Layout,
    /// G, where it is G H_pp Gᵀ.
    gradients: Option<Evaluator>,
    /// Whether the constraints are on velocities.
    of_velocities: bool,
}

impl Forces {
    /// Compiles it; `None` without constraints.
    pub(crate) fn new(motion: &Motion) -> Result<Option<Forces>, CompileError> {
        let Some(matrix) = motion.brackets() else { return Ok(None) };
        let of_velocities = motion.velocity.is_some() && !motion.is_holonomic();
        Forces::of(motion, matrix, of_velocities)
    }

    /// What says whether velocity constraints are independent; `None` without any.
    pub(crate) fn of_velocities(motion: &Motion) -> Result<Option<Forces>, CompileError> {
        motion.velocity.as_ref().map_or(Ok(None), |velocity| Forces::of(motion, &velocity.matrix, true))
    }

    fn of(motion: &Motion, matrix: &Tensor, of_velocities: bool) -> Result<Option<Forces>, CompileError> {
        let by = [&motion.state, &motion.parameters()];
        let function = Evaluator::sparse(&motion.at_state(matrix).map_err(underived)?, &by, &motion.limits)?;
        let Some(pattern) = function.pattern() else { return Ok(None) };
        let solver = LinearSolver::new(pattern).map_err(|e| CompileError::system("the multipliers", e))?;
        let holonomic = motion.structure().filter(|_| !of_velocities && motion.is_holonomic());
        let gradients = holonomic.map(|s| Evaluator::sparse(&s.jacobian, &by, &motion.limits)).transpose()?;
        Ok(Some(Forces { solver, names: matrix.shape()[0].clone(), gradients, of_velocities, function }))
    }

    /// Whether the forces are determined at a state.
    pub(crate) fn check(&self, state: &[f64], parameters: &[f64]) -> Result<(), ProblemError> {
        let values = self.function.call(&[state, parameters]).map_err(ValueError::from)?;
        // Masses that vanish make it infinite: the equations themselves say whether they have a solution.
        if self.of_velocities && values.iter().any(|v| !v.is_finite()) {
            return Ok(());
        }
        let Err(singular) = self.solver.clone().factor(&values) else { return Ok(()) };
        let name = self.names.entry_name(singular.row);
        let Some(gradients) = &self.gradients else {
            return Err(match self.of_velocities {
                true => ProblemError::DependentVelocities { name },
                false => ProblemError::SingularBrackets { name },
            });
        };
        let gradient = gradients.call(&[state, parameters]).map_err(ValueError::from)?;
        let (Some(rows), Some(pattern)) = (gradients.pattern(), self.function.pattern()) else { return Ok(()) };
        // Is the square of a gradient no number, though the gradient is one?
        let entry = |i: usize| pattern.position(i, i).map_or(0.0, |k| values[k]);
        let size = |i: usize| rows.positions(i).map(|k| gradient[k].abs()).fold(0.0, f64::max);
        let far = |size: f64| size > 0.0 && !(LEAST..=1.0 / LEAST).contains(&size);
        let lost = |entry: f64| entry == 0.0 || !entry.is_finite();
        match (0..rows.rows()).find(|&i| far(size(i)) && lost(entry(i))) {
            Some(i) => Err(ProblemError::Scale { name: self.names.entry_name(i), size: size(i), entry: entry(i) }),
            None => Err(ProblemError::Unresisted { name }),
        }
    }
}
