//! Models that no initial data satisfy, as the analysis shows.

use crate::loaded::Loaded;
use cotangent_analysis::{MotionError, at_exact_values, constraints_within};
use cotangent_compile::Engine;
use cotangent_compile::values::Setting;
use cotangent_problem::Repairs;
use cotangent_theory::Formulation;

/// The analysis of more variables takes longer than a message may.
const MAX_VARIABLES: usize = 8;

/// What is wrong with the constraints if the analysis shows that they cannot hold at the values of the parameters as they are
/// written; rounded values show nothing. It is not asked where points are found.
pub(super) fn impossible(model: &Loaded, repairs: Repairs) -> Option<String> {
    let system = &model.system;
    if system.dynamics.variables().len() > MAX_VARIABLES {
        return None;
    }
    let projecting = Repairs { project_initial: true, ..repairs };
    let is_found = || model.model.pose(Formulation::Multipliers, &model.settings, projecting, Engine::Tape).is_ok();
    if !repairs.project_initial && is_found() {
        return None;
    }
    let named = |s: &&Setting| system.parameter(&s.name).is_some();
    let set: Vec<Setting> = model.settings.iter().filter(named).cloned().collect();
    let exact = at_exact_values(system, &set).ok()??;
    match constraints_within(&exact, &model.limits) {
        Err(MotionError::Inconsistent { verdict }) => Some(sentence(&verdict, system.constraints.len() > 1)),
        _ => None,
    }
}

/// What the analysis says of the constraint that cannot be kept, which it calls by its name.
fn sentence(verdict: &str, has_others: bool) -> String {
    let Some(name) = verdict.split('`').nth(1) else { return "no initial data satisfy its constraints".to_owned() };
    match verdict.contains("can vanish") {
        true if has_others => format!("no initial data satisfy `{name}` together with its other constraints"),
        true => format!("no initial data satisfy `{name}`"),
        false => format!("whatever the initial data are, the motion leaves `{name}`"),
    }
}
