//! The symplectic Euler method: order 1, symplectic; explicit for separable energies.
//!
//! ```text
//! p₁ = p − h H_q(q, p₁),   q₁ = q + h H_p(q, p₁)
//! ```
//!
//! For an energy that is not separable Newton's method solves for p₁ − p with the matrix
//! I + h H_qp(q, p₁).
//!
//! The Hamilton–Pontryagin method makes the same half steps in the other order,
//!
//! ```text
//! q₁ = q + h H_p(q, p),   p₁ = p − h H_q(q₁, p₁)
//! ```
//!
//! With p₋ = p + h H_q(q, p), the momentum before, (q, p₋) ↦ (q₁, p) is a step of the symplectic Euler method: it preserves
//! dq∧dp₋. For K = Γ(q)(½ pᵀM⁻¹p + V(q) + p_t) these are the discrete Euler–Lagrange equations of
//! Σ h [L(q_k, v_k) N_k + p_k·((q_{k+1} − q_k)/h − v_k N_k) − E(…)] with the lapse N_k = Γ(q_k): with a = p − hΓ∇V, b = ∇Γ at q₁
//! and λ = H(q₁, p₁) + p_t, p₁ = a − hλb, and λ is that root of ½h²⟨b, b⟩λ² − (1 + h⟨a, b⟩)λ + ½⟨a, a⟩ + V + p_t = 0, ⟨·, ·⟩ being
//! the product of M⁻¹, that tends to zero with h: the one that Newton's method finds from λ = 0.
//!
//! T. M. Tyranowski, Hamilton–Pontryagin variational integrators (2009), (39)–(42), the last with the factor h that is missing
//! there.
//!
//! R. de Vogelaere (1956); Hairer, Lubich & Wanner, Geometric Numerical Integration, I.1.2.

use crate::blocks::{Block, BlockBuilder, Blocks};
use crate::card::{Card, Keeps, KeepsBracket, Needs};
use crate::vector::{advanced, clear, moved, scale, scaled, scaled_sum, zeros};
use cotangent_dynamics::{Canonical, CanonicalShape, Failure, Kind, Machine, Plan, Site, State, Stepper};
use cotangent_scalar::Scalar;
use cotangent_solve::PatternError;
use std::sync::Arc;

pub(crate) const CARD: Card = Card {
    name: "symplectic-euler",
    summary: "first order, symplectic; the simplest method that keeps the structure",
    order: 1,
    symplectic: true,
    bracket: KeepsBracket::No,
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

pub(crate) const HAMILTON_PONTRYAGIN: Card = Card {
    name: "hamilton-pontryagin",
    summary: "first order, symplectic in positions and the momenta before; variational, with the steps of a lapse",
    scheme: &["q₁ = q + h H_p(q, p)", "p₁ = p − h H_q(q₁, p₁)"],
    solution: "For an energy that is not separable Newton's method solves the second line for p₁. With a lapse H is Γ(H + p_t): the \
        steps of t are hΓ(q). What is preserved is dq∧dp₋ with the momentum before, p₋ = p + h H_q(q, p). \
        `hamilton-pontryagin-2`, symmetric and of second order, is `rattle` with a lapse.",
    reference: "T. M. Tyranowski, Hamilton–Pontryagin variational integrators (2009)",
    ..CARD
};

/// Which half of a step is the first.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum First {
    /// That of the momenta: the symplectic Euler method.
    Momenta,
    /// That of the positions: the Hamilton–Pontryagin method.
    Positions,
}

/// The method, planned.
#[derive(Clone, Debug)]
pub(crate) struct SymplecticEuler {
    first: First,
    shape: CanonicalShape,
    /// The equation for p₁, where it is one.
    implicit: Option<(Site, Blocks, [Block; 2])>,
}

impl SymplecticEuler {
    pub(crate) fn new(
        shape: &CanonicalShape,
        first: First,
        plan: &mut Plan,
    ) -> Result<Arc<SymplecticEuler>, PatternError> {
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
        Ok(Arc::new(SymplecticEuler { first, shape: shape.clone(), implicit }))
    }

    pub(crate) fn stepper<'s, S: Scalar + 's>(
        self: &Arc<Self>,
        system: Box<dyn Canonical<S> + 's>,
    ) -> Box<dyn Stepper<S> + 's> {
        let n = self.shape.coordinates;
        let hqp = zeros(self.shape.hessian_qp.len());
        Box::new(SymplecticEulerStepper {
            method: self.clone(),
            system,
            dp: zeros(n),
            p1: zeros(n),
            rate: zeros(n),
            hqp,
        })
    }
}

struct SymplecticEulerStepper<'s, S> {
    method: Arc<SymplecticEuler>,
    system: Box<dyn Canonical<S> + 's>,
    /// p₁ − p.
    dp: Vec<S>,
    p1: Vec<S>,
    rate: Vec<S>,
    hqp: Vec<S>,
}

impl<S: Scalar> Stepper<S> for SymplecticEulerStepper<'_, S> {
    fn step(&mut self, machine: &mut dyn Machine<S>, h: S, from: &State<S>, to: &mut State<S>) -> Result<(), Failure> {
        let SymplecticEulerStepper { method, system, dp, p1, rate, hqp } = self;
        let (q, p) = from.halves(method.shape.coordinates);
        let (to_q, to_p) = to.halves_mut(method.shape.coordinates);
        if method.first == First::Positions {
            system.hamiltonian_p(q.0, p.0, rate)?;
            scale(h, rate);
            advanced(q, rate, (&mut *to_q.0, &mut *to_q.1));
        }
        // Where the force is evaluated.
        let at: &[S] = if method.first == First::Positions { to_q.0 } else { q.0 };
        system.hamiltonian_q(at, p.0, rate)?;
        scaled(-h, rate, dp);
        if let Some((site, blocks, [ones, qp])) = &method.implicit {
            machine.newton(*site, dp, &mut |dp, r, jacobian| {
                moved(p, dp, p1);
                system.hamiltonian_q(at, p1, rate)?;
                scaled_sum(dp, h, rate, r);
                clear(jacobian);
                blocks.add_identity(*ones, S::from_f64(1.0), jacobian);
                system.hessian_qp(at, p1, hqp)?;
                blocks.add(*qp, h, hqp, jacobian);
                Ok(())
            })?;
        }
        advanced(p, dp, (&mut *to_p.0, to_p.1));
        if method.first == First::Momenta {
            system.hamiltonian_p(q.0, to_p.0, rate)?;
            scale(h, rate);
            advanced(q, rate, to_q);
        }
        to.memory.copy_from_slice(&from.memory);
        Ok(())
    }
}
