//! `cotangent check`: what a model is, and whether its initial data fit its constraints.

mod claims;
mod formula;
mod report;
mod text;
mod values;

use super::args;
use super::failure::Failure;
use super::input::Input;
use super::loaded::Loaded;
use super::memory::{self, Use};
use super::output::{Output, Status};
use super::setup::{Refused, refused};
use report::Report;

/// Checks a model.
pub(crate) fn run(args: &args::Check, out: &mut Output) -> Result<Status, Failure> {
    let model = Loaded::new(Input::read(&args.model)?, &args.set, out.limits())?;
    memory::afford(&model.system, Use::Check, memory::available())?;
    let mut report = Report::new(&model.system, &model.input, &model.file, &model.settings, &model.limits)?;
    if report.held() {
        let answer = refused(&model);
        model.limits.check().map_err(|_| Failure::interrupted())?;
        if let Some(Refused { failure, is_mistake }) = answer {
            report.refuse(&failure, is_mistake);
        }
    }
    model.limits.check().map_err(|_| Failure::interrupted())?;
    if out.wants_json() {
        out.document(&report)?;
    } else {
        out.tell(&model.warnings(out.message_colour()));
        out.print(&text::render(&report, out.coloured()));
        if report.held() && report.refused.is_none() && out.on_terminal() {
            out.tell(&format!("\nTo integrate it: cotangent run {}\n", args.model));
        }
    }
    Ok(if report.held() { Status::Held } else { Status::Failed })
}
