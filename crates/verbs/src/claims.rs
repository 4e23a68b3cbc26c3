//! What became of the claims of a model, for `analyze` and `check`.

use crate::figures::short;
use crate::map::Map;
use cotangent_analysis::{AtValues, Certainty, ClaimReport, Outcome};
use serde::Serialize;

/// How something is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Known {
    /// It holds, by algebra.
    Proved,
    /// It holds at random points.
    Sampled,
    /// It does not hold.
    Fails,
    /// It is not known.
    Undecided,
}

/// What became of a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Claimed {
    /// It holds for all parameters.
    Holds,
    /// It holds for those of the model, and not for all.
    HoldsAtTheseValues,
    /// It does not hold.
    Fails,
    /// It is not known.
    Undecided,
}

/// How something is known, and where it was looked at.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Judged {
    /// How it is known.
    pub verdict: Known,
    /// Where it was sampled.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub points: Option<usize>,
}

impl Judged {
    pub(crate) fn new(outcome: Outcome) -> Judged {
        let (verdict, points) = match outcome {
            Outcome::Holds(Certainty::Proved) => (Known::Proved, None),
            Outcome::Holds(Certainty::Sampled(k)) => (Known::Sampled, Some(k)),
            Outcome::Fails => (Known::Fails, None),
            Outcome::Undecided => (Known::Undecided, None),
        };
        Judged { verdict, points }
    }
}

impl Judged {
    /// Whether it holds, as far as is known.
    pub(crate) fn holds(&self) -> bool {
        matches!(self.verdict, Known::Proved | Known::Sampled)
    }

    /// In words.
    pub(crate) fn words(&self) -> String {
        match (self.verdict, self.points) {
            (Known::Sampled, Some(k)) => format!("sampled at {k} points"),
            (Known::Sampled, None) => "sampled".to_owned(),
            (Known::Proved, _) => "proved".to_owned(),
            (Known::Fails, _) => "does not hold".to_owned(),
            (Known::Undecided, _) => "undecided".to_owned(),
        }
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
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ClaimEntry {
    /// For the parameters of the model.
    pub holds: Option<bool>,
    /// What became of it.
    pub status: Claimed,
    /// How that is known.
    #[serde(flatten)]
    pub verdict: Judged,
    /// For all parameters, if that is another matter.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub in_general: Option<Judged>,
    /// The parameters for which it holds, or may hold.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub values: Option<Map<f64>>,
    /// What should vanish and does not.
    pub defect: Option<String>,
    /// For a Casimir C: the variable z whose bracket {z, C} that is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub defect_of: Option<String>,
    /// Where it does not, and what it is there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub counterexample: Option<Counterexample>,
}

/// Where a claim does not hold.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Counterexample {
    /// The variables and parameters.
    pub at: Map<f64>,
    /// What should vanish and does not.
    pub value: f64,
}

impl ClaimEntry {
    pub(crate) fn new(c: &ClaimReport) -> ClaimEntry {
        let counterexample =
            c.witness.as_ref().map(|w| Counterexample { at: w.at.iter().cloned().collect(), value: w.value });
        let defect = c.defect.as_ref().map(ToString::to_string);
        let judgement = c.judgement();
        let special = special(c);
        let status = match (judgement, special) {
            (Outcome::Holds(_), Some(_)) => Claimed::HoldsAtTheseValues,
            (Outcome::Holds(_), None) => Claimed::Holds,
            (Outcome::Fails, _) => Claimed::Fails,
            (Outcome::Undecided, _) => Claimed::Undecided,
        };
        let in_general = special.map(|_| Judged::new(c.outcome));
        let values = special.map(|v| v.values.iter().cloned().collect());
        ClaimEntry {
            holds: holds(judgement),
            status,
            verdict: Judged::new(judgement),
            in_general,
            values,
            defect,
            defect_of: c.with.clone(),
            counterexample,
        }
    }
}

/// The parameters of the model, if a claim holds for them and not for all, or may do so.
fn special(c: &ClaimReport) -> Option<&AtValues> {
    let is_other = |own: &Outcome| matches!(own, Outcome::Holds(_)) || *own == Outcome::Undecided && *own != c.outcome;
    c.at_values.as_ref().filter(|v| is_other(&v.outcome))
}

impl ClaimEntry {
    /// As people read it: what became of the claim of this name, and a counterexample; long formulas are cut.
    pub(crate) fn words(&self, name: &str, cut: impl Fn(&str) -> String) -> String {
        let mut text = self.verdict.words();
        if let (Some(general), Some(values)) = (&self.in_general, &self.values) {
            let general = match general.verdict {
                Known::Fails if self.verdict.holds() => "but not in general",
                Known::Fails => "and does not hold in general",
                Known::Proved | Known::Sampled if !self.verdict.holds() => "though it holds in general",
                Known::Proved | Known::Sampled | Known::Undecided => "undecided in general",
            };
            text = match self.verdict.holds() {
                true => format!("holds at {} ({text}), {general}", listed(values)),
                false => format!("{text} at {}, {general}", listed(values)),
            };
        }
        if let Some(defect) = &self.defect {
            let left = self.defect_of.as_ref().map_or(String::new(), |z| format!("{{{z}, {name}}} = "));
            text.push_str(&format!(": {left}{} should vanish", cut(defect)));
        }
        if let Some(c) = self.counterexample.as_ref().filter(|c| !c.at.is_empty()) {
            text.push_str(&format!(", and is {} at {}", short(c.value), listed(&c.at)));
        }
        text
    }
}

/// `a = 1, b = 2`, as far as a line goes.
fn listed(values: &Map<f64>) -> String {
    let point: Vec<String> = values.iter().take(MAX_POINT).map(|(name, x)| format!("{name} = {}", short(*x))).collect();
    format!("{}{}", point.join(", "), if values.0.len() > MAX_POINT { ", …" } else { "" })
}

/// More variables of a counterexample are not shown.
const MAX_POINT: usize = 12;
