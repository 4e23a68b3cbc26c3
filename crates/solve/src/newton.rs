//! Newton's method: the one loop for implicit equations.

use cotangent_scalar::Real;
use std::convert::Infallible;
use std::fmt::Display;

use crate::stopping::Verdict;
use crate::workspace::{NewtonWorkspace, finite};
use crate::{Singular, StoppingRule};

/// How [`newton`] iterates.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct NewtonOptions {
    /// When it stops.
    pub stopping: StoppingRule,
    /// How often a step may be halved when it makes the residual grow (or not finite). Zero, the
    /// default, takes every step in full: right for a good first guess, as inside a time step.
    pub max_halvings: u32,
}

/// The work and the outcome of a successful [`newton`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NewtonWork {
    /// Updates computed until the values had converged.
    pub iterations: u32,
    /// Calls of the system, those for derivative parts and halved steps included.
    pub evaluations: u32,
    /// Halvings of a step.
    pub halvings: u32,
    /// The largest residual at the last evaluation: before the last update, if one was made.
    pub residual: f64,
    /// [`LinearSolver::rcond`](crate::LinearSolver::rcond) of the last Jacobian; 1 if none was factored.
    pub rcond: f64,
}

/// Something that must be finite.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quantity {
    /// An unknown; the index is its number.
    Unknown,
    /// A residual; the index is that of the equation.
    Residual,
    /// An entry of the Jacobian; the index is that of the equation.
    Jacobian,
    /// The update of an unknown; the index is its number.
    Update,
}

/// Why [`newton`] has no solution. The unknowns are left at the last iterate. `E` is what the system may say; without
/// it the reasons are those of the iteration alone.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum NewtonError<E = Infallible> {
    /// The iteration did not arrive.
    #[error("Newton's method did not converge in {iterations} iterations: equation {worst} is off by {residual:.1e}")]
    NotConverged {
        /// The largest residual at the last evaluation.
        residual: f64,
        /// Updates made.
        iterations: u32,
        /// The equation with the largest residual.
        worst: usize,
    },
    /// The Jacobian could not be inverted.
    #[error("in iteration {iteration} of Newton's method {singular}")]
    Singular {
        /// Where: rows are equations, columns unknowns.
        singular: Singular,
        /// Updates made before.
        iteration: u32,
    },
    /// An infinity or NaN came up.
    #[error("in iteration {iteration} of Newton's method a value is not finite: {quantity:?} {index}")]
    NotFinite {
        /// What was not finite.
        quantity: Quantity,
        /// Which one.
        index: usize,
        /// Updates made before.
        iteration: u32,
    },
    /// The system itself failed.
    #[error(transparent)]
    Callback(E),
}

impl<E> NewtonError<E> {
    /// The reason of the iteration itself; otherwise what the system said.
    pub fn own(self) -> Result<NewtonError, E> {
        match self {
            Self::NotConverged { residual, iterations, worst } => {
                Ok(NewtonError::NotConverged { residual, iterations, worst })
            }
            Self::Singular { singular, iteration } => Ok(NewtonError::Singular { singular, iteration }),
            Self::NotFinite { quantity, index, iteration } => Ok(NewtonError::NotFinite { quantity, index, iteration }),
            Self::Callback(error) => Err(error),
        }
    }

    /// The number of the equation at fault, where there is one.
    pub fn equation(&self) -> Option<usize> {
        match self {
            Self::NotConverged { worst, .. } => Some(*worst),
            Self::Singular { singular, .. } => Some(singular.row),
            Self::NotFinite { .. } | Self::Callback(_) => None,
        }
    }
}

impl NewtonError {
    /// The same in words that have no numbers of equations and unknowns: those have a name elsewhere, if any.
    pub fn named(&self, equation: Option<&dyn Display>) -> String {
        match (self, equation) {
            (Self::NotConverged { residual, iterations, .. }, Some(name)) => {
                format!("Newton's method did not converge in {iterations} iterations: {name} is off by {residual:.1e}")
            }
            (Self::Singular { iteration, .. }, Some(name)) => {
                format!("in iteration {iteration} of Newton's method {name} depends on the others")
            }
            (Self::NotFinite { iteration, .. }, _) => {
                format!("in iteration {iteration} of Newton's method a value is not finite")
            }
            (other, _) => other.to_string(),
        }
    }
}

/// Solves f(x) = 0: finds the unknowns at which every residual is zero.
///
/// `unknowns` holds the first guess before and the solution after. `system` fills the residual
/// f(x) and the values of the Jacobian ∂f/∂x, in the order of the workspace's pattern; all
/// entries must be written, and an error it returns ends the iteration.
///
/// Decisions look at values only, so an iteration on dual numbers makes the same updates of the
/// values, to the bit, as one on plain numbers. Once the values have converged,
/// [`Real::refinements`] further updates of the derivative parts alone make those exact: with
/// f(x(p), p) = 0, one update in dual arithmetic yields ẋ = −(∂f/∂x)⁻¹ ∂f/∂p ṗ.
///
/// # Panics
/// If the number of unknowns is not that of the workspace's pattern.
pub fn newton<S: Real, E>(
    workspace: &mut NewtonWorkspace<S>,
    options: &NewtonOptions,
    unknowns: &mut [S],
    mut system: impl FnMut(&[S], &mut [S], &mut [S]) -> Result<(), E>,
) -> Result<NewtonWork, NewtonError<E>> {
    let w = workspace;
    let x = unknowns;
    assert_eq!(x.len(), w.size(), "as many unknowns as the pattern has columns");
    let mut work = NewtonWork { iterations: 0, evaluations: 0, halvings: 0, residual: 0.0, rcond: 1.0 };
    if x.is_empty() {
        return Ok(work);
    }
    w.forget_sizes();
    finite(x, Quantity::Unknown, 0)?;
    w.evaluate(x, &mut system, &mut work)?;
    let (mut previous, mut stalls, mut astray) = (None, 0, false);
    loop {
        w.check_finite(work.iterations)?;
        if w.is_solved() {
            break;
        }
        if work.iterations == options.stopping.max_iterations {
            let (worst, residual) = w.worst_residual();
            return Err(NewtonError::NotConverged { residual, iterations: work.iterations, worst });
        }
        w.compute_update(&mut work)?;
        work.iterations += 1;
        // What an iteration that goes astray makes of the unknowns is no size of theirs.
        if astray {
            w.forget_sizes();
        }
        let measure = w.measure(x);
        astray = astray || measure.runaway && previous.is_some();
        match options.stopping.judge(S::EPSILON, previous, &measure) {
            Verdict::Last => {
                w.step(x);
                break;
            }
            Verdict::Stalled if w.stalled_at_round_off(x, &measure, options.stopping.scale, stalls) => break,
            Verdict::Stalled => stalls += 1,
            Verdict::Continue => {}
        }
        let before = if options.max_halvings > 0 { w.weigh_equations() } else { 0.0 };
        w.step(x);
        w.remember_jacobian();
        w.evaluate(x, &mut system, &mut work)?;
        let mut halvings = 0;
        while halvings < options.max_halvings && w.has_grown(x, before, options.stopping.scale) {
            halvings += 1;
            w.half_a_step_back(x);
            w.evaluate(x, &mut system, &mut work)?;
        }
        work.halvings += halvings;
        previous = (halvings == 0).then_some(measure.update);
    }
    for _ in 0..S::refinements() {
        w.evaluate(x, &mut system, &mut work)?;
        w.check_finite(work.iterations)?;
        w.compute_update(&mut work)?;
        w.infinitesimal_step(x);
    }
    finite(x, Quantity::Unknown, work.iterations)?;
    Ok(work)
}
