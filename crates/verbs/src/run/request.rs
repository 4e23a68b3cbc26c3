//! Everything that decides what a run computes: a checkpoint keeps it.

use super::Order;
use crate::failure::Failure;
use crate::figures::{count, number, short};
use crate::input::Input;
use crate::loaded::Loaded;
use crate::session::Session;
use crate::setup::{Defaults, Names, Repairs};
use cotangent_compile::values::{self, Setting};
use cotangent_observe::{Schedule, ScheduleError};
use serde::{Deserialize, Serialize};
use std::path::Path;

/// What was asked for, with every default filled in.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(super) struct Request {
    /// What the model text is called in messages.
    pub(super) file: String,
    pub(super) stem: Option<String>,
    pub(super) source: String,
    pub(super) set: Vec<Set>,
    pub(super) choice: Names,
    pub(super) project_initial: bool,
    pub(super) drop_redundant: bool,
    pub(super) step: f64,
    pub(super) end: End,
    pub(super) record: u64,
    pub(super) solver_tol: Option<f64>,
    /// The files of `--plot` and `--report`.
    #[serde(default)]
    pub(super) plot: Option<String>,
    #[serde(default)]
    pub(super) report: Option<String>,
    /// What was said before the first step.
    #[serde(default)]
    pub(super) notes: Vec<String>,
    /// The command that began the run.
    #[serde(default)]
    pub(super) command: String,
}

/// Where a run ends.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum End {
    /// At a time.
    Until(f64),
    /// After so many steps.
    Steps(u64),
}

/// A value given from outside.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(super) struct Set {
    pub(super) name: String,
    pub(super) index: Option<Vec<i64>>,
    pub(super) value: f64,
}

impl From<&Setting> for Set {
    fn from(s: &Setting) -> Set {
        Set { name: s.name.clone(), index: s.index.clone(), value: s.value }
    }
}

/// An iteration whose update is larger, relative to the unknowns, has not begun to converge.
const LOOSEST: f64 = 0.1;

/// Tables have no more rows than about this, unless `--record` says so.
const ROWS: u64 = 10_000;

impl Request {
    /// What is asked for, and what the model says.
    pub(super) fn new(
        order: &Order,
        model: &Loaded,
        table: bool,
        session: &mut Session<'_>,
    ) -> Result<Request, Failure> {
        let parameters = values::parameters(&model.system, &model.settings)?;
        let defaults = Defaults::new(&model.system, &parameters)?;
        let wanted = &order.choice;
        let step = wanted.step.or(defaults.step).ok_or_else(|| missing("step", "0.01", &model.system.name))?;
        let end = match (wanted.until, wanted.steps, defaults.until, defaults.steps) {
            (Some(t), ..) => End::Until(t),
            (None, Some(n), ..) => End::Steps(n),
            (None, None, Some(t), _) => End::Until(t),
            (None, None, None, Some(n)) => End::Steps(n),
            (None, None, None, None) => return Err(missing("until", "100", &model.system.name)),
        };
        let schedule = schedule(step, end, 1)?;
        if let Some(tol) = wanted.solver_tol.filter(|t| *t <= 0.0 || *t > LOOSEST) {
            let message = format!("--solver-tol is {}", short(tol));
            return Err(Failure::new("solver-tol", message).help(format!("it must be positive, and at most {LOOSEST}")));
        }
        let record = match wanted.record.or(defaults.record) {
            Some(0) => 0,
            Some(every) if table => every,
            Some(every) if wanted.record.is_some() => {
                session.note(format!("--record {every} has no effect without --out FILE"));
                schedule.total().max(1)
            }
            None if table => {
                let every = schedule.total().div_ceil(ROWS).max(1);
                if every > 1 {
                    let rows = count(schedule.total() / every + 1, "row", "rows");
                    session.note(format!("recording every {every} steps, {rows}; --record 1 records every step"));
                }
                every
            }
            // Every step is measured, and there is no table to write.
            _ => schedule.total().max(1),
        };
        if let Some(last) = schedule.last {
            let until = schedule.time(schedule.total());
            session.note(format!("t = {until} is no multiple of the step {step}: the last step is {}", number(last)));
        }
        Ok(Request {
            file: model.input.name.clone(),
            stem: model.input.stem.clone(),
            source: model.input.source.clone(),
            set: wanted.set.iter().map(Set::from).collect(),
            choice: Names::new(wanted, &defaults, model, session)?,
            project_initial: wanted.project_initial,
            drop_redundant: wanted.drop_redundant,
            step,
            end,
            record,
            solver_tol: wanted.solver_tol,
            plot: kept(order.files.plot.as_deref(), "--plot", table, session),
            report: kept(order.files.report.as_deref(), "--report", table, session),
            notes: vec![],
            command: model.input.command.clone(),
        })
    }

    /// The model text.
    pub(super) fn input(&self) -> Input {
        Input {
            name: self.file.clone(),
            stem: self.stem.clone(),
            source: self.source.clone(),
            command: self.command.clone(),
        }
    }

    /// What was set.
    pub(super) fn settings(&self) -> Vec<Setting> {
        let setting = |s: &Set| Setting { name: s.name.clone(), index: s.index.clone(), value: s.value };
        self.set.iter().map(setting).collect()
    }

    /// What may be repaired.
    pub(super) fn repairs(&self) -> Repairs {
        Repairs { project_initial: self.project_initial, drop_redundant: self.drop_redundant }
    }

    /// When to step, record and end.
    pub(super) fn schedule(&self) -> Result<Schedule, Failure> {
        schedule(self.step, self.end, self.record)
    }
}

/// The name of a picture as a checkpoint keeps it, wherever it is resumed.
pub(super) fn kept(file: Option<&Path>, option: &str, table: bool, session: &mut Session<'_>) -> Option<String> {
    let file = file?;
    let name = std::path::absolute(file).unwrap_or_else(|_| file.to_owned()).to_str().map(str::to_owned);
    if name.is_none() && table {
        let shown = file.display();
        session.note(format!("a checkpoint cannot keep the name `{shown}`: give {option} again with --resume"));
    }
    name
}

/// Steps of a size to an end.
pub(super) fn schedule(step: f64, end: End, record: u64) -> Result<Schedule, Failure> {
    let schedule = match end {
        End::Until(t) => Schedule::until(step, t, record),
        End::Steps(n) => Schedule::count(step, n, record),
    };
    schedule.map_err(|error| {
        let message = match error {
            ScheduleError::TooMany { count, .. } if count < 1e9 => {
                format!("{count} steps of {} lead beyond every number", short(step))
            }
            ScheduleError::TooMany { count, .. } => {
                format!("{count:.1e} steps of {} are more than can be counted (2^53)", short(step))
            }
            _ => error.to_string(),
        };
        let failure = Failure::new("schedule", message);
        match error {
            ScheduleError::Step(_) => failure.help("give another --step"),
            ScheduleError::Until { .. } => failure.help("--step and --until must have the same sign"),
            ScheduleError::TooMany { .. } => failure.help("give a larger --step or an earlier --until"),
        }
    })
}

fn missing(key: &str, example: &str, model: &str) -> Failure {
    let what = if key == "step" { "how large a step is" } else { "when the run ends" };
    let help = match key {
        "step" => format!("add --step {example}, or write `run step = {example}` in the model"),
        _ => format!("add --until {example} (a time) or --steps 1000, or write `run until = {example}` in the model"),
    };
    Failure::new("missing-value", format!("nothing says {what} for `{model}`")).help(help)
}
