//! The experiments of the papers that Cotangent comes from, as data: models, runs, claims and references.
//!
//! ```
//! let library = cotangent::experiments::library()?;
//! assert!(library.papers.iter().any(|paper| paper.key == "leimkuhler-reich"));
//! # Ok::<(), cotangent::verbs::Failure>(())
//! ```

use crate::models;
use crate::verbs::reproduce::{Folder, Library};
use crate::verbs::{Code, Failure};
use std::io;
use std::path::{Path, PathBuf};

/// All papers with their experiments.
pub fn library() -> Result<Library, Failure> {
    let pairs = |list: &[(&str, &str)]| list.iter().map(|(name, text)| ((*name).into(), (*text).into())).collect();
    let folder = |paper: &Paper| Folder {
        key: paper.key.into(),
        paper: paper.text.into(),
        experiments: pairs(paper.experiments),
        models: pairs(paper.models),
    };
    with_shipped(&PAPERS.iter().map(folder).collect::<Vec<_>>())
}

/// The papers of a folder on the disk, each a folder with a file `paper.toml` beside experiments (`.toml`) and models
/// (`.cot`). Figures come first, then in the order of their names, numbers in them by their size.
pub fn read(folder: &Path) -> Result<Library, Failure> {
    let folders = folders(folder)?;
    if folders.is_empty() {
        let message = format!("there is no folder with a file `paper.toml` in `{}`", folder.display());
        return Err(Failure::new(Code::Unreadable, message).help(match folder.join("paper.toml").is_file() {
            true => "it is the folder of a paper: give the one above it",
            false => EXPECTED,
        }));
    }
    with_shipped(&folders)
}

/// What is read.
const EXPECTED: &str = "give a folder with a folder for each paper, which has a file `paper.toml`";

fn unreadable(path: &Path, error: &io::Error) -> Failure {
    Failure::new(Code::Unreadable, format!("cannot read `{}`: {error}", path.display()))
}

fn with_shipped(folders: &[Folder]) -> Result<Library, Failure> {
    let shipped: Vec<(&str, &str)> = models::all().iter().map(|model| (model.name, model.source)).collect();
    Library::new(folders, &shipped)
}

fn folders(folder: &Path) -> Result<Vec<Folder>, Failure> {
    let mut found = vec![];
    for paper in entries(folder)?.into_iter().filter(|path| path.join("paper.toml").is_file()) {
        let mut own = Folder { key: stem(&paper), ..Folder::default() };
        for path in entries(&paper)? {
            match path.extension().and_then(|ending| ending.to_str()) {
                Some("toml") if stem(&path) == "paper" => own.paper = text(&path)?,
                Some("toml") => own.experiments.push((stem(&path), text(&path)?)),
                Some("cot") => own.models.push((stem(&path), text(&path)?)),
                _ => {}
            }
        }
        own.experiments.sort_by_key(|(name, _)| (!name.starts_with("fig"), by_number(name)));
        found.push(own);
    }
    found.sort_by(|a, b| a.key.cmp(&b.key));
    Ok(found)
}

fn entries(folder: &Path) -> Result<Vec<PathBuf>, Failure> {
    let listed = std::fs::read_dir(folder).and_then(|list| list.map(|entry| Ok(entry?.path())).collect());
    listed.map_err(|error| unreadable(folder, &error).help(EXPECTED))
}

fn text(path: &Path) -> Result<String, Failure> {
    std::fs::read_to_string(path).map_err(|error| unreadable(path, &error))
}

fn stem(path: &Path) -> String {
    path.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}

/// A name in parts, of which those that are numbers are compared as such.
fn by_number(name: &str) -> Vec<(String, u64)> {
    name.split('-').map(|part| part.parse().map_or((part.to_owned(), 0), |n| (String::new(), n))).collect()
}

/// The files of a paper.
struct Paper {
    key: &'static str,
    text: &'static str,
    experiments: &'static [(&'static str, &'static str)],
    models: &'static [(&'static str, &'static str)],
}

macro_rules! text {
    ($key:literal, $name:literal, $ending:literal) => {
        include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../experiments/", $key, "/", $name, $ending))
    };
}

macro_rules! paper {
    ($key:literal: [$($experiment:literal)*], [$($model:literal)*]) => {
        Paper {
            key: $key,
            text: text!($key, "paper", ".toml"),
            experiments: &[$(($experiment, text!($key, $experiment, ".toml"))),*],
            models: &[$(($model, text!($key, $model, ".cot"))),*],
        }
    };
}

/// The files under `experiments`, paper by paper.
const PAPERS: &[Paper] = &[
    paper!("balk": ["fig-1-1" "fig-3-1" "fig-3-2" "fig-4-1" "fig-4-2" "example-3-6"],
        ["two-constraints" "two-constraints-printed" "mass-burgers" "characteristics" "broken-burgers" "galerkin-burgers" "nodal-burgers"]),
    paper!("leimkuhler-reich": ["fig-1" "fig-2" "fig-3" "fig-4" "fig-5" "fig-6"], []),
    paper!("mclachlan": ["fig-2" "fig-3" "fig-4" "fig-5" "fig-6" "fig-7" "fig-8-11" "fig-12"],
        ["bicycle-reduced" "hill"]),
    paper!("seiler": ["fig-1" "fig-2" "eigenvalues" "formulations" "growth" "modified" "periodogram" "tolerance"],
        ["impetus" "impetus-modified" "pendulum-modified"]),
    paper!("tyranowski": ["fig-1" "fig-2" "fig-3" "fig-4" "fig-5" "fig-6" "fig-7" "fig-8" "fig-9" "fig-10" "fig-11" "fig-12"
        "turning-points"], ["swing"]),
];
