//! Constraints and energy along a run.

use super::{CertificateError, Drift, Finding, Options};
use crate::fit::{growth_exponent, typical_growth_exponent};
use cotangent_compile::{Native, Problem};
use cotangent_dynamics::Dynamics;
use cotangent_integrate::Prepared;

/// What was found along the run.
pub(super) struct Found {
    pub(super) constraints: Finding<f64>,
    pub(super) hidden_constraints: Finding<f64>,
    /// The largest energy error, relative to the energy's own size along the run.
    pub(super) energy_error: Finding<f64>,
    pub(super) energy: Finding<Drift>,
}

/// Energy errors up to this, relative to the energy's terms, are round-off.
pub(super) const ROUND_OFF: f64 = 1e-11;

/// An error that falls below this part of its largest size has come back.
const RETURN: f64 = 0.03;

/// Most samples of the energy that are kept.
const SAMPLES: u64 = 20_000;

pub(super) fn run(problem: &Problem, prepared: &Prepared, options: Options) -> Result<Found, CertificateError> {
    let mut diagnostics = problem.diagnostics()?;
    let mut integrator = problem.integrator(prepared)?;
    let mut state = integrator.state(problem.start.clone());
    let scales = scales(problem);
    let every = options.steps.div_ceil(SAMPLES).max(1);
    let (mut times, mut errors) = (vec![], vec![]);
    let (mut constraints, mut hidden) = (0.0f64, 0.0f64);
    let mut failed = None;
    let mut initial = None;
    // The energy alone has no natural zero; its change over the run and its value give its size.
    let mut size = 0.0f64;
    for k in 0..=options.steps {
        let kept = match diagnostics.kept(&state.values) {
            Ok(kept) => kept,
            Err(e) => {
                failed = Some(e.to_string());
                break;
            }
        };
        let first = *initial.get_or_insert(kept.energy);
        size = size.max(kept.energy.abs());
        constraints = worst(constraints, &kept.constraints, &scales[0]);
        hidden = worst(hidden, &kept.hidden_constraints, &scales[1]);
        if k > 0 && k % every == 0 {
            times.push(k as f64 * options.step.abs());
            errors.push(kept.energy - first);
        }
        if k == options.steps {
            break;
        }
        if let Err((_, failure)) = integrator.advance(&mut state, options.step, 1) {
            failed = Some(format!("the run ended after {k} steps: {failure}"));
            break;
        }
    }
    // A run that ended early has still shown what did not hold until then.
    let found = |defect: f64| match &failed {
        Some(reason) if defect <= super::ROUND_OFF => Finding::Undecided(reason.clone()),
        _ => Finding::Measured(defect),
    };
    let size = size.max(kinetic(problem));
    let energy_error = match (amplitude(&errors, size), &failed) {
        (a, Some(reason)) if errors.is_empty() || a <= ROUND_OFF => Finding::Undecided(reason.clone()),
        (a, _) => Finding::Measured(a),
    };
    let energy = match (drift(&times, &errors, size), &failed) {
        (Finding::Measured(drift), _) if drift.growth.is_some() => Finding::Measured(drift),
        (_, Some(reason)) => Finding::Undecided(reason.clone()),
        (found, None) => found,
    };
    Ok(Found { constraints: found(constraints), hidden_constraints: found(hidden), energy_error, energy })
}

/// The largest error relative to a size.
fn amplitude(errors: &[f64], size: f64) -> f64 {
    let largest = errors.iter().fold(0.0f64, |m, e| m.max(e.abs()));
    if largest == 0.0 { 0.0 } else { largest / if size > 0.0 { size } else { 1.0 } }
}

fn drift(times: &[f64], errors: &[f64], size: f64) -> Finding<Drift> {
    let largest = errors.iter().fold(0.0f64, |m, e| m.max(e.abs()));
    let amplitude = amplitude(errors, size);
    if amplitude <= ROUND_OFF {
        return Finding::Measured(Drift { growth: None, typical: None, returns: true, amplitude });
    }
    match growth_exponent(times, errors) {
        Ok(growth) => {
            let typical = typical_growth_exponent(times, errors).ok();
            let late = errors[errors.len() / 2..].iter().fold(f64::INFINITY, |m, e| m.min(e.abs()));
            let returns = late <= RETURN * largest;
            Finding::Measured(Drift { growth: Some(growth), typical, returns, amplitude })
        }
        Err(e) => Finding::Undecided(e.to_string()),
    }
}

/// The largest residual relative to the size of its terms; NaN is the largest of all.
fn worst(largest: f64, residuals: &[f64], scales: &[f64]) -> f64 {
    let relative = residuals.iter().zip(scales).map(|(r, s)| if *r == 0.0 { 0.0 } else { r.abs() / s });
    relative.fold(largest, |m, r| if r.is_nan() || r > m { r } else { m })
}

/// Σⱼ |Gᵢⱼ qⱼ| and Σⱼ |Gᵢⱼ q̇ⱼ| at the start, with the largest position and velocity for those that
/// vanish: what the terms of each constraint are made of.
pub(crate) fn scales(problem: &Problem) -> [Vec<f64>; 2] {
    if let Some(surface) = &problem.motion.surface {
        let mut scales = problem.surface_scales().unwrap_or_else(|_| vec![1.0; surface.generations.len()]);
        let later = scales.split_off(surface.constraints.shape()[0].len().min(scales.len()));
        return [scales, later];
    }
    let view = problem.compiled.view(Native, problem.parameters.clone());
    let Ok(Some(mut manifold)) = view.manifold() else { return [vec![], vec![]] };
    let shape = manifold.shape().clone();
    let (q, p) = problem.start.split_at(shape.coordinates);
    let (mut g, mut v) = (vec![0.0; shape.jacobian.len()], vec![0.0; shape.coordinates]);
    if manifold.jacobian(q, &mut g).is_err() || manifold.hamiltonian_p(q, p, &mut v).is_err() {
        return [vec![1.0; shape.constraints], vec![1.0; shape.constraints]];
    }
    let largest = |x: &[f64]| x.iter().fold(0.0f64, |m, x| m.max(x.abs()));
    let sizes = [largest(q), largest(&v)].map(|s| if s > 0.0 { s } else { 1.0 });
    sizes.map(|size| {
        let mut scale = vec![0.0f64; shape.constraints];
        for ((row, _), g) in shape.jacobian.addresses().zip(&g) {
            scale[row as usize] += g.abs() * size;
        }
        scale.into_iter().map(|s| if s > 0.0 { s } else { 1.0 }).collect()
    })
}

/// The kinetic scale p·q̇ at the start: the energy may be zero where its terms are not.
pub(crate) fn kinetic(problem: &Problem) -> f64 {
    let view = problem.compiled.view(Native, problem.parameters.clone());
    let Ok(Some(mut manifold)) = view.manifold() else { return 0.0 };
    let n = manifold.shape().coordinates;
    let (q, p) = problem.start.split_at(n);
    let mut v = vec![0.0; n];
    match manifold.hamiltonian_p(q, p, &mut v) {
        Ok(()) => p.iter().zip(&v).map(|(p, v)| (p * v).abs()).sum(),
        Err(_) => 0.0,
    }
}
