//! The page of a paper: its experiments with claims, measurements and figures.

use super::data::Paper;
use super::document::{Claim, Document, Reproduced, Undrawn};
use super::figure::interactive;
use super::text::{measured, paper as said, reference, tolerance};
use crate::input::Input;
use crate::picture::provenance;
use cotangent_report::{Align, Cell, Code, Report, Status, Table, Text};

/// The page of a paper.
pub(super) fn page(document: &Document, paper: &Paper) -> Report {
    let own: Vec<Reproduced> =
        document.experiments.iter().filter(|e| e.id.split('/').next() == Some(&paper.key)).cloned().collect();
    let of_paper = Document { experiments: own, ..document.clone() };
    let mut report = Report::new(format!("{}: {}", paper.authors, paper.title))
        .subtitle(format!("{}. {}.", paper.published, of_paper.counted()))
        .with(Text::new("About", format!("{}\n\n{LEGEND}", paper.about)));
    for experiment in &of_paper.experiments {
        let undrawn = experiment.undrawn.iter().map(Undrawn::said);
        let notes = experiment.claims.iter().filter_map(remark).chain(undrawn);
        let notes: String = notes.map(|note| format!("- {note}\n")).collect();
        let name = experiment.id.split_once('/').map_or("", |(_, name)| name);
        report = report
            .with(Text::new(format!("{name}: {}", experiment.title), experiment.about.clone()))
            .with(claims(experiment));
        if !notes.is_empty() {
            report = report.with(Text::new("", notes));
        }
        for panel in &experiment.panels {
            report = report.with(interactive(panel));
        }
    }
    if !paper.erratum.is_empty() {
        let table = Table::new("Errata", "What is printed in the paper, and what is right; in our own words.")
            .column("where", Align::Left)
            .column("printed", Align::Left)
            .column("correct", Align::Left);
        report = report.with(paper.erratum.iter().fold(table, |table, e| {
            table.row([&e.r#where, &e.printed, &e.correct].map(|text| Cell::from(text.as_str())))
        }));
    }
    let mut shown: Vec<&str> = vec![];
    for (name, source) in of_paper.experiments.iter().flat_map(|e| &e.models) {
        if !shown.contains(&name.as_str()) {
            shown.push(name);
            report = report.with(Code::new(format!("Model {name}"), source.clone(), "cot"));
        }
    }
    let command = format!("cotangent reproduce {}", paper.key);
    report.with(provenance(&Input { command, ..Input::default() }))
}

const LEGEND: &str = "The verdict compares a measurement with what the paper says: `reproduced`, `differs`, or `not stated`. \
    The reference was found independently, by other programs; the last column says whether the measurement is that.";

/// Why a verdict is what it is.
fn remark(claim: &Claim) -> Option<String> {
    let remark = claim.reason.as_ref().or(claim.note.as_ref())?;
    Some(format!("{}: {remark}", claim.claim))
}

fn claims(experiment: &Reproduced) -> Table {
    let mut table = Table::new("", "")
        .column("claim", Align::Left)
        .column("where", Align::Left)
        .column("paper", Align::Right)
        .column("measured", Align::Right)
        .column("tolerance", Align::Right)
        .column("verdict", Align::Left)
        .column("reference", Align::Left);
    for claim in &experiment.claims {
        let held = if claim.reference.held { Status::Held } else { Status::Broken };
        table = table.row([
            Cell::from(claim.claim.as_str()),
            claim.r#where.as_str().into(),
            said(claim).into(),
            measured(claim).into(),
            tolerance(claim).into(),
            claim.verdict.name().into(),
            Cell::Status(held, reference(claim)),
        ]);
    }
    table
}
