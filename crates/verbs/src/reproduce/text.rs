//! Reproduced experiments as people read them.

use super::document::{Claim, Document, Stated, Verdict};
use crate::ending::Ending;
use crate::figures::{number, rounded, wrapped};
use anstyle::{AnsiColor, Style};
use std::fmt::Write as _;

/// Columns for what is claimed.
const CLAIM: usize = 58;
/// And for what the paper says of it.
const PAPER: usize = 22;

/// Draws the tables.
pub(super) fn render(document: &Document, coloured: bool) -> String {
    let paint = |style: Style, text: &str| match coloured {
        true => format!("{style}{text}{style:#}"),
        false => text.to_owned(),
    };
    let mut text = String::new();
    for experiment in &document.experiments {
        let _ = writeln!(text, "{}: {}", paint(Style::new().bold(), &experiment.id), experiment.title);
        let heading =
            format!("  {:CLAIM$}  {:PAPER$}  {:>12}  {:>9}  verdict", "claim", "paper", "measured", "tolerance");
        let _ = writeln!(text, "{}", paint(Style::new().dimmed(), &heading));
        for claim in &experiment.claims {
            let style = match claim.verdict {
                Verdict::Reproduced => AnsiColor::Green.on_default(),
                Verdict::Differs => AnsiColor::Yellow.on_default(),
                Verdict::NotMeasured => AnsiColor::Red.on_default(),
                Verdict::NotStated => Style::new(),
            };
            let left = wrapped(&claim.claim, CLAIM);
            let middle = wrapped(&paper(claim), PAPER);
            for k in 0..left.len().max(middle.len()) {
                let part = |list: &[String]| list.get(k).cloned().unwrap_or_default();
                let mut line = format!("  {:CLAIM$}  {:PAPER$}", part(&left), part(&middle));
                if k == 0 {
                    let _ = write!(line, "  {:>12}  {:>9}  ", measured(claim), tolerance(claim));
                    line += &paint(style, claim.verdict.name());
                }
                let _ = writeln!(text, "{}", line.trim_end());
            }
            let remarks = [claim.note.clone(), claim.reason.clone(), outside(claim)];
            for remark in remarks.into_iter().flatten() {
                let _ = writeln!(text, "    {}", wrapped(&remark, 104).join("\n    "));
            }
        }
        for curve in &experiment.undrawn {
            let _ = writeln!(text, "  {}", wrapped(&curve.said(), 106).join("\n    "));
        }
        text += "\n";
    }
    if document.status == Ending::Interrupted {
        text += "interrupted: these are the experiments whose runs were done\n";
    }
    let _ = writeln!(text, "{}", document.counted());
    for file in &document.files {
        let _ = writeln!(text, "written: {file}");
    }
    text
}

/// What the paper says.
pub(super) fn paper(claim: &Claim) -> String {
    match &claim.paper {
        Some(Stated::Number(value)) => number(*value),
        Some(Stated::Words(words)) => words.clone(),
        None => "-".to_owned(),
    }
}

/// What was measured, with five digits; with one where it is about as small as round-off.
pub(super) fn measured(claim: &Claim) -> String {
    let digits = |value: f64| if value.abs() < 1e-11 { 1 } else { 5 };
    claim.measured.map_or("-".to_owned(), |value| number(rounded(value, digits(value))))
}

/// How far from the paper's value is near enough.
pub(super) fn tolerance(claim: &Claim) -> String {
    claim.tolerance.map_or("-".to_owned(), |tolerance| number(rounded(tolerance, 2)))
}

/// What was found independently.
pub(super) fn reference(claim: &Claim) -> String {
    let r = &claim.reference;
    match (r.value, r.at_least, r.at_most) {
        (Some(value), ..) => format!("{} ± {}", number(value), number(rounded(r.tolerance.unwrap_or(0.0), 2))),
        (None, Some(least), Some(most)) => format!("{} to {}", number(least), number(most)),
        (None, Some(least), None) => format!("at least {}", number(least)),
        (None, None, most) => format!("at most {}", number(most.unwrap_or(f64::INFINITY))),
    }
}

/// That a measurement is not that of its reference.
fn outside(claim: &Claim) -> Option<String> {
    let measured = claim.measured.filter(|_| !claim.reference.held)?;
    Some(format!(
        "NOT that of the independent reference: {} measured, {} found there",
        number(measured),
        reference(claim)
    ))
}
