//! A certificate as data: printed as text or as JSON.

use crate::failure::Failure;
use crate::methods::Chosen;
use crate::noticed::SingularPassage;
use cotangent_integrate::Prepared;
use cotangent_lab::certificate::{Certificate, Drift, Finding, Options, Property};
use cotangent_model::System;
use cotangent_problem::Instance;
use serde::Serialize;
use std::collections::BTreeMap;

/// A certificate.
#[derive(Serialize)]
pub struct Report {
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
    /// Whether nothing that is claimed was refuted.
    #[serde(skip)]
    pub(super) nothing_refuted: bool,
    #[serde(skip)]
    pub(super) stop: Option<Failure>,
    /// Files that could not be written.
    #[serde(skip)]
    pub(super) unwritten: Vec<Failure>,
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
    pub(super) verdict: &'static str,
    /// Why it is not decided.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) reason: Option<String>,
}

impl Report {
    pub(super) fn new(
        certificate: &Certificate,
        system: &System,
        problem: &Instance,
        prepared: &Prepared,
        options: Options,
        stop: Option<Failure>,
        notes: &[String],
    ) -> Report {
        let size = |p: &Property<f64>| plain(p, p.claimed, |&d| d);
        let mut order = plain(&certificate.order, true, |o: &cotangent_lab::Order| o.value);
        if let Finding::Measured(o) = &certificate.order.found {
            order.uncertainty = Some(o.uncertainty);
        }
        Report {
            model: system.name.clone(),
            chosen: Chosen::new(prepared),
            formulation: problem.equations.motion.formulation.name(),
            opt: problem.equations.motion.formulation.values().into_iter().collect(),
            project: prepared.projection().map(|p| p.target.name()),
            step: options.step,
            steps: options.steps,
            order,
            symplectic_defect: size(&certificate.symplectic_defect),
            symmetry_defect: size(&certificate.symmetry_defect),
            constraint_defect: size(&certificate.constraint_defect),
            hidden_constraint_defect: size(&certificate.hidden_constraint_defect),
            energy_defect: size(&certificate.energy_defect),
            energy_drift_exponent: drift(&certificate.energy_drift),
            held: certificate.certified(),
            undecided: certificate.undecided(),
            failure: stop.as_ref().map(Failure::message),
            singular_passages: vec![],
            plot: None,
            report: None,
            notes: notes.to_vec(),
            nothing_refuted: certificate.held(),
            stop,
            unwritten: vec![],
        }
    }
}

fn plain<T, C: Clone>(property: &Property<T, C>, is_claimed: bool, value: impl Fn(&T) -> f64) -> Measured<C> {
    let (measured, reason) = match &property.found {
        Finding::Measured(found) => (Some(value(found)), property.reason.clone()),
        Finding::Undecided(reason) => (None, Some(reason.clone())),
        Finding::Absent => (None, Some("does not apply to this system".to_owned())),
    };
    let verdict = match (property.held, is_claimed, &property.found) {
        (_, _, Finding::Absent) => "does not apply",
        (Some(true), true, _) => "holds",
        (Some(true), false, _) => "incidental",
        (Some(false), _, _) => "does not hold",
        (None, _, _) => "undecided",
    };
    let claimed = property.claimed.clone();
    Measured { claimed, measured, uncertainty: None, amplitude: None, held: property.held, verdict, reason }
}

/// An error at round-off does not grow: its exponent is 0.
fn drift(property: &Property<Drift>) -> Measured<bool> {
    let mut measured = plain(property, property.claimed, |d| d.growth.as_ref().map_or(0.0, |g| g.exponent));
    if let Finding::Measured(found) = &property.found {
        measured.uncertainty = Some(found.growth.as_ref().map_or(0.0, |g| g.uncertainty));
        measured.amplitude = Some(found.amplitude);
    }
    measured
}
