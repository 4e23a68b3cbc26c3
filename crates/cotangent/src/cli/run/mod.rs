//! `cotangent run`: integrate a model, write a table, say what was kept.

mod page;
mod plan;
mod progress;
mod request;
mod stop;
mod summary;
mod text;

use super::args;
use super::ending::Ending;
use super::failure::{Code, Failure};
use super::figures::{count, number};
use super::memory::{self, Use};
use super::noticed;
use super::output::{Output, Status};
use super::picture::{Destinations, Film, sparklines, watch};
use super::printable;
use super::setup::{Blame, Choice, pose, prepare};
use cotangent::Run;
use cotangent::compile::Engine;
use cotangent::dynamics::Measure;
use cotangent::observe::{Checkpoints, End, Observer, RunError, TableError, TableWriter, checkpoint, progress};
use cotangent::problem::Integrator;
use cotangent::scalar::Limits;
use plan::{Files, Plan};
use progress::Bar;
use request::Request;
use std::path::{Path, PathBuf};
use std::time::Duration;
use stop::Stop;
use summary::{Setup, Summary};

/// Integrates a model.
pub(crate) fn run(args: &args::Run, out: &mut Output) -> Result<Status, Failure> {
    let every = interval(args.checkpoint)?;
    let table = args.resume.as_deref().or(args.out.as_deref());
    let pictures = Destinations::new(args.plot.as_deref(), args.report.as_deref(), table, args.model.as_deref())?;
    let Plan { mut request, model, files, from } = Plan::new(args, out)?;
    memory::afford(&model.system, Use::Integrate, memory::available())?;
    // Those that the run began with, and that it will end with.
    let pictures = match &from {
        Some(_) => Destinations::new(
            args.plot.clone().or(nearby(request.plot.as_deref())).as_deref(),
            args.report.clone().or(nearby(request.report.as_deref())).as_deref(),
            table,
            args.model.as_deref(),
        )?,
        None => pictures,
    };
    if request.record == 0 && pictures.any() {
        return Err(undrawn(&pictures, args.record.is_some()));
    }
    out.tell(&model.warnings(out.message_colour()));
    let choice = Choice::named(&request.choice)?;
    let problem = pose(&model, choice.formulation, request.repairs(), out)?;
    let prepared = prepare(&choice, &problem)?;
    let unmade = |e: cotangent::compile::CompileError| Failure::new(Code::Compile, e.to_string());
    let diagnostics = problem.diagnostics().map_err(unmade)?;
    let options = problem.newton(request.solver_tol);
    let integrator =
        Integrator::new(&problem.equations, &prepared, &problem.parameters, options, Engine::Best).map_err(unmade)?;
    let blame = Blame::new(&problem.equations.motion);
    let schedule = request.schedule()?;
    let mut run = Run::new(integrator, diagnostics, schedule, problem.start.clone()).map_err(|e| refused(&e))?;
    let limits = out.limits();
    if let Some(checkpoint) = &from {
        run.restore(checkpoint).map_err(|e| refused(&e))?;
        let (done, total) = (run.done(), count(schedule.total(), "step", "steps"));
        out.note(format!("resuming at t = {}, after {done} of {total}", number(run.time())));
    }
    let resumed = run.done();
    let samples = match (pictures.any(), request.record == 0 || out.wants_json()) {
        (true, _) => SAMPLES,
        (false, true) => 0,
        (false, false) => SAMPLES / 4,
    };
    if samples > 0 {
        watch(&mut run, &problem, samples, pictures.any()).map_err(|e| Failure::new(Code::Compile, e.to_string()))?;
    }
    let mut open_files = None;
    if let Some(files) = &files {
        out.kept().set();
        // Before the first step there is nothing in the table that would not be written again.
        let mark = from.as_ref().filter(|c| c.header.done > 0).and_then(|c| c.header.mark);
        if open(&mut run, files, mark.as_ref(), schedule.total())? {
            open_files = Some(files);
        }
    }
    let shown = files.as_ref().map(|f| f.table.display().to_string());
    // What was said where the run began is said of all of it.
    match from {
        Some(_) => out.recall(&request.notes),
        None => request.notes = out.notes().to_vec(),
    }
    let said = out.notes().len();
    let whole = run.history().is_none_or(|history| history.times().first() == Some(&0.0));
    if pictures.any() && !whole {
        out.note(format!("{} will show what comes now: the run began without", pictures.named()));
    }
    let mut checkpoints = open_files.map(|f| Checkpoints::new(f.checkpoint.clone(), every, request.clone()));
    let mut bar = Bar::new(out.wants_json());
    let end = integrate(&mut run, &limits, checkpoints.as_mut(), &mut bar);
    // Without a table nothing is lost by leaving a step that takes minutes; from here on there is a result.
    out.kept().set();
    bar.clear();
    if let Some(gap) = run.unobserved() {
        let samples = count(gap.samples, "sample", "samples");
        out.note(format!(
            "no value of an observable or of the picture at {samples}, the first at time {}: {}; NaN stands there",
            number(gap.time),
            gap.reason
        ));
    }
    let names = run.diagnostics().conditioning().map(|c| c.constraints()).unwrap_or_default();
    let singular_passages = noticed::passages(run.monitor(), &names);
    noticed::notes(run.monitor(), &singular_passages).into_iter().for_each(|note| out.note(note));
    let (status, stop) = match &end {
        Ok(End::Finished) => (Ending::Finished, None),
        Ok(End::Interrupted | End::Stopped) => (Ending::Interrupted, None),
        Ok(End::Failed(failure)) => (Ending::Failed, Some(Stop::failed(blame.of(failure), run.time(), run.done()))),
        Err(error) => (Ending::Failed, Some(Stop::broken(error, run.time(), run.done(), shown.as_deref()))),
    };
    let setup = Setup { request: &request, system: &model.system, problem: &problem, prepared: &prepared, out: shown };
    let mut summary = match Summary::new(&setup, &mut run, status) {
        Ok(summary) => summary,
        Err(failure) => {
            // The rows are there all the same.
            if let (Ok(end), Some(files)) = (&end, &files) {
                close(&mut run, end, files, true).map_err(|e| refused(&e))?;
            }
            return Err(failure);
        }
    };
    summary.failure = stop;
    summary.singular_passages = singular_passages;
    summary.notes = out.notes().to_vec();
    let film = Film::new(&mut run, &problem, page::title(&summary), if whole { 0 } else { resumed });
    summary.sparklines = film.as_ref().filter(|_| whole).map(sparklines).unwrap_or_default();
    let notes: Vec<String> = request.notes.iter().chain(&out.notes()[said..]).cloned().collect();
    let page = || page::page(&summary, &setup, film.as_ref(), &model.input, &notes).report();
    let written = pictures.write(film.as_ref(), page);
    (summary.plot, summary.report) = (written.plot, written.report);
    // The table comes last: until then everything can be made again from the checkpoint.
    if let (Ok(end), Some(files)) = (&end, &files)
        && let Err(error) = close(&mut run, end, files, written.failures.is_empty())
    {
        summary.status = Ending::Failed;
        summary.failure = Some(Stop::broken(&error, run.time(), run.done(), summary.out.as_deref()));
    }
    report(summary, &written.failures, out)
}

/// A file by its name from the folder one is in, if it is below.
fn nearby(file: Option<&str>) -> Option<PathBuf> {
    let file = Path::new(file?);
    let here = std::env::current_dir().ok();
    let below = here.and_then(|here| file.strip_prefix(here).ok().map(Path::to_owned));
    Some(below.unwrap_or_else(|| file.to_owned()))
}

/// Samples of a history for pictures.
const SAMPLES: usize = 4000;

/// Why a run of which only the start and the end are measured is not drawn.
fn undrawn(pictures: &Destinations, given: bool) -> Failure {
    let whose = if given { "--record 0" } else { "`record = 0` of the model" };
    let message = format!("nothing to show for {}: {whose} measures nothing between start and end", pictures.named());
    Failure::new(Code::NotMeasured, message).help("leave out --record 0, or give another --record")
}

/// Prints what a run has come to, and which pictures could not be written.
fn report(mut summary: Summary, unwritten: &[Failure], out: &mut Output) -> Result<Status, Failure> {
    let status = match (unwritten, summary.status) {
        ([], Ending::Finished) => Status::Held,
        ([], _) => Status::Stopped,
        _ => Status::Error,
    };
    if out.wants_json() {
        summary.notes = out.notes().to_vec();
        summary.notes.extend(unwritten.iter().map(Failure::message));
        out.document(&summary)?;
        return Ok(status);
    }
    out.print(&text::render(&summary, out.coloured()));
    if let Some(stop) = &summary.failure {
        let failure = Failure::new(stop.code, stop.message.clone()).help(stop.advice.clone());
        out.tell(&failure.render(out.message_colour()));
    }
    for failure in unwritten {
        out.tell(&failure.render(out.message_colour()));
    }
    let table = summary.out.as_deref().map(printable::line);
    if let (Some(table), false, Ending::Finished) = (&table, unwritten.is_empty(), summary.status) {
        out.tell(&format!("`{table}` is complete; to make what is missing: cotangent run --resume {table}\n"));
    }
    match (&table, summary.status) {
        (Some(table), Ending::Interrupted) => {
            out.tell(&format!(
                "interrupted: `{table}` has the rows so far; to go on: cotangent run --resume {table}\n"
            ));
        }
        (None, Ending::Interrupted) => out.tell("interrupted: with --out FILE a run can be resumed\n"),
        (Some(table), Ending::Failed) if summary.out.as_ref().is_some_and(|file| Path::new(file).exists()) => {
            out.tell(&format!("the rows up to there are in `{table}`\n"));
        }
        (Some(table), Ending::Failed) => out.tell(&format!("`{table}` could not be completed\n")),
        _ => {}
    }
    Ok(status)
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
fn open(run: &mut Run, files: &Files, mark: Option<&cotangent::observe::Mark>, total: u64) -> Result<bool, Failure> {
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
        Err(error) => Err(unwritable(&error)),
    }
}

fn unwritable(error: &TableError) -> Failure {
    let code = match error {
        TableError::NothingToResume { .. }
        | TableError::TooShort { .. }
        | TableError::Changed { .. }
        | TableError::OtherColumns { .. } => Code::ResumeDiffers,
        TableError::Busy { .. } => Code::Busy,
        _ => Code::Unwritable,
    };
    Failure::new(code, error.to_string())
}

fn refused(error: &RunError) -> Failure {
    match error {
        RunError::Table(error) => unwritable(error),
        RunError::Quantity(_) => {
            Failure::new(Code::Evaluate, error.to_string()).help("a quantity of the model has no value at the start")
        }
        RunError::Energy(_) => Failure::new(Code::NoValue, error.to_string())
            .help("choose units in which the numbers of the model are nearer to 1, or start from other data (--set)"),
        RunError::Checkpoint(_) => Failure::new(Code::Checkpoint, error.to_string()),
        RunError::Foreign(_) => Failure::new(Code::ResumeDiffers, error.to_string()),
    }
}

fn integrate(
    run: &mut Run,
    limits: &Limits,
    mut checkpoints: Option<&mut Checkpoints<Request>>,
    bar: &mut Bar,
) -> Result<End, RunError> {
    let mut shown = progress(|progress| bar.show(progress));
    let mut observers: Vec<&mut dyn Observer<_, _>> = vec![&mut shown];
    observers.extend(checkpoints.as_mut().map(|c| *c as &mut dyn Observer<_, _>));
    let end = run.go(limits, &mut observers)?;
    if let End::Finished = end {
        // Once more with nothing to do: the last checkpoint says that all is done, so that a crash
        // while the table is completed can be mended.
        run.go(limits, &mut observers)?;
    }
    Ok(end)
}

/// Completes the table of a run that cannot go on, and removes its checkpoint if nothing is left to do.
fn close(run: &mut Run, end: &End, files: &Files, complete: bool) -> Result<(), RunError> {
    if let End::Finished | End::Failed(_) = end {
        run.finish()?;
        if complete {
            // A checkpoint that stays is harmless: it says that all is done.
            let _ = std::fs::remove_file(&files.checkpoint);
        }
    }
    Ok(())
}
