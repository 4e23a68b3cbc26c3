//! The first half of a step for a separable energy H = T(p) + V(q): a kick, and a drift onto the constraints.
//!
//! ```text
//! p½ = p − h/2 (H_q(q) + G(q)ᵀλ),   q₁ = q + h H_p(p½),   φ(q₁) = 0
//! ```
//!
//! All but the multipliers is explicit. Newton's method solves φ(q₁(λ)) = 0 with the matrix −h²/2 G(q₁) H_pp G(q)ᵀ.

use crate::sparse::{Gram, GramWork};
use crate::vector::{clear, moved, scaled, zeros};
use cotangent_dynamics::{Canonical, CanonicalShape, Failure, Kind, Machine, Plan, Site, State};
use cotangent_scalar::Scalar;
use std::sync::Arc;

/// The first half of a step, planned.
#[derive(Clone, Debug)]
pub(crate) struct HalfStep {
    shape: CanonicalShape,
    gram: Arc<Gram>,
    /// φ(q₁) = 0, if there are constraints.
    site: Option<Site>,
}

/// Where it leads, and what it needs besides.
pub(crate) struct HalfStepWork<S> {
    pub(crate) p: Vec<S>,
    pub(crate) q1: Vec<S>,
    /// p½ − p.
    pub(crate) dp: Vec<S>,
    /// q₁ − q.
    pub(crate) dq: Vec<S>,
    pub(crate) lambda: Vec<S>,
    /// H_q(q).
    force: Vec<S>,
    kick: Vec<S>,
    velocity: Vec<S>,
    g0: Vec<S>,
    g1: Vec<S>,
    hpp: Vec<S>,
    gram: GramWork<S>,
}

impl HalfStep {
    /// With the product G H_pp Gᵀ.
    pub(crate) fn new(shape: &CanonicalShape, gram: &Arc<Gram>, plan: &mut Plan) -> HalfStep {
        let m = shape.constraints;
        let site = (m > 0).then(|| plan.newton(gram.pattern().clone(), vec![(Kind::Constraint, m)]));
        HalfStep { shape: shape.clone(), gram: gram.clone(), site }
    }

    pub(crate) fn work<S: Scalar>(&self) -> HalfStepWork<S> {
        let n = self.shape.coordinates;
        HalfStepWork {
            p: zeros(n),
            q1: zeros(n),
            dp: zeros(n),
            dq: zeros(n),
            lambda: zeros(self.shape.constraints),
            force: zeros(n),
            kick: zeros(n),
            velocity: zeros(n),
            g0: zeros(self.shape.jacobian.len()),
            g1: zeros(self.shape.jacobian.len()),
            hpp: zeros(self.shape.hessian_pp.len()),
            gram: self.gram.work(),
        }
    }

    /// Finds p½, q₁ and λ.
    ///
    /// The free motion is the first guess. From the λ of the step before, Newton's method is an update shorter, but
    /// where steps are large it finds the other solution of φ(q₁) = 0, on the far side of the constraint; and that
    /// guess lies behind the solution in time, the rounded solution then with it, and a bias that is odd in time makes
    /// energy drift.
    pub(crate) fn solve<S: Scalar>(
        &self,
        machine: &mut dyn Machine<S>,
        system: &mut (dyn Canonical<S> + '_),
        h: S,
        from: &State<S>,
        work: &mut HalfStepWork<S>,
    ) -> Result<(), Failure> {
        let (q, p) = from.values.split_at(self.shape.coordinates);
        let half = h * S::from_f64(0.5);
        system.hamiltonian_q(q, p, &mut work.force)?;
        system.jacobian(q, &mut work.g0)?;
        let mut lambda = std::mem::take(&mut work.lambda);
        clear(&mut lambda);
        let solved = self.site.map_or(Ok(()), |site| {
            machine.newton(site, &mut lambda, &mut |lambda, r, jacobian| {
                work.drift(self, system, h, from, lambda)?;
                system.constraints(&work.q1, r)?;
                system.jacobian(&work.q1, &mut work.g1)?;
                system.hessian_pp(q, &work.p, &mut work.hpp)?;
                self.gram.evaluate(-(half * h), (&work.g1, &work.hpp, &work.g0), &mut work.gram, jacobian);
                Ok(())
            })
        });
        let moved = solved.and_then(|()| work.drift(self, system, h, from, &lambda));
        work.lambda = lambda;
        moved
    }
}

impl<S: Scalar> HalfStepWork<S> {
    /// p½ and q₁, given λ.
    fn drift(
        &mut self,
        HalfStep { shape, gram, .. }: &HalfStep,
        system: &mut (dyn Canonical<S> + '_),
        h: S,
        from: &State<S>,
        lambda: &[S],
    ) -> Result<(), Failure> {
        let (q, p) = from.values.split_at(shape.coordinates);
        let (q_carry, p_carry) = from.carry.split_at(shape.coordinates);
        gram.jacobian.plus_transposed(&self.g0, lambda, &self.force, &mut self.kick);
        scaled(-(h * S::from_f64(0.5)), &self.kick, &mut self.dp);
        moved((p, p_carry), &self.dp, &mut self.p);
        system.hamiltonian_p(q, &self.p, &mut self.velocity)?;
        scaled(h, &self.velocity, &mut self.dq);
        moved((q, q_carry), &self.dq, &mut self.q1);
        Ok(())
    }
}
