//! One combination, run and measured.

use super::round_off::{Other, Sizes, explained};
use super::unknown::NoPace;
use super::{Combination, Exact, SAMPLES, timing};
use crate::certificate::{kinetic, scales};
use crate::fit::{Growth, growth_exponent};
use cotangent_compile::{CompileError, Native};
use cotangent_dynamics::{Dynamics, Failure, Measure, Source};
use cotangent_observe::{End, HISTORY_ERRORS, History, Progress, Run, RunError, Schedule};
use cotangent_problem::Instance;
use cotangent_scalar::{Limits, largest};

/// How a run ended.
#[derive(Clone, PartialEq, Debug)]
pub enum Ended {
    /// At its last step.
    Finished,
    /// On request.
    Interrupted,
    /// At a step that could not be made.
    Failed(Failure),
    /// Where a quantity of the model has no value: a [`RunError`], or what kept the run from beginning.
    Undefined(Source),
}

/// How an error grows with time.
#[derive(Clone, PartialEq, Debug)]
pub enum Pace {
    /// Like a power of time.
    Power(Growth),
    /// Not: it is round-off.
    RoundOff,
    /// The series does not tell.
    Undecided(NoPace),
}

/// Errors along a run, sampled; each sample is the largest since the one before, but for the error of
/// the state, which is that at the sample.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Curves {
    /// When.
    pub times: Vec<f64>,
    /// The error of the state; NaN where the exact one is not known.
    pub error: Vec<f64>,
    /// The energy error.
    pub energy: Vec<f64>,
    /// The largest constraint residual.
    pub constraints: Vec<f64>,
    /// The largest hidden residual.
    pub hidden: Vec<f64>,
}

/// What came out.
#[derive(Clone, PartialEq, Debug)]
pub struct Measured {
    /// How it ended.
    pub ended: Ended,
    /// Steps made.
    pub steps: u64,
    /// The time reached.
    pub time: f64,
    /// The last time at which the exact state is known, and the distance from it there.
    pub error: Option<(f64, f64)>,
    /// How that error grows, until it is as large as the motion.
    pub error_growth: Pace,
    /// The largest energy error.
    pub energy: f64,
    /// How it grows.
    pub energy_growth: Pace,
    /// The largest constraint residual.
    pub constraints: f64,
    /// How it grows.
    pub constraint_growth: Pace,
    /// The largest hidden residual.
    pub hidden: f64,
    /// How it grows.
    pub hidden_growth: Pace,
    /// The residuals at the end: those of the constraints, and those of the hidden constraints, which may be others
    /// in number.
    pub residuals: [Vec<f64>; 2],
    /// Updates of Newton's method.
    pub newton_iterations: u64,
    /// Iterations to fixed points.
    pub fixed_point_iterations: u64,
    /// Steps of its own that a method with a tolerance has accepted and rejected.
    pub own_steps: Option<[u64; 2]>,
    /// How often positions and momenta were projected.
    pub projections: [u64; 2],
    /// Seconds of integration, with nothing measured between the steps.
    pub seconds: f64,
    /// When the motion first went through a singular configuration, or came near one.
    pub singular: Option<f64>,
    /// Errors along the run.
    pub curves: Curves,
}

/// A relative error of the state from which on it cannot grow much further.
const SATURATED: f64 = 0.25;

/// A relative error of the energy from which on the motion is another one, and errors of other sizes.
const ANOTHER: f64 = 0.05;

/// What grows faster than this power of time grows in another way: exponentially, or in bursts.
const LARGEST_POWER: f64 = 4.0;

/// An exponent that is known no better says nothing.
const BADLY_KNOWN: f64 = 0.5;

/// Times that differ by less, relative to themselves, are one.
const SAME: f64 = 1e-9;

/// A look at the clock is nothing, compared with a step of so many seconds.
const SLOW: f64 = 1e-5;

/// Runs a combination along a schedule that measures every step, and says how far it is.
pub fn measure(
    combination: &Combination<'_>,
    schedule: Schedule,
    exact: Option<&Exact>,
    limits: &Limits,
    progress: &mut dyn FnMut(Progress),
) -> Result<Measured, CompileError> {
    let Combination { problem, prepared, amplification } = *combination;
    let (diagnostics, integrator) = (problem.diagnostics()?, problem.integrator(prepared)?);
    let undefined = |e: RunError| CompileError::system("a quantity at the start", e);
    // Every step is measured where rows are recorded, be it that only the end is one.
    let schedule = Schedule { record: schedule.total().max(1), ..schedule };
    let mut run = Run::new(integrator, diagnostics, schedule, problem.start.clone()).map_err(undefined)?;
    let history = History::new(SAMPLES, HISTORY_ERRORS.len(), run.watched());
    run.watch(history);
    run.time_steps();
    let ended = match run.go(limits, &mut [&mut cotangent_observe::progress(progress)]) {
        Ok(End::Finished) => Ended::Finished,
        Ok(End::Interrupted | End::Stopped) => Ended::Interrupted,
        Ok(End::Failed(failure)) => Ended::Failed(failure),
        Err(error) => Ended::Undefined(Source::new(error)),
    };
    let variables = problem.equations.motion.system.state().len();
    let shared = exact.and_then(|e| e.shared(problem));
    let curves = curves(&mut run, variables, exact, shared.as_deref());
    let seconds = match run.stepping() {
        Some(seconds) if seconds > timing::LONG.as_secs_f64().max(SLOW * run.done() as f64) => seconds,
        // A shorter run is repeated, and faster steps are made once more, with nothing between them.
        _ => {
            let schedule = schedule.in_another_time(run.quantities().time());
            timing::seconds(combination, &schedule, run.done(), limits)?
        }
    };
    let error = curves.times.iter().zip(&curves.error).rev().find(|(_, e)| !e.is_nan());
    let size = run.energy().max_abs.max(kinetic(problem));
    // The energy may vanish where its terms do not, and velocities be small at the start.
    let (at_start, moving) = (kinetic(problem), largest_kinetic(&mut run, problem, variables));
    let terms = size.max(moving);
    let [phi, psi] = scales(problem).map(|list| list.iter().fold(f64::INFINITY, |m: f64, s| m.min(*s)));
    let psi = if at_start > 0.0 { psi * (moving / at_start).max(1.0).sqrt() } else { psi };
    let worst = |list: &[cotangent_observe::Extremes]| largest(list.iter().map(|e| e.max_abs));
    let error = error.map(|(time, error)| (*time, *error));
    let own = Sizes {
        energy: run.energy().max_deviation,
        constraints: worst(run.constraints()),
        hidden: worst(run.hidden_constraints()),
        state: error.map(|(_, error)| error),
    };
    let round_off = explained(run.done(), amplification);
    let can_be = |size: f64, unit: f64| size > 0.0 && size <= round_off * unit;
    let small = can_be(own.energy, terms) || can_be(own.constraints, phi) || can_be(own.hidden, psi);
    let small = small || own.state.is_some_and(|error| can_be(error, 1.0));
    let other = match ended == Ended::Finished && small {
        true => Other::new(combination, &schedule, exact, limits)?,
        false => None,
    };
    // In the same time as the other run.
    let until = |errors: &[f64], until: f64| {
        let times = curves.times.iter().zip(errors).take_while(|(t, _)| **t <= until * (1.0 + SAME));
        largest(times.map(|(_, e)| e))
    };
    let falls = |errors: &[f64], of: fn(&Sizes) -> f64, unit: f64| {
        other.as_ref().is_some_and(|o| o.falls(until(errors, o.until), of(&o.sizes), unit))
    };
    let pace = |errors: &[f64], of: fn(&Sizes) -> f64, unit: f64| {
        let bound = if falls(errors, of, unit) { 0.0 } else { round_off * unit };
        self::pace(&curves.times, errors, bound)
    };
    // Until the first error that is too large, or unknown.
    let small = |errors: &[f64], largest: f64, round_off: f64| {
        let end = errors.iter().position(|e| e.is_nan() || e.abs() > largest).unwrap_or(errors.len());
        self::pace(&curves.times[..end], &errors[..end], round_off)
    };
    let error_growth = match exact {
        Some(_) => {
            let there = |o: &Other| own.state.zip(o.sizes.state).is_some_and(|(own, other)| o.falls(own, other, 1.0));
            small(&curves.error, SATURATED, if other.as_ref().is_some_and(there) { 0.0 } else { round_off })
        }
        None => Pace::Undecided(NoPace::NotExact),
    };
    let energy_bound = if falls(&curves.energy, |s| s.energy, terms) { 0.0 } else { round_off * terms };
    let last = |list: &[cotangent_observe::Extremes]| list.iter().map(|e| e.last).collect::<Vec<_>>();
    Ok(Measured {
        steps: run.done(),
        time: run.time(),
        error,
        error_growth,
        energy: own.energy,
        energy_growth: small(&curves.energy, ANOTHER * size, energy_bound),
        constraints: own.constraints,
        constraint_growth: pace(&curves.constraints, |s| s.constraints, phi),
        hidden: own.hidden,
        hidden_growth: pace(&curves.hidden, |s| s.hidden, psi),
        residuals: [last(run.constraints()), last(run.hidden_constraints())],
        newton_iterations: run.iterations(),
        fixed_point_iterations: run.contractions(),
        own_steps: prepared.substeps(&run.state().memory),
        projections: prepared.projections(&run.state().memory).unwrap_or_default(),
        seconds,
        ended,
        singular: run.monitor().passages.first().map(|passage| passage.time),
        curves,
    })
}

/// The largest p·q̇ at some samples of a run.
fn largest_kinetic(run: &mut crate::Run, problem: &Instance, variables: usize) -> f64 {
    let view = problem.equations.compiled.view(Native, problem.parameters.clone());
    let Ok(Some(mut manifold)) = view.manifold() else { return 0.0 };
    let n = manifold.shape().coordinates;
    let Some(history) = run.history().filter(|_| 2 * n == variables) else { return 0.0 };
    let count = history.times().len();
    let (mut largest, mut v) = (0.0f64, vec![0.0; n]);
    for k in (0..count).step_by(count.div_ceil(LOOKS).max(1)) {
        // The variables of the model come first.
        if let Some(model) = history.values(k).get(..variables) {
            let (q, p) = model.split_at(n);
            if manifold.hamiltonian_p(q, p, &mut v).is_ok() {
                largest = largest.max(p.iter().zip(&v).map(|(p, v)| (p * v).abs()).sum());
            }
        }
    }
    largest
}

/// Samples at which the kinetic energy is looked at.
const LOOKS: usize = 64;

/// The samples after the start, with the errors of the model's variables.
fn curves(run: &mut crate::Run, variables: usize, exact: Option<&Exact>, shared: Option<&[(usize, usize)]>) -> Curves {
    let Some(history) = run.history() else { return Curves::default() };
    let times = history.times().to_vec();
    let [energy, constraints, hidden] = [0, 1, 2].map(|k| history.error(k));
    let states: Vec<Vec<f64>> =
        (0..times.len()).map(|k| history.values(k).get(..variables).unwrap_or_default().to_vec()).collect();
    let singular = run.monitor().passages.first().map(|passage| passage.time);
    let error = |time: f64, model: &[f64]| -> f64 {
        exact.and_then(|e| e.distance_in(shared, time, model)).unwrap_or(f64::NAN)
    };
    // Behind a singular configuration the exact motion may be on another branch.
    let known = |t: f64| singular.is_none_or(|singular| t < singular);
    let error = times.iter().zip(&states).map(|(&t, z)| if known(t) { error(t, z) } else { f64::NAN });
    let error: Vec<f64> = error.collect();
    let later = |list: Vec<f64>| list.into_iter().skip(1).collect();
    Curves {
        times: later(times),
        error: later(error),
        energy: later(energy),
        constraints: later(constraints),
        hidden: later(hidden),
    }
}

fn pace(times: &[f64], errors: &[f64], round_off: f64) -> Pace {
    if errors.is_empty() {
        return Pace::Undecided(NoPace::Large);
    }
    if largest(errors) <= round_off {
        return Pace::RoundOff;
    }
    match growth_exponent(times, errors) {
        Ok(growth) if growth.exponent > LARGEST_POWER || growth.uncertainty > BADLY_KNOWN => {
            Pace::Undecided(NoPace::NoPower)
        }
        Ok(growth) => Pace::Power(growth),
        Err(e) => Pace::Undecided(NoPace::Series(e)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fit::{FitError, Undecided};
    use cotangent_compile::Engine;
    use cotangent_integrate::Method;
    use cotangent_model::System;
    use cotangent_problem::Repairs;
    use cotangent_scalar::Clock;
    use cotangent_theory::Formulation;
    use std::sync::atomic::{AtomicU64, Ordering};
    use std::time::Duration;

    /// Nanoseconds that a clock for a test shows, and how many it goes on with every look.
    static SHOWN: [AtomicU64; 2] = [AtomicU64::new(0), AtomicU64::new(0)];

    /// A clock that is slow to go on at first, and then quick: the first run takes long, further ones do not.
    fn uneven() -> Duration {
        let [now, looks] = &SHOWN;
        let step = if looks.fetch_add(1, Ordering::Relaxed) < 300 { 500_000 } else { 1_000 };
        Duration::from_nanos(now.fetch_add(step, Ordering::Relaxed) + step)
    }

    #[test]
    fn an_error_without_a_value_is_not_called_round_off() {
        let times: Vec<f64> = (1..=200).map(f64::from).collect();
        let mut errors = vec![1e-16; 200];
        assert_eq!(pace(&times, &errors, 1e-13), Pace::RoundOff);
        errors[117] = f64::NAN;
        let not_finite = Undecided::Invalid(FitError::NotFinite { index: 117 });
        assert_eq!(pace(&times, &errors, 1e-13), Pace::Undecided(NoPace::Series(not_finite)));
    }

    #[test]
    fn a_run_of_slow_steps_that_is_short_is_repeated_and_the_shortest_counts() {
        let text = "coord x\nhamiltonian p_x^2/2 + x^2/2\ninitial x = 1\n";
        let system = System::parse(text).unwrap();
        let problem = Instance::new(&system, Formulation::Multipliers, &[], Repairs::default(), Engine::Best).unwrap();
        let prepared = problem.prepare(Method::Gauss { stages: 1 }).unwrap();
        let combination = Combination { problem: &problem, prepared: &prepared, amplification: 1.0 };
        let schedule = Schedule::until(0.1, 10.0, 1).unwrap();
        let limits = Limits::default().timed(Clock::new(uneven));
        let found = measure(&combination, schedule, None, &limits, &mut |_| ()).unwrap();
        // A hundred steps of half a millisecond each, less than makes a run long; once more they take a few looks.
        assert!(found.seconds < 1e-3, "{}", found.seconds);
    }
}
