//! The claims of a model (`casimir`, `invariant`), tested by the analysis.

use crate::claims::ClaimEntry;
use cotangent_analysis::{Analysis, Certainty, ClaimReport, Outcome, analyze_within, specialise};
use cotangent_compile::values::Setting;
use cotangent_model::System;
use cotangent_scalar::Limits;

/// What became of one claim.
pub(super) struct Tested {
    pub(super) entry: Option<ClaimEntry>,
    /// In words.
    pub(super) text: String,
}

/// Tests the claims, in their order.
pub(super) fn test(system: &System, set: &[Setting], limits: &Limits) -> Vec<Tested> {
    if system.claims.is_empty() {
        return vec![];
    }
    let parameters: Vec<Setting> = set.iter().filter(|s| system.parameter(&s.name).is_some()).cloned().collect();
    let found = specialise(system, &parameters).and_then(|system| analyze_within(&system, limits));
    let one = |claim: &cotangent_model::Claim| match &found {
        Ok(analysis) => tested(claim.quantity.array.name(), analysis),
        Err(e) => untested(e.to_string()),
    };
    system.claims.iter().map(one).collect()
}

/// Of a family the member that is worst off.
fn tested(name: &str, analysis: &Analysis) -> Tested {
    let own = |c: &&ClaimReport| c.name.split('[').next() == Some(name);
    let rank = |c: &&ClaimReport| match (c.judgement(), &c.at_values) {
        (Outcome::Fails, _) => 4,
        (Outcome::Undecided, _) => 3,
        (Outcome::Holds(_), Some(_)) => 2,
        (Outcome::Holds(Certainty::Sampled(_)), _) => 1,
        (Outcome::Holds(Certainty::Proved), _) => 0,
    };
    let members = analysis.claims.iter().filter(own).count();
    match analysis.claims.iter().filter(own).max_by_key(rank) {
        Some(worst) => {
            let which = if members > 1 && rank(&worst) > 1 { format!("{}: ", worst.name) } else { String::new() };
            let entry = ClaimEntry::new(worst);
            let text = format!("{which}{}", entry.words(&worst.name, str::to_owned));
            Tested { entry: Some(entry), text }
        }
        None => untested(match (&analysis.stopped, analysis.consistent) {
            (Some(reason), _) => reason.clone(),
            (None, Some(false)) => "the model has no solutions".to_owned(),
            _ => "the family has no members".to_owned(),
        }),
    }
}

fn untested(reason: String) -> Tested {
    Tested { entry: None, text: format!("undecided: {reason}") }
}
