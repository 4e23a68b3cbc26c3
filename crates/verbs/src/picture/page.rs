//! A report of a run: what was asked for, what came out, what it looked like, where it comes from.

use super::animation::animation;
use super::background::Background;
use super::derivation::derivation;
use super::figure::{capitalised, ranges};
use super::film::{Film, Named, is_coarse, is_coarse_curve, is_slender, moment, pieces};
use crate::choice::Choice;
use crate::explain::formulation_text;
use crate::input::Input;
use crate::methods::needs;
use crate::printable;
use crate::setup::Selection;
use cotangent_integrate::Composition;
use cotangent_observe::Platform;
use cotangent_report::{Code, Formulas, Plot, Provenance, Report, Scale, Series, Table, Text, latex};
use std::path::Path;

/// What a report is made of.
pub(crate) struct Page<'a> {
    /// What it is about.
    pub(crate) title: String,
    /// What was done, in a line.
    pub(crate) subtitle: String,
    /// What came out, in words.
    pub(crate) result: Text,
    /// What came out, in numbers.
    pub(crate) tables: Vec<Table>,
    /// What came out, drawn.
    pub(crate) plots: Vec<Plot>,
    /// What was integrated, and how.
    pub(crate) choice: &'a Choice,
    pub(crate) background: &'a Background,
}

impl Page<'_> {
    /// The report.
    pub(crate) fn report(self) -> Report {
        let mut report = Report::new(self.title.clone()).subtitle(self.subtitle.clone());
        if !self.result.body.is_empty() {
            report = report.with(self.result.clone());
        }
        // The motion first: it says more than any number what the model is.
        if let Some(animation) = self.background.film().and_then(animation) {
            report = report.with(animation);
        }
        for table in &self.tables {
            report = report.with(table.clone());
        }
        for plot in self.plots {
            report = report.with(plot);
        }
        for plot in self.background.film().map(plots).unwrap_or_default() {
            report = report.with(plot);
        }
        // What a document says was chosen exists.
        if let Ok(selection) = Selection::named(self.choice) {
            for (formulas, text) in [method(&selection), formulation(&selection)] {
                report = report.with(formulas).with(text);
            }
        }
        if let Some(equations) = &self.background.equations {
            report = report.with(derivation(&equations.motion, self.background.system.as_deref()));
        }
        sources(report, &self.background.input)
    }
}

/// With the text of the model, if there is one, and where results come from.
pub(crate) fn sources(report: Report, input: &Input) -> Report {
    let report = match input.source.is_empty() {
        true => report,
        false => report.with(Code::new("Model", input.source.clone(), "cot")),
    };
    report.with(provenance(input))
}

fn method(selection: &Selection) -> (Formulas, Text) {
    let card = selection.method.card();
    let (formulas, mut body) = formulas("Method", &format!("{}: {}.", card.name, card.summary), card.scheme);
    body += &format!("\nSolved: {}.\n\nExplicit: {}.\n\n", end(card.solution), end(card.explicit));
    body += &format!("- order {}\n", card.order);
    card.keeps().iter().for_each(|kept| body += &format!("- keeps {kept}\n"));
    body += &format!("- works on {}\n", needs(card.needs));
    if let Some(composition) = selection.composition {
        body += &format!("\nComposed by {}.\n", composed(composition));
    }
    if let Some(projection) = selection.projection {
        body += &format!("\nProjected after every step: `{}`.\n", projection.target.name());
    }
    body += &format!("\nReference: {}.\n", end(card.reference));
    (formulas, Text::new("", body))
}

fn formulation(selection: &Selection) -> (Formulas, Text) {
    let text = formulation_text(selection.formulation);
    let (formulas, mut body) = formulas("Formulation", &format!("{}: {}.", text.name, text.summary), text.equations);
    body += &format!("\n{}\n\n{}\n\nReference: {}.\n", text.symbols, text.derivation, end(text.reference));
    (formulas, Text::new("", body))
}

/// Where results come from.
pub(crate) fn provenance(input: &Input) -> Provenance {
    let platform = Platform::current();
    let engine = if cfg!(feature = "jit") { "native code" } else { "tape, without native code" };
    let model = Path::new(&input.name).file_name().map_or_else(String::new, |n| n.to_string_lossy().into());
    Provenance {
        version: format!("cotangent {} ({engine})", platform.version),
        command: input.command.clone(),
        model: printable::line(&model).into_owned(),
        platform: Some(format!("{}, {}", platform.os, platform.arch)),
        more: vec![("Seed".to_owned(), "none used: nothing in a run is random".to_owned())],
        ..Provenance::default()
    }
}

/// Lines as formulas, and those that are none as the beginning of a text.
pub(crate) fn formulas(title: &str, introduction: &str, lines: &[&str]) -> (Formulas, String) {
    let mut formulas = Formulas::new(title);
    formulas.introduction = introduction.to_owned();
    let mut body = String::new();
    for line in lines {
        match latex(line) {
            Some(latex) => formulas = formulas.with("", latex),
            None => body += &format!("- `{}`\n", spaced(line)),
        }
    }
    (formulas, body)
}

/// Runs of blanks, which align columns of text, as two.
fn spaced(line: &str) -> String {
    line.split("  ").map(str::trim).filter(|part| !part.is_empty()).collect::<Vec<_>>().join("  ")
}

/// Without a full stop.
fn end(text: &str) -> &str {
    text.trim_end_matches('.')
}

fn composed(c: Composition) -> String {
    format!("`{}`, of order {} ({})", c.name(), c.order(), end(c.reference()))
}

/// The plots of a run.
fn plots(film: &Film) -> Vec<Plot> {
    let times = || film.times.clone();
    let sampled = match film.is_thinned() {
        true => " Each sample is the largest value since the one before, so that no peak is lost.",
        false => "",
    };
    let remarks: String = film.remarks.iter().map(|r| format!(" {r}.")).collect();
    let sizes = film.energy_error.iter().map(|e| e.abs()).collect();
    let mut list = vec![
        Plot::new("Energy error", "time", "|H(t) − H(0)|")
            .y_scale(Scale::Log)
            .describe(format!("The size of the energy error.{sampled}{remarks}"))
            .with(Series::line("energy error", times(), sizes)),
    ];
    if !film.residuals.is_empty() {
        let hidden = if film.residuals.len() > 1 { ", and of their time derivatives" } else { "" };
        let plot = Plot::new("Residuals", "time", "largest residual")
            .y_scale(Scale::Log)
            .describe(format!("The largest residual of all constraints{hidden}.{sampled}"));
        let series = film.residuals.iter().map(|(name, values)| Series::line(*name, times(), values.clone()));
        list.push(series.fold(plot, Plot::with));
    }
    let q = &film.quantities;
    for (place, group) in q.groups().into_iter().enumerate() {
        let shown = || group.iter().map(|&k| &q.shown[k]);
        let label = if let [one] = group.as_slice() { &q.shown[*one].name } else { q.kind };
        let title = if let [one] = group.as_slice() { q.shown[*one].name.clone() } else { capitalised(q.kind) };
        let mut plot = Plot::new(title, "time", label);
        if q.total > q.shown.len() && place == 0 {
            plot.description = format!("The first {} of {}. ", q.shown.len(), q.total);
        }
        if shown().any(|n| n.band.is_some()) {
            plot.description += &format!(
                "Bands are {}: what lies between two samples is too fast for a line through them.",
                ranges(film)
            );
        }
        let coarse = |values: &[f64]| !film.is_thinned() && is_coarse(values);
        if shown().any(|n| coarse(&n.values)) {
            plot.description += "Steps are too far apart to be joined by a line.";
        }
        for &k in &group {
            let Named { name, values, band } = &q.shown[k];
            let series = match band {
                Some(band) => Series::band(name.clone(), &film.times, &band.low, &band.high),
                None if coarse(values) => Series::points(name.clone(), times(), values.clone()),
                None => {
                    let parts = pieces(values);
                    let gap = |k: usize| parts[k].end.min(values.len() - 1);
                    let (mut x, mut y) = (vec![], vec![]);
                    for (k, part) in parts.iter().enumerate() {
                        x.extend_from_slice(&film.times[part.clone()]);
                        y.extend_from_slice(&values[part.clone()]);
                        if k + 1 < parts.len() {
                            x.push(film.times[gap(k)]);
                            y.push(f64::NAN);
                        }
                    }
                    Series::line(name.clone(), x, y).gaps(parts.len() - 1)
                }
            };
            plot = plot.with(series.ink(k));
        }
        list.push(plot);
    }
    list.extend(film.portrait.as_ref().map(|axes| portrait(film, axes)));
    list
}

fn portrait(film: &Film, [x, y]: &[Named; 2]) -> Plot {
    let curve: Vec<[f64; 3]> = x.values.iter().zip(&y.values).map(|(&x, &y)| [x, y, 0.0]).collect();
    let series = if is_coarse_curve(&curve) { Series::points } else { Series::line };
    let title = film.until().map_or_else(String::new, |t| format!(" until t = {}", moment(t)));
    let mut plot = Plot::new(format!("Phase portrait{title}"), x.name.clone(), y.name.clone());
    plot.equal_units = !is_slender(&x.values, &y.values);
    if film.is_cut {
        plot.description = "Later samples are too far apart to be joined by a line.".to_owned();
    }
    plot.with(series(format!("{}, {}", x.name, y.name), x.values.clone(), y.values.clone()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use cotangent_integrate::Method;
    use cotangent_theory::Formulation;

    #[test]
    fn every_line_of_every_card_and_formulation_is_set_as_a_formula() {
        let schemes = Method::ALL.into_iter().flat_map(|m| m.card().scheme);
        let equations = Formulation::ALL.into_iter().flat_map(|f| formulation_text(f).equations);
        for line in schemes.chain(equations).filter(|line| !line.is_empty()) {
            let (formulas, left) = formulas("", "", &[line]);
            assert!(left.is_empty(), "not translated: {line}");
            let html = Report::new("").with(formulas).to_html().expect("a page");
            assert!(html.contains("<math") && !html.contains("class=\"latex\""), "not set: {line}");
        }
    }
}
