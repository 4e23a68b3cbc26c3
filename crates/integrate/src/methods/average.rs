//! The average vector field method with constraints: keeps the energy, whatever it is;
//! symmetric, order 2, constraints at round-off.
//!
//! ```text
//! q₁ = q + h ∫ H_p(z(τ)) dτ,   z(τ) = z + τ (z₁ − z),   0 ≤ τ ≤ 1
//! p₁ = p − h ∫ (H_q(z(τ)) + G(q(τ))ᵀλ) dτ,   φ(q₁) = 0
//! ```
//!
//! H(z₁) − H(z) = ∫ (H_q·Δq + H_p·Δp) dτ = −λ·∫ G Δq dτ = −λ·(φ(q₁) − φ(q)) = 0: the averages are
//! discrete gradients of H and φ. With quadrature of s Gauss points this holds to round-off for
//! polynomials of degree 2s, for other energies up to O(h²ˢ⁺¹) in a step.
//!
//! The average of the velocity, not the velocity, is tangent to the constraints: G(q₁) q̇₁ is O(h²)
//! with a sign that alternates. Newton's method solves for q₁ − q, p₁ − p and λ together.
//!
//! O. Gonzalez, Comput. Methods Appl. Mech. Engrg. 174 (1999) 165 (discrete gradients with
//! constraints); R. I. McLachlan, G. R. W. Quispel & N. Robidoux, Phil. Trans. R. Soc. A 357 (1999)
//! 1021; G. R. W. Quispel & D. I. McLaren, J. Phys. A 41 (2008) 045206.

use crate::blocks::{Block, BlockBuilder, Blocks};
use crate::card::{Card, Keeps, Needs};
use crate::coefficients::Gauss as Quadrature;
use cotangent_dynamics::{Canonical, CanonicalShape, Failure, Kind, Machine, Plan, Site, State, Stepper, carried};
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
        hidden_constraints: Keeps::No,
        quadratic_invariants: false,
        energy: stages >= ENOUGH,
        needs: Needs::Canonical,
        explicit: "never",
        scheme: &[
            "q₁ = q + h ∫ H_p(z(τ)) dτ,   z(τ) = z + τ (z₁ − z),   0 ≤ τ ≤ 1",
            "p₁ = p − h ∫ (H_q(z(τ)) + G(q(τ))ᵀλ) dτ,   φ(q₁) = 0",
        ],
        solution: "The integrals by Gauss quadrature of s points (`--stages S`, 6 unless said otherwise): exact for polynomials of degree 2s, otherwise up to O(h²ˢ⁺¹). Newton's method for q₁ − q, p₁ − p and λ together. The velocity is tangent to the constraints on the average only: G(q₁) q̇₁ is O(h²) and changes its sign from step to step.",
        reference: "O. Gonzalez, Comput. Methods Appl. Mech. Engrg. 174 (1999) 165; G. R. W. Quispel & D. I. McLaren, J. Phys. A 41 (2008) 045206",
    }
}

/// What is known before the arithmetic is.
#[derive(Clone, Debug)]
pub(crate) struct Scheme {
    shape: CanonicalShape,
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

impl Scheme {
    pub(crate) fn new(shape: &CanonicalShape, points: usize, plan: &mut Plan) -> Result<Arc<Scheme>, PatternError> {
        let (n, m) = (shape.coordinates, shape.constraints);
        // Unknowns: w = q₁ − q, u = p₁ − p, λ.
        let mut b = BlockBuilder::new(2 * n + m);
        let ones = b.identity((0, 0), 2 * n);
        let ww = b.transposed((0, 0), &shape.hessian_qp);
        let wu = b.block((0, n), &shape.hessian_pp);
        let uw = b.block((n, 0), &shape.hessian_qq);
        let uw_curvature = b.block((n, 0), &shape.curvature);
        let uu = b.block((n, n), &shape.hessian_qp);
        let ul = b.transposed((n, 2 * n), &shape.jacobian);
        let lw = b.block((2 * n, 0), &shape.jacobian);
        let blocks = b.build()?;
        let rows = vec![(Kind::Coordinate, n), (Kind::Momentum, n), (Kind::Constraint, m)];
        let site = plan.newton(blocks.pattern.clone(), rows);
        let (shape, quadrature) = (shape.clone(), Quadrature::new(points));
        Ok(Arc::new(Scheme { shape, quadrature, site, blocks, ones, ww, wu, uw, uw_curvature, uu, ul, lw }))
    }

    pub(crate) fn stepper<'s, S: Scalar + 's>(
        self: &Arc<Self>,
        system: Box<dyn Canonical<S> + 's>,
    ) -> Box<dyn Stepper<S> + 's> {
        let zero = |len: usize| vec![S::from_f64(0.0); len];
        let (n, m) = (self.shape.coordinates, self.shape.constraints);
        let shape = &self.shape;
        let lengths = [&shape.hessian_qq, &shape.hessian_qp, &shape.hessian_pp, &shape.curvature].map(|p| p.len());
        Box::new(AverageVectorField {
            scheme: self.clone(),
            system,
            unknowns: zero(2 * n + m),
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
    unknowns: Vec<S>,
    q: Vec<S>,
    p: Vec<S>,
    rate: Vec<S>,
    force: Vec<S>,
    g: Vec<S>,
    matrix: Vec<S>,
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
        let AverageVectorField { scheme, system, q, p, rate, force, g, matrix, .. } = self;
        let Scheme { shape, quadrature, blocks, .. } = &**scheme;
        let n = shape.coordinates;
        let lambda = &x[2 * n..];
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
            for k in 0..n {
                r[k] = r[k] - weight * rate[k];
                r[n + k] = r[n + k] + weight * force[k];
            }
            blocks.add(scheme.ul, weight, g, jacobian);
            let slope = weight * tau;
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
        system.constraints(q, &mut r[2 * n..])?;
        system.jacobian(q, g)?;
        blocks.add(scheme.lw, S::from_f64(1.0), g, jacobian);
        Ok(())
    }
}
