//! A comparison as data: what JSON shows, and what text and pages are made of.

use crate::choice::{Choice, shown};
use crate::ending::Ending;
use crate::failure::{Code, Problem};
use crate::input::Input;
use crate::map::or_nan;
use crate::reason::Reason;
use crate::setup::AlmostPoisson;
use crate::stop::Stop;
use cotangent_compile::CompileError;
use cotangent_dynamics::Source;
use cotangent_integrate::Prepared;
use cotangent_lab::comparison::{self, Curves, Exact, Measured, NoPace, Pace, Unknown};
use cotangent_lab::stability::{Stability, StabilityError, Verdict};
use cotangent_problem::Instance;
use serde::{Deserialize, Serialize};

/// A comparison.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Document {
    /// The name of the model.
    pub model: String,
    /// What it is, in a line.
    pub title: Option<String>,
    /// What all combinations have in common: values that are set, charts, repairs.
    #[serde(flatten, with = "shown::common")]
    pub choice: Choice,
    /// Whether all rows are done, or it was interrupted.
    pub status: Ending,
    /// The final time.
    pub until: f64,
    /// The step sizes, from the largest on.
    pub steps: Vec<f64>,
    /// What errors are measured against.
    pub reference: Reference,
    /// Whether the start is an equilibrium: nothing moves, and nothing is compared but standing still.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub equilibrium: bool,
    /// The formulations.
    pub formulations: Vec<Formulated>,
    /// The combinations.
    pub rows: Vec<Row>,
    /// What does not fit, and why.
    pub skipped: Vec<Skipped>,
    /// The table.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub out: Option<String>,
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
    /// The text of the model.
    #[serde(skip)]
    pub input: Input,
    /// Files that could not be written.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unwritten: Vec<Reason>,
}

/// What errors are measured against.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Reference {
    /// The last time at which it is known; null if it is not known at all.
    pub until: Option<f64>,
    /// How accurate it is there, relative to the state.
    pub accuracy: Option<f64>,
    /// Why it ends before the runs, or is not known at all.
    pub reason: Option<Reason>,
}

/// A formulation, and what it does to errors of the constraints.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Formulated {
    /// Its name.
    pub name: String,
    /// What it is, in a line.
    pub summary: String,
    /// What happens to errors of the constraints.
    pub stability: Stable,
}

/// What happens to errors of the constraints.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Stable {
    /// In a word; null where the method decides.
    pub verdict: Option<Fate>,
    /// The same in words.
    pub meaning: String,
    /// Until when the motion was followed.
    pub until: Option<f64>,
    /// Of the largest error, per time, over that motion.
    pub exponent: Option<f64>,
    /// How uncertain that is.
    pub uncertainty: Option<f64>,
    /// The eigenvalue with the largest real part along the motion, and its time.
    pub eigenvalue: Option<Eigenvalue>,
    /// The largest frequency of an eigenvalue.
    pub frequency: Option<f64>,
}

/// What becomes of small errors of the constraints.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Fate {
    /// They grow exponentially.
    Saddle,
    /// They stay bounded.
    Centre,
    /// They stay as they are, or drift; or there are none.
    Neutral,
    /// They decay.
    Damped,
    /// The surface of the constraints is left.
    NotInvariant,
    /// It is not known.
    Undecided,
}

impl From<&Verdict> for Fate {
    fn from(verdict: &Verdict) -> Fate {
        match verdict {
            Verdict::Saddle { .. } => Fate::Saddle,
            Verdict::Centre { .. } => Fate::Centre,
            Verdict::Integrals { .. } | Verdict::Drift | Verdict::Identical => Fate::Neutral,
            Verdict::Damped { .. } => Fate::Damped,
            Verdict::NotInvariant { .. } => Fate::NotInvariant,
            Verdict::Undecided(_) => Fate::Undecided,
        }
    }
}

/// An eigenvalue of the linearised equations for errors of the constraints.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Eigenvalue {
    /// Its real part.
    #[serde(deserialize_with = "or_nan")]
    pub real: f64,
    /// Its imaginary part.
    #[serde(deserialize_with = "or_nan")]
    pub imaginary: f64,
    /// The time on the motion.
    pub time: f64,
}

/// One combination.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Row {
    /// What was integrated, and how.
    #[serde(flatten, with = "shown")]
    pub choice: Choice,
    /// How the run ended.
    pub status: Ending,
    /// Why it failed.
    pub failure: Option<Stop>,
    /// The steps that were made.
    pub steps: u64,
    /// The time reached.
    pub time: f64,
    /// The error of the state.
    pub error: Size,
    /// The error of the energy.
    pub energy: Size,
    /// The residuals of the constraints.
    pub constraints: Size,
    /// Those of the hidden constraints.
    pub hidden_constraints: Size,
    /// The work.
    pub work: Work,
    /// The seconds of integration.
    pub seconds: f64,
    /// When the motion first went through a singular configuration, or came near one.
    pub singular: Option<f64>,
    /// The errors over time.
    #[serde(skip)]
    pub curves: Curves,
}

/// The size of an error and how it grows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Size {
    /// The largest; of the error of the state that at the last time at which it is known.
    pub value: Option<f64>,
    /// When, for the error of the state.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time: Option<f64>,
    /// Of the residual that is largest at the end, there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub r#final: Option<f64>,
    /// p of growth like t^p.
    pub exponent: Option<f64>,
    /// How uncertain that is.
    pub uncertainty: Option<f64>,
    /// Whether it is nothing but round-off.
    pub round_off: bool,
    /// Why there is no exponent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<Reason>,
}

/// The work of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Work {
    /// Iterations of Newton's method.
    pub newton_iterations: u64,
    /// Iterations to fixed points; none: there were none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fixed_point_iterations: Option<u64>,
    /// Projections of positions.
    pub position_projections: u64,
    /// Projections of momenta.
    pub momentum_projections: u64,
    /// Steps of its own that a method with a tolerance has accepted and rejected.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub own_steps: Option<[u64; 2]>,
}

/// Combinations that do not fit, for one reason.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Skipped {
    /// The formulations.
    pub formulations: Vec<String>,
    /// The method; null: any.
    pub method: Option<String>,
    /// The projection; null: any.
    pub project: Option<String>,
    /// Why they do not fit.
    pub reason: Reason,
}

impl Reference {
    pub(super) fn new(exact: &Result<Exact, Unknown>, until: f64) -> Reference {
        match exact {
            Ok(exact) if exact.until() > 0.0 => Reference {
                until: Some(exact.until()),
                accuracy: Some(exact.accuracy),
                reason: exact.ended.as_ref().filter(|_| exact.until() < until).map(Reason::from),
            },
            Ok(exact) => Reference { until: None, accuracy: None, reason: exact.ended.as_ref().map(Reason::from) },
            Err(unknown) => Reference { until: None, accuracy: None, reason: Some(unknown.into()) },
        }
    }
}

impl Stable {
    pub(super) fn new(found: &Result<Stability, StabilityError>) -> Stable {
        let nothing = |verdict: Option<Fate>, meaning: String| Stable {
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
                    ..nothing(Some(Fate::from(&s.verdict)), s.verdict.to_string())
                }
            }
            Err(e @ (StabilityError::NoField | StabilityError::NoConstraints)) => nothing(None, e.to_string()),
            Err(e @ StabilityError::Springs) => nothing(Some(Fate::NotInvariant), format!("not invariant: {e}")),
            Err(e @ (StabilityError::ByAnalysis | StabilityError::ByDerivatives)) => {
                nothing(Some(Fate::Neutral), format!("neutral: {e}"))
            }
            Err(e) => nothing(Some(Fate::Undecided), format!("undecided: {e}")),
        }
    }
}

impl Row {
    pub(super) fn new(
        problem: &Instance,
        prepared: &Prepared,
        step: f64,
        m: Measured,
        blame: impl Fn(&Measured) -> Option<Stop>,
    ) -> Row {
        let formulation = problem.equations.motion.formulation.name().to_owned();
        let choice = Choice { formulation: Some(formulation), step: Some(step), ..Choice::default() };
        let choice = choice.method(prepared.method()).compose(prepared.composition());
        let largest = |list: &[f64]| list.iter().copied().max_by(|a, b| a.abs().total_cmp(&b.abs()));
        let finals = m.residuals.each_ref().map(|list| largest(list));
        let size = |value: Option<f64>, pace: &Pace| Size::new(value.filter(|v| v.is_finite()), pace);
        Row {
            choice: match prepared.projection() {
                Some(projection) => choice.project(projection),
                None => choice,
            },
            failure: blame(&m),
            status: match m.ended {
                comparison::Ended::Finished => Ending::Finished,
                comparison::Ended::Interrupted => Ending::Interrupted,
                comparison::Ended::Failed(_) | comparison::Ended::Undefined(_) => Ending::Failed,
            },
            steps: m.steps,
            time: m.time,
            error: Size { time: m.error.map(|e| e.0), ..size(m.error.map(|e| e.1), &m.error_growth) },
            energy: size(Some(m.energy), &m.energy_growth),
            constraints: Size { r#final: finals[0], ..size(Some(m.constraints), &m.constraint_growth) },
            hidden_constraints: Size { r#final: finals[1], ..size(Some(m.hidden), &m.hidden_growth) },
            work: Work {
                newton_iterations: m.newton_iterations,
                fixed_point_iterations: Some(m.fixed_point_iterations).filter(|n| *n > 0),
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
    pub(super) fn unmade(problem: &Instance, prepared: &Prepared, step: f64, error: CompileError) -> Row {
        let unknown = || Pace::Undecided(NoPace::NotBegun(error.clone()));
        let nothing = Measured {
            ended: comparison::Ended::Undefined(Source::new(error.clone())),
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
            fixed_point_iterations: 0,
            own_steps: None,
            projections: [0; 2],
            seconds: 0.0,
            singular: None,
            curves: Curves::default(),
        };
        let stop = Stop::undefined(Code::Compile, error.to_string(), 0.0, 0);
        Row::new(problem, prepared, step, nothing, |_| Some(stop.clone()))
    }

    /// What the row is, without the formulation.
    pub(super) fn described(&self) -> String {
        match &self.choice.project {
            Some(project) => format!("{}, projection {project}", self.choice.described()),
            None => self.choice.described(),
        }
    }

    /// The name of its formulation.
    pub(super) fn formulation(&self) -> &str {
        self.choice.formulation.as_deref().unwrap_or_default()
    }
}

impl Size {
    fn new(value: Option<f64>, pace: &Pace) -> Size {
        let (growth, round_off, reason) = match pace {
            Pace::Power(growth) => (Some(growth), false, None),
            Pace::RoundOff => (None, true, None),
            Pace::Undecided(reason) => (None, false, Some(reason.into())),
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
