//! A certificate as data: printed as text or as JSON.

use crate::cli::methods::Chosen;
use crate::cli::noticed::SingularPassage;
use crate::cli::setup::Blame;
use cotangent::integrate::Prepared;
use cotangent::lab::certificate::{Certificate, Drift, Finding, Options, Property};
use cotangent::problem::Instance;
use cotangent::{System, lab};
use serde::Serialize;
use std::collections::BTreeMap;

#[derive(Serialize)]
pub(super) struct Report {
    pub(super) model: String,
    #[serde(flatten)]
    pub(super) chosen: Chosen,
    pub(super) formulation: &'static str,
    /// The numbers of the formulation.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub(super) opt: BTreeMap<&'static str, f64>,
    pub(super) project: Option<&'static str>,
    pub(super) step: f64,
    /// Of the run for constraints and energy.
    pub(super) steps: u64,
    pub(super) order: Measured<u32>,
    pub(super) symplectic_defect: Measured<bool>,
    pub(super) symmetry_defect: Measured<bool>,
    pub(super) constraint_defect: Measured<bool>,
    pub(super) hidden_constraint_defect: Measured<bool>,
    pub(super) energy_defect: Measured<bool>,
    pub(super) energy_drift_exponent: Measured<bool>,
    /// Whether everything that is claimed holds; `null` where some of it is not decided, or the run ended early.
    pub(super) held: Option<bool>,
    /// What is claimed and could not be decided.
    pub(super) undecided: Vec<&'static str>,
    /// Why the run for constraints and energy did not reach its end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) failure: Option<String>,
    /// Singular configurations that the run for constraints and energy came to, or near.
    pub(super) singular_passages: Vec<SingularPassage>,
    /// The figure.
    pub(super) plot: Option<String>,
    /// The report.
    pub(super) report: Option<String>,
    pub(super) notes: Vec<String>,
}

/// One property: what is claimed, what was measured, whether it holds.
#[derive(Serialize)]
pub(super) struct Measured<C> {
    pub(super) claimed: C,
    pub(super) measured: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) uncertainty: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) amplitude: Option<f64>,
    pub(super) held: Option<bool>,
    /// `holds`, `does not hold`, `undecided`, `incidental` (it holds on this model, and is not claimed) or `does not
    /// apply`.
    pub(super) verdict: Verdict,
    /// Why it is not decided.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) reason: Option<String>,
}

/// What became of a property.
#[derive(Clone, Copy, PartialEq, Eq, Serialize)]
pub(super) enum Verdict {
    #[serde(rename = "holds")]
    Holds,
    #[serde(rename = "does not hold")]
    DoesNotHold,
    /// It holds on this model, and is not claimed.
    #[serde(rename = "incidental")]
    Incidental,
    #[serde(rename = "undecided")]
    Undecided,
    #[serde(rename = "does not apply")]
    DoesNotApply,
}

impl Report {
    pub(super) fn new(
        certificate: &Certificate,
        system: &System,
        problem: &Instance,
        prepared: &Prepared,
        options: Options,
        failure: Option<String>,
        notes: &[String],
    ) -> Report {
        let names = &Blame::new(&problem.equations.motion);
        let size = |p: &Property<f64>| plain(p, p.claimed, |&d| d, names);
        let mut order = plain(&certificate.order, true, |o: &lab::Order| o.value, names);
        if let Finding::Measured(o) = &certificate.order.found {
            order.uncertainty = Some(o.uncertainty);
        }
        Report {
            model: system.name.clone(),
            chosen: Chosen::new(prepared),
            formulation: problem.equations.motion.formulation.name(),
            opt: problem.formulation.numbers().into_iter().collect(),
            project: prepared.projection().map(|p| p.target.name()),
            step: options.step,
            steps: options.steps,
            order,
            symplectic_defect: size(&certificate.symplectic_defect),
            symmetry_defect: size(&certificate.symmetry_defect),
            constraint_defect: size(&certificate.constraint_defect),
            hidden_constraint_defect: size(&certificate.hidden_constraint_defect),
            energy_defect: size(&certificate.energy_defect),
            energy_drift_exponent: drift(&certificate.energy_drift, names),
            held: certificate.certified(),
            undecided: certificate.undecided(),
            failure,
            singular_passages: vec![],
            plot: None,
            report: None,
            notes: notes.to_vec(),
        }
    }
}

fn plain<T, C: Clone>(
    property: &Property<T, C>,
    is_claimed: bool,
    value: impl Fn(&T) -> f64,
    names: &Blame,
) -> Measured<C> {
    let (measured, reason) = match &property.found {
        Finding::Measured(found) => (Some(value(found)), property.reason.as_ref().map(|r| r.named(names))),
        Finding::Undecided(reason) => (None, Some(reason.named(names))),
        Finding::Absent => (None, Some("does not apply to this system".to_owned())),
    };
    let verdict = match (property.held, is_claimed, &property.found) {
        (_, _, Finding::Absent) => Verdict::DoesNotApply,
        (Some(true), true, _) => Verdict::Holds,
        (Some(true), false, _) => Verdict::Incidental,
        (Some(false), _, _) => Verdict::DoesNotHold,
        (None, _, _) => Verdict::Undecided,
    };
    let claimed = property.claimed.clone();
    Measured { claimed, measured, uncertainty: None, amplitude: None, held: property.held, verdict, reason }
}

/// An error at round-off does not grow: its exponent is 0.
fn drift(property: &Property<Drift>, names: &Blame) -> Measured<bool> {
    let mut measured = plain(property, property.claimed, |d| d.growth.as_ref().map_or(0.0, |g| g.exponent), names);
    if let Finding::Measured(found) = &property.found {
        measured.uncertainty = Some(found.growth.as_ref().map_or(0.0, |g| g.uncertainty));
        measured.amplitude = Some(found.amplitude);
    }
    measured
}
