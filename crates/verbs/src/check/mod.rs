//! `check`: what a model is, and whether its initial data fit its constraints.

mod claims;
mod document;
mod formula;
mod report;
mod text;
mod values;
mod words;

pub use crate::claims::{ClaimEntry, Claimed, Counterexample, Judged, Known};
pub use document::{
    Checked, Claim, Document, Energy, Formula, JacobiFailure, Line, Parameter, Refusal, RunNumber, RunSetting,
    Variable, Worst,
};
pub use values::{NotNamed, Start, Values};

use crate::choice::shown::settings;
use crate::failure::Failure;
use crate::input::Source;
use crate::loaded::Loaded;
use crate::memory::{Use, afford};
use crate::session::{Session, Status};
use crate::setting::without_effect;
use crate::setup::{Refused, refused};
use cotangent_compile::values::Setting;
use serde::{Deserialize, Serialize};

/// A model, to be looked at.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Request {
    /// Other values of parameters, initial values and sizes.
    #[serde(with = "settings")]
    pub set: Vec<Setting>,
}

/// What a model is, and whether its initial data fit its constraints.
pub fn check(model: impl Into<Source>) -> Result<Document, Failure> {
    Request::default().answer(model.into(), &mut Session::default())
}

impl Request {
    /// Checks a model.
    pub fn answer(&self, model: Source, session: &mut Session<'_>) -> Result<Document, Failure> {
        let model = Loaded::new(model, &self.set, session.limits())?;
        words::known(&model)?;
        afford(&model.system, Use::Check, session.memory())?;
        let mut document = Document::new(&model.system, &model.input, &model.file, &model.settings, &model.limits)?;
        if document.held() {
            let answer = refused(&model);
            model.limits.check().map_err(|_| Failure::interrupted())?;
            if let Some(Refused { failure, is_mistake }) = answer {
                document.refuse(&failure, is_mistake);
            }
        }
        model.limits.check().map_err(|_| Failure::interrupted())?;
        session.review(&model.input, &model.system.warnings);
        let said = std::mem::take(&mut document.notes).into_iter();
        said.chain(without_effect(&model.system, &model.settings)).for_each(|note| session.note(note));
        document.notes = session.notes().to_vec();
        Ok(document)
    }
}

impl Document {
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
