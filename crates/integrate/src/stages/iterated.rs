//! Stage equations of a vector field solved by iteration:
//!
//! ```text
//! Lⱼ ← h bⱼ f(z + Σₖ μⱼₖ Lₖ)
//! ```
//!
//! from the polynomial through the terms of the step before, continued into this one, as long as the steps are equal;
//! otherwise from Lⱼ = 0, which the first iteration makes h bⱼ f(z). Where the map does not contract fast enough Newton's
//! method solves for the increments, for a while.
//!
//! Hairer, Lubich & Wanner, Geometric Numerical Integration, VIII.6.1.

use super::declaration::Row;
use super::evaluator::Evaluator;
use super::planned::Stages;
use super::work::{Evaluated, Input, Work};
use crate::coefficients::Coefficient;
use crate::expected::equal_steps;
use crate::vector::{combination, scaled, zeros};
use cotangent_dynamics::{Contraction, Failure, Kind, Machine, MemoryLayout, Misuse, Part, Plan, Site, State};
use cotangent_scalar::Scalar;

/// The iteration, planned.
#[derive(Clone, Debug)]
pub(crate) struct Iterated {
    site: Site,
    /// Whether Newton's method solves where the iteration does not converge.
    guarded: bool,
    /// What makes the terms of the next step of those of the last, row by row.
    extrapolation: Vec<Coefficient>,
    memory: MemoryLayout,
}

impl Iterated {
    /// For stage equations all of whose terms are rates of one vector field.
    pub(crate) fn new(stages: &Stages, extrapolation: Vec<Coefficient>, guarded: bool, plan: &mut Plan) -> Iterated {
        let (number, n) = (stages.values.len(), stages.dimension());
        let site = plan.stages(number, &[(Kind::State, n)]);
        let memory = MemoryLayout::new().with(Part::NextTerms, number * n).with(Part::LastStep, 1);
        let memory = if guarded { memory.with(Part::Pause, 1) } else { memory };
        Iterated { site, guarded, extrapolation, memory }
    }

    /// The terms expected in the next step, the size of the last, and for how long the iteration is not tried.
    pub(crate) fn memory(&self) -> &MemoryLayout {
        &self.memory
    }

    /// Room for the terms.
    pub(crate) fn terms<S: Scalar>(&self, stages: &Stages) -> Terms<S> {
        let extrapolation = self.extrapolation.iter().map(|e| e.value(&[])).collect();
        Terms { terms: zeros(stages.values.len() * stages.dimension()), extrapolation }
    }
}

/// The terms Lⱼ, one after the other, in one arithmetic.
pub(crate) struct Terms<S> {
    terms: Vec<S>,
    extrapolation: Vec<S>,
}

impl<S: Scalar> Terms<S> {
    /// Lⱼ.
    pub(crate) fn term(&self, stages: &Stages, j: usize) -> &[S] {
        let n = stages.dimension();
        &self.terms[j * n..(j + 1) * n]
    }

    /// Solves the equations for a step of size h from a state, and remembers for the next.
    pub(crate) fn solve(
        &mut self,
        (stages, iterated): (&Stages, &Iterated),
        machine: &mut dyn Machine<S>,
        (evaluator, work): (&mut Evaluator<'_, S>, &mut Work<S>),
        h: S,
        from: &State<S>,
        to: &mut [S],
    ) -> Result<(), Failure> {
        let Iterated { site, guarded, memory, .. } = iterated;
        let expected = memory.part(Part::NextTerms, &from.memory).ok_or(Misuse::OtherState)?;
        let &[last] = memory.part(Part::LastStep, &from.memory).ok_or(Misuse::OtherState)? else {
            return Err(Misuse::OtherState.into());
        };
        let zero = S::from_f64(0.0);
        scaled(equal_steps(h, last), expected, &mut self.terms);
        work.evaluated.numbers.set(stages, h, &[]);
        let mut ways = Ways { stages, evaluator, work, h, from };
        let mut pause = memory.part(Part::Pause, &from.memory).and_then(|p| p.first().copied()).unwrap_or(zero);
        match guarded {
            true => machine.contract(*site, &mut self.terms, &mut pause, &mut ways)?,
            false => machine.fixed_point(*site, &mut self.terms, &mut |_, x, next| ways.map(x, next))?,
        }
        self.remember(stages, memory, to)?;
        let written = memory.part_mut(Part::LastStep, to).ok_or(Misuse::OtherState)?;
        written.fill(h);
        if let Some(written) = memory.part_mut(Part::Pause, to) {
            written.fill(pause);
        }
        Ok(())
    }

    /// The terms expected in the next step.
    fn remember(&self, stages: &Stages, memory: &MemoryLayout, to: &mut [S]) -> Result<(), Failure> {
        let (number, n) = (stages.values.len(), stages.dimension());
        let next = memory.part_mut(Part::NextTerms, to).ok_or(Misuse::OtherState)?;
        for (next, row) in next.chunks_mut(n.max(1)).zip(self.extrapolation.chunks(number)) {
            combination(row.iter().enumerate().map(|(j, &e)| (e, self.term(stages, j))), next);
        }
        Ok(())
    }
}

/// The two ways to the terms.
struct Ways<'w, 's, S> {
    stages: &'w Stages,
    evaluator: &'w mut Evaluator<'s, S>,
    work: &'w mut Work<S>,
    h: S,
    from: &'w State<S>,
}

impl<S: Scalar> Contraction<S> for Ways<'_, '_, S> {
    fn map(&mut self, x: &[S], next: &mut [S]) -> Result<(), Failure> {
        let Ways { stages, evaluator, work, from, .. } = self;
        let n = stages.dimension();
        let Work { unknowns, evaluated } = &mut **work;
        for (i, row) in stages.declared.rows.iter().enumerate() {
            let Row::Increment { left, .. } = row else { continue };
            let terms = evaluated.numbers.right[i].iter().zip(&stages.right[i]);
            let terms = terms.map(|(&a, &value)| (a, &x[value * n..(value + 1) * n]));
            let Some(&(unknown, _)) = left.first() else { continue };
            combination(terms, &mut unknowns[stages.unknowns[unknown].clone()]);
        }
        evaluated.all_terms(stages, evaluator, from, unknowns)?;
        evaluated.gather(next);
        Ok(())
    }

    fn otherwise(&mut self, machine: &mut dyn Machine<S>, x: &mut [S]) -> Result<(), Failure> {
        let Ways { stages, evaluator, work, h, from } = self;
        work.solve(stages, machine, evaluator, (*h, Input::none()), from)?;
        work.evaluate(stages, evaluator, from)?;
        work.evaluated.gather(x);
        Ok(())
    }
}

impl<S: Scalar> Evaluated<S> {
    /// The terms, one after the other.
    fn gather(&self, out: &mut [S]) {
        let values = self.values.iter().flatten();
        out.iter_mut().zip(values).for_each(|(out, &value)| *out = value);
    }
}
