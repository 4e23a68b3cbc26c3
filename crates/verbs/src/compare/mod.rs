//! `compare`: formulations, methods, steps and projections side by side.

mod figure;
mod page;
mod report;
mod request;
mod size;
mod text;

pub use report::Report;
pub use request::Lists;

use crate::choice::{Choice, Files};
use crate::failure::Failure;
use crate::figures::{count, number};
use crate::input::Input;
use crate::loaded::Loaded;
use crate::memory::{Use, afford};
use crate::picture::Destinations;
use crate::session::{Progress, Session, Status};
use crate::setup::{Blame, Selection, fits, posed, prepare, remark};
use cotangent_compile::CompileError;
use cotangent_integrate::{Method, Prepared, Projection};
use cotangent_lab::comparison::{Combination, Ended, Exact, Measured, measure, sample_times};
use cotangent_lab::stability::{Path, Stability, StabilityError};
use cotangent_problem::Instance;
use cotangent_theory::Formulation;
use report::{Formulated, Reference, Row, Skipped, Stable};
use request::Request;

/// A model in one formulation, with the methods that fit.
pub(super) struct Posed {
    pub(super) problem: Instance,
    pub(super) methods: Vec<Prepared>,
}

/// Compares what the lists name, or all that fits, with the rest as chosen.
pub fn compare(
    input: Input,
    wanted: &Choice,
    lists: &Lists,
    files: &Files,
    session: &mut Session<'_>,
) -> Result<Report, Failure> {
    let pictures = Destinations::new(files.plot.as_deref(), files.report.as_deref(), None, Some(&input.name))?;
    let model = Loaded::new(input, &wanted.set, session.limits())?;
    afford(&model.system, Use::Integrate, session.memory())?;
    let request = Request::new(wanted, lists, &model)?;
    session.review(&model.input, &model.system.warnings);
    if !request.ignored.is_empty() {
        session.note(format!("{} of the model is left aside here", request.ignored.join(" and ")));
    }
    let mut skipped = vec![];
    let list = pose_all(&request, &model, &mut skipped, session)?;
    for schedule in request.schedules.iter().filter(|s| s.last.is_some()) {
        let (until, step) = (number(request.until), number(schedule.step));
        let last = number(schedule.last.unwrap_or_default());
        session.note(format!("t = {until} is no multiple of the step {step}: the last step is {last}"));
    }
    let mut report = report(&request, &model, &list, skipped, session);
    if let Some(time) = report.rows.iter().filter_map(|row| row.singular).min_by(f64::total_cmp) {
        session.note(format!(
            "the motion comes to a singular configuration, or near one, at t = {}, where branches meet: the \
             error of the state is given up to there, and undecided behind it",
            number(time)
        ));
    }
    report.notes = session.notes().to_vec();
    let page = || page::page(&report, &list, &model.input);
    let drawn = pictures.any().then_some(|| figure::figure(&report));
    let written = pictures.write_drawn(drawn.filter(|_| !report.rows.is_empty()), page);
    (report.plot, report.report) = (written.plot, written.report);
    report.notes.extend(written.failures.iter().map(Failure::message));
    report.unwritten = written.failures;
    Ok(report)
}

impl Report {
    /// Whether there is a run that came to its end.
    pub fn status(&self) -> Status {
        let finished = self.rows.iter().any(|row| row.status == "finished");
        match (self.unwritten.is_empty(), self.is_interrupted(), finished) {
            (false, ..) => Status::Unwritten,
            (true, true, _) => Status::Stopped,
            (true, false, true) => Status::Held,
            (true, false, false) => Status::NotHeld,
        }
    }

    /// Whether it was interrupted: there are the rows done so far.
    pub fn is_interrupted(&self) -> bool {
        self.status == "interrupted"
    }

    /// Files that could not be written.
    pub fn failures(&self) -> impl Iterator<Item = &Failure> {
        self.unwritten.iter()
    }

    /// As people read it; the seconds are others every time.
    pub fn text(&self, coloured: bool, seconds: bool) -> String {
        text::render(self, coloured, seconds)
    }
}

/// Failures that are those of a formulation, not of the model.
const OF_THE_FORMULATION: [&str; 7] =
    ["not-holonomic", "singular-lagrangian", "singular-form", "not-canonical", "does-not-fit", "derive", "compile"];

/// The model in every formulation that fits, with methods that do.
fn pose_all(
    request: &Request,
    model: &Loaded,
    skipped: &mut Vec<Skipped>,
    session: &mut Session<'_>,
) -> Result<Vec<Posed>, Failure> {
    let mut list: Vec<Posed> = vec![];
    for &formulation in &request.formulations {
        if model.limits.cancel.is_set() {
            return Ok(list);
        }
        if let (Formulation::LocalChart { .. }, Some(reason)) = (formulation, size::chart_too_large(&model.system)) {
            skip(skipped, formulation, None, None, reason);
            continue;
        }
        let problem = match posed(model, formulation, request.repairs) {
            Ok(problem) => problem,
            // Where others have values, those of this one are its own affair.
            Err(Failure::Refused { code, message, .. })
                if OF_THE_FORMULATION.contains(&code) || code == "no-value" && !list.is_empty() =>
            {
                // What the model and the formulation are called is said already.
                let reason = message
                    .rsplit_once("` does not fit this model: ")
                    .map_or(message.clone(), |(_, why)| why.to_owned());
                skip(skipped, formulation, None, None, reason);
                continue;
            }
            Err(other) => return Err(other),
        };
        if list.is_empty() {
            remark(&problem, request.repairs, session);
        }
        let methods = methods(request, formulation, &problem, skipped)?;
        let free = !problem.equations.motion.is_constrained();
        if !methods.is_empty() {
            list.push(Posed { problem, methods });
        }
        if free && !request.named && !list.is_empty() {
            session.note("there are no constraints: all formulations are the same, and one is shown");
            break;
        }
    }
    if !request.charts.is_empty() && !list.iter().any(|p| p.problem.equations.motion.chart.is_some()) {
        let message = "--chart is for the formulation local-chart with constraints, which is not compared here";
        return Err(Failure::new("no-charts", message).help("leave out --chart, or compare that formulation"));
    }
    Ok(list)
}

/// The methods that fit, with every projection that does.
fn methods(
    request: &Request,
    formulation: Formulation,
    problem: &Instance,
    skipped: &mut Vec<Skipped>,
) -> Result<Vec<Prepared>, Failure> {
    let mut found = vec![];
    let charts = if problem.equations.motion.chart.is_some() { request.charts.clone() } else { vec![] };
    let suited;
    let methods = match &request.methods {
        Some(methods) => methods,
        None => {
            suited = suited_to(request, formulation, problem, skipped);
            &suited
        }
    };
    for &method in methods {
        if let Some(reason) = size::too_large(method, problem) {
            skip(skipped, formulation, Some(method), None, reason);
            continue;
        }
        for &projection in &request.projections {
            let choice = Selection { method, composition: None, formulation, projection, charts: charts.clone() };
            match fits(&choice, problem) {
                Ok(prepared) if charts.is_empty() => found.push(prepared),
                // What is wrong with charts is so with every method.
                Ok(_) => found.push(prepare(&choice, problem)?),
                Err(reason) => skip(skipped, formulation, Some(method), projection, reason),
            }
        }
    }
    Ok(found)
}

/// The first of the methods that suit one formulation or another that fits this one and its size.
fn suited_to(
    request: &Request,
    formulation: Formulation,
    problem: &Instance,
    skipped: &mut Vec<Skipped>,
) -> Vec<Method> {
    for &method in &request.suited {
        match size::too_large(method, problem) {
            Some(reason) => skip(skipped, formulation, Some(method), None, reason),
            None if problem.prepare(method).is_ok() => return vec![method],
            None => {}
        }
    }
    vec![]
}

/// One reason is said once, whatever it is the reason for.
fn skip(
    skipped: &mut Vec<Skipped>,
    formulation: Formulation,
    method: Option<Method>,
    projection: Option<Projection>,
    reason: String,
) {
    let (method, project) = (method.map(Method::name), projection.map(|p| p.target.name()));
    let same = |s: &&mut Skipped| s.method == method && s.project == project && s.reason == reason;
    match skipped.iter_mut().find(same) {
        Some(known) => known.formulations.push(formulation.name()),
        None => skipped.push(Skipped { formulations: vec![formulation.name()], method, project, reason }),
    }
}

/// Runs everything, until an interrupt.
fn report(
    request: &Request,
    model: &Loaded,
    list: &[Posed],
    skipped: Vec<Skipped>,
    session: &mut Session<'_>,
) -> Report {
    let limits = &model.limits;
    let first = list.first();
    let mut path = None;
    let phase = |session: &mut Session<'_>, what: &str| {
        session.progress(Progress { what, done: 0, total: 0, time: 0.0 });
    };
    let mut stability = |posed: &Posed| {
        if let Some(known) = Stability::without_path(&posed.problem) {
            return known;
        }
        let path = path.get_or_insert_with(|| {
            phase(session, "the motion to follow");
            Path::new(&list[0].problem, request.until, limits)
        });
        if limits.cancel.is_set() {
            return Err(StabilityError::NoPath { reason: "interrupted".into() });
        }
        phase(session, &format!("what errors do in {}", posed.problem.equations.motion.formulation.name()));
        match path {
            Ok(path) => Stability::along(&posed.problem, path),
            Err(error) => Err(error.clone()),
        }
    };
    let stabilities: Vec<_> = list.iter().map(&mut stability).collect();
    let formulated = |(posed, stability): (&Posed, &Result<Stability, StabilityError>)| {
        let formulation = posed.problem.equations.motion.formulation;
        Formulated { name: formulation.name(), summary: formulation.summary(), stability: Stable::new(stability) }
    };
    let formulations = list.iter().zip(&stabilities).map(formulated).collect();
    phase(session, "the exact motion");
    let exact = match first {
        Some(posed) => Exact::new(&posed.problem, &sample_times(&request.schedules), limits),
        None => Err("nothing was run".into()),
    };
    let total = request.schedules.len() * list.iter().map(|p| p.methods.len()).sum::<usize>();
    let mut rows = vec![];
    for (Posed { problem, methods }, stability) in list.iter().zip(&stabilities) {
        let amplification = stability.as_ref().map_or(1.0, |s| s.amplification(request.until));
        for prepared in methods {
            for schedule in &request.schedules {
                if limits.cancel.is_set() {
                    break;
                }
                let what = format!(
                    "{} of {total}: {}, {}, step {}",
                    rows.len() + 1,
                    problem.equations.motion.formulation.name(),
                    prepared.method().name(),
                    number(schedule.step)
                );
                let mut progress = |p: cotangent_observe::Progress| {
                    session.progress(Progress { what: &what, done: p.done, total: p.total, time: p.time });
                };
                let measured = Combination { problem, prepared, amplification };
                let measured = measure(&measured, *schedule, exact.as_ref().ok(), limits, &mut progress);
                session.keep();
                rows.push(row(problem, prepared, schedule.step, measured));
            }
        }
    }
    Report {
        model: model.system.name.clone(),
        title: model.system.title.clone(),
        status: if limits.cancel.is_set() { "interrupted" } else { "finished" },
        until: request.until,
        steps: request.schedules.iter().map(|s| s.step).collect(),
        reference: Reference::new(&exact, request.until),
        formulations,
        rows,
        skipped,
        plot: None,
        report: None,
        notes: vec![],
        unwritten: vec![],
    }
}

fn row(problem: &Instance, prepared: &Prepared, step: f64, measured: Result<Measured, CompileError>) -> Row {
    let blame = Blame::new(&problem.equations.motion);
    let why = |ended: &Ended| match ended {
        Ended::Failed(failure) => Some(blame.of(failure).reason),
        Ended::Undefined(reason) => Some(reason.clone()),
        Ended::Finished | Ended::Interrupted => None,
    };
    match measured {
        Ok(measured) => Row::new(problem, prepared, step, measured, why),
        Err(error) => Row::unmade(problem, prepared, step, error.to_string()),
    }
}

/// `3 rows` and `2 formulations`, for headings.
fn counted(report: &Report) -> String {
    let rows = count(report.rows.len(), "combination", "combinations");
    let formulations = count(report.formulations.len(), "formulation", "formulations");
    format!("{rows} in {formulations}, to t = {}", number(report.until))
}
