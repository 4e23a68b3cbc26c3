//! Models that no initial data satisfy, as the analysis shows.

use crate::loaded::Loaded;
use cotangent_analysis::{MotionError, constraints_within, specialise};
use cotangent_compile::values::{Setting, parameters};

/// The surface of more variables is not looked at by symbols, which alone show that it has no point.
const MAX_VARIABLES: usize = 30;

/// Why the constraints cannot hold at these values of the parameters, if the analysis shows it.
pub(super) fn impossible(model: &Loaded) -> Option<String> {
    let system = &model.system;
    if system.dynamics.variables().len() > MAX_VARIABLES {
        return None;
    }
    let named = |s: &&Setting| system.parameter(&s.name).is_some();
    let set: Vec<Setting> = model.settings.iter().filter(named).cloned().collect();
    let mut values = parameters(system, &set).ok()?.into_iter();
    let mut all = vec![];
    for p in &system.parameters {
        for (k, value) in values.by_ref().take(p.array.len()).enumerate() {
            let index = Some(p.array.multi_index(k)).filter(|index| !index.is_empty());
            all.push(Setting { name: p.array.name().to_owned(), index, value });
        }
    }
    match constraints_within(&specialise(system, &all).ok()?, &model.limits) {
        Err(error @ MotionError::Inconsistent { .. }) => Some(error.to_string()),
        _ => None,
    }
}
