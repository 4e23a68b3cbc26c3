//! What is to be integrated, and how: one type from the command line over the `run` statement of a model to
//! checkpoints and documents.

pub(crate) mod names;
pub(crate) mod shown;

use crate::figures::{count, number};
use crate::setting;
use cotangent_compile::values::Setting;
use cotangent_integrate::{Composition, Method, Projection, StageSolver};
use cotangent_problem::Repairs;
use cotangent_theory::Formulation;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// What is to be integrated, and how. What is left open is taken from the `run` statement of the model, and else from
/// what suits its equations.
///
/// The fields are plain data, with names as the command line has them; the functions of the same names take what the
/// names stand for.
///
/// ```
/// use cotangent_integrate::Method;
/// use cotangent_verbs::Choice;
///
/// let choice = Choice::default().method(Method::Gauss { stages: 3 }).step(0.1).until(100.0).set("m[3]", 2.0);
/// assert_eq!(choice.method.as_deref(), Some("gauss"));
/// assert_eq!(choice.stages, Some(3));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Choice {
    /// The equations of motion.
    pub formulation: Option<String>,
    /// The lapse, by name or as an expression; unless given, that of the model.
    pub lapse: Option<String>,
    /// Numbers of the formulation.
    pub opt: Vec<(String, f64)>,
    /// The method.
    pub method: Option<String>,
    /// The number of stages of a method that has them.
    pub stages: Option<u64>,
    /// What solves the equations of its stages: `newton` or `fixed-point`; unless given, what fits.
    pub stage_solver: Option<String>,
    /// The method for the equations without constraints inside `reich`.
    pub inner: Option<String>,
    /// The error of a step that a method with steps of its own aims at, relative to the state; 0: steps as given.
    pub tol: Option<f64>,
    /// The composition of several steps to one of higher order; `none`: not as the model says.
    pub compose: Option<String>,
    /// The projection onto the constraints after every step.
    pub project: Option<String>,
    /// Project only where a residual is larger.
    pub project_above: Option<f64>,
    /// The coordinates of charts to change among, such as `x,y[3]`; none: chosen automatically.
    pub chart: Vec<String>,
    /// Whether initial data that violate the constraints are moved onto them.
    pub project_initial: bool,
    /// Whether to go on without constraints that depend on others.
    pub drop_redundant: bool,
    /// Whether a bracket for which Jacobi's identity fails is integrated all the same.
    pub allow_almost_poisson: bool,
    /// The step size.
    pub step: Option<f64>,
    /// The final time.
    pub until: Option<f64>,
    /// The number of steps, instead of a final time.
    pub steps: Option<u64>,
    /// Stop Newton's method at this relative update, instead of at round-off.
    pub solver_tol: Option<f64>,
    /// A row every so many steps; 0: the start and the end only.
    pub record: Option<u64>,
    /// Rows at the multiples of this time, instead.
    pub every: Option<f64>,
    /// Other values of parameters, initial values and sizes.
    #[serde(with = "shown::settings")]
    pub set: Vec<Setting>,
}

impl Choice {
    /// With these equations of motion, and their numbers.
    pub fn formulation(self, formulation: Formulation) -> Choice {
        let mut opt: Vec<(String, f64)> = formulation.numbers().into_iter().map(|(k, v)| (k.to_owned(), v)).collect();
        opt.sort_by(|a, b| a.0.cmp(&b.0));
        Choice { formulation: Some(formulation.name().to_owned()), opt, ..self }
    }

    /// With this lapse, a name or an expression in the variables of the model.
    pub fn lapse(self, lapse: &str) -> Choice {
        Choice { lapse: Some(lapse.to_owned()), ..self }
    }

    /// With this method, and its stages, inner method and tolerance.
    pub fn method(self, method: Method) -> Choice {
        let inner = match method {
            Method::Reich { inner } => Some(inner.method().name().to_owned()),
            _ => None,
        };
        // A method that could have a tolerance and has none takes steps as they are given.
        let tol = method.with_tolerance(None).map(|_| method.tolerance().unwrap_or(0.0));
        let stages = method.stages().map(|s| s as u64);
        Choice { method: Some(method.name().to_owned()), stages, inner, tol, ..self }
    }

    /// With what solves the equations of the stages.
    pub fn stage_solver(self, solver: StageSolver) -> Choice {
        Choice { stage_solver: Some(solver.name().to_owned()), ..self }
    }

    /// With several steps composed to one, or with none, whatever the model says.
    pub fn compose(self, composition: Option<Composition>) -> Choice {
        Choice { compose: Some(composition.map_or(NONE, Composition::name).to_owned()), ..self }
    }

    /// With a projection after every step, or after those that need one.
    pub fn project(self, projection: Projection) -> Choice {
        Choice { project: Some(projection.target.name().to_owned()), project_above: projection.above, ..self }
    }

    /// With a chart of these coordinates, such as `x,y[3]`, to change among.
    pub fn chart(mut self, coordinates: &str) -> Choice {
        self.chart.push(coordinates.to_owned());
        self
    }

    /// With initial data moved onto the constraints, if they violate them.
    pub fn project_initial(self) -> Choice {
        Choice { project_initial: true, ..self }
    }

    /// Without constraints that depend on others.
    pub fn drop_redundant(self) -> Choice {
        Choice { drop_redundant: true, ..self }
    }

    /// With a bracket for which Jacobi's identity fails, if it does.
    pub fn allow_almost_poisson(self) -> Choice {
        Choice { allow_almost_poisson: true, ..self }
    }

    /// With steps of this size.
    pub fn step(self, step: f64) -> Choice {
        Choice { step: Some(step), ..self }
    }

    /// To this time.
    pub fn until(self, time: f64) -> Choice {
        Choice { until: Some(time), steps: None, ..self }
    }

    /// For so many steps.
    pub fn steps(self, steps: u64) -> Choice {
        Choice { steps: Some(steps), until: None, ..self }
    }

    /// With a row every so many steps.
    pub fn record(self, every: u64) -> Choice {
        Choice { record: Some(every), ..self }
    }

    /// With a row at every multiple of a time.
    pub fn every(self, time: f64) -> Choice {
        Choice { every: Some(time), ..self }
    }

    /// With another value of a parameter, an initial value or a size: `g`, `m[3]`, `x'`, `n`.
    pub fn set(mut self, place: &str, value: f64) -> Choice {
        self.set.push(setting::at(place, value));
        self
    }

    /// Whether time is a variable of the equations: `step` is one of another parameter then.
    pub(crate) fn has_time(&self) -> bool {
        self.formulation.as_deref().and_then(Formulation::named).is_some_and(Formulation::has_time)
    }

    /// What may be repaired.
    pub(crate) fn repairs(&self) -> Repairs {
        Repairs { project_initial: self.project_initial, drop_redundant: self.drop_redundant }
    }

    /// The composition, if there is one.
    pub(crate) fn composition(&self) -> Option<&str> {
        self.compose.as_deref().filter(|name| *name != NONE)
    }

    /// The method with its options, in words.
    pub fn described(&self) -> String {
        let mut text = self.method.clone().unwrap_or_default();
        if let Some(stages) = self.stages {
            text += &format!(" with {}", count(stages, "stage", "stages"));
        }
        if let Some(inner) = &self.inner {
            text += &format!(" around `{inner}`");
        }
        if let Some(tol) = self.tol.filter(|tol| *tol > 0.0) {
            text += &format!(", tolerance {}", number(tol));
        }
        if let Some(compose) = self.composition() {
            text += &format!(", composed by `{compose}`");
        }
        text
    }

    /// What else was asked for, in words: values that are set, charts, a tolerance, repairs.
    pub(crate) fn particulars(&self) -> Option<String> {
        let set = |s: &Setting| format!("{} = {}", setting::place(s), number(s.value));
        let mut parts: Vec<String> = vec![];
        if !self.set.is_empty() {
            parts.push(self.set.iter().map(set).collect::<Vec<_>>().join(", "));
        }
        parts.extend(self.lapse.iter().map(|lapse| format!("lapse {lapse}")));
        parts.extend(self.stage_solver.iter().map(|solver| format!("stages by {solver}")));
        parts.extend(self.chart.iter().map(|chart| format!("chart {chart}")));
        parts.extend(self.solver_tol.map(|tol| format!("solver tolerance {}", number(tol))));
        parts.extend(self.project_initial.then(|| "initial data moved onto the constraints".to_owned()));
        parts.extend(self.drop_redundant.then(|| "redundant constraints left out".to_owned()));
        parts.extend(self.allow_almost_poisson.then(|| "almost-Poisson brackets allowed".to_owned()));
        (!parts.is_empty()).then(|| parts.join("; "))
    }

    /// The formulation with its numbers: `baumgarte` (alpha = 5, beta = 2).
    pub(crate) fn equations(&self) -> String {
        let name = self.formulation.as_deref().unwrap_or_default();
        let numbers: Vec<String> =
            self.opt.iter().map(|(name, value)| format!("{name} = {}", number(*value))).collect();
        if numbers.is_empty() { format!("`{name}`") } else { format!("`{name}` ({})", numbers.join(", ")) }
    }
}

/// Not composed.
pub(crate) const NONE: &str = "none";

/// The files that a verb writes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Files {
    /// The rows of a run: `.csv` or `.npz`. With it a checkpoint, from which an interrupted run goes on.
    pub table: Option<PathBuf>,
    /// The figure: `.svg` or `.png`.
    pub plot: Option<PathBuf>,
    /// The report: `.html`.
    pub report: Option<PathBuf>,
    /// The motion of a run: `.gif`.
    pub movie: Option<PathBuf>,
}
