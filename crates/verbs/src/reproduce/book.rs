//! Claims and errata as tables in Markdown.

use super::document::Document;
use super::text::{measured, paper as said, reference, tolerance};
use std::fmt::Write as _;

/// The claims, paper by paper.
pub(super) fn claims(document: &Document) -> String {
    let mut text = String::new();
    for paper in &document.papers {
        let _ = writeln!(text, "## {}\n\n{}: *{}*. {}.\n", paper.key, paper.authors, paper.title, paper.published);
        for experiment in document.experiments.iter().filter(|e| e.id.split('/').next() == Some(&paper.key)) {
            let _ = writeln!(text, "**{}**: {}\n", experiment.id, experiment.title);
            text += "| claim | where | paper | measured | tolerance | verdict | reference |\n|---|---|---|---|---|---|---|\n";
            for claim in &experiment.claims {
                let cells = [
                    claim.claim.clone(),
                    claim.r#where.clone(),
                    said(claim),
                    measured(claim),
                    tolerance(claim),
                    claim.verdict.name().to_owned(),
                    reference(claim),
                ];
                let cells = cells.map(|cell| cell.replace('|', "\\|"));
                let _ = writeln!(text, "| {} |", cells.join(" | "));
            }
            text += "\n";
        }
    }
    text
}
