//! What can be typed after `compare`.

use clap::Args;
use cotangent::compile::values::Setting;
use cotangent::verbs::compare::Request;
use cotangent::verbs::{Choice, Files, setting};
use std::ffi::OsString;
use std::path::PathBuf;

/// Run every formulation and method of a model side by side
///
/// Runs all combinations of formulations, methods, steps and projections, and shows for each the
/// error at the end against a solution in extended precision, the largest energy error and residuals, how
/// they grow with time, and the work; and for each formulation whether errors of the constraints
/// grow, oscillate, stay or decay. A combination that runs off is a row that says where; one that
/// does not fit is left out, with the reason.
#[derive(Args)]
#[command(after_help = COMPARE)]
pub(crate) struct Compare {
    /// A model file, the name of a shipped model, or - for stdin
    #[arg(value_name = "MODEL")]
    pub(crate) model: OsString,

    /// The formulations; all that fit, unless said otherwise
    #[arg(long, value_name = "A,B", value_delimiter = ',')]
    pub(crate) formulations: Vec<String>,

    /// The methods; one that suits each formulation, unless said otherwise
    #[arg(long, value_name = "A,B", value_delimiter = ',')]
    pub(crate) methods: Vec<String>,

    /// The number of stages of methods that have them
    #[arg(long, value_name = "S", value_parser = setting::whole_number)]
    pub(crate) stages: Option<u64>,

    /// What solves the equations of stages: newton or fixed-point (an iteration, and Newton's method where it does not
    /// converge, unless given)
    #[arg(long, value_name = "NAME")]
    pub(crate) stage_solver: Option<String>,

    /// The projections: none, position, momentum, both, symmetric
    #[arg(long, value_name = "A,B", value_delimiter = ',')]
    pub(crate) projections: Vec<String>,

    /// Project only where a residual is larger than EPS
    #[arg(long, value_name = "EPS", allow_hyphen_values = true, value_parser = setting::number)]
    pub(crate) project_above: Option<f64>,

    /// One step size
    #[arg(long, value_name = "H", allow_hyphen_values = true, value_parser = setting::number)]
    #[arg(conflicts_with = "steps_list")]
    pub(crate) step: Option<f64>,

    /// Several step sizes: --plot is then a work-precision diagram
    #[arg(long, value_name = "H1,H2", value_delimiter = ',', allow_hyphen_values = true, value_parser = setting::number)]
    pub(crate) steps_list: Vec<f64>,

    /// The final time; the last step is shortened if this is not a multiple of the step
    #[arg(long, value_name = "T", allow_hyphen_values = true, value_parser = setting::number)]
    pub(crate) until: Option<f64>,

    /// The lapse of the formulation `lapse`: an expression in the variables of the model, or a name
    #[arg(long, value_name = "LAPSE", allow_hyphen_values = true)]
    pub(crate) lapse: Option<String>,

    /// A number of those formulations that have it, such as alpha=3 (dirac, baumgarte); may be repeated
    #[arg(long, value_name = "NAME=VALUE", value_parser = setting::option)]
    pub(crate) opt: Vec<(String, f64)>,

    /// The coordinates of a chart of `local-chart`, or the variables that `slaved` and its relatives keep, such as x,y[3];
    /// repeated: charts to change among (chosen automatically unless given)
    #[arg(long, value_name = "NAMES")]
    pub(crate) chart: Vec<String>,

    /// Move initial data that violate the constraints onto them, and say how far
    #[arg(long)]
    pub(crate) project_initial: bool,

    /// Go on without constraints that depend on others
    #[arg(long)]
    pub(crate) drop_redundant: bool,

    /// Integrate a bracket for which Jacobi's identity fails, and say what is lost
    #[arg(long)]
    pub(crate) allow_almost_poisson: bool,

    /// Give a parameter or an initial value another value; may be repeated
    #[arg(long = "set", value_name = "NAME=VALUE", value_parser = setting::parse)]
    pub(crate) set: Vec<Setting>,

    /// Write the rows as a table for other programs: .csv
    #[arg(long, value_name = "FILE")]
    pub(crate) csv: Option<PathBuf>,

    /// Draw the errors, over time or (several steps) over the seconds they take: .svg or .png
    #[arg(long, value_name = "FILE")]
    pub(crate) plot: Option<PathBuf>,

    /// Write a report with tables, plots and the equations: .html, one file that needs no other
    #[arg(long, value_name = "FILE")]
    pub(crate) report: Option<PathBuf>,
}

impl Compare {
    /// What is asked for.
    pub(crate) fn request(self) -> (OsString, Request) {
        let choice = Choice {
            stages: self.stages,
            stage_solver: self.stage_solver,
            project_above: self.project_above,
            step: self.step,
            until: self.until,
            lapse: self.lapse,
            opt: self.opt,
            chart: self.chart,
            project_initial: self.project_initial,
            drop_redundant: self.drop_redundant,
            allow_almost_poisson: self.allow_almost_poisson,
            set: self.set,
            ..Choice::default()
        };
        let request = Request {
            choice,
            formulations: self.formulations,
            methods: self.methods,
            projections: self.projections,
            steps: self.steps_list,
            files: Files { table: self.csv, plot: self.plot, report: self.report, ..Files::default() },
        };
        (self.model, request)
    }
}

const COMPARE: &str = "\
Examples:
  cotangent compare pendulum                                  every formulation that fits
  cotangent compare pendulum --formulations dirac,total --opt alpha=2
  cotangent compare pendulum --methods rattle,rk4,gauss --steps-list 0.1,0.05,0.025 --plot work.svg
  cotangent compare pendulum --formulations standard --methods rk4 --step 0.025 --until 1023 \\
      --projections none,momentum --project-above 1e-6        Seiler's experiment
  cotangent compare pendulum --methods rattle,gauss --csv rows.csv
  cotangent compare double-pendulum --until 10 --report double.html

Exit status: 0 at least one combination was run to its end, 1 none was, 2 refused, 3 stopped by
Ctrl-C: the rows done so far are shown.";
