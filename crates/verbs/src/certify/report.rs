//! A certificate as data: what JSON shows, and what text and pages are made of.

use crate::choice::{Choice, shown};
use crate::failure::{Code, Problem};
use crate::noticed::SingularPassage;
use crate::picture::Background;
use crate::reason::Reason;
use crate::setup::{AlmostPoisson, Blame};
use crate::stop::Stop;
use cotangent_lab::Growth;
use cotangent_lab::certificate::{CERTAIN, Certificate, Drift, Finding, Options, Property};
use cotangent_model::System;
use cotangent_problem::Instance;
use serde::{Deserialize, Serialize};

/// The errors that an order of convergence comes from.
#[derive(Clone, Debug, PartialEq)]
pub struct Convergence {
    /// Steps and errors.
    pub points: Vec<[f64; 2]>,
    /// Which of them the order is fitted to.
    pub used: Vec<bool>,
    /// The order.
    pub order: f64,
}

/// A certificate.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Document {
    /// The name of the model.
    pub model: String,
    /// What was measured: nothing is left open.
    #[serde(flatten, with = "shown")]
    pub choice: Choice,
    /// Of the run for constraints and energy.
    pub steps: u64,
    /// The order of convergence.
    pub order: Measured<u32>,
    /// How far a step is from symplectic.
    pub symplectic_defect: Measured<bool>,
    /// How far a step is from a Poisson map.
    pub poisson_defect: Measured<bool>,
    /// The largest change of a Casimir.
    pub casimir_defect: Measured<bool>,
    /// How far a step forth and one back leads from where it began.
    pub symmetry_defect: Measured<bool>,
    /// The largest residual of the constraints.
    pub constraint_defect: Measured<bool>,
    /// That of the hidden constraints.
    pub hidden_constraint_defect: Measured<bool>,
    /// The largest error of the energy.
    pub energy_defect: Measured<bool>,
    /// p of the growth of the energy error like t^p.
    pub energy_drift_exponent: Measured<bool>,
    /// Whether everything that is claimed holds; `null` where some of it is not decided, or the run ended early.
    pub held: Option<bool>,
    /// What is claimed and could not be decided.
    pub undecided: Vec<String>,
    /// Why the run for constraints and energy did not reach its end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<Stop>,
    /// Singular configurations that the run for constraints and energy came to, or near.
    pub singular_passages: Vec<SingularPassage>,
    /// The figure.
    pub plot: Option<String>,
    /// The report.
    pub report: Option<String>,
    /// Where the bracket of the model is none: why, and what is lost by that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub almost_poisson: Option<AlmostPoisson>,
    /// What is not wrong in the text of the model, but worth saying.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<Problem>,
    /// What was said on the way.
    pub notes: Vec<String>,
    /// The steps and the errors that the order comes from, and which of them.
    #[serde(skip)]
    pub convergence: Option<Convergence>,
    /// What pictures and pages show besides.
    #[serde(skip)]
    pub background: Background,
    /// Files that could not be written.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unwritten: Vec<Reason>,
}

/// One property: what is claimed, what was measured, whether it holds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Measured<C> {
    /// What the card of the method says.
    pub claimed: C,
    /// What was found.
    pub measured: Option<f64>,
    /// How uncertain it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub uncertainty: Option<f64>,
    /// The size of what grows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub amplitude: Option<f64>,
    /// Whether it holds; `null` where that is not decided.
    pub held: Option<bool>,
    /// The same in a word.
    pub verdict: Verdict,
    /// Why it is not decided.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<Reason>,
    /// Why it holds, where a number seems to say otherwise.
    #[serde(skip)]
    pub remark: Option<String>,
}

/// What became of a property.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Verdict {
    /// It is claimed, and holds.
    #[serde(rename = "holds")]
    Holds,
    /// It does not hold.
    #[serde(rename = "does not hold")]
    DoesNotHold,
    /// The measurement does not decide.
    #[serde(rename = "undecided")]
    Undecided,
    /// It holds on this model, and is not claimed.
    #[serde(rename = "incidental")]
    Incidental,
    /// There is nothing to measure.
    #[serde(rename = "does not apply")]
    DoesNotApply,
}

impl Document {
    pub(super) fn new(
        certificate: &Certificate,
        system: &System,
        problem: &Instance,
        choice: Choice,
        options: Options,
        failure: Option<Stop>,
        notes: &[String],
    ) -> Document {
        let names = &Blame::new(&problem.equations.motion);
        let size = |p: &Property<f64>| plain(p, p.claimed, |&d| d, names);
        let mut order = plain(&certificate.order, true, |o: &cotangent_lab::Order| o.value, names);
        let mut convergence = None;
        if let Finding::Measured(o) = &certificate.order.found {
            let used = (0..o.points.len()).map(|k| o.used.contains(&k)).collect();
            convergence = Some(Convergence { points: o.points.clone(), used, order: o.value });
            order.uncertainty = Some(o.uncertainty);
        }
        Document {
            model: system.name.clone(),
            choice,
            steps: options.steps,
            order,
            convergence,
            symplectic_defect: size(&certificate.symplectic_defect),
            poisson_defect: size(&certificate.poisson_defect),
            casimir_defect: size(&certificate.casimir_defect),
            symmetry_defect: size(&certificate.symmetry_defect),
            constraint_defect: size(&certificate.constraint_defect),
            hidden_constraint_defect: size(&certificate.hidden_constraint_defect),
            energy_defect: size(&certificate.energy_defect),
            energy_drift_exponent: drift(&certificate.energy_drift, names),
            held: certificate.certified(),
            undecided: certificate.undecided().into_iter().map(str::to_owned).collect(),
            failure,
            singular_passages: vec![],
            plot: None,
            report: None,
            almost_poisson: None,
            warnings: vec![],
            notes: notes.to_vec(),
            background: Background::default(),
            unwritten: vec![],
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
        Finding::Measured(found) => {
            (Some(value(found)), property.reason.as_ref().map(|r| Reason::of_a_property(r, names)))
        }
        Finding::Undecided(reason) => (None, Some(Reason::of_a_property(reason, names))),
        Finding::Absent => (None, Some(Reason::new(Code::Absent, "does not apply to this system"))),
    };
    let verdict = match (property.held, is_claimed, &property.found) {
        (_, _, Finding::Absent) => Verdict::DoesNotApply,
        (Some(true), true, _) => Verdict::Holds,
        (Some(true), false, _) => Verdict::Incidental,
        (Some(false), _, _) => Verdict::DoesNotHold,
        (None, _, _) => Verdict::Undecided,
    };
    let claimed = property.claimed.clone();
    Measured {
        claimed,
        measured,
        uncertainty: None,
        amplitude: None,
        held: property.held,
        verdict,
        reason,
        remark: None,
    }
}

/// An error at round-off does not grow: its exponent is 0.
fn drift(property: &Property<Drift>, names: &Blame) -> Measured<bool> {
    let mut measured = plain(property, property.claimed, |d| d.growth.as_ref().map_or(0.0, |g| g.exponent), names);
    if let Finding::Measured(found) = &property.found {
        measured.uncertainty = Some(found.growth.as_ref().map_or(0.0, |g| g.uncertainty));
        measured.amplitude = Some(found.amplitude);
        let grows = |g: &Growth| g.exponent + g.uncertainty > CERTAIN;
        if property.held == Some(true) && found.growth.as_ref().is_some_and(grows) {
            measured.remark = Some(match found.typical.as_ref().filter(|typical| !grows(typical)) {
                Some(typical) => format!(
                    "its typical size, which rare events do not move, is that of t^({:.2} ± {:.2})",
                    typical.exponent, typical.uncertainty
                ),
                None => "it comes back to nearly zero late in the run, as a function of the state does and no drift"
                    .to_owned(),
            });
        }
    }
    measured
}
