//! `analyze`: Dirac's analysis of a model.

mod document;
mod text;

pub use document::Document;

use crate::failure::Failure;
use crate::input::Input;
use crate::loaded::Loaded;
use crate::session::{Session, Status};
use cotangent_analysis::{AnalysisError, analyze_within, latex, specialise};
use cotangent_compile::values::Setting;

/// Analyses a model, with the parameters that are set as numbers; with its derivation in LaTeX if that is wanted.
pub fn analyze(
    input: Input,
    set: &[Setting],
    with_latex: bool,
    session: &mut Session<'_>,
) -> Result<Document, Failure> {
    let model = Loaded::new(input, set, session.limits())?;
    let system = specialise(&model.system, &model.settings).map_err(refused)?;
    let report = analyze_within(&system, &model.limits).map_err(refused)?;
    session.review(&model.input, &model.system.warnings);
    let derivation = with_latex.then(|| latex(&report));
    let (shown, implicit) = report.legible();
    Ok(Document::new(shown, implicit, derivation))
}

impl Document {
    /// Whether everything is decided, consistent, and as it is claimed.
    pub fn status(&self) -> Status {
        if self.analysis.held() { Status::Held } else { Status::NotHeld }
    }

    /// As people read it.
    pub fn text(&self, coloured: bool) -> String {
        match &self.latex {
            Some(latex) => latex.clone(),
            None => text::render(&self.analysis, &self.implicit_vectors, coloured),
        }
    }
}

fn refused(error: AnalysisError) -> Failure {
    match error {
        AnalysisError::Value(e) => e.into(),
        AnalysisError::Interrupted(_) => Failure::interrupted(),
        AnalysisError::TooLarge { .. } => Failure::new("too-large", error.to_string()),
        AnalysisError::NotAParameter { .. } => {
            Failure::new("wrong-place", error.to_string()).help("--set gives sizes and parameters here")
        }
        _ => Failure::new("analysis", error.to_string()),
    }
}
