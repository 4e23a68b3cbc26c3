//! A certificate as a report, and the run for constraints and energy as pictures.

use super::report::{Document, Verdict};
use super::text::{headline, rows};
use crate::failure::Code;
use crate::figures::{count, number, short};
use crate::picture::{Film, Page, Watch, watch};
use crate::reason::Reason;
use cotangent_integrate::Prepared;
use cotangent_lab::Run;
use cotangent_lab::certificate::Options;
use cotangent_observe::{End, Schedule};
use cotangent_plot::{Axis, Panel, Series, Style};
use cotangent_problem::Instance;
use cotangent_report::{self as report, Align, Cell, Plot, Scale, Status, Table, Text};
use cotangent_scalar::Limits;

/// The run that measures constraints and energy, made once more to be watched: the same steps give
/// the same numbers.
pub(super) fn film(
    report: &Document,
    problem: &Instance,
    prepared: &Prepared,
    options: Options,
    limits: &Limits,
) -> Result<Option<Film>, Reason> {
    let compile = |e: cotangent_compile::CompileError| Reason::new(Code::Compile, e.to_string());
    let evaluate = |e: cotangent_observe::RunError| Reason::new((&e).into(), e.to_string());
    let diagnostics = problem.diagnostics().map_err(compile)?;
    let integrator = problem.integrator(prepared).map_err(compile)?;
    let schedule = Schedule::count(options.step, options.steps, options.steps)
        .map_err(|e| Reason::new(Code::Schedule, e.to_string()))?;
    let mut run = Run::new(integrator, diagnostics, schedule, problem.start.clone()).map_err(evaluate)?;
    watch(&mut run, problem, Watch::Drawn, &[]).map_err(compile)?;
    let end = run.go(limits, &mut []);
    if let Ok(End::Interrupted | End::Stopped) = end {
        let message = "no pictures: interrupted in the run that is drawn; the certificate is complete";
        return Err(Reason::new(Code::Interrupted, message));
    }
    let [method, rest] = headline(report);
    let done = count(run.done(), "step", "steps");
    let ended = match end {
        Ok(End::Finished) => format!("{done} to t = {}", number(run.time())),
        _ => format!("ended after {done}, t = {}", number(run.time())),
    };
    let title = format!("{method} {rest}: {ended}").replace('`', "");
    Ok(Film::new(&mut run, problem, title, 0, &[]))
}

/// What the convergence is measured on.
const ERRORS: &str = "error after 16 steps of the largest size";

/// Errors over steps, with the slope that is claimed.
pub(super) fn convergence(report: &Document) -> Option<Panel> {
    let found = report.convergence.as_ref()?;
    let series = |used: bool, name: &str| {
        let points = found.points.iter().zip(&found.used).filter(|(_, u)| **u == used).map(|(p, _)| *p);
        let (x, y) = points.map(|[h, error]| (h, error)).unzip();
        Series::points(name, x, y).styled(Style { colour: Some(if used { 0 } else { 1 }), ..Style::default() })
    };
    let (steps, errors) = fitted(report)?;
    let line = Series::line(format!("order {}", short(found.order)), steps, errors);
    let mut list = vec![line.styled(Style { colour: Some(0), ..Style::default() }), series(true, "measured")];
    if found.used.contains(&false) {
        list.push(series(false, "left out"));
    }
    let panel = Panel::new(Axis::log("step h"), Axis::log(ERRORS), list);
    Some(panel.titled(format!("Convergence, order {} claimed", report.order.claimed)))
}

/// The ends of the line through the errors that count.
fn fitted(report: &Document) -> Option<(Vec<f64>, Vec<f64>)> {
    let found = report.convergence.as_ref()?;
    let used: Vec<[f64; 2]> = found.points.iter().zip(&found.used).filter(|(_, u)| **u).map(|(p, _)| *p).collect();
    let count = used.len().max(1) as f64;
    let middle = used.iter().fold([0.0, 0.0], |[a, b], [h, e]| [a + h.ln() / count, b + e.ln() / count]);
    let steps = || found.points.iter().map(|[h, _]| *h);
    let (low, high) = (steps().fold(f64::INFINITY, f64::min), steps().fold(0.0, f64::max));
    let at = |h: f64| (middle[1] + found.order * (h.ln() - middle[0])).exp();
    (!used.is_empty() && low < high).then(|| (vec![low, high], vec![at(low), at(high)]))
}

fn plots(report: &Document) -> Vec<Plot> {
    let (Some(found), Some((steps, errors))) = (&report.convergence, fitted(report)) else { return vec![] };
    let (x, y) = found.points.iter().map(|[h, error]| (*h, *error)).unzip();
    let plot = Plot::new("Convergence", "step", ERRORS).x_scale(Scale::Log).y_scale(Scale::Log);
    let about = "The method in double-double arithmetic against a solution by another family of methods.";
    vec![plot.describe(about).with(report::Series::points("measured", x, y)).with(report::Series::line(
        format!("order {}", short(found.order)),
        steps,
        errors,
    ))]
}

/// The certificate as a page.
pub(super) fn page(report: &Document) -> Page<'_> {
    let [method, rest] = headline(report).map(|part| part.replace('`', ""));
    let verdict = match report.held {
        Some(true) => "Certified: what is claimed holds.",
        Some(false) => "Not certified: something claimed does not hold at this step on this model.",
        None => "Not certified: something claimed is not decided, or the run ended early.",
    };
    let remarks: String = report.notes.iter().map(|note| format!("- {note}\n")).collect();
    Page {
        title: format!("Certificate: {method} on {}", report.model),
        subtitle: format!("{method} {rest}"),
        result: Text::new("Verdict", format!("{verdict}\n\n{remarks}")),
        tables: vec![table(report)],
        plots: plots(report),
        choice: &report.choice,
        background: &report.background,
    }
}

fn table(report: &Document) -> Table {
    let mut table = Table::new("Certificate", "What the method claims, and what was measured on this model.")
        .column("property", Align::Left)
        .column("claimed", Align::Right)
        .column("measured", Align::Right)
        .column("verdict", Align::Left);
    for row in rows(report) {
        let [property, claimed, measured, verdict] = row.cells;
        let remark = |extra: &str| if row.claimed { String::new() } else { extra.to_owned() };
        let verdict = match (row.held, row.claimed) {
            (Some(true), _) => Cell::Status(Status::Held, remark("incidental: not claimed")),
            (Some(false), true) => Status::Broken.into(),
            (None, _) if row.verdict == Verdict::Undecided => {
                Cell::Status(Status::Undecided, row.reason.map_or(String::new(), |r| r.message))
            }
            _ => verdict.into(),
        };
        table = table.row([property.into(), claimed.into(), measured.into(), verdict]);
    }
    table
}
