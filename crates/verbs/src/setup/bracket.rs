//! Whether the bracket of a Poisson model is one. Where Jacobi's identity fails, z' = B(z)∇H is no Poisson system: it is
//! integrated only if somebody asks for that.

use crate::failure::{Code, Failure};
use crate::loaded::Loaded;
use crate::session::Session;
use cotangent_analysis::{AnalysisError, Outcome, PoissonReport, bracket};
use cotangent_compile::values::Setting;
use cotangent_model::System;
use cotangent_scalar::Limits;
use serde::{Deserialize, Serialize};

/// A bracket for which Jacobi's identity fails, and what that means.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AlmostPoisson {
    /// Three variables whose cyclic sum of brackets does not vanish; null where the identity was sampled.
    pub variables: Option<[String; 3]>,
    /// That sum.
    pub sum: Option<String>,
    /// What does not hold.
    pub lost: Vec<String>,
    /// What holds all the same.
    pub kept: Vec<String>,
}

const LOST: [&str; 3] = [
    "the flow is no Poisson map, and no method makes one",
    "there need not be Casimirs, whatever the rank",
    "energy errors of Poisson methods need not stay bounded",
];
const KEPT: [&str; 1] = ["the energy is an integral of the motion, as the bracket is antisymmetric"];

impl AlmostPoisson {
    /// `None` for a bracket that is one, or may be.
    fn of(report: PoissonReport) -> Option<AlmostPoisson> {
        let (variables, sum) = match (report.jacobi, report.jacobi_failure) {
            (Outcome::Fails, Some((a, b, c, sum))) => (Some([a, b, c]), Some(sum.to_string())),
            (Outcome::Fails, None) => (None, None),
            (Outcome::Holds(_) | Outcome::Undecided, _) => return None,
        };
        let all = |list: &[&str]| list.iter().map(|text| (*text).to_owned()).collect();
        Some(AlmostPoisson { variables, sum, lost: all(&LOST), kept: all(&KEPT) })
    }

    /// For which variables it fails, and by how much.
    fn failure(&self) -> String {
        match (&self.variables, &self.sum) {
            (Some([a, b, c]), Some(sum)) => {
                let mut sum: String = sum.chars().take(MAX_FORMULA + 1).collect();
                if sum.chars().count() > MAX_FORMULA {
                    sum.pop();
                    sum.push('…');
                }
                format!(
                    "Jacobi's identity fails, {{{a}, {{{b}, {c}}}}} + {{{b}, {{{c}, {a}}}}} + {{{c}, {{{a}, {b}}}}} = {sum}"
                )
            }
            _ => "Jacobi's identity fails at random points".to_owned(),
        }
    }
}

const UNDECIDED: &str = "not decided whether Jacobi's identity holds for the bracket";

/// Longer formulas are cut.
const MAX_FORMULA: usize = 200;

/// Why the bracket of a Poisson model is none, or that this is not decided.
pub(crate) fn almost_poisson(
    system: &System,
    set: &[Setting],
    limits: &Limits,
) -> (Option<AlmostPoisson>, Option<String>) {
    match bracket(system, set, limits) {
        Ok(None) | Err(AnalysisError::Interrupted(_)) => (None, None),
        Ok(Some(report)) if report.jacobi == Outcome::Undecided => {
            (None, Some(format!("{UNDECIDED}: `cotangent analyze` says more")))
        }
        Ok(Some(report)) => (AlmostPoisson::of(report), None),
        Err(reason) => (None, Some(format!("{UNDECIDED}: {reason}"))),
    }
}

/// Refuses a bracket that is none, unless that is allowed, and says what is lost then. Where it is not known whether it is
/// one, that is said.
pub(crate) fn examined(
    model: &Loaded,
    is_allowed: bool,
    session: &mut Session<'_>,
) -> Result<Option<AlmostPoisson>, Failure> {
    let (almost, undecided) = almost_poisson(&model.system, &model.settings, &model.limits);
    model.limits.check().map_err(|_| Failure::interrupted())?;
    if let Some(undecided) = undecided {
        session.note(undecided);
    }
    let Some(almost) = almost else { return Ok(None) };
    if !is_allowed {
        return Err(refusal(&model.system.name, &almost));
    }
    let meaning = [&LOST[..], &KEPT[..]].concat().join("; ");
    session.note(format!("no Poisson bracket: {}; {meaning}", almost.failure()));
    Ok(Some(almost))
}

fn refusal(name: &str, almost: &AlmostPoisson) -> Failure {
    Failure::new(Code::NotABracket, format!("the bracket of `{name}` is none: {}", almost.failure())).help(
        "correct it; or integrate it all the same with --allow-almost-poisson: the energy is still an integral, but the flow is \
         no Poisson map, and there need not be Casimirs",
    )
}
