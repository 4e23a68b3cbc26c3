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

use crate::card::{Card, Keeps, KeepsBracket, Needs};
use crate::coefficients::Coefficient;
use crate::derivative_form::{increment, stage_equations};
use crate::stages::{Evaluator, Input, Shape, Stages, Work};
use crate::vector::{advanced, scaled, zeros};
use cotangent_dynamics::{Dynamics, Failure, Machine, MemoryLayout, Misuse, Part, Plan, State, Stepper};
use cotangent_scalar::Scalar;
use cotangent_solve::PatternError;
use std::sync::Arc;

pub(crate) const CARD: Card = Card {
    name: "bdf2",
    summary: "the second backward differentiation formula, as general DAE codes use it: damps; a baseline",
    order: 2,
    symplectic: false,
    bracket: KeepsBracket::No,
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

/// The formula, planned; its one coefficient depends on the step before.
#[derive(Clone, Debug)]
pub(crate) struct BackwardDifferentiation {
    stages: Stages,
    memory: MemoryLayout,
}

impl BackwardDifferentiation {
    pub(crate) fn new(shape: Shape, plan: &mut Plan) -> Result<Arc<BackwardDifferentiation>, PatternError> {
        let declared = stage_equations(&shape, &[1.0.into()], &[Coefficient::Given(0)]);
        let stages = Stages::new(declared, shape, plan)?;
        let memory = MemoryLayout::new().with(Part::LastIncrement, stages.dimension()).with(Part::LastInverseStep, 1);
        Ok(Arc::new(BackwardDifferentiation { stages, memory }))
    }

    pub(crate) fn shape(&self) -> &Shape {
        &self.stages.shape
    }

    /// The increment of the step before and its size.
    pub(crate) fn memory(&self) -> &MemoryLayout {
        &self.memory
    }

    pub(crate) fn stepper<'s, S: Scalar + 's>(
        self: &Arc<Self>,
        system: &dyn Dynamics<'s, S>,
    ) -> Result<Box<dyn Stepper<S> + 's>, Failure> {
        let n = self.stages.dimension();
        Ok(Box::new(Bdf2Stepper {
            evaluator: Evaluator::new(&self.stages.shape, system)?,
            work: self.stages.work(),
            past: zeros(n),
            increment: zeros(n),
            method: self.clone(),
        }))
    }
}

struct Bdf2Stepper<'s, S> {
    method: Arc<BackwardDifferentiation>,
    evaluator: Evaluator<'s, S>,
    work: Work<S>,
    /// ω²/(1 + ω) (z − z₋₁).
    past: Vec<S>,
    /// z₁ − z.
    increment: Vec<S>,
}

impl<S: Scalar> Stepper<S> for Bdf2Stepper<'_, S> {
    fn memory(&self) -> usize {
        self.method.memory.len()
    }

    fn step(&mut self, machine: &mut dyn Machine<S>, h: S, from: &State<S>, to: &mut State<S>) -> Result<(), Failure> {
        let Bdf2Stepper { method, evaluator, work, past, increment: dz } = self;
        let BackwardDifferentiation { stages, memory } = &**method;
        let remembered =
            (memory.part(Part::LastIncrement, &from.memory), memory.part(Part::LastInverseStep, &from.memory));
        let (Some(before), Some(&[inverse])) = remembered else {
            return Err(Misuse::OtherState.into());
        };
        let (zero, one) = (S::from_f64(0.0), S::from_f64(1.0));
        let ratio = (h * inverse).max(zero);
        let d = (one + ratio + ratio) / (one + ratio);
        scaled(ratio * ratio / (one + ratio), before, past);
        work.solve(stages, machine, evaluator, (h, Input { given: &[d], past }), from)?;
        increment(stages, 1, work, dz);
        advanced((&from.values, &from.carry), dz, (&mut to.values, &mut to.carry));
        let parts = memory.parts_mut([Part::LastIncrement, Part::LastInverseStep], &mut to.memory);
        let [last, inverse] = parts.ok_or(Misuse::OtherState)?;
        last.copy_from_slice(dz);
        inverse.fill(one / h);
        Ok(())
    }
}
