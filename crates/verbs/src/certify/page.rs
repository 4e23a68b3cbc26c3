//! A certificate as a report, and the run for constraints and energy as pictures.

use super::report::{Document, Verdict};
use super::text::{headline, rows};
use crate::failure::Code;
use crate::figures::{count, number};
use crate::picture::{Film, Page, Watch, watch};
use crate::reason::Reason;
use cotangent_integrate::Prepared;
use cotangent_lab::Run;
use cotangent_lab::certificate::Options;
use cotangent_observe::{End, Schedule};
use cotangent_problem::Instance;
use cotangent_report::{Align, Cell, Status, Table, Text};
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
    watch(&mut run, problem, Watch::Drawn).map_err(compile)?;
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
    Ok(Film::new(&mut run, problem, title, 0))
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
