//! What became of the claims of a model, for `analyze` and `check`.

use super::figures::short;
use super::map::Map;
use cotangent::analysis::{Certainty, ClaimReport, Outcome};
use serde::Serialize;

/// `proved`, `sampled` with the number of points, `fails`, `undecided`.
#[derive(Serialize)]
pub(crate) struct Judged {
    verdict: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    points: Option<usize>,
}

impl Judged {
    pub(crate) fn new(outcome: Outcome) -> Judged {
        let (verdict, points) = match outcome {
            Outcome::Holds(Certainty::Proved) => ("proved", None),
            Outcome::Holds(Certainty::Sampled(k)) => ("sampled", Some(k)),
            Outcome::Fails => ("fails", None),
            Outcome::Undecided => ("undecided", None),
        };
        Judged { verdict, points }
    }
}

/// Whether something holds, if that is known.
pub(crate) fn holds(outcome: Outcome) -> Option<bool> {
    match outcome {
        Outcome::Holds(_) => Some(true),
        Outcome::Fails => Some(false),
        Outcome::Undecided => None,
    }
}

/// A claim as programs read it.
#[derive(Serialize)]
pub(crate) struct ClaimEntry {
    holds: Option<bool>,
    #[serde(flatten)]
    verdict: Judged,
    /// What should vanish and does not.
    defect: Option<String>,
    /// Where it does not, and what it is there.
    #[serde(skip_serializing_if = "Option::is_none")]
    counterexample: Option<Counterexample>,
}

#[derive(Serialize)]
struct Counterexample {
    at: Map<f64>,
    value: f64,
}

impl ClaimEntry {
    pub(crate) fn new(c: &ClaimReport) -> ClaimEntry {
        let counterexample =
            c.witness.as_ref().map(|w| Counterexample { at: w.at.iter().cloned().collect(), value: w.value });
        let defect = c.defect.as_ref().map(ToString::to_string);
        ClaimEntry { holds: holds(c.outcome), verdict: Judged::new(c.outcome), defect, counterexample }
    }
}

/// How an outcome is known.
pub(crate) fn outcome(o: Outcome) -> String {
    match o {
        Outcome::Holds(Certainty::Proved) => "proved".to_owned(),
        Outcome::Holds(Certainty::Sampled(k)) => format!("sampled at {k} points"),
        Outcome::Fails => "does not hold".to_owned(),
        Outcome::Undecided => "undecided".to_owned(),
    }
}

/// A claim as people read it: what became of it, and a counterexample.
pub(crate) fn judged(c: &ClaimReport, formula: impl Fn(&cotangent::Expr) -> String) -> String {
    let mut text = outcome(c.outcome);
    if let Some(e) = &c.defect {
        text.push_str(&format!(": {} should vanish", formula(e)));
    }
    if let Some(w) = c.witness.as_ref().filter(|w| !w.at.is_empty()) {
        let point: Vec<String> =
            w.at.iter().take(MAX_POINT).map(|(name, x)| format!("{name} = {}", short(*x))).collect();
        let more = if w.at.len() > MAX_POINT { ", …" } else { "" };
        text.push_str(&format!(", and is {} at {}{more}", short(w.value), point.join(", ")));
    }
    text
}

/// More variables of a counterexample are not shown.
const MAX_POINT: usize = 12;
