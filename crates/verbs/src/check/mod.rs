//! `check`: what a model is, and whether its initial data fit its constraints.

mod claims;
mod formula;
mod report;
mod text;
mod values;

pub use report::Report;

use crate::failure::Failure;
use crate::input::Input;
use crate::loaded::Loaded;
use crate::memory::{Use, afford};
use crate::session::{Session, Status};
use crate::setup::{Refused, refused};
use cotangent_compile::values::Setting;

/// Checks a model, with other values of its parameters and initial data where they are set.
pub fn check(input: Input, set: &[Setting], session: &mut Session<'_>) -> Result<Report, Failure> {
    let model = Loaded::new(input, set, session.limits())?;
    afford(&model.system, Use::Check, session.memory())?;
    let mut report = Report::new(&model.system, &model.input, &model.file, &model.settings, &model.limits)?;
    if report.held() {
        let answer = refused(&model);
        model.limits.check().map_err(|_| Failure::interrupted())?;
        if let Some(Refused { failure, is_mistake }) = answer {
            report.refuse(&failure, is_mistake);
        }
    }
    model.limits.check().map_err(|_| Failure::interrupted())?;
    session.review(&model.input, &model.system.warnings);
    Ok(report)
}

impl Report {
    /// Whether everything that could be checked holds.
    pub fn status(&self) -> Status {
        if self.held() { Status::Held } else { Status::NotHeld }
    }

    /// Whether `run` goes on from here.
    pub fn can_run(&self) -> bool {
        self.held() && self.refused.is_none()
    }

    /// As people read it.
    pub fn text(&self, coloured: bool) -> String {
        text::render(self, coloured)
    }
}
