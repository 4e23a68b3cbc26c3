//! A planned method on a system, making steps by calls of the system's functions.

use crate::held::{HiddenTerms, moved};
use crate::prepare::Prepared;
use crate::projection::{Target, project_onto};
use cotangent_dynamics::{
    Advance, Dynamics, Failure, Following, Kind, Misuse, Numeric, State, Stepper, Value, allowance, unsatisfied,
};
use cotangent_scalar::Cancel;
use cotangent_solve::NewtonOptions;
use std::ops::Range;

/// The part of the terms of a constraint that the rounding of multipliers may be; more is no solution.
const NOISE: f64 = 1e-9;

/// The system, made anew for each stepper.
type Source<'s> = dyn Fn() -> Box<dyn Dynamics<'s, f64> + 's> + 's;

/// Makes the steps of a method on a system that is given in `f64`.
///
/// What it takes is made when it is first asked for.
pub struct Propagator<'s> {
    system: Box<Source<'s>>,
    prepared: Prepared,
    options: NewtonOptions,
    cancel: Cancel,
    /// The number of variables, and of numbers that the method remembers.
    lengths: [usize; 2],
    steps: Option<Box<Steps<'s>>>,
    /// What makes steps that are mended, once there was one.
    unheld: Option<Box<Steps<'s>>>,
    mended: u64,
}

/// A stepper with the machine that solves its equations.
struct Steps<'s> {
    stepper: Box<dyn Stepper<f64> + 's>,
    machine: Numeric<f64>,
    next: State<f64>,
}

impl<'s> Propagator<'s> {
    /// A method planned for a system of so many variables.
    pub fn new(
        prepared: &Prepared,
        options: NewtonOptions,
        dimension: usize,
        system: impl Fn() -> Box<dyn Dynamics<'s, f64> + 's> + 's,
    ) -> Result<Propagator<'s>, Failure> {
        let mut made = Propagator::remembering(prepared, options, [dimension, 0], system);
        let steps = made.steps(&made.prepared)?;
        made.lengths[1] = steps.stepper.memory();
        made.steps = Some(Box::new(steps));
        Ok(made)
    }

    /// The same for a method that is known to remember so many numbers: nothing is made before it is needed.
    pub fn remembering(
        prepared: &Prepared,
        options: NewtonOptions,
        lengths: [usize; 2],
        system: impl Fn() -> Box<dyn Dynamics<'s, f64> + 's> + 's,
    ) -> Propagator<'s> {
        Propagator {
            system: Box::new(system),
            prepared: prepared.clone(),
            options,
            cancel: Cancel::new(),
            lengths,
            steps: None,
            unheld: None,
            mended: 0,
        }
    }

    /// The method.
    pub fn prepared(&self) -> &Prepared {
        &self.prepared
    }

    fn steps(&self, prepared: &Prepared) -> Result<Steps<'s>, Failure> {
        let stepper = prepared.stepper(&*(self.system)())?;
        let mut machine = Numeric::new(prepared.plan(), self.options)?;
        machine.cancel_with(&self.cancel);
        Ok(Steps { stepper, machine, next: State::default() })
    }

    fn advance_plainly(&mut self, state: &mut State<f64>, h: f64, steps: u64) -> Result<(), (u64, Failure)> {
        if self.steps.is_none() {
            self.steps = Some(Box::new(self.steps(&self.prepared).map_err(|failure| (0, failure))?));
        }
        match &mut self.steps {
            Some(made) => made.advance(state, h, steps),
            None => Ok(()),
        }
    }

    /// Refuses a state that is none of its own.
    pub fn check(&self, state: &State<f64>) -> Result<(), Failure> {
        let [dimension, memory] = self.lengths;
        match [state.values.len(), state.carry.len(), state.memory.len()] == [dimension, dimension, memory] {
            true => Ok(()),
            false => Err(Misuse::OtherState.into()),
        }
    }

    /// Makes a step that failed by the rounding of its multipliers, which a light mass makes larger than that of its
    /// constraints: ∂q/∂λ ~ h²/m. What the step finds is brought onto the constraints, by no more than that.
    pub fn mend(&mut self, state: &mut State<f64>, h: f64, failure: Failure) -> Result<(), Failure> {
        let allowed = allowance(f64::EPSILON, self.options.stopping.tolerance);
        match failure {
            Failure::Unsatisfied { residual, explained, .. } if residual <= NOISE * explained / allowed => {}
            _ => return Err(failure),
        }
        if self.unheld.is_none() {
            self.unheld = Some(Box::new(self.steps(&self.prepared.unheld())?));
        }
        let Some(steps) = &mut self.unheld else { return Err(failure) };
        let Steps { stepper, machine, next } = &mut **steps;
        next.copy_from(state);
        stepper.step(machine, h, state, next)?;
        let view = (self.system)();
        let (Some(mut manifold), Some(onto)) = (view.manifold()?, view.manifold()?) else { return Err(failure) };
        let claims = self.prepared.claims(true);
        let target = match (claims.constraints, claims.hidden_constraints) {
            (true, true) => Target::Both,
            (true, false) => Target::Position,
            (false, _) => Target::Momentum,
        };
        project_onto(target, onto, next)?;
        let (n, m) = (manifold.shape().coordinates, manifold.shape().constraints);
        let (mut residual, mut magnitude) = (vec![0.0; m], vec![0.0; m]);
        let off = |kind, r: &[f64], m: &[f64]| unsatisfied(kind, r.iter().copied().zip(m.iter().copied()), allowed);
        let mut rates = (vec![0.0; m], vec![0.0; m]);
        let ends = [&state.values[..], &next.values[..]];
        HiddenTerms::new(manifold.shape()).evaluate(manifold.as_mut(), h, ends, &mut rates.0, &mut rates.1)?;
        if claims.constraints {
            manifold.constraints(&next.values[..n], &mut residual)?;
            manifold.constraint_magnitudes(&next.values[..n], &mut magnitude)?;
            moved(h, &residual, &rates.1, &mut magnitude);
            off(Kind::Constraint, &residual, &magnitude).map_or(Ok(()), Err)?;
        }
        if claims.hidden_constraints {
            off(Kind::HiddenConstraint, &rates.0, &rates.1).map_or(Ok(()), Err)?;
        }
        if let Some(k) = next.values.iter().position(|v| !v.is_finite()) {
            return Err(Failure::NotFinite(Value::State(k)));
        }
        std::mem::swap(state, next);
        self.mended += 1;
        Ok(())
    }
}

impl Advance for Propagator<'_> {
    fn state(&self, values: Vec<f64>) -> State<f64> {
        State::new(values, self.lengths[1])
    }

    fn advance(&mut self, state: &mut State<f64>, h: f64, steps: u64) -> Result<(), (u64, Failure)> {
        self.check(state).map_err(|e| (0, e))?;
        let mut done = 0;
        while done < steps {
            let Err((made, failure)) = self.advance_plainly(state, h, steps - done) else { break };
            done += made;
            self.mend(state, h, failure).map_err(|failure| (done, failure))?;
            done += 1;
        }
        Ok(())
    }

    fn follow(&mut self, state: &mut State<f64>, h: f64, parts: u32) -> Result<(), Failure> {
        self.check(state)?;
        let Steps { mut stepper, mut machine, mut next } = self.steps(&self.prepared)?;
        next.copy_from(state);
        let mut following = Following::new(&mut machine);
        let mut step = |k: u32| {
            let part = f64::from(k) / f64::from(parts);
            following.begin(part);
            stepper.step(&mut following, part * h, state, &mut next)
        };
        // What cannot be solved on the way, at the singular point itself, is passed over.
        (1..parts).for_each(|k| drop(step(k)));
        step(parts)?;
        if let Some(k) = next.values.iter().position(|v| !v.is_finite()) {
            return Err(Failure::NotFinite(Value::State(k)));
        }
        state.copy_from(&next);
        Ok(())
    }

    /// SHAKE kicks with the multiplier of the step, λ, at both of its ends. Through a singular configuration G changes its
    /// sign, and so does λ, whose size grows like 1/|G| on the way: the kick at the end is then a large one in the wrong
    /// direction, and each later step reverses it.
    fn settle(&mut self, state: &mut State<f64>) -> bool {
        if !self.prepared.leaves_momenta_free() {
            return false;
        }
        let Ok(Some(manifold)) = (self.system)().manifold() else { return false };
        let mut settled = state.clone();
        let projected = project_onto(Target::Momentum, manifold, &mut settled);
        let is_good = projected.is_ok() && settled.values.iter().all(|v| v.is_finite());
        if is_good {
            *state = settled;
        }
        is_good
    }

    fn own_steps(&self) -> Option<&[f64]> {
        self.steps.as_ref().and_then(|steps| steps.stepper.own_steps())
    }

    fn chart(&self) -> Option<Range<usize>> {
        self.prepared.chart()
    }

    fn iterations(&self) -> u64 {
        self.steps.as_ref().map_or(0, |steps| steps.machine.iterations)
    }

    fn contractions(&self) -> u64 {
        self.steps.as_ref().map_or(0, |steps| steps.machine.contractions)
    }

    fn mended(&self) -> u64 {
        self.mended
    }

    fn cancel_with(&mut self, cancel: &Cancel) {
        self.cancel = cancel.clone();
        if let Some(steps) = &mut self.steps {
            steps.machine.cancel_with(cancel);
        }
    }
}

impl Steps<'_> {
    fn advance(&mut self, state: &mut State<f64>, h: f64, steps: u64) -> Result<(), (u64, Failure)> {
        let Steps { stepper, machine, next } = self;
        next.copy_from(state);
        for done in 0..steps {
            stepper.step(machine, h, state, next).map_err(|e| (done, e))?;
            if let Some(k) = next.values.iter().position(|v| !v.is_finite()) {
                return Err((done, Failure::NotFinite(Value::State(k))));
            }
            std::mem::swap(state, next);
        }
        Ok(())
    }
}
