//! How long the steps of a combination take, with nothing measured between them.

use super::Combination;
use cotangent_compile::CompileError;
use cotangent_dynamics::{Advance, State};
use cotangent_observe::Schedule;
use cotangent_problem::Integrator;
use cotangent_scalar::Limits;
use std::time::Duration;

/// Short runs are repeated for so long; the shortest counts, as what else the machine does only adds.
const PATIENCE: Duration = Duration::from_millis(10);

/// Runs are repeated so often at least, unless one takes longer than [`LONG`].
const LEAST: usize = 3;

/// A run that takes longer is made once: what else the machine does is small beside it.
pub(super) const LONG: Duration = Duration::from_millis(200);

/// Steps between two looks at the interrupt.
const BATCH: u64 = 4096;

/// The seconds of so many steps, by the clock of the limits; none without a clock.
pub(super) fn seconds(
    combination: &Combination<'_>,
    schedule: &Schedule,
    steps: u64,
    limits: &Limits,
) -> Result<f64, CompileError> {
    if !limits.clock.is_running() {
        return Ok(0.0);
    }
    let mut integrator = integrator(combination)?;
    let begun = limits.clock.now();
    let mut shortest = f64::INFINITY;
    for made in 0.. {
        let few = made < LEAST && shortest < LONG.as_secs_f64();
        if made > 0 && !few && limits.clock.now().saturating_sub(begun) >= PATIENCE {
            break;
        }
        let (_, spent) = run(&mut integrator, &combination.problem.start, schedule, steps, limits);
        shortest = shortest.min(spent.as_secs_f64());
        if limits.cancel.is_set() {
            break;
        }
    }
    Ok(shortest)
}

fn integrator(combination: &Combination<'_>) -> Result<Integrator, CompileError> {
    combination.problem.integrator(combination.prepared)
}

/// Makes so many steps of a schedule, or as many as can be made: the state, and how long it took.
fn run(
    integrator: &mut Integrator,
    start: &[f64],
    schedule: &Schedule,
    steps: u64,
    limits: &Limits,
) -> (State<f64>, Duration) {
    let mut state = integrator.state(start.to_vec());
    let mut spent = Duration::ZERO;
    let mut done = 0;
    while done < steps && !limits.cancel.is_set() {
        // A shortened last step is one of its own.
        let full = schedule.steps.saturating_sub(done);
        let count = if full == 0 { 1 } else { full.min(BATCH).min(steps - done) };
        let now = limits.clock.now();
        let made = integrator.advance(&mut state, schedule.size(done), count);
        spent += limits.clock.now().saturating_sub(now);
        done += count;
        if made.is_err() {
            break;
        }
    }
    (state, spent)
}

#[cfg(test)]
mod tests {
    use super::*;
    use cotangent_compile::Engine;
    use cotangent_integrate::Method;
    use cotangent_model::System;
    use cotangent_observe::Run;
    use cotangent_problem::{Instance, Repairs};
    use cotangent_theory::Formulation;

    #[test]
    fn what_is_timed_are_the_steps_that_are_measured() {
        let text = "coord x, y\nhamiltonian (p_x^2 + p_y^2)/2 + y\nconstraint rod: (x^2 + y^2 - 1)/2 = 0\n\
            initial x = 1, p_y = -2\n";
        let system = System::parse(text).unwrap();
        let problem = Instance::new(&system, Formulation::Multipliers, &[], Repairs::default(), Engine::Best).unwrap();
        let prepared = problem.prepare(Method::Rattle).unwrap();
        let combination = Combination { problem: &problem, prepared: &prepared, amplification: 1.0 };
        // Beyond a batch, with a last step that is shorter; up to it; and within the first batch.
        for (until, steps) in [(45.003, 4501), (45.003, 4500), (45.003, 7), (45.0, 4500)] {
            let schedule = Schedule { record: 1 << 20, ..Schedule::until(0.01, until, 1).unwrap() };
            let stop = Schedule { steps: schedule.steps.min(steps), ..schedule };
            let stop = if steps > schedule.steps { stop } else { Schedule { last: None, ..stop } };
            let diagnostics = problem.diagnostics().unwrap();
            let mut measured =
                Run::new(integrator(&combination).unwrap(), diagnostics, stop, problem.start.clone()).unwrap();
            measured.go(&Limits::default(), &mut []).unwrap();
            let mut own = integrator(&combination).unwrap();
            let limits = Limits::default().timed(cotangent_host::clock());
            let (state, spent) = run(&mut own, &problem.start, &schedule, steps, &limits);
            assert_eq!(&state.values, &measured.state().values, "{until}, {steps}");
            assert!(spent > Duration::ZERO);
        }
    }
}
