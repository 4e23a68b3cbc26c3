//! Newton's method: the one loop for implicit equations.

use cotangent_scalar::Real;

use crate::StoppingRule;
use crate::outcome::{NewtonError, NewtonWork, Quantity};
use crate::stopping::Verdict;
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
