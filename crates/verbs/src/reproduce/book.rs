//! The page of the book about the papers: claims, measurements and errata as tables in Markdown.

use super::document::{Document, Reproduced};
use super::text::{measured, paper as said, reference, tolerance};
use std::fmt::Write as _;

const BEGINNING: &str = "\
# The papers, made again

Cotangent comes from these papers. Their experiments are data in the folder `experiments`, and
`cotangent reproduce all --out DIR` makes them again and writes this page among others; see
[experiments of papers](reproduce.md). The verdict compares a measurement with the paper: *reproduced*, *differs*, or
*not stated*. The reference was found independently, by other programs.

";

/// The page.
pub(super) fn page(document: &Document) -> String {
    let mut text = BEGINNING.to_owned();
    let _ = writeln!(text, "{}.\n", document.counted());
    for paper in &document.papers {
        let _ = writeln!(text, "## {}\n\n{}: *{}*. {}.\n", paper.key, paper.authors, paper.title, paper.published);
        let _ = writeln!(text, "{}\n", paper.about.trim());
        for experiment in document.experiments.iter().filter(|e| e.id.split('/').next() == Some(&paper.key)) {
            text += &table(experiment);
        }
        if !paper.erratum.is_empty() {
            let _ = writeln!(text, "### Errata of {}\n\n| where | printed | correct |\n|---|---|---|", paper.key);
            for e in &paper.erratum {
                let _ = writeln!(text, "{}", row(&[&e.r#where, &e.printed, &e.correct]));
            }
            text += "\n";
        }
    }
    text.trim_end().to_owned() + "\n"
}

fn table(experiment: &Reproduced) -> String {
    let mut text = format!("### {}: {}\n\n{}\n\n", experiment.id, experiment.title, experiment.about.trim());
    text += "| claim | where | paper | measured | tolerance | verdict | reference |\n|---|---|---|---|---|---|---|\n";
    for claim in &experiment.claims {
        let (paper, measured, tolerance, reference) =
            (said(claim), measured(claim), tolerance(claim), reference(claim));
        let cells = [&claim.claim, &claim.r#where, &paper, &measured, &tolerance, claim.verdict.name(), &reference];
        let _ = writeln!(text, "{}", row(&cells));
    }
    text += "\n";
    for claim in experiment.claims.iter().filter(|claim| claim.note.is_some()) {
        let _ = writeln!(text, "- {}: {}", claim.claim, claim.note.as_deref().unwrap_or_default());
    }
    for curve in &experiment.undrawn {
        let _ = writeln!(text, "- {}", curve.said());
    }
    text.trim_end().to_owned() + "\n\n"
}

fn row(cells: &[&str]) -> String {
    let cells: Vec<String> = cells.iter().map(|cell| cell.replace('|', "\\|").replace('*', "\\*")).collect();
    format!("| {} |", cells.join(" | "))
}
