//! `cotangent analyze`: Dirac's analysis of a model.

mod document;
mod text;

use super::args;
use super::failure::{Code, Failure};
use super::input::Input;
use super::loaded::Loaded;
use super::output::{Output, Status};
use cotangent::analysis::{AnalysisError, analyze_within, latex, specialise};
use document::Document;

/// Analyses a model.
pub(crate) fn run(args: &args::Analyze, out: &mut Output) -> Result<Status, Failure> {
    let model = Loaded::new(Input::read(&args.model)?, &args.set, out.limits())?;
    let system = specialise(&model.system, &model.settings).map_err(refused)?;
    let report = analyze_within(&system, &model.limits).map_err(refused)?;
    let (shown, implicit) = report.legible();
    if out.wants_json() {
        out.document(&Document::new(&shown, &implicit, args.latex.then(|| latex(&report))))?;
    } else {
        out.tell(&model.warnings(out.message_colour()));
        match args.latex {
            true => out.print(&latex(&report)),
            false => out.print(&text::render(&shown, &implicit, out.coloured())),
        }
    }
    Ok(if report.held() { Status::Held } else { Status::Failed })
}

fn refused(error: AnalysisError) -> Failure {
    match error {
        AnalysisError::Value(e) => e.into(),
        AnalysisError::Interrupted(_) => Failure::interrupted(),
        AnalysisError::TooLarge { .. } => Failure::new(Code::TooLarge, error.to_string()),
        AnalysisError::NotAParameter { .. } => {
            Failure::new(Code::WrongPlace, error.to_string()).help("--set gives sizes and parameters here")
        }
        _ => Failure::new(Code::Analysis, error.to_string()),
    }
}
