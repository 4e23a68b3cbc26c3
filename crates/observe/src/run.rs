//! The run: steps, measurements after every step, rows, checkpoints; it can be interrupted and
//! resumed to the same bytes.

mod watched;

use crate::checkpoint::{Checkpoint, CheckpointError};
use crate::history::History;
use crate::monitor::Monitor;
use crate::platform::Platform;
use crate::reserve::Reserve;
use crate::schedule::Schedule;
use crate::statistics::{Extremes, ExtremesList, StatisticsError};
use crate::table::{Column, Columns, Mark, TableError, TableWriter};
use cotangent_compile::CallError;
use cotangent_dynamics::{Failure, State, Value};
use cotangent_expr::Layout;
use cotangent_problem::{Diagnostics, Integrator, Picture};
use cotangent_scalar::Limits;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// How a run ended.
#[derive(Debug)]
pub enum End {
    /// At its last step.
    Finished,
    /// On request; it can be resumed if it has a checkpoint.
    Interrupted,
    /// At a step that could not be made; the state is that before it.
    Failed(Failure),
}

/// Why a run could not go on, apart from its mathematics.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// A quantity could not be evaluated.
    #[error(transparent)]
    Call(#[from] CallError),
    /// The table could not be written.
    #[error(transparent)]
    Table(#[from] TableError),
    /// The checkpoint could not be written or read.
    #[error(transparent)]
    Checkpoint(#[from] CheckpointError),
    /// An energy beyond all numbers, or none.
    #[error("the energy at the start is {0}: it has no finite value in numbers of 64 bits")]
    Energy(f64),
    /// The checkpoint belongs to another run.
    #[error("the checkpoint is of another run: {0}")]
    Foreign(String),
}

impl From<StatisticsError> for RunError {
    fn from(error: StatisticsError) -> RunError {
        RunError::Foreign(error.to_string())
    }
}

/// What a checkpoint says besides its numbers; `request` is what the caller needs to set up the
/// same run again.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Header<R> {
    /// What was asked for.
    pub request: R,
    /// Steps made.
    pub done: u64,
    /// How much of the table is on the disk.
    pub mark: Option<Mark>,
    /// Where it ran.
    pub platform: Platform,
    /// Updates of Newton's method.
    pub iterations: u64,
    /// Seconds of integration.
    pub seconds: f64,
    /// What was noticed on the way.
    #[serde(default)]
    pub monitor: Monitor,
    /// Where observables or the picture had no value.
    #[serde(default)]
    pub unobserved: Option<Unobserved>,
}

/// A run in progress.
pub struct Run {
    integrator: Integrator,
    diagnostics: Diagnostics,
    schedule: Schedule,
    state: State<f64>,
    done: u64,
    /// Energy, constraints, hidden constraints, claims.
    kept: ExtremesList,
    table: Option<TableWriter>,
    row: Vec<f64>,
    watch: Option<Watch>,
    seconds: f64,
    /// The time of measured steps, without what is measured, if somebody asks.
    stepping: Option<Duration>,
    /// Updates of Newton's method before the run was resumed.
    earlier: u64,
    unobserved: Option<Unobserved>,
    monitor: Monitor,
    /// The state before the last step.
    before: State<f64>,
    /// The numbers of the history before the run was resumed.
    past: Vec<f64>,
}

/// Samples at which observables or the picture had no value; NaN stands in their place.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Unobserved {
    /// How many.
    pub samples: u64,
    /// The time of the first.
    pub time: f64,
    /// Why.
    pub reason: String,
}

impl Unobserved {
    fn note(this: &mut Option<Unobserved>, time: f64, error: &CallError) {
        let first = || Unobserved { samples: 0, time, reason: error.to_string() };
        this.get_or_insert_with(first).samples += 1;
    }
}

/// A history in the making.
struct Watch {
    history: History,
    picture: Option<Picture>,
    values: Vec<f64>,
    /// Whether observables are evaluated after every step.
    always: bool,
}

/// The errors of a history: that of the energy, the largest constraint residual and hidden one.
pub const HISTORY_ERRORS: [&str; 3] = ["energy error", "constraints", "hidden constraints"];

/// The column of the numbers of the coordinates in use, counted from 1; 0 before the first step.
const CHART: &str = "chart";

/// How far a run is.
#[derive(Clone, Copy, Debug)]
pub struct Progress {
    /// Steps made.
    pub done: u64,
    /// Steps in all.
    pub total: u64,
    /// The time reached.
    pub time: f64,
}

/// How often the world is looked at: for an interrupt, a checkpoint, progress.
const ATTENTION: Duration = Duration::from_millis(40);

/// Where and how often checkpoints are written.
pub struct Checkpoints<R> {
    /// The file.
    pub path: PathBuf,
    /// The time between two.
    pub every: Duration,
    /// What it takes to set up the same run again.
    pub request: R,
}

impl Run {
    /// A run from its start.
    pub fn new(
        integrator: Integrator,
        mut diagnostics: Diagnostics,
        schedule: Schedule,
        start: Vec<f64>,
    ) -> Result<Run, RunError> {
        let state = integrator.state(start);
        let kept = flat(&mut diagnostics, &state)?;
        if let Some(energy) = kept.first().filter(|e| !e.is_finite()) {
            return Err(RunError::Energy(*energy));
        }
        let kept = ExtremesList::new(&kept);
        Ok(Run {
            integrator,
            diagnostics,
            schedule,
            state,
            done: 0,
            kept,
            table: None,
            row: vec![],
            watch: None,
            seconds: 0.0,
            stepping: None,
            earlier: 0,
            unobserved: None,
            monitor: Monitor::default(),
            before: State::default(),
            past: vec![],
        })
    }

    /// The columns of a run's table: time, state, energy, observables, multipliers, what the formulation has
    /// besides, and the coordinates of the chart. The names of the model stay; `time`, `energy` and `chart` give
    /// way to them with a `_` at their end.
    pub fn columns(state: &Layout, diagnostics: &Diagnostics, integrator: &Integrator) -> Columns {
        let column = |a: &cotangent_expr::Array| {
            let dims: Vec<(i64, usize)> = a.dims().iter().map(|d| (d.first, d.len)).collect();
            Column::family(a.name(), dims)
        };
        let Diagnostics { observables, multipliers, auxiliaries, .. } = diagnostics;
        let of_model = [state, observables, multipliers, auxiliaries].map(Layout::arrays);
        let own = |name: &str| {
            let taken = |name: &str| of_model.iter().flat_map(|list| list.iter()).any(|a| a.name() == name);
            let mut name = name.to_owned();
            while taken(&name) {
                name.push('_');
            }
            name
        };
        let mut columns = vec![Column::scalar(own("time"))];
        columns.extend(state.arrays().iter().map(column));
        columns.push(Column::scalar(own("energy")));
        columns.extend(of_model[1..].iter().flat_map(|list| list.iter().map(column)));
        if let Some(chart) = integrator.chart() {
            columns.push(Column::family(own(CHART), vec![(1, chart.len())]));
        }
        Columns(columns)
    }

    /// Records rows into a table, beginning with the start if nothing is there yet.
    pub fn record_into(&mut self, table: TableWriter) -> Result<(), RunError> {
        let is_new = self.done == 0 && table.rows() == 0;
        self.table = Some(table);
        if is_new { self.record() } else { Ok(()) }
    }

    /// How many values each sample of a history has: the state, the observables and the numbers of
    /// the picture, one after the other.
    pub fn watched(&self, picture: Option<&Picture>) -> usize {
        self.state.values.len() + self.diagnostics.observables.len() + picture.map_or(0, Picture::len)
    }

    /// Keeps a history, of the errors [`HISTORY_ERRORS`] and of [`watched`](Run::watched) values. A run that
    /// was resumed goes on with that of its checkpoint, if it is of the same kind.
    pub fn watch(&mut self, history: History, picture: Option<Picture>) {
        let len = self.watched(picture.as_ref());
        let n = self.state.values.len();
        let observed = n..n + self.diagnostics.observables.len();
        // Observables without a range need not be known between samples.
        let always = history.ranged().iter().any(|r| observed.contains(r));
        let past = history.import(&std::mem::take(&mut self.past));
        let begins = past.is_none();
        self.watch = Some(Watch { history: past.unwrap_or(history), picture, values: vec![0.0; len], always });
        if begins {
            self.look(true);
        }
    }

    /// The history so far, and the picture.
    pub fn history(&self) -> Option<(&History, Option<&Picture>)> {
        self.watch.as_ref().map(|w| (&w.history, w.picture.as_ref()))
    }

    /// Takes the state into the history: what is noted at every step, and a sample if one is due.
    fn look(&mut self, due: bool) {
        let Some(watch) = &mut self.watch else { return };
        let kept = self.diagnostics.last();
        let worst =
            |list: &[f64]| list.iter().fold(0.0, |m: f64, r| if r.is_nan() || r.abs() > m { r.abs() } else { m });
        let energy = kept.energy - self.kept.as_slice()[0].initial;
        watch.history.note([energy, worst(&kept.constraints), worst(&kept.hidden_constraints)].into_iter());
        let time = self.schedule.time(self.done);
        let regular = watch.history.is_due(self.done);
        let wanted = due || regular || self.done == self.schedule.total();
        let sampled = wanted && watch.history.times().last() != Some(&time);
        let (n, o) = (self.state.values.len(), self.diagnostics.observables.len());
        let (own, rest) = watch.values.split_at_mut(n);
        // A model's momenta that do not exist are seen in the energy, too, which is measured before.
        if self.diagnostics.model_state(&self.state.values, own).is_err() {
            own.fill(f64::NAN);
        }
        let (observed, drawn) = rest.split_at_mut(o);
        if (sampled || watch.always)
            && let Err(error) = self.diagnostics.observe(&self.state.values, observed)
        {
            observed.fill(f64::NAN);
            if sampled {
                Unobserved::note(&mut self.unobserved, time, &error);
            }
        }
        if !sampled {
            watch.history.note_values(&watch.values[..n + o]);
            return;
        }
        if let Some(picture) = &mut watch.picture
            && let Err(error) = picture.draw(&self.state.values, drawn)
        {
            drawn.fill(f64::NAN);
            Unobserved::note(&mut self.unobserved, time, &error);
        }
        match regular || watch.history.times().is_empty() {
            true => watch.history.sample(time, &watch.values),
            false => watch.history.close(time, &watch.values),
        }
    }

    /// Goes back to what a checkpoint says.
    pub fn restore<R>(&mut self, checkpoint: &Checkpoint<Header<R>>) -> Result<(), RunError> {
        let foreign = |what: &str| RunError::Foreign(what.into());
        let header = &checkpoint.header;
        let [n, m] = [self.state.values.len(), self.state.memory.len()];
        let quantities = self.kept.as_slice().len();
        let conditioning = self.diagnostics.conditioning.as_ref().map_or(0, |c| c.memory_len());
        let numbers = &checkpoint.numbers;
        let own = 2 * n + m + conditioning + ExtremesList::state_len(quantities);
        if numbers.len() < own {
            return Err(foreign("it has another number of variables"));
        }
        if header.done > self.schedule.total() {
            return Err(foreign("it has more steps"));
        }
        let (numbers, past) = numbers.split_at(own);
        let (values, rest) = numbers.split_at(n);
        let (carry, rest) = rest.split_at(n);
        let (memory, rest) = rest.split_at(m);
        let (conditioning, rest) = rest.split_at(conditioning);
        if let Some(c) = &mut self.diagnostics.conditioning {
            c.restore(conditioning);
        }
        self.monitor = header.monitor.clone();
        self.kept = ExtremesList::import(quantities, rest)?;
        self.state = State { values: values.to_vec(), carry: carry.to_vec(), memory: memory.to_vec() };
        self.done = header.done;
        self.seconds = header.seconds;
        self.earlier = header.iterations;
        self.unobserved.clone_from(&header.unobserved);
        self.past = past.to_vec();
        self.diagnostics.kept(&self.state.values)?;
        Ok(())
    }

    /// Makes steps until the end, an interrupt or a failure.
    pub fn go<R: Clone + Serialize + serde::de::DeserializeOwned>(
        &mut self,
        limits: &Limits,
        checkpoints: Option<&Checkpoints<R>>,
        progress: &mut dyn FnMut(Progress),
    ) -> Result<End, RunError> {
        self.integrator.cancel_with(&limits.cancel);
        let (mut saved, mut saving) = (Instant::now(), Duration::ZERO);
        let mut reserve = None;
        if let Some(c) = checkpoints {
            self.save(c)?;
            reserve = Reserve::beside(&c.path);
        }
        let mut batch = 1u64;
        let end = loop {
            if self.done == self.schedule.total() {
                break End::Finished;
            }
            if limits.cancel.is_set() {
                break End::Interrupted;
            }
            let begin = Instant::now();
            let outcome = self.steps(batch)?;
            let spent = begin.elapsed();
            self.seconds += spent.as_secs_f64();
            if let Some(failure) = outcome {
                // A step that was left in the middle has not failed.
                break if limits.cancel.is_set() { End::Interrupted } else { End::Failed(failure) };
            }
            if self.schedule.records(self.done)
                && let Err(error) = self.record()
            {
                drop(reserve);
                return Err(self.rescued(error, checkpoints));
            }
            // So many steps at once that the world is looked at often enough, and not too often.
            batch = match (spent < ATTENTION / 2, spent > ATTENTION) {
                (true, _) => batch.saturating_mul(2).min(1 << 40),
                (_, true) => (batch / 2).max(1),
                _ => batch,
            };
            progress(Progress { done: self.done, total: self.schedule.total(), time: self.schedule.time(self.done) });
            // A large history takes a while to write: not more than a tenth of the time.
            if let Some(c) = checkpoints.filter(|c| saved.elapsed() >= c.every.max(10 * saving)) {
                let begun = Instant::now();
                if let Err(error) = self.save(c) {
                    drop(reserve);
                    let _ = self.save(c);
                    return Err(error);
                }
                saved = Instant::now();
                saving = saved - begun;
            }
        };
        drop(reserve);
        match (&end, checkpoints) {
            (End::Interrupted, Some(c)) => {
                self.save(c)?;
                if let Some(table) = &mut self.table {
                    table.publish()?;
                }
            }
            (End::Failed(_), _) if !self.schedule.records(self.done) => self.record()?,
            _ => {}
        }
        if !matches!(end, End::Finished) {
            // The last state of a run that did not reach its end is part of what it was, and not of the
            // checkpoint, from which it goes on as if nothing had happened.
            self.look(true);
        }
        Ok(end)
    }

    /// Makes the next step, each of which is measured; why not, if it cannot be made. For those who look at every state
    /// themselves; there must be a step left.
    pub fn step(&mut self) -> Result<Option<Failure>, RunError> {
        let h = self.schedule.size(self.done);
        self.watched_steps(h, 1)
    }

    /// Makes up to so many steps, but not beyond the next row.
    fn steps(&mut self, batch: u64) -> Result<Option<Failure>, RunError> {
        let schedule = self.schedule;
        let full = schedule.steps.saturating_sub(self.done);
        let to_row = match schedule.record {
            0 => u64::MAX,
            every => every - self.done % every,
        };
        let count = if full == 0 { 1 } else { batch.min(full).min(to_row) };
        let h = schedule.size(self.done);
        let before = self.done;
        // Steps with constraints are looked at one by one, measured or not.
        let watched = schedule.record > 0 || self.diagnostics.conditioning.is_some();
        let failure = match watched {
            false => match self.integrator.advance(&mut self.state, h, count) {
                Ok(()) => {
                    self.done += count;
                    None
                }
                Err((made, failure)) => {
                    self.done += made;
                    Some(failure)
                }
            },
            true => self.watched_steps(h, count)?,
        };
        let at_end = self.done == schedule.total() || failure.is_some();
        if schedule.record == 0 && at_end && self.done > before {
            self.diagnostics.kept(&self.state.values)?;
            return Ok(self.measure()?.or(failure));
        }
        Ok(failure)
    }

    /// Takes what was measured last; the end of a run whose energy is no number any more.
    fn measure(&mut self) -> Result<Option<Failure>, RunError> {
        let kept = self.diagnostics.last();
        self.kept.record_parts(&[
            std::slice::from_ref(&kept.energy),
            &kept.constraints,
            &kept.hidden_constraints,
            &kept.claims,
        ])?;
        let energy = kept.energy;
        self.look(false);
        let lost = || Failure::NotFinite(Value::Energy(energy));
        Ok((!energy.is_finite()).then(lost))
    }

    fn record(&mut self) -> Result<(), RunError> {
        let Some(table) = &mut self.table else { return Ok(()) };
        let values = &self.state.values;
        let Diagnostics { observables, multipliers, auxiliaries, .. } = &self.diagnostics;
        let (o, m, a) = (observables.len(), multipliers.len(), auxiliaries.len());
        let chart = self.integrator.chart().unwrap_or(0..0);
        let row = &mut self.row;
        row.resize(1 + values.len() + 1 + o + m + a + chart.len(), 0.0);
        row[0] = self.schedule.time(self.done);
        self.diagnostics.model_state(values, &mut row[1..=values.len()])?;
        row[1 + values.len()] = self.diagnostics.kept(values)?.energy;
        let (observed, rest) = row[2 + values.len()..].split_at_mut(o);
        let (forces, rest) = rest.split_at_mut(m);
        let (own, in_chart) = rest.split_at_mut(a);
        if let Err(error) = self.diagnostics.observe(values, observed) {
            observed.fill(f64::NAN);
            Unobserved::note(&mut self.unobserved, self.schedule.time(self.done), &error);
        }
        self.diagnostics.multipliers(values, forces)?;
        self.diagnostics.auxiliaries(values, own)?;
        in_chart.copy_from_slice(&self.state.memory[chart]);
        table.row(row)?;
        Ok(())
    }

    /// The error of a row that could not be written; what was computed is kept where some room was given up for it.
    fn rescued<R: Clone + Serialize + serde::de::DeserializeOwned>(
        &mut self,
        error: RunError,
        checkpoints: Option<&Checkpoints<R>>,
    ) -> RunError {
        if let (RunError::Table(_), Some(c)) = (&error, checkpoints) {
            let _ = self.record().and_then(|()| self.save(c));
        }
        error
    }

    fn save<R: Clone + Serialize + serde::de::DeserializeOwned>(
        &mut self,
        checkpoints: &Checkpoints<R>,
    ) -> Result<(), RunError> {
        let mark = self.table.as_mut().map(TableWriter::mark).transpose()?;
        let conditioning = self.diagnostics.conditioning.as_ref().map_or(vec![], |c| c.memory());
        let mut numbers = [&self.state.values[..], &self.state.carry, &self.state.memory, &conditioning].concat();
        self.kept.export(&mut numbers);
        if let Some(watch) = &self.watch {
            watch.history.export(&mut numbers);
        }
        let header = Header {
            request: checkpoints.request.clone(),
            done: self.done,
            mark,
            platform: Platform::current(),
            iterations: self.iterations(),
            seconds: self.seconds,
            monitor: self.monitor.clone(),
            unobserved: self.unobserved.clone(),
        };
        Checkpoint { header, numbers }.write(&checkpoints.path)?;
        Ok(())
    }

    /// Completes the table.
    pub fn finish(&mut self) -> Result<(), RunError> {
        match self.table.take() {
            Some(table) => Ok(table.finish()?),
            None => Ok(()),
        }
    }

    /// Steps made.
    pub fn done(&self) -> u64 {
        self.done
    }

    /// The time reached.
    pub fn time(&self) -> f64 {
        self.schedule.time(self.done)
    }

    /// The state.
    pub fn state(&self) -> &State<f64> {
        &self.state
    }

    /// The extremes of the energy.
    pub fn energy(&self) -> Extremes {
        self.kept.as_slice()[0]
    }

    /// The extremes of each constraint member.
    pub fn constraints(&self) -> &[Extremes] {
        &self.kept.as_slice()[1..1 + self.diagnostics.constraints.len()]
    }

    /// The extremes of each hidden constraint, if the system has them.
    pub fn hidden_constraints(&self) -> &[Extremes] {
        let first = 1 + self.diagnostics.constraints.len();
        &self.kept.as_slice()[first..first + self.diagnostics.hidden_constraints.len()]
    }

    /// The extremes of each claimed quantity.
    pub fn claims(&self) -> &[Extremes] {
        &self.kept.as_slice()[1 + self.diagnostics.constraints.len() + self.diagnostics.hidden_constraints.len()..]
    }

    /// What is measured.
    pub fn diagnostics(&mut self) -> &mut Diagnostics {
        &mut self.diagnostics
    }

    /// Where observables or the picture had no value.
    pub fn unobserved(&self) -> Option<&Unobserved> {
        self.unobserved.as_ref()
    }

    /// What was noticed on the way: singular configurations, leaps of the energy.
    pub fn monitor(&self) -> &Monitor {
        &self.monitor
    }

    /// Updates of Newton's method.
    pub fn iterations(&self) -> u64 {
        self.earlier + self.integrator.iterations()
    }

    /// Seconds of integration and measurement, output not included.
    pub fn seconds(&self) -> f64 {
        self.seconds
    }

    /// From now on the time of steps between measurements is kept, at the cost of two looks at the clock each.
    pub fn time_steps(&mut self) {
        self.stepping.get_or_insert_default();
    }

    /// Seconds of steps between measurements, since [`Run::time_steps`].
    pub fn stepping(&self) -> Option<f64> {
        self.stepping.map(|t| t.as_secs_f64())
    }

    /// Whether a step is one native function.
    pub fn is_whole(&self) -> bool {
        self.integrator.is_whole()
    }
}

fn flat(diagnostics: &mut Diagnostics, state: &State<f64>) -> Result<Vec<f64>, RunError> {
    let kept = diagnostics.kept(&state.values)?;
    Ok([&[kept.energy], &kept.constraints[..], &kept.hidden_constraints, &kept.claims].concat())
}
