//! Where pages and pictures go.

use super::data::Experiment;
use super::document::Document;
use super::figure::figure;
use super::page::page;
use crate::failure::{Code, Failure};
use crate::reason::Reason;
use std::path::{Path, PathBuf};

/// How pictures are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Picture {
    /// As drawings.
    #[default]
    Svg,
    /// As pixels.
    Png,
}

/// A folder that pages and pictures can be written to.
pub(super) struct Places {
    folder: PathBuf,
    ending: &'static str,
}

impl Places {
    /// Makes the folders, and refuses what cannot be written.
    pub(super) fn new(folder: &Path, experiments: &[&Experiment], picture: Picture) -> Result<Places, Failure> {
        let ending = match picture {
            Picture::Svg => "svg",
            Picture::Png => "png",
        };
        for experiment in experiments {
            let own = folder.join(experiment.paper());
            std::fs::create_dir_all(&own).map_err(|e| {
                Failure::new(Code::Unwritable, format!("the folder `{}` cannot be made: {e}", own.display()))
                    .help("give a folder that can be written to with --out")
            })?;
            let unwritable = |e: cotangent_plot::PlotError| Failure::new((&e).into(), e.to_string());
            cotangent_plot::check_destination(own.join(experiment.name()).with_extension(ending))
                .map_err(unwritable)?;
        }
        Ok(Places { folder: folder.to_owned(), ending })
    }

    /// Writes a page of each paper and a picture of each figure: what was written, and what could not be.
    pub(super) fn write(&self, document: &Document) -> (Vec<String>, Vec<Reason>) {
        let (mut written, mut failures) = (vec![], vec![]);
        for experiment in &document.experiments {
            let path = self.folder.join(&experiment.id).with_extension(self.ending);
            match figure(experiment).map(|figure| figure.write(&path)) {
                Some(Ok(())) => written.push(path.display().to_string()),
                Some(Err(error)) => failures.push(Reason::new((&error).into(), error.to_string())),
                None => {}
            }
        }
        for paper in &document.papers {
            let path = self.folder.join(&paper.key).with_extension("html");
            match page(document, paper).write(&path) {
                Ok(()) => written.push(path.display().to_string()),
                Err(error) => failures.push(Reason::new((&error).into(), error.to_string())),
            }
        }
        let path = self.folder.join("claims.md");
        match cotangent_destination::replace(&path, document.markdown().as_bytes()) {
            Ok(()) => written.push(path.display().to_string()),
            Err(error) => failures.push(Reason::new(Code::Unwritable, error.to_string())),
        }
        (written, failures)
    }
}
