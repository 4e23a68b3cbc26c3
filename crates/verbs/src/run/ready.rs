//! A run that can begin: what is integrated, where it stands, and where its results go.

use super::page;
use super::remedy::remedy;
use super::request::{Begun, Request};
use super::summary::{Document, Setup};
use super::task::{Places, Task};
use crate::ending::Ending;
use crate::failure::{Code, Failure};
use crate::figures::{count, number};
use crate::input::Source;
use crate::loaded::Loaded;
use crate::map::Map;
use crate::memory::{Use, afford, afford_rows};
use crate::noticed;
use crate::picture::{Background, Destinations, Film, Watch, check_quantities, shortened, watch};
use crate::reason::Reason;
use crate::session::{Progress, Session};
use crate::setup::{AlmostPoisson, Blame, Selection, examined, pose, prepare};
use crate::stop::Stop;
use cotangent_compile::{CompileError, Engine};
use cotangent_dynamics::Measure;
use cotangent_integrate::Prepared;
use cotangent_lab::{Departure, Departures, Run, no_casimirs};
use cotangent_observe::{
    Arrays, Checkpoints, End, Extra, Header, Observer, RunError, TableError, TableWriter, checkpoint, progress,
};
use cotangent_problem::{Diagnostics, Instance, Integrator};
use cotangent_scalar::Cancel;
use cotangent_theory::Formulation;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// So many numbers are printed in a moment.
const PRINTED: usize = 2_000_000;

/// A run that can begin, or go on.
pub(super) struct Ready {
    begun: Begun,
    model: Loaded,
    problem: Instance,
    prepared: Prepared,
    run: Run,
    files: Option<Places>,
    /// Whether rows are still to be written.
    records: bool,
    /// What writes the checkpoints, once there are steps.
    checkpoints: Option<Checkpoints<Begun>>,
    /// The rows of a table, for the document.
    arrays: Option<Arrays>,
    pictures: Destinations,
    /// The steps that were made before.
    resumed: u64,
    /// How much was said before.
    said: usize,
    /// Whether pictures show it from its start on.
    whole: bool,
    /// A bracket that is none.
    almost_poisson: Option<AlmostPoisson>,
    /// A constraint that it has left.
    departure: Option<Departure>,
}

impl Ready {
    /// Refuses what cannot be run, and begins its files.
    pub(super) fn new(request: &Request, model: Option<Source>, session: &mut Session<'_>) -> Result<Ready, Failure> {
        let text = model.as_ref().map(|model| model.name().to_owned());
        let pictures = pictures(request, None, text.as_deref())?;
        let Task { mut begun, model, files, from } = Task::new(request, model, session)?;
        afford(&model.system, Use::Integrate, session.memory())?;
        let pictures = match &from {
            Some(_) => self::pictures(request, Some(&begun), text.as_deref())?,
            None => pictures,
        };
        if begun.record() == 0 && pictures.any() {
            return Err(undrawn(&pictures, request.choice.record.is_some()));
        }
        if pictures.movie() && model.system.drawings.is_empty() {
            return Err(motionless(&model.system.name));
        }
        session.review(&model.input, &model.system.warnings);
        let almost_poisson = examined(&model, begun.choice.allow_almost_poisson, session)?;
        let choice = Selection::named(&begun.choice)?;
        let problem = pose(&model, choice.formulation, begun.choice.repairs(), session)?;
        noticed::no_casimirs(&no_casimirs(&problem), &problem).into_iter().for_each(|note| session.note(note));
        let prepared = prepare(&choice, &problem)?;
        noticed::filling(prepared.plan()).into_iter().for_each(|note| session.note(note));
        let unused = problem.unused_numbers();
        for (name, _) in request.choice.opt.iter().filter(|(name, _)| unused.contains(&name.as_str())) {
            session.note(format!("--opt {name} changes nothing: it is not in this lapse"));
        }
        begun.choice.opt.retain(|(name, _)| !unused.contains(&name.as_str()));
        let unmade = |e: CompileError| Failure::new(Code::Compile, e.to_string());
        let diagnostics = problem.diagnostics().map_err(unmade)?;
        let options = problem.newton(begun.choice.solver_tol);
        let integrator = Integrator::new(&problem.equations, &prepared, &problem.parameters, options, Engine::Best);
        let schedule = begun.schedule()?;
        let run = Run::new(integrator.map_err(unmade)?, diagnostics, schedule, problem.start.clone());
        let mut run = run.map_err(|e| refused(&e))?;
        if let Some(checkpoint) = &from {
            run.restore(checkpoint).map_err(|e| refused(&e))?;
            let done = count(run.done(), "step", "steps");
            let done = match begun.choice.has_time() {
                true => done,
                false => format!("{} of {}", run.done(), count(schedule.total(), "step", "steps")),
            };
            session.note(format!("resuming at t = {}, after {done}", number(run.time())));
        }
        let watched = match (pictures.any(), begun.record()) {
            (true, _) => Watch::Drawn,
            (false, 0) => Watch::Nothing,
            (false, _) => request.watch,
        };
        check_quantities(&mut run, &problem, &begun.quantities)?;
        watch(&mut run, &problem, watched, &begun.quantities).map_err(unmade)?;
        run.record_also(begun.columns);
        if from.is_none() {
            unadded(begun.columns, run.diagnostics()).into_iter().for_each(|note| session.note(note));
        }
        let arrays = match request.arrays {
            true => Some(kept_rows(&run, session.memory())?),
            false => None,
        };
        if let (Some(files), Some(_), true) = (&files, &from, arrays.is_some() && run.done() > 0) {
            let (time, table) = (number(run.time()), files.table.display());
            session.note(format!("`arrays` begins at t = {time}: the rows before are in `{table}`"));
        }
        let mut records = false;
        if let Some(files) = &files {
            // Before the first row behind the start there is nothing in the table that would not be written again.
            let header = from.as_ref().map(|c| &c.header).filter(|h| h.done > 0 || h.between > 0 || h.finished);
            records = open(&mut run, files, header, &begun, &session.limits().cancel)?;
            session.keep();
        }
        // What was said where the run began is said of all of it.
        match from {
            Some(_) => session.recall(&begun.notes),
            None => begun.notes = session.notes().to_vec(),
        }
        let said = session.notes().len();
        let whole = run.history().is_none_or(|history| history.times().first() == Some(&0.0));
        if pictures.any() && !whole {
            session.note(format!("{} will show what comes now: the run began without", pictures.named()));
        }
        let resumed = run.done();
        Ok(Ready {
            begun,
            model,
            problem,
            prepared,
            run,
            files,
            records,
            checkpoints: None,
            arrays,
            pictures,
            resumed,
            said,
            whole,
            almost_poisson,
            departure: None,
        })
    }

    /// Makes the steps, with checkpoints where it can be resumed.
    pub(super) fn integrate(&mut self, every: Duration, session: &mut Session<'_>) -> Result<End, RunError> {
        let limits = session.limits().clone();
        // A run can be resumed if there is a text to begin from.
        let resumable = self.files.as_ref().filter(|_| self.records && !self.begun.input.source.is_empty());
        self.checkpoints = resumable.map(|f| Checkpoints::new(f.checkpoint.clone(), every, self.begun.clone()));
        let mut told =
            progress(|p| session.progress(Progress { what: "", done: p.done, total: p.total, time: p.time }));
        let mut departures = Departures::new(&self.problem, self.begun.choice.step.unwrap_or_default());
        if matches!(self.problem.formulation, Formulation::Penalty { .. }) {
            departures = departures.of_springs();
        }
        // With multipliers as unknowns every step solves the constraints.
        let drifts = self.problem.formulation != Formulation::Multipliers;
        let mut observers: Vec<&mut dyn Observer<_, _>> = vec![&mut told];
        observers.extend(drifts.then_some(&mut departures as &mut dyn Observer<_, _>));
        observers.extend(self.arrays.as_mut().map(|a| a as &mut dyn Observer<_, _>));
        observers.extend(self.checkpoints.as_mut().map(|c| c as &mut dyn Observer<_, _>));
        let end = match self.run.go(&limits, &mut observers) {
            // Between two steps nothing has a value when somebody asks to stop.
            Err(RunError::Quantity(_)) if limits.cancel.is_set() => Ok(End::Interrupted),
            end => end,
        };
        self.departure = departures.found();
        // Without a table nothing is lost by leaving a step that takes minutes; from here on there is a result.
        let unprinted = "interrupted before the result was printed";
        match (&end, &self.checkpoints, self.table()) {
            (Ok(End::Finished | End::Interrupted), Some(_), Some(table)) => {
                session.kept(&format!("{unprinted}; {}", go_on(&table)));
            }
            _ => session.keep(),
        }
        end
    }

    /// What it came to, with the pictures and the table of it.
    pub(super) fn document(
        mut self,
        end: &Result<End, RunError>,
        session: &mut Session<'_>,
    ) -> Result<Document, Failure> {
        let gap = self.run.unobserved().cloned();
        if let Some(gap) = &gap {
            session.note(noticed::gap(gap, &self.run.diagnostics().observables));
        }
        let names = self.run.diagnostics().conditioning().map(|c| c.constraints()).unwrap_or_default();
        let singular_passages = noticed::passages(self.run.monitor(), &names);
        noticed::notes(self.run.monitor(), &singular_passages).into_iter().for_each(|note| session.note(note));
        let departure =
            self.departure.map(|d| noticed::departure(&d, &mut self.run, &self.problem, &self.begun.choice));
        departure.into_iter().for_each(|note| session.note(note));
        noticed::underflow(&mut self.run).into_iter().for_each(|note| session.note(note));
        let mut document = match self.found(end) {
            Ok(document) => document,
            Err(failure) => {
                // The rows are there all the same.
                self.close(end, true, &session.limits().cancel).map_err(|e| refused(&e))?;
                return Err(failure);
            }
        };
        if gap.is_none() {
            noticed::undefined(&document.observables).into_iter().for_each(|note| session.note(note));
        }
        document.singular_passages = singular_passages;
        document.almost_poisson = self.almost_poisson.take();
        document.warnings = session.warnings().to_vec();
        let from = if self.whole { 0 } else { self.resumed };
        let title = page::title(&document);
        let film = Film::new(&mut self.run, &self.problem, title, from, &self.begun.quantities);
        if let Some(note) = film.as_ref().filter(|_| self.pictures.movie()).and_then(shortened) {
            session.note(note);
        }
        document.notes = session.notes().to_vec();
        document.background = Background {
            input: self.model.input.clone(),
            equations: Some(self.problem.equations.clone()),
            system: Some(Arc::new(self.model.system.clone())),
            film: film.map(Arc::new),
            remarks: self.begun.notes.iter().chain(&session.notes()[self.said..]).cloned().collect(),
        };
        let mut written = self.pictures.write(|| document.figure(), || document.page());
        document.movie = self.pictures.write_movie(&mut written, &session.limits().cancel, || document.movie());
        (document.plot, document.report) = (written.plot, written.report);
        // The table comes last: until then everything can be made again from the checkpoint.
        let closed = self.close(end, written.failures.is_empty(), &session.limits().cancel);
        if !matches!(closed, Ok(true)) {
            document.out = None;
        }
        match closed {
            Ok(true) => {}
            // What could not be written was said.
            Ok(false) if end.is_err() => {}
            Ok(false) | Err(RunError::Table(TableError::Interrupted { .. })) => {
                written.failures.extend(self.table().map(|table| incomplete(&table)));
            }
            Err(error) => {
                document.status = Ending::Failed;
                document.failure = Some(self.broken(&error));
            }
        }
        match self.printed(end, &session.limits().cancel) {
            Ok(arrays) => document.arrays = arrays,
            Err(reason) => written.failures.push(reason),
        }
        document.notes.extend(written.failures.iter().map(Reason::to_string));
        document.unwritten = written.failures;
        Ok(document)
    }

    /// The numbers, and why it ended early.
    fn found(&mut self, end: &Result<End, RunError>) -> Result<Document, Failure> {
        let (time, done) = (self.run.time(), self.run.done());
        let blame = Blame::new(&self.problem.equations.motion);
        let (status, failure) = match end {
            Ok(End::Finished) => (Ending::Finished, None),
            Ok(End::Interrupted | End::Stopped) => (Ending::Interrupted, None),
            Ok(End::Failed(failure)) => {
                let mut stop = Stop::failed(blame.of(failure), time, done);
                let (state, step) = (&self.run.state().values, self.begun.choice.step.unwrap_or_default());
                stop.advice = remedy(&self.problem, &self.prepared, state, step, failure).unwrap_or(stop.advice);
                (Ending::Failed, Some(stop))
            }
            Err(error) => (Ending::Failed, Some(self.broken(error))),
        };
        let out = self.table();
        let Ready { begun, model, problem, prepared, .. } = self;
        let setup = Setup { choice: &begun.choice, system: &model.system, problem, prepared, out };
        Ok(Document { failure, ..Document::new(&setup, &mut self.run, status)? })
    }

    /// The name of its table.
    fn table(&self) -> Option<String> {
        self.files.as_ref().map(|f| f.table.display().to_string())
    }

    /// Something around the steps that failed.
    fn broken(&self, error: &RunError) -> Stop {
        Stop::broken(error, self.run.time(), self.run.done(), self.table().as_deref())
    }

    /// The rows of a table, if they were asked for, or why they are left out. Somebody who asks to stop, now or before, gets them
    /// if they are printed in a moment.
    fn printed(&mut self, end: &Result<End, RunError>, cancel: &Cancel) -> Result<Option<Map<Vec<f64>>>, Reason> {
        let Some(arrays) = self.arrays.take() else { return Ok(None) };
        let numbers = arrays.len();
        let left = |code: Code, why: &str| {
            Err(Reason::new(code, format!("`arrays` is left out: {why}; --out FILE keeps the rows")))
        };
        if arrays.is_full() {
            return left(Code::TooLarge, "there is no memory for all its rows");
        }
        let asked = || matches!(end, Ok(End::Interrupted)) || cancel.is_set();
        let never = Cancel::default();
        let columns = match numbers > PRINTED {
            true if asked() => None,
            true => arrays.columns(cancel),
            false => arrays.columns(&never),
        };
        match columns {
            Some(columns) => Ok(Some(Map(columns))),
            None if asked() => {
                left(Code::Interrupted, &format!("printing its {numbers} numbers takes more than a moment"))
            }
            None => left(Code::TooLarge, &format!("there is no memory for its {numbers} numbers")),
        }
    }

    /// Completes the table of a run that cannot go on; whether there is one with all its rows. If nothing is left to do,
    /// the checkpoint becomes that from which a finished run is extended, or goes.
    fn close(&mut self, end: &Result<End, RunError>, complete: bool, cancel: &Cancel) -> Result<bool, RunError> {
        // A quantity without a value ends a run as a step does that cannot be made, and so does an interrupt where there
        // is no text to begin from again.
        let left = matches!(end, Ok(End::Interrupted | End::Stopped)) && self.checkpoints.is_none();
        let ended = left
            || matches!(end, Ok(End::Finished | End::Failed(_)) | Err(RunError::Quantity(_) | RunError::Schedule(_)));
        if let (true, Some(files)) = (ended, &self.files) {
            // What cannot be resumed is completed, however long that takes.
            let cancel = if self.checkpoints.is_none() { Cancel::default() } else { cancel.clone() };
            self.run.finish(&cancel)?;
            let finished = matches!(end, Ok(End::Finished));
            let left = complete && finished && self.checkpoints.as_mut().map_or(Ok(false), Checkpoints::leave)?;
            if complete && !left {
                // A checkpoint that stays is harmless: it says that all is done.
                checkpoint::remove(&files.checkpoint);
            }
        }
        Ok(ended || self.checkpoints.as_ref().is_some_and(Checkpoints::has_published))
    }
}

/// What keeps the rows of a table in memory, if there is room for them.
fn kept_rows(run: &Run, available: Option<u64>) -> Result<Arrays, Failure> {
    let arrays = Arrays::new(run);
    if let Some(size) = arrays.expected(run) {
        afford_rows(size, available)?;
    }
    Ok(match available {
        Some(available) => arrays.within(available),
        None => arrays,
    })
}

/// How to go on with a run that was interrupted.
fn go_on(table: &str) -> String {
    format!("what was computed is kept, to go on: cotangent run --resume {table}")
}

/// Why there is no table yet of a run that was interrupted.
fn incomplete(table: &str) -> Reason {
    let message = format!("interrupted: to complete `{table}` takes longer than a moment; {}", go_on(table));
    Reason::new(Code::Interrupted, message)
}

/// Where pictures go: as is asked for, or as the run began with.
fn pictures(request: &Request, begun: Option<&Begun>, model: Option<&str>) -> Result<Destinations, Failure> {
    let table = request.resume.as_deref().or(request.files.table.as_deref());
    // What is named from the folder of the table is sought there.
    let there = |file: &str| match table.and_then(Path::parent) {
        Some(folder) => folder.join(file),
        None => PathBuf::from(file),
    };
    let before = |file: &Option<String>| file.as_deref().map(|file| nearby(&there(file), request.folder.as_deref()));
    let plot = request.files.plot.clone().or_else(|| before(&begun?.plot));
    let report = request.files.report.clone().or_else(|| before(&begun?.report));
    let movie = request.files.movie.clone().or_else(|| before(&begun?.movie));
    Destinations::new(plot.as_deref(), report.as_deref(), table, model)?.with_movie(movie.as_deref())
}

/// A file by its name from a folder, if it is below.
fn nearby(file: &Path, folder: Option<&Path>) -> PathBuf {
    folder.and_then(|folder| file.strip_prefix(folder).ok()).unwrap_or(file).to_owned()
}

/// Why a run of which only the start and the end are measured is not drawn.
fn undrawn(pictures: &Destinations, given: bool) -> Failure {
    let whose = if given { "--record 0" } else { "`record = 0` of the model" };
    let message = format!("nothing to show for {}: {whose} measures nothing between start and end", pictures.named());
    Failure::new(Code::NotMeasured, message).help("leave out --record 0, or give another --record")
}

/// Columns that are asked for, and that a model has none of.
fn unadded(asked: Extra, own: &Diagnostics) -> Vec<String> {
    let residuals = asked.residuals && own.constraints.is_empty() && own.hidden_constraints.is_empty();
    let claims = asked.claims && own.claims.is_empty();
    let note = |(option, why): (&str, &str)| format!("--columns {option} adds no column: the model {why}");
    let both = [
        residuals.then_some(("residuals", "has no constraints")),
        claims.then_some(("invariants", "claims no invariants")),
    ];
    both.into_iter().flatten().map(note).collect()
}

/// Why there is no movie of a model.
fn motionless(model: &str) -> Failure {
    Failure::new(Code::NotMeasured, format!("nothing to show for --movie: `{model}` draws nothing"))
        .help("say what moves, such as `draw point bob: (x, y)`")
}

/// Begins the table, or goes on with it; false if there is nothing left to write.
fn open(
    run: &mut Run,
    files: &Places,
    from: Option<&Header<Begun>>,
    begun: &Begun,
    cancel: &Cancel,
) -> Result<bool, Failure> {
    let columns = run.columns();
    let mark = from.and_then(|header| header.mark.as_ref());
    let texts = begun.texts(&columns);
    let table = match mark {
        Some(mark) if from.is_some_and(|header| header.finished) => {
            TableWriter::extend(&files.table, columns, mark, cancel)
        }
        Some(mark) => TableWriter::resume(&files.table, columns, mark, cancel),
        None => TableWriter::create(&files.table, columns),
    };
    let table = table.map(|table| table.with_texts(texts));
    match table {
        Ok(table) => {
            if let Err(error) = checkpoint::check_destination(&files.checkpoint) {
                // Nothing is in a table that has just been begun.
                let _ = if mark.is_none() { table.discard() } else { Ok(()) };
                return Err(Failure::new(Code::Unwritable, error.to_string()));
            }
            run.record_into(table).map_err(|e| refused(&e))?;
            Ok(true)
        }
        // An older version left the checkpoint of a run with nothing left to do, and the table is complete: it must not
        // be replaced by one that knows of no table.
        Err(TableError::NothingToResume { .. }) if run.is_finished() && files.table.exists() => Ok(false),
        Err(error) => Err(Failure::new((&error).into(), error.to_string())),
    }
}

fn refused(error: &RunError) -> Failure {
    let failure = Failure::new(error.into(), error.to_string());
    match error {
        RunError::Quantity(_) => failure.help("a quantity of the model has no value at the start"),
        RunError::Energy(energy) if energy.is_nan() => failure.help(
            "a root, a logarithm or a quotient of the model has no value there: start from other data (--set), or correct it",
        ),
        RunError::Energy(_) => failure
            .help("choose units in which the numbers of the model are nearer to 1, or start from other data (--set)"),
        RunError::Pace(_) => failure.help("give another --lapse, which is positive there, or start from other data (--set)"),
        RunError::Schedule(_) => failure.help("give a larger --every"),
        RunError::Table(_) | RunError::Checkpoint(_) | RunError::Foreign(_) => failure,
    }
}
