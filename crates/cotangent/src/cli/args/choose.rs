//! The options that `run` and `certify` share: equations, method, projection, values.

use clap::Args;
use cotangent::compile::values::Setting;
use cotangent::verbs::{Choice, setting};

/// Which equations are integrated, and how.
#[derive(Args)]
pub(crate) struct Choose {
    /// The method; `cotangent methods` lists them
    #[arg(long, value_name = "NAME")]
    pub(crate) method: Option<String>,

    /// The number of stages of a method that has them (gauss: order 2*S, lobatto-3a3b: 2*S - 2,
    /// radau-2a: 2*S - 1, average-vector-field: points of the quadrature)
    #[arg(long, value_name = "S", value_parser = setting::whole_number)]
    pub(crate) stages: Option<u64>,

    /// The method for the equations without constraints inside `reich`
    #[arg(long, value_name = "NAME")]
    pub(crate) inner: Option<String>,

    /// The error of a step that dopri5 and dop853 aim at, relative to the state; 0: steps as given
    #[arg(long, value_name = "T", allow_hyphen_values = true, value_parser = setting::number)]
    pub(crate) tol: Option<f64>,

    /// Compose several steps of a symmetric method to one of higher order; `cotangent methods` lists
    /// them; none: not as the model says
    #[arg(long, value_name = "NAME")]
    pub(crate) compose: Option<String>,

    /// The equations of motion; `cotangent formulations` lists them (those that the model needs,
    /// unless given)
    #[arg(long, value_name = "NAME")]
    pub(crate) formulation: Option<String>,

    /// The coordinates of a chart of `local-chart`, such as x,y[3]; repeated: charts to change among
    /// (chosen automatically unless given)
    #[arg(long, value_name = "NAMES")]
    pub(crate) chart: Vec<String>,

    /// A number of the formulation, such as alpha=3 (baumgarte); may be repeated
    #[arg(long, value_name = "NAME=VALUE", value_parser = setting::option)]
    pub(crate) opt: Vec<(String, f64)>,

    /// Project onto the constraints after every step: position, momentum, both, symmetric
    #[arg(long, value_name = "WHAT")]
    pub(crate) project: Option<String>,

    /// Project only where a residual is larger than EPS
    #[arg(long, value_name = "EPS", allow_hyphen_values = true, value_parser = setting::number)]
    pub(crate) project_above: Option<f64>,

    /// Move initial data that violate the constraints onto them, and say how far
    #[arg(long)]
    pub(crate) project_initial: bool,

    /// Go on without constraints that depend on others
    #[arg(long)]
    pub(crate) drop_redundant: bool,

    /// The step size: a number or an expression such as pi/500; negative to go back in time
    #[arg(long, value_name = "H", allow_hyphen_values = true, value_parser = setting::number)]
    pub(crate) step: Option<f64>,

    /// Give a parameter or an initial value another value; may be repeated
    ///
    /// g=9.81, m=2 (a whole family), m[3]=2 (one member), x=1/2, "x'=0" (a velocity), n=100 (a
    /// size). The value is a number or an expression without names, such as 2/3 or pi/4.
    #[arg(long = "set", value_name = "NAME=VALUE", value_parser = setting::parse)]
    pub(crate) set: Vec<Setting>,
}

impl Choose {
    /// The same as a choice.
    pub(crate) fn choice(&self) -> Choice {
        Choice {
            method: self.method.clone(),
            stages: self.stages,
            inner: self.inner.clone(),
            tol: self.tol,
            compose: self.compose.clone(),
            formulation: self.formulation.clone(),
            chart: self.chart.clone(),
            opt: self.opt.clone(),
            project: self.project.clone(),
            project_above: self.project_above,
            project_initial: self.project_initial,
            drop_redundant: self.drop_redundant,
            step: self.step,
            set: self.set.clone(),
            ..Choice::default()
        }
    }
}
