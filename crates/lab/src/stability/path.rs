//! The motion that errors are added to: points on the constraint manifold, to some 11 digits.

use super::{Obstacle, StabilityError};
use crate::forces::{MOVES, forces, momentum};
use crate::reference::{Reference, ReferenceError};
use cotangent_compile::{Engine, Native, Tape};
use cotangent_dynamics::{Dynamics, Failure, Field, State};
use cotangent_integrate::project;
use cotangent_problem::{Compiled, Instance};
use cotangent_scalar::{Dd, Limits};
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
    limits: Limits,
    /// The time that was asked for.
    until: f64,
    /// The length of an interval.
    interval: f64,
    /// The number of intervals until the time asked for, at least a few, or of one period.
    pub(super) intervals: u64,
    /// When and where the motion begins to repeat itself, if that was seen.
    pub(super) returns: Option<Return>,
    /// How far positions and momenta go: the unit of each variable.
    pub(super) units: Vec<f64>,
    /// The largest force ∂H/∂q, in units of momentum per time.
    pub(super) force: f64,
    /// What changes more slowly, in units per time, is at rest.
    pub(super) slowest: f64,
    /// (q, p) at those ticks that were asked for.
    points: BTreeMap<u64, Vec<f64>>,
}

/// A return to the start, or to where the equations are the same.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Return {
    /// After which time; zero if the rates are the same at all times.
    pub(super) time: f64,
    /// c = z(T) − z₀.
    pub(super) shift: Vec<f64>,
}

/// Ticks of an interval.
pub(super) const TICKS: u64 = 1 << 20;

/// The relative tolerance of its steps.
const TOLERANCE: f64 = 1e-12;

/// The same where more digits are needed.
const PRECISE: f64 = 1e-18;

/// How far back the points are from which it is tried to go on, in ticks.
const BACK: [u64; 4] = [0, TICKS >> 10, TICKS >> 5, TICKS];

/// What changes by less in the time asked for, in units, is at rest, too.
const AT_REST: f64 = 1e-9;

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
    /// The motion, of which it is not known yet whether it returns.
    pub(super) fn begun(problem: &Instance, until: f64, limits: &Limits) -> Result<Path, StabilityError> {
        let no_path = |e: Failure| StabilityError::NoPath(e.into());
        let own = problem.equations.compiled.view(Native, problem.parameters.clone()).model_state(&problem.start);
        let own = own.map_err(no_path)?;
        let size = own.len();
        if size > LARGEST {
            return Err(StabilityError::TooLarge { size, largest: LARGEST });
        }
        // Equations whose integrals are φ, ψ and H: errors of the integration do not grow off the manifold.
        let motion =
            problem.equations.motion.hamilton_dirac().map_err(|e| StabilityError::NoPath(Obstacle::Theory(e)))?;
        if motion.surface().is_some() {
            return Err(StabilityError::ByAnalysis);
        }
        if !motion.is_holonomic() {
            return Err(StabilityError::NoConstraints);
        }
        let compiled =
            Compiled::new(&motion, Engine::Best).map_err(|e| StabilityError::NoPath(Obstacle::Compile(e)))?;
        let field = compiled.view(Native, problem.parameters.clone()).field();
        let field = field.map_err(no_path)?.ok_or(StabilityError::NoPath(Obstacle::NoField))?;
        let mut path = Path {
            compiled,
            parameters: problem.parameters.clone(),
            field,
            limits: limits.clone(),
            until,
            interval: until,
            intervals: 1,
            returns: None,
            units: vec![1.0; size],
            force: 0.0,
            slowest: AT_REST / until,
            points: BTreeMap::new(),
        };
        let start = path.on_manifold(own)?;
        path.points.insert(0, start.clone());
        path.interval = path.pace(&start)?;
        path.divide(until.max(FEWEST * path.interval));
        (path.units, path.force) = path.extents(&start)?;
        Ok(path)
    }

    /// Repeats itself from now on.
    pub(super) fn repeat(&mut self, returns: Return) {
        self.points.retain(|tick, _| *tick == 0);
        self.divide(if returns.time > 0.0 { returns.time } else { self.until });
        self.returns = Some(returns);
    }

    /// Whether somebody asked to stop.
    pub(super) fn is_cancelled(&self) -> bool {
        self.limits.cancel.is_set()
    }

    /// The time of a tick.
    pub(super) fn time(&self, tick: u64) -> f64 {
        self.interval * (tick as f64 / TICKS as f64)
    }

    /// Whether a failure at a tick is one of a motion that nobody asked for.
    pub(super) fn is_beyond(&self, tick: u64) -> bool {
        self.time(tick) > self.until * (1.0 + 1e-12) && !self.limits.cancel.is_set()
    }

    /// An error after an interrupt.
    pub(super) fn not_interrupted(&self) -> Result<(), StabilityError> {
        match self.limits.cancel.is_set() {
            true => Err(StabilityError::NoPath(Obstacle::Interrupted)),
            false => Ok(()),
        }
    }

    /// The number of variables.
    pub(super) fn size(&self) -> usize {
        self.units.len()
    }

    /// The state at a tick.
    pub(super) fn at(&mut self, tick: u64) -> Result<Vec<f64>, StabilityError> {
        self.not_interrupted()?;
        let before = |back: u64| self.points.range(..=tick.checked_sub(back)?).next_back();
        let mut before: Vec<(u64, Vec<f64>)> =
            BACK.into_iter().filter_map(before).map(|(&known, state)| (known, state.clone())).collect();
        before.dedup_by_key(|(known, _)| *known);
        let mut failure = StabilityError::NoPath(Obstacle::NoStart);
        // From an earlier point if it cannot go on from the last, where the constraints may depend on each other.
        for (known, mut state) in before {
            if known == tick {
                return Ok(state);
            }
            match self.advance(&mut state, self.time(tick - known)) {
                Ok(()) => {
                    // Where it cannot be projected it is as near as the tolerance says.
                    let state = self.on_manifold(state.clone()).unwrap_or(state);
                    self.points.insert(tick, state.clone());
                    return Ok(state);
                }
                Err(error) if self.limits.cancel.is_set() => return Err(error),
                Err(StabilityError::Lost { obstacle, .. }) => {
                    failure = StabilityError::Lost { time: self.time(tick), obstacle };
                }
                Err(error) => failure = error,
            }
        }
        Err(failure)
    }

    /// Moves a state along the motion by a time; with twice the digits where the rates have too few, as near a
    /// configuration in which constraints depend on each other.
    pub(super) fn advance(&mut self, state: &mut [f64], time: f64) -> Result<(), StabilityError> {
        let reference = Reference::new(TOLERANCE).in_blocks(state.len() / 2);
        let (field, limits) = (&mut self.field, &self.limits);
        let solved = reference.solve(&mut |z, out| rates(field.as_mut(), limits, z, out), state, time);
        let lost = |e: ReferenceError<Failure>| StabilityError::Lost { time, obstacle: e.into() };
        match solved {
            Ok(_) => Ok(()),
            Err(error @ ReferenceError::Budget { .. }) => Err(lost(error)),
            Err(error) if self.limits.cancel.is_set() => Err(lost(error)),
            Err(error) => self.advance_precisely(state, time).map_err(|_| lost(error)),
        }
    }

    fn advance_precisely(&self, state: &mut [f64], time: f64) -> Result<(), StabilityError> {
        let parameters = self.parameters.iter().map(|&p| Dd::from(p)).collect();
        let field = self.compiled.view(Tape, parameters).field().map_err(|e| StabilityError::NoPath(e.into()))?;
        let mut field = field.ok_or(StabilityError::NoPath(Obstacle::NoField))?;
        let mut precise: Vec<Dd> = state.iter().map(|&z| Dd::from(z)).collect();
        let reference = Reference::new(PRECISE).in_blocks(state.len() / 2).with_budget(PROBE);
        let solved =
            reference.solve(&mut |z, out| rates(field.as_mut(), &self.limits, z, out), &mut precise, Dd::from(time));
        solved.map_err(|e| StabilityError::NoPath(e.into()))?;
        state.iter_mut().zip(&precise).for_each(|(z, precise)| *z = precise.hi());
        Ok(())
    }

    /// ż at a state.
    pub(super) fn rate(&mut self, state: &[f64]) -> Result<Vec<f64>, StabilityError> {
        let mut out = vec![0.0; state.len()];
        let found = rates(self.field.as_mut(), &self.limits, state, &mut out);
        found.map(|()| out).map_err(|e| StabilityError::NoPath(e.into()))
    }

    /// Intervals of one length that end at a time.
    fn divide(&mut self, time: f64) {
        let intervals = (time / self.interval).ceil().max(FEWEST);
        (self.interval, self.intervals) = (time / intervals, intervals as u64);
    }

    /// The mean step of the reference, of a few at least if the motion goes on beyond the time asked for.
    fn pace(&mut self, start: &[f64]) -> Result<f64, StabilityError> {
        let reference = Reference::new(TOLERANCE).in_blocks(start.len() / 2).with_budget(PROBE);
        let (field, limits) = (&mut self.field, &self.limits);
        let mut rates = |z: &[f64], out: &mut [f64]| rates(field.as_mut(), limits, z, out);
        let mut pace = None;
        let mut time = self.until;
        for _ in 0..LONGER {
            let failed = |e: ReferenceError<Failure>| StabilityError::NoPath(e.into());
            let found = reference.solve_as_far(&mut rates, start, &[time]).map_err(failed)?;
            let (reached, steps) = match found {
                (solution, None) => (time, solution.solved.steps),
                // The time of one of its two solutions, which are as fast as each other.
                (solution, Some(ReferenceError::Budget { time, .. })) => (time, solution.solved.steps),
                (_, Some(_)) if pace.is_some() => break,
                // A motion that ends later has a pace, too.
                (
                    solution,
                    Some(
                        ReferenceError::Rates { time, .. }
                        | ReferenceError::NotFinite { time, .. }
                        | ReferenceError::NotConverged { time, .. }
                        | ReferenceError::StepTooSmall { time, .. },
                    ),
                ) if time > 0.0 && solution.solved.steps > 0 => (time, solution.solved.steps),
                (_, Some(other)) => return Err(failed(other)),
            };
            pace = Some(reached / steps.max(1) as f64).filter(|p| *p > 0.0).or(pace);
            if reached < time || steps as f64 >= FEWEST {
                break;
            }
            time *= 4.0;
        }
        Ok(pace.unwrap_or(self.until))
    }

    /// How far positions go from their mean, the largest of all for each, and how large momenta become; and the
    /// largest force in the second. What only rounding moves is at rest: then the distance from the origin, and
    /// the momentum that forces would make, or a motion over that distance.
    fn extents(&mut self, start: &[f64]) -> Result<(Vec<f64>, f64), StabilityError> {
        let step = self.until.min(self.interval * f64::from(LOOKS)) / f64::from(LOOKS);
        let mut states = vec![start.to_vec()];
        for _ in 0..LOOKS {
            let mut next = states.last().cloned().unwrap_or_default();
            match self.advance(&mut next, step) {
                Ok(()) => states.push(next),
                Err(error) if self.limits.cancel.is_set() => return Err(error),
                Err(_) => break,
            }
        }
        let half = start.len() / 2;
        let mean = |k: usize| states.iter().map(|z| z[k]).sum::<f64>() / states.len() as f64;
        let largest = |range: std::ops::Range<usize>, from: &dyn Fn(usize) -> f64| {
            let far = range.map(|k| (k, from(k))).flat_map(|(k, from)| states.iter().map(move |z| (z[k] - from).abs()));
            cotangent_scalar::largest(far)
        };
        let failed = |e: Failure| StabilityError::NoPath(e.into());
        let manifold = self.compiled.view(Native, self.parameters.clone()).manifold().map_err(failed)?;
        let found = forces(manifold.ok_or(StabilityError::NoConstraints)?.as_mut(), &states).map_err(failed)?;
        let unit = |far: f64, at_rest: f64| match far {
            far if far > MOVES * at_rest && far.is_finite() => far,
            _ if at_rest > 0.0 && at_rest.is_finite() => at_rest,
            _ => 1.0,
        };
        let q = unit(largest(0..half, &mean), largest(0..half, &|_| 0.0));
        let p = unit(largest(half..start.len(), &|_| 0.0), momentum(found, q, step * f64::from(LOOKS)));
        Ok(([vec![q; half], vec![p; start.len() - half]].concat(), found[0] / p))
    }

    fn on_manifold(&self, values: Vec<f64>) -> Result<Vec<f64>, StabilityError> {
        let failed = |e: Failure| StabilityError::NoPath(e.into());
        let manifold = self.compiled.view(Native, self.parameters.clone()).manifold().map_err(failed)?;
        let mut state = State::new(values, 0);
        project(manifold.ok_or(StabilityError::NoConstraints)?, &mut state).map_err(failed)?;
        Ok(state.values)
    }
}

fn rates<S: cotangent_scalar::Scalar>(
    field: &mut dyn Field<S>,
    limits: &Limits,
    z: &[S],
    out: &mut [S],
) -> Result<(), Failure> {
    match limits.cancel.is_set() {
        true => Err(Failure::Interrupted),
        false => field.rate(z, out),
    }
}
