//! The summary as people read it.

use super::summary::{Document, family};
use crate::ending::Ending;
use crate::figures::{count, error, number, short};
use crate::map::Map;
use crate::picture::{Sparkline, sparklines};
use crate::printable;
use anstyle::{AnsiColor, Style};
use std::fmt::Write as _;

/// Draws the summary.
pub(super) fn render(summary: &Document, coloured: bool) -> String {
    let paint = |style: Style, text: &str| match coloured {
        true => format!("{style}{text}{style:#}"),
        false => text.to_owned(),
    };
    let mut text = paint(Style::new().bold(), &summary.model);
    if let Some(title) = &summary.title {
        let _ = write!(text, ": {}", printable::line(title));
    }
    let _ = writeln!(text, "\n{}\n", headline(summary));
    let rows = rows(summary);
    let column = |k: usize| rows.iter().map(|r| r[k].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..5).map(column).collect();
    for (k, row) in rows.iter().enumerate() {
        let mut line = String::from("  ");
        for (cell, width) in row.iter().zip(&widths).filter(|(_, width)| **width > 0) {
            let _ = write!(line, "{cell:width$}  ", width = *width);
        }
        let line = line.trim_end();
        let label = widths[0] + 2;
        let _ = match line.split_at_checked(label) {
            Some((start, rest)) if k > 0 => {
                writeln!(text, "{}{rest}", paint(AnsiColor::Cyan.on_default(), start))
            }
            _ => writeln!(text, "{}", paint(Style::new().dimmed(), line)),
        };
    }
    text.push('\n');
    for Sparkline { label, line } in summary.background.film().map(sparklines).unwrap_or_default() {
        let gap = " ".repeat(12usize.saturating_sub(label.chars().count()));
        let _ = writeln!(text, "  {}{gap}{line}", paint(AnsiColor::Cyan.on_default(), &label));
    }
    for (label, line) in details(summary) {
        let gap = " ".repeat(12usize.saturating_sub(label.len()));
        let _ = writeln!(text, "  {}{gap}{line}", paint(AnsiColor::Cyan.on_default(), label));
    }
    text
}

/// What was done.
pub(super) fn headline(s: &Document) -> String {
    let project = s.choice.project.as_ref().map_or(String::new(), |p| format!(", projection `{p}`"));
    let steps = count(s.steps, "step", "steps");
    let done = match s.status {
        Ending::Finished => format!("{steps} to t = {}", number(s.time)),
        status => format!("{status} after {steps}, t = {}", number(s.time)),
    };
    // Without constraints all formulations are the same.
    let is_free = s.constraints.0.is_empty() && s.hidden_constraints.0.is_empty();
    let formulation = match is_free && !s.choice.has_time() {
        true => String::new(),
        false => format!(", formulation {}", s.choice.equations()),
    };
    let step = number(s.choice.step.unwrap_or(f64::NAN));
    format!("{}{formulation}{project}, step {step}: {done}", s.choice.described())
}

/// Kind, name, initial, final, largest error.
pub(super) type Row = [String; 5];

pub(super) fn rows(s: &Document) -> Vec<Row> {
    let row = |kind: &str, name: &str, cells: [String; 3]| {
        let [initial, last, largest] = cells;
        [kind.to_owned(), name.to_owned(), initial, last, largest]
    };
    let none = String::new;
    let largest = if s.record == Some(0) { "error (start and end only)" } else { "largest error" };
    let mut rows = vec![row("", "", ["initial".into(), "final".into(), largest.into()])];
    let e = &s.energy;
    rows.push(row("energy", "H", [number(e.initial), number(e.r#final), error(e.max_abs_error)]));
    for (kind, list) in [("constraint", &s.constraints), ("hidden", &s.hidden_constraints)] {
        for (name, r) in &list.0 {
            let name = r.worst.as_ref().unwrap_or(name);
            let (kind, name) = match (r.generation, kind) {
                (Some(generation), _) => (ordinal(generation), name.clone()),
                (None, "hidden") => (kind.to_owned(), format!("d/dt {name}")),
                (None, _) => (kind.to_owned(), name.clone()),
            };
            rows.push(row(&kind, &name, [none(), short(r.r#final), error(r.max_abs)]));
        }
    }
    for (kind, list) in [("casimir", &s.casimirs), ("invariant", &s.invariants)] {
        for (name, c) in &list.0 {
            let name = c.worst.as_ref().unwrap_or(name);
            rows.push(row(kind, name, [number(c.initial), number(c.r#final), error(c.max_abs)]));
        }
    }
    let lists = [("multiplier", &s.multipliers), ("auxiliary", &s.auxiliaries), ("observable", &s.observables)];
    for (kind, list) in lists {
        for (name, value) in shown(list) {
            rows.push(row(kind, &name, [none(), number(value), none()]));
        }
    }
    rows
}

/// A generation of constraints as Dirac's algorithm calls it.
fn ordinal(generation: usize) -> String {
    match generation {
        0 => "gauge".to_owned(),
        1 => "primary".to_owned(),
        2 => "secondary".to_owned(),
        3 => "tertiary".to_owned(),
        n => format!("generation {n}"),
    }
}

/// Scalars, and the largest members of families.
fn shown(list: &Map<f64>) -> Vec<(String, f64)> {
    let larger = |a: f64, b: f64| a.abs() > b.abs() || a.is_nan() && !b.is_nan();
    let mut out: Vec<(String, f64)> = vec![];
    for (name, value) in list.iter() {
        match out.iter_mut().find(|(known, _)| family(known) == family(name)) {
            Some(known) if larger(*value, known.1) => *known = (name.to_owned(), *value),
            Some(_) => {}
            None => out.push((name.to_owned(), *value)),
        }
    }
    out
}

/// Coordinates of a chart that are named.
const MOST: usize = 6;

fn details(s: &Document) -> Vec<(&'static str, String)> {
    let mut list: Vec<(&'static str, String)> = s.choice.particulars().map(|text| ("with", text)).into_iter().collect();
    if s.almost_poisson.is_some() {
        list.push((
            "bracket",
            "none: Jacobi's identity fails; the flow is no Poisson map, the energy is an integral".to_owned(),
        ));
    }
    for (k, line) in state(s).into_iter().enumerate() {
        list.push((if k == 0 { "final" } else { "" }, line));
    }
    if let Some(chart) = &s.chart {
        let more = if chart.len() > MOST { ", …" } else { "" };
        list.push(("chart", format!("{}{more}", chart[..chart.len().min(MOST)].join(", "))));
    }
    let w = &s.work;
    let mut work: Vec<String> = vec![];
    work.extend(w.fixed_point_iterations.map(|n| count(n, "fixed-point iteration", "fixed-point iterations")));
    match w.newton_iterations {
        0 if work.is_empty() => work.push("no Newton iterations".to_owned()),
        0 => {}
        n => work.push(count(n, "Newton iteration", "Newton iterations")),
    }
    if let Some(own) = &w.own_steps {
        work.push(format!("{} of its own, {} rejected", count(own.accepted, "step", "steps"), own.rejected));
    }
    if s.choice.project.is_some() && s.is_projected_at_once() {
        work.push(count(w.projections, "projection", "projections"));
    } else if s.choice.project.is_some() {
        work.push(format!("{} of positions", count(w.position_projections, "projection", "projections")));
        work.push(format!("{} of momenta", w.momentum_projections));
    }
    if let Some(changes) = w.chart_changes {
        work.push(count(changes, "change of chart", "changes of chart"));
    }
    list.push(("work", work.join(", ")));
    for (label, file) in [("table", &s.out), ("plot", &s.plot), ("report", &s.report), ("movie", &s.movie)] {
        if let Some(file) = file {
            list.push((label, printable::line(file).into_owned()));
        }
    }
    let engine = if s.native { "" } else { " (without native code)" };
    list.push(("seconds", format!("{}{engine}", short(s.seconds))));
    list
}

/// The final state, in lines of a readable width.
fn state(s: &Document) -> Vec<String> {
    let values = last(&s.state);
    let mut lines: Vec<String> = vec![];
    for (k, (name, value)) in values.iter().enumerate() {
        let part = format!("{name} = {value}") + if k + 1 < values.len() { "," } else { "" };
        match lines.last_mut() {
            Some(line) if line.chars().count() + part.chars().count() < 84 => {
                line.push(' ');
                line.push_str(&part);
            }
            _ => lines.push(part),
        }
    }
    lines
}

/// Names and values; of a family the first members and the last.
pub(super) fn last(state: &Map<f64>) -> Vec<(String, String)> {
    let mut families: Vec<(&str, Vec<(&str, f64)>)> = vec![];
    for (name, value) in state.iter() {
        let (own, index) = name.split_once('[').map_or((name, ""), |(own, rest)| (own, rest.trim_end_matches(']')));
        match families.last_mut().filter(|(known, _)| *known == own && !index.is_empty()) {
            Some((_, members)) => members.push((index, *value)),
            None => families.push((own, vec![(index, *value)])),
        }
    }
    families.iter().map(|(name, members)| (format!("{name}{}", ranges(members)), values(members))).collect()
}

/// `[1..10, 0..3]`, from the indices of the first member and of the last.
fn ranges(members: &[(&str, f64)]) -> String {
    let (Some((first, _)), Some((last, _))) = (members.first(), members.last()) else { return String::new() };
    if first.is_empty() {
        return String::new();
    }
    let pairs = first.split(',').zip(last.split(','));
    let ranges: Vec<String> = pairs.map(|(a, b)| format!("{}..{}", a.trim(), b.trim())).collect();
    format!("[{}]", ranges.join(", "))
}

fn values(members: &[(&str, f64)]) -> String {
    if let [("", value)] = members {
        return number(*value);
    }
    let mut shown: Vec<String> = members.iter().take(3).map(|(_, x)| number(*x)).collect();
    if let [.., (_, last)] = members
        && members.len() > 3
    {
        if members.len() > 4 {
            shown.push("…".into());
        }
        shown.push(number(*last));
    }
    format!("({})", shown.join(", "))
}
