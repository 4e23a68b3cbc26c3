//! A comparison as data: printed as text or as JSON.

use crate::failure::Failure;
use crate::methods::Chosen;
use cotangent_integrate::Prepared;
use cotangent_lab::comparison::{Curves, Ended, Exact, Measured, Pace};
use cotangent_lab::stability::{Stability, StabilityError, Verdict};
use cotangent_problem::Instance;
use serde::Serialize;

/// A comparison.
#[derive(Serialize)]
pub struct Report {
    pub(super) model: String,
    pub(super) title: Option<String>,
    /// `finished`, or `interrupted` with the rows done so far.
    pub(super) status: &'static str,
    pub(super) until: f64,
    pub(super) steps: Vec<f64>,
    pub(super) reference: Reference,
    pub(super) formulations: Vec<Formulated>,
    pub(super) rows: Vec<Row>,
    /// What does not fit, and why.
    pub(super) skipped: Vec<Skipped>,
    /// The figure.
    pub(super) plot: Option<String>,
    /// The report.
    pub(super) report: Option<String>,
    pub(super) notes: Vec<String>,
    /// Files that could not be written.
    #[serde(skip)]
    pub(super) unwritten: Vec<Failure>,
}

/// What errors are measured against.
#[derive(Serialize)]
pub(super) struct Reference {
    /// The last time at which it is known; null if it is not known at all.
    pub(super) until: Option<f64>,
    /// How accurate it is there, relative to the state.
    pub(super) accuracy: Option<f64>,
    /// Why it ends before the runs, or is not known at all.
    pub(super) reason: Option<String>,
}

/// A formulation, and what it does to errors of the constraints.
#[derive(Serialize)]
pub(super) struct Formulated {
    pub(super) name: &'static str,
    pub(super) summary: &'static str,
    pub(super) stability: Stable,
}

/// What happens to errors of the constraints.
#[derive(Serialize)]
pub(super) struct Stable {
    /// saddle, centre, neutral, damped, not-invariant or undecided; null where the method decides.
    pub(super) verdict: Option<&'static str>,
    pub(super) meaning: String,
    /// Until when the motion was followed.
    pub(super) until: Option<f64>,
    /// Of the largest error, per time, over that motion.
    pub(super) exponent: Option<f64>,
    pub(super) uncertainty: Option<f64>,
    /// The eigenvalue with the largest real part along the motion, and its time.
    pub(super) eigenvalue: Option<Eigenvalue>,
    /// The largest frequency of an eigenvalue.
    pub(super) frequency: Option<f64>,
}

#[derive(Serialize)]
pub(super) struct Eigenvalue {
    pub(super) real: f64,
    pub(super) imaginary: f64,
    pub(super) time: f64,
}

/// One combination.
#[derive(Serialize)]
pub(super) struct Row {
    pub(super) formulation: &'static str,
    #[serde(flatten)]
    pub(super) chosen: Chosen,
    pub(super) project: Option<&'static str>,
    pub(super) project_above: Option<f64>,
    pub(super) step: f64,
    /// `finished`, `failed` or `interrupted`.
    pub(super) status: &'static str,
    /// Why it failed.
    pub(super) failure: Option<String>,
    pub(super) steps: u64,
    pub(super) time: f64,
    pub(super) error: Size,
    pub(super) energy: Size,
    pub(super) constraints: Size,
    pub(super) hidden_constraints: Size,
    pub(super) work: Work,
    pub(super) seconds: f64,
    /// When the motion first went through a singular configuration, or came near one.
    pub(super) singular: Option<f64>,
    #[serde(skip)]
    pub(super) curves: Curves,
}

/// The size of an error and how it grows.
#[derive(Serialize)]
pub(super) struct Size {
    /// The largest; of the error of the state that at the last time at which it is known.
    pub(super) value: Option<f64>,
    /// When, for the error of the state.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) time: Option<f64>,
    /// Of the residual that is largest at the end, there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) r#final: Option<f64>,
    /// p of growth like t^p.
    pub(super) exponent: Option<f64>,
    pub(super) uncertainty: Option<f64>,
    /// Whether it is nothing but round-off.
    pub(super) round_off: bool,
    /// Why there is no exponent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) reason: Option<String>,
}

#[derive(Serialize)]
pub(super) struct Work {
    pub(super) newton_iterations: u64,
    pub(super) position_projections: u64,
    pub(super) momentum_projections: u64,
    /// Steps of its own that a method with a tolerance has accepted and rejected.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) own_steps: Option<[u64; 2]>,
}

/// Combinations that do not fit, for one reason.
#[derive(Serialize)]
pub(super) struct Skipped {
    pub(super) formulations: Vec<&'static str>,
    pub(super) method: Option<&'static str>,
    pub(super) project: Option<&'static str>,
    pub(super) reason: String,
}

impl Reference {
    pub(super) fn new(exact: &Result<Exact, String>, until: f64) -> Reference {
        match exact {
            Ok(exact) if exact.until() > 0.0 => Reference {
                until: Some(exact.until()),
                accuracy: Some(exact.accuracy),
                reason: exact.ended.clone().filter(|_| exact.until() < until),
            },
            Ok(exact) => Reference { until: None, accuracy: None, reason: exact.ended.clone() },
            Err(reason) => Reference { until: None, accuracy: None, reason: Some(reason.clone()) },
        }
    }
}

impl Stable {
    pub(super) fn new(found: &Result<Stability, StabilityError>) -> Stable {
        let nothing = |verdict: Option<&'static str>, meaning: String| Stable {
            verdict,
            meaning,
            until: None,
            exponent: None,
            uncertainty: None,
            eigenvalue: None,
            frequency: None,
        };
        match found {
            Ok(s) => {
                let all = s.frozen.iter().flat_map(|f| f.eigenvalues.iter().map(|v| (f.time, *v)));
                let fastest = all.clone().max_by(|a, b| a.1[0].total_cmp(&b.1[0]));
                let known = !matches!(s.verdict, Verdict::NotInvariant { .. } | Verdict::Identical);
                Stable {
                    until: Some(s.until),
                    exponent: Some(s.exponent).filter(|e| known && e.is_finite()),
                    uncertainty: Some(s.uncertainty).filter(|e| known && e.is_finite()),
                    eigenvalue: fastest.map(|(time, [real, imaginary])| Eigenvalue { real, imaginary, time }),
                    frequency: known.then(|| all.map(|(_, v)| v[1].abs()).fold(0.0, f64::max)),
                    ..nothing(Some(s.verdict.name()), s.verdict.to_string())
                }
            }
            Err(e @ (StabilityError::NoField | StabilityError::NoConstraints)) => nothing(None, e.to_string()),
            Err(e @ StabilityError::ByAnalysis) => nothing(Some("neutral"), format!("neutral: {e}")),
            Err(e) => nothing(Some("undecided"), format!("undecided: {e}")),
        }
    }
}

impl Row {
    pub(super) fn new(
        problem: &Instance,
        prepared: &Prepared,
        step: f64,
        m: Measured,
        blame: impl Fn(&Ended) -> Option<String>,
    ) -> Row {
        let projection = prepared.projection();
        let largest = |list: &[f64]| list.iter().copied().max_by(|a, b| a.abs().total_cmp(&b.abs()));
        let finals = m.residuals.each_ref().map(|list| largest(list));
        let size = |value: Option<f64>, pace: &Pace| Size::new(value.filter(|v| v.is_finite()), pace);
        Row {
            formulation: problem.equations.motion.formulation.name(),
            chosen: Chosen::new(prepared),
            project: projection.map(|p| p.target.name()),
            project_above: projection.and_then(|p| p.above),
            step,
            status: match m.ended {
                Ended::Finished => "finished",
                Ended::Interrupted => "interrupted",
                Ended::Failed(_) | Ended::Undefined(_) => "failed",
            },
            failure: blame(&m.ended),
            steps: m.steps,
            time: m.time,
            error: Size { time: m.error.map(|e| e.0), ..size(m.error.map(|e| e.1), &m.error_growth) },
            energy: size(Some(m.energy), &m.energy_growth),
            constraints: Size { r#final: finals[0], ..size(Some(m.constraints), &m.constraint_growth) },
            hidden_constraints: Size { r#final: finals[1], ..size(Some(m.hidden), &m.hidden_growth) },
            work: Work {
                newton_iterations: m.newton_iterations,
                position_projections: m.projections[0],
                momentum_projections: m.projections[1],
                own_steps: m.own_steps,
            },
            seconds: m.seconds,
            singular: m.singular,
            curves: m.curves,
        }
    }

    /// A combination that could not be begun.
    pub(super) fn unmade(problem: &Instance, prepared: &Prepared, step: f64, reason: String) -> Row {
        let unknown = || Pace::Undecided(reason.clone());
        let nothing = Measured {
            ended: Ended::Undefined(reason.clone()),
            steps: 0,
            time: 0.0,
            error: None,
            error_growth: unknown(),
            energy: f64::NAN,
            energy_growth: unknown(),
            constraints: f64::NAN,
            constraint_growth: unknown(),
            hidden: f64::NAN,
            hidden_growth: unknown(),
            residuals: [vec![], vec![]],
            newton_iterations: 0,
            own_steps: None,
            projections: [0; 2],
            seconds: 0.0,
            singular: None,
            curves: Curves::default(),
        };
        Row::new(problem, prepared, step, nothing, |_| Some(reason.clone()))
    }

    /// What the row is, without the formulation.
    pub(super) fn described(&self) -> String {
        match self.project {
            Some(project) => format!("{}, projection {project}", self.chosen.described()),
            None => self.chosen.described(),
        }
    }
}

impl Size {
    fn new(value: Option<f64>, pace: &Pace) -> Size {
        let (growth, round_off, reason) = match pace {
            Pace::Power(growth) => (Some(growth), false, None),
            Pace::RoundOff => (None, true, None),
            Pace::Undecided(reason) => (None, false, Some(reason.clone())),
        };
        Size {
            value,
            time: None,
            r#final: None,
            exponent: growth.map(|g| g.exponent),
            uncertainty: growth.map(|g| g.uncertainty),
            round_off,
            reason,
        }
    }
}
