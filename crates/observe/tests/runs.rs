//! Runs of a system written in Rust: who looks on, who stops them, and how they go on.

use cotangent_dynamics::{Advance, Failure, Measure, Mechanics};
use cotangent_integrate::{Handwritten, Method, Propagator, Quantities, Recipe, StageSolver};
use cotangent_observe::{
    Checkpoint, Checkpoints, Columns, End, Family, HISTORY_ERRORS, Header, History, Observer, Run, RunError, Schedule,
    TableWriter, Verdict, each, progress,
};
use cotangent_scalar::{Cancel, Clock, Limits, Scalar};
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// A pendulum as an angle.
struct Swing;

impl Mechanics for Swing {
    fn coordinates(&self) -> usize {
        1
    }

    fn hamiltonian<S: Scalar>(&self, q: &[S], p: &[S]) -> S {
        p[0] * p[0] / S::from_f64(2.0) - q[0].cos()
    }
}

type Seen<'a, 's> = cotangent_observe::Sample<'a, Quantities<'s, Swing>>;
type Swinging<'s> = Run<Propagator<'s>, Quantities<'s, Swing>>;

fn swing() -> Handwritten<Swing> {
    Handwritten::new(Swing, vec![1.0, 0.3]).unwrap()
}

fn run(system: &Handwritten<Swing>, steps: u64, record: u64) -> Swinging<'_> {
    let integrator = system.integrator(&system.prepare(Method::StormerVerlet).unwrap()).unwrap();
    let schedule = Schedule::count(0.1, steps, record).unwrap();
    Run::new(integrator, system.quantities().unwrap(), schedule, system.start().to_vec()).unwrap()
}

#[test]
fn an_observer_sees_every_step_and_may_stop_the_run_which_can_go_on_to_the_same_bits() {
    let system = swing();
    let mut whole = run(&system, 1000, 7);
    let mut seen = vec![];
    let mut all = each(|sample: &mut Seen<'_, '_>| {
        seen.push((sample.step, sample.time, sample.energy_error()));
        ControlFlow::Continue(())
    });
    assert!(matches!(whole.go(&Limits::default(), &mut [&mut all]), Ok(End::Finished)));
    assert_eq!(seen.len(), 1000);
    assert!(seen.iter().zip(1..).all(|(&(step, time, _), k)| step == k && (time - 0.1 * k as f64).abs() < 1e-12));
    let largest = seen.iter().fold(0.0f64, |m, (.., error)| m.max(error.abs()));
    assert_eq!(whole.energy().max_deviation, largest);

    let mut broken = run(&system, 1000, 7);
    for stop in [1, 2, 350, 999, 1000, 1001] {
        let mut until = each(
            |sample: &mut Seen<'_, '_>| {
                if sample.step == stop { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            },
        );
        let end = broken.go(&Limits::default(), &mut [&mut until]).unwrap();
        // At the last step there is nothing left to stop.
        assert!(matches!(end, End::Stopped) == (stop < 1000), "{stop}: {end:?}");
        assert_eq!(broken.done(), stop.min(1000));
    }
    let bits = |run: &Swinging<'_>| run.state().values.iter().map(|v| v.to_bits()).collect::<Vec<_>>();
    assert_eq!((bits(&broken), broken.energy()), (bits(&whole), whole.energy()));
}

#[test]
fn only_the_end_is_shown_where_nothing_is_measured_between() {
    let system = swing();
    let mut run = run(&system, 500, 0);
    let mut seen = vec![];
    let mut all = each(|sample: &mut Seen<'_, '_>| {
        seen.push(sample.quantities.last().energy);
        ControlFlow::Continue(())
    });
    run.go(&Limits::default(), &mut [&mut all]).unwrap();
    assert_eq!(seen, [run.energy().last]);
}

/// Time that goes on by a millisecond whenever somebody looks.
fn ticking() -> Duration {
    static LOOKS: AtomicU64 = AtomicU64::new(0);
    Duration::from_millis(LOOKS.fetch_add(1, Ordering::Relaxed))
}

#[test]
fn time_is_that_of_the_clock_that_is_given() {
    let system = swing();
    let mut still = run(&system, 300, 1);
    still.go(&Limits::default(), &mut []).unwrap();
    assert_eq!((still.seconds(), still.clock().is_running()), (0.0, false));
    let mut timed = run(&system, 300, 1);
    let mut told = vec![];
    timed.go(&Limits::default().timed(Clock::new(ticking)), &mut [&mut progress(|p| told.push(p.done))]).unwrap();
    assert!(timed.seconds() > 0.0 && told.last() == Some(&300), "{told:?}");
    assert_eq!(timed.state(), still.state());
}

#[test]
fn a_token_that_is_set_by_an_observer_interrupts() {
    let system = swing();
    let cancel = Cancel::new();
    let mut run = run(&system, 100_000, 1);
    let mut asks = each(|sample: &mut Seen<'_, '_>| {
        if sample.step == 100 {
            cancel.set();
        }
        ControlFlow::Continue(())
    });
    let end = run.go(&Limits::until(cancel.clone()), &mut [&mut asks]).unwrap();
    assert!(matches!(end, End::Interrupted) && run.done() < 1000, "{}", run.done());
}

/// Runs with a table and a history; stopped after so many steps and taken up again, if that is asked for.
fn recorded(folder: &Path, stop: Option<u64>) -> (Vec<u8>, Vec<f64>) {
    let (table, checkpoint) = (folder.join("swing.csv"), folder.join("swing.checkpoint"));
    let system = swing();
    let history = || History::new(64, HISTORY_ERRORS.len(), 2);
    let limits = Limits::default().timed(Clock::new(ticking));
    let mut saver = Checkpoints::new(checkpoint.clone(), Duration::ZERO, "swing".to_owned());
    let mut run = self::run(&system, 1000, 10);
    assert_eq!((run.columns(), run.watched()), (Columns(columns()), 2));
    run.watch(history());
    run.record_into(TableWriter::create(&table, run.columns()).unwrap()).unwrap();
    if let Some(stop) = stop {
        let mut until = each(
            |sample: &mut Seen<'_, '_>| {
                if sample.step == stop { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            },
        );
        assert!(matches!(run.go(&limits, &mut [&mut until, &mut saver]), Ok(End::Stopped)));
        drop(run);
        let saved = Checkpoint::<Header<String>>::read(&checkpoint).unwrap();
        assert_eq!((saved.header.done, saved.header.request.as_str()), (stop, "swing"));
        run = self::run(&system, 1000, 10);
        run.restore(&saved).unwrap();
        run.watch(history());
        let mark = saved.header.mark.unwrap();
        run.record_into(TableWriter::resume(&table, run.columns(), &mark, &Cancel::new()).unwrap()).unwrap();
    }
    assert!(matches!(run.go(&limits, &mut [&mut saver]), Ok(End::Finished)));
    // Whoever is killed from here on makes the last step again.
    let saved = Checkpoint::<Header<String>>::read(&checkpoint).unwrap();
    assert_eq!((saved.header.done, saved.header.finished), (999, false));
    run.finish(&Cancel::new()).unwrap();
    let mut numbers = vec![];
    run.history().unwrap().export(&mut numbers);
    (std::fs::read(&table).unwrap(), numbers)
}

fn columns() -> Vec<Family> {
    let member = |name: &str| Family::indexed(name, [(1, 1)]);
    vec![Family::scalar("time"), member("q"), member("p"), Family::scalar("energy")]
}

#[test]
fn a_run_that_was_stopped_and_resumed_ends_in_the_same_bytes() {
    let whole = recorded(tempfile::tempdir().unwrap().path(), None);
    assert_eq!(whole.0.iter().filter(|&&b| b == b'\n').count(), 102);
    for stop in [1, 10, 345, 999] {
        assert!(recorded(tempfile::tempdir().unwrap().path(), Some(stop)) == whole, "{stop}");
    }
}

/// Something of the run gives up when all steps are made, as a process does that is killed there.
struct Killed;

impl<I: Advance, D: Measure> Observer<I, D> for Killed {
    fn pause(&mut self, run: &mut Run<I, D>) -> Verdict {
        match run.is_finished() {
            true => Err(RunError::Quantity(Failure::Interrupted)),
            false => Ok(ControlFlow::Continue(())),
        }
    }
}

#[test]
fn a_run_that_was_killed_behind_its_last_step_leaves_what_it_is_extended_from() {
    let folder = tempfile::tempdir().unwrap();
    let (table, checkpoint) = (folder.path().join("swing.csv"), folder.path().join("swing.checkpoint"));
    let system = swing();
    let limits = Limits::default().timed(Clock::new(ticking));
    let saver = || Checkpoints::new(checkpoint.clone(), Duration::ZERO, "swing".to_owned());
    let mut killed = run(&system, 20, 1);
    killed.record_into(TableWriter::create(&table, killed.columns()).unwrap()).unwrap();
    killed.go(&limits, &mut [&mut saver(), &mut Killed]).unwrap_err();
    assert_eq!(killed.done(), 20);
    drop(killed);
    let saved = Checkpoint::<Header<String>>::read(&checkpoint).unwrap();
    let mut resumed = run(&system, 20, 1);
    resumed.restore(&saved).unwrap();
    let mark = saved.header.mark.unwrap();
    resumed.record_into(TableWriter::resume(&table, resumed.columns(), &mark, &Cancel::new()).unwrap()).unwrap();
    let mut saver = saver();
    assert!(matches!(resumed.go(&limits, &mut [&mut saver]), Ok(End::Finished)));
    resumed.finish(&Cancel::new()).unwrap();
    assert!(saver.leave().unwrap());
    let left = Checkpoint::<Header<String>>::read(&checkpoint).unwrap();
    assert_eq!((left.header.done, left.header.finished), (19, true));
    assert_eq!(std::fs::read_to_string(&table).unwrap().lines().count(), 22);
}

/// The same pendulum, of which somebody asks to stop while its energy is evaluated for the n-th time.
struct Asking {
    left: AtomicU64,
    cancel: Cancel,
}

impl Mechanics for Asking {
    fn coordinates(&self) -> usize {
        1
    }

    fn hamiltonian<S: Scalar>(&self, q: &[S], p: &[S]) -> S {
        if self.left.fetch_sub(1, Ordering::Relaxed) == 1 {
            self.cancel.set();
        }
        Swing.hamiltonian(q, p)
    }
}

/// Updates, iterations and the state after 40 steps; of which somebody asks to leave one in the middle, and they go on.
fn worked(recipe: Recipe, record: u64, asks: u64) -> ([u64; 2], Vec<u64>, bool) {
    let folder = tempfile::tempdir().unwrap();
    let checkpoint = folder.path().join("swing.checkpoint");
    let system = Handwritten::new(Asking { left: AtomicU64::new(0), cancel: Cancel::new() }, vec![1.0, 0.3]).unwrap();
    let begun = || {
        let integrator = system.integrator(&system.prepare(recipe.clone()).unwrap()).unwrap();
        let schedule = Schedule::count(0.4, 40, record).unwrap();
        Run::new(integrator, system.quantities().unwrap(), schedule, system.start().to_vec()).unwrap()
    };
    let mut run = begun();
    let asking = system.law();
    asking.left.store(asks, Ordering::Relaxed);
    let mut saver = Checkpoints::new(checkpoint.clone(), Duration::ZERO, "swing".to_owned());
    let end = run.go(&Limits::until(asking.cancel.clone()), &mut [&mut saver]).unwrap();
    let interrupted = matches!(end, End::Interrupted);
    if interrupted {
        run = begun();
        run.restore(&Checkpoint::<Header<String>>::read(&checkpoint).unwrap()).unwrap();
        assert!(matches!(run.go(&Limits::default(), &mut []), Ok(End::Finished)));
    }
    let state = run.state().values.iter().map(|v| v.to_bits()).collect();
    ([run.iterations(), run.contractions()], state, interrupted)
}

fn by_newton() -> Recipe {
    Recipe::from(Method::Gauss { stages: 2 }).solved_by(StageSolver::Newton)
}

#[test]
fn work_is_counted_once_wherever_a_step_is_left() {
    for record in [0, 1] {
        let whole = worked(by_newton(), record, 0);
        assert!(whole.0[0] + whole.0[1] > 40 && !whole.2, "{whole:?}");
        let mut left = 0;
        for asks in (1..200).step_by(5) {
            let (work, state, interrupted) = worked(by_newton(), record, asks);
            assert_eq!((work, &state), (whole.0, &whole.1), "{asks}");
            left += u64::from(interrupted);
        }
        assert!(left > 20, "{left}");
    }
}
