//! The machine of a step that is recorded with its loops.

use super::{LoopRecorder, Looped};
use crate::record::item::{Item, Otherwise};
use cotangent_dynamics::{
    Contraction, Equations, Failure, Kind, Machine, Map, Misuse, Plan, Site, Stage, Unrecordable,
};

/// The machine that records: an iteration becomes one region, and so do stages.
pub struct LoopRecord<'t> {
    pub(super) recorder: &'t LoopRecorder,
    pub(super) plan: &'t Plan,
}

impl<'t> LoopRecord<'t> {
    /// The recorder of this step.
    pub fn recorder(&self) -> &'t LoopRecorder {
        self.recorder
    }

    /// Records the body of an iteration: the arrays of the vectors it gives, and what it does.
    fn iteration<const K: usize>(
        &mut self,
        body: impl FnOnce(&mut Self) -> Result<[Vec<Looped<'t>>; K], Failure>,
    ) -> Result<([usize; K], Vec<Item>), Failure> {
        let recorder = self.recorder;
        {
            let mut trace = recorder.0.borrow_mut();
            // What is too long already need not be recorded to its end.
            let fault = trace.fault.or(trace.iterated.then_some(Unrecordable::Nested));
            if let Some(why) = fault {
                return Err(Misuse::from(why).into());
            }
            trace.iterated = true;
            trace.begin();
        }
        let left = body(self)?.map(|vector| recorder.whole(&vector));
        let mut trace = recorder.0.borrow_mut();
        trace.iterated = false;
        Ok((left, trace.end()))
    }

    /// Records the map of a fixed-point equation: where its unknowns are, where it leaves its values, and what it does.
    fn map(
        &mut self,
        site: Site,
        unknowns: &[Looped<'t>],
        map: impl FnOnce(&mut Self, &[Looped<'t>], &mut [Looped<'t>]) -> Result<(), Failure>,
    ) -> Result<(usize, usize, Vec<Item>), Failure> {
        let planned = self.plan.unknowns(site).filter(|u| u.pattern.is_none() && u.len() == unknowns.len());
        if planned.ok_or(Misuse::NoSuchFixedPoint)?.stages.is_none() {
            return Err(Misuse::from(Unrecordable::FixedPoint).into());
        }
        let unknown = self.recorder.copied(unknowns);
        let ([next], body) = self.iteration(|machine| {
            let mut next = vec![Looped::Constant(0.0); unknowns.len()];
            map(machine, &machine.recorder.entries(unknown), &mut next)?;
            Ok([next])
        })?;
        Ok((unknown, next, body))
    }
}

impl<'t> Machine<Looped<'t>> for LoopRecord<'t> {
    fn newton(
        &mut self,
        site: Site,
        unknowns: &mut [Looped<'t>],
        equations: &mut Equations<'_, Looped<'t>>,
    ) -> Result<(), Failure> {
        self.newton_of_terms(site, unknowns, &[], equations)
    }

    fn newton_of_terms(
        &mut self,
        site: Site,
        unknowns: &mut [Looped<'t>],
        terms: &[Looped<'t>],
        equations: &mut Equations<'_, Looped<'t>>,
    ) -> Result<(), Failure> {
        let recorder = self.recorder;
        let pattern = self.plan.unknowns(site).and_then(|u| u.pattern.as_ref());
        let Some(pattern) = pattern.filter(|p| p.rows() == unknowns.len()) else {
            return Err(Misuse::NoSuchEquations.into());
        };
        let unknown = recorder.copied(unknowns);
        let terms = (!terms.is_empty()).then(|| recorder.whole(terms));
        let ([residual, jacobian], body) = self.iteration(|machine| {
            let mut residual = vec![Looped::Constant(0.0); unknowns.len()];
            let mut jacobian = vec![Looped::Constant(0.0); pattern.len()];
            equations(&machine.recorder.entries(unknown), &mut residual, &mut jacobian)?;
            Ok([residual, jacobian])
        })?;
        recorder.item(Item::Newton { site, unknown, terms, residual, jacobian, body });
        unknowns.copy_from_slice(&recorder.entries(unknown));
        Ok(())
    }

    fn fixed_point(
        &mut self,
        site: Site,
        unknowns: &mut [Looped<'t>],
        map: &mut Map<'_, Looped<'t>>,
    ) -> Result<(), Failure> {
        let recorder = self.recorder;
        let (unknown, next, body) = self.map(site, unknowns, |machine, x, next| map(machine, x, next))?;
        recorder.item(Item::FixedPoint { site, unknown, next, body, otherwise: None });
        unknowns.copy_from_slice(&recorder.entries(unknown));
        Ok(())
    }

    fn contract(
        &mut self,
        site: Site,
        unknowns: &mut [Looped<'t>],
        pause: &mut Looped<'t>,
        equations: &mut dyn Contraction<Looped<'t>>,
    ) -> Result<(), Failure> {
        let recorder = self.recorder;
        let paused = recorder.copied(&[*pause]);
        let (unknown, next, body) = self.map(site, unknowns, |_, x, next| equations.map(x, next))?;
        let (depth, size, fault, repeated) = {
            let mut trace = recorder.0.borrow_mut();
            trace.begin();
            (trace.outside.len(), (trace.kernels, trace.operations), trace.fault, trace.repeated)
        };
        let recorded = equations.otherwise(self, unknowns);
        let mut solution = recorder.whole(unknowns);
        let mut trace = recorder.0.borrow_mut();
        let is_too_long = fault.is_none() && trace.fault == Some(Unrecordable::TooLong);
        let other = match recorded.is_err() || is_too_long {
            true => {
                // Not made of loops: a step that goes this way is left to calls, and what was recorded of it is forgotten.
                trace.outside.truncate(depth);
                trace.end();
                (trace.kernels, trace.operations) = size;
                (trace.fault, trace.iterated, trace.repeated) = (fault, false, repeated);
                solution = unknown;
                vec![Item::Leave]
            }
            false => trace.end(),
        };
        drop(trace);
        let otherwise = Some(Otherwise { pause: paused, solution, body: other });
        recorder.item(Item::FixedPoint { site, unknown, next, body, otherwise });
        unknowns.copy_from_slice(&recorder.entries(unknown));
        *pause = recorder.entries(paused)[0];
        Ok(())
    }

    fn repeat(
        &mut self,
        coefficients: &[Looped<'t>],
        state: &mut [Looped<'t>],
        stage: &mut Stage<'_, Looped<'t>>,
    ) -> Result<bool, Failure> {
        let recorder = self.recorder;
        let known = |c: &Looped<'t>| if let Looped::Constant(c) = c { Some(*c) } else { None };
        let Some(coefficients) = coefficients.iter().map(known).collect::<Option<Vec<f64>>>() else { return Ok(false) };
        if recorder.0.borrow().iterated || recorder.0.borrow().repeated {
            return Ok(false);
        }
        let (before, coefficient) = (recorder.copied(state), recorder.array(1));
        {
            let mut trace = recorder.0.borrow_mut();
            trace.repeated = true;
            trace.begin();
        }
        state.copy_from_slice(&recorder.entries(before));
        stage(self, recorder.entries(coefficient)[0], state)?;
        // Not where the next stage begins already.
        let next = recorder.copied(state);
        let body = {
            let mut trace = recorder.0.borrow_mut();
            trace.repeated = false;
            trace.end()
        };
        recorder.item(Item::Repeat { coefficients, coefficient, state: before, next, body });
        state.copy_from_slice(&recorder.entries(before));
        Ok(true)
    }

    fn require(&mut self, kind: Kind, residual: &[Looped<'t>], magnitude: &[Looped<'t>]) -> Result<(), Failure> {
        let (residual, magnitude) = (self.recorder.whole(residual), self.recorder.whole(magnitude));
        self.recorder.item(Item::Require { kind, residual, magnitude });
        Ok(())
    }

    fn value(&mut self, _: Looped<'t>) -> Result<f64, Failure> {
        Err(Misuse::from(Unrecordable::Decision).into())
    }
}
