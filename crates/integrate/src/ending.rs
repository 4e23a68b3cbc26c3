//! The end of a step on the hidden constraints: a last kick along the constraint forces.
//!
//! ```text
//! p₁ = p + δ − w (F + G(q₁)ᵀμ),   G(q₁) H_p(q₁, p₁) = 0
//! ```
//!
//! Newton's method solves for μ with the matrix −w G H_pp Gᵀ, once where H_pp does not depend on p.

use crate::sparse::{Gram, GramWork};
use crate::vector::{clear, moved, scaled_difference, zeros};
use cotangent_dynamics::{Canonical, CanonicalShape, Failure, Kind, Machine, Plan, Site};
use cotangent_scalar::Scalar;
use std::sync::Arc;

/// The end of a step, planned.
#[derive(Clone, Debug)]
pub(crate) struct Ending {
    pub(crate) shape: CanonicalShape,
    /// G H_pp Gᵀ.
    pub(crate) gram: Arc<Gram>,
    /// `None` where there are no constraints, or the multipliers are known.
    site: Option<Site>,
}

/// What it needs besides.
pub(crate) struct EndingWork<S> {
    /// F.
    pub(crate) force: Vec<S>,
    /// δ before, p₁ − p after.
    pub(crate) increment: Vec<S>,
    /// G(q₁).
    g: Vec<S>,
    hpp: Vec<S>,
    gram: GramWork<S>,
    /// μ.
    pub(crate) mu: Vec<S>,
    kick: Vec<S>,
    sum: Vec<S>,
    p1: Vec<S>,
    velocity: Vec<S>,
}

impl Ending {
    /// With the equations for μ, which are added to the plan of a step; without them if they are known.
    pub(crate) fn new(shape: &CanonicalShape, gram: &Arc<Gram>, plan: Option<&mut Plan>) -> Ending {
        let m = shape.constraints;
        let rows = vec![(Kind::HiddenConstraint, m)];
        let site = plan.filter(|_| m > 0).map(|plan| match shape.quadratic {
            true => plan.affine(gram.pattern().clone(), rows),
            false => plan.newton(gram.pattern().clone(), rows),
        });
        Ending { shape: shape.clone(), gram: gram.clone(), site }
    }

    pub(crate) fn work<S: Scalar>(&self) -> EndingWork<S> {
        let n = self.shape.coordinates;
        EndingWork {
            force: zeros(n),
            increment: zeros(n),
            g: zeros(self.shape.jacobian.len()),
            hpp: zeros(self.shape.hessian_pp.len()),
            gram: self.gram.work(),
            mu: zeros(self.shape.constraints),
            kick: zeros(n),
            sum: zeros(n),
            p1: zeros(n),
            velocity: zeros(n),
        }
    }

    /// Finds the increment at q₁ from momenta with their carry; with these multipliers, if they are known.
    pub(crate) fn solve<S: Scalar>(
        &self,
        machine: &mut dyn Machine<S>,
        system: &mut (dyn Canonical<S> + '_),
        weight: S,
        (q1, p): (&[S], (&[S], &[S])),
        known: Option<&[S]>,
        work: &mut EndingWork<S>,
    ) -> Result<(), Failure> {
        let EndingWork { force, increment, g, hpp, gram, mu, kick, sum, p1, velocity } = work;
        if self.shape.constraints > 0 {
            system.jacobian(q1, g)?;
        }
        match known {
            Some(known) => mu.copy_from_slice(known),
            None => clear(mu),
        }
        if let Some(site) = self.site {
            machine.newton(site, mu, &mut |mu, r, jacobian| {
                self.gram.jacobian.plus_transposed(g, mu, force, kick);
                scaled_difference(increment, weight, kick, sum);
                moved(p, sum, p1);
                system.hamiltonian_p(q1, p1, velocity)?;
                self.gram.jacobian.evaluate(g, velocity, r);
                system.hessian_pp(q1, p1, hpp)?;
                self.gram.evaluate(-weight, (g, hpp, g), gram, jacobian);
                Ok(())
            })?;
        }
        self.gram.jacobian.plus_transposed(g, mu, force, kick);
        scaled_difference(increment, weight, kick, sum);
        increment.copy_from_slice(sum);
        Ok(())
    }
}
