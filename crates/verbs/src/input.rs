//! A model as it is given to a verb.

use crate::failure::Failure;
use cotangent_model::System;
use cotangent_model::diagnostic::Diagnostics;
use serde::{Deserialize, Serialize};

/// A model text and what to call it in messages.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Input {
    /// A path, `<stdin>`, or the name of a shipped model's file.
    pub name: String,
    /// The name of the model, if its text gives none.
    pub stem: Option<String>,
    /// The text; empty for a system that was built in Rust.
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

/// A model as it is given to a verb: a text, or a system that was built or parsed in Rust.
#[derive(Clone, Debug)]
pub enum Source {
    /// A text. Its sizes can be set, reports show it, and an interrupted run of it can be resumed.
    Text(Input),
    /// A system.
    System(Box<System>),
}

impl Source {
    /// What it is called.
    pub(crate) fn name(&self) -> &str {
        match self {
            Source::Text(input) => &input.name,
            Source::System(system) => &system.name,
        }
    }
}

impl From<Input> for Source {
    fn from(input: Input) -> Source {
        Source::Text(input)
    }
}

impl From<&System> for Source {
    fn from(system: &System) -> Source {
        Source::System(Box::new(system.clone()))
    }
}

/// The text of a model.
impl From<&str> for Source {
    fn from(text: &str) -> Source {
        Source::Text(Input { name: "<text>".into(), source: text.to_owned(), ..Input::default() })
    }
}
