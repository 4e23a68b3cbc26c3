//! How large the terms of the constraints and of the energy are.

use super::CertificateError;
use cotangent_compile::{Function, Native, Workspace};
use cotangent_dynamics::{Canonical, Dynamics};
use cotangent_problem::{Diagnostics, Instance};
use cotangent_scalar::{Dual, Scalar};

/// Sizes of terms at states of a problem.
pub(super) struct Sizes<'a> {
    problem: &'a Instance,
    manifold: Option<Box<dyn Canonical<f64> + 'a>>,
    /// The energy, where there are no canonical equations to ask for its derivatives.
    energy: &'a Function,
    work: Workspace<Dual<f64>>,
    parameters: Vec<Dual<f64>>,
}

impl<'a> Sizes<'a> {
    pub(super) fn new(problem: &'a Instance, diagnostics: &'a Diagnostics) -> Result<Sizes<'a>, CertificateError> {
        let energy = diagnostics.kept_function();
        let view = problem.equations.compiled.view(Native, problem.parameters.clone());
        Ok(Sizes {
            problem,
            manifold: view.manifold().ok().flatten(),
            work: energy.workspace_in()?,
            energy,
            parameters: problem.parameters.iter().map(|&p| Dual::from_f64(p)).collect(),
        })
    }

    /// What the parts of the energy exchange, whatever its zero: the kinetic energy ½ Σ |pᵢ q̇ᵢ|, or
    /// ½ Σᵢ |∂H/∂zᵢ (zᵢ − zᵢ(0))| where there are no momenta.
    pub(super) fn exchanged(&mut self, state: &[f64]) -> f64 {
        let sum = self.terms_of_the_energy(state).unwrap_or(0.0) / 2.0;
        if sum.is_finite() { sum } else { 0.0 }
    }

    fn terms_of_the_energy(&mut self, state: &[f64]) -> Option<f64> {
        if let Some(manifold) = &mut self.manifold {
            let (q, p) = state.split_at_checked(manifold.shape().coordinates)?;
            let mut velocity = vec![0.0; q.len()];
            manifold.hamiltonian_p(q, p, &mut velocity).ok()?;
            return Some(p.iter().zip(&velocity).map(|(p, v)| (p * v).abs()).sum());
        }
        let mut outputs: Vec<Vec<Dual<f64>>> =
            self.energy.program().outputs.iter().map(|&n| vec![Dual::from_f64(0.0); n]).collect();
        let mut seeded: Vec<Dual<f64>> = state.iter().map(|&v| Dual::constant(v)).collect();
        let mut sum = 0.0;
        for (k, start) in self.problem.start.iter().enumerate() {
            seeded.get_mut(k)?.tangent[0] = 1.0;
            let mut slots: Vec<&mut [Dual<f64>]> = outputs.iter_mut().map(Vec::as_mut_slice).collect();
            self.energy.call_in(&[&seeded, &self.parameters], &mut slots, &mut self.work).ok()?;
            sum += (outputs.first()?.first()?.tangent[0] * (state[k] - start)).abs();
            seeded[k].tangent[0] = 0.0;
        }
        Some(sum)
    }

    /// Raises the sizes of the terms of the constraints to those at a state.
    pub(super) fn grow(&mut self, scales: &mut [Vec<f64>; 2], state: &[f64]) {
        if self.problem.equations.motion.surface().is_some() {
            if scales.iter().all(Vec::is_empty) {
                *scales = self::scales(self.problem);
            }
            return;
        }
        let Some(found) = self.manifold.as_mut().and_then(|m| terms(m.as_mut(), state, 0.0)) else { return };
        for (scales, found) in scales.iter_mut().zip(found) {
            scales.resize(found.len(), 0.0);
            scales.iter_mut().zip(found).for_each(|(s, f)| *s = if f.is_finite() { s.max(f) } else { *s });
        }
    }
}

/// Σⱼ |Gᵢⱼ| max |q|, and the larger of Σⱼ |Gᵢⱼ| max |q̇| and Σⱼ |Σₖ ∂²φᵢ/∂qⱼ∂qₖ q̇ₖ| max |q|, at a state (q, p), with `unit`
/// for a maximum that vanishes: far from the origin G itself is only known as well as the positions are.
fn terms(manifold: &mut dyn Canonical<f64>, state: &[f64], unit: f64) -> Option<[Vec<f64>; 2]> {
    let shape = manifold.shape().clone();
    let (q, p) = state.split_at_checked(shape.coordinates)?;
    let (mut g, mut v) = (vec![0.0; shape.jacobian.len()], vec![0.0; shape.coordinates]);
    manifold.jacobian(q, &mut g).ok()?;
    manifold.hamiltonian_p(q, p, &mut v).ok()?;
    let largest = |x: &[f64]| x.iter().fold(0.0f64, |m, x| m.max(x.abs()));
    let sizes = [largest(q), largest(&v)].map(|s| if s > 0.0 { s } else { unit });
    let mut scales = sizes.map(|size| {
        let mut scale = vec![0.0f64; shape.constraints];
        for ((row, _), g) in shape.jacobian.addresses().zip(&g) {
            scale[row as usize] += g.abs() * size;
        }
        scale
    });
    let mut turned = vec![0.0; shape.curvature_along.len()];
    manifold.curvature_along(q, &v, &mut turned).ok()?;
    let mut rounding = vec![0.0f64; shape.constraints];
    for ((row, _), c) in shape.curvature_along.addresses().zip(&turned) {
        rounding[row as usize] += c.abs() * sizes[0];
    }
    scales[1].iter_mut().zip(rounding).for_each(|(s, r)| *s = s.max(r));
    Some(scales)
}

/// Σⱼ |Gᵢⱼ| max |q| and Σⱼ |Gᵢⱼ| max |q̇| at the start, with the largest position and velocity, 1 where that
/// vanishes: what the terms of each constraint are made of.
pub(crate) fn scales(problem: &Instance) -> [Vec<f64>; 2] {
    if let Some(surface) = problem.equations.motion.surface() {
        let mut scales = problem.surface_scales().unwrap_or_else(|_| vec![1.0; surface.generations.len()]);
        let later = scales.split_off(surface.constraints.shape()[0].len().min(scales.len()));
        return [scales, later];
    }
    let view = problem.equations.compiled.view(Native, problem.parameters.clone());
    let Ok(Some(mut manifold)) = view.manifold() else { return [vec![], vec![]] };
    let constraints = manifold.shape().constraints;
    let found = terms(manifold.as_mut(), &problem.start, 1.0);
    let found = found.unwrap_or_else(|| [vec![1.0; constraints], vec![1.0; constraints]]);
    found.map(|list| list.into_iter().map(|s| if s > 0.0 { s } else { 1.0 }).collect())
}

/// The kinetic scale p·q̇ at the start: the energy may be zero where its terms are not.
pub(crate) fn kinetic(problem: &Instance) -> f64 {
    let view = problem.equations.compiled.view(Native, problem.parameters.clone());
    let Ok(Some(mut manifold)) = view.manifold() else { return 0.0 };
    let n = manifold.shape().coordinates;
    let (q, p) = problem.start.split_at(n);
    let mut v = vec![0.0; n];
    match manifold.hamiltonian_p(q, p, &mut v) {
        Ok(()) => p.iter().zip(&v).map(|(p, v)| (p * v).abs()).sum(),
        Err(_) => 0.0,
    }
}
