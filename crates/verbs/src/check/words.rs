//! The words of a `run` statement: whether they name anything.

use crate::choice::NONE;
use crate::failure::Failure;
use crate::loaded::Loaded;
use crate::setup::{composition, formulation, method, target};
use cotangent_model::RunKey;
use cotangent_model::diagnostic::{Code, Diagnostic, Diagnostics};
use cotangent_model::syntax::ast::{Setting, SettingValue, StatementKind};

/// Refuses words that name no method, formulation, composition or projection, at their place in the text.
pub(super) fn known(model: &Loaded) -> Result<(), Failure> {
    let runs = model.file.statements.iter().filter_map(|s| match &s.kind {
        StatementKind::Run(settings) => Some(settings),
        _ => None,
    });
    let mut diagnostics = Diagnostics::new();
    runs.flatten().filter_map(unknown).for_each(|d| diagnostics.push(d));
    if diagnostics.is_empty() { Ok(()) } else { Err(model.input.failure(diagnostics)) }
}

fn unknown(setting: &Setting) -> Option<Diagnostic> {
    let SettingValue::Word(word) = &setting.value else { return None };
    let name = word.text.as_str();
    let refused = match setting.key {
        RunKey::Method => method(name).err(),
        RunKey::Formulation => formulation(name).err(),
        RunKey::Compose if name != NONE => composition(name).err(),
        RunKey::Inner => method(name).err(),
        RunKey::Project => target(name).err(),
        _ => None,
    };
    let Failure::Refused { message, help, .. } = refused? else { return None };
    let d = Diagnostic::new(Code::UnknownRunValue, word.span, message);
    Some(match help {
        Some(help) => d.help(help),
        None => d,
    })
}
