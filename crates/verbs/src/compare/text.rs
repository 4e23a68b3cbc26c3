//! A comparison as people read it.

use super::counted;
use super::report::{Document, Row, Size, Skipped};
use crate::ending::Ending;
use crate::figures::{number, rounded, short, wrapped};
use crate::stop::Stop;
use anstyle::{AnsiColor, Style};
use std::fmt::Write as _;

/// Draws the comparison; seconds, which are others every time, only for a person.
pub(super) fn render(report: &Document, coloured: bool, seconds: bool) -> String {
    let paint = |style: Style, text: &str| match coloured {
        true => format!("{style}{text}{style:#}"),
        false => text.to_owned(),
    };
    let mut text = paint(Style::new().bold(), &report.model);
    if let Some(title) = &report.title {
        let _ = write!(text, ": {}", title.replace(char::is_control, "?"));
    }
    let with = report.choice.particulars().map_or(String::new(), |text| format!("with {text}\n"));
    let _ = writeln!(text, "\n{}\n{with}", counted(report));
    let headings = headings(report, seconds);
    let cells: Vec<Vec<String>> = report.rows.iter().map(|row| cells(report, row, seconds)).collect();
    let width =
        |k: usize| cells.iter().map(|c| c[k].chars().count()).max().unwrap_or(0).max(headings[k].chars().count());
    let widths: Vec<usize> = (0..headings.len()).map(width).collect();
    let line = |cells: &[String]| -> String {
        let line: String = cells.iter().zip(&widths).map(|(cell, w)| format!("  {cell:w$}", w = *w)).collect();
        line.trim_end().to_owned()
    };
    if !report.rows.is_empty() {
        let _ = writeln!(text, "{}", paint(Style::new().dimmed(), &line(&headings)));
    }
    for formulation in &report.formulations {
        let heading = paint(AnsiColor::Cyan.on_default(), &formulation.name);
        let meaning = wrapped(&formulation.stability.meaning, WIDTH - formulation.name.len() - 2);
        let _ = writeln!(text, "{heading}: {}", meaning.join("\n  "));
        let own = report.rows.iter().zip(&cells).filter(|(row, _)| row.formulation() == formulation.name);
        for (row, cells) in own {
            let _ = writeln!(text, "{}", line(cells));
            if row.status == Ending::Interrupted {
                let _ = writeln!(text, "    interrupted at t = {}", time(row.time));
            }
            if let Some(Stop { message: why, .. }) = &row.failure {
                let failed = format!("failed at t = {}, step {}: {why}", time(row.time), row.steps + 1);
                let failed = wrapped(&failed, WIDTH - 4).join("\n    ");
                let _ = writeln!(text, "    {}", paint(AnsiColor::Red.on_default(), &failed));
            }
        }
    }
    text += "\n";
    if !report.rows.is_empty() {
        let _ = writeln!(text, "{}", wrapped(&explained(report), WIDTH).join("\n"));
    } else {
        let nothing = match report.status {
            Ending::Interrupted => "interrupted before the first combination ended",
            _ => "nothing to compare: no combination fits",
        };
        let _ = writeln!(text, "{nothing}");
    }
    for skipped in &report.skipped {
        let _ = writeln!(text, "{}", wrapped(&left_out(skipped), WIDTH).join("\n  "));
    }
    for (label, file) in [("plot", &report.plot), ("report", &report.report)] {
        if let Some(file) = file {
            let _ = writeln!(text, "{label}: {file}");
        }
    }
    text
}

/// Columns of text.
const WIDTH: usize = 110;

/// Whether any run was projected, and any has constraints.
fn has(report: &Document) -> [bool; 2] {
    [
        report.rows.iter().any(|r| r.choice.project.is_some()),
        report.rows.iter().any(|r| r.constraints.r#final.is_some()),
    ]
}

/// The names of the columns.
pub(super) fn headings(report: &Document, seconds: bool) -> Vec<String> {
    let [projected, constrained] = has(report);
    let mut list = vec!["method", "step"];
    list.extend(projected.then_some("projections"));
    list.extend(["error", "energy"]);
    list.extend(constrained.then_some(["constraints", "hidden"]).into_iter().flatten());
    list.push("Newton/step");
    list.extend(seconds.then_some("seconds"));
    list.into_iter().map(str::to_owned).collect()
}

/// A row, as it is read.
pub(super) fn cells(report: &Document, row: &Row, seconds: bool) -> Vec<String> {
    let [projected, constrained] = has(report);
    let mut list = vec![row.choice.described().replace(" with ", ", "), number(row.choice.step.unwrap_or(f64::NAN))];
    if projected {
        let made = match [row.work.position_projections, row.work.momentum_projections] {
            [0, n] | [n, 0] => n.to_string(),
            [positions, momenta] if positions == momenta => positions.to_string(),
            [positions, momenta] => format!("{positions} + {momenta}"),
        };
        let project = row.choice.project.as_ref();
        list.push(project.map_or("none".to_owned(), |project| format!("{project} ({made})")));
    }
    // A run that went off did not do so like a power, and has no state at the end.
    let whole = row.status == Ending::Finished;
    let ended = if whole { size(&row.error, true) } else { "-".to_owned() };
    list.extend([ended, size(&row.energy, whole)]);
    if constrained {
        list.extend([size(&row.constraints, whole), size(&row.hidden_constraints, whole)]);
    }
    let newton = row.work.newton_iterations as f64 / row.steps.max(1) as f64;
    list.push(if row.work.newton_iterations == 0 { "-".to_owned() } else { format!("{newton:.1}") });
    if seconds {
        list.push(short(row.seconds));
    }
    list
}

/// A size and how it grows.
fn size(size: &Size, grows: bool) -> String {
    let Some(value) = size.value else { return "-".to_owned() };
    if value == 0.0 {
        return "0".to_owned();
    }
    if size.round_off && value < 1e-9 {
        // Its digits mean nothing.
        return format!("<1e{}", value.log10().floor() as i32 + 1);
    }
    let value = format!("{value:.1e}");
    match size.exponent.filter(|_| grows) {
        // Minus nothing is nothing.
        Some(p) => format!("{value} t^{:.1}", if p.abs() < 0.05 { 0.0 } else { p }),
        None => value,
    }
}

/// What the columns mean, and until when the exact motion is known.
pub(super) fn explained(report: &Document) -> String {
    let reference = &report.reference;
    let error = match (reference.until, &reference.reason) {
        (Some(t), None) => format!("error: of the state at t = {}, relative to its size", time(t)),
        (Some(t), Some(reason)) => {
            let reason = reason.message.trim_end_matches('.');
            format!("error: of the state at t = {}, where the exact motion is known last ({reason})", time(t))
        }
        (None, Some(reason)) => format!("error: unknown, there is no exact motion ({reason})"),
        (None, None) => "error: unknown".to_owned(),
    };
    let [_, constrained] = has(report);
    let others = if constrained { "energy, constraints, hidden" } else { "energy" };
    let still = if report.equilibrium { "; nothing moves: errors are those of standing still" } else { "" };
    format!("{error}; {others}: the largest along the run, absolute; t^p: how each grows{still}")
}

/// What was left out, and why.
pub(super) fn left_out(skipped: &Skipped) -> String {
    let formulations = skipped.formulations.join(", ");
    let what = match (&skipped.method, &skipped.project) {
        (Some(method), Some(project)) => format!("{method} with projection {project} on {formulations}"),
        (Some(method), None) => format!("{method} on {formulations}"),
        (None, _) => formulations,
    };
    format!("left out: {what}: {}", skipped.reason)
}

/// A time with six digits.
fn time(t: f64) -> String {
    number(rounded(t, 6))
}
