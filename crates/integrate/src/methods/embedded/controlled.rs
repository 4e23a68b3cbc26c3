//! Own steps under error control, delivered at the end of each interval by dense output.
//!
//! The own solution runs ahead of what is delivered: when the end of an interval lies inside an own
//! step from z to z₁ of length h, at the part θ of it, it is the u(θ) of [`dense`](super::dense). So
//! the own steps do not depend on the intervals, and u(1) = z₁ to the bit; but a step inside which
//! something is to be delivered is made shorter where u does not belong to it. What is delivered has
//! no carry: it is rounded once from the own solution, which keeps its carry for itself, and nothing
//! is added to it.
//!
//! A state that is not the one delivered last (a projection has moved it), or an interval in the
//! other direction, is a fresh start, with the own step size so far, but not beyond the interval: a
//! state that is moved after every interval then ends an own step there.
//!
//! Hairer, Nørsett & Wanner, Solving Ordinary Differential Equations I, II.4, II.6 and II.10.

use super::Formula;
use super::control::{Controller, LEAST_ERROR};
use super::dense::CUBIC;
use super::tableau::Tableau;
use crate::vector::{add, advanced, clear, displace, scale, zeros};
use cotangent_dynamics::{ErrorControl, Failure, GaveUp, Machine, MemoryLayout, Misuse, Part, State, Stepper, Value};
use cotangent_scalar::Scalar;
use std::f64::consts::PI;

/// The numbers of [`Part::OwnTime`].
const AHEAD: usize = 0;
const AHEAD_REST: usize = 1;

/// The numbers of [`Part::OwnStep`]: the current one, with its sign and zero before the first; the size of the next;
/// the error of the last.
const LENGTH: usize = 0;
const NEXT: usize = 1;
const ERROR: usize = 2;

/// The numbers of [`Part::OwnSteps`].
const ACCEPTED: usize = 0;
const REJECTED: usize = 1;

/// Own steps inside an interval, beyond which the method gives up.
pub(super) const MOST_STEPS: u32 = 100_000;

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

/// The factor after a trial step whose dense output does not belong to it.
const HALF: f64 = 0.5;

/// What the own steps of a field of n variables need.
pub(super) fn memory<T>(n: usize, tableau: &Tableau<T>) -> MemoryLayout {
    let numbers = MemoryLayout::new().with(Part::OwnTime, 2).with(Part::OwnStep, 3).with(Part::OwnSteps, 2);
    let own = numbers.with(Part::Delivered, n).with(Part::OwnState, n).with(Part::OwnCarry, n).with(Part::OwnRate, n);
    own.with(Part::DenseOutput, (CUBIC + tableau.dense.len()) * n)
}

pub(super) fn stepper<'s, S: Scalar + 's>(
    formula: Formula<'s, S>,
    controller: Controller,
    (groups, most_steps): (Vec<usize>, u32),
    memory: MemoryLayout,
) -> Box<dyn Stepper<S> + 's> {
    let (end, carry) = (zeros(formula.dimension), zeros(formula.dimension));
    Box::new(Controlled { formula, controller, groups, most_steps, memory, end, carry, own_steps: vec![] })
}

struct Controlled<'s, S> {
    formula: Formula<'s, S>,
    controller: Controller,
    groups: Vec<usize>,
    most_steps: u32,
    memory: MemoryLayout,
    /// z₁ of a trial step.
    end: Vec<S>,
    carry: Vec<S>,
    /// The own states of the last interval.
    own_steps: Vec<S>,
}

/// What is remembered, part by part.
struct Memory<'m, S> {
    time: &'m mut [S],
    step: &'m mut [S],
    steps: &'m mut [S],
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
    fn of(memory: &'m mut [S], layout: &MemoryLayout) -> Result<Self, Failure> {
        let parts = [
            Part::OwnTime,
            Part::OwnStep,
            Part::OwnSteps,
            Part::Delivered,
            Part::OwnState,
            Part::OwnCarry,
            Part::OwnRate,
            Part::DenseOutput,
        ];
        let [time, step, steps, delivered, end, carry, rate, dense] =
            layout.parts_mut(parts, memory).ok_or(Misuse::OtherState)?;
        Ok(Memory { time, step, steps, delivered, end, carry, rate, dense })
    }

    /// The own time and its rest, moved by `time` against what is delivered; exact to twice the precision, as
    /// intervals and own steps are summed up for ever.
    fn ahead_by(&self, time: S) -> [S; 2] {
        let (ahead, rest) = (self.time[AHEAD], self.time[AHEAD_REST]);
        let sum = ahead + time;
        let part = sum - ahead;
        let rest = rest + ((ahead - (sum - part)) + (time - part));
        let total = sum + rest;
        [total, rest - (total - sum)]
    }

    fn count(&mut self, counter: usize) {
        self.steps[counter] = self.steps[counter] + S::from_f64(1.0);
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
        self.memory.len()
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
        let mut memory = Memory::of(&mut to.memory, &self.memory)?;
        // Where derivatives are carried along, they count too. A carry, below the last digit, does not.
        let moved = memory.delivered.iter().zip(&from.values).any(|(&a, &b)| !(a - b).is_zero());
        let length = machine.value(memory.step[LENGTH])?;
        if length == 0.0 || length.signum() != interval.direction || moved {
            self.start(machine, &interval, from, &mut memory)?;
        }
        [memory.time[AHEAD], memory.time[AHEAD_REST]] = memory.ahead_by(S::from_f64(-interval.direction) * h);
        while machine.value(memory.time[AHEAD])? < 0.0 {
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
        let known = machine.value(memory.step[NEXT])?;
        let next = if known > 0.0 {
            known.min(interval.size)
        } else {
            self.formula.rates[..n].copy_from_slice(memory.rate);
            let (groups, values) = (&self.groups, &*memory.end);
            let first = self.controller.first(machine, &mut self.formula, groups, values, interval.direction)?;
            first.map_or(interval.size, |first| first.max(LEAST_FIRST * interval.size))
        };
        clear(memory.time);
        memory.step[NEXT] = S::from_f64(next);
        memory.step[ERROR] = S::from_f64(LEAST_ERROR);
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
        let mut step = machine.value(memory.step[NEXT])?;
        let mut rejected = false;
        let mut undefined = None;
        loop {
            self.limits(interval, step, &undefined)?;
            interval.steps += 1;
            let tried = self
                .trial(machine, step, interval.direction, memory)
                .and_then(|error| Ok((error, error <= 1.0 && self.accept(machine, step, interval.direction, memory)?)));
            let (error, accepted) = match tried {
                Ok(tried) => tried,
                Err(failure @ Failure::Misused { .. }) => return Err(failure),
                Err(failure) => {
                    undefined = Some(failure);
                    (f64::INFINITY, false)
                }
            };
            if accepted {
                let before = machine.value(memory.step[ERROR])?;
                let factor = self.controller.after(error, before);
                let next = step * if rejected { factor.min(1.0) } else { factor };
                memory.step[NEXT] = S::from_f64(next);
                memory.step[ERROR] = S::from_f64(error.max(LEAST_ERROR));
                memory.count(ACCEPTED);
                return Ok(());
            }
            rejected = true;
            memory.count(REJECTED);
            step *= match error {
                error if error <= 1.0 => HALF,
                error if error.is_finite() => self.controller.after_rejection(error),
                _ => RETREAT,
            };
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
        advanced((memory.end, memory.carry), &formula.increment, (end, carry));
        let last = formula.tableau.step.len() * n;
        formula.field.rate(end, &mut formula.rates[last..last + n])?;
        for &rate in &formula.rates[last..last + n] {
            machine.value(rate)?;
        }
        let error = controller.error(machine, formula, groups, step, (memory.end, end))?;
        Ok(if error.is_nan() { f64::INFINITY } else { error })
    }

    /// Takes the trial step, unless something is to be delivered from inside it and its dense output does not belong to it.
    fn accept(
        &mut self,
        machine: &mut dyn Machine<S>,
        step: f64,
        direction: f64,
        memory: &mut Memory<'_, S>,
    ) -> Result<bool, Failure> {
        let Controlled { formula, controller, groups, end, carry, .. } = self;
        let h = S::from_f64(direction * step);
        let [ahead, rest] = memory.ahead_by(S::from_f64(step));
        if machine.value(ahead)? >= 0.0 && !ahead.is_zero() {
            formula.dense(h, (memory.end, memory.carry), memory.dense)?;
            if !formula.is_one_curve(machine, (controller, groups), (h, memory.end, end), memory.dense)? {
                return Ok(false);
            }
        }
        [memory.time[AHEAD], memory.time[AHEAD_REST]] = [ahead, rest];
        memory.step[LENGTH] = h;
        let n = formula.dimension;
        let last = formula.tableau.step.len() * n;
        memory.end.copy_from_slice(end);
        memory.carry.copy_from_slice(carry);
        memory.rate.copy_from_slice(&formula.rates[last..last + n]);
        Ok(true)
    }

    /// The own solution at the end of the interval.
    fn deliver(&self, memory: &mut Memory<'_, S>, direction: f64) {
        let Memory { time, step, delivered, end, carry, dense, .. } = memory;
        if time[AHEAD].is_zero() {
            delivered.copy_from_slice(end);
            return;
        }
        let n = self.formula.dimension;
        let last = CUBIC + self.formula.tableau.dense.len() - 1;
        // 1 − θ
        let rest = time[AHEAD] / (S::from_f64(direction) * step[LENGTH]);
        let theta = S::from_f64(1.0) - rest;
        let part = |i: usize| &dense[i * n..(i + 1) * n];
        delivered.copy_from_slice(part(last));
        for i in (1..last).rev() {
            // r₂ + θ (r₃ + (1−θ) (r₄ + …
            scale(if i % 2 == 1 { theta } else { rest }, delivered);
            add(delivered, part(i));
        }
        scale(-theta, delivered);
        add(delivered, part(0));
        scale(-rest, delivered);
        displace((end, carry), delivered);
    }

    /// Whether another trial may be made.
    fn limits(&self, interval: &Interval, step: f64, undefined: &Option<Failure>) -> Result<(), Failure> {
        let Interval { size, epsilon, steps, .. } = *interval;
        if steps >= self.most_steps {
            return Err(self.gives_up(GaveUp::TooMany { most: self.most_steps, interval: size, step }));
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
