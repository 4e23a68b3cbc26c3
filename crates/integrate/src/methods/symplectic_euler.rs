//! The symplectic Euler method: order 1, symplectic; explicit for separable energies.
//!
//! ```text
//! p₁ = p − h H_q(q, p₁),   q₁ = q + h H_p(q, p₁)
//! ```
//!
//! For an energy that is not separable Newton's method solves for p₁ − p with the matrix
//! I + h H_qp(q, p₁).
//!
//! R. de Vogelaere (1956); Hairer, Lubich & Wanner, Geometric Numerical Integration, I.1.2.

use crate::blocks::{Block, BlockBuilder, Blocks};
use crate::card::{Card, Keeps, Needs};
use cotangent_dynamics::{Canonical, CanonicalShape, Failure, Kind, Machine, Plan, Site, State, Stepper, carried};
use cotangent_scalar::Scalar;
use cotangent_solve::PatternError;
use std::sync::Arc;

pub(crate) const CARD: Card = Card {
    name: "symplectic-euler",
    summary: "first order, symplectic; the simplest method that keeps the structure",
    order: 1,
    symplectic: true,
    symmetric: false,
    constraints: Keeps::No,
    hidden_constraints: Keeps::No,
    quadratic_invariants: false,
    energy: false,
    needs: Needs::Unconstrained,
    explicit: "for separable energies H = T(p) + V(q)",
    scheme: &["p₁ = p − h H_q(q, p₁)", "q₁ = q + h H_p(q, p₁)"],
    solution: "For an energy that is not separable Newton's method solves the first line for p₁.",
    reference: "R. de Vogelaere (1956); Hairer, Lubich & Wanner, Geometric Numerical Integration, I.1.2",
};

/// What is known before the arithmetic is.
#[derive(Clone, Debug)]
pub(crate) struct Scheme {
    shape: CanonicalShape,
    /// The equation for p₁, where it is one.
    implicit: Option<(Site, Blocks, [Block; 2])>,
}

impl Scheme {
    pub(crate) fn new(shape: &CanonicalShape, plan: &mut Plan) -> Result<Arc<Scheme>, PatternError> {
        let n = shape.coordinates;
        let implicit = match shape.separable {
            true => None,
            false => {
                let mut b = BlockBuilder::new(n);
                let at = [b.identity((0, 0), n), b.block((0, 0), &shape.hessian_qp)];
                let blocks = b.build()?;
                Some((plan.newton(blocks.pattern.clone(), vec![(Kind::Momentum, n)]), blocks, at))
            }
        };
        Ok(Arc::new(Scheme { shape: shape.clone(), implicit }))
    }

    pub(crate) fn stepper<'s, S: Scalar + 's>(
        self: &Arc<Self>,
        system: Box<dyn Canonical<S> + 's>,
    ) -> Box<dyn Stepper<S> + 's> {
        let zero = |len: usize| vec![S::from_f64(0.0); len];
        let n = self.shape.coordinates;
        let hqp = zero(self.shape.hessian_qp.len());
        Box::new(SymplecticEuler { scheme: self.clone(), system, dp: zero(n), p1: zero(n), rate: zero(n), hqp })
    }
}

struct SymplecticEuler<'s, S> {
    scheme: Arc<Scheme>,
    system: Box<dyn Canonical<S> + 's>,
    /// p₁ − p.
    dp: Vec<S>,
    p1: Vec<S>,
    rate: Vec<S>,
    hqp: Vec<S>,
}

impl<S: Scalar> Stepper<S> for SymplecticEuler<'_, S> {
    fn step(&mut self, machine: &mut dyn Machine<S>, h: S, from: &State<S>, to: &mut State<S>) -> Result<(), Failure> {
        let SymplecticEuler { scheme, system, dp, p1, rate, hqp } = self;
        let n = scheme.shape.coordinates;
        let (q, p) = from.values.split_at(n);
        let (eq, ep) = from.carry.split_at(n);
        system.hamiltonian_q(q, p, rate)?;
        (0..n).for_each(|j| dp[j] = -(h * rate[j]));
        if let Some((site, blocks, [ones, qp])) = &scheme.implicit {
            machine.newton(*site, dp, &mut |dp, r, jacobian| {
                (0..n).for_each(|j| p1[j] = carried(p[j], ep[j], dp[j]).0);
                system.hamiltonian_q(q, p1, rate)?;
                (0..n).for_each(|j| r[j] = dp[j] + h * rate[j]);
                jacobian.fill(S::from_f64(0.0));
                blocks.add_identity(*ones, S::from_f64(1.0), jacobian);
                system.hessian_qp(q, p1, hqp)?;
                blocks.add(*qp, h, hqp, jacobian);
                Ok(())
            })?;
        }
        for j in 0..n {
            (to.values[n + j], to.carry[n + j]) = carried(p[j], ep[j], dp[j]);
        }
        system.hamiltonian_p(q, &to.values[n..], rate)?;
        for j in 0..n {
            (to.values[j], to.carry[j]) = carried(q[j], eq[j], h * rate[j]);
        }
        to.memory.copy_from_slice(&from.memory);
        Ok(())
    }
}
