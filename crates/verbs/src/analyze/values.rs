//! The parameters of a model for which something holds that does not for all.

use crate::figures::short;
use crate::map::Map;
use cotangent_analysis::{AtValues, Outcome};

/// The parameters of the model, if something holds for them and not for all.
pub(super) fn special(own: Option<&AtValues>) -> Option<Map<f64>> {
    let own = own.filter(|v| matches!(v.outcome, Outcome::Holds(_)))?;
    Some(own.values.iter().cloned().collect())
}

/// `a = 1, b = 2`.
pub(super) fn points(values: &Map<f64>) -> String {
    let all: Vec<String> = values.iter().map(|(name, x)| format!("{name} = {}", short(*x))).collect();
    all.join(", ")
}
