//! `run`: integrate a model, write a table, say what was kept.

mod page;
mod request;
mod summary;
mod task;
mod text;

pub use request::Request;
pub use summary::{Claimed, Document, Energy, Moved, OwnSteps, Residual, Work};

use crate::choice::Choice;
use crate::ending::Ending;
use crate::failure::{Code, Failure};
use crate::figures::{count, number};
use crate::input::Source;
use crate::memory::{Use, afford};
use crate::noticed;
use crate::picture::{Background, Destinations, Film, Watch, watch};
use crate::reason::Reason;
use crate::session::{Progress, Session, Status};
use crate::setup::{Blame, Selection, pose, prepare};
use crate::stop::Stop;
use cotangent_compile::Engine;
use cotangent_dynamics::Measure;
use cotangent_lab::Run;
use cotangent_observe::{Checkpoints, End, Observer, RunError, TableError, TableWriter, checkpoint, progress};
use cotangent_plot::Figure;
use cotangent_problem::Integrator;
use cotangent_report::Report;
use request::Begun;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use summary::Setup;
use task::{Places, Task};

/// Integrates a model: steps, method and equations as chosen, or else as the model says.
pub fn run(model: impl Into<Source>, choice: &Choice) -> Result<Document, Failure> {
    let request = Request { choice: choice.clone(), ..Request::default() };
    request.answer(Some(model.into()), &mut Session::default())
}

impl Request {
    /// Integrates a model, or goes on with an interrupted run, which knows its model.
    pub fn answer(&self, model: Option<Source>, session: &mut Session<'_>) -> Result<Document, Failure> {
        answer(self, model, session)
    }
}

fn answer(request: &Request, model: Option<Source>, session: &mut Session<'_>) -> Result<Document, Failure> {
    let every = interval(request.checkpoint)?;
    let table = request.resume.as_deref().or(request.files.table.as_deref());
    let text = model.as_ref().map(|model| model.name().to_owned());
    let (plot, report) = (request.files.plot.as_deref(), request.files.report.as_deref());
    let pictures = Destinations::new(plot, report, table, text.as_deref())?;
    let Task { mut begun, model, files, from } = Task::new(request, model, session)?;
    afford(&model.system, Use::Integrate, session.memory())?;
    // Those that the run began with, and that it will end with.
    let pictures = match &from {
        Some(_) => Destinations::new(
            plot.map(Path::to_owned).or(nearby(begun.plot.as_deref())).as_deref(),
            report.map(Path::to_owned).or(nearby(begun.report.as_deref())).as_deref(),
            table,
            text.as_deref(),
        )?,
        None => pictures,
    };
    if begun.record() == 0 && pictures.any() {
        return Err(undrawn(&pictures, request.choice.record.is_some()));
    }
    session.review(&model.input, &model.system.warnings);
    let choice = Selection::named(&begun.choice)?;
    let problem = pose(&model, choice.formulation, begun.choice.repairs(), session)?;
    let prepared = prepare(&choice, &problem)?;
    let unmade = |e: cotangent_compile::CompileError| Failure::new(Code::Compile, e.to_string());
    let diagnostics = problem.diagnostics().map_err(unmade)?;
    let options = problem.newton(begun.choice.solver_tol);
    let integrator =
        Integrator::new(&problem.equations, &prepared, &problem.parameters, options, Engine::Best).map_err(unmade)?;
    let blame = Blame::new(&problem.equations.motion);
    let schedule = begun.schedule()?;
    let mut run = Run::new(integrator, diagnostics, schedule, problem.start.clone()).map_err(|e| refused(&e))?;
    if let Some(checkpoint) = &from {
        run.restore(checkpoint).map_err(|e| refused(&e))?;
        let (done, total) = (run.done(), count(schedule.total(), "step", "steps"));
        session.note(format!("resuming at t = {}, after {done} of {total}", number(run.time())));
    }
    let resumed = run.done();
    let watched = match (pictures.any(), begun.record()) {
        (true, _) => Watch::Drawn,
        (false, 0) => Watch::Nothing,
        (false, _) => request.watch,
    };
    watch(&mut run, &problem, watched).map_err(unmade)?;
    let mut open_files = None;
    if let Some(files) = &files {
        session.keep();
        // Before the first step there is nothing in the table that would not be written again.
        let mark = from.as_ref().filter(|c| c.header.done > 0).and_then(|c| c.header.mark);
        if open(&mut run, files, mark.as_ref(), schedule.total())? {
            open_files = Some(files);
        }
    }
    let shown = files.as_ref().map(|f| f.table.display().to_string());
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
    // A run can be resumed if there is a text to begin from.
    let resumable = open_files.filter(|_| !begun.input.source.is_empty());
    let mut checkpoints = resumable.map(|f| Checkpoints::new(f.checkpoint.clone(), every, begun.clone()));
    let end = integrate(&mut run, checkpoints.as_mut(), session);
    // Without a table nothing is lost by leaving a step that takes minutes; from here on there is a result.
    session.keep();
    let gap = run.unobserved().cloned();
    if let Some(gap) = &gap {
        session.note(noticed::gap(gap, &run.diagnostics().observables));
    }
    let names = run.diagnostics().conditioning().map(|c| c.constraints()).unwrap_or_default();
    let singular_passages = noticed::passages(run.monitor(), &names);
    noticed::notes(run.monitor(), &singular_passages).into_iter().for_each(|note| session.note(note));
    let (status, stop) = match &end {
        Ok(End::Finished) => (Ending::Finished, None),
        Ok(End::Interrupted | End::Stopped) => (Ending::Interrupted, None),
        Ok(End::Failed(failure)) => (Ending::Failed, Some(Stop::failed(blame.of(failure), run.time(), run.done()))),
        Err(error) => (Ending::Failed, Some(Stop::broken(error, run.time(), run.done(), shown.as_deref()))),
    };
    let setup =
        Setup { choice: &begun.choice, system: &model.system, problem: &problem, prepared: &prepared, out: shown };
    let mut document = match Document::new(&setup, &mut run, status) {
        Ok(document) => document,
        Err(failure) => {
            // The rows are there all the same.
            if let (Ok(end), Some(files)) = (&end, &files) {
                close(&mut run, end, files, true).map_err(|e| refused(&e))?;
            }
            return Err(failure);
        }
    };
    if gap.is_none() {
        noticed::undefined(&document.observables).into_iter().for_each(|note| session.note(note));
    }
    document.failure = stop;
    document.singular_passages = singular_passages;
    document.warnings = session.warnings().to_vec();
    document.notes = session.notes().to_vec();
    let film = Film::new(&mut run, &problem, page::title(&document), if whole { 0 } else { resumed });
    document.background = Background {
        input: model.input.clone(),
        equations: Some(problem.equations.clone()),
        film: film.map(Arc::new),
        remarks: begun.notes.iter().chain(&session.notes()[said..]).cloned().collect(),
    };
    let written = pictures.write(|| document.figure(), || document.page());
    (document.plot, document.report) = (written.plot, written.report);
    // The table comes last: until then everything can be made again from the checkpoint.
    if let (Ok(end), Some(files)) = (&end, &files)
        && let Err(error) = close(&mut run, end, files, written.failures.is_empty())
    {
        document.status = Ending::Failed;
        document.failure = Some(Stop::broken(&error, run.time(), run.done(), document.out.as_deref()));
    }
    document.notes.extend(written.failures.iter().map(Reason::to_string));
    document.unwritten = written.failures;
    Ok(document)
}

impl Document {
    /// Whether the run came to its end, and everything was written.
    pub fn status(&self) -> Status {
        match (self.unwritten.is_empty(), self.status) {
            (false, _) => Status::Unwritten,
            (true, Ending::Finished) => Status::Held,
            (true, _) => Status::Stopped,
        }
    }

    /// Why it ended early, and which pictures could not be written.
    pub fn failures(&self) -> impl Iterator<Item = Failure> {
        self.failure.iter().map(Failure::from).chain(self.unwritten.iter().map(Failure::from))
    }

    /// As people read it.
    pub fn text(&self, coloured: bool) -> String {
        text::render(self, coloured)
    }

    /// Energy error, residuals, observables and motion as a figure; `None` if nothing was kept of the motion.
    pub fn figure(&self) -> Option<Figure> {
        self.background.figure()
    }

    /// A report: a page with the numbers, formulas, plots and the motion.
    pub fn page(&self) -> Report {
        page::page(self).report()
    }
}

/// A file by its name from the folder one is in, if it is below.
#[allow(clippy::disallowed_methods)] // Only to say it in fewer words.
fn nearby(file: Option<&str>) -> Option<PathBuf> {
    let file = Path::new(file?);
    let here = std::env::current_dir().ok();
    let below = here.and_then(|here| file.strip_prefix(here).ok().map(Path::to_owned));
    Some(below.unwrap_or_else(|| file.to_owned()))
}

/// Why a run of which only the start and the end are measured is not drawn.
fn undrawn(pictures: &Destinations, given: bool) -> Failure {
    let whose = if given { "--record 0" } else { "`record = 0` of the model" };
    let message = format!("nothing to show for {}: {whose} measures nothing between start and end", pictures.named());
    Failure::new(Code::NotMeasured, message).help("leave out --record 0, or give another --record")
}

/// The time between two checkpoints.
fn interval(seconds: Option<f64>) -> Result<Duration, Failure> {
    let seconds = seconds.unwrap_or(2.0);
    let refused = || {
        Failure::new(Code::Checkpoint, format!("--checkpoint is {}", number(seconds)))
            .help("give the seconds between two checkpoints")
    };
    Duration::try_from_secs_f64(seconds).map_err(|_| refused())
}

/// Begins the table, or goes on with it; false if there is nothing left to write.
fn open(run: &mut Run, files: &Places, mark: Option<&cotangent_observe::Mark>, total: u64) -> Result<bool, Failure> {
    let columns = run.columns();
    let table = match mark {
        Some(mark) => TableWriter::resume(&files.table, columns, mark),
        None => TableWriter::create(&files.table, columns),
    };
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
        // All steps were made and the table completed; only its checkpoint is left over, and must
        // not be replaced by one that knows of no table.
        Err(TableError::NothingToResume { .. }) if run.done() == total && files.table.exists() => Ok(false),
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
        RunError::Table(_) | RunError::Checkpoint(_) | RunError::Foreign(_) => failure,
    }
}

fn integrate(
    run: &mut Run,
    mut checkpoints: Option<&mut Checkpoints<Begun>>,
    session: &mut Session<'_>,
) -> Result<End, RunError> {
    let limits = session.limits().clone();
    let mut told = progress(|p| session.progress(Progress { what: "", done: p.done, total: p.total, time: p.time }));
    let mut observers: Vec<&mut dyn Observer<_, _>> = vec![&mut told];
    observers.extend(checkpoints.as_mut().map(|c| *c as &mut dyn Observer<_, _>));
    let end = run.go(&limits, &mut observers)?;
    if let End::Finished = end {
        // Once more with nothing to do: the last checkpoint says that all is done, so that a crash
        // while the table is completed can be mended.
        run.go(&limits, &mut observers)?;
    }
    Ok(end)
}

/// Completes the table of a run that cannot go on, and removes its checkpoint if nothing is left to do.
fn close(run: &mut Run, end: &End, files: &Places, complete: bool) -> Result<(), RunError> {
    if let End::Finished | End::Failed(_) = end {
        run.finish()?;
        if complete {
            // A checkpoint that stays is harmless: it says that all is done.
            checkpoint::remove(&files.checkpoint);
        }
    }
    Ok(())
}
