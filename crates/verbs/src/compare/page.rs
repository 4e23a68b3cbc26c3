//! A comparison as a report.

use super::report::{Document, Row, Stable};
use super::text::{cells, explained, headings, left_out};
use super::{counted, figure};
use crate::explain::formulation_text;
use crate::figures::short;
use crate::picture::{formulas, sources};
use cotangent_report::{Align, Cell, Plot, Report, Scale, Series, Table, Text};
use cotangent_theory::Formulation;

/// The report of a comparison.
pub(super) fn page(compared: &Document) -> Report {
    let heading = compared.title.as_ref().map_or(String::new(), |t| format!(": {t}"));
    let mut report = Report::new(format!("Comparison: {}{heading}", compared.model))
        .subtitle(counted(compared))
        .with(rows(compared));
    let failed = |row: &Row| {
        let why = &row.failure.as_ref()?.message;
        Some(format!("{}, {}: failed at t = {}: {why}", row.formulation(), row.described(), short(row.time)))
    };
    let failed = compared.rows.iter().filter_map(failed);
    let remarks = failed.chain(compared.skipped.iter().map(left_out)).chain(compared.notes.iter().cloned());
    let remarks: String = remarks.map(|line| format!("- {line}\n")).collect();
    if !remarks.is_empty() {
        report = report.with(Text::new("Remarks", remarks));
    }
    report = report.with(stability(compared));
    for plot in plots(compared) {
        report = report.with(plot);
    }
    for formulation in compared.formulations.iter().filter_map(|f| Formulation::named(&f.name)) {
        let text = formulation_text(formulation);
        let introduction = format!("{}.", text.summary);
        let (formulas, mut body) = formulas(&format!("Formulation {}", text.name), &introduction, text.equations);
        body += &format!("\n{}\n\n{}\n\nIntegrals: {}.\n", text.symbols, text.derivation, text.integrals);
        report = report.with(formulas).with(Text::new("", body));
    }
    sources(report, &compared.input)
}

fn rows(compared: &Document) -> Table {
    let mut table = Table::new("Combinations", explained(compared)).column("formulation", Align::Left);
    for (k, name) in headings(compared, true).into_iter().enumerate() {
        table = table.column(name, if k == 0 { Align::Left } else { Align::Right });
    }
    table = table.column("end", Align::Left);
    for row in &compared.rows {
        let mut list: Vec<Cell> = vec![row.formulation().into()];
        list.extend(cells(compared, row, true).iter().map(|cell| Cell::from(unbroken(cell))));
        list.push(unbroken(&format!("{} at t = {}", row.status, short(row.time))).into());
        table = table.row(list);
    }
    table
}

/// Numbers are not broken into lines at the sign of an exponent.
fn unbroken(cell: &str) -> String {
    cell.replace('-', "\u{2011}").replace(' ', "\u{a0}")
}

fn stability(compared: &Document) -> Table {
    let caption = "What happens to small errors of the constraints: frozen eigenvalues of the linearised residual \
        equations along the motion, and the growth of their fundamental matrix.";
    let mut table = Table::new("Stability of the constraint manifold", caption)
        .column("formulation", Align::Left)
        .column("verdict", Align::Left)
        .column("exponent", Align::Right)
        .column("largest real part", Align::Right)
        .column("largest frequency", Align::Right)
        .column("followed until", Align::Right);
    let number = |x: Option<f64>| x.map_or("-".to_owned(), short);
    for formulation in &compared.formulations {
        let Stable { meaning, exponent, eigenvalue, frequency, until, .. } = &formulation.stability;
        let real = eigenvalue.as_ref().map(|e| e.real);
        let cells = [formulation.name.clone(), meaning.clone(), number(*exponent), number(real), number(*frequency)];
        table = table.row(cells.into_iter().chain([number(*until)]).map(Cell::from));
    }
    table
}

fn plots(compared: &Document) -> Vec<Plot> {
    let mut list = vec![];
    if compared.steps.len() > 1 {
        let description = "Error at the end against the seconds of integration, a point for each step.";
        let mut plot = Plot::new("Work and precision", "seconds", "error at the end").describe(description);
        (plot.x_scale, plot.y_scale) = (Scale::Log, Scale::Log);
        for (name, x, y) in figure::work_precision(compared) {
            plot = plot.with(Series::marked(name, x, y));
        }
        list.push(plot);
        return list;
    }
    for ([title, label], curves) in figure::over_time(compared) {
        let description = "Samples are the largest since the one before, but for the error of the state.";
        let mut plot = Plot::new(title, "time", label).y_scale(Scale::Log).describe(description);
        for (name, x, y) in curves {
            plot = plot.with(Series::line(name, x, y));
        }
        list.push(plot);
    }
    list
}
