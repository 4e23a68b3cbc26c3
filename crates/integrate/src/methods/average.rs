//! The average vector field method with constraints: keeps the energy, whatever it is;
//! symmetric, order 2, constraints and hidden constraints at round-off.
//!
//! With ψ = G H_p the hidden constraints and F̄ = ∫ F(z(τ)) dτ the average along the step,
//! z(τ) = z + τ (z₁ − z), 0 ≤ τ ≤ 1, of the gradients of H, φ and ψ:
//!
//! ```text
//! q₁ = q + h (H̄_p + ψ̄_pᵀμ)
//! p₁ = p − h (H̄_q + Ḡᵀλ + ψ̄_qᵀμ),   φ(q₁) = 0,   ψ(q₁, p₁) = 0
//! ```
//!
//! *Energy.* The average of the gradient of F is a discrete gradient: F̄_z·(z₁ − z) = F(z₁) − F(z). The
//! step is z₁ − z = h J (H̄_z + φ̄_zᵀλ + ψ̄_zᵀμ) with J antisymmetric, so the product of z₁ − z with the
//! bracket is zero: H(z₁) − H(z) = −λ·(φ(q₁) − φ(q)) − μ·(ψ(z₁) − ψ(z)) = 0. With quadrature of s Gauss
//! points this holds to round-off where H, φ and ψ are polynomials of degree 2s, otherwise up to
//! O(h²ˢ⁺¹) in a step.
//!
//! *Multipliers.* φ(q₁) − φ(q) = Ḡ (q₁ − q) = 0 says Ḡ ψ̄_pᵀ μ = −Ḡ H̄_p. As ψ = 0 at both ends, ∫ G H_p dτ
//! is O(h²), and it differs from Ḡ H̄_p by O(h²): so μ = O(h²), with Q = G H_pp Gᵀ the matrix that
//! every method for these equations needs to be regular. In the same way ψ(z₁) = ψ(z) determines λ, with
//! the matrix −Q at h = 0. So near the start of a step there is one solution, a map of the
//! manifold φ = ψ = 0 into itself that depends on nothing else: no error off the manifold is carried on.
//!
//! *Order and symmetry.* Exchanging (z, h) and (z₁, −h) changes nothing, so the step is symmetric; without μ,
//! whose terms are O(h³) in a step, it is consistent. Hence order 2.
//!
//! Without μ and ψ(z₁) = 0, φ and H are kept as well, but ψ is carried on from step to step with
//! a sign that alternates: on curves whose curvature changes it grows exponentially.
//!
//! Newton's method solves for q₁ − q, p₁ − p, λ and μ together.
//!
//! O. Gonzalez, Comput. Methods Appl. Mech. Engrg. 174 (1999) 165 (discrete gradients with
//! constraints); R. I. McLachlan, G. R. W. Quispel & N. Robidoux, Phil. Trans. R. Soc. A 357 (1999)
//! 1021; G. R. W. Quispel & D. I. McLaren, J. Phys. A 41 (2008) 045206; the second multiplier as in
//! C. W. Gear, B. Leimkuhler & G. K. Gupta, J. Comput. Appl. Math. 12–13 (1985) 77.

use crate::blocks::{Block, BlockBuilder, Blocks};
use crate::card::{Card, Keeps, Needs};
use crate::coefficients::Gauss as Quadrature;
use crate::sparse::times;
use cotangent_dynamics::{
    Canonical, CanonicalShape, Failure, Hidden, HiddenShape, Kind, Machine, Plan, Site, State, Stepper, carried,
};
use cotangent_scalar::Scalar;
use cotangent_solve::PatternError;
use std::sync::Arc;

/// From so many points on the quadrature is exact to round-off at steps that resolve the motion.
const ENOUGH: usize = 4;

pub(crate) fn card(stages: usize) -> Card {
    Card {
        name: "average-vector-field",
        summary: "second order, symmetric, keeps the energy, with constraints at round-off",
        order: 2,
        symplectic: false,
        symmetric: true,
        constraints: Keeps::Yes,
        hidden_constraints: Keeps::Yes,
        quadratic_invariants: false,
        energy: stages >= ENOUGH,
        needs: Needs::Canonical,
        explicit: "never",
        scheme: &[
            "q₁ = q + h ∫ (H_p + ψ_pᵀμ) dτ at z(τ) = z + τ (z₁ − z),   0 ≤ τ ≤ 1",
            "p₁ = p − h ∫ (H_q + Gᵀλ + ψ_qᵀμ) dτ,   φ(q₁) = 0,   ψ(z₁) = 0,   ψ = G H_p",
        ],
        solution: "The integrals by Gauss quadrature of s points (`--stages S`, 6 unless said otherwise): the energy is kept exactly where H, φ and ψ are polynomials of degree 2s, otherwise up to O(h²ˢ⁺¹). Newton's method for q₁ − q, p₁ − p, λ and μ together; μ is O(h²). Averages of gradients are discrete gradients: H(z₁) − H(z) = −λ·(φ(q₁) − φ(q)) − μ·(ψ(z₁) − ψ(z)) = 0.",
        reference: "O. Gonzalez, Comput. Methods Appl. Mech. Engrg. 174 (1999) 165; G. R. W. Quispel & D. I. McLaren, J. Phys. A 41 (2008) 045206",
    }
}

/// What is known before the arithmetic is.
#[derive(Clone, Debug)]
pub(crate) struct Scheme {
    shape: CanonicalShape,
    /// None without constraints.
    hidden: Option<HiddenBlocks>,
    quadrature: Quadrature,
    site: Site,
    blocks: Blocks,
    ones: Block,
    ww: Block,
    wu: Block,
    uw: Block,
    uw_curvature: Block,
    uu: Block,
    ul: Block,
    lw: Block,
}

/// The places of the derivatives of ψ, and those of their average times μ.
#[derive(Clone, Debug)]
struct HiddenBlocks {
    shape: HiddenShape,
    ww: Block,
    wu: Block,
    uw: Block,
    uu: Block,
    wm: Block,
    um: Block,
    mw: Block,
    mu: Block,
}

impl Scheme {
    /// For equations with constraints the shape of the hidden ones is needed.
    pub(crate) fn new(
        shape: &CanonicalShape,
        hidden: Option<&HiddenShape>,
        points: usize,
        plan: &mut Plan,
    ) -> Result<Arc<Scheme>, PatternError> {
        let (n, m) = (shape.coordinates, shape.constraints);
        // Unknowns: w = q₁ − q, u = p₁ − p, λ, μ.
        let mut b = BlockBuilder::new(2 * n + if hidden.is_some() { 2 * m } else { m });
        let ones = b.identity((0, 0), 2 * n);
        let ww = b.transposed((0, 0), &shape.hessian_qp);
        let wu = b.block((0, n), &shape.hessian_pp);
        let uw = b.block((n, 0), &shape.hessian_qq);
        let uw_curvature = b.block((n, 0), &shape.curvature);
        let uu = b.block((n, n), &shape.hessian_qp);
        let ul = b.transposed((n, 2 * n), &shape.jacobian);
        let lw = b.block((2 * n, 0), &shape.jacobian);
        let hidden = hidden.map(|shape| HiddenBlocks {
            ww: b.transposed((0, 0), &shape.qp),
            wu: b.block((0, n), &shape.pp),
            uw: b.block((n, 0), &shape.qq),
            uu: b.block((n, n), &shape.qp),
            wm: b.transposed((0, 2 * n + m), &shape.p),
            um: b.transposed((n, 2 * n + m), &shape.q),
            mw: b.block((2 * n + m, 0), &shape.q),
            mu: b.block((2 * n + m, n), &shape.p),
            shape: shape.clone(),
        });
        let blocks = b.build()?;
        let mut rows = vec![(Kind::Coordinate, n), (Kind::Momentum, n), (Kind::Constraint, m)];
        rows.extend(hidden.as_ref().map(|_| (Kind::HiddenConstraint, m)));
        let site = plan.newton(blocks.pattern.clone(), rows);
        let (shape, quadrature) = (shape.clone(), Quadrature::new(points));
        Ok(Arc::new(Scheme { shape, hidden, quadrature, site, blocks, ones, ww, wu, uw, uw_curvature, uu, ul, lw }))
    }

    /// Whether the hidden constraints are needed.
    pub(crate) fn keeps_hidden(&self) -> bool {
        self.hidden.is_some()
    }

    pub(crate) fn stepper<'s, S: Scalar + 's>(
        self: &Arc<Self>,
        system: Box<dyn Canonical<S> + 's>,
        hidden: Option<Box<dyn Hidden<S> + 's>>,
    ) -> Box<dyn Stepper<S> + 's> {
        let zero = |len: usize| vec![S::from_f64(0.0); len];
        let n = self.shape.coordinates;
        let shape = &self.shape;
        let lengths = [&shape.hessian_qq, &shape.hessian_qp, &shape.hessian_pp, &shape.curvature].map(|p| p.len());
        Box::new(AverageVectorField {
            scheme: self.clone(),
            system,
            hidden: hidden.zip(self.hidden.as_ref()).map(|(system, HiddenBlocks { shape, .. })| HiddenWork {
                system,
                jacobians: [&shape.q, &shape.p].map(|p| zero(p.len())),
                curvature: [&shape.qq, &shape.qp, &shape.pp].map(|p| zero(p.len())),
            }),
            unknowns: zero(self.blocks.pattern.rows()),
            q: zero(n),
            p: zero(n),
            rate: zero(n),
            force: zero(n),
            g: zero(shape.jacobian.len()),
            matrix: zero(lengths.into_iter().max().unwrap_or(0)),
        })
    }
}

struct AverageVectorField<'s, S> {
    scheme: Arc<Scheme>,
    system: Box<dyn Canonical<S> + 's>,
    hidden: Option<HiddenWork<'s, S>>,
    unknowns: Vec<S>,
    q: Vec<S>,
    p: Vec<S>,
    rate: Vec<S>,
    force: Vec<S>,
    g: Vec<S>,
    matrix: Vec<S>,
}

/// The hidden constraints and their derivatives: ψ_q and ψ_p; the qq, qp and pp parts of (μ·ψ)_zz.
struct HiddenWork<'s, S> {
    system: Box<dyn Hidden<S> + 's>,
    jacobians: [Vec<S>; 2],
    curvature: [Vec<S>; 3],
}

impl<S: Scalar> Stepper<S> for AverageVectorField<'_, S> {
    fn step(&mut self, machine: &mut dyn Machine<S>, h: S, from: &State<S>, to: &mut State<S>) -> Result<(), Failure> {
        let n = self.scheme.shape.coordinates;
        let mut unknowns = std::mem::take(&mut self.unknowns);
        let solved = self.predict(h, from, &mut unknowns).and_then(|()| {
            let site = self.scheme.site;
            machine.newton(site, &mut unknowns, &mut |x, r, jacobian| self.equations(h, from, x, r, jacobian))
        });
        for k in 0..2 * n {
            (to.values[k], to.carry[k]) = carried(from.values[k], from.carry[k], unknowns[k]);
        }
        self.unknowns = unknowns;
        solved
    }
}

impl<S: Scalar> AverageVectorField<'_, S> {
    /// A first guess: the rates at the start, without the constraints, as in [`rattle`](super::rattle).
    fn predict(&mut self, h: S, from: &State<S>, x: &mut [S]) -> Result<(), Failure> {
        let shape = &self.scheme.shape;
        let n = shape.coordinates;
        let (q, p) = from.values.split_at(n);
        self.system.hamiltonian_p(q, p, &mut self.rate)?;
        self.system.hamiltonian_q(q, p, &mut self.force)?;
        x[2 * n..].fill(S::from_f64(0.0));
        for k in 0..n {
            x[k] = h * self.rate[k];
            x[n + k] = -(h * self.force[k]);
        }
        Ok(())
    }

    fn equations(&mut self, h: S, from: &State<S>, x: &[S], r: &mut [S], jacobian: &mut [S]) -> Result<(), Failure> {
        let AverageVectorField { scheme, system, hidden, q, p, rate, force, g, matrix, .. } = self;
        let Scheme { shape, quadrature, blocks, .. } = &**scheme;
        let (n, m) = (shape.coordinates, shape.constraints);
        let (lambda, mu) = x[2 * n..].split_at(m);
        jacobian.fill(S::from_f64(0.0));
        blocks.add_identity(scheme.ones, S::from_f64(1.0), jacobian);
        r.copy_from_slice(x);
        for i in 0..quadrature.stages() {
            let (tau, weight) = (quadrature.c::<S>(i), h * quadrature.b::<S>(i));
            for k in 0..n {
                q[k] = carried(from.values[k], from.carry[k], tau * x[k]).0;
                p[k] = carried(from.values[n + k], from.carry[n + k], tau * x[n + k]).0;
            }
            system.hamiltonian_p(q, p, rate)?;
            system.hamiltonian_q(q, p, force)?;
            system.jacobian(q, g)?;
            for ((row, column), &g) in shape.jacobian.addresses().zip(g.iter()) {
                let force = &mut force[column as usize];
                *force = *force + g * lambda[row as usize];
            }
            let slope = weight * tau;
            if let (Some(hidden), Some(at)) = (&mut *hidden, &scheme.hidden) {
                hidden.add(at, (q, p, mu), (weight, slope), (rate, force), blocks, jacobian)?;
            }
            for k in 0..n {
                r[k] = r[k] - weight * rate[k];
                r[n + k] = r[n + k] + weight * force[k];
            }
            blocks.add(scheme.ul, weight, g, jacobian);
            let qp = &mut matrix[..shape.hessian_qp.len()];
            system.hessian_qp(q, p, qp)?;
            blocks.add(scheme.ww, -slope, qp, jacobian);
            blocks.add(scheme.uu, slope, qp, jacobian);
            let pp = &mut matrix[..shape.hessian_pp.len()];
            system.hessian_pp(q, p, pp)?;
            blocks.add(scheme.wu, -slope, pp, jacobian);
            let qq = &mut matrix[..shape.hessian_qq.len()];
            system.hessian_qq(q, p, qq)?;
            blocks.add(scheme.uw, slope, qq, jacobian);
            let curvature = &mut matrix[..shape.curvature.len()];
            system.curvature(q, lambda, curvature)?;
            blocks.add(scheme.uw_curvature, slope, curvature, jacobian);
        }
        for k in 0..n {
            q[k] = carried(from.values[k], from.carry[k], x[k]).0;
        }
        let (constraints, hidden_constraints) = r[2 * n..].split_at_mut(m);
        system.constraints(q, constraints)?;
        system.jacobian(q, g)?;
        blocks.add(scheme.lw, S::from_f64(1.0), g, jacobian);
        if let (Some(hidden), Some(at)) = (hidden, &scheme.hidden) {
            for k in 0..n {
                p[k] = carried(from.values[n + k], from.carry[n + k], x[n + k]).0;
            }
            system.hamiltonian_p(q, p, rate)?;
            times(&shape.jacobian, g, rate, hidden_constraints);
            hidden.differentiate(q, p)?;
            let [of_q, of_p] = &hidden.jacobians;
            blocks.add(at.mw, S::from_f64(1.0), of_q, jacobian);
            blocks.add(at.mu, S::from_f64(1.0), of_p, jacobian);
        }
        Ok(())
    }
}

impl<S: Scalar> HiddenWork<'_, S> {
    /// ψ_q and ψ_p.
    fn differentiate(&mut self, q: &[S], p: &[S]) -> Result<(), Failure> {
        let [of_q, of_p] = &mut self.jacobians;
        self.system.jacobians(q, p, [of_q, of_p])
    }

    /// Adds ψ_pᵀμ to the velocity and ψ_qᵀμ to the force at (q, p), and the derivatives of both, by weights
    /// for those with respect to μ and to z₁.
    fn add(
        &mut self,
        at: &HiddenBlocks,
        (q, p, mu): (&[S], &[S], &[S]),
        (weight, slope): (S, S),
        (rate, force): (&mut [S], &mut [S]),
        blocks: &Blocks,
        matrix: &mut [S],
    ) -> Result<(), Failure> {
        self.differentiate(q, p)?;
        let [of_q, of_p] = &self.jacobians;
        for (pattern, values, sum) in [(&at.shape.p, of_p, rate), (&at.shape.q, of_q, force)] {
            for ((row, column), &value) in pattern.addresses().zip(values) {
                let sum = &mut sum[column as usize];
                *sum = *sum + value * mu[row as usize];
            }
        }
        blocks.add(at.wm, -weight, of_p, matrix);
        blocks.add(at.um, weight, of_q, matrix);
        let [qq, qp, pp] = &mut self.curvature;
        self.system.curvature(q, p, mu, [qq, qp, pp])?;
        blocks.add(at.ww, -slope, qp, matrix);
        blocks.add(at.wu, -slope, pp, matrix);
        blocks.add(at.uw, slope, qq, matrix);
        blocks.add(at.uu, slope, qp, matrix);
        Ok(())
    }
}
