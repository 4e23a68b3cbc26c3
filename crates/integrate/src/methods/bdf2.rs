//! The second backward differentiation formula: order 2, damps; what general codes for
//! differential–algebraic equations use.
//!
//! ```text
//! (1 + 2ω)/(1 + ω) (z₁ − z) − ω²/(1 + ω) (z − z₋₁) = h f(z₁, λ₁),   g(z₁) = 0,   ω = h/h₋₁
//! ```
//!
//! with h₋₁ the step before: 3/2 z₁ − 2 z + 1/2 z₋₁ = h f(z₁, λ₁) for equal steps. With constraints
//! z = (q, p), f = (H_p, −H_q − Gᵀλ), g = φ(q): index 3.
//!
//! The method remembers the increment z − z₋₁, in which nothing cancels, and 1/h₋₁. Without a past
//! 1/h₋₁ = 0, so ω = 0 and the first step is one of the backward Euler method; so is a step back, for
//! which the past lies ahead. The increment is that of the step itself: where a projection moves the
//! end of a step, it moves the past along with it.
//!
//! C. W. Gear, IEEE Trans. Circuit Theory 18 (1971) 89; P. Lötstedt & L. Petzold, Math. Comp. 46
//! (1986) 491; Hairer & Wanner, Solving Ordinary Differential Equations II, V.1 and VII.3.

use crate::card::{Card, Keeps, Needs};
use crate::semi_explicit::{SemiExplicit, Shape};
use crate::stiff::{Formula, Stages, Work, advance};
use cotangent_dynamics::{Failure, Machine, Plan, State, Stepper};
use cotangent_scalar::Scalar;
use cotangent_solve::PatternError;
use std::sync::Arc;

pub(crate) const CARD: Card = Card {
    name: "bdf2",
    summary: "the second backward differentiation formula, as general DAE codes use it: damps; a baseline",
    order: 2,
    symplectic: false,
    symmetric: false,
    constraints: Keeps::Yes,
    hidden_constraints: Keeps::No,
    quadratic_invariants: false,
    energy: false,
    needs: Needs::Any,
    explicit: "never",
    scheme: &[
        "3/2 z₁ − 2 z + 1/2 z₋₁ = h f(z₁)",
        "with constraints: z = (q, p),   f = (H_p, −H_q − Gᵀλ₁),   φ(q₁) = 0 or G q̇₁ = 0",
    ],
    solution: "Newton's method for z₁ − z and λ₁ together. The coefficients follow the ratio of a step to the one before; the first step, and the first after the direction changes, is one of the backward Euler method.",
    reference: "C. W. Gear, IEEE Trans. Circuit Theory 18 (1971) 89; P. Lötstedt & L. Petzold, Math. Comp. 46 (1986) 491",
};

/// What is known before the arithmetic is.
#[derive(Clone, Debug)]
pub(crate) struct Scheme(Stages);

impl Scheme {
    pub(crate) fn new(shape: Shape, plan: &mut Plan) -> Result<Arc<Scheme>, PatternError> {
        Ok(Arc::new(Scheme(Stages::new(shape, 1, plan)?)))
    }

    pub(crate) fn shape(&self) -> &Shape {
        &self.0.shape
    }

    pub(crate) fn stepper<'s, S: Scalar + 's>(
        self: &Arc<Self>,
        system: Box<dyn SemiExplicit<S> + 's>,
    ) -> Box<dyn Stepper<S> + 's> {
        let past = vec![S::from_f64(0.0); self.0.shape.dimension];
        Box::new(Bdf2 { scheme: self.clone(), system, past, work: self.0.work() })
    }
}

struct Bdf2<'s, S> {
    scheme: Arc<Scheme>,
    system: Box<dyn SemiExplicit<S> + 's>,
    /// ω²/(1 + ω) (z − z₋₁).
    past: Vec<S>,
    work: Work<S>,
}

impl<S: Scalar> Stepper<S> for Bdf2<'_, S> {
    /// z − z₋₁ and 1/h₋₁.
    fn memory(&self) -> usize {
        self.scheme.0.shape.dimension + 1
    }

    fn step(&mut self, machine: &mut dyn Machine<S>, h: S, from: &State<S>, to: &mut State<S>) -> Result<(), Failure> {
        let Bdf2 { scheme, system, past, work } = self;
        let n = scheme.0.shape.dimension;
        let (zero, one) = (S::from_f64(0.0), S::from_f64(1.0));
        let ratio = (h * from.memory[n]).max(zero);
        let d = (one + ratio + ratio) / (one + ratio);
        let weight = ratio * ratio / (one + ratio);
        past.iter_mut().zip(&from.memory).for_each(|(past, &before)| *past = weight * before);
        let formula = Formula { c: &[one], d: &[d], past };
        let increment = scheme.0.solve(machine, system.as_mut(), (h, formula), from, work)?;
        advance(from, increment, to);
        to.memory[..n].copy_from_slice(increment);
        to.memory[n] = one / h;
        Ok(())
    }
}
