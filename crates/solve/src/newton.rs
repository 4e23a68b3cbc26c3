//! Newton's method: the one loop for implicit equations.

use cotangent_scalar::Real;

use crate::StoppingRule;
use crate::outcome::{NewtonError, NewtonWork, Quantity};
use crate::workspace::{NewtonWorkspace, finite};

/// How [`newton`] iterates.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct NewtonOptions {
    /// When it stops.
    pub stopping: StoppingRule,
    /// How often a step may be halved when it makes the residual grow (or not finite). Zero, the
    /// default, takes every step in full: right for a good first guess, as inside a time step.
    pub max_halvings: u32,
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
    // The update before, if it was a full step: no comparison with NaN holds.
    let (mut previous, mut stalls, mut astray) = (f64::NAN, 0, false);
    let smallest = options.stopping.smallest_update(S::EPSILON);
    loop {
        w.check_residual(work.iterations)?;
        if w.is_solved() {
            w.check_jacobian(work.iterations)?;
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
        astray |= w.grow_sizes(x) && !previous.is_nan();
        let verdict = w.judge(x, smallest, previous);
        if verdict.last {
            w.step(x);
            break;
        }
        if verdict.stalled {
            if verdict.round_off || w.stalled_at_round_off(x, options.stopping.scale, stalls) {
                break;
            }
            stalls += 1;
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
        previous = if halvings == 0 { verdict.update } else { f64::NAN };
    }
    for _ in 0..S::refinements() {
        w.evaluate(x, &mut system, &mut work)?;
        w.check_residual(work.iterations)?;
        w.compute_update(&mut work)?;
        w.infinitesimal_step(x);
    }
    finite(x, Quantity::Unknown, work.iterations)?;
    work.residual = w.worst_residual().1;
    Ok(work)
}

/// Solves equations that are affine in their unknowns, f(x) = A x − b, with one update; otherwise as [`newton`]. In dual
/// arithmetic the update is exact, too.
///
/// The residual that is left is the rounding of A x and b, whatever the condition of A.
///
/// # Panics
/// If the number of unknowns is not that of the workspace's pattern.
pub fn affine<S: Real, E>(
    workspace: &mut NewtonWorkspace<S>,
    unknowns: &mut [S],
    mut system: impl FnMut(&[S], &mut [S], &mut [S]) -> Result<(), E>,
) -> Result<NewtonWork, NewtonError<E>> {
    let (w, x) = (workspace, unknowns);
    assert_eq!(x.len(), w.size(), "as many unknowns as the pattern has columns");
    let mut work = NewtonWork { iterations: 0, evaluations: 0, halvings: 0, residual: 0.0, rcond: 1.0 };
    if x.is_empty() {
        return Ok(work);
    }
    finite(x, Quantity::Unknown, 0)?;
    w.evaluate(x, &mut system, &mut work)?;
    w.check_residual(0)?;
    let solved = w.is_solved();
    if solved && S::refinements() == 0 {
        w.check_jacobian(0)?;
        return Ok(work);
    }
    w.compute_update(&mut work)?;
    work.iterations = u32::from(!solved);
    w.step(x);
    finite(x, Quantity::Unknown, work.iterations)?;
    work.residual = w.worst_residual().1;
    Ok(work)
}
