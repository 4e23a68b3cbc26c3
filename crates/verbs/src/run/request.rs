//! What is asked for, and everything that decides what a run computes: a checkpoint keeps it.

use crate::choice::names::separated;
use crate::choice::{Choice, Files};
use crate::failure::{Code, Failure};
use crate::figures::{count, given, number, short};
use crate::input::Input;
use crate::loaded::Loaded;
use crate::picture::Watch;
use crate::session::Session;
use crate::setting::without_effect;
use crate::setup::{completed, defaults, schedule, wanted_formulation};
use cotangent_compile::values;
use cotangent_observe::{Columns, Extra, Schedule, Text};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// A run, and what is written of it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Request {
    /// What is integrated, and how.
    pub choice: Choice,
    /// The files to write.
    pub files: Files,
    /// The table of an interrupted run to go on with.
    pub resume: Option<PathBuf>,
    /// Seconds between two checkpoints, which are written beside a table.
    pub checkpoint: Option<f64>,
    /// What is kept of the motion, for pictures.
    pub watch: Watch,
    /// Columns that the table has on request.
    pub columns: Extra,
    /// Whether the document has the rows of a table.
    pub arrays: bool,
    /// What pictures show over time: lists of variables and observables, such as `x,d[3,1]`; unless given, a choice of
    /// them.
    pub quantities: Vec<String>,
    /// The folder one is in: the pictures of a run that is resumed are called by their names from there.
    pub folder: Option<PathBuf>,
}

impl Request {
    /// The names of what pictures show over time.
    pub(super) fn named(&self) -> Vec<String> {
        self.quantities.iter().flat_map(|list| separated(list)).collect()
    }
}

/// A run that has begun: its model, and its choice with every default filled in.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(super) struct Begun {
    pub(super) input: Input,
    pub(super) choice: Choice,
    /// The files of a figure and a report.
    pub(super) plot: Option<String>,
    pub(super) report: Option<String>,
    /// What was said before the first step.
    pub(super) notes: Vec<String>,
    /// Columns that the table has on request.
    #[serde(default)]
    pub(super) columns: Extra,
    /// The file of a movie.
    #[serde(default)]
    pub(super) movie: Option<String>,
    /// What pictures show over time.
    #[serde(default)]
    pub(super) quantities: Vec<String>,
}

/// An iteration whose update is larger, relative to the unknowns, has not begun to converge.
const LOOSEST: f64 = 0.1;

/// Tables have no more rows than about this, unless `--record` says so.
const ROWS: u64 = 10_000;

impl Begun {
    /// What is asked for, and what the model says.
    pub(super) fn new(
        request: &Request,
        model: &Loaded,
        table: Option<&Path>,
        session: &mut Session<'_>,
    ) -> Result<Begun, Failure> {
        let parameters = values::parameters(&model.system, &model.settings)?;
        let (wanted, own) = (&request.choice, defaults(&model.system, &parameters)?);
        let name = &model.system.name;
        let step = wanted.step.or(own.step).ok_or_else(|| missing("step", "0.01", name))?;
        let (until, steps) = match (wanted.until, wanted.steps) {
            (None, None) => (own.until, own.steps),
            given => given,
        };
        let formulation = wanted_formulation(wanted, &own, &model.system);
        let timed = Choice { step: Some(step), until, steps, record: Some(1), formulation, ..wanted.clone() };
        let schedule = schedule(&timed)?.ok_or_else(|| missing("until", "100", name))?;
        if let Some(tol) = wanted.solver_tol.filter(|t| *t <= 0.0 || *t > LOOSEST) {
            let message = format!("--solver-tol is {}", short(tol));
            return Err(
                Failure::new(Code::SolverTol, message).help(format!("it must be positive, and at most {LOOSEST}"))
            );
        }
        let rows = table.is_some() || request.arrays;
        if wanted.every.is_some() {
            even(table.is_some(), wanted)?;
        }
        let record = match wanted.record.or(own.record) {
            // Rows are at even times, and steps are measured all the same.
            _ if wanted.every.is_some() => NEVER,
            Some(0) => 0,
            Some(every) if rows => every,
            Some(every) if wanted.record.is_some() => {
                session.note(format!("--record {every} has no effect without --out FILE"));
                schedule.total().max(1)
            }
            None if rows => {
                let every = automatic(&schedule);
                if every > 1 {
                    session.note(thinned(every, &schedule));
                }
                every
            }
            // Every step is measured, and there is no table to write.
            _ => schedule.total().max(1),
        };
        if let Some(note) = shortened(&schedule).filter(|_| !timed.has_time()) {
            session.note(note);
        }
        without_effect(&model.system, &model.settings).into_iter().for_each(|note| session.note(note));
        let choice = Choice { record: Some(record), ..completed(&timed, &own, model, session)? };
        Ok(Begun {
            input: model.input.clone(),
            choice,
            plot: kept(request.files.plot.as_deref(), "--plot", table, session),
            report: kept(request.files.report.as_deref(), "--report", table, session),
            notes: vec![],
            columns: request.columns,
            movie: kept(request.files.movie.as_deref(), "--movie", table, session),
            quantities: request.named(),
        })
    }

    /// The same run to another end. What was said of the end is said of the new one.
    pub(super) fn extended(
        mut self,
        until: Option<f64>,
        steps: Option<u64>,
        table: &Path,
        session: &mut Session<'_>,
    ) -> Result<Begun, Failure> {
        let before = self.schedule()?;
        (self.choice.until, self.choice.steps) = (until, steps);
        let after = self.schedule()?;
        let (every, last) = (self.record(), shortened(&before));
        self.notes.retain(|note| Some(note) != last.as_ref());
        for note in &mut self.notes {
            if *note == thinned(every, &before) {
                *note = thinned(every, &after);
            }
        }
        let said: Vec<String> = shortened(&after)
            .filter(|_| !self.choice.has_time())
            .into_iter()
            .chain(kept_apart(every, &before, &after))
            .collect();
        said.iter().for_each(|note| session.note(note));
        self.notes.extend(said);
        let end = match (until, steps) {
            (Some(t), _) => format!("--until {}", given(t)),
            (None, n) => format!("--steps {}", n.unwrap_or_default()),
        };
        let table = table.file_name().unwrap_or_default().to_string_lossy();
        self.input.command += &format!("\ncotangent run --resume {table} {end}");
        Ok(self)
    }

    /// What a table says besides its numbers.
    pub(super) fn texts(&self, columns: &Columns) -> Vec<(String, Text)> {
        let one = |text: &str| Text::One(text.to_owned());
        let unit = "the unit of time of the model, in which its parameters and velocities are given";
        vec![
            ("names".into(), Text::List(columns.members().collect())),
            ("time_unit".into(), one(unit)),
            ("model".into(), one(&self.input.source)),
            ("command".into(), one(&self.input.command)),
        ]
    }

    /// When to step, record and end.
    pub(super) fn schedule(&self) -> Result<Schedule, Failure> {
        schedule(&self.choice)?.ok_or_else(|| missing("until", "100", &self.input.name))
    }

    /// Every so many steps a row; 0: the start and the end only.
    pub(super) fn record(&self) -> u64 {
        self.choice.record.unwrap_or(1)
    }
}

/// A number of steps that no run has.
const NEVER: u64 = 1 << 53;

/// Refuses rows at even times where there are none, or others.
fn even(rows: bool, wanted: &Choice) -> Result<(), Failure> {
    let refused = |message: &str, help: &str| Err(Failure::new(Code::Schedule, message).help(help));
    match wanted.record {
        Some(_) => refused("--record gives rows by steps, and --every at even times", "leave one of them out"),
        None if !rows => refused("--every has no effect without a table", "add --out FILE"),
        None => Ok(()),
    }
}

/// That the last step is shorter than the others.
fn shortened(schedule: &Schedule) -> Option<String> {
    let (until, step) = (schedule.time(schedule.total()), schedule.step);
    let last = number(schedule.last?);
    let (until, step) = (given(until), given(step));
    Some(format!("t = {until} is no multiple of the step {step}: the last step is {last}"))
}

/// That a table has not every step.
fn thinned(every: u64, schedule: &Schedule) -> String {
    let rows = count(schedule.total() / every.max(1) + 1, "row", "rows");
    format!("recording every {every} steps, {rows}; --record 1 records every step")
}

/// Every so many steps a row is written unless `--record` says so.
fn automatic(schedule: &Schedule) -> u64 {
    schedule.total().div_ceil(ROWS).max(1)
}

/// That the rows of a run that goes on are not those of one that was made at once.
fn kept_apart(every: u64, before: &Schedule, after: &Schedule) -> Option<String> {
    let (own, other) = (count(every, "step", "steps"), count(automatic(after), "step", "steps"));
    (every == automatic(before) && every != automatic(after)).then(|| {
        format!(
            "rows stay {own} apart, as they began; of a run made at once they would be {other} apart unless --record says \
             otherwise"
        )
    })
}

/// The name of a picture as a checkpoint keeps it: from the folder of its table if it is in it, so that both can be moved or
/// copied together; otherwise, or if it was given so, a whole path.
pub(super) fn kept(
    file: Option<&Path>,
    option: &str,
    table: Option<&Path>,
    session: &mut Session<'_>,
) -> Option<String> {
    let file = file?;
    let whole = |file: &Path| std::path::absolute(file).unwrap_or_else(|_| file.to_owned());
    let beside = |table: &Path| whole(file).strip_prefix(whole(table).parent()?).ok().map(Path::to_owned);
    let path = table.filter(|_| file.is_relative()).and_then(beside).unwrap_or_else(|| whole(file));
    let name = path.to_str().map(str::to_owned);
    if name.is_none() && table.is_some() {
        let shown = file.display();
        session.note(format!("a checkpoint cannot keep the name `{shown}`: give {option} again with --resume"));
    }
    name
}

fn missing(key: &str, example: &str, model: &str) -> Failure {
    let what = if key == "step" { "how large a step is" } else { "when the run ends" };
    let help = match key {
        "step" => format!("add --step {example}, or write `run step = {example}` in the model"),
        _ => format!("add --until {example} (a time) or --steps 1000, or write `run until = {example}` in the model"),
    };
    Failure::new(Code::MissingValue, format!("nothing says {what} for `{model}`")).help(help)
}
