//! Whether a step is stable: whether perturbations grow along the numerical motion as they do along the true one.
//!
//! An oscillation that the step does not resolve (ω h > 2 for Störmer–Verlet) grows from round-off, whether it is
//! excited or not. A perturbation in a general direction is carried along with dual numbers, at the given step
//! and, if it grew, at a quarter of it: motions may be unstable themselves.

use super::candidate::Candidate;
use super::reason::Reason;
use super::subject::Subject;
use cotangent_dynamics::Failure;
use cotangent_scalar::{Dual, largest};

/// A perturbation that grows by less is nothing to worry about.
const GROWN: f64 = 100.0;

/// How much more it may grow than with a smaller step.
const MORE: f64 = 30.0;

/// Why the step is not stable, if it is not.
pub(super) fn unstable<C: Candidate>(subject: &Subject<'_, C>, step: f64, steps: u64) -> Option<Reason> {
    let variables = subject.problem.start().len().max(1) as u64;
    let steps = steps.min((5120 / variables).clamp(32, 256));
    let grown = stretch(subject, step, steps).ok()?;
    if grown.is_finite() && grown <= GROWN {
        return None;
    }
    let finer = stretch(subject, step / 4.0, 4 * steps).ok().filter(|s| s.is_finite())?;
    let excess = grown / finer.max(1.0);
    (excess.is_nan() || excess > MORE).then_some(Reason::Unstable { grown, steps, finer })
}

/// A step that changes a perturbation by more does not resolve the fastest of its parts.
const CHANGED: f64 = 0.5;

/// Whether a step resolves all there is, excited or not: orders of stiff equations are lower where it does not.
pub(super) fn resolves<C: Candidate>(subject: &Subject<'_, C>, step: f64) -> bool {
    carried(subject, [1e-3 * step, step], 1).is_ok_and(|[_, change]| change <= CHANGED)
}

/// How much a perturbation in a general direction grows.
fn stretch<C: Candidate>(subject: &Subject<'_, C>, step: f64, steps: u64) -> Result<f64, Failure> {
    carried(subject, [step, step], steps).map(|[grown, _]| grown)
}

/// By how much a perturbation in a general direction grows in steps after a first one, and how far it is changed.
fn carried<C: Candidate>(subject: &Subject<'_, C>, [first, step]: [f64; 2], steps: u64) -> Result<[f64; 2], Failure> {
    let start = subject.start::<f64>()?;
    let middle = if subject.problem.nature().halves { start.len() / 2 } else { start.len() };
    let unit = |half: &[f64]| Some(largest(half)).filter(|s| *s > 0.0).unwrap_or(1.0);
    let units = [unit(&start[..middle]), unit(&start[middle..])];
    let unit = |k: usize| units[usize::from(k >= middle)];
    // Incommensurate with whatever the model has in its directions.
    let direction = |k: usize| unit(k) * (1.0 + 0.7 * (2.4 * k as f64 + 0.3).sin());
    let seeded =
        start.iter().enumerate().map(|(k, &value)| Dual { value, tangent: [direction(k)] }).collect::<Vec<_>>();
    let size = |state: &[Dual<f64>]| {
        state.iter().enumerate().map(|(k, d)| (d.tangent[0] / unit(k)).powi(2)).sum::<f64>().sqrt()
    };
    // The first step takes off what is not tangent to the constraints.
    let first = subject.walk(&seeded, first, 1)?;
    let last = subject.walk(&first, step, steps)?;
    let change: Vec<Dual<f64>> = last.iter().zip(&first).map(|(&a, &b)| a - b).collect();
    Ok([size(&last), size(&change)].map(|s| s / size(&first)))
}
