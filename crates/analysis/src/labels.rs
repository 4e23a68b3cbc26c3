//! Names of constraints for a reader: one that the model calls like a variable or a parameter gets a name of its own, as in
//! H_c + λ_x x the constraint `x` is taken for the variable.

use crate::report::{Analysis, ConditionOutcome};
use std::collections::{BTreeMap, BTreeSet};

/// Without indices, and without primes of time derivatives.
fn stem(name: &str) -> &str {
    &name[..name.find(['[', '\'']).unwrap_or(name.len())]
}

/// Gives names to constraints that have one of these.
pub(crate) fn distinguish(report: &mut Analysis, taken: &BTreeSet<String>) {
    let (mut of_formulas, mut labels) = (BTreeSet::new(), BTreeSet::new());
    of_formulas.extend(taken.iter().chain(&report.variables).map(|name| stem(name).to_owned()));
    each(report, &mut |name| {
        labels.insert(stem(name).to_owned());
    });
    let mut new: BTreeMap<String, String> = BTreeMap::new();
    for label in labels.intersection(&of_formulas) {
        // A name that was given is not given again.
        let is_free = |wanted: &String| {
            !of_formulas.contains(wanted) && !labels.contains(wanted) && new.values().all(|given| given != wanted)
        };
        let mut names = (1..).map(|k| if k == 1 { format!("phi_{label}") } else { format!("phi_{label}{k}") });
        if let Some(own) = names.find(is_free) {
            new.insert(label.clone(), own);
        }
    }
    let mut quoted = BTreeMap::new();
    each(report, &mut |name| {
        if let Some(own) = new.get(stem(name)) {
            let own = format!("{own}{}", &name[stem(name).len()..]);
            quoted.insert(format!("`{name}`"), format!("`{own}`"));
            *name = own;
        }
    });
    for text in report.verdicts.iter_mut().map(|v| &mut v.statement).chain(&mut report.stopped) {
        *text = quoted.iter().fold(text.clone(), |text, (old, own)| text.replace(old, own));
    }
}

/// Every name of a constraint.
fn each(a: &mut Analysis, put: &mut dyn FnMut(&mut String)) {
    for c in &mut a.constraints {
        put(&mut c.name);
        c.combination.iter_mut().for_each(|(other, _)| put(other));
    }
    for step in &mut a.conditions {
        put(&mut step.constraint);
        if let ConditionOutcome::Constraint(new) = &mut step.outcome {
            new.iter_mut().for_each(&mut *put);
        }
    }
    a.irregular.iter_mut().for_each(|(name, ..)| put(name));
    a.multipliers.iter_mut().for_each(|m| put(&mut m.constraint));
    a.gauge.iter_mut().for_each(|g| put(&mut g.generator));
    a.conjecture.iter_mut().flat_map(|c| &mut c.not_gauge).for_each(&mut *put);
    a.branches.iter_mut().for_each(|b| each(&mut b.analysis, put));
}
