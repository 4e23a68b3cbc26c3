//! The motion that errors are added to: points on the constraint manifold, to some 11 digits.

use super::StabilityError;
use super::period;
use crate::reference::{Reference, ReferenceError};
use cotangent_compile::{Compiled, Engine, Native, Problem};
use cotangent_dynamics::{Dynamics, Failure, Field, State};
use cotangent_integrate::project;
use cotangent_observe::Interrupt;
use std::collections::BTreeMap;

/// A motion of a model, followed as far as somebody asks.
///
/// Time is counted in intervals that are no longer than the steps of the reference solution: it knows how
/// fast the motion changes, wherever the origin is and whatever the units are. Each is divided into 2²⁰
/// ticks, so that points between are found again.
pub struct Path {
    compiled: Compiled,
    parameters: Vec<f64>,
    field: Box<dyn Field<f64>>,
    interrupt: Interrupt,
    /// The time that was asked for.
    until: f64,
    /// The length of an interval.
    interval: f64,
    /// The number of intervals until the time asked for, at least a few, or of one period.
    pub(super) intervals: u64,
    /// The time after which the motion repeats itself, if that was seen.
    pub(super) period: Option<f64>,
    /// How far positions and momenta go: the unit of each variable.
    pub(super) units: Vec<f64>,
    /// (q, p) at those ticks that were asked for.
    points: BTreeMap<u64, Vec<f64>>,
}

/// Ticks of an interval.
pub(super) const TICKS: u64 = 1 << 20;

/// The relative tolerance of its steps.
const TOLERANCE: f64 = 1e-12;

/// Evaluations that may be spent on finding out how fast the motion changes.
const PROBE: u64 = 20_000;

/// The fewest intervals of a motion.
const FEWEST: f64 = 8.0;

/// How often the time is made four times as long to see a few steps.
const LONGER: u32 = 8;

/// Points in which positions and momenta are looked at for their units.
const LOOKS: u32 = 32;

/// Beyond, matrices of dual numbers column by column take too long.
const LARGEST: usize = 120;

impl Path {
    /// The motion of a model with constraints from the start of a problem, of which a time is asked for.
    pub fn new(problem: &Problem, until: f64, interrupt: &Interrupt) -> Result<Path, StabilityError> {
        let failed = |reason: String| StabilityError::NoPath { reason };
        let own = problem.compiled.view(Native, problem.parameters.clone()).model_state(&problem.start);
        let own = own.map_err(|e| failed(e.to_string()))?;
        let size = own.len();
        if size > LARGEST {
            return Err(StabilityError::TooLarge { size, largest: LARGEST });
        }
        // Equations whose integrals are φ, ψ and H: errors of the integration do not grow off the manifold.
        let motion = problem.motion.hamilton_dirac().map_err(|e| failed(e.to_string()))?;
        if motion.surface.is_some() {
            return Err(StabilityError::ByAnalysis);
        }
        if motion.multipliers.is_none() {
            return Err(StabilityError::NoConstraints);
        }
        let compiled = Compiled::new(&motion, Engine::Best).map_err(|e| failed(e.to_string()))?;
        let field = compiled.view(Native, problem.parameters.clone()).field();
        let field = field.map_err(|e| failed(e.to_string()))?;
        let field = field.ok_or_else(|| failed("there is no vector field to solve".into()))?;
        let mut path = Path {
            compiled,
            parameters: problem.parameters.clone(),
            field,
            interrupt: interrupt.clone(),
            until,
            interval: until,
            intervals: 1,
            period: None,
            units: vec![1.0; size],
            points: BTreeMap::new(),
        };
        let start = path.on_manifold(own)?;
        path.points.insert(0, start.clone());
        path.interval = path.pace(&start)?;
        path.divide(until.max(FEWEST * path.interval));
        path.units = path.extents(&start)?;
        if let Some(period) = period::found(&mut path)? {
            path.period = Some(period);
            path.points = BTreeMap::from([(0, start)]);
            path.divide(period);
        }
        Ok(path)
    }

    /// The time of a tick.
    pub(super) fn time(&self, tick: u64) -> f64 {
        self.interval * (tick as f64 / TICKS as f64)
    }

    /// Whether a failure at a tick is one of a motion that nobody asked for.
    pub(super) fn is_beyond(&self, tick: u64) -> bool {
        self.time(tick) > self.until * (1.0 + 1e-12) && !self.interrupt.is_set()
    }

    /// The number of variables.
    pub(super) fn size(&self) -> usize {
        self.units.len()
    }

    /// The state at a tick.
    pub(super) fn at(&mut self, tick: u64) -> Result<Vec<f64>, StabilityError> {
        if self.interrupt.is_set() {
            return Err(StabilityError::NoPath { reason: "interrupted".into() });
        }
        let before = self.points.range(..=tick).next_back().map(|(&known, state)| (known, state.clone()));
        let Some((known, mut state)) = before else {
            return Err(StabilityError::NoPath { reason: "the motion has no start".into() });
        };
        if known < tick {
            self.advance(&mut state, self.time(tick - known))?;
            state = self.on_manifold(state)?;
            self.points.insert(tick, state.clone());
        }
        Ok(state)
    }

    /// Moves a state along the motion by a time.
    pub(super) fn advance(&mut self, state: &mut [f64], time: f64) -> Result<(), StabilityError> {
        let reference = Reference::new(TOLERANCE).in_blocks(state.len() / 2);
        let (field, interrupt) = (&mut self.field, &self.interrupt);
        let solved = reference.solve(&mut |z, out| rates(field.as_mut(), interrupt, z, out), state, time);
        solved.map(|_| ()).map_err(|e| StabilityError::NoPath { reason: e.to_string() })
    }

    /// ż at a state.
    pub(super) fn rate(&mut self, state: &[f64]) -> Result<Vec<f64>, StabilityError> {
        let mut out = vec![0.0; state.len()];
        let found = rates(self.field.as_mut(), &self.interrupt, state, &mut out);
        found.map(|()| out).map_err(|e| StabilityError::NoPath { reason: e.to_string() })
    }

    /// Intervals of one length that end at a time.
    fn divide(&mut self, time: f64) {
        let intervals = (time / self.interval).ceil().max(FEWEST);
        (self.interval, self.intervals) = (time / intervals, intervals as u64);
    }

    /// The mean step of the reference, of a few at least if the motion goes on beyond the time asked for.
    fn pace(&mut self, start: &[f64]) -> Result<f64, StabilityError> {
        let reference = Reference::new(TOLERANCE).in_blocks(start.len() / 2).with_budget(PROBE);
        let (field, interrupt) = (&mut self.field, &self.interrupt);
        let mut rates = |z: &[f64], out: &mut [f64]| rates(field.as_mut(), interrupt, z, out);
        let mut pace = None;
        let mut time = self.until;
        for _ in 0..LONGER {
            let failed = |reason: String| StabilityError::NoPath { reason };
            let found = reference.solve_as_far(&mut rates, start, &[time]).map_err(|e| failed(e.to_string()))?;
            let (reached, steps) = match found {
                (solution, None) => (time, solution.solved.steps),
                // The time of one of its two solutions, which are as fast as each other.
                (solution, Some(ReferenceError::Budget { time, .. })) => (time, solution.solved.steps),
                (_, Some(_)) if pace.is_some() => break,
                (_, Some(other)) => return Err(failed(other.to_string())),
            };
            pace = Some(reached / steps.max(1) as f64).filter(|p| *p > 0.0).or(pace);
            if reached < time || steps as f64 >= FEWEST {
                break;
            }
            time *= 4.0;
        }
        Ok(pace.unwrap_or(self.until))
    }

    /// How far positions go from their mean, the largest of all for each, and how large momenta become.
    fn extents(&mut self, start: &[f64]) -> Result<Vec<f64>, StabilityError> {
        let step = self.until.min(self.interval * f64::from(LOOKS)) / f64::from(LOOKS);
        let mut states = vec![start.to_vec()];
        for _ in 0..LOOKS {
            let mut next = states.last().cloned().unwrap_or_default();
            self.advance(&mut next, step)?;
            states.push(next);
        }
        let half = start.len() / 2;
        let mean = |k: usize| states.iter().map(|z| z[k]).sum::<f64>() / states.len() as f64;
        let largest = |range: std::ops::Range<usize>, from: &dyn Fn(usize) -> f64| {
            let far = range.map(|k| (k, from(k))).flat_map(|(k, from)| states.iter().map(move |z| (z[k] - from).abs()));
            let far = far.fold(0.0f64, f64::max);
            if far > 0.0 && far.is_finite() { far } else { 1.0 }
        };
        let (q, p) = (largest(0..half, &mean), largest(half..start.len(), &|_| 0.0));
        Ok([vec![q; half], vec![p; start.len() - half]].concat())
    }

    fn on_manifold(&self, values: Vec<f64>) -> Result<Vec<f64>, StabilityError> {
        let failed = |e: Failure| StabilityError::NoPath { reason: e.to_string() };
        let manifold = self.compiled.view(Native, self.parameters.clone()).manifold().map_err(failed)?;
        let mut state = State::new(values, 0);
        project(manifold.ok_or(StabilityError::NoConstraints)?, &mut state).map_err(failed)?;
        Ok(state.values)
    }
}

fn rates(field: &mut dyn Field<f64>, interrupt: &Interrupt, z: &[f64], out: &mut [f64]) -> Result<(), Failure> {
    match interrupt.is_set() {
        true => Err(Failure::Interrupted),
        false => field.rate(z, out),
    }
}
