//! `compare`: formulations, methods, steps and projections side by side.

mod figure;
mod page;
mod report;
mod request;
mod size;
mod table;
mod text;

pub use report::{Document, Eigenvalue, Fate, Formulated, Reference, Row, Size, Skipped, Stable, Work};
pub use request::Request;

use crate::choice::Choice;
use crate::ending::Ending;
use crate::failure::{Code, Failure};
use crate::figures::{count, number};
use crate::input::Source;
use crate::loaded::Loaded;
use crate::memory::{Use, afford};
use crate::picture::Destinations;
use crate::reason::Reason;
use crate::session::{Progress, Session, Status};
use crate::setup::{Blame, Selection, caution, examined, explained, fits, posed, prepare, remark};
use crate::stop::Stop;
use cotangent_compile::CompileError;
use cotangent_integrate::{Method, Prepared, Projection};
use cotangent_lab::comparison::{self, Combination, Exact, Measured, Unknown, measure, sample_times};
use cotangent_lab::stability::{Obstacle, Path, Stability, StabilityError};
use cotangent_model::RunKey;
use cotangent_plot::Figure;
use cotangent_problem::{Instance, PoseError, ProblemError};
use cotangent_report::Report;
use cotangent_theory::{Formulation, Shape, TheoryError};
use request::Combinations;

/// A model in one formulation, with the methods that fit.
struct Posed {
    problem: Instance,
    methods: Vec<Prepared>,
}

/// Compares the formulations of a model that fit, each with a method that suits it. What the choice says holds for all;
/// a formulation or a method that it names is the only one. A [`Request`] has lists of them.
pub fn compare(model: impl Into<Source>, choice: &Choice) -> Result<Document, Failure> {
    let request = Request { choice: choice.clone(), ..Request::default() };
    request.answer(model.into(), &mut Session::default())
}

impl Request {
    /// Compares what the lists name, or all that fits.
    pub fn answer(&self, model: Source, session: &mut Session<'_>) -> Result<Document, Failure> {
        let (plot, report) = (self.files.plot.as_deref(), self.files.report.as_deref());
        let table = self.files.table.as_deref();
        let pictures = Destinations::new(plot, report, table, Some(model.name()))?;
        table.map_or(Ok(()), table::check_destination)?;
        let model = Loaded::with_lapse(model, &self.choice.set, self.choice.lapse.as_deref(), session.limits())?
            .keeping(&self.choice.chart);
        afford(&model.system, Use::Integrate, session.memory())?;
        let wanted = Combinations::new(self, &model)?;
        session.review(&model.input, &model.system.warnings);
        if !wanted.ignored.is_empty() {
            session.note(format!("{} of the model is left aside here", wanted.ignored.join(" and ")));
        }
        let almost_poisson = examined(&model, self.choice.allow_almost_poisson, session)?;
        let mut skipped = vec![];
        let list = pose_all(&wanted, &model, &mut skipped, session)?;
        for schedule in wanted.schedules.iter().filter(|s| s.last.is_some()) {
            let (until, step) = (number(wanted.until), number(schedule.step));
            let last = number(schedule.last.unwrap_or_default());
            session.note(format!("t = {until} is no multiple of the step {step}: the last step is {last}"));
        }
        let mut document = measured(&wanted, &model, &list, skipped, session);
        if let Some(time) = document.rows.iter().filter_map(|row| row.singular).min_by(f64::total_cmp) {
            session.note(format!(
                "the motion comes to a singular configuration, or near one, at t = {}, where branches meet: the \
                 error of the state is given up to there, and undecided behind it",
                number(time)
            ));
        }
        if document.equilibrium {
            session.warn(
                "the start is an equilibrium: nothing moves, and errors are those of standing still; give the motion another start \
                 (--set)",
            );
        }
        document.almost_poisson = almost_poisson;
        document.notes = session.notes().to_vec();
        let written = pictures.write(|| document.figure(), || document.page());
        (document.plot, document.report) = (written.plot, written.report);
        document.unwritten = written.failures;
        if let Some(path) = table {
            match table::write(&document, path) {
                Ok(()) => document.out = Some(path.display().to_string()),
                Err(failure) => document.unwritten.push(failure),
            }
        }
        let said: Vec<String> = document.unwritten.iter().map(Reason::to_string).collect();
        document.notes.extend(said);
        Ok(document)
    }
}

impl Document {
    /// Whether there is a run that came to its end.
    pub fn status(&self) -> Status {
        let finished = self.rows.iter().any(|row| row.status == Ending::Finished);
        match (self.unwritten.is_empty(), self.status, finished) {
            (_, Ending::Interrupted, _) => Status::Stopped,
            (false, ..) => Status::Unwritten,
            (true, _, true) => Status::Held,
            (true, _, false) => Status::NotHeld,
        }
    }

    /// Which files could not be written.
    pub fn failures(&self) -> impl Iterator<Item = Failure> {
        self.unwritten.iter().map(Failure::from)
    }

    /// As people read it; with the seconds, which are others every time, if they are wanted.
    pub fn text(&self, coloured: bool, seconds: bool) -> String {
        text::render(self, coloured, seconds)
    }

    /// The errors as a figure: over time, or with several steps over the seconds they take; `None` without rows.
    pub fn figure(&self) -> Option<Figure> {
        (!self.rows.is_empty()).then(|| figure::figure(self))
    }

    /// A report: a page with tables, plots and the equations.
    pub fn page(&self) -> Report {
        page::page(self)
    }
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
    request: &Combinations,
    model: &Loaded,
    skipped: &mut Vec<Skipped>,
    session: &mut Session<'_>,
) -> Result<Vec<Posed>, Failure> {
    let mut list: Vec<Posed> = vec![];
    for &formulation in &request.formulations {
        if model.limits.cancel.is_set() {
            return Ok(list);
        }
        if formulation.card().shape == Shape::Chart
            && let Some(reason) = size::chart_too_large(&model.system)
        {
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
                        if OF_THE_FORMULATION.contains(&code)
                            || code == Code::NoValue && !list.is_empty()
                            || code == Code::Undecided && runs_without_analysis(request, model) =>
                    {
                        skip(skipped, formulation, None, None, Reason::new(code, why.unwrap_or(message)));
                        continue;
                    }
                    other => return Err(other),
                }
            }
        };
        if list.is_empty() {
            remark(&problem, &model.system, request.repairs, session);
        }
        caution(&problem, session);
        let methods = methods(request, formulation, &problem, skipped)?;
        let motion = &problem.equations.motion;
        let free = !motion.is_constrained()
            && motion.formulation != Formulation::IndexOne
            && motion.system.setting(RunKey::Lapse).is_none()
            && motion.system.constraints.is_empty();
        if !methods.is_empty() {
            list.push(Posed { problem, methods });
        }
        if free && !request.named && !list.is_empty() {
            session.note("there are no constraints: all formulations are the same, and one is shown");
            break;
        }
    }
    let uses_chart = |p: &Posed| {
        let motion = &p.problem.equations.motion;
        motion.chart().is_some() || motion.formulation.keeps_some()
    };
    if !request.charts.is_empty() && !list.iter().any(uses_chart) {
        let message = "--chart is for formulations that keep some of the variables of a model with constraints: local-chart, \
            slaved, dirac-coordinates, projected-inverse, projected; none of them is compared here";
        return Err(Failure::new(Code::NoCharts, message).help("leave out --chart, or compare one of them"));
    }
    Ok(list)
}

/// Whether what the analysis leaves undecided is its own affair: the model runs with equations of index one.
fn runs_without_analysis(request: &Combinations, model: &Loaded) -> bool {
    let preferred = model.model.preferred(&model.settings);
    let own = preferred.is_ok_and(|preferred| preferred.formulation == Formulation::IndexOne);
    own && request.formulations.contains(&Formulation::IndexOne)
}

/// The methods that fit, with every projection that does.
fn methods(
    request: &Combinations,
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
            let choice = Selection {
                method,
                // For those methods that have stages to solve for.
                stage_solver: request.stage_solver.filter(|_| method.is_iterated().is_some()),
                composition: request.composition,
                formulation,
                projection,
                charts: charts.clone(),
            };
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
    request: &Combinations,
    formulation: Formulation,
    problem: &Instance,
    skipped: &mut Vec<Skipped>,
) -> Vec<Method> {
    // Without constraints on positions RATTLE is a method of second order like others.
    let motion = &problem.equations.motion;
    let free = formulation == Formulation::IndexOne && !motion.is_holonomic();
    for &method in request.suited.iter().filter(|m| !(free && **m == Method::Rattle)) {
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
    reason: Reason,
) {
    let method = method.map(|m| m.name().to_owned());
    let project = projection.map(|p| p.target.name().to_owned());
    let same = |s: &&mut Skipped| s.method == method && s.project == project && s.reason == reason;
    match skipped.iter_mut().find(same) {
        Some(known) => known.formulations.push(formulation.name().to_owned()),
        None => skipped.push(Skipped { formulations: vec![formulation.name().to_owned()], method, project, reason }),
    }
}

/// Runs everything, until an interrupt.
fn measured(
    request: &Combinations,
    model: &Loaded,
    list: &[Posed],
    skipped: Vec<Skipped>,
    session: &mut Session<'_>,
) -> Document {
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
            return Err(StabilityError::NoPath(Obstacle::Interrupted));
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
        let (name, summary) = (formulation.name().to_owned(), formulation.card().summary.to_owned());
        Formulated { name, summary, stability: Stable::new(stability) }
    };
    let formulations = list.iter().zip(&stabilities).map(formulated).collect();
    phase(session, "the exact motion");
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
    Document {
        model: model.system.name.clone(),
        title: model.system.title.clone(),
        choice: request.common.clone(),
        status: if limits.cancel.is_set() { Ending::Interrupted } else { Ending::Finished },
        until: request.until,
        steps: request.schedules.iter().map(|s| s.step).collect(),
        reference: Reference::new(&exact, request.until),
        equilibrium: exact.as_ref().is_ok_and(Exact::rests),
        formulations,
        rows,
        skipped,
        out: None,
        plot: None,
        report: None,
        almost_poisson: None,
        warnings: session.warnings().to_vec(),
        notes: vec![],
        input: model.input.clone(),
        unwritten: vec![],
    }
}

fn row(problem: &Instance, prepared: &Prepared, step: f64, measured: Result<Measured, CompileError>) -> Row {
    let blame = Blame::new(&problem.equations.motion);
    let why = |m: &Measured| match &m.ended {
        comparison::Ended::Failed(failure) => Some(Stop::because(blame.of(failure), m.time, m.steps)),
        comparison::Ended::Undefined(error) => Some(Stop::undefined(error.into(), error.to_string(), m.time, m.steps)),
        comparison::Ended::Finished | comparison::Ended::Interrupted => None,
    };
    match measured {
        Ok(measured) => Row::new(problem, prepared, step, measured, why),
        Err(error) => Row::unmade(problem, prepared, step, error),
    }
}

/// `3 rows` and `2 formulations`, for headings.
fn counted(report: &Document) -> String {
    let rows = count(report.rows.len(), "combination", "combinations");
    let formulations = count(report.formulations.len(), "formulation", "formulations");
    format!("{rows} in {formulations}, to t = {}", number(report.until))
}
