//! How large the terms of the constraints and of the energy are.

use super::candidate::{Candidate, KeptIn};
use super::{CertificateError, ROUND_OFF};
use cotangent_dynamics::Canonical;
use cotangent_scalar::{Dd, Dual, Real, largest};

/// Sizes of terms at states of a problem.
pub(super) struct Sizes<'a, C> {
    problem: &'a C,
    manifold: Option<Box<dyn Canonical<f64> + 'a>>,
    /// The energy, where there are no canonical equations to ask for its derivatives.
    energy: KeptIn<'a, Dual<f64>>,
    /// The same to twice as many digits.
    exact: KeptIn<'a, Dd>,
    /// The sizes of constraints that an analysis found.
    surface: Option<[Vec<f64>; 2]>,
}

/// How large the terms of the energy are.
#[derive(Clone, Copy, Default)]
pub(super) struct Terms {
    /// What its parts exchange, whatever its zero: the kinetic energy ½ Σ |pᵢ q̇ᵢ|, or ½ Σᵢ |∂H/∂zᵢ (zᵢ − zᵢ(0))| where there
    /// are no momenta.
    pub(super) exchanged: f64,
    /// What it changes by, in units of the last place, if a state is rounded: Σᵢ |zᵢ ∂H/∂zᵢ|, and Σᵢ |qᵢ ṗᵢ| for the forces of
    /// constraints.
    pub(super) rounded: f64,
}

/// What was there when sizes were taken last: after a step that multiplies the state those before it say nothing.
#[derive(Default)]
pub(super) struct Taken {
    /// The largest position and the largest momentum; the largest variable where there are none.
    extents: [f64; 2],
    /// The largest residual of the constraints and that of the hidden ones, relative to the sizes of their terms.
    residuals: [f64; 2],
}

/// Sizes are taken again where the state, or a residual, is so many times as large.
const OUTGROWN: f64 = 2.0;

impl Taken {
    /// Whether the sizes of these terms are those of a much smaller state, or a residual has grown beside them.
    pub(super) fn is_outgrown(&self, halves: (&[f64], &[f64]), residuals: [&[f64]; 2], scales: &[Vec<f64>; 2]) -> bool {
        let more = |now: f64, then: f64| now > OUTGROWN * then;
        let [q, p] = extents(halves);
        let state = more(q, self.extents[0]) || more(p, self.extents[1]);
        state || (0..2).any(|k| more(relative(residuals[k], &scales[k]), self.residuals[k].max(ROUND_OFF)))
    }

    /// Sizes were taken at this state.
    pub(super) fn note(&mut self, halves: (&[f64], &[f64]), residuals: [&[f64]; 2], scales: &[Vec<f64>; 2]) {
        let now = extents(halves);
        for k in 0..2 {
            self.extents[k] = self.extents[k].max(now[k]);
            self.residuals[k] = self.residuals[k].max(relative(residuals[k], &scales[k]));
        }
    }
}

fn extents((q, p): (&[f64], &[f64])) -> [f64; 2] {
    [q, p].map(largest)
}

/// The largest residual relative to the size of its terms.
fn relative(residuals: &[f64], scales: &[f64]) -> f64 {
    largest(residuals.iter().zip(scales).map(|(r, s)| if *r == 0.0 { 0.0 } else { r / s }))
}

impl<'a, C: Candidate> Sizes<'a, C> {
    pub(super) fn new(problem: &'a C) -> Result<Sizes<'a, C>, CertificateError> {
        Ok(Sizes {
            problem,
            manifold: problem.numbers().manifold().ok().flatten(),
            energy: problem.kept()?,
            exact: problem.kept()?,
            surface: problem.surface_scales(),
        })
    }

    /// What the parts of the energy exchange, and what rounding is relative to, at a state to which a step leads.
    pub(super) fn terms(&mut self, state: &[f64], from: Option<(&[f64], f64)>) -> Terms {
        let Terms { exchanged, rounded } = self.terms_of_the_energy(state, from).unwrap_or_default();
        let finite = |x: f64| if x.is_finite() { x } else { 0.0 };
        Terms { exchanged: finite(exchanged), rounded: finite(rounded) }
    }

    fn terms_of_the_energy(&mut self, state: &[f64], from: Option<(&[f64], f64)>) -> Option<Terms> {
        if let Some(manifold) = &mut self.manifold {
            let (q, p) = state.split_at_checked(manifold.shape().coordinates)?;
            let (mut velocity, mut force) = (vec![0.0; q.len()], vec![0.0; q.len()]);
            manifold.hamiltonian_p(q, p, &mut velocity).ok()?;
            manifold.hamiltonian_q(q, p, &mut force).ok()?;
            let twice: f64 = p.iter().zip(&velocity).map(|(p, v)| (p * v).abs()).sum();
            // The forces of constraints are ṗ + H_q.
            let rate = |k: usize| from.map_or(0.0, |(z, h)| z.get(q.len() + k).map_or(0.0, |z| ((p[k] - z) / h).abs()));
            let moved: f64 = (0..p.len()).map(|k| q[k].abs() * (force[k].abs() + rate(k))).sum();
            return Some(Terms { exchanged: twice / 2.0, rounded: twice + moved });
        }
        let mut seeded: Vec<Dual<f64>> = state.iter().map(|&v| Dual::constant(v)).collect();
        let mut terms = Terms::default();
        for (k, start) in self.problem.start().iter().enumerate() {
            seeded.get_mut(k)?.tangent[0] = 1.0;
            let [energy, ..] = (self.energy)(&seeded).ok()?;
            let slope = energy.first()?.tangent[0];
            terms.exchanged += (slope * (state[k] - start)).abs() / 2.0;
            terms.rounded += (slope * state[k]).abs();
            seeded[k].tangent[0] = 0.0;
        }
        Some(terms)
    }

    /// How far an energy is from its value in double-double arithmetic: what terms that cancel leave of it.
    pub(super) fn misjudged(&mut self, state: &[f64], energy: f64) -> f64 {
        let lifted: Vec<Dd> = state.iter().map(|&z| Dd::from(z)).collect();
        let exact = (self.exact)(&lifted).ok().and_then(|[values, ..]| values.first().copied());
        let off = exact.map_or(0.0, |exact| (exact - Dd::from(energy)).value().abs());
        if off.is_finite() { off } else { 0.0 }
    }

    /// Raises the sizes of the terms of the constraints to those at a state, of steps of a size.
    pub(super) fn grow(&mut self, scales: &mut [Vec<f64>; 2], state: &[f64], step: f64) {
        if let Some(found) = &self.surface {
            scales.clone_from(found);
            return;
        }
        let Some(found) = self.manifold.as_mut().and_then(|m| residual_sizes(m.as_mut(), state, step, 0.0)) else {
            return;
        };
        for (scales, found) in scales.iter_mut().zip(found) {
            scales.resize(found.len(), 0.0);
            scales.iter_mut().zip(found).for_each(|(s, f)| *s = if f.is_finite() { s.max(f) } else { *s });
        }
    }
}

/// Σⱼ |Gᵢⱼ| max |q|, and the larger of Σⱼ |Gᵢⱼ| (max |q̇| + h max |H_pp H_q|) and Σⱼ |Σₖ ∂²φᵢ/∂qⱼ∂qₖ q̇ₖ| max |q|, at a state
/// (q, p), with `unit` for a maximum that vanishes: far from the origin G itself is only known as well as the positions
/// are, and a momentum only as well as the impulses h H_q and h Gᵀλ of a step, which cancel where the motion is slow.
pub(crate) fn residual_sizes(
    manifold: &mut dyn Canonical<f64>,
    state: &[f64],
    step: f64,
    unit: f64,
) -> Option<[Vec<f64>; 2]> {
    let shape = manifold.shape().clone();
    let (q, p) = state.split_at_checked(shape.coordinates)?;
    let (mut g, mut v) = (vec![0.0; shape.jacobian.len()], vec![0.0; shape.coordinates]);
    manifold.jacobian(q, &mut g).ok()?;
    manifold.hamiltonian_p(q, p, &mut v).ok()?;
    let speed = largest(&v) + step.abs() * largest(&accelerations(manifold, q, p)?);
    let sizes = [largest(q), speed].map(|s| if s > 0.0 { s } else { unit });
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

/// Σⱼ |H_pp|ᵢⱼ |H_q|ⱼ.
fn accelerations(manifold: &mut dyn Canonical<f64>, q: &[f64], p: &[f64]) -> Option<Vec<f64>> {
    let pattern = manifold.shape().hessian_pp.clone();
    let (mut force, mut inverse_mass) = (vec![0.0; q.len()], vec![0.0; pattern.len()]);
    manifold.hamiltonian_q(q, p, &mut force).ok()?;
    manifold.hessian_pp(q, p, &mut inverse_mass).ok()?;
    let mut found = vec![0.0f64; q.len()];
    for ((i, j), w) in pattern.addresses().zip(&inverse_mass) {
        found[i as usize] += (w * force[j as usize]).abs();
    }
    Some(found)
}

/// Σⱼ |Gᵢⱼ| max |q| and Σⱼ |Gᵢⱼ| max |q̇| at the start, with the largest position and velocity, 1 where that
/// vanishes: what the terms of each constraint are made of.
pub(crate) fn scales(problem: &impl Candidate) -> [Vec<f64>; 2] {
    if let Some(scales) = problem.surface_scales() {
        return scales;
    }
    let Ok(Some(mut manifold)) = problem.numbers().manifold() else { return [vec![], vec![]] };
    let constraints = manifold.shape().constraints;
    let found = residual_sizes(manifold.as_mut(), problem.start(), 0.0, 1.0);
    let found = found.unwrap_or_else(|| [vec![1.0; constraints], vec![1.0; constraints]]);
    found.map(|list| list.into_iter().map(|s| if s > 0.0 { s } else { 1.0 }).collect())
}

/// The kinetic scale p·q̇ at the start: the energy may be zero where its terms are not.
pub(crate) fn kinetic(problem: &impl Candidate) -> f64 {
    let Ok(Some(mut manifold)) = problem.numbers().manifold() else { return 0.0 };
    let n = manifold.shape().coordinates;
    let (q, p) = problem.start().split_at(n);
    let mut v = vec![0.0; n];
    match manifold.hamiltonian_p(q, p, &mut v) {
        Ok(()) => p.iter().zip(&v).map(|(p, v)| (p * v).abs()).sum(),
        Err(_) => 0.0,
    }
}
