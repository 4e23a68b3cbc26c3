//! From a model text and `--set` to a system.

use super::failure::Failure;
use super::input::Input;
use super::setting::Settings;
use cotangent::compile::values::Setting;
use cotangent::model::diagnostic::{Colour, Diagnostic, Diagnostics};
use cotangent::model::syntax::ast::{File, StatementKind};
use cotangent::model::syntax::parse;
use cotangent::model::{Options, System};
use cotangent::problem::Model;
use cotangent::scalar::Limits;
use std::sync::Arc;

/// A system, its text, and the settings that are not sizes.
pub(crate) struct Loaded {
    pub(crate) input: Input,
    pub(crate) file: File,
    pub(crate) system: System,
    pub(crate) settings: Vec<Setting>,
    /// What its formulations share.
    pub(crate) model: Arc<Model>,
    /// How far what is computed from it may go.
    pub(crate) limits: Limits,
}

impl Loaded {
    /// Parses the text with the sizes that are set.
    pub(crate) fn new(input: Input, set: &[Setting], limits: Limits) -> Result<Loaded, Failure> {
        let file = parse(&input.source).file;
        let settings = Settings::sort(set, &file)?;
        let options = Options { integers: settings.integers };
        let mut system = System::parse_with(&input.source, &options).map_err(|d| input.failure(d))?;
        let is_named = file.statements.iter().any(|s| matches!(s.kind, StatementKind::Model { .. }));
        if let (false, Some(stem)) = (is_named, &input.stem) {
            system.name.clone_from(stem);
        }
        let model = Arc::new(Model::new(&system, &limits));
        Ok(Loaded { input, file, system, settings: settings.values, model, limits })
    }

    /// Warnings about the text, with the lines they are about.
    pub(crate) fn warnings(&self, colour: Colour) -> String {
        drawn(&self.system.warnings, &self.input, colour)
    }
}

fn drawn(list: &[Diagnostic], input: &Input, colour: Colour) -> String {
    let mut all = Diagnostics::new();
    list.iter().for_each(|d| all.push(d.clone()));
    all.render_warnings(&input.name, &input.source, colour)
}
