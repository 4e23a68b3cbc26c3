//! Whether an error is nothing but round-off.
//!
//! It is if round-off can explain it, and if it does not fall with the step, as errors of methods do. The first
//! is a bound on its size; for the second the run is made again with twice the step.

use super::{Combination, Exact};
use cotangent_compile::CompileError;
use cotangent_dynamics::Measure;
use cotangent_observe::{End, Run, Schedule};
use cotangent_scalar::{Limits, largest};

/// Steps of the run that is made again, at most.
const COMPARED: u64 = 5000;

/// Twice the step makes an error of order two four times as large, and round-off smaller: this is between.
const FALLS: f64 = 3.0;

/// So many units in the last place are the same, and as many as rounding of either sign makes of so many steps: the root of
/// their number.
const SAME: f64 = 4.0;

/// Beyond, an error is one, whatever has made it.
const LARGEST: f64 = 1e-9;

/// Errors up to this, relative to the size of their terms, can be round-off: each step off by four units in the
/// last place, all in one direction, and what the equations make of that.
pub(super) fn explained(steps: u64, amplification: f64) -> f64 {
    (4.0 * f64::EPSILON * (steps.max(4) as f64) * amplification.max(1.0)).min(LARGEST)
}

/// The largest errors until a time.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub(super) struct Sizes {
    /// Of the energy.
    pub(super) energy: f64,
    /// Of the constraints.
    pub(super) constraints: f64,
    /// Of the hidden constraints.
    pub(super) hidden: f64,
    /// Of the state, at the end of that time.
    pub(super) state: Option<f64>,
}

/// Errors of a run with another step.
pub(super) struct Other {
    /// The step, by that of the run.
    factor: f64,
    /// How many steps are made until then with the larger of the two.
    steps: f64,
    /// Until when it was made.
    pub(super) until: f64,
    /// How large they are.
    pub(super) sizes: Sizes,
}

impl Other {
    /// Makes a run again with twice its step, or with half of it where that cannot be made; `None` if neither can.
    pub(super) fn new(
        combination: &Combination<'_>,
        schedule: &Schedule,
        exact: Option<&Exact>,
        limits: &Limits,
    ) -> Result<Option<Other>, CompileError> {
        for factor in [2.0, 0.5] {
            let step = factor * schedule.step;
            let whole = schedule.time(schedule.total());
            let until = if whole / step <= COMPARED as f64 { whole } else { COMPARED as f64 * step };
            let Ok(again) = Schedule::until(step, until, COMPARED.max(1)) else { continue };
            if again.steps == 0 {
                continue;
            }
            if let Some(sizes) = sizes(combination, again, exact, limits)? {
                let steps = again.steps as f64 * f64::min(factor, 1.0);
                return Ok(Some(Other { factor, steps, until, sizes }));
            }
        }
        Ok(None)
    }

    /// Whether an error falls with the step, given the same error in the same time. What has no value may do so.
    pub(super) fn falls(&self, own: f64, other: f64, unit: f64) -> bool {
        let (coarse, fine) = if self.factor > 1.0 { (other, own) } else { (own, other) };
        let rounding = self.steps.sqrt().max(SAME) * f64::EPSILON * unit;
        coarse > FALLS * fine + rounding || coarse.is_nan() || fine.is_nan()
    }
}

fn sizes(
    combination: &Combination<'_>,
    schedule: Schedule,
    exact: Option<&Exact>,
    limits: &Limits,
) -> Result<Option<Sizes>, CompileError> {
    let Combination { problem, prepared, .. } = *combination;
    let (diagnostics, integrator) = (problem.diagnostics()?, problem.integrator(prepared)?);
    let Ok(mut run) = Run::new(integrator, diagnostics, schedule, problem.start.clone()) else { return Ok(None) };
    if !matches!(run.go(limits, &mut []), Ok(End::Finished)) {
        return Ok(None);
    }
    let worst = |list: &[cotangent_observe::Extremes]| largest(list.iter().map(|e| e.max_abs));
    let (values, time) = (run.state().values.clone(), run.time());
    let mut model = vec![0.0; problem.equations.motion.system.state().len()];
    let shared = exact.and_then(|e| e.shared(problem));
    let known = run.diagnostics().model_state(&values, &mut model).is_ok();
    Ok(Some(Sizes {
        energy: run.energy().max_deviation,
        constraints: worst(run.constraints()),
        hidden: worst(run.hidden_constraints()),
        state: exact.filter(|_| known).and_then(|e| e.distance_in(shared.as_deref(), time, &model)),
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn round_off_explains_what_steps_and_amplification_make_of_it() {
        let u = f64::EPSILON;
        assert_eq!(explained(1, 1.0), 16.0 * u);
        assert_eq!(explained(1000, 0.1), 4000.0 * u);
        assert_eq!(explained(1000, 10.0), 40000.0 * u);
        assert_eq!(explained(u64::MAX, f64::INFINITY), LARGEST);
    }

    #[test]
    fn errors_of_methods_fall_with_the_step() {
        let made = |factor: f64, steps| Other { factor, steps, until: 1.0, sizes: Sizes::default() };
        let other = |factor| made(factor, 1.0);
        assert!(other(2.0).falls(1e-14, 4e-14, 1.0) && !other(2.0).falls(1e-14, 2e-14, 1.0));
        assert!(other(0.5).falls(4e-14, 1e-14, 1.0) && !other(0.5).falls(1e-14, 1e-14, 1.0));
        // A unit in the last place and none.
        assert!(!other(2.0).falls(0.0, 4.0 * f64::EPSILON, 1.0));
        // What a hundred steps make of it, in other units, and none.
        assert!(!made(2.0, 100.0).falls(0.0, 30.0 * f64::EPSILON, 3.0));
        assert!(made(2.0, 100.0).falls(0.0, 31.0 * f64::EPSILON, 3.0));
        // Of what has no value nothing is said.
        assert!(other(2.0).falls(f64::NAN, 1.0, 1.0) && other(2.0).falls(1.0, f64::NAN, 1.0));
    }
}
