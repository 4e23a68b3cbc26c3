//! What an analysis must have found so that the motion is determined: every constraint second class, or a Casimir.

use crate::algebra::Field;
use crate::analyze::with_phase;
use crate::error::AnalysisError;
use crate::report::{Analysis, Class, MultiplierValue, Outcome};
use cotangent_expr::{Error, Expr};
use cotangent_model::System;
use cotangent_scalar::Limits;
use cotangent_theory::{Classified, Constraints, Phase};

/// Why the analysis of a model leads to no equations of motion.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
pub enum MotionError {
    /// The motion is not unique.
    #[error("the motion is not determined: {} first class{}", are(constraints), arbitrary(multipliers))]
    FirstClass {
        /// The first-class constraints.
        constraints: Vec<String>,
        /// The multipliers that nothing determines.
        multipliers: Vec<String>,
    },
    /// Gauge conditions that do more than to fix a gauge.
    #[error(
        "the gauge conditions `{}` restrict the motion itself: with them there are {found} second-class constraints, and \
         {expected} would fix the gauge", conditions.join("`, `")
    )]
    Overfixed {
        /// The conditions, and what follows from them.
        conditions: Vec<String>,
        /// The number of second-class constraints.
        found: usize,
        /// Those without the conditions, and two for each first-class one.
        expected: usize,
    },
    /// A constraint whose gradient vanishes where it does.
    #[error("`{constraint}` is irregular: the gradient of {expression} vanishes where it does")]
    Irregular {
        /// Its name.
        constraint: String,
        /// What vanishes.
        expression: String,
        /// Regular constraints with the same zeros.
        instead: Vec<String>,
    },
    /// A constraint that touches others: wherever they hold together, their gradients depend on each other.
    #[error("`{constraint}` touches `{}`: wherever they hold together their gradients depend on each other", others.join("`, `"))]
    Touching {
        /// Its name.
        constraint: String,
        /// The others.
        others: Vec<String>,
        /// What to state in its place: where the others hold it has the same zeros.
        instead: Vec<String>,
    },
    /// Constraints that cannot be kept.
    #[error("the model is inconsistent: {verdict} does not hold")]
    Inconsistent {
        /// What would have to hold.
        verdict: String,
    },
    /// An analysis without an answer.
    #[error("the analysis is undecided: {reason}")]
    Undecided {
        /// Why.
        reason: String,
    },
    /// No analysis at all.
    #[error(transparent)]
    Analysis(#[from] AnalysisError),
}

impl From<Error> for MotionError {
    fn from(error: Error) -> MotionError {
        AnalysisError::from(error).into()
    }
}

fn are(names: &[String]) -> String {
    format!("`{}` {}", names.join("`, `"), if names.len() == 1 { "is" } else { "are" })
}

fn arbitrary(multipliers: &[String]) -> String {
    match multipliers {
        [] => String::new(),
        list => format!(", and {} arbitrary", are(list)),
    }
}

/// The constraints of a model, if they determine its motion.
pub fn constraints(system: &System) -> Result<Constraints, MotionError> {
    constraints_within(system, &Limits::default())
}

/// The same within limits.
pub fn constraints_within(system: &System, limits: &Limits) -> Result<Constraints, MotionError> {
    let (report, phase) = with_phase(system, limits)?;
    let (Some(phase), Some(hamiltonian)) = (phase, report.hamiltonian.clone()) else {
        return Err(refusal(&report));
    };
    let kept = second_class(&report, &phase)?;
    let one = |(c, second): (&crate::report::Constraint, bool)| Classified {
        name: c.name.clone(),
        expression: c.expression.clone(),
        generation: c.generation,
        second,
        multiplier: report.multipliers.iter().find(|m| m.constraint == c.name).map(|m| m.name.clone()),
    };
    let list = report.constraints.iter().zip(kept).map(one).collect();
    Ok(Constraints { phase, hamiltonian, list })
}

/// Whether each constraint takes part in the bracket; Casimirs do not. Refuses what the analysis refuses.
fn second_class(report: &Analysis, phase: &Phase) -> Result<Vec<bool>, MotionError> {
    if report.stopped.is_some() || report.consistent != Some(true) || report.count.is_none() {
        return Err(refusal(report));
    }
    if let Some((constraint, old, new)) = report.irregular.first() {
        let (constraint, expression) = (constraint.clone(), old.to_string());
        let instead = new.iter().map(ToString::to_string).collect();
        return Err(MotionError::Irregular { constraint, expression, instead });
    }
    let (mut kept, mut first) = (vec![], vec![]);
    for c in &report.constraints {
        let second = c.class == Some(Class::Second);
        if !second && !is_casimir(&c.expression, phase)? {
            first.push(c.name.clone());
        }
        kept.push(second);
    }
    let is_arbitrary = |value: &MultiplierValue| matches!(value, MultiplierValue::Arbitrary);
    let arbitrary = report.multipliers.iter().filter(|m| is_arbitrary(&m.value));
    let multipliers: Vec<String> = arbitrary.map(|m| m.name.clone()).collect();
    // What stays first class where every multiplier is determined is an integral of a motion that is unique.
    if first.is_empty() || multipliers.is_empty() && !report.multipliers.is_empty() {
        return overfixed(report).map_or(Ok(kept), Err);
    }
    Err(MotionError::FirstClass { constraints: first, multipliers })
}

/// A gauge condition makes one first-class constraint, and itself, second class.
fn overfixed(report: &Analysis) -> Option<MotionError> {
    let (before, after) = (report.before_gauge?, report.count?);
    let expected = before.second + 2 * before.first.saturating_sub(after.first);
    let conditions = report.constraints.iter().filter(|c| c.generation == 0).map(|c| c.name.clone());
    (after.second > expected).then(|| MotionError::Overfixed {
        conditions: conditions.collect(),
        found: after.second,
        expected,
    })
}

fn is_casimir(e: &Expr, phase: &Phase) -> Result<bool, MotionError> {
    let mut field = Field::default();
    Ok(phase.flow(&phase.gradient(e)?).values().all(|rate| field.simplified(rate).is_zero()))
}

fn refusal(report: &Analysis) -> MotionError {
    if report.consistent == Some(false) {
        let failed = report.verdicts.iter().find(|v| v.outcome == Outcome::Fails);
        let verdict = failed.map_or_else(|| "a consistency condition".to_owned(), |v| v.statement.clone());
        return MotionError::Inconsistent { verdict };
    }
    let open = report.verdicts.iter().find(|v| v.outcome == Outcome::Undecided).map(|v| v.statement.clone());
    let reason = report.stopped.clone().or(open).unwrap_or_else(|| "there is no Hamiltonian form".to_owned());
    MotionError::Undecided { reason }
}
