//! The machine of a step that is recorded with all its loops written out.

use super::{Recorder, Traced};
use crate::program::{Base, Instruction, Otherwise};
use cotangent_dynamics::{
    Contraction, Equations, Failure, Kind, Machine, Map, Misuse, Plan, Site, Stage, Unrecordable,
};

/// The machine that records: an iteration becomes one region.
pub struct Record<'t> {
    pub(super) recorder: &'t Recorder,
    pub(super) plan: &'t Plan,
}

impl<'t> Record<'t> {
    /// The recorder of this step.
    pub fn recorder(&self) -> &'t Recorder {
        self.recorder
    }

    /// Records what happens inside of an iteration, and where it leaves its results.
    fn iteration<const K: usize>(
        &mut self,
        inside: impl FnOnce(&mut Self) -> Result<[Vec<Traced<'t>>; K], Failure>,
    ) -> Result<([usize; K], Vec<Instruction>), Failure> {
        {
            let mut trace = self.recorder.0.borrow_mut();
            if trace.inside {
                trace.fail(Unrecordable::Nested);
            }
            trace.inside = true;
            trace.begin();
        }
        let left = inside(self)?.map(|vector| self.recorder.store(&vector));
        let mut trace = self.recorder.0.borrow_mut();
        trace.inside = false;
        Ok((left, trace.end()))
    }

    /// Records the map of a fixed-point equation: where its unknowns are, where it leaves its values, and what it does.
    fn map(
        &mut self,
        site: Site,
        unknowns: &[Traced<'t>],
        map: impl FnOnce(&mut Self, &[Traced<'t>], &mut [Traced<'t>]) -> Result<(), Failure>,
    ) -> Result<(usize, usize, Vec<Instruction>), Failure> {
        let planned = self.plan.unknowns(site).filter(|u| u.pattern.is_none() && u.len() == unknowns.len());
        if planned.ok_or(Misuse::NoSuchFixedPoint)?.stages.is_none() {
            return Err(Misuse::from(Unrecordable::FixedPoint).into());
        }
        let unknown = self.recorder.store(unknowns);
        let ([next], body) = self.iteration(|machine| {
            let inside = machine.recorder.memory(Base::Work, unknown, unknowns.len());
            let mut next = vec![Traced::Constant(0.0); unknowns.len()];
            map(machine, &inside, &mut next)?;
            Ok([next])
        })?;
        Ok((unknown, next, body))
    }
}

impl<'t> Machine<Traced<'t>> for Record<'t> {
    fn newton(
        &mut self,
        site: Site,
        unknowns: &mut [Traced<'t>],
        equations: &mut Equations<'_, Traced<'t>>,
    ) -> Result<(), Failure> {
        self.newton_of_terms(site, unknowns, &[], equations)
    }

    fn newton_of_terms(
        &mut self,
        site: Site,
        unknowns: &mut [Traced<'t>],
        terms: &[Traced<'t>],
        equations: &mut Equations<'_, Traced<'t>>,
    ) -> Result<(), Failure> {
        let recorder = self.recorder;
        let pattern = self.plan.unknowns(site).and_then(|u| u.pattern.as_ref());
        let Some(pattern) = pattern.filter(|p| p.rows() == unknowns.len()) else {
            return Err(Misuse::NoSuchEquations.into());
        };
        let unknown = recorder.store(unknowns);
        let terms = (!terms.is_empty()).then(|| recorder.store(terms));
        let ([residual, jacobian], body) = self.iteration(|machine| {
            let inside = machine.recorder.memory(Base::Work, unknown, unknowns.len());
            let mut residual = vec![Traced::Constant(0.0); unknowns.len()];
            let mut jacobian = vec![Traced::Constant(0.0); pattern.len()];
            equations(&inside, &mut residual, &mut jacobian)?;
            Ok([residual, jacobian])
        })?;
        {
            let mut trace = recorder.0.borrow_mut();
            let solver = trace.system("step", pattern, Some(site));
            trace.instruct(Instruction::Root { solver, unknown, terms, residual, jacobian, body });
        }
        unknowns.copy_from_slice(&recorder.memory(Base::Work, unknown, unknowns.len()));
        Ok(())
    }

    fn fixed_point(
        &mut self,
        site: Site,
        unknowns: &mut [Traced<'t>],
        map: &mut Map<'_, Traced<'t>>,
    ) -> Result<(), Failure> {
        let recorder = self.recorder;
        let (unknown, next, body) = self.map(site, unknowns, |machine, x, next| map(machine, x, next))?;
        recorder.0.borrow_mut().instruct(Instruction::FixedPoint { site, unknown, next, body, otherwise: None });
        unknowns.copy_from_slice(&recorder.memory(Base::Work, unknown, unknowns.len()));
        Ok(())
    }

    fn contract(
        &mut self,
        site: Site,
        unknowns: &mut [Traced<'t>],
        pause: &mut Traced<'t>,
        equations: &mut dyn Contraction<Traced<'t>>,
    ) -> Result<(), Failure> {
        let recorder = self.recorder;
        let paused = recorder.store(&[*pause]);
        let (unknown, next, body) = self.map(site, unknowns, |_, x, next| equations.map(x, next))?;
        recorder.0.borrow_mut().begin();
        equations.otherwise(self, unknowns)?;
        let solution = recorder.store(unknowns);
        {
            let mut trace = recorder.0.borrow_mut();
            let otherwise = Some(Otherwise { pause: paused, solution, body: trace.end() });
            trace.instruct(Instruction::FixedPoint { site, unknown, next, body, otherwise });
        }
        unknowns.copy_from_slice(&recorder.memory(Base::Work, unknown, unknowns.len()));
        *pause = recorder.memory(Base::Work, paused, 1)[0];
        Ok(())
    }

    fn repeat(
        &mut self,
        coefficients: &[Traced<'t>],
        state: &mut [Traced<'t>],
        stage: &mut Stage<'_, Traced<'t>>,
    ) -> Result<bool, Failure> {
        let recorder = self.recorder;
        let known = |c: &Traced<'t>| if let Traced::Constant(c) = c { Some(*c) } else { None };
        let Some(coefficients) = coefficients.iter().map(known).collect::<Option<Vec<f64>>>() else { return Ok(false) };
        if recorder.0.borrow().inside || recorder.0.borrow().repeated {
            return Ok(false);
        }
        let (before, count) = (recorder.store(state), state.len());
        let coefficient = {
            let mut trace = recorder.0.borrow_mut();
            trace.repeated = true;
            trace.begin();
            trace.program.work += 1;
            trace.program.work - 1
        };
        state.copy_from_slice(&recorder.memory(Base::Work, before, count));
        let own = recorder.memory(Base::Work, coefficient, 1)[0];
        stage(self, own, state)?;
        let next = recorder.store(state);
        {
            let mut trace = recorder.0.borrow_mut();
            let body = trace.end();
            trace.repeated = false;
            trace.instruct(Instruction::Repeat { coefficients, coefficient, state: before, next, count, body });
        }
        state.copy_from_slice(&recorder.memory(Base::Work, before, count));
        Ok(true)
    }

    fn require(&mut self, kind: Kind, residual: &[Traced<'t>], magnitude: &[Traced<'t>]) -> Result<(), Failure> {
        let count = residual.len();
        let (residual, magnitude) = (self.recorder.store(residual), self.recorder.store(magnitude));
        let mut trace = self.recorder.0.borrow_mut();
        trace.close();
        trace.instruct(Instruction::Require { kind, residual, magnitude, count });
        Ok(())
    }

    fn value(&mut self, _: Traced<'t>) -> Result<f64, Failure> {
        Err(Misuse::from(Unrecordable::Decision).into())
    }
}
