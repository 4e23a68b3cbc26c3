//! A run from its start, or from a checkpoint.

use super::Order;
use super::request::{End, Request, Set, kept, schedule};
use crate::choice::Choice;
use crate::failure::Failure;
use crate::loaded::Loaded;
use crate::session::Session;
use crate::setup::Selection;
use cotangent_observe::{Checkpoint, Header, Platform};
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// What to run, and from where.
pub(super) struct Plan {
    pub(super) request: Request,
    pub(super) model: Loaded,
    /// The table and its checkpoint.
    pub(super) files: Option<Places>,
    /// Where to go on.
    pub(super) from: Option<Checkpoint<Header<Request>>>,
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
}

impl Plan {
    /// What is asked for.
    pub(super) fn new(order: &Order, session: &mut Session<'_>) -> Result<Plan, Failure> {
        match &order.resume {
            Some(table) => Plan::resumed(order, table, session),
            None => Plan::fresh(order, order.files.table.as_deref(), session),
        }
    }

    fn fresh(order: &Order, table: Option<&Path>, session: &mut Session<'_>) -> Result<Plan, Failure> {
        if order.checkpoint.is_some() && table.is_none() {
            let message = "--checkpoint says how often a checkpoint is written, and none is without a table";
            return Err(Failure::new("usage", message).help("add --out FILE.csv or --out FILE.npz"));
        }
        let files = table.map(Places::new);
        if let Some(files) = files.as_ref().filter(|f| f.checkpoint.exists()) {
            let (table, checkpoint) = (files.table.display(), files.checkpoint.display());
            let message =
                format!("`{checkpoint}` is there: a run that writes `{table}` was interrupted, or still goes on");
            return Err(Failure::new("unfinished-run", message)
                .help(format!("go on with `cotangent run --resume {table}`, or remove `{checkpoint}` to begin anew")));
        }
        let model = order.model.clone().ok_or_else(|| {
            Failure::new("usage", "there is no model to run, and nothing to resume").help("name a MODEL")
        })?;
        let model = Loaded::new(model, &order.choice.set, session.limits())?;
        let request = Request::new(order, &model, table.is_some(), session)?;
        Ok(Plan { request, model, files, from: None })
    }

    fn resumed(order: &Order, table: &Path, session: &mut Session<'_>) -> Result<Plan, Failure> {
        let shown = table.display();
        if let Some(other) = order.files.table.as_deref().filter(|o| *o != table) {
            let message = format!("--resume {shown} goes on with `{shown}`, and --out says `{}`", other.display());
            return Err(Failure::new("resume-differs", message).help("leave out --out"));
        }
        let files = Places::new(table);
        if !files.checkpoint.exists() {
            let checkpoint = files.checkpoint.display();
            if table.exists() {
                let message =
                    format!("`{shown}` is there and `{checkpoint}` is not: the run is complete, or not one of ours");
                return Err(
                    Failure::new("nothing-to-resume", message).help("to run again, use --out instead of --resume")
                );
            }
            if order.model.is_none() {
                let message = format!("there is neither `{shown}` nor `{checkpoint}`");
                return Err(Failure::new("nothing-to-resume", message).help("name a MODEL to begin a run"));
            }
            session.note(format!("there is nothing to resume for `{shown}`: the run begins at its start"));
            return Plan::fresh(order, Some(table), session);
        }
        let from = Checkpoint::<Header<Request>>::read(&files.checkpoint)
            .map_err(|e| Failure::new("checkpoint", e.to_string()).help("without it, only a new run (--out) helps"))?;
        let mut request = from.header.request.clone();
        if let Some(model) = &order.model
            && model.source != request.source
        {
            let model = &model.name;
            return Err(differs(&files, &[format!("the model `{model}` is another text than `{}` was", request.file)]));
        }
        let different = differences(order, &request)?;
        if !different.is_empty() {
            return Err(differs(&files, &different));
        }
        if let Some(difference) = from.header.platform.difference(&Platform::current()) {
            session.warn(format!("the run began elsewhere ({difference}); the last digits may differ"));
        }
        request.plot = kept(order.files.plot.as_deref(), "--plot", true, session).or(request.plot);
        request.report = kept(order.files.report.as_deref(), "--report", true, session).or(request.report);
        let model = Loaded::new(request.input(), &request.settings(), session.limits())?;
        Ok(Plan { request, model, files: Some(files), from: Some(from) })
    }
}

fn differs(files: &Places, what: &[String]) -> Failure {
    let (table, checkpoint) = (files.table.display(), files.checkpoint.display());
    let message = format!("the interrupted run of `{table}` is another one: {}", what.join("; "));
    Failure::new("resume-differs", message).help(format!(
        "`cotangent run --resume {table}` alone goes on as it began; to begin anew, remove `{checkpoint}`"
    ))
}

/// Options that are given and were others when the run began. Both sides are taken apart as a whole, so that the
/// compiler asks what a new option means here.
fn differences(order: &Order, began: &Request) -> Result<Vec<String>, Failure> {
    // Where things are written, and how often, decides nothing that is computed; the text of the model is compared
    // as a whole.
    let Choice {
        method,
        stages,
        inner,
        tol,
        compose,
        formulation,
        chart,
        opt,
        project,
        project_above,
        project_initial,
        drop_redundant,
        step,
        until,
        steps,
        solver_tol,
        record,
        set,
    } = &order.choice;
    let Request {
        file: _,
        stem: _,
        source: _,
        set: began_set,
        choice: then,
        project_initial: began_projected,
        drop_redundant: began_dropped,
        step: began_step,
        end,
        record: began_record,
        solver_tol: began_tol,
        plot: _,
        report: _,
        notes: _,
        command: _,
    } = began;
    let mut list = Differences(vec![]);
    list.compare("method", method.clone(), Some(then.method.clone()));
    list.compare("stages", stages.map(|s| s.to_string()), then.stages.map(|s| s.to_string()));
    list.compare("inner", inner.clone(), then.inner.clone());
    list.compare("tol", tol.map(digits), then.tol.map(digits));
    // `none` is what is kept where nothing is composed.
    let composed = |name: &Option<String>| name.clone().or(Some("none".to_owned()));
    list.compare("compose", compose.clone(), composed(&then.compose));
    list.compare("formulation", formulation.clone(), Some(then.formulation.clone()));
    if !chart.is_empty() {
        let shown = |charts: &[String]| (!charts.is_empty()).then(|| charts.join(" and "));
        list.compare("chart", shown(chart), shown(&then.chart));
    }
    let numbers = Selection::named(then).map_or(vec![], |choice| choice.formulation.values());
    for (name, value) in opt {
        let before = numbers.iter().find(|(known, _)| known == name).map(|(_, v)| format!("{name}={}", digits(*v)));
        list.compare("opt", Some(format!("{name}={}", digits(*value))), before);
    }
    list.compare("project", project.clone(), then.project.clone());
    list.compare("project-above", project_above.map(digits), then.project_above.map(digits));
    let flag = |on: bool| on.then(|| "set".to_owned());
    list.compare("project-initial", flag(*project_initial), flag(*began_projected));
    list.compare("drop-redundant", flag(*drop_redundant), flag(*began_dropped));
    list.compare("step", step.map(digits), Some(digits(*began_step)));
    list.compare("solver-tol", solver_tol.map(digits), began_tol.map(digits));
    list.compare("record", record.map(|r| r.to_string()), Some(began_record.to_string()));
    for s in set.iter().map(Set::from) {
        let shown = |s: &Set| match &s.index {
            Some(index) => format!("{}{index:?}={}", s.name, s.value),
            None => format!("{}={}", s.name, s.value),
        };
        let before = began_set.iter().find(|t| t.name == s.name && t.index == s.index);
        list.compare("set", Some(shown(&s)), before.map(shown));
    }
    let Differences(mut list) = list;
    let now = until.map(End::Until).or(steps.map(End::Steps));
    if let Some(now) = now
        && schedule(*began_step, now, *began_record)? != began.schedule()?
    {
        let shown = |end: End| match end {
            End::Until(t) => format!("--until {t}"),
            End::Steps(n) => format!("--steps {n}"),
        };
        list.push(format!("the end is {} and was {}", shown(now), shown(*end)));
    }
    Ok(list)
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
