//! The first half of a step for a separable energy H = T(p) + V(q): a kick, and a drift onto the constraints.
//!
//! ```text
//! p½ = p − h/2 (H_q(q) + G(q)ᵀλ),   q₁ = q + h H_p(p½),   φ(q₁) = 0
//! ```
//!
//! All but the multipliers is explicit. Newton's method solves φ(q₁(λ)) = 0 with the matrix −h²/2 G(q₁) H_pp G(q)ᵀ. Where
//! H_pp does not depend on p, q₁ is affine in λ, and an update takes no more than φ and G:
//!
//! ```text
//! q₁ = q₁(0) − h²/2 H_pp G(q)ᵀλ
//! ```

use crate::sparse::{Gram, GramWork, Product, Times};
use crate::vector::{moved, scaled, scaled_sum, zeros};
use cotangent_dynamics::{Canonical, CanonicalShape, Failure, Kind, Machine, Plan, Site, State};
use cotangent_scalar::Scalar;
use cotangent_solve::PatternError;
use std::sync::Arc;

/// The first half of a step, planned.
#[derive(Clone, Debug)]
pub(crate) struct HalfStep {
    shape: CanonicalShape,
    gram: Arc<Gram>,
    /// φ(q₁) = 0, if there are constraints.
    site: Option<Site>,
    /// Where q₁ is affine in λ.
    affine: Option<AffineDrift>,
}

/// q₁ as an affine function of λ: which entries of which matrices multiply.
#[derive(Clone, Debug)]
struct AffineDrift {
    /// H_pp Gᵀ.
    drift: Product,
    /// That times λ.
    along: Times,
    /// G times that.
    matrix: Product,
}

impl AffineDrift {
    /// `None` where the multipliers have another matrix than G H_pp Gᵀ: a pattern that is not symmetric.
    fn new(shape: &CanonicalShape, gram: &Gram) -> Result<Option<AffineDrift>, PatternError> {
        let drift = Product::with_transposed(&shape.hessian_pp, &shape.jacobian)?;
        let matrix = Product::new(&shape.jacobian, &drift.pattern)?;
        let known = shape.quadratic && shape.constraints > 0 && matrix.pattern == *gram.pattern();
        Ok(known.then(|| AffineDrift { along: Times::new(&drift.pattern), drift, matrix }))
    }
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
    /// −h²/2 H_pp G(q)ᵀ and that times λ; q₁ − q and q₁ for λ = 0.
    drift: Vec<S>,
    shift: Vec<S>,
    free_dq: Vec<S>,
    free_q1: Vec<S>,
    /// The sizes of the terms of φ.
    terms: Vec<S>,
}

impl HalfStep {
    /// With the product G H_pp Gᵀ.
    pub(crate) fn new(shape: &CanonicalShape, gram: &Arc<Gram>, plan: &mut Plan) -> Result<HalfStep, PatternError> {
        let m = shape.constraints;
        let site = (m > 0).then(|| plan.newton(gram.pattern().clone(), vec![(Kind::Constraint, m)]));
        let affine = AffineDrift::new(shape, gram)?;
        Ok(HalfStep { shape: shape.clone(), gram: gram.clone(), site, affine })
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
            drift: zeros(self.affine.as_ref().map_or(0, |affine| affine.drift.pattern.len())),
            shift: zeros(n),
            free_dq: zeros(n),
            free_q1: zeros(n),
            terms: zeros(self.shape.constraints),
        }
    }

    /// Finds p½, q₁ and λ, of which `work.lambda` has a first guess.
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
        if let (Some(site), Some(affine)) = (self.site, &self.affine) {
            return self.solve_affine(machine, system, h, from, (site, affine), work);
        }
        let mut lambda = std::mem::take(&mut work.lambda);
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

    /// The same where q₁ is affine in λ.
    fn solve_affine<S: Scalar>(
        &self,
        machine: &mut dyn Machine<S>,
        system: &mut (dyn Canonical<S> + '_),
        h: S,
        from: &State<S>,
        (site, affine): (Site, &AffineDrift),
        work: &mut HalfStepWork<S>,
    ) -> Result<(), Failure> {
        let half = h * S::from_f64(0.5);
        let (q, p) = from.halves(self.shape.coordinates);
        // Without constraint forces.
        scaled(-half, &work.force, &mut work.dp);
        moved(p, &work.dp, &mut work.p);
        system.hamiltonian_p(q.0, &work.p, &mut work.velocity)?;
        scaled(h, &work.velocity, &mut work.free_dq);
        moved(q, &work.free_dq, &mut work.free_q1);
        system.hessian_pp(q.0, &work.p, &mut work.hpp)?;
        let HalfStepWork { lambda, q1, dq, g0, g1, hpp, drift, shift, free_dq, free_q1, terms, .. } = work;
        affine.drift.scaled(-(half * h), hpp, g0, drift);
        system.constraint_magnitudes(q.0, terms)?;
        let one = S::from_f64(1.0);
        machine.newton_of_terms(site, lambda, terms, &mut |lambda, r, jacobian| {
            affine.along.evaluate(drift, lambda, shift);
            scaled_sum(free_q1, one, shift, q1);
            system.constraints(q1, r)?;
            system.jacobian(q1, g1)?;
            affine.matrix.evaluate(g1, drift, jacobian);
            Ok(())
        })?;
        affine.along.evaluate(drift, lambda, shift);
        scaled_sum(free_dq, one, shift, dq);
        moved(q, dq, q1);
        self.gram.jacobian.plus_transposed(g0, lambda, &work.force, &mut work.kick);
        scaled(-half, &work.kick, &mut work.dp);
        moved(p, &work.dp, &mut work.p);
        Ok(())
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
