//! The experiments that are known.

use super::library::Library;
use anstyle::Style;
use serde::Serialize;
use std::fmt::Write as _;

/// The papers and their experiments.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct List {
    /// The papers.
    pub papers: Vec<Listed>,
}

/// A paper and its experiments.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Listed {
    /// What to call it.
    pub key: String,
    /// Who wrote it.
    pub authors: String,
    /// Its title.
    pub title: String,
    /// Where it was published.
    pub published: String,
    /// Its experiments.
    pub experiments: Vec<Entry>,
}

/// An experiment.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Entry {
    /// What to call it.
    pub id: String,
    /// What it is, in a line.
    pub title: String,
    /// How many claims it has.
    pub claims: usize,
}

impl Library {
    /// What can be made again.
    pub fn list(&self) -> List {
        let experiments = |key: &str| {
            let own = self.experiments.iter().filter(|e| e.paper() == key);
            own.map(|e| Entry { id: e.id.clone(), title: e.title.clone(), claims: e.claim.len() }).collect()
        };
        let listed = |p: &super::data::Paper| Listed {
            key: p.key.clone(),
            authors: p.authors.clone(),
            title: p.title.clone(),
            published: p.published.clone(),
            experiments: experiments(&p.key),
        };
        List { papers: self.papers.iter().map(listed).collect() }
    }
}

impl List {
    /// As people read it.
    pub fn text(&self, coloured: bool) -> String {
        let bold = if coloured { Style::new().bold() } else { Style::new() };
        let ids = self.papers.iter().flat_map(|p| &p.experiments).map(|e| e.id.len()).max().unwrap_or(0);
        let mut text = String::new();
        for paper in &self.papers {
            let _ = writeln!(text, "{bold}{}{bold:#}: {}, {}", paper.key, paper.authors, paper.title);
            for entry in &paper.experiments {
                let _ = writeln!(text, "  {:ids$}  {}", entry.id, entry.title);
            }
            text += "\n";
        }
        text +=
            "`cotangent reproduce NAME` makes one again, or all of a paper; `cotangent reproduce all` all of them.\n";
        text
    }
}
