//! The runs of experiments: each that several ask for is made once, and they are made side by side.

use super::data::{Experiment, Planned};
use super::library::Library;
use crate::choice::Choice;
use crate::ending::Ending;
use crate::failure::Failure;
use crate::input::Input;
use crate::loaded::Loaded;
use crate::run;
use crate::session::{Progress, Session};
use crate::setup::{Selection, pose};
use cotangent_lab::measure::{Record, spectrum};
use cotangent_observe::Extra;
use cotangent_scalar::Limits;

/// A run to make.
#[derive(Clone, PartialEq)]
struct Task {
    model: Input,
    choice: Choice,
    linearise: bool,
}

/// What became of a run.
pub(super) enum Outcome {
    /// It has columns.
    Made(Record),
    /// It could not begin.
    Refused(String),
    /// It was stopped.
    Interrupted,
}

/// The runs of some experiments, and what became of them.
pub(super) struct Runs {
    tasks: Vec<Task>,
    outcomes: Vec<Outcome>,
}

impl Runs {
    /// Makes all runs, the longest first.
    pub(super) fn make(library: &Library, experiments: &[&Experiment], session: &mut Session<'_>) -> Runs {
        let mut tasks: Vec<Task> = vec![];
        for (experiment, run) in experiments.iter().flat_map(|e| e.run.iter().map(move |run| (e, run))) {
            tasks.extend(task(library, experiment, run).filter(|task| !tasks.contains(task)));
        }
        let length = |task: &Task| {
            let Choice { step, until, steps, .. } = &task.choice;
            steps.map_or(until.unwrap_or(0.0) / step.unwrap_or(1.0), |n| n as f64)
        };
        tasks.sort_by(|a, b| length(b).total_cmp(&length(a)));
        let limits = session.limits().clone();
        let total = tasks.len() as u64;
        let mut done = 0;
        let outcomes = side_by_side(
            &tasks,
            |task| made(task, &limits),
            || {
                done += 1;
                session.progress(Progress { what: "runs", done, total, time: 0.0 });
            },
        );
        Runs { tasks, outcomes }
    }

    /// What became of a run of an experiment.
    pub(super) fn outcome(&self, library: &Library, experiment: &Experiment, run: &Planned) -> Option<&Outcome> {
        let task = task(library, experiment, run)?;
        self.tasks.iter().position(|t| *t == task).and_then(|k| self.outcomes.get(k))
    }
}

/// What is to be done for a run. Its model and settings were found to be there when the library was read.
fn task(library: &Library, experiment: &Experiment, run: &Planned) -> Option<Task> {
    let model = library.model(experiment.paper(), &run.model)?;
    Some(Task { model, choice: run.choice().ok()?, linearise: run.linearise })
}

#[cfg(not(target_family = "wasm"))]
use cotangent_host::side_by_side;

/// One after the other, where there are no threads.
#[cfg(target_family = "wasm")]
fn side_by_side<T, R>(tasks: &[T], work: impl Fn(&T) -> R, mut done: impl FnMut()) -> Vec<R> {
    let one = |task| {
        let result = work(task);
        done();
        result
    };
    tasks.iter().map(one).collect()
}

fn made(task: &Task, limits: &Limits) -> Outcome {
    if limits.cancel.is_set() {
        return Outcome::Interrupted;
    }
    match record(task, limits) {
        Ok(Some(record)) => Outcome::Made(record),
        Ok(None) => Outcome::Interrupted,
        Err(failure) if failure.is_interrupt() || limits.cancel.is_set() => Outcome::Interrupted,
        Err(failure) => Outcome::Refused(failure.to_string()),
    }
}

/// The columns and numbers of a run; none if it was stopped.
fn record(task: &Task, limits: &Limits) -> Result<Option<Record>, Failure> {
    let request = run::Request {
        choice: task.choice.clone(),
        columns: Extra { residuals: true, claims: true },
        arrays: true,
        ..run::Request::default()
    };
    let mut session = Session::new(crate::session::Nobody, limits.clone());
    let document = request.answer(Some(task.model.clone().into()), &mut session)?;
    if document.status == Ending::Interrupted {
        return Ok(None);
    }
    let work = &document.work;
    let numbers = [
        ("made_steps", document.steps),
        ("newton_iterations", work.newton_iterations),
        ("position_projections", work.position_projections),
        ("momentum_projections", work.momentum_projections),
        ("chart_changes", work.chart_changes.unwrap_or(0)),
        ("failed", u64::from(document.status == Ending::Failed)),
    ];
    let mut record = Record::new(document.arrays.iter().flat_map(|arrays| arrays.iter().map(|(n, v)| (n, v.clone()))));
    for (name, number) in numbers {
        record = record.with(name, number as f64);
    }
    record = record.with("end", document.time).with("step", document.choice.step.unwrap_or(f64::NAN));
    if task.linearise {
        let choice = &document.choice;
        let model = Loaded::with_lapse(task.model.clone().into(), &task.choice.set, choice.lapse.as_deref(), limits)?;
        let selection = Selection::named(choice)?;
        let problem = pose(&model.keeping(&choice.chart), selection.formulation, choice.repairs(), &mut session)?;
        let found = spectrum(&problem).map_err(|e| Failure::new(crate::Code::NoValue, e.to_string()))?;
        let parts = |k: usize| found.iter().map(|value| value[k]).collect::<Vec<f64>>();
        record = record.and("eigenvalue_real", parts(0)).and("eigenvalue_imaginary", parts(1));
    }
    Ok(Some(record))
}
