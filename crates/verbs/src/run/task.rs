//! A run from its start, or from a checkpoint.

use super::request::{Begun, Request, kept};
use crate::choice::Choice;
use crate::failure::{Code, Failure};
use crate::figures::{given, number};
use crate::input::Source;
use crate::loaded::Loaded;
use crate::session::Session;
use crate::setup::schedule;
use cotangent_compile::values::Setting;
use cotangent_observe::{Checkpoint, Extra, Header, Platform, Schedule};
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// What to run, and from where.
pub(super) struct Task {
    pub(super) begun: Begun,
    pub(super) model: Loaded,
    /// The table and its checkpoint.
    pub(super) files: Option<Places>,
    /// Where to go on.
    pub(super) from: Option<Checkpoint<Header<Begun>>>,
}

/// The table and its checkpoint.
pub(super) struct Places {
    pub(super) table: PathBuf,
    pub(super) checkpoint: PathBuf,
}

impl Places {
    fn new(table: &Path) -> Places {
        let mut name = OsString::from(table);
        name.push(".checkpoint");
        Places { table: table.to_owned(), checkpoint: name.into() }
    }

    /// Whether the run that left the checkpoint came to its end.
    fn is_finished(&self) -> bool {
        Checkpoint::<Header<Begun>>::read(&self.checkpoint).is_ok_and(|left| left.header.finished)
    }
}

impl Task {
    /// What is asked for.
    pub(super) fn new(request: &Request, model: Option<Source>, session: &mut Session<'_>) -> Result<Task, Failure> {
        match &request.resume {
            Some(table) => Task::resumed(request, model, table, session),
            None => Task::fresh(request, model, request.files.table.as_deref(), session),
        }
    }

    fn fresh(
        request: &Request,
        model: Option<Source>,
        table: Option<&Path>,
        session: &mut Session<'_>,
    ) -> Result<Task, Failure> {
        if request.checkpoint.is_some() && table.is_none() {
            let message = "--checkpoint says how often a checkpoint is written, and none is without a table";
            return Err(Failure::new(Code::Usage, message).help("add --out FILE.csv or --out FILE.npz"));
        }
        if request.columns != Extra::default() && table.is_none() && !request.arrays {
            let message = "--columns says what a table has besides, and none is written";
            return Err(Failure::new(Code::Usage, message).help("add --out FILE.csv or --out FILE.npz"));
        }
        let files = table.map(Places::new);
        if let Some(files) = files.as_ref().filter(|f| f.checkpoint.exists() && !f.is_finished()) {
            let (table, checkpoint) = (files.table.display(), files.checkpoint.display());
            let message =
                format!("`{checkpoint}` is there: a run that writes `{table}` was interrupted, or still goes on");
            return Err(Failure::new(Code::UnfinishedRun, message)
                .help(format!("go on with `cotangent run --resume {table}`, or remove `{checkpoint}` to begin anew")));
        }
        let model = model.ok_or_else(|| {
            Failure::new(Code::Usage, "there is no model to run, and nothing to resume").help("name a MODEL")
        })?;
        let model = Loaded::with_lapse(model, &request.choice.set, request.choice.lapse.as_deref(), session.limits())?
            .keeping(&request.choice.chart);
        let begun = Begun::new(request, &model, table, session)?;
        Ok(Task { begun, model, files, from: None })
    }

    fn resumed(
        request: &Request,
        model: Option<Source>,
        table: &Path,
        session: &mut Session<'_>,
    ) -> Result<Task, Failure> {
        let shown = table.display();
        if let Some(other) = request.files.table.as_deref().filter(|o| *o != table) {
            let message = format!("--resume {shown} goes on with `{shown}`, and --out says `{}`", other.display());
            return Err(Failure::new(Code::ResumeDiffers, message).help("leave out --out"));
        }
        if table.is_dir() {
            let message = format!("`{shown}` is a directory, and no table of a run");
            return Err(Failure::new(Code::NotAFile, message).help("name the table that --out was given"));
        }
        let files = Places::new(table);
        if !files.checkpoint.exists() {
            let checkpoint = files.checkpoint.display();
            if table.exists() {
                let message = format!(
                    "`{shown}` is there and `{checkpoint}` is not: the run is complete, ended where no step could be made, or is \
                     not one of ours"
                );
                return Err(
                    Failure::new(Code::NothingToResume, message).help("to run again, use --out instead of --resume")
                );
            }
            if model.is_none() {
                let message = format!("there is neither `{shown}` nor `{checkpoint}`");
                return Err(Failure::new(Code::NothingToResume, message).help("name a MODEL to begin a run"));
            }
            session.note(format!("there is nothing to resume for `{shown}`: the run begins at its start"));
            return Task::fresh(request, model, Some(table), session);
        }
        let from = Checkpoint::<Header<Begun>>::read(&files.checkpoint).map_err(|e| {
            Failure::new(Code::Checkpoint, e.to_string()).help("without it, only a new run (--out) helps")
        })?;
        let mut begun = from.header.request.clone();
        let text = |source: &Source| match source {
            Source::Text(input) => input.source.clone(),
            Source::System(_) => String::new(),
        };
        if let Some(model) = model.filter(|model| text(model) != begun.input.source) {
            let (now, then) = (model.name(), &begun.input.name);
            return Err(differs(&files, &[format!("the model `{now}` is another text than `{then}` was")]));
        }
        if from.header.finished {
            begun = extended(&request.choice, begun, table, session)?;
        }
        let mut different = differences(&request.choice, &begun)?;
        if request.columns != Extra::default() && request.columns != begun.columns {
            different.push("--columns are others than they were".to_owned());
        }
        if !request.quantities.is_empty() && request.named() != begun.quantities {
            different.push("--quantities are others than they were".to_owned());
        }
        if !different.is_empty() && from.header.finished {
            let message = format!("the run of `{shown}` is another one: {}", different.join("; "));
            return Err(Failure::new(Code::ResumeDiffers, message).help("give --until alone, or run anew with --out"));
        }
        if !different.is_empty() {
            return Err(differs(&files, &different));
        }
        if let Some(difference) = from.header.platform.difference(&Platform::current()) {
            session.warn(format!("the run began elsewhere ({difference}); the last digits may differ"));
        }
        begun.plot = kept(request.files.plot.as_deref(), "--plot", Some(table), session).or(begun.plot);
        begun.movie = kept(request.files.movie.as_deref(), "--movie", Some(table), session).or(begun.movie);
        begun.report = kept(request.files.report.as_deref(), "--report", Some(table), session).or(begun.report);
        let (input, lapse) = (begun.input.clone(), begun.choice.lapse.as_deref());
        let model =
            Loaded::with_lapse(input.into(), &begun.choice.set, lapse, session.limits())?.keeping(&begun.choice.chart);
        Ok(Task { begun, model, files: Some(files), from: Some(from) })
    }
}

/// A finished run with a later end.
fn extended(now: &Choice, begun: Begun, table: &Path, session: &mut Session<'_>) -> Result<Begun, Failure> {
    let shown = table.display();
    let end = Choice { until: now.until, steps: now.steps, ..begun.choice.clone() };
    let later = schedule(&end)?;
    let before = begun.schedule()?;
    // Of steps and times that are no multiples of each other none is known to be the later one.
    let comparable = |later: &Schedule| !end.has_time() || later.until.is_some() == before.until.is_some();
    let time = number(before.until.unwrap_or_else(|| before.time(before.total())));
    let refused = |message: String| {
        let help = format!("to go on: cotangent run --resume {shown} --until T, with a T beyond {time}");
        Failure::new(Code::NothingToResume, message).help(help)
    };
    match later {
        None => Err(refused(format!("the run of `{shown}` is complete, to t = {time}"))),
        Some(later) if comparable(&later) && later.total() <= before.total() => {
            Err(refused(format!("the run of `{shown}` is complete, to t = {time}, which is as far or farther")))
        }
        Some(_) => begun.extended(now.until, now.steps, table, session),
    }
}

fn differs(files: &Places, what: &[String]) -> Failure {
    let (table, checkpoint) = (files.table.display(), files.checkpoint.display());
    let message = format!("the interrupted run of `{table}` is another one: {}", what.join("; "));
    Failure::new(Code::ResumeDiffers, message).help(format!(
        "`cotangent run --resume {table}` alone goes on as it began; to begin anew, remove `{checkpoint}`"
    ))
}

/// What is chosen and was chosen otherwise when the run began. The choice is taken apart as a whole, so that the
/// compiler asks what a new option means here.
fn differences(now: &Choice, begun: &Begun) -> Result<Vec<String>, Failure> {
    let then = &begun.choice;
    let Choice {
        method,
        stages,
        stage_solver,
        inner,
        tol,
        compose,
        formulation,
        lapse,
        chart,
        opt,
        project,
        project_above,
        project_initial,
        drop_redundant,
        allow_almost_poisson,
        step,
        until,
        steps,
        solver_tol,
        record,
        every,
        set,
    } = now;
    let mut list = Differences(vec![]);
    let whole = |number: &Option<u64>| number.map(|n| n.to_string());
    let exact = |number: &Option<f64>| number.map(digits);
    list.compare("method", method.clone(), then.method.clone());
    list.compare("stages", whole(stages), whole(&then.stages));
    list.compare("stage-solver", stage_solver.clone(), then.stage_solver.clone());
    list.compare("inner", inner.clone(), then.inner.clone());
    list.compare("tol", exact(tol), exact(&then.tol));
    list.compare("compose", compose.clone(), then.compose.clone());
    list.compare("formulation", formulation.clone(), then.formulation.clone());
    list.compare("lapse", lapse.clone(), then.lapse.clone());
    if !chart.is_empty() {
        let shown = |charts: &[String]| (!charts.is_empty()).then(|| charts.join(" and "));
        list.compare("chart", shown(chart), shown(&then.chart));
    }
    let named = |(name, value): &(String, f64)| format!("{name}={}", digits(*value));
    for number in opt {
        let before = then.opt.iter().find(|(name, _)| *name == number.0);
        list.compare("opt", Some(named(number)), before.map(named));
    }
    list.compare("project", project.clone(), then.project.clone());
    list.compare("project-above", exact(project_above), exact(&then.project_above));
    let flag = |on: bool| on.then(|| "set".to_owned());
    list.compare("project-initial", flag(*project_initial), flag(then.project_initial));
    list.compare("drop-redundant", flag(*drop_redundant), flag(then.drop_redundant));
    list.compare("allow-almost-poisson", flag(*allow_almost_poisson), flag(then.allow_almost_poisson));
    list.compare("step", exact(step), exact(&then.step));
    list.compare("solver-tol", exact(solver_tol), exact(&then.solver_tol));
    list.compare("record", whole(record), whole(&then.record));
    list.compare("every", exact(every), exact(&then.every));
    for s in set {
        let shown = |s: &Setting| match &s.index {
            Some(index) => format!("{}{index:?}={}", s.name, s.value),
            None => format!("{}={}", s.name, s.value),
        };
        let before = then.set.iter().find(|t| t.name == s.name && t.index == s.index);
        list.compare("set", Some(shown(s)), before.map(shown));
    }
    let Differences(mut list) = list;
    let other_end = Choice { until: *until, steps: *steps, ..then.clone() };
    if let Some(now) = schedule(&other_end)?
        && !same(now, begun.schedule()?, other_end.has_time())
    {
        let shown = |choice: &Choice| match (choice.until, choice.steps) {
            (Some(t), _) => format!("--until {}", given(t)),
            (None, n) => format!("--steps {}", n.unwrap_or_default()),
        };
        list.push(format!("the end is {} and was {}", shown(&other_end), shown(then)));
    }
    Ok(list)
}

/// Whether schedules are of the same steps. Where time is a variable, final times are to be the same.
fn same(now: Schedule, then: Schedule, has_time: bool) -> bool {
    let steps = |schedule: Schedule| Schedule { until: None, ..schedule };
    steps(now) == steps(then) && (!has_time || now.until == then.until)
}

/// To the last digit.
fn digits(x: f64) -> String {
    format!("{x:?}")
}

/// What is another now, in words.
struct Differences(Vec<String>);

impl Differences {
    /// Compares an option with what it was when the run began, if it is given.
    fn compare(&mut self, option: &str, now: Option<String>, then: Option<String>) {
        if let Some(now) = now
            && then.as_ref() != Some(&now)
        {
            self.0.push(match then {
                Some(then) => format!("--{option} is {now} and was {then}"),
                None => format!("--{option} is {now} and was not given"),
            });
        }
    }
}
