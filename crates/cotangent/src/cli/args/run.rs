//! What can be typed after `run`.

use super::Choose;
use clap::{Args, ValueEnum};
use cotangent::observe::Extra;
use cotangent::verbs::run::Request;
use cotangent::verbs::{Choice, Files, Watch, setting};
use std::ffi::OsString;
use std::path::PathBuf;

/// Integrate a model, and measure what was kept
///
/// Integrates the equations of motion of a model and prints the final state, the energy error, how
/// well constraints and conserved quantities were kept, the multipliers and the work. Defaults for
/// method, step and time come from the `run` statement of the model.
#[derive(Args)]
#[command(after_help = RUN)]
pub(crate) struct Run {
    /// A model file, the name of a shipped model, or - for stdin; may be left out with --resume
    #[arg(value_name = "MODEL", required_unless_present = "resume")]
    pub(crate) model: Option<OsString>,

    #[command(flatten)]
    pub(crate) choose: Choose,

    /// The final time; the last step is shortened if this is not a multiple of the step, or found with a lapse
    #[arg(long, value_name = "T", allow_hyphen_values = true, value_parser = setting::number, conflicts_with = "steps")]
    pub(crate) until: Option<f64>,

    /// The number of steps, instead of a final time
    #[arg(long, value_name = "N", value_parser = setting::whole_number)]
    pub(crate) steps: Option<u64>,

    /// Stop Newton's method at this relative update, instead of at round-off
    #[arg(long, value_name = "T", allow_hyphen_values = true, value_parser = setting::number)]
    pub(crate) solver_tol: Option<f64>,

    /// Write a row every so many steps; 0: the start and the end only, nothing measured between
    #[arg(long, value_name = "EVERY", value_parser = setting::whole_number)]
    pub(crate) record: Option<u64>,

    /// Write rows at the multiples of this time, by steps of the method to there; the run goes on as it would
    #[arg(long, value_name = "T", value_parser = setting::number, conflicts_with_all = ["record", "arrays"])]
    pub(crate) every: Option<f64>,

    /// Write a table: text for .csv, NumPy arrays for .npz
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,

    /// Columns that the table has besides: residuals, invariants (what the model claims, Casimirs too)
    #[arg(long, value_name = "A,B", value_delimiter = ',')]
    pub(crate) columns: Vec<Column>,

    /// Put the rows of the table into the JSON document, column by column
    #[arg(long)]
    pub(crate) arrays: bool,

    /// Draw energy error, residuals, observables and the motion: .svg or .png
    #[arg(long, value_name = "FILE")]
    pub(crate) plot: Option<PathBuf>,

    /// Write a report with formulas, plots and the motion: .html, one file that needs no other
    #[arg(long, value_name = "FILE")]
    pub(crate) report: Option<PathBuf>,

    /// Write the motion as a movie for slides: .gif
    #[arg(long, value_name = "FILE")]
    pub(crate) movie: Option<PathBuf>,

    /// What pictures show over time, such as x,p_y[3]: variables and observables (chosen unless given)
    #[arg(long, value_name = "A,B")]
    pub(crate) quantities: Vec<String>,

    /// Go on with an interrupted run that writes FILE, or with a finished one to a later --until
    #[arg(long, value_name = "FILE")]
    pub(crate) resume: Option<PathBuf>,

    /// Seconds between two checkpoints (FILE.checkpoint, beside the table)
    #[arg(long, value_name = "SECONDS", allow_hyphen_values = true, value_parser = setting::number)]
    pub(crate) checkpoint: Option<f64>,
}

/// Columns of a table on request.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Column {
    Residuals,
    Invariants,
}

impl Run {
    /// What is asked for.
    pub(crate) fn request(self, quiet: bool) -> (Option<OsString>, Request) {
        let Run { until, steps, solver_tol, record, every, resume, checkpoint, arrays, quantities, .. } = self;
        let choice = Choice { until, steps, solver_tol, record, every, ..self.choose.0 };
        let files = Files { table: self.out, plot: self.plot, report: self.report, movie: self.movie };
        let has = |column| self.columns.contains(&column);
        let columns = Extra { residuals: has(Column::Residuals), claims: has(Column::Invariants) };
        let watch = if quiet { Watch::Nothing } else { Watch::Lines };
        let folder = std::env::current_dir().ok();
        (self.model, Request { choice, files, resume, checkpoint, watch, columns, arrays, quantities, folder })
    }
}

const RUN: &str = "\
Examples:
  cotangent run pendulum                              as the model's `run` statement says
  cotangent run pendulum --step 0.1 --until 1000      another step and final time
  cotangent run chain --set n=100 --out chain.npz     another size, and a table
  cotangent run --resume chain.npz                    go on after Ctrl-C or a crash
  cotangent run --resume chain.npz --until 200        go on behind the end of a finished run
  cotangent run pendulum --columns residuals --out a.csv
  cotangent run pendulum --plot swing.svg             a figure
  cotangent run four-bar --until 5 --movie bar.gif    the motion, for slides
  cotangent run chain --set n=50 --report chain.html  a page that shows the chain moving
  cotangent run pendulum --method rk4 --formulation standard --project momentum
  cotangent run rigid-body --method gauss --stages 3 --json

Exit status: 0 finished, 2 refused before the first step, or finished without a picture or a
report that could not be written, 3 stopped early (a step that cannot be made, Ctrl-C): the
rows computed so far are in the file.";
