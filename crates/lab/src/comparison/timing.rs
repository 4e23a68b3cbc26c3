//! How long the steps of a combination take, with nothing measured between them.

use super::Combination;
use cotangent_compile::{CompileError, Engine, Integrator};
use cotangent_observe::{Interrupt, Schedule};
use cotangent_solve::NewtonOptions;
use std::time::{Duration, Instant};

/// Short runs are repeated for so long; the shortest counts, as what else the machine does only adds.
const PATIENCE: Duration = Duration::from_millis(10);

/// Steps between two looks at the interrupt.
const BATCH: u64 = 4096;

/// The seconds of so many steps.
pub(super) fn seconds(
    combination: &Combination<'_>,
    schedule: &Schedule,
    steps: u64,
    interrupt: &Interrupt,
) -> Result<f64, CompileError> {
    let Combination { problem, prepared, .. } = combination;
    let newton = NewtonOptions::default();
    let mut integrator = Integrator::new(&problem.compiled, prepared, &problem.parameters, newton, Engine::Best)?;
    let begun = Instant::now();
    let mut shortest = f64::INFINITY;
    while shortest.is_infinite() || begun.elapsed() < PATIENCE {
        let mut state = integrator.state(problem.start.clone());
        let mut spent = Duration::ZERO;
        let mut done = 0;
        while done < steps && !interrupt.is_set() {
            // A shortened last step is one of its own.
            let full = schedule.steps.saturating_sub(done);
            let count = if full == 0 { 1 } else { full.min(BATCH).min(steps - done) };
            let now = Instant::now();
            let made = integrator.advance(&mut state, schedule.size(done), count);
            spent += now.elapsed();
            done += count;
            if made.is_err() {
                break;
            }
        }
        shortest = shortest.min(spent.as_secs_f64());
        if interrupt.is_set() {
            break;
        }
    }
    Ok(shortest)
}
