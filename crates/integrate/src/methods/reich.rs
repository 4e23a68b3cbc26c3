//! Reich's method: an unconstrained symplectic method between two kicks along the constraint forces;
//! symmetric and symplectic on the constraint manifold if the inner method is, of order 2 at most.
//!
//! ```text
//! p̄ = p − h/2 G(q)ᵀλ,   (q₁, p̄₁) = Φ_h(q, p̄),   φ(q₁) = 0
//! p₁ = p̄₁ − h/2 G(q₁)ᵀμ,   G(q₁) H_p(q₁, p₁) = 0
//! ```
//!
//! with Φ any method for the equations without constraints; with Störmer–Verlet it is RATTLE. φ(q₁)
//! depends on λ through the whole inner step, so p̄ is found by fixed-point iteration, corrected by
//! the matrix h²/2 G(q₁) H_pp G(q)ᵀ of the leading term: a contraction with a factor of the size of
//! the step.
//!
//! S. Reich, SIAM J. Numer. Anal. 33 (1996) 475.

use crate::card::{Card, Keeps, Needs};
use crate::free::free_shape;
use crate::sparse::{Gram, GramWork, plus_transposed_times, times};
use cotangent_dynamics::{Canonical, CanonicalShape, Failure, Kind, Machine, Plan, Site, State, Stepper, carried};
use cotangent_scalar::Scalar;
use cotangent_solve::PatternError;
use std::sync::Arc;

/// With the card of the inner method.
pub(crate) fn card(inner: &Card) -> Card {
    Card {
        name: "reich",
        summary: "constraint forces around a step of a symplectic method for free motion; order 2 at most, raised by composition",
        order: inner.order.min(2),
        symplectic: true,
        symmetric: inner.symmetric,
        constraints: Keeps::Yes,
        hidden_constraints: Keeps::Yes,
        quadratic_invariants: false,
        energy: false,
        needs: Needs::Canonical,
        explicit: "never",
        scheme: &[
            "p̄ = p − h/2 G(q)ᵀλ,   (q₁, p̄₁) = Φ_h(q, p̄),   φ(q₁) = 0",
            "p₁ = p̄₁ − h/2 G(q₁)ᵀμ,   G(q₁) H_p(q₁, p₁) = 0",
        ],
        solution: "Φ is a method for the equations without constraints: `--inner symplectic-euler`, `stormer-verlet` (then it is `rattle`), `implicit-midpoint` (unless said otherwise) or `gauss`. p̄ by fixed-point iteration through the inner step, μ by Newton's method.",
        reference: "S. Reich, SIAM J. Numer. Anal. 33 (1996) 475",
    }
}

/// What is known before the arithmetic is.
#[derive(Clone, Debug)]
pub(crate) struct Scheme {
    shape: CanonicalShape,
    gram: Gram,
    start: Site,
    linear: Site,
    hidden: Site,
}

impl Scheme {
    pub(crate) fn new(shape: &CanonicalShape, plan: &mut Plan) -> Result<Arc<Scheme>, PatternError> {
        free_shape(shape)?;
        let (n, m) = (shape.coordinates, shape.constraints);
        let gram = Gram::new(&shape.jacobian, &shape.hessian_pp)?;
        let mut newton = |kind: Kind| plan.newton(gram.pattern().clone(), vec![(kind, m)]);
        let (linear, hidden) = (newton(Kind::Constraint), newton(Kind::HiddenConstraint));
        let start = plan.fixed_point(vec![(Kind::Momentum, n), (Kind::Momentum, n)]);
        Ok(Arc::new(Scheme { shape: shape.clone(), gram, start, linear, hidden }))
    }

    pub(crate) fn stepper<'s, S: Scalar + 's>(
        self: &Arc<Self>,
        inner: Box<dyn Stepper<S> + 's>,
        system: Box<dyn Canonical<S> + 's>,
    ) -> Box<dyn Stepper<S> + 's> {
        let zero = |len: usize| vec![S::from_f64(0.0); len];
        let (n, m) = (self.shape.coordinates, self.shape.constraints);
        let (g, hpp) = (self.shape.jacobian.len(), self.shape.hessian_pp.len());
        let state = State::new(zero(2 * n), inner.memory());
        Box::new(Reich {
            pass: Pass {
                inner,
                system,
                from: state.clone(),
                to: state,
                g0: zero(g),
                g1: zero(g),
                hpp: zero(hpp),
                matrix: zero(self.gram.pattern().len()),
                gram: self.gram.work(),
                residual: zero(m),
                lambda: zero(m),
                zeros: zero(n),
                kick: zero(n),
                p1: zero(n),
                velocity: zero(n),
                scheme: self.clone(),
            },
            momenta: zero(2 * n),
            mu: zero(m),
        })
    }
}

struct Reich<'s, S> {
    pass: Pass<'s, S>,
    /// p̄, and p − h H_q, which is kept: from rest p̄ is nothing but noise, and that shows how large
    /// momenta are.
    momenta: Vec<S>,
    mu: Vec<S>,
}

struct Pass<'s, S> {
    scheme: Arc<Scheme>,
    inner: Box<dyn Stepper<S> + 's>,
    system: Box<dyn Canonical<S> + 's>,
    from: State<S>,
    to: State<S>,
    g0: Vec<S>,
    g1: Vec<S>,
    hpp: Vec<S>,
    matrix: Vec<S>,
    gram: GramWork<S>,
    residual: Vec<S>,
    lambda: Vec<S>,
    zeros: Vec<S>,
    kick: Vec<S>,
    p1: Vec<S>,
    velocity: Vec<S>,
}

impl<S: Scalar> Stepper<S> for Reich<'_, S> {
    /// What the inner method remembers.
    fn memory(&self) -> usize {
        self.pass.inner.memory()
    }

    fn step(&mut self, machine: &mut dyn Machine<S>, h: S, from: &State<S>, to: &mut State<S>) -> Result<(), Failure> {
        let Reich { pass, momenta, mu } = self;
        let scheme = pass.scheme.clone();
        let shape = &scheme.shape;
        let n = shape.coordinates;
        let half = h * S::from_f64(0.5);
        pass.system.jacobian(&from.values[..n], &mut pass.g0)?;
        // p̄ − p must stay along G(q)ᵀ, which the last one was not.
        momenta[..n].copy_from_slice(&from.values[n..]);
        let (q, p) = from.values.split_at(n);
        pass.system.hamiltonian_q(q, p, &mut pass.velocity)?;
        (0..n).for_each(|j| momenta[n + j] = p[j] - h * pass.velocity[j]);
        machine.fixed_point(scheme.start, momenta, &mut |machine, start, next| {
            pass.forward(machine, h, from, &start[..n])?;
            next[n..].copy_from_slice(&start[n..]);
            pass.correct(machine, half * h, half, &start[..n], &mut next[..n])
        })?;
        pass.forward(machine, h, from, &momenta[..n])?;

        pass.system.jacobian(&pass.to.values[..n], &mut pass.g1)?;
        mu.fill(S::from_f64(0.0));
        machine.newton(scheme.hidden, mu, &mut |mu, r, jacobian| {
            pass.end(half, mu);
            let q1 = &pass.to.values[..n];
            pass.system.hamiltonian_p(q1, &pass.p1, &mut pass.velocity)?;
            times(&shape.jacobian, &pass.g1, &pass.velocity, r);
            pass.system.hessian_pp(q1, &pass.p1, &mut pass.hpp)?;
            scheme.gram.evaluate(-half, (&pass.g1, &pass.hpp, &pass.g1), &mut pass.gram, jacobian);
            Ok(())
        })?;
        pass.end(half, mu);
        for j in 0..n {
            (to.values[j], to.carry[j]) = (pass.to.values[j], pass.to.carry[j]);
            let (p, e) = (pass.to.values[n + j], pass.to.carry[n + j]);
            (to.values[n + j], to.carry[n + j]) = carried(p, e, -(half * pass.kick[j]));
        }
        to.memory.copy_from_slice(&pass.to.memory);
        Ok(())
    }
}

impl<S: Scalar> Pass<'_, S> {
    /// The inner step from (q, p̄).
    fn forward(&mut self, machine: &mut dyn Machine<S>, h: S, from: &State<S>, start: &[S]) -> Result<(), Failure> {
        let n = self.scheme.shape.coordinates;
        self.from.values.copy_from_slice(&from.values);
        self.from.carry.copy_from_slice(&from.carry);
        self.from.memory.copy_from_slice(&from.memory);
        for j in 0..n {
            let change = start[j] - from.values[n + j];
            (self.from.values[n + j], self.from.carry[n + j]) = carried(from.values[n + j], from.carry[n + j], change);
        }
        self.inner.step(machine, h, &self.from, &mut self.to)
    }

    /// The next p̄: p̄ − h/2 Gᵀδλ with (h²/2 G(q₁) H_pp G(q)ᵀ) δλ = φ(q₁).
    fn correct(
        &mut self,
        machine: &mut dyn Machine<S>,
        factor: S,
        half: S,
        start: &[S],
        next: &mut [S],
    ) -> Result<(), Failure> {
        let Pass { scheme, system, to, g0, g1, hpp, matrix, gram, residual, lambda, zeros, kick, .. } = self;
        let shape = &scheme.shape;
        let n = shape.coordinates;
        let q1 = &to.values[..n];
        system.constraints(q1, residual)?;
        system.jacobian(q1, g1)?;
        system.hessian_pp(q1, start, hpp)?;
        scheme.gram.evaluate(factor, (g1, hpp, g0), gram, matrix);
        lambda.fill(S::from_f64(0.0));
        machine.newton(scheme.linear, lambda, &mut |x, r, jacobian| {
            times(scheme.gram.pattern(), matrix, x, r);
            r.iter_mut().zip(&*residual).for_each(|(r, &b)| *r = *r - b);
            jacobian.copy_from_slice(matrix);
            Ok(())
        })?;
        plus_transposed_times(&shape.jacobian, g0, lambda, zeros, kick);
        (0..n).for_each(|j| next[j] = start[j] - half * kick[j]);
        Ok(())
    }

    /// p₁ for μ.
    fn end(&mut self, half: S, mu: &[S]) {
        let shape = &self.scheme.shape;
        let n = shape.coordinates;
        plus_transposed_times(&shape.jacobian, &self.g1, mu, &self.zeros, &mut self.kick);
        for j in 0..n {
            self.p1[j] = carried(self.to.values[n + j], self.to.carry[n + j], -(half * self.kick[j])).0;
        }
    }
}
