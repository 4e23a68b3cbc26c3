//! `cotangent compare`: formulations, methods, steps and projections side by side.

mod figure;
mod page;
mod progress;
mod report;
mod request;
mod size;
mod text;

use super::args;
use super::ending::Ending;
use super::failure::{Code, Failure};
use super::figures::{count, number};
use super::input::Input;
use super::loaded::Loaded;
use super::memory::{self, Use};
use super::output::{Output, Status};
use super::patience::Kept;
use super::picture::Destinations;
use super::setup::{Blame, Choice, explained, fits, posed, prepare, remark};
use cotangent::compile::CompileError;
use cotangent::integrate::{Method, Prepared, Projection};
use cotangent::lab::comparison::{Combination, Ended, Exact, Measured, Unknown, measure, sample_times};
use cotangent::lab::stability::{Obstacle, Path, Stability, StabilityError};
use cotangent::observe::Progress;
use cotangent::problem::{Instance, PoseError, ProblemError};
use cotangent::scalar::Limits;
use cotangent::theory::{Formulation, TheoryError};
use progress::Line;
use report::{Formulated, Reference, Report, Row, Skipped, Stable};
use request::Request;

/// A model in one formulation, with the methods that fit.
pub(super) struct Posed {
    pub(super) problem: Instance,
    pub(super) methods: Vec<Prepared>,
}

/// Compares.
pub(crate) fn run(args: &args::Compare, out: &mut Output) -> Result<Status, Failure> {
    let pictures = Destinations::new(args.plot.as_deref(), args.report.as_deref(), None, Some(&args.model))?;
    let model = Loaded::new(Input::read(&args.model)?, &args.set, out.limits())?;
    memory::afford(&model.system, Use::Integrate, memory::available())?;
    let request = Request::new(args, &model)?;
    out.tell(&model.warnings(out.message_colour()));
    if !request.ignored.is_empty() {
        out.note(format!("{} of the model is left aside here", request.ignored.join(" and ")));
    }
    let limits = out.limits();
    let kept = out.kept().clone();
    let mut skipped = vec![];
    let list = pose_all(&request, &model, &mut skipped, &limits, out)?;
    for schedule in request.schedules.iter().filter(|s| s.last.is_some()) {
        let (until, step) = (number(request.until), number(schedule.step));
        let last = number(schedule.last.unwrap_or_default());
        out.note(format!("t = {until} is no multiple of the step {step}: the last step is {last}"));
    }
    let line = Line::new(out.wants_json());
    let mut report = report(&request, &model, &list, skipped, &limits, &kept, &line);
    drop(line);
    if let Some(time) = report.rows.iter().filter_map(|row| row.singular).min_by(f64::total_cmp) {
        out.note(format!(
            "the motion comes to a singular configuration, or near one, at t = {}, where branches meet: the \
             error of the state is given up to there, and undecided behind it",
            number(time)
        ));
    }
    report.notes = out.notes().to_vec();
    let page = || page::page(&report, &list, &model.input);
    let drawn = pictures.any().then_some(|| figure::figure(&report));
    let written = pictures.write_drawn(drawn.filter(|_| !report.rows.is_empty()), page);
    (report.plot, report.report) = (written.plot, written.report);
    report.notes.extend(written.failures.iter().map(Failure::message));
    match out.wants_json() {
        true => out.document(&report)?,
        false => {
            out.print(&text::render(&report, out.coloured(), out.on_terminal()));
            written.failures.iter().for_each(|failure| out.tell(&failure.render(out.message_colour())));
            if report.status == Ending::Interrupted {
                out.tell("interrupted: these are the rows done so far\n");
            }
        }
    }
    let finished = report.rows.iter().any(|row| row.status == Ending::Finished);
    Ok(match (written.failures.is_empty(), report.status, finished) {
        (false, ..) => Status::Error,
        (true, Ending::Interrupted, _) => Status::Stopped,
        (true, _, true) => Status::Held,
        (true, _, false) => Status::Failed,
    })
}

/// Failures that are those of a formulation, not of the model.
const OF_THE_FORMULATION: [Code; 7] = [
    Code::NotHolonomic,
    Code::SingularLagrangian,
    Code::SingularForm,
    Code::NotCanonical,
    Code::DoesNotFit,
    Code::Derive,
    Code::Compile,
];

/// The model in every formulation that fits, with methods that do.
fn pose_all(
    request: &Request,
    model: &Loaded,
    skipped: &mut Vec<Skipped>,
    limits: &Limits,
    out: &mut Output,
) -> Result<Vec<Posed>, Failure> {
    let mut list: Vec<Posed> = vec![];
    for &formulation in &request.formulations {
        if limits.cancel.is_set() {
            return Ok(list);
        }
        if let (Formulation::LocalChart { .. }, Some(reason)) = (formulation, size::chart_too_large(&model.system)) {
            skip(skipped, formulation, None, None, reason);
            continue;
        }
        let problem = match posed(model, formulation, request.repairs) {
            Ok(problem) => problem,
            Err(error) => {
                // What the model and the formulation are called is said already.
                let why = match &error {
                    PoseError::Problem(ProblemError::Theory(TheoryError::Unfit { why, .. })) => Some((*why).to_owned()),
                    _ => None,
                };
                match explained(error, model, request.repairs) {
                    // Where others have values, those of this one are its own affair.
                    Failure::Refused { code, message, .. }
                        if OF_THE_FORMULATION.contains(&code) || code == Code::NoValue && !list.is_empty() =>
                    {
                        skip(skipped, formulation, None, None, why.unwrap_or(message));
                        continue;
                    }
                    other => return Err(other),
                }
            }
        };
        if list.is_empty() {
            remark(&problem, request.repairs, out);
        }
        let methods = methods(request, formulation, &problem, skipped)?;
        let free = !problem.equations.motion.is_constrained();
        if !methods.is_empty() {
            list.push(Posed { problem, methods });
        }
        if free && !request.named && !list.is_empty() {
            out.note("there are no constraints: all formulations are the same, and one is shown");
            break;
        }
    }
    if !request.charts.is_empty() && !list.iter().any(|p| p.problem.equations.motion.chart().is_some()) {
        let message = "--chart is for the formulation local-chart with constraints, which is not compared here";
        return Err(Failure::new(Code::NoCharts, message).help("leave out --chart, or compare that formulation"));
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
    let charts = if problem.equations.motion.chart().is_some() { request.charts.clone() } else { vec![] };
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
            let choice = Choice { method, composition: None, formulation, projection, charts: charts.clone() };
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
    limits: &Limits,
    kept: &Kept,
    line: &Line,
) -> Report {
    let first = list.first();
    let mut path = None;
    let mut stability = |posed: &Posed| {
        if let Some(known) = Stability::without_path(&posed.problem) {
            return known;
        }
        let path = path.get_or_insert_with(|| {
            line.show(|| "the motion to follow".to_owned());
            Path::new(&list[0].problem, request.until, limits)
        });
        if limits.cancel.is_set() {
            return Err(StabilityError::NoPath(Obstacle::Interrupted));
        }
        line.show(|| format!("what errors do in {}", posed.problem.equations.motion.formulation.name()));
        match path {
            Ok(path) => Stability::along(&posed.problem, path),
            Err(error) => Err(error.clone()),
        }
    };
    let stabilities: Vec<_> = list.iter().map(&mut stability).collect();
    let formulated = |(posed, stability): (&Posed, &Result<Stability, StabilityError>)| {
        let formulation = posed.problem.equations.motion.formulation;
        Formulated { name: formulation.name(), summary: formulation.card().summary, stability: Stable::new(stability) }
    };
    let formulations = list.iter().zip(&stabilities).map(formulated).collect();
    line.show(|| "the exact motion".to_owned());
    let exact = match first {
        Some(posed) => Exact::new(&posed.problem, &sample_times(&request.schedules), limits),
        None => Err(Unknown::NothingRun),
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
                let mut progress = |p: Progress| line.show(|| format!("{what}, t = {}", number(p.time)));
                let measured = Combination { problem, prepared, amplification };
                let measured = measure(&measured, *schedule, exact.as_ref().ok(), limits, &mut progress);
                kept.set();
                rows.push(row(problem, prepared, schedule.step, measured));
            }
        }
    }
    Report {
        model: model.system.name.clone(),
        title: model.system.title.clone(),
        status: if limits.cancel.is_set() { Ending::Interrupted } else { Ending::Finished },
        until: request.until,
        steps: request.schedules.iter().map(|s| s.step).collect(),
        reference: Reference::new(&exact, request.until),
        formulations,
        rows,
        skipped,
        plot: None,
        report: None,
        notes: vec![],
    }
}

fn row(problem: &Instance, prepared: &Prepared, step: f64, measured: Result<Measured, CompileError>) -> Row {
    let blame = Blame::new(&problem.equations.motion);
    let why = |ended: &Ended| match ended {
        Ended::Failed(failure) => Some(blame.of(failure).message),
        Ended::Undefined(error) => Some(error.to_string()),
        Ended::Finished | Ended::Interrupted => None,
    };
    match measured {
        Ok(measured) => Row::new(problem, prepared, step, measured, why),
        Err(error) => Row::unmade(problem, prepared, step, error),
    }
}

/// `3 rows` and `2 formulations`, for headings.
fn counted(report: &Report) -> String {
    let rows = count(report.rows.len(), "combination", "combinations");
    let formulations = count(report.formulations.len(), "formulation", "formulations");
    format!("{rows} in {formulations}, to t = {}", number(report.until))
}
