//! The text of a model, and what to call it.

use crate::failure::Failure;
use cotangent_model::diagnostic::Diagnostics;

/// A model text and what to call it in messages.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Input {
    /// A path, `<stdin>`, or the name of a shipped model's file.
    pub name: String,
    /// The name of the model, if its text gives none.
    pub stem: Option<String>,
    /// The text.
    pub source: String,
    /// The command that asked for it, as reports show it.
    pub command: String,
}

impl Input {
    /// The mistakes of this text.
    pub(crate) fn failure(&self, diagnostics: Diagnostics) -> Failure {
        Failure::Model { file: self.name.clone(), source: self.source.clone(), diagnostics }
    }
}
