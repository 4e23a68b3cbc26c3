//! The Lobatto IIIA–IIIB pair for constraints: order 2s − 2, symmetric, symplectic on the constraint
//! manifold, constraints and hidden constraints at round-off.
//!
//! ```text
//! Pᵢ = p − h Σⱼ âᵢⱼ (H_q(Qⱼ, Pⱼ) + G(Qⱼ)ᵀΛⱼ)
//! Qᵢ = q + h Σⱼ aᵢⱼ H_p(Qⱼ, Pⱼ),   φ(Qᵢ) = 0
//! q₁ = Q_s,   p₁ = p − h Σⱼ bⱼ (H_q(Qⱼ, Pⱼ) + G(Qⱼ)ᵀΛⱼ),   G(q₁) H_p(q₁, p₁) = 0
//! ```
//!
//! with the coefficients of Lobatto IIIA (a) and IIIB (â). The first row of a and the last column of
//! â are zero, so Q₁ = q, and Λ_s occurs in p₁ alone. An iteration finds Pᵢ − p (i = 1 … s), Qᵢ − q (i = 2 … s) and Λᵢ (i < s)
//! ([`iterated`]), or where it does not contract Newton's method for all of them together; then Newton's method Λ_s, as in
//! RATTLE, which is the case s = 2.
//!
//! L. Jay, SIAM J. Numer. Anal. 33 (1996) 368, eq. (3.1); Hairer, Lubich & Wanner, Geometric
//! Numerical Integration, VII.1.4.

mod iterated;
mod numbers;

use crate::card::{Card, Keeps, KeepsBracket, Needs};
use crate::coefficients::Lobatto as Coefficients;
use crate::ending::{Ending, EndingWork};
use crate::sparse::Gram;
use crate::stage_solver::StageSolver;
use crate::stages::{Evaluator, Input, Point, Row, Shape, StageEquations, Stages, Term, Unknown, Work};
use crate::vector::{advanced, combination, scale};
use cotangent_dynamics::{CanonicalShape, Dynamics, Failure, Machine, MemoryLayout, Plan, State, Stepper};
use cotangent_scalar::Scalar;
use cotangent_solve::PatternError;
use iterated::{Iterated, Room, Ways};
use std::sync::Arc;

pub(crate) fn card(stages: usize) -> Card {
    Card {
        name: "lobatto-3a3b",
        summary: "order 2s − 2 with s stages, symplectic, symmetric, with constraints at round-off",
        order: 2 * stages.max(2) as u32 - 2,
        symplectic: true,
        bracket: KeepsBracket::No,
        symmetric: true,
        constraints: Keeps::Yes,
        hidden_constraints: Keeps::Yes,
        quadratic_invariants: false,
        energy: false,
        needs: Needs::Canonical,
        explicit: "never",
        scheme: &[
            "Pᵢ = p − h Σⱼ âᵢⱼ (H_q(Qⱼ, Pⱼ) + G(Qⱼ)ᵀΛⱼ),   i = 1 … s",
            "Qᵢ = q + h Σⱼ aᵢⱼ H_p(Qⱼ, Pⱼ),   φ(Qᵢ) = 0",
            "q₁ = Q_s,   p₁ = p − h Σⱼ bⱼ (H_q(Qⱼ, Pⱼ) + G(Qⱼ)ᵀΛⱼ),   G(q₁) H_p(q₁, p₁) = 0",
        ],
        solution: "The coefficients are those of Lobatto IIIA (a) and IIIB (â) (`--stages S`, 3 unless said otherwise); 2 stages are `rattle`. Fixed-point iteration for the stages, from the polynomials of the step before, with multipliers corrected by the constraints in each round; where it does not contract Newton's method for all stages and multipliers together. `--stage-solver` chooses one of them. Then Newton's method for the last multiplier.",
        reference: "L. Jay, SIAM J. Numer. Anal. 33 (1996) 368; Hairer, Lubich & Wanner, Geometric Numerical Integration, VII.1.4",
    }
}

/// The first two lines, for Pᵢ − p (i = 1 … s), Qᵢ − q (i = 2 … s) and Λᵢ (i < s).
fn stage_equations(c: &Coefficients) -> StageEquations {
    let s = c.stages();
    let (momentum, position, multiplier) = (|i: usize| i, |i: usize| s + i - 1, |i: usize| 2 * s - 1 + i);
    let momenta = (0..s).map(|i| Unknown::momentum(c.c(i)));
    let positions = (1..s).map(|i| Unknown::position(c.c(i)));
    let multipliers = (1..s).map(|_| Unknown::multiplier());
    let point = |i: usize| Point {
        position: (i > 0).then(|| position(i)),
        momentum: Some(momentum(i)),
        multiplier: (i + 1 < s).then(|| multiplier(i)),
        ..Point::default()
    };
    let force = |i: usize| (0..s - 1).map(|j| (j, c.a_hat(i, j))).collect();
    let velocity = |i: usize| (0..s).map(|j| (j, c.a(i, j))).collect();
    let kicks = (0..s).map(|i| Row::increment(Term::Force, momentum(i), force(i)));
    let drifts = (1..s).map(|i| Row::increment(Term::Velocity, position(i), velocity(i)));
    let constraints = (1..s).map(|point| Row::Zero { term: Term::Constraint, point });
    StageEquations {
        unknowns: momenta.chain(positions).chain(multipliers).collect(),
        points: (0..s).map(point).collect(),
        rows: kicks.chain(drifts).chain(constraints).collect(),
    }
}

/// The Lobatto IIIA–IIIB pair, planned.
#[derive(Clone, Debug)]
pub(crate) struct LobattoPair {
    coefficients: Coefficients,
    stages: Stages,
    /// Where the stages are iterated.
    iterated: Option<Iterated>,
    ending: Ending,
}

impl LobattoPair {
    pub(crate) fn new(
        shape: &CanonicalShape,
        number: usize,
        solver: Option<StageSolver>,
        plan: &mut Plan,
    ) -> Result<Arc<LobattoPair>, PatternError> {
        let coefficients = Coefficients::new(number);
        let stages = Stages::new(stage_equations(&coefficients), Shape::canonical(shape, None)?, plan)?;
        let gram = Gram::of(shape)?;
        let iterated = match solver {
            Some(StageSolver::Newton) => None,
            solver => Some(Iterated::new(shape, &gram, number, solver.is_none(), plan)?),
        };
        Ok(Arc::new(LobattoPair { coefficients, stages, iterated, ending: Ending::new(shape, &gram, Some(plan)) }))
    }

    /// What the iteration begins with.
    pub(crate) fn memory(&self) -> MemoryLayout {
        self.iterated.as_ref().map_or_else(MemoryLayout::new, |iterated| iterated.memory().clone())
    }

    pub(crate) fn stepper<'s, S: Scalar + 's>(
        self: &Arc<Self>,
        system: &dyn Dynamics<'s, S>,
    ) -> Result<Box<dyn Stepper<S> + 's>, Failure> {
        Ok(Box::new(LobattoStepper {
            evaluator: Evaluator::new(&self.stages.shape, system)?,
            work: self.stages.work(),
            room: self.iterated.as_ref().map(|iterated| iterated.room(self)),
            end: self.ending.work(),
            b: (0..self.coefficients.stages()).map(|i| self.coefficients.b(i).value(&[])).collect(),
            method: self.clone(),
        }))
    }
}

struct LobattoStepper<'s, S> {
    method: Arc<LobattoPair>,
    evaluator: Evaluator<'s, S>,
    work: Work<S>,
    room: Option<Room<S>>,
    end: EndingWork<S>,
    b: Vec<S>,
}

impl<S: Scalar> Stepper<S> for LobattoStepper<'_, S> {
    fn memory(&self) -> usize {
        self.method.iterated.as_ref().map_or(0, |iterated| iterated.memory().len())
    }

    fn step(&mut self, machine: &mut dyn Machine<S>, h: S, from: &State<S>, to: &mut State<S>) -> Result<(), Failure> {
        let LobattoStepper { method, evaluator, work, room, end, b } = self;
        let (stages, last) = (&method.stages, b.len() - 1);
        let (q, p) = from.halves(method.ending.shape.coordinates);
        match (&method.iterated, room) {
            (Some(iterated), Some(room)) => {
                to.memory.copy_from_slice(&from.memory);
                let mut ways = Ways { method, iterated, evaluator, work, room, h, from };
                ways.solve(machine, &mut to.memory)?;
                ways.work.evaluate(stages, ways.evaluator, from)?;
                ways.remember(&mut to.memory)?;
            }
            _ => {
                work.solve(stages, machine, evaluator, (h, Input::none()), from)?;
                work.evaluate(stages, evaluator, from)?;
            }
        }
        // p₁ − p without Λ_s.
        combination((0..last).map(|j| (b[j], work.term(stages, Term::Force, j))), &mut end.increment);
        scale(-h, &mut end.increment);
        let system = evaluator.canonical()?;
        let (q1, p_last) = work.point(last);
        system.hamiltonian_q(q1, p_last, &mut end.force)?;
        method.ending.solve(machine, system, h * b[last], (q1, p), None, end)?;
        let (to_q, to_p) = to.halves_mut(method.ending.shape.coordinates);
        // Q_s − q.
        advanced(q, work.unknown(stages, 2 * last), to_q);
        advanced(p, &end.increment, to_p);
        Ok(())
    }
}
