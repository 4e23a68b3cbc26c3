//! RATTLE: Störmer–Verlet with constraints; symmetric, symplectic on the constraint manifold, order 2.
//!
//! With G = ∂φ/∂q and a step h,
//!
//! ```text
//! p½ = p  − h/2 (H_q(q,  p½) + G(q)ᵀλ)
//! q₁ = q  + h/2 (H_p(q,  p½) + H_p(q₁, p½)),   φ(q₁) = 0
//! p₁ = p½ − h/2 (H_q(q₁, p½) + G(q₁)ᵀμ),       G(q₁) H_p(q₁, p₁) = 0
//! ```
//!
//! For a separable energy H = T(p) + V(q) everything but the multipliers is explicit, and Newton's
//! method solves φ(q₁(λ)) = 0 with the matrix −h²/2 G(q₁) T_pp G(q)ᵀ. Otherwise its unknowns are the
//! increments p½ − p and q₁ − q and λ. The second system, for μ, has the matrix −h/2 G H_pp Gᵀ.
//!
//! Without constraints this is the Störmer–Verlet method. SHAKE leaves out the second system and
//! takes λ for μ: the positions are the same, since a change of p₁ along G(q₁)ᵀ is undone by the
//! next λ, but G H_p = 0 does not hold. (With λ twice, the step is still symmetric and preserves
//! dq∧dp on φ = 0.)
//!
//! H. C. Andersen, J. Comput. Phys. 52 (1983) 24; the form for general H: L. Jay, SIAM J. Numer.
//! Anal. 33 (1996) 368; Hairer, Lubich & Wanner, Geometric Numerical Integration, VII.1.4.

use crate::blocks::{Block, BlockBuilder, Blocks};
use crate::card::{Card, Keeps, Needs};
use crate::sparse::{Gram, GramWork, plus_transposed_times, times};
use cotangent_dynamics::{Canonical, CanonicalShape, Failure, Kind, Machine, Plan, Site, State, Stepper, carried};
use cotangent_scalar::Scalar;
use cotangent_solve::PatternError;
use std::sync::Arc;

pub(crate) const STORMER_VERLET: Card = Card {
    name: "stormer-verlet",
    summary: "second order, symplectic, symmetric; the leapfrog method",
    order: 2,
    symplectic: true,
    symmetric: true,
    constraints: Keeps::No,
    hidden_constraints: Keeps::No,
    quadratic_invariants: false,
    energy: false,
    needs: Needs::Unconstrained,
    explicit: "for separable energies H = T(p) + V(q)",
    scheme: &["p½ = p − h/2 H_q(q, p½)", "q₁ = q + h/2 (H_p(q, p½) + H_p(q₁, p½))", "p₁ = p½ − h/2 H_q(q₁, p½)"],
    solution: "For an energy that is not separable Newton's method solves the first two lines for p½ − p and q₁ − q.",
    reference: "C. Størmer (1907), L. Verlet, Phys. Rev. 159 (1967) 98; Hairer, Lubich & Wanner, Acta Numerica 12 (2003) 399",
};

pub(crate) const SHAKE: Card = Card {
    name: "shake",
    summary: "RATTLE's positions without its momentum projection",
    order: 2,
    symplectic: true,
    symmetric: true,
    constraints: Keeps::Yes,
    hidden_constraints: Keeps::No,
    quadratic_invariants: false,
    energy: false,
    needs: Needs::Canonical,
    explicit: "for separable energies, but for the multipliers",
    scheme: &[
        "p½ = p − h/2 (H_q(q, p½) + G(q)ᵀλ)",
        "q₁ = q + h/2 (H_p(q, p½) + H_p(q₁, p½)),   φ(q₁) = 0",
        "p₁ = p½ − h/2 (H_q(q₁, p½) + G(q₁)ᵀλ)",
    ],
    solution: "Newton's method for λ as in `rattle`. The momentum leaves the constraint G H_p = 0 by O(h²); what it is off by is undone by the next λ, so that the positions are those of `rattle`.",
    reference: "J.-P. Ryckaert, G. Ciccotti & H. J. C. Berendsen, J. Comput. Phys. 23 (1977) 327; B. Leimkuhler & R. D. Skeel, J. Comput. Phys. 112 (1994) 117",
};

pub(crate) const RATTLE: Card = Card {
    name: "rattle",
    summary: "second order, symplectic, symmetric, with constraints at round-off; the method to start with",
    order: 2,
    symplectic: true,
    symmetric: true,
    constraints: Keeps::Yes,
    hidden_constraints: Keeps::Yes,
    quadratic_invariants: false,
    energy: false,
    needs: Needs::Canonical,
    explicit: "for separable energies, but for the multipliers",
    scheme: &[
        "p½ = p − h/2 (H_q(q, p½) + G(q)ᵀλ)",
        "q₁ = q + h/2 (H_p(q, p½) + H_p(q₁, p½)),   φ(q₁) = 0",
        "p₁ = p½ − h/2 (H_q(q₁, p½) + G(q₁)ᵀμ),      G(q₁) H_p(q₁, p₁) = 0",
    ],
    solution: "For a separable energy Newton's method solves for λ with the matrix −h²/2 G(q₁) H_pp G(q)ᵀ, otherwise for p½ − p, q₁ − q and λ together; then for μ with −h/2 G H_pp Gᵀ.",
    reference: "H. C. Andersen, J. Comput. Phys. 52 (1983) 24; general H: L. Jay, SIAM J. Numer. Anal. 33 (1996) 368",
};

/// How the constrained steps of this family end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Ending {
    /// G H_p = 0 holds: RATTLE.
    Hidden,
    /// The multiplier of the first half is used again: SHAKE.
    Reused,
}

/// What is known before the arithmetic is.
#[derive(Clone, Debug)]
pub(crate) struct Scheme {
    shape: CanonicalShape,
    gram: Gram,
    /// φ(q₁) = 0; the stage equations where the energy is not separable; none where all is explicit.
    first: First,
    /// G H_p = 0.
    second: Option<Site>,
}

#[derive(Clone, Debug)]
enum First {
    Explicit,
    Multipliers(Site),
    Stage { site: Site, blocks: Blocks, at: [Block; 6] },
}

impl Scheme {
    pub(crate) fn new(shape: &CanonicalShape, ending: Ending, plan: &mut Plan) -> Result<Arc<Scheme>, PatternError> {
        let (n, m) = (shape.coordinates, shape.constraints);
        let gram = Gram::new(&shape.jacobian, &shape.hessian_pp)?;
        let first = match (shape.separable, m) {
            (true, 0) => First::Explicit,
            (true, _) => First::Multipliers(plan.newton(gram.pattern().clone(), vec![(Kind::Constraint, m)])),
            (false, _) => {
                // Unknowns (u, w, λ) = (p½ − p, q₁ − q, λ).
                let mut b = BlockBuilder::new(2 * n + m);
                let at = [
                    b.identity((0, 0), 2 * n),
                    b.block((0, 0), &shape.hessian_qp),
                    b.transposed((0, 2 * n), &shape.jacobian),
                    b.block((n, 0), &shape.hessian_pp),
                    b.transposed((n, n), &shape.hessian_qp),
                    b.block((2 * n, n), &shape.jacobian),
                ];
                let blocks = b.build()?;
                let rows = vec![(Kind::Momentum, n), (Kind::Coordinate, n), (Kind::Constraint, m)];
                First::Stage { site: plan.newton(blocks.pattern.clone(), rows), blocks, at }
            }
        };
        let second = (m > 0 && ending == Ending::Hidden)
            .then(|| plan.newton(gram.pattern().clone(), vec![(Kind::HiddenConstraint, m)]));
        Ok(Arc::new(Scheme { shape: shape.clone(), gram, first, second }))
    }

    pub(crate) fn stepper<'s, S: Scalar + 's>(
        self: &Arc<Self>,
        system: Box<dyn Canonical<S> + 's>,
    ) -> Box<dyn Stepper<S> + 's> {
        let zero = |len: usize| vec![S::from_f64(0.0); len];
        let (n, m) = (self.shape.coordinates, self.shape.constraints);
        let stages = Stages {
            force: zero(n),
            kick: zero(n),
            p: zero(n),
            q1: zero(n),
            velocity: [zero(n), zero(n)],
            dp: zero(n),
            dq: zero(n),
            g0: zero(self.shape.jacobian.len()),
            g1: zero(self.shape.jacobian.len()),
            hqp: zero(self.shape.hessian_qp.len()),
            hpp: zero(self.shape.hessian_pp.len()),
            gram: self.gram.work(),
        };
        let first = if self.shape.separable { zero(m) } else { zero(2 * n + m) };
        Box::new(Rattle { scheme: self.clone(), system, stages, first, mu: zero(m) })
    }
}

struct Rattle<'s, S> {
    scheme: Arc<Scheme>,
    system: Box<dyn Canonical<S> + 's>,
    stages: Stages<S>,
    /// The unknowns of the first system, λ last.
    first: Vec<S>,
    mu: Vec<S>,
}

struct Stages<S> {
    /// H_q.
    force: Vec<S>,
    /// H_q + Gᵀλ.
    kick: Vec<S>,
    /// p½, then p₁.
    p: Vec<S>,
    q1: Vec<S>,
    /// H_p at q and at q₁.
    velocity: [Vec<S>; 2],
    /// p½ − p.
    dp: Vec<S>,
    /// q₁ − q.
    dq: Vec<S>,
    g0: Vec<S>,
    g1: Vec<S>,
    hqp: Vec<S>,
    hpp: Vec<S>,
    gram: GramWork<S>,
}

impl<S: Scalar> Stepper<S> for Rattle<'_, S> {
    fn step(&mut self, machine: &mut dyn Machine<S>, h: S, from: &State<S>, to: &mut State<S>) -> Result<(), Failure> {
        let Rattle { scheme, system, stages: s, first, mu } = self;
        let (shape, system) = (&scheme.shape, system.as_mut());
        let (n, m) = (shape.coordinates, shape.constraints);
        let (q, p) = from.values.split_at(n);
        let half = h * S::from_f64(0.5);
        let lambda = first.len() - m;

        system.hamiltonian_q(q, p, &mut s.force)?;
        system.jacobian(q, &mut s.g0)?;
        // The free motion is the first guess. From the λ of the step before, Newton's method is an update
        // shorter, but where steps are large it finds the other solution of φ(q₁) = 0, on the far side of
        // the constraint; and that guess lies behind the solution in time, the rounded solution then with
        // it, and a bias that is odd in time makes energy drift.
        first[lambda..].fill(S::from_f64(0.0));
        match &scheme.first {
            First::Explicit => s.drift(shape, system, h, from, &[])?,
            First::Multipliers(site) => {
                machine.newton(*site, first, &mut |lambda, r, jacobian| {
                    s.drift(shape, system, h, from, lambda)?;
                    system.constraints(&s.q1, r)?;
                    system.jacobian(&s.q1, &mut s.g1)?;
                    system.hessian_pp(q, &s.p, &mut s.hpp)?;
                    scheme.gram.evaluate(-(half * h), (&s.g1, &s.hpp, &s.g0), &mut s.gram, jacobian);
                    Ok(())
                })?;
                s.drift(shape, system, h, from, first)?;
            }
            First::Stage { site, blocks, at } => {
                s.predict(shape, system, h, from, first)?;
                machine.newton(*site, first, &mut |x, r, jacobian| {
                    s.residual(shape, system, h, from, x, r)?;
                    s.fill(blocks, at, system, half, q, jacobian)
                })?;
                s.place(first, from);
            }
        }

        system.hamiltonian_q(&s.q1, &s.p, &mut s.force)?;
        if m > 0 {
            system.jacobian(&s.q1, &mut s.g1)?;
        }
        match scheme.second {
            Some(site) => {
                mu.fill(S::from_f64(0.0));
                machine.newton(site, mu, &mut |mu, r, jacobian| {
                    s.kick(shape, half, from, mu);
                    system.hamiltonian_p(&s.q1, &s.p, &mut s.velocity[1])?;
                    times(&shape.jacobian, &s.g1, &s.velocity[1], r);
                    system.hessian_pp(&s.q1, &s.p, &mut s.hpp)?;
                    scheme.gram.evaluate(-half, (&s.g1, &s.hpp, &s.g1), &mut s.gram, jacobian);
                    Ok(())
                })?;
            }
            None => mu.copy_from_slice(&first[lambda..]),
        }
        s.kick(shape, half, from, mu);
        for j in 0..n {
            let dp = s.dp[j] - half * s.kick[j];
            (to.values[j], to.carry[j]) = carried(from.values[j], from.carry[j], s.dq[j]);
            (to.values[n + j], to.carry[n + j]) = carried(from.values[n + j], from.carry[n + j], dp);
        }
        Ok(())
    }
}

impl<S: Scalar> Stages<S> {
    /// p½ and q₁ for a separable energy, given λ and H_q(q).
    fn drift(
        &mut self,
        shape: &CanonicalShape,
        system: &mut (dyn Canonical<S> + '_),
        h: S,
        from: &State<S>,
        lambda: &[S],
    ) -> Result<(), Failure> {
        let n = shape.coordinates;
        let half = h * S::from_f64(0.5);
        plus_transposed_times(&shape.jacobian, &self.g0, lambda, &self.force, &mut self.kick);
        for j in 0..n {
            self.dp[j] = -(half * self.kick[j]);
            self.p[j] = carried(from.values[n + j], from.carry[n + j], self.dp[j]).0;
        }
        system.hamiltonian_p(&from.values[..n], &self.p, &mut self.velocity[0])?;
        for j in 0..n {
            self.dq[j] = h * self.velocity[0][j];
            self.q1[j] = carried(from.values[j], from.carry[j], self.dq[j]).0;
        }
        Ok(())
    }

    /// p₁ for μ, given H_q(q₁, p½).
    fn kick(&mut self, shape: &CanonicalShape, half: S, from: &State<S>, mu: &[S]) {
        let n = shape.coordinates;
        plus_transposed_times(&shape.jacobian, &self.g1, mu, &self.force, &mut self.kick);
        for j in 0..n {
            let dp = self.dp[j] - half * self.kick[j];
            self.p[j] = carried(from.values[n + j], from.carry[n + j], dp).0;
        }
    }

    /// A first guess of (u, w, λ): the rates at the start, without the constraints.
    fn predict(
        &mut self,
        shape: &CanonicalShape,
        system: &mut (dyn Canonical<S> + '_),
        h: S,
        from: &State<S>,
        x: &mut [S],
    ) -> Result<(), Failure> {
        let n = shape.coordinates;
        let half = h * S::from_f64(0.5);
        let (q, p) = from.values.split_at(n);
        system.hamiltonian_p(q, p, &mut self.velocity[0])?;
        for j in 0..n {
            x[j] = -(half * self.force[j]);
            x[n + j] = h * self.velocity[0][j];
        }
        Ok(())
    }

    /// The increments and where they lead.
    fn place(&mut self, x: &[S], from: &State<S>) {
        let n = self.dp.len();
        self.dp.copy_from_slice(&x[..n]);
        self.dq.copy_from_slice(&x[n..2 * n]);
        for j in 0..n {
            self.p[j] = carried(from.values[n + j], from.carry[n + j], x[j]).0;
            self.q1[j] = carried(from.values[j], from.carry[j], x[n + j]).0;
        }
    }

    /// u + h/2 (H_q(q, p½) + Gᵀλ), w − h/2 (H_p(q, p½) + H_p(q₁, p½)), φ(q₁).
    fn residual(
        &mut self,
        shape: &CanonicalShape,
        system: &mut (dyn Canonical<S> + '_),
        h: S,
        from: &State<S>,
        x: &[S],
        r: &mut [S],
    ) -> Result<(), Failure> {
        let n = shape.coordinates;
        let half = h * S::from_f64(0.5);
        let q = &from.values[..n];
        self.place(x, from);
        system.hamiltonian_q(q, &self.p, &mut self.force)?;
        plus_transposed_times(&shape.jacobian, &self.g0, &x[2 * n..], &self.force, &mut self.kick);
        system.hamiltonian_p(q, &self.p, &mut self.velocity[0])?;
        system.hamiltonian_p(&self.q1, &self.p, &mut self.velocity[1])?;
        for j in 0..n {
            r[j] = x[j] + half * self.kick[j];
            r[n + j] = x[n + j] - half * (self.velocity[0][j] + self.velocity[1][j]);
        }
        system.constraints(&self.q1, &mut r[2 * n..])
    }

    /// The Jacobian of [`Stages::residual`].
    fn fill(
        &mut self,
        blocks: &Blocks,
        [ones, uu, ul, wu, ww, lw]: &[Block; 6],
        system: &mut (dyn Canonical<S> + '_),
        half: S,
        q: &[S],
        jacobian: &mut [S],
    ) -> Result<(), Failure> {
        jacobian.fill(S::from_f64(0.0));
        blocks.add_identity(*ones, S::from_f64(1.0), jacobian);
        system.hessian_qp(q, &self.p, &mut self.hqp)?;
        blocks.add(*uu, half, &self.hqp, jacobian);
        blocks.add(*ul, half, &self.g0, jacobian);
        system.hessian_pp(q, &self.p, &mut self.hpp)?;
        blocks.add(*wu, -half, &self.hpp, jacobian);
        system.hessian_pp(&self.q1, &self.p, &mut self.hpp)?;
        blocks.add(*wu, -half, &self.hpp, jacobian);
        system.hessian_qp(&self.q1, &self.p, &mut self.hqp)?;
        blocks.add(*ww, -half, &self.hqp, jacobian);
        system.jacobian(&self.q1, &mut self.g1)?;
        blocks.add(*lw, S::from_f64(1.0), &self.g1, jacobian);
        Ok(())
    }
}
