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

use crate::card::{Card, Keeps, KeepsBracket, Needs};
use crate::ending::{Ending, EndingWork};
use crate::sparse::{Gram, GramWork};
use crate::vector::{add_transposed_times, advanced, clear, difference, scaled_difference, subtract, times, zeros};
use cotangent_dynamics::{Canonical, CanonicalShape, Failure, Kind, Machine, Plan, Site, State, Stepper};
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
        bracket: if inner.bracket == KeepsBracket::Any { KeepsBracket::Any } else { KeepsBracket::No },
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
        solution: "Φ is a method for the equations without constraints: `--inner symplectic-euler`, `stormer-verlet` (then it is `rattle`), `implicit-midpoint` (unless said otherwise) or `gauss`; for models with brackets `splitting-strang` and `splitting-lie`, with which the Dirac bracket is kept, `implicit-midpoint` or `gauss`: there the kicks are flows z̄ = φ_λ(z) that the constraints g generate, which must commute and be known, and the second one ends on {g, H} = 0. p̄ by fixed-point iteration through the inner step, μ by Newton's method.",
        reference: "S. Reich, SIAM J. Numer. Anal. 33 (1996) 475",
    }
}

/// The method, planned.
#[derive(Clone, Debug)]
pub(crate) struct ReichSplitting {
    start: Site,
    linear: Site,
    ending: Ending,
}

impl ReichSplitting {
    pub(crate) fn new(shape: &CanonicalShape, plan: &mut Plan) -> Result<Arc<ReichSplitting>, PatternError> {
        let (n, m) = (shape.coordinates, shape.constraints);
        let gram = Gram::of(shape)?;
        let linear = plan.affine(gram.pattern().clone(), vec![(Kind::Constraint, m)]);
        let ending = Ending::new(shape, &gram, Some(plan));
        let start = plan.fixed_point(vec![(Kind::Momentum, n), (Kind::Momentum, n)]);
        Ok(Arc::new(ReichSplitting { start, linear, ending }))
    }

    pub(crate) fn stepper<'s, S: Scalar + 's>(
        self: &Arc<Self>,
        inner: Box<dyn Stepper<S> + 's>,
        system: Box<dyn Canonical<S> + 's>,
    ) -> Box<dyn Stepper<S> + 's> {
        let shape = &self.ending.shape;
        let (n, m) = (shape.coordinates, shape.constraints);
        let state = State::new(zeros(2 * n), inner.memory());
        Box::new(ReichStepper {
            pass: Pass {
                inner,
                system,
                from: state.clone(),
                to: state,
                g0: zeros(shape.jacobian.len()),
                g1: zeros(shape.jacobian.len()),
                hpp: zeros(shape.hessian_pp.len()),
                matrix: zeros(self.ending.gram.pattern().len()),
                gram: self.ending.gram.work(),
                residual: zeros(m),
                lambda: zeros(m),
                kick: zeros(n),
                method: self.clone(),
            },
            momenta: zeros(2 * n),
            end: self.ending.work(),
        })
    }
}

struct ReichStepper<'s, S> {
    pass: Pass<'s, S>,
    /// p̄, and p − h H_q, which is kept: from rest p̄ is nothing but noise, and that shows how large
    /// momenta are.
    momenta: Vec<S>,
    end: EndingWork<S>,
}

struct Pass<'s, S> {
    method: Arc<ReichSplitting>,
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
    kick: Vec<S>,
}

impl<S: Scalar> Stepper<S> for ReichStepper<'_, S> {
    /// What the inner method remembers.
    fn memory(&self) -> usize {
        self.pass.inner.memory()
    }

    fn step(&mut self, machine: &mut dyn Machine<S>, h: S, from: &State<S>, to: &mut State<S>) -> Result<(), Failure> {
        let ReichStepper { pass, momenta, end } = self;
        let method = pass.method.clone();
        let n = method.ending.shape.coordinates;
        let half = h * S::from_f64(0.5);
        let (q, p) = from.values.split_at(n);
        pass.system.jacobian(q, &mut pass.g0)?;
        pass.system.hamiltonian_q(q, p, &mut pass.kick)?;
        // p̄ − p must stay along G(q)ᵀ, which the last one was not.
        momenta[..n].copy_from_slice(p);
        scaled_difference(p, h, &pass.kick, &mut momenta[n..]);
        machine.fixed_point(method.start, momenta, &mut |machine, start, next| {
            pass.forward(machine, h, from, &start[..n])?;
            next[n..].copy_from_slice(&start[n..]);
            pass.correct(machine, half * h, half, &start[..n], &mut next[..n])
        })?;
        pass.forward(machine, h, from, &momenta[..n])?;

        let (q1, p1) = pass.to.halves(n);
        clear(&mut end.increment);
        method.ending.solve(machine, pass.system.as_mut(), half, (q1.0, p1), None, end)?;
        to.copy_from(&pass.to);
        advanced(p1, &end.increment, to.halves_mut(n).1);
        Ok(())
    }
}

impl<S: Scalar> Pass<'_, S> {
    /// The inner step from (q, p̄).
    fn forward(&mut self, machine: &mut dyn Machine<S>, h: S, from: &State<S>, start: &[S]) -> Result<(), Failure> {
        let n = self.method.ending.shape.coordinates;
        self.from.copy_from(from);
        let (_, p) = from.halves(n);
        difference(start, p.0, &mut self.kick);
        advanced(p, &self.kick, self.from.halves_mut(n).1);
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
        let Pass { method, system, to, g0, g1, hpp, matrix, gram, residual, lambda, kick, .. } = self;
        let Ending { shape, gram: product, .. } = &method.ending;
        let q1 = &to.values[..shape.coordinates];
        system.constraints(q1, residual)?;
        system.jacobian(q1, g1)?;
        system.hessian_pp(q1, start, hpp)?;
        product.evaluate(factor, (g1, hpp, g0), gram, matrix);
        clear(lambda);
        machine.newton(method.linear, lambda, &mut |x, r, jacobian| {
            times(product.pattern(), matrix, x, r);
            subtract(r, residual);
            jacobian.copy_from_slice(matrix);
            Ok(())
        })?;
        clear(kick);
        add_transposed_times(&shape.jacobian, g0, lambda, kick);
        scaled_difference(start, half, kick, next);
        Ok(())
    }
}
