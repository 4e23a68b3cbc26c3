//! What is to be integrated, and how.

use cotangent_compile::values::Setting;
use std::path::PathBuf;

/// What is to be integrated, and how. What is left open is taken from the `run` statement of the model, and else from
/// what suits its equations.
#[derive(Clone, Debug, Default)]
pub struct Choice {
    /// The method.
    pub method: Option<String>,
    /// The number of stages of a method that has them.
    pub stages: Option<u64>,
    /// The method for the equations without constraints inside `reich`.
    pub inner: Option<String>,
    /// The error of a step that a method with steps of its own aims at, relative to the state; 0: steps as given.
    pub tol: Option<f64>,
    /// The composition of several steps to one of higher order; `none`: not as the model says.
    pub compose: Option<String>,
    /// The equations of motion.
    pub formulation: Option<String>,
    /// The coordinates of charts to change among, such as `x,y[3]`; none: chosen automatically.
    pub chart: Vec<String>,
    /// Numbers of the formulation.
    pub opt: Vec<(String, f64)>,
    /// The projection onto the constraints after every step.
    pub project: Option<String>,
    /// Project only where a residual is larger.
    pub project_above: Option<f64>,
    /// Whether initial data that violate the constraints are moved onto them.
    pub project_initial: bool,
    /// Whether to go on without constraints that depend on others.
    pub drop_redundant: bool,
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
    /// Other values of parameters, initial values and sizes.
    pub set: Vec<Setting>,
}

/// The files that a verb writes.
#[derive(Clone, Debug, Default)]
pub struct Files {
    /// The rows of a run: `.csv` or `.npz`.
    pub table: Option<PathBuf>,
    /// The figure: `.svg` or `.png`.
    pub plot: Option<PathBuf>,
    /// The report: `.html`.
    pub report: Option<PathBuf>,
}
