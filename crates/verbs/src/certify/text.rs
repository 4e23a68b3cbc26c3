//! A certificate as people read it.

use super::report::{Document, Measured, Verdict};
use crate::figures::{count, number, short};
use crate::reason::Reason;
use anstyle::{AnsiColor, Style};
use std::fmt::Write as _;

/// A line of the table.
pub(super) struct Row {
    /// Property, claimed, measured, verdict.
    pub(super) cells: [String; 4],
    pub(super) verdict: Verdict,
    pub(super) held: Option<bool>,
    pub(super) claimed: bool,
    pub(super) reason: Option<Reason>,
    /// Why it holds, where a number seems to say otherwise.
    remark: Option<String>,
}

/// Draws the certificate.
pub(super) fn render(report: &Document, coloured: bool) -> String {
    let paint = |style: Style, text: &str| match coloured {
        true => format!("{style}{text}{style:#}"),
        false => text.to_owned(),
    };
    let [method, rest] = headline(report);
    let with = report.choice.particulars().map_or(String::new(), |text| format!("with {text}\n"));
    let mut text = format!("{} {rest}\n{with}\n", paint(Style::new().bold(), &method));
    let rows = rows(report);
    let heading = ["property", "claimed", "measured", "verdict"];
    let width = |k: usize| rows.iter().map(|r| r.cells[k].chars().count()).max().unwrap_or(0).max(heading[k].len());
    let widths: Vec<usize> = (0..4).map(width).collect();
    let line = |cells: [&str; 3]| -> String {
        cells.iter().zip(&widths).map(|(cell, w)| format!("  {cell:w$}", w = *w)).collect()
    };
    let _ = writeln!(text, "{}  {}", line([heading[0], heading[1], heading[2]]), heading[3]);
    for row in &rows {
        let [property, claimed, measured, verdict] = &row.cells;
        let style = match (row.claimed, row.held) {
            (true, Some(false)) => AnsiColor::Red.on_default().bold(),
            (true, Some(true)) => AnsiColor::Green.on_default(),
            _ => Style::new(),
        };
        let _ = writeln!(text, "{}  {}", line([property, claimed, measured]), paint(style, verdict));
    }
    let _ = writeln!(text, "\n{RELATIVE}");
    for row in rows.iter().filter(|r| r.verdict == Verdict::Undecided) {
        let _ = writeln!(
            text,
            "undecided: {}: {}",
            row.cells[0],
            row.reason.as_ref().map_or("the measurement is compatible with both", |r| &r.message)
        );
    }
    for row in &rows {
        if let Some(remark) = &row.remark {
            let _ = writeln!(text, "{}: {}: {remark}", row.cells[3], row.cells[0]);
        }
    }
    let not = |colour: AnsiColor| paint(colour.on_default().bold(), "not certified");
    let _ = match report.held {
        Some(true) => {
            writeln!(text, "{}: what is claimed holds", paint(AnsiColor::Green.on_default().bold(), "certified"))
        }
        Some(false) => {
            writeln!(text, "{}: something claimed does not hold at this step on this model", not(AnsiColor::Red))
        }
        None => {
            let ended = report.failure.as_ref().map_or("", |_| "the run ended early; ");
            let open = match report.undecided.join(", ") {
                names if names.is_empty() => String::new(),
                names => format!("; claimed and undecided: {names}"),
            };
            writeln!(text, "{}: {ended}what could be decided holds{open}", not(AnsiColor::Yellow))
        }
    };
    for (label, file) in [("plot", &report.plot), ("report", &report.report)] {
        if let Some(file) = file {
            let _ = writeln!(text, "{label}: {file}");
        }
    }
    text
}

/// What the numbers of a certificate are relative to.
pub(super) const RELATIVE: &str = "all numbers are relative: those of a step to the size of the state, residuals and Casimirs to that of their\n\
    terms, the energy error to the larger of |H(0)| and the kinetic energy";

/// The method, and what it is measured on.
pub(super) fn headline(report: &Document) -> [String; 2] {
    let choice = &report.choice;
    let project = choice.project.as_ref().map_or(String::new(), |p| format!(", projection `{p}`"));
    let (formulation, step) = (choice.equations(), number(choice.step.unwrap_or(f64::NAN)));
    let rest = format!("on {}: formulation {formulation}{project}, step {step}", report.model);
    [choice.described(), rest]
}

pub(super) fn rows(report: &Document) -> Vec<Row> {
    let order = &report.order;
    let value = match (order.measured, order.uncertainty) {
        (Some(p), Some(u)) => format!("{p:.3} ± {u:.3}"),
        _ => "-".to_owned(),
    };
    let mut rows = vec![Row {
        cells: ["order of convergence".into(), order.claimed.to_string(), value, verdict(true, order)],
        verdict: order.verdict,
        held: order.held,
        claimed: true,
        reason: order.reason.clone(),
        remark: None,
    }];
    // A model has coordinates, or a bracket.
    let bracket = report.poisson_defect.verdict != Verdict::DoesNotApply || report.almost_poisson.is_some();
    let structure = match bracket {
        true => ("Poisson map (defect of a step)", &report.poisson_defect),
        false => ("symplectic (defect of a step)", &report.symplectic_defect),
    };
    let casimirs = bracket.then_some(("Casimirs (largest change)", &report.casimir_defect));
    let defects =
        [structure, ("symmetric (forth and back)", &report.symmetry_defect)].into_iter().chain(casimirs).chain([
            ("constraints (largest residual)", &report.constraint_defect),
            ("hidden constraints (largest)", &report.hidden_constraint_defect),
            ("energy (largest error)", &report.energy_defect),
        ]);
    for (name, defect) in defects {
        let value = defect.measured.map_or("-".to_owned(), short);
        rows.push(row(name.to_owned(), defect, value));
    }
    let drift = &report.energy_drift_exponent;
    let value = match (drift.measured, drift.uncertainty, drift.amplitude) {
        (Some(p), Some(u), Some(a)) if p == 0.0 && u == 0.0 && a < 1e-10 => format!("round-off, {}", short(a)),
        (Some(p), Some(u), Some(a)) => format!("t^({p:.2} ± {u:.2}), {}", short(a)),
        _ => "-".to_owned(),
    };
    rows.push(row(format!("energy error bounded ({})", count(report.steps, "step", "steps")), drift, value));
    rows
}

fn row(name: String, m: &Measured<bool>, value: String) -> Row {
    let claimed = if m.claimed { "yes" } else { "no" };
    Row {
        cells: [name, claimed.to_owned(), value, verdict(m.claimed, m)],
        verdict: m.verdict,
        held: m.held,
        claimed: m.claimed,
        reason: m.reason.clone(),
        remark: m.remark.clone(),
    }
}

fn verdict<C>(claimed: bool, m: &Measured<C>) -> String {
    match (m.verdict, claimed) {
        (Verdict::Holds, _) => "holds",
        (Verdict::DoesNotHold, true) => "DOES NOT HOLD",
        (Verdict::DoesNotHold, false) => "does not hold, not claimed",
        (Verdict::Undecided, _) => "undecided",
        (Verdict::Incidental, _) => "incidental, not claimed",
        (Verdict::DoesNotApply, _) => "does not apply",
    }
    .to_owned()
}
