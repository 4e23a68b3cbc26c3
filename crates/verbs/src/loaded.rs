//! From a source and what is set to a system.

use crate::choice::charts::separated;
use crate::failure::{Code, Failure};
use crate::input::{Input, Source};
use crate::setting::Settings;
use cotangent_compile::values::Setting;
use cotangent_model::syntax::ast::{File, StatementKind};
use cotangent_model::syntax::parse;
use cotangent_model::{Options, System};
use cotangent_problem::Model;
use cotangent_scalar::Limits;
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
    /// The system of a source, with the sizes that are set.
    pub(crate) fn new(source: Source, set: &[Setting], limits: &Limits) -> Result<Loaded, Failure> {
        Loaded::with_lapse(source, set, None, limits)
    }

    /// The same with another lapse than the text says.
    pub(crate) fn with_lapse(
        source: Source,
        set: &[Setting],
        lapse: Option<&str>,
        limits: &Limits,
    ) -> Result<Loaded, Failure> {
        let (input, file, system, settings) = match source {
            Source::Text(input) => {
                let file = parse(&input.source).file;
                let settings = Settings::sort(set, &file)?;
                let system = parsed(&input, &file, settings.integers, lapse)?;
                (input, file, system, settings.values)
            }
            Source::System(_) if lapse.is_some() => {
                let message = "a lapse is an expression in the names of a text, and this model was built without one";
                return Err(Failure::new(Code::DoesNotApply, message).help("give the model as text"));
            }
            Source::System(system) => {
                let input = Input { name: system.name.clone(), ..Input::default() };
                (input, parse("").file, *system, set.to_vec())
            }
        };
        let model = Arc::new(Model::new(&system, limits));
        Ok(Loaded { input, file, system, settings, model, limits: limits.clone() })
    }

    /// The same with the variables that are kept where a formulation keeps some of them.
    pub(crate) fn keeping(self, charts: &[String]) -> Loaded {
        let charts: Vec<Vec<String>> = charts.iter().map(|chart| separated(chart)).collect();
        let model = Arc::new(Model::new(&self.system, &self.limits).keeping(charts));
        Loaded { model, ..self }
    }
}

/// The system of a text, under the name of its file if it gives none.
fn parsed(input: &Input, file: &File, integers: Vec<(String, i64)>, lapse: Option<&str>) -> Result<System, Failure> {
    let options = Options { integers };
    let mut system = match lapse {
        None => System::parse_with(&input.source, &options).map_err(|d| input.failure(d))?,
        Some(lapse) => {
            let with_lapse = Input { source: System::text_with_lapse(&input.source, lapse), ..input.clone() };
            System::parse_with_lapse(&input.source, &options, lapse).map_err(|d| with_lapse.failure(d))?
        }
    };
    let is_named = file.statements.iter().any(|s| matches!(s.kind, StatementKind::Model { .. }));
    if let (false, Some(stem)) = (is_named, &input.stem) {
        system.name.clone_from(stem);
    }
    Ok(system)
}
