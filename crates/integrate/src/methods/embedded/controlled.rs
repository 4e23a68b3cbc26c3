//! Own steps under error control, delivered at the end of each interval by dense output.
//!
//! The own solution runs ahead of what is delivered: when the end of an interval lies inside an own
//! step from z to z₁ of length h, at the part θ of it, it is
//!
//! ```text
//! u(θ) = z₁ − (1−θ) (Δ − θ (r₂ + θ (r₃ + (1−θ) (r₄ + θ (r₅ + (1−θ) (r₆ + θ r₇))))))
//! Δ = z₁ − z,   r₂ = h f(z) − Δ,   r₃ = Δ − h f(z₁) − r₂,   r₄ … = h Σⱼ dᵢⱼ kⱼ
//! ```
//!
//! (r₄ is the last for order 5). So the own steps do not depend on the intervals, and u(1) = z₁ to
//! the bit. What is delivered has no carry: it is rounded once from the own solution, which keeps
//! its carry for itself, and nothing is added to it.
//!
//! A state that is not the one delivered last (a projection has moved it), or an interval in the
//! other direction, is a fresh start, with the own step size so far, but not beyond the interval: a
//! state that is moved after every interval then ends an own step there.
//!
//! Hairer, Nørsett & Wanner, Solving Ordinary Differential Equations I, II.4, II.6 and II.10.

use super::Formula;
use super::control::{Controller, LEAST_ERROR};
use super::tableau::combined;
use cotangent_dynamics::{ErrorControl, Failure, GaveUp, Machine, State, Stepper, Value, carried};
use cotangent_scalar::Scalar;
use std::f64::consts::PI;

/// The own time less that of what is delivered, in the direction of the run, and its rounding error.
const AHEAD: usize = 0;
const AHEAD_REST: usize = 1;
/// The length of the current own step with its sign; zero before the first.
const LENGTH: usize = 2;
/// The size of the next own step.
const NEXT: usize = 3;
/// The error of the last own step.
const ERROR: usize = 4;
const ACCEPTED: usize = 5;
const REJECTED: usize = 6;
const NUMBERS: usize = 7;

/// The vectors Δ, r₂, r₃; those of `Tableau::dense` follow.
const CUBIC: usize = 3;

/// Own steps inside an interval, beyond which the method gives up.
const MOST_STEPS: u32 = 100_000;

/// Numbers of own states that are kept of an interval.
const MOST_KEPT: usize = 1 << 20;

/// An own step is not smaller than the round-off of so many intervals.
const LEAST_STEP: f64 = 16.0;

/// The tolerance is not smaller than so many units in the last place.
const LEAST_TOLERANCE: f64 = 4.0;

/// A first step is not smaller than this part of the interval: the error control may make it so.
const LEAST_FIRST: f64 = 1e-6;

/// The factor after a trial step that leads to where the rate is not defined.
const RETREAT: f64 = 0.1;

/// Accepted and rejected own steps.
pub(super) fn substeps(memory: &[f64]) -> Option<[u64; 2]> {
    Some([*memory.get(ACCEPTED)? as u64, *memory.get(REJECTED)? as u64])
}

pub(super) fn stepper<'s, S: Scalar + 's>(
    formula: Formula<'s, S>,
    controller: Controller,
    groups: Vec<usize>,
) -> Box<dyn Stepper<S> + 's> {
    let zero = vec![S::from_f64(0.0); formula.dimension];
    Box::new(Controlled { formula, controller, groups, end: zero.clone(), carry: zero, own_steps: vec![] })
}

struct Controlled<'s, S> {
    formula: Formula<'s, S>,
    controller: Controller,
    groups: Vec<usize>,
    /// z₁ of a trial step.
    end: Vec<S>,
    carry: Vec<S>,
    /// The own states of the last interval.
    own_steps: Vec<S>,
}

/// What is remembered, part by part.
struct Memory<'m, S> {
    numbers: &'m mut [S],
    /// The values delivered last.
    delivered: &'m mut [S],
    /// z₁, its carry and f(z₁).
    end: &'m mut [S],
    carry: &'m mut [S],
    rate: &'m mut [S],
    /// Δ, r₂, r₃ …, one after the other.
    dense: &'m mut [S],
}

impl<'m, S: Scalar> Memory<'m, S> {
    fn of(memory: &'m mut [S], n: usize) -> Self {
        let (numbers, rest) = memory.split_at_mut(NUMBERS);
        let (delivered, rest) = rest.split_at_mut(n);
        let (end, rest) = rest.split_at_mut(n);
        let (carry, rest) = rest.split_at_mut(n);
        let (rate, dense) = rest.split_at_mut(n);
        Memory { numbers, delivered, end, carry, rate, dense }
    }

    /// Moves the own time by `time` against what is delivered; exact to twice the precision, as
    /// intervals and own steps are summed up for ever.
    fn move_ahead(&mut self, time: S) {
        let (ahead, rest) = (self.numbers[AHEAD], self.numbers[AHEAD_REST]);
        let sum = ahead + time;
        let part = sum - ahead;
        let rest = rest + ((ahead - (sum - part)) + (time - part));
        let total = sum + rest;
        (self.numbers[AHEAD], self.numbers[AHEAD_REST]) = (total, rest - (total - sum));
    }

    fn count(&mut self, counter: usize) {
        self.numbers[counter] = self.numbers[counter] + S::from_f64(1.0);
    }
}

/// One call: its interval and what limits it.
struct Interval {
    size: f64,
    direction: f64,
    /// The distance from 1 to the next number.
    epsilon: f64,
    steps: u32,
}

impl<S: Scalar> Stepper<S> for Controlled<'_, S> {
    fn memory(&self) -> usize {
        NUMBERS + (4 + CUBIC + self.formula.tableau.dense.len()) * self.formula.dimension
    }

    /// A state that is not the one delivered is a new start; the step size and the counters stay.
    fn forget(&self, _: &mut [S]) {}

    fn own_steps(&self) -> Option<&[S]> {
        Some(&self.own_steps)
    }

    fn step(&mut self, machine: &mut dyn Machine<S>, h: S, from: &State<S>, to: &mut State<S>) -> Result<(), Failure> {
        let size = machine.value(h)?;
        to.copy_from(from);
        self.own_steps.clear();
        if size == 0.0 {
            return Ok(());
        }
        // π is a double and no more, or a double-double.
        let is_double = machine.value(S::pi() - S::from_f64(PI))? == 0.0;
        let epsilon = if is_double { f64::EPSILON } else { f64::EPSILON * f64::EPSILON };
        let mut interval = Interval { size: size.abs(), direction: size.signum(), epsilon, steps: 0 };
        if self.controller.tolerance < LEAST_TOLERANCE * epsilon {
            return Err(self.gives_up(GaveUp::RoundOff { epsilon }));
        }
        let mut memory = Memory::of(&mut to.memory, self.formula.dimension);
        // Where derivatives are carried along, they count too. A carry, below the last digit, does not.
        let moved = memory.delivered.iter().zip(&from.values).any(|(&a, &b)| !(a - b).is_zero());
        let length = machine.value(memory.numbers[LENGTH])?;
        if length == 0.0 || length.signum() != interval.direction || moved {
            self.start(machine, &interval, from, &mut memory)?;
        }
        memory.move_ahead(S::from_f64(-interval.direction) * h);
        while machine.value(memory.numbers[AHEAD])? < 0.0 {
            if self.own_steps.is_empty() {
                self.own_steps.extend_from_slice(memory.end);
            }
            self.own_step(machine, &mut interval, &mut memory)?;
            // Beyond that only the last is kept.
            if self.own_steps.len() > MOST_KEPT {
                self.own_steps.truncate(self.own_steps.len() - memory.end.len());
            }
            self.own_steps.extend_from_slice(memory.end);
        }
        self.deliver(&mut memory, interval.direction);
        to.values.copy_from_slice(memory.delivered);
        to.carry.fill(S::from_f64(0.0));
        Ok(())
    }
}

impl<S: Scalar> Controlled<'_, S> {
    /// The own solution starts where the state is.
    fn start(
        &mut self,
        machine: &mut dyn Machine<S>,
        interval: &Interval,
        from: &State<S>,
        memory: &mut Memory<'_, S>,
    ) -> Result<(), Failure> {
        let n = self.formula.dimension;
        memory.end.copy_from_slice(&from.values);
        memory.carry.copy_from_slice(&from.carry);
        self.formula.field.rate(memory.end, memory.rate)?;
        for (k, &rate) in memory.rate.iter().enumerate() {
            machine.value(rate).map_err(|_| Failure::NotFinite(Value::Rate(k)))?;
        }
        let known = machine.value(memory.numbers[NEXT])?;
        let next = if known > 0.0 {
            known.min(interval.size)
        } else {
            self.formula.rates[..n].copy_from_slice(memory.rate);
            let (groups, values) = (&self.groups, &*memory.end);
            let first = self.controller.first(machine, &mut self.formula, groups, values, interval.direction)?;
            first.map_or(interval.size, |first| first.max(LEAST_FIRST * interval.size))
        };
        for (number, value) in [(AHEAD, 0.0), (AHEAD_REST, 0.0), (NEXT, next), (ERROR, LEAST_ERROR)] {
            memory.numbers[number] = S::from_f64(value);
        }
        Ok(())
    }

    /// One accepted own step, after as many trials as it takes.
    fn own_step(
        &mut self,
        machine: &mut dyn Machine<S>,
        interval: &mut Interval,
        memory: &mut Memory<'_, S>,
    ) -> Result<(), Failure> {
        let n = self.formula.dimension;
        self.formula.rates[..n].copy_from_slice(memory.rate);
        let mut step = machine.value(memory.numbers[NEXT])?;
        let mut rejected = false;
        let mut undefined = None;
        loop {
            self.limits(interval, step, &undefined)?;
            interval.steps += 1;
            let error = match self.trial(machine, step, interval.direction, memory) {
                Ok(error) => error,
                Err(failure @ Failure::Misused { .. }) => return Err(failure),
                Err(failure) => {
                    undefined = Some(failure);
                    f64::INFINITY
                }
            };
            if error <= 1.0 {
                let before = machine.value(memory.numbers[ERROR])?;
                let factor = self.controller.after(error, before);
                let next = step * if rejected { factor.min(1.0) } else { factor };
                memory.numbers[NEXT] = S::from_f64(next);
                memory.numbers[ERROR] = S::from_f64(error.max(LEAST_ERROR));
                memory.count(ACCEPTED);
                return self.accept(machine, step, interval.direction, memory);
            }
            rejected = true;
            memory.count(REJECTED);
            step *= if error.is_finite() { self.controller.after_rejection(error) } else { RETREAT };
        }
    }

    /// A step of the formula from the own state, and its error.
    fn trial(
        &mut self,
        machine: &mut dyn Machine<S>,
        step: f64,
        direction: f64,
        memory: &Memory<'_, S>,
    ) -> Result<f64, Failure> {
        let Controlled { formula, controller, groups, end, carry, .. } = self;
        let n = formula.dimension;
        formula.stages(S::from_f64(direction * step), (memory.end, memory.carry))?;
        for k in 0..n {
            (end[k], carry[k]) = carried(memory.end[k], memory.carry[k], formula.increment[k]);
        }
        let last = formula.tableau.step.len() * n;
        formula.field.rate(end, &mut formula.rates[last..last + n])?;
        for &rate in &formula.rates[last..last + n] {
            machine.value(rate)?;
        }
        let error = controller.error(machine, formula, groups, step, (memory.end, end))?;
        Ok(if error.is_nan() { f64::INFINITY } else { error })
    }

    /// Takes the trial step; with its dense output if something is to be delivered from inside it.
    fn accept(
        &mut self,
        machine: &mut dyn Machine<S>,
        step: f64,
        direction: f64,
        memory: &mut Memory<'_, S>,
    ) -> Result<(), Failure> {
        let h = S::from_f64(direction * step);
        memory.numbers[LENGTH] = h;
        memory.move_ahead(S::from_f64(step));
        let ahead = memory.numbers[AHEAD];
        if machine.value(ahead)? >= 0.0 && !ahead.is_zero() {
            self.dense(h, memory)?;
        }
        let n = self.formula.dimension;
        let last = self.formula.tableau.step.len() * n;
        memory.end.copy_from_slice(&self.end);
        memory.carry.copy_from_slice(&self.carry);
        memory.rate.copy_from_slice(&self.formula.rates[last..last + n]);
        Ok(())
    }

    /// Δ, r₂, r₃ …, with the stages that only they need.
    fn dense(&mut self, h: S, memory: &mut Memory<'_, S>) -> Result<(), Failure> {
        let Formula { tableau, field, dimension, rates, stage, increment } = &mut self.formula;
        let n = *dimension;
        let last = tableau.step.len();
        for (row, i) in tableau.extra.iter().zip(last + 1..) {
            for k in 0..n {
                stage[k] = carried(memory.end[k], memory.carry[k], h * combined(row, rates, n, k)).0;
            }
            field.rate(stage, &mut rates[i * n..(i + 1) * n])?;
        }
        for k in 0..n {
            let whole = increment[k];
            let second = h * rates[k] - whole;
            memory.dense[k] = whole;
            memory.dense[n + k] = second;
            memory.dense[2 * n + k] = whole - h * rates[last * n + k] - second;
            for (row, i) in tableau.dense.iter().zip(CUBIC..) {
                memory.dense[i * n + k] = h * combined(row, rates, n, k);
            }
        }
        Ok(())
    }

    /// The own solution at the end of the interval.
    fn deliver(&self, memory: &mut Memory<'_, S>, direction: f64) {
        let Memory { numbers, delivered, end, carry, dense, .. } = memory;
        if numbers[AHEAD].is_zero() {
            delivered.copy_from_slice(end);
            return;
        }
        let n = self.formula.dimension;
        let last = CUBIC + self.formula.tableau.dense.len() - 1;
        // 1 − θ
        let rest = numbers[AHEAD] / (S::from_f64(direction) * numbers[LENGTH]);
        let theta = S::from_f64(1.0) - rest;
        for k in 0..n {
            let mut sum = dense[last * n + k];
            for i in (1..last).rev() {
                // r₂ + θ (r₃ + (1−θ) (r₄ + …
                sum = dense[i * n + k] + (if i % 2 == 1 { theta } else { rest }) * sum;
            }
            delivered[k] = carried(end[k], carry[k], -(rest * (dense[k] - theta * sum))).0;
        }
    }

    /// Whether another trial may be made.
    fn limits(&self, interval: &Interval, step: f64, undefined: &Option<Failure>) -> Result<(), Failure> {
        let Interval { size, epsilon, steps, .. } = *interval;
        if steps == MOST_STEPS {
            return Err(self.gives_up(GaveUp::TooMany { most: MOST_STEPS, interval: size, step }));
        }
        if step >= LEAST_STEP * epsilon * size {
            return Ok(());
        }
        Err(self.gives_up(GaveUp::TooSmall { step, interval: size, undefined: undefined.clone() }))
    }

    fn gives_up(&self, cause: GaveUp) -> Failure {
        Failure::ErrorControl(Box::new(ErrorControl { tolerance: self.controller.tolerance, cause }))
    }
}
