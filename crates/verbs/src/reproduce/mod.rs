//! `reproduce`: the experiments of papers, made again; what was claimed beside what is measured.
//!
//! An experiment is data: runs of models, expressions that are measured in their tables, what the paper says, and what
//! was found independently. The verdict compares with the paper; the status says whether the measurements are those of
//! the independent references.

mod book;
pub mod data;
mod document;
mod expected;
mod figure;
mod files;
mod library;
mod list;
mod page;
mod runner;
mod text;

pub use document::{Claim, Document, Panel, Reference, Reproduced, Stated, Undrawn, Verdict};
pub use files::Picture;
pub use library::{Folder, Library};
pub use list::{Entry, List, Listed};

use crate::ending::Ending;
use crate::failure::Failure;
use crate::session::{Session, Status};
use cotangent_lab::measure::{Expression, Records};
use data::Experiment;
use files::Places;
use runner::{Outcome, Runs};
use std::path::PathBuf;

/// What is to be made again, and what is written of it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Request {
    /// Experiments, papers, or `all`.
    pub wanted: Vec<String>,
    /// The folder for a page of each paper and a picture of each figure.
    pub out: Option<PathBuf>,
    /// How pictures are written there.
    pub picture: Picture,
}

impl Request {
    /// Makes the experiments of a library again.
    pub fn answer(&self, library: &Library, session: &mut Session<'_>) -> Result<Document, Failure> {
        let experiments = library.select(&self.wanted)?;
        let places = self.out.as_deref().map(|folder| Places::new(folder, &experiments, self.picture)).transpose()?;
        let runs = Runs::make(library, &experiments, session);
        session.keep();
        let done: Vec<Reproduced> =
            experiments.iter().filter_map(|experiment| reproduced(library, experiment, &runs)).collect();
        let status = if done.len() == experiments.len() { Ending::Finished } else { Ending::Interrupted };
        let is_shown = |key: &str| done.iter().any(|e| e.id.split('/').next() == Some(key));
        let papers = library.papers.iter().filter(|p| is_shown(&p.key)).cloned().collect();
        let mut document = Document { status, experiments: done, files: vec![], unwritten: vec![], papers };
        if let Some(places) = places {
            (document.files, document.unwritten) = places.write(&document);
        }
        Ok(document)
    }
}

impl Document {
    /// Whether all measurements are those of their references, and all curves are drawn.
    pub fn status(&self) -> Status {
        let held = self.claims().all(|claim| claim.reference.held) && self.undrawn().next().is_none();
        match (self.unwritten.is_empty(), self.status) {
            (_, Ending::Interrupted) => Status::Stopped,
            (false, _) => Status::Unwritten,
            (true, _) if held => Status::Held,
            (true, _) => Status::NotHeld,
        }
    }

    /// Which files could not be written.
    pub fn failures(&self) -> impl Iterator<Item = Failure> {
        self.unwritten.iter().map(Failure::from)
    }

    /// As people read it.
    pub fn text(&self, coloured: bool) -> String {
        text::render(self, coloured)
    }

    /// A page in Markdown, as in the book: claims and errata, paper by paper.
    pub fn markdown(&self) -> String {
        book::page(self)
    }
}

/// What became of an experiment; none if one of its runs was stopped.
fn reproduced(library: &Library, experiment: &Experiment, runs: &Runs) -> Option<Reproduced> {
    let mut records = Records::new();
    let mut refused: Vec<(&str, &str)> = vec![];
    for run in &experiment.run {
        match runs.outcome(library, experiment, run)? {
            Outcome::Made(record) => drop(records.insert(run.name.clone(), record.clone())),
            Outcome::Refused(why) => refused.push((&run.name, why)),
            Outcome::Interrupted => return None,
        }
    }
    let measured = |text: &str| -> Result<Vec<f64>, String> {
        let expression = Expression::parse(text).map_err(|e| e.to_string())?;
        if let Some((run, why)) = refused.iter().find(|(run, _)| expression.runs().contains(run)) {
            return Err(format!("the run `{run}` was refused: {why}"));
        }
        expression.series(&records).map_err(|e| e.to_string())
    };
    let claims = experiment.claim.iter().map(|claim| judged(claim, measured(&claim.measure))).collect();
    let (panels, undrawn): (Vec<_>, Vec<_>) =
        experiment.panel.iter().map(|panel| Panel::measured(panel, measured)).unzip();
    let (panels, undrawn) = (panels.into_iter().flatten().collect(), undrawn.into_iter().flatten().collect());
    let mut models: Vec<(String, String)> = vec![];
    for run in &experiment.run {
        let input = library.model(experiment.paper(), &run.model).map(|input| input.source).unwrap_or_default();
        if !models.iter().any(|(name, _)| *name == run.model) {
            models.push((run.model.clone(), input));
        }
    }
    let (id, title, about) = (experiment.id.clone(), experiment.title.clone(), experiment.about.clone());
    Some(Reproduced { id, title, about, claims, undrawn, panels, models })
}

/// A claim beside its measurement.
fn judged(claim: &data::Claim, measured: Result<Vec<f64>, String>) -> Claim {
    let measured = measured.and_then(|values| match values.as_slice() {
        [value] => Ok(*value),
        values => Err(format!("`{}` is {} values, and should be one", claim.measure, values.len())),
    });
    let (value, reason) = match measured {
        Ok(value) => (Some(value), None),
        Err(reason) => (None, Some(reason)),
    };
    let verdict = match (&claim.paper, value) {
        (_, None) => Verdict::NotMeasured,
        (None, Some(_)) => Verdict::NotStated,
        (Some(paper), Some(value)) if paper.holds(value) => Verdict::Reproduced,
        (Some(_), Some(_)) => Verdict::Differs,
    };
    let stated = |paper: &data::Expected| match (paper.value, &paper.says) {
        (_, Some(words)) if paper.value.is_none() => Stated::Words(format!("{words} ({})", paper.shown())),
        (Some(value), _) => Stated::Number(value),
        (None, _) => Stated::Words(paper.shown()),
    };
    let reference = &claim.reference;
    Claim {
        claim: claim.claim.clone(),
        r#where: claim.r#where.clone(),
        paper: claim.paper.as_ref().map(stated),
        measured: value,
        tolerance: claim.paper.as_ref().and_then(data::Expected::tolerance),
        verdict,
        reference: Reference {
            value: reference.value,
            tolerance: reference.tolerance(),
            at_least: reference.at_least,
            at_most: reference.at_most,
            held: value.is_some_and(|value| reference.holds(value)),
        },
        measure: claim.measure.clone(),
        note: claim.note.clone(),
        reason,
    }
}
