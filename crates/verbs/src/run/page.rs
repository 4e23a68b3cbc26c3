//! A run as a report.

use super::summary::Document;
use super::text::{self, headline, rows};
use crate::ending::Ending;
use crate::figures::short;
use crate::picture::Page;
use cotangent_report::{Align, Cell, Table, Text};

/// What the pictures of a run are of.
pub(super) fn title(summary: &Document) -> String {
    format!("{}: {}", summary.model, plain(&headline(summary)))
}

/// A line without the marks of code.
fn plain(line: &str) -> String {
    line.replace('`', "")
}

/// The report of a run.
pub(super) fn page(summary: &Document) -> Page<'_> {
    let background = &summary.background;
    let mut body = String::new();
    if let Some(stop) = &summary.failure {
        body += &format!("The run ended early: {}.\n\n{}\n\n", stop.message, stop.advice);
    }
    if summary.status == Ending::Interrupted {
        body += "The run was interrupted; what it had come to is shown.\n\n";
    }
    for note in background.remarks.iter().chain(background.film().iter().flat_map(|f| &f.remarks)) {
        body += &format!("- {note}\n");
    }
    let heading = summary.title.as_ref().map_or(String::new(), |t| format!(": {t}"));
    Page {
        title: format!("{}{heading}", summary.model),
        subtitle: plain(&headline(summary)),
        result: Text::new("Remarks", body),
        tables: vec![kept(summary), last(summary), work(summary)],
        plots: vec![],
        choice: &summary.choice,
        background,
    }
}

/// The table of the text output.
fn kept(summary: &Document) -> Table {
    let mut rows = rows(summary).into_iter();
    let largest = rows.next().map_or(String::new(), |[.., largest]| largest);
    let mut table = Table::new("What was kept", "Of a family the member with the largest error is shown.")
        .column("quantity", Align::Left)
        .column("kind", Align::Left)
        .column("initial", Align::Right)
        .column("final", Align::Right)
        .column(largest, Align::Right);
    for [kind, name, initial, last, largest] in rows {
        table = table.row([name, kind, initial, last, largest].map(Cell::from));
    }
    table
}

/// The final state; of a family the first members and the last.
fn last(summary: &Document) -> Table {
    let mut table = Table::new("Final state", "").column("variable", Align::Left).column("value", Align::Right);
    for (name, value) in text::last(&summary.state) {
        table = table.row([name.into(), value.into()]);
    }
    table
}

fn work(summary: &Document) -> Table {
    let mut table = Table::new("Work", "").column("measure", Align::Left).column("value", Align::Right);
    let w = &summary.work;
    let mut rows = vec![
        ("steps", summary.steps.to_string()),
        ("Newton iterations", w.newton_iterations.to_string()),
        ("seconds of integration and measurement", short(summary.seconds)),
    ];
    if let Some(iterations) = w.fixed_point_iterations {
        rows.push(("fixed-point iterations", iterations.to_string()));
    }
    if summary.choice.project.is_some() && summary.is_projected_at_once() {
        rows.push(("projections", w.projections.to_string()));
    } else if summary.choice.project.is_some() {
        rows.push(("projections of positions", w.position_projections.to_string()));
        rows.push(("projections of momenta", w.momentum_projections.to_string()));
    }
    if let Some(changes) = w.chart_changes {
        rows.push(("changes of chart", changes.to_string()));
    }
    for (name, value) in rows {
        table = table.row([name.into(), value.into()]);
    }
    table
}
