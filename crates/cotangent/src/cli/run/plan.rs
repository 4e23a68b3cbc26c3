//! A run from its start, or from a checkpoint.

use super::request::{End, Request, Set, schedule};
use crate::cli::args;
use crate::cli::failure::Failure;
use crate::cli::input::Input;
use crate::cli::loaded::Loaded;
use crate::cli::output::Output;
use cotangent::observe::{Checkpoint, Header, Platform};
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// What to run, and from where.
pub(super) struct Plan {
    pub(super) request: Request,
    pub(super) model: Loaded,
    /// The table and its checkpoint.
    pub(super) files: Option<Files>,
    /// Where to go on.
    pub(super) from: Option<Checkpoint<Header<Request>>>,
}

/// The table and its checkpoint.
pub(super) struct Files {
    pub(super) table: PathBuf,
    pub(super) checkpoint: PathBuf,
}

impl Files {
    fn new(table: &Path) -> Files {
        let mut name = OsString::from(table);
        name.push(".checkpoint");
        Files { table: table.to_owned(), checkpoint: name.into() }
    }
}

impl Plan {
    /// What the command line asks for.
    pub(super) fn new(args: &args::Run, out: &mut Output) -> Result<Plan, Failure> {
        match &args.resume {
            Some(table) => Plan::resumed(args, table, out),
            None => Plan::fresh(args, args.out.as_deref(), out),
        }
    }

    fn fresh(args: &args::Run, table: Option<&Path>, out: &mut Output) -> Result<Plan, Failure> {
        if args.checkpoint.is_some() && table.is_none() {
            let message = "--checkpoint says how often a checkpoint is written, and none is without a table";
            return Err(Failure::new("usage", message).help("add --out FILE.csv or --out FILE.npz"));
        }
        let files = table.map(Files::new);
        if let Some(files) = files.as_ref().filter(|f| f.checkpoint.exists()) {
            let (table, checkpoint) = (files.table.display(), files.checkpoint.display());
            let message =
                format!("`{checkpoint}` is there: a run that writes `{table}` was interrupted, or still goes on");
            return Err(Failure::new("unfinished-run", message)
                .help(format!("go on with `cotangent run --resume {table}`, or remove `{checkpoint}` to begin anew")));
        }
        // Clap asks for one unless there is something to resume.
        let model = args.model.as_deref().unwrap_or("-");
        let model = Loaded::new(Input::read(model)?, &args.choose.set)?;
        let request = Request::new(args, &model, table.is_some(), out)?;
        Ok(Plan { request, model, files, from: None })
    }

    fn resumed(args: &args::Run, table: &Path, out: &mut Output) -> Result<Plan, Failure> {
        let shown = table.display();
        if let Some(other) = args.out.as_deref().filter(|o| *o != table) {
            let message = format!("--resume {shown} goes on with `{shown}`, and --out says `{}`", other.display());
            return Err(Failure::new("resume-differs", message).help("leave out --out"));
        }
        let files = Files::new(table);
        if !files.checkpoint.exists() {
            let checkpoint = files.checkpoint.display();
            if table.exists() {
                let message =
                    format!("`{shown}` is there and `{checkpoint}` is not: the run is complete, or not one of ours");
                return Err(
                    Failure::new("nothing-to-resume", message).help("to run again, use --out instead of --resume")
                );
            }
            if args.model.is_none() {
                let message = format!("there is neither `{shown}` nor `{checkpoint}`");
                return Err(Failure::new("nothing-to-resume", message).help("name a MODEL to begin a run"));
            }
            out.note(format!("there is nothing to resume for `{shown}`: the run begins at its start"));
            return Plan::fresh(args, Some(table), out);
        }
        let from = Checkpoint::<Header<Request>>::read(&files.checkpoint)
            .map_err(|e| Failure::new("checkpoint", e.to_string()).help("without it, only a new run (--out) helps"))?;
        let request = from.header.request.clone();
        if let Some(model) = args.model.as_deref()
            && Input::read(model)?.source != request.source
        {
            return Err(differs(&files, &[format!("the model `{model}` is another text than `{}` was", request.file)]));
        }
        let different = differences(args, &request)?;
        if !different.is_empty() {
            return Err(differs(&files, &different));
        }
        if let Some(difference) = from.header.platform.difference(&Platform::current()) {
            out.warn(format!("the run began elsewhere ({difference}); the last digits may differ"));
        }
        let model = Loaded::new(request.input(), &request.settings())?;
        Ok(Plan { request, model, files: Some(files), from: Some(from) })
    }
}

fn differs(files: &Files, what: &[String]) -> Failure {
    let (table, checkpoint) = (files.table.display(), files.checkpoint.display());
    let message = format!("the interrupted run of `{table}` is another one: {}", what.join("; "));
    Failure::new("resume-differs", message).help(format!(
        "`cotangent run --resume {table}` alone goes on as it began; to begin anew, remove `{checkpoint}`"
    ))
}

/// Options that are given and were others when the run began.
fn differences(args: &args::Run, then: &Request) -> Result<Vec<String>, Failure> {
    let mut list = vec![];
    let mut compare = |option: &str, now: Option<String>, then: Option<String>| {
        if let Some(now) = now
            && then.as_ref() != Some(&now)
        {
            list.push(match then {
                Some(then) => format!("--{option} is {now} and was {then}"),
                None => format!("--{option} is {now} and was not given"),
            });
        }
    };
    let (choose, names) = (&args.choose, &then.choice);
    // To the last digit.
    let text = |x: f64| format!("{x:?}");
    compare("method", choose.method.clone(), Some(names.method.clone()));
    compare("stages", choose.stages.map(|s| s.to_string()), names.stages.map(|s| s.to_string()));
    compare("compose", choose.compose.clone(), names.compose.clone());
    compare("formulation", choose.formulation.clone(), Some(names.formulation.clone()));
    compare("project", choose.project.clone(), names.project.clone());
    compare("project-above", choose.project_above.map(text), names.project_above.map(text));
    let flag = |on: bool| on.then(|| "set".to_owned());
    compare("project-initial", flag(choose.project_initial), flag(then.project_initial));
    compare("drop-redundant", flag(choose.drop_redundant), flag(then.drop_redundant));
    compare("step", choose.step.map(text), Some(text(then.step)));
    compare("solver-tol", args.solver_tol.map(text), then.solver_tol.map(text));
    compare("record", args.record.map(|r| r.to_string()), Some(then.record.to_string()));
    for s in choose.set.iter().map(Set::from) {
        let shown = |s: &Set| match &s.index {
            Some(index) => format!("{}{index:?}={}", s.name, s.value),
            None => format!("{}={}", s.name, s.value),
        };
        let before = then.set.iter().find(|t| t.name == s.name && t.index == s.index);
        compare("set", Some(shown(&s)), before.map(shown));
    }
    let end = args.until.map(End::Until).or(args.steps.map(End::Steps));
    if let Some(end) = end
        && schedule(then.step, end, then.record)? != then.schedule()?
    {
        let shown = |end: End| match end {
            End::Until(t) => format!("--until {t}"),
            End::Steps(n) => format!("--steps {n}"),
        };
        list.push(format!("the end is {} and was {}", shown(end), shown(then.end)));
    }
    Ok(list)
}
