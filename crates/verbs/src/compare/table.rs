//! A comparison as a table for other programs: comma-separated values after RFC 4180, a line for each combination.

use super::report::{Document, Row, Size};
use crate::ending::Ending;
use crate::failure::{Code, Failure};
use crate::reason::Reason;
use cotangent_destination::{check, replace};
use std::path::Path;

/// The names of the columns.
const COLUMNS: [&str; 27] = [
    "formulation",
    "method",
    "stages",
    "composition",
    "projection",
    "step",
    "status",
    "steps",
    "time",
    "error",
    "error_time",
    "error_exponent",
    "error_uncertainty",
    "energy_error",
    "energy_exponent",
    "energy_uncertainty",
    "residual",
    "residual_exponent",
    "hidden_residual",
    "hidden_residual_exponent",
    "newton_iterations",
    "position_projections",
    "momentum_projections",
    "accepted_steps",
    "rejected_steps",
    "seconds",
    "failure",
];

/// Refuses a file that cannot be written.
pub(super) fn check_destination(path: &Path) -> Result<(), Failure> {
    let ending = path.extension().unwrap_or_default();
    if !ending.eq_ignore_ascii_case("csv") {
        let message =
            format!("cannot write `{}`: the name of the table of a comparison ends in `.csv`", path.display());
        return Err(Failure::new(Code::Unwritable, message));
    }
    check(path).map_err(|e| Failure::new(Code::Unwritable, e.to_string()))
}

/// Writes the rows.
pub(super) fn write(document: &Document, path: &Path) -> Result<(), Reason> {
    replace(path, text(document).as_bytes()).map_err(|e| Reason::new(Code::Unwritable, e.to_string()))
}

/// The rows under their names.
pub(super) fn text(document: &Document) -> String {
    let mut text = COLUMNS.join(",") + "\n";
    for row in &document.rows {
        let cells: Vec<String> = cells(row).into_iter().map(|cell| quoted(&cell)).collect();
        text += &(cells.join(",") + "\n");
    }
    text
}

/// What has no value is empty.
fn cells(row: &Row) -> [String; 27] {
    let word = |word: &Option<String>| word.clone().unwrap_or_default();
    let number = |x: Option<f64>| x.map(|x| format!("{x:?}")).unwrap_or_default();
    let whole = |n: Option<u64>| n.map(|n| n.to_string()).unwrap_or_default();
    let value = |size: &Size| number(size.value);
    let c = &row.choice;
    let status = match row.status {
        Ending::Finished => "finished",
        Ending::Interrupted => "interrupted",
        Ending::Failed => "failed",
    };
    [
        word(&c.formulation),
        word(&c.method),
        whole(c.stages),
        c.composition().unwrap_or_default().to_owned(),
        word(&c.project),
        number(c.step),
        status.to_owned(),
        row.steps.to_string(),
        number(Some(row.time)),
        value(&row.error),
        number(row.error.time),
        number(row.error.exponent),
        number(row.error.uncertainty),
        value(&row.energy),
        number(row.energy.exponent),
        number(row.energy.uncertainty),
        value(&row.constraints),
        number(row.constraints.exponent),
        value(&row.hidden_constraints),
        number(row.hidden_constraints.exponent),
        row.work.newton_iterations.to_string(),
        row.work.position_projections.to_string(),
        row.work.momentum_projections.to_string(),
        whole(row.work.own_steps.map(|[accepted, _]| accepted)),
        whole(row.work.own_steps.map(|[_, rejected]| rejected)),
        number(Some(row.seconds)),
        row.failure.as_ref().map(|stop| stop.message.clone()).unwrap_or_default(),
    ]
}

/// Between quotes where it could be misread.
fn quoted(cell: &str) -> String {
    match cell.contains([',', '"', '\n', '\r']) {
        true => format!("\"{}\"", cell.replace('"', "\"\"")),
        false => cell.to_owned(),
    }
}
