//! The matrix that determines the constraint forces: G H_pp Gᵀ, the brackets of second-class constraints, or what says
//! whether velocity constraints are independent.

use crate::error::{ProblemError, underived};
use cotangent_compile::values::ValueError;
use cotangent_compile::{CompileError, Evaluator};
use cotangent_expr::{Layout, Tensor};
use cotangent_solve::{LinearSolver, cancelled_rows};
use cotangent_theory::Motion;

/// The size of a gradient below which its square is no number: half of the exponents.
const LEAST: f64 = 1e-150;

/// What elimination leaves of a row is nothing if it is this part of its terms.
const CANCELLED: f64 = 1e-12;

/// The matrix as a function of state and parameters.
pub(crate) struct Forces {
    function: Evaluator,
    solver: LinearSolver<f64>,
    names: Layout,
    /// G, where it is G H_pp Gᵀ.
    gradients: Option<Evaluator>,
    /// Whether the constraints are on velocities.
    of_velocities: bool,
    /// Whether there are such besides.
    with_velocities: bool,
    /// [[M, −Gᵀ], [−G, 0]] and what its rows are about, where velocities and multipliers solve linear equations.
    kkt: Option<(Evaluator, Layout)>,
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
        let Some(velocity) = &motion.velocity else { return Ok(None) };
        let Some(forces) = Forces::of(motion, &velocity.matrix, true)? else { return Ok(None) };
        if motion.structure().is_none() {
            return Ok(Some(forces));
        }
        let matrix = motion.at_state(&velocity.kkt).map_err(underived)?;
        let kkt = Evaluator::sparse(&matrix, &[&motion.state, &motion.parameters()], &motion.limits)?;
        Ok(Some(Forces { kkt: Some((kkt, velocity.kkt.shape()[0].clone())), ..forces }))
    }

    fn of(motion: &Motion, matrix: &Tensor, of_velocities: bool) -> Result<Option<Forces>, CompileError> {
        let by = [&motion.state, &motion.parameters()];
        let function = Evaluator::sparse(&motion.at_state(matrix).map_err(underived)?, &by, &motion.limits)?;
        let Some(pattern) = function.pattern() else { return Ok(None) };
        let solver = LinearSolver::new(pattern).map_err(|e| CompileError::system("the multipliers", e))?;
        let holonomic = motion.structure().filter(|_| !of_velocities && motion.is_holonomic());
        let gradients = holonomic.map(|s| Evaluator::sparse(&s.jacobian, &by, &motion.limits)).transpose()?;
        let (names, with_velocities) = (matrix.shape()[0].clone(), motion.velocity.is_some());
        Ok(Some(Forces { solver, names, gradients, of_velocities, with_velocities, kkt: None, function }))
    }

    /// Whether the forces are determined at a state.
    pub(crate) fn check(&self, state: &[f64], parameters: &[f64]) -> Result<(), ProblemError> {
        let values = self.function.call(&[state, parameters]).map_err(ValueError::from)?;
        // Masses that vanish make it infinite: the equations themselves say whether they have a solution.
        if self.of_velocities && values.iter().any(|v| !v.is_finite()) {
            return self.check_unknowns(state, parameters);
        }
        let Err(singular) = self.solver.clone().factor(&values) else { return self.check_unknowns(state, parameters) };
        let name = self.names.entry_name(singular.row);
        let Some(gradients) = &self.gradients else {
            return Err(match self.of_velocities {
                true if self.is_alone(singular.row, &values) => ProblemError::Unrestricting { name },
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
            None if self.with_velocities => Err(ProblemError::DependentTogether { name }),
            None => Err(ProblemError::Unresisted { name }),
        }
    }

    /// Whether velocities and multipliers are determined at a state.
    fn check_unknowns(&self, state: &[f64], parameters: &[f64]) -> Result<(), ProblemError> {
        let Some((kkt, names)) = &self.kkt else { return Ok(()) };
        let values = kkt.call(&[state, parameters]).map_err(ValueError::from)?;
        let Some(rows) = kkt.pattern().and_then(|pattern| cancelled_rows(pattern, &values, CANCELLED).ok()) else {
            return Ok(());
        };
        match rows.is_empty() {
            true => Ok(()),
            false => {
                let variables = rows.into_iter().map(|row| names.entry_name(row)).collect();
                Err(ProblemError::NotIndexOne { variables })
            }
        }
    }

    /// Whether a row has no entries but perhaps its own.
    fn is_alone(&self, row: usize, values: &[f64]) -> bool {
        let Some(pattern) = self.function.pattern() else { return false };
        let others = pattern.row(row).iter().zip(&values[pattern.positions(row)]);
        others.filter(|(j, _)| **j as usize != row).all(|(_, value)| *value == 0.0)
    }
}
