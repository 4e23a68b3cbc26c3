//! A report of a run: what was asked for, what came out, what it looked like, where it comes from.

use super::animation::animation;
use super::derivation::derivation;
use super::film::{Film, Named, is_coarse, is_coarse_curve};
use crate::cli::explain::formulation_text;
use crate::cli::input::Input;
use crate::cli::methods::needs;
use cotangent::compile::Problem;
use cotangent::integrate::{Composition, Prepared};
use cotangent::observe::Platform;
use cotangent::report::{Code, Plot, Provenance, Report, Scale, Series, Table, Text};
use std::ffi::OsString;
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
    pub(crate) film: Option<&'a Film>,
    pub(crate) problem: &'a Problem,
    pub(crate) prepared: &'a Prepared,
    pub(crate) input: &'a Input,
}

impl Page<'_> {
    /// The report.
    pub(crate) fn report(self) -> Report {
        let mut report = Report::new(self.title.clone()).subtitle(self.subtitle.clone());
        if !self.result.body.is_empty() {
            report = report.with(self.result.clone());
        }
        for table in &self.tables {
            report = report.with(table.clone());
        }
        if let Some(film) = self.film {
            if let Some(animation) = animation(film) {
                report = report.with(animation);
            }
            for plot in plots(film) {
                report = report.with(plot);
            }
        }
        report = report.with(self.method()).with(self.formulation()).with(derivation(&self.problem.motion));
        report.with(Code::new("Model", self.input.source.clone(), "cot")).with(self.provenance())
    }

    fn method(&self) -> Text {
        let card = self.prepared.method().card();
        let mut body = format!("`{}`: {}.\n\n", card.name, card.summary);
        card.scheme.iter().for_each(|line| body += &format!("- `{}`\n", spaced(line)));
        body += &format!("\nSolved: {}.\n\nExplicit: {}.\n\n", end(card.solution), end(card.explicit));
        body += &format!("- order {}\n", card.order);
        card.keeps().iter().for_each(|kept| body += &format!("- keeps {kept}\n"));
        body += &format!("- works on {}\n", needs(card.needs));
        if let Some(composition) = self.prepared.composition() {
            body += &format!("\nComposed by {}.\n", composed(composition));
        }
        if let Some(projection) = self.prepared.projection() {
            body += &format!("\nProjected after every step: `{}`.\n", projection.target.name());
        }
        body += &format!("\nReference: {}.\n", end(card.reference));
        Text::new("Method", body)
    }

    fn formulation(&self) -> Text {
        let text = formulation_text(self.problem.motion.formulation);
        let mut body = format!("`{}`: {}.\n\n", text.name, text.summary);
        text.equations.iter().for_each(|line| body += &format!("- `{}`\n", spaced(line)));
        body += &format!("\n{}\n\n{}\n\nReference: {}.\n", text.symbols, text.derivation, end(text.reference));
        Text::new("Formulation", body)
    }

    fn provenance(&self) -> Provenance {
        let platform = Platform::current();
        let engine = if cfg!(feature = "jit") { "native code" } else { "tape, without native code" };
        let model = Path::new(&self.input.name).file_name().map_or_else(String::new, |n| n.to_string_lossy().into());
        Provenance {
            version: format!("cotangent {} ({engine})", platform.version),
            command: command_line(std::env::args_os()),
            model,
            platform: Some(format!("{}, {}", platform.os, platform.arch)),
            ..Provenance::default()
        }
    }
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

/// The command that was given, without the folders of files elsewhere: they say nothing to others.
fn command_line(arguments: impl Iterator<Item = OsString>) -> String {
    let short = |word: &str| match Path::new(word) {
        path if path.is_absolute() => path.file_name().map_or(word.to_owned(), |n| n.to_string_lossy().into_owned()),
        _ => word.to_owned(),
    };
    let one = |word: OsString| {
        let word = word.to_string_lossy().into_owned();
        let word = match word.split_once('=') {
            Some((option, value)) if option.starts_with("--") => format!("{option}={}", short(value)),
            _ => short(&word),
        };
        match word.is_empty() || word.contains(|c: char| c.is_whitespace() || "'\"()[]*$&;|<>#".contains(c)) {
            true => format!("\"{}\"", word.replace('\\', "\\\\").replace('"', "\\\"").replace('$', "\\$")),
            false => word,
        }
    };
    let words: Vec<String> = arguments.skip(1).map(one).collect();
    format!("cotangent {}", words.join(" "))
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
    if let Some([constraints, hidden]) = &film.residuals {
        list.push(
            Plot::new("Residuals", "time", "largest residual")
                .y_scale(Scale::Log)
                .describe(format!("The largest residual of all constraints, and of their time derivatives.{sampled}"))
                .with(Series::line("constraints", times(), constraints.clone()))
                .with(Series::line("hidden constraints", times(), hidden.clone())),
        );
    }
    let q = &film.quantities;
    if !q.shown.is_empty() {
        let title =
            q.kind.chars().next().map_or(String::new(), |c| c.to_uppercase().chain(q.kind.chars().skip(1)).collect());
        let mut plot = Plot::new(title, "time", if let [one] = q.shown.as_slice() { &one.name } else { q.kind });
        let coarse = |values: &[f64]| film.is_loose() || is_coarse(values);
        if q.total > q.shown.len() {
            plot.description = format!("The first {} of {}.", q.shown.len(), q.total);
        }
        if q.shown.iter().any(|n| coarse(&n.values)) {
            plot.description += " Samples lie too far apart to be joined by a line.";
        }
        for Named { name, values } in &q.shown {
            let series = if coarse(values) { Series::points } else { Series::line };
            plot = plot.with(series(name.clone(), times(), values.clone()));
        }
        list.push(plot);
    }
    if let Some([x, y]) = &film.portrait {
        let curve: Vec<[f64; 3]> = x.values.iter().zip(&y.values).map(|(&x, &y)| [x, y, 0.0]).collect();
        let series = if film.is_loose() || is_coarse_curve(&curve) { Series::points } else { Series::line };
        let plot = Plot::new("Phase portrait", x.name.clone(), y.name.clone());
        list.push(plot.with(series(format!("{}, {}", x.name, y.name), x.values.clone(), y.values.clone())));
    }
    list
}
