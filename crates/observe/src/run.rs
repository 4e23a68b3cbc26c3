//! The run: steps, each measured and pushed to observers; it can be interrupted and resumed to the same bytes.

mod arrays;
mod arrival;
mod between;
mod calm;
mod end;
mod judged;
mod made;
mod observer;
mod parts;
mod reached;
mod recorder;
mod rows;
mod saved;
mod watch;

pub use arrays::Arrays;
pub use end::{End, Foreign, RunError};
pub use observer::{Each, Observer, OnProgress, Progress, Sample, Unobserved, Verdict, each, progress};
pub use rows::Extra;
pub use saved::{Checkpoints, Header};
pub use watch::HISTORY_ERRORS;

use crate::history::History;
use crate::monitor::Monitor;
use crate::schedule::Schedule;
use crate::statistics::ExtremesList;
use crate::table::{Columns, TableWriter};
use cotangent_dynamics::{Advance, Failure, Kept, Measure, State, Time, Value};
use cotangent_scalar::{Cancel, Clock, Limits};
use recorder::Recorder;
use rows::Rows;
use std::time::Duration;
use watch::Watch;

/// How often the world is looked at: for an interrupt, a checkpoint, progress.
const ATTENTION: Duration = Duration::from_millis(40);

/// After so many steps, if there is no clock.
const WITHOUT_CLOCK: u64 = 256;

/// A run in progress, of what steps (`I`) and what is measured on the way (`D`).
pub struct Run<I, D> {
    integrator: I,
    quantities: D,
    schedule: Schedule,
    state: State<f64>,
    /// Where the time is.
    time: Time,
    done: u64,
    /// Whether the next step is the last, to a final time that is a variable; and the size of it when it was made.
    is_ending: bool,
    last: Option<f64>,
    clock: Clock,
    cancel: Cancel,
    /// Energy, constraints, hidden constraints, claims.
    kept: ExtremesList,
    /// The columns that tables have besides.
    extra: Extra,
    recorder: Option<Recorder>,
    watch: Option<Watch>,
    seconds: f64,
    /// The time of measured steps, without what is measured, if somebody asks.
    stepping: Option<Duration>,
    /// Updates of Newton's method before the run was resumed.
    earlier: [u64; 2],
    /// Those of steps that were made again: where that is depends on the end of a run.
    again: [u64; 2],
    unobserved: Option<Unobserved>,
    monitor: Monitor,
    /// The state before the last step, and that after it while others between them are recorded.
    before: State<f64>,
    ahead: State<f64>,
    /// The state before several that are looked at as one.
    since: State<f64>,
    /// By how much each variable changed in the last of them, and at most.
    changes: Vec<[f64; 2]>,
    /// What judges forces remembered before the last step.
    known: Vec<f64>,
    /// Rows of the next step that are in the table already.
    between: u64,
    /// The numbers of the history before the run was resumed.
    past: Vec<f64>,
}

/// The observers that belong to a run, as it is saved and resumed with them.
struct Own<'a> {
    kept: &'a mut ExtremesList,
    recorder: Option<&'a mut Recorder>,
    watch: Option<&'a mut Watch>,
}

/// Who looks on.
type Observers<'a, 'o, I, D> = &'a mut [&'o mut dyn Observer<I, D>];

/// Why steps end before they are all made.
enum Halt {
    Failed(Failure),
    /// Somebody asked to stop: a step that was left in the middle has not failed.
    Interrupted,
    Stopped,
}

impl<I: Advance, D: Measure> Run<I, D> {
    /// A run from its start.
    pub fn new(integrator: I, mut quantities: D, schedule: Schedule, start: Vec<f64>) -> Result<Run<I, D>, RunError> {
        let state = integrator.state(start);
        let Kept { energy, constraints, hidden_constraints, claims } = quantities.kept(&state.values)?;
        if !energy.is_finite() {
            return Err(RunError::Energy(*energy));
        }
        let kept = ExtremesList::new(&[&[*energy], &constraints[..], hidden_constraints, claims].concat());
        let (time, mut monitor) = (quantities.time(), Monitor::default());
        if time != Time::Parameter {
            let pace = quantities.pace(&state.values)?;
            if pace.is_nan() || pace <= 0.0 {
                return Err(RunError::Pace(pace));
            }
            monitor.note_pace(pace);
        }
        let schedule = schedule.in_another_time(time);
        Ok(Run {
            integrator,
            quantities,
            schedule,
            state,
            time,
            done: 0,
            is_ending: false,
            last: None,
            clock: Clock::default(),
            cancel: Cancel::default(),
            kept,
            extra: Extra::default(),
            recorder: None,
            watch: None,
            seconds: 0.0,
            stepping: None,
            earlier: [0; 2],
            again: [0; 2],
            unobserved: None,
            monitor,
            before: State::default(),
            ahead: State::default(),
            since: State::default(),
            changes: vec![],
            known: vec![],
            between: 0,
            past: vec![],
        })
    }

    /// From now on tables have more columns.
    pub fn record_also(&mut self, extra: Extra) {
        self.extra = extra;
    }

    /// The columns of its table: time, state, energy, observables, multipliers, what the formulation has besides, the
    /// coordinates of the chart, and what is recorded also. The names of the model stay; others give way to them with
    /// a `_` at their end.
    pub fn columns(&self) -> Columns {
        rows::columns(&self.quantities.names(), self.time, self.integrator.chart().as_ref(), self.extra)
    }

    /// Records rows into a table, beginning with the start if nothing is there yet.
    pub fn record_into(&mut self, table: TableWriter) -> Result<(), RunError> {
        let is_new = self.done == 0 && table.rows() == 0;
        let rows = Rows::new(&self.quantities.names(), self.integrator.chart(), self.extra);
        self.recorder = Some(Recorder::new(table, rows));
        if is_new { self.record() } else { Ok(()) }
    }

    /// Keeps a history, of the errors [`HISTORY_ERRORS`](crate::HISTORY_ERRORS) and of [`watched`](Run::watched)
    /// values. A run that was resumed goes on with that of its checkpoint, if it is of the same kind.
    pub fn watch(&mut self, history: History) {
        let past = history.import(&std::mem::take(&mut self.past));
        let begins = past.is_none();
        self.watch = Some(Watch::new(past.unwrap_or(history), &self.quantities.names()));
        if begins {
            self.look();
        }
    }

    /// Makes steps until the end, an interrupt or a failure, or until an observer stops it.
    pub fn go(&mut self, limits: &Limits, observers: Observers<'_, '_, I, D>) -> Result<End, RunError> {
        self.integrator.cancel_with(&limits.cancel);
        (self.clock, self.cancel) = (limits.clock, limits.cancel.clone());
        match self.drive(limits, observers) {
            Ok(end) => {
                observers.iter_mut().try_for_each(|o| o.end(self, Ok(&end)))?;
                // Rows of the step that failed are later ones.
                if matches!(end, End::Failed(_)) && !self.schedule.records(self.done) && self.between == 0 {
                    self.record()?;
                }
                if !matches!(end, End::Finished) {
                    // The last state of a run that did not reach its end is part of what it was, and not of the
                    // checkpoint, from which it goes on as if nothing had happened.
                    self.look();
                }
                Ok(end)
            }
            Err(error) => {
                // The first error is the one to know.
                observers.iter_mut().for_each(|o| drop(o.end(self, Err(&error))));
                Err(error)
            }
        }
    }

    fn drive(&mut self, limits: &Limits, observers: Observers<'_, '_, I, D>) -> Result<End, RunError> {
        observers.iter_mut().try_for_each(|o| o.begin(self))?;
        let mut batch = if self.clock.is_running() { 1 } else { WITHOUT_CLOCK };
        loop {
            if self.is_finished() {
                return Ok(End::Finished);
            }
            if limits.cancel.is_set() {
                return Ok(End::Interrupted);
            }
            let (begin, before) = (self.clock.now(), self.done);
            let halted = self.steps(batch, observers)?;
            let spent = self.clock.now().saturating_sub(begin);
            self.seconds += spent.as_secs_f64();
            match halted {
                Some(Halt::Interrupted) => return Ok(End::Interrupted),
                Some(Halt::Failed(failure)) => return Ok(End::Failed(failure)),
                _ => {}
            }
            if self.schedule.records(self.done) && self.done > before || self.is_finished() {
                self.record()?;
            }
            let mut stops = matches!(halted, Some(Halt::Stopped));
            // So many steps at once that the world is looked at often enough, and not too often.
            batch = match (spent < ATTENTION / 2, spent > ATTENTION) {
                _ if !self.clock.is_running() => batch,
                (true, _) => batch.saturating_mul(2).min(1 << 40),
                (_, true) => (batch / 2).max(1),
                _ => batch,
            };
            // Whoever asks to stop does not wait for a checkpoint that is followed by the last one.
            if !limits.cancel.is_set() {
                for o in observers.iter_mut() {
                    stops |= o.pause(self)?.is_break();
                }
            }
            if stops && !self.is_finished() {
                return Ok(End::Stopped);
            }
        }
    }

    /// Makes up to so many steps, but not beyond the next row.
    fn steps(&mut self, batch: u64, observers: Observers<'_, '_, I, D>) -> Result<Option<Halt>, RunError> {
        let schedule = self.schedule;
        // The last step is made by itself: what is saved before it can go on to another end.
        let full = schedule.total().saturating_sub(self.done + 1);
        let to_row = match schedule.record {
            0 => u64::MAX,
            every => every - self.done % every,
        };
        let count = if full == 0 || self.is_ending { 1 } else { batch.min(full).min(to_row) };
        let h = schedule.size(self.done);
        let before = self.done;
        // Steps with constraints, or with a time of their own, are looked at one by one, measured or not.
        let looks = self.quantities.conditioning().is_some() || self.time != Time::Parameter;
        let halted = match schedule.record > 0 || schedule.every.is_some() || looks {
            false => self.plain_steps(h, count),
            true => self.judged_steps(h, count, observers)?,
        };
        // What is measured in the middle would be part of what the run goes on from.
        let at_end = self.is_finished() || halted.as_ref().is_some_and(|halt| !matches!(halt, Halt::Interrupted));
        if schedule.record == 0 && at_end && self.done > before {
            self.quantities.kept(&self.state.values)?;
            return Ok(self.measured(observers)?.or(halted));
        }
        Ok(halted)
    }

    /// Makes steps that nobody looks at. If somebody asks to stop in the middle of one, they are made again when the run goes
    /// on: how far they came is known, and not the work up to there.
    fn plain_steps(&mut self, h: f64, count: u64) -> Option<Halt> {
        self.before.copy_from(&self.state);
        let begun = self.counts();
        let Err((made, failure)) = self.integrator.advance(&mut self.state, h, count) else {
            self.done += count;
            return None;
        };
        let halted = self.halted(failure, begun);
        match halted {
            Halt::Interrupted => self.state.copy_from(&self.before),
            _ => self.done += made,
        }
        Some(halted)
    }

    /// What a step has come to that could not be made, begun at these counts. One that somebody asked to leave is made again.
    fn halted(&mut self, failure: Failure, begun: [u64; 3]) -> Halt {
        if !self.cancel.is_set() {
            return Halt::Failed(failure);
        }
        self.forget(begun);
        Halt::Interrupted
    }

    /// Pushes what was measured last to all who look on; the end of a run whose energy is no number any more.
    fn measured(&mut self, observers: Observers<'_, '_, I, D>) -> Result<Option<Halt>, RunError> {
        let energy = self.quantities.last().energy;
        let (mut sample, own) = self.shown();
        // Those of its own do not stop a run.
        let _ = Observer::<I, D>::sample(own.kept, &mut sample)?;
        if let Some(watch) = own.watch {
            let _ = Observer::<I, D>::sample(watch, &mut sample)?;
        }
        if !energy.is_finite() {
            return Ok(Some(Halt::Failed(Failure::NotFinite(Value::Energy(energy)))));
        }
        let mut stops = false;
        for o in observers.iter_mut() {
            stops |= o.sample(&mut sample)?.is_break();
        }
        Ok(stops.then_some(Halt::Stopped))
    }

    /// What observers are shown, and those that belong to the run.
    fn shown(&mut self) -> (Sample<'_, D>, Own<'_>) {
        let sample = Sample {
            step: self.done,
            time: self.time(),
            parameter: self.parameter_time(),
            is_last: self.is_finished(),
            state: &self.state,
            quantities: &mut self.quantities,
            initial_energy: self.kept.as_slice()[0].initial,
            unobserved: &mut self.unobserved,
        };
        (sample, Own { kept: &mut self.kept, recorder: self.recorder.as_mut(), watch: self.watch.as_mut() })
    }

    /// Takes the state into the history, due or not.
    fn look(&mut self) {
        let (mut sample, own) = self.shown();
        if let Some(watch) = own.watch {
            watch.look(&mut sample, true);
        }
    }

    /// Writes the state into the table.
    fn record(&mut self) -> Result<(), RunError> {
        let (mut sample, own) = self.shown();
        match own.recorder {
            Some(recorder) => Observer::<I, D>::sample(recorder, &mut sample).map(drop),
            None => Ok(()),
        }
    }

    /// Whether the last row could not be written.
    fn is_behind(&self) -> bool {
        self.recorder.as_ref().is_some_and(|recorder| recorder.is_behind)
    }

    /// Makes a complete table of the rows so far, if that takes no longer than a moment; whether it did.
    fn publish(&mut self) -> Result<bool, RunError> {
        match &mut self.recorder {
            Some(recorder) if recorder.table.is_short() => recorder.table.publish().map(|()| true).map_err(Into::into),
            _ => Ok(false),
        }
    }

    /// Completes the table, unless somebody asks to stop and it takes longer than a moment: an error then, and the rows
    /// are kept.
    pub fn finish(&mut self, cancel: &Cancel) -> Result<(), RunError> {
        self.recorder.take().map_or(Ok(()), |recorder| Ok(recorder.table.finish(cancel)?))
    }

    /// The state as observers are shown it.
    pub fn sample(&mut self) -> Sample<'_, D> {
        self.shown().0
    }
}
