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
//! increments p½ − p and q₁ − q and λ. The second system, for μ, has the matrix −h/2 G H_pp Gᵀ; where H is
//! quadratic in p it is linear, and solved once.
//!
//! Without constraints this is the Störmer–Verlet method. SHAKE leaves out the second system and
//! takes λ for μ: the positions are the same, since a change of p₁ along G(q₁)ᵀ is undone by the
//! next λ, but G H_p = 0 does not hold. (With λ twice, the step is still symmetric and preserves
//! dq∧dp on φ = 0.)
//!
//! H. C. Andersen, J. Comput. Phys. 52 (1983) 24; the form for general H: L. Jay, SIAM J. Numer.
//! Anal. 33 (1996) 368; Hairer, Lubich & Wanner, Geometric Numerical Integration, VII.1.4.

use crate::card::{Card, Keeps, KeepsBracket, Needs};
use crate::ending::{Ending, EndingWork};
use crate::expected::Expected;
use crate::half_step::{HalfStep, HalfStepWork};
use crate::sparse::Gram;
use crate::stages::{Evaluator, Input, Point, Row, Shape, StageEquations, Stages, Term, Unknown, Work};
use crate::vector::{advanced, clear, zeros};
use cotangent_dynamics::{CanonicalShape, Dynamics, Failure, Machine, MemoryLayout, Misuse, Plan, State, Stepper};
use cotangent_scalar::Scalar;
use cotangent_solve::PatternError;
use std::sync::Arc;

pub(crate) const STORMER_VERLET: Card = Card {
    name: "stormer-verlet",
    summary: "second order, symplectic, symmetric; the leapfrog method",
    constraints: Keeps::No,
    hidden_constraints: Keeps::No,
    needs: Needs::Unconstrained,
    explicit: "for separable energies H = T(p) + V(q)",
    scheme: &["p½ = p − h/2 H_q(q, p½)", "q₁ = q + h/2 (H_p(q, p½) + H_p(q₁, p½))", "p₁ = p½ − h/2 H_q(q₁, p½)"],
    solution: "For an energy that is not separable Newton's method solves the first two lines for p½ − p and q₁ − q.",
    reference: "C. Størmer (1907), L. Verlet, Phys. Rev. 159 (1967) 98; Hairer, Lubich & Wanner, Acta Numerica 12 (2003) 399",
    ..RATTLE
};

pub(crate) const SHAKE: Card = Card {
    name: "shake",
    summary: "RATTLE's positions without its momentum projection",
    hidden_constraints: Keeps::No,
    scheme: &[
        "p½ = p − h/2 (H_q(q, p½) + G(q)ᵀλ)",
        "q₁ = q + h/2 (H_p(q, p½) + H_p(q₁, p½)),   φ(q₁) = 0",
        "p₁ = p½ − h/2 (H_q(q₁, p½) + G(q₁)ᵀλ)",
    ],
    solution: "Newton's method for λ as in `rattle`. The momentum leaves the constraint G H_p = 0 by O(h²); what it is off by is undone by the next λ, so that the positions are those of `rattle`.",
    reference: "J.-P. Ryckaert, G. Ciccotti & H. J. C. Berendsen, J. Comput. Phys. 23 (1977) 327; B. Leimkuhler & R. D. Skeel, J. Comput. Phys. 112 (1994) 117",
    ..RATTLE
};

pub(crate) const RATTLE: Card = Card {
    name: "rattle",
    summary: "second order, symplectic, symmetric, with constraints at round-off; the method to start with",
    order: 2,
    symplectic: true,
    bracket: KeepsBracket::No,
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

/// p½ − p, q₁ − q and λ.
const MOMENTUM: usize = 0;
const POSITION: usize = 1;
const MULTIPLIER: usize = 2;

/// The first two lines, for an energy that is not separable: at (q, p½) and at (q₁, p½).
fn stage_equations() -> StageEquations {
    let start = Point { momentum: Some(MOMENTUM), multiplier: Some(MULTIPLIER), ..Point::default() };
    let end = Point { position: Some(POSITION), momentum: Some(MOMENTUM), ..Point::default() };
    StageEquations {
        unknowns: vec![Unknown::momentum(0.5), Unknown::position(1.0), Unknown::multiplier()],
        points: vec![start, end],
        rows: vec![
            Row::half(Term::Force, MOMENTUM, &[0]),
            Row::half(Term::Velocity, POSITION, &[0, 1]),
            Row::Zero { term: Term::Constraint, point: 1 },
        ],
    }
}

/// How the constrained steps of this family end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Last {
    /// With G H_p = 0: RATTLE.
    Hidden,
    /// With the multiplier of the first half: SHAKE.
    Reused,
}

/// RATTLE, SHAKE and the Störmer–Verlet method, planned.
#[derive(Clone, Debug)]
pub(crate) struct Rattle {
    shape: Shape,
    first: First,
    last: Last,
    ending: Ending,
    /// What is known of λ beforehand.
    expected: Option<Expected>,
}

/// How p½, q₁ and λ are found.
#[derive(Clone, Debug)]
enum First {
    Separable(Box<HalfStep>),
    Stages(Box<Stages>),
}

impl Rattle {
    /// The stages of a composition have other sizes each: nothing is expected of their multipliers.
    pub(crate) fn new(
        shape: &CanonicalShape,
        last: Last,
        composed: bool,
        plan: &mut Plan,
    ) -> Result<Arc<Rattle>, PatternError> {
        let (equations, gram) = (Shape::canonical(shape, None)?, Gram::of(shape)?);
        let first = match shape.separable {
            true => First::Separable(Box::new(HalfStep::new(shape, &gram, plan)?)),
            false => First::Stages(Box::new(Stages::new(stage_equations(), equations.clone(), plan)?)),
        };
        let ending = Ending::new(shape, &gram, (last == Last::Hidden).then_some(plan));
        let known = shape.separable && last == Last::Hidden && shape.constraints > 0 && !composed;
        let expected = known.then(|| Expected::new(shape.constraints));
        Ok(Arc::new(Rattle { shape: equations, first, last, ending, expected }))
    }

    /// Whether all of it is explicit.
    pub(crate) fn is_leapfrog(&self) -> bool {
        matches!(self.first, First::Separable(_)) && self.ending.shape.constraints == 0
    }

    pub(crate) fn memory(&self) -> MemoryLayout {
        self.expected.as_ref().map_or_else(MemoryLayout::new, |expected| expected.memory().clone())
    }

    pub(crate) fn stepper<'s, S: Scalar + 's>(
        self: &Arc<Self>,
        system: &dyn Dynamics<'s, S>,
    ) -> Result<Box<dyn Stepper<S> + 's>, Failure> {
        let first = match &self.first {
            First::Separable(half) => FirstWork::Separable(half.work()),
            First::Stages(stages) => FirstWork::Stages(stages.work()),
        };
        let evaluator = Evaluator::new(&self.shape, system)?;
        let m = self.expected.as_ref().map_or(0, |_| self.ending.shape.constraints);
        let sizes = (zeros(m), zeros(m));
        Ok(Box::new(RattleStepper { evaluator, first, end: self.ending.work(), sizes, method: self.clone() }))
    }
}

struct RattleStepper<'s, S> {
    method: Arc<Rattle>,
    evaluator: Evaluator<'s, S>,
    first: FirstWork<S>,
    end: EndingWork<S>,
    /// Room for the sizes of multipliers and their changes.
    sizes: (Vec<S>, Vec<S>),
}

enum FirstWork<S> {
    Separable(HalfStepWork<S>),
    Stages(Work<S>),
}

impl<S: Scalar> Stepper<S> for RattleStepper<'_, S> {
    fn memory(&self) -> usize {
        self.method.expected.as_ref().map_or(0, |expected| expected.memory().len())
    }

    fn step(&mut self, machine: &mut dyn Machine<S>, h: S, from: &State<S>, to: &mut State<S>) -> Result<(), Failure> {
        let RattleStepper { method, evaluator, first, end, sizes } = self;
        let n = method.ending.shape.coordinates;
        let (q1, p_half, dp, dq, lambda) = match (&method.first, first) {
            (First::Separable(half), FirstWork::Separable(work)) => {
                match &method.expected {
                    Some(expected) => expected.guess(h, &from.memory, &mut work.lambda)?,
                    None => clear(&mut work.lambda),
                }
                half.solve(machine, evaluator.canonical()?, h, from, work)?;
                (&work.q1[..], &work.p[..], &work.dp[..], &work.dq[..], &work.lambda[..])
            }
            (First::Stages(stages), FirstWork::Stages(work)) => {
                work.solve(stages, machine, evaluator, (h, Input::none()), from)?;
                work.place(stages, 1, from);
                let [dp, dq, lambda] = [MOMENTUM, POSITION, MULTIPLIER].map(|k| work.unknown(stages, k));
                let (q1, p_half) = work.point(1);
                (q1, p_half, dp, dq, lambda)
            }
            _ => return Err(Misuse::OtherSystem.into()),
        };
        let system = evaluator.canonical()?;
        system.hamiltonian_q(q1, p_half, &mut end.force)?;
        end.increment.copy_from_slice(dp);
        let known = (method.last == Last::Reused).then_some(lambda);
        let (q, p) = from.halves(n);
        method.ending.solve(machine, system, h * S::from_f64(0.5), (q1, p), known, end)?;
        let (to_q, to_p) = to.halves_mut(n);
        advanced(q, dq, to_q);
        advanced(p, &end.increment, to_p);
        if let Some(expected) = &method.expected {
            let sizes = [&mut sizes.0[..], &mut sizes.1[..]];
            expected.remember(h, &from.memory, (lambda, &end.mu), (&mut to.memory, sizes))?;
        }
        Ok(())
    }
}
