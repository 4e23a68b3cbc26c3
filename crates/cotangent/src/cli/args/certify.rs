//! What can be typed after `certify`.

use super::Choose;
use clap::Args;
use cotangent::verbs::certify::Request;
use cotangent::verbs::{Choice, Files, setting};
use std::ffi::OsString;
use std::path::PathBuf;

/// Measure what a method keeps on a model, and compare with what it claims
///
/// Measures, on this model, the order of convergence (against a solution by another family of
/// methods in extended precision), symplecticity (from the exact tangent map of a step), symmetry (a
/// step forward and one back), and along a run the constraints and the growth of the energy error.
/// Compares each with the card of the method.
#[derive(Args)]
#[command(after_help = CERTIFY)]
pub(crate) struct Certify {
    /// A model file, the name of a shipped model, or - for stdin
    #[arg(value_name = "MODEL")]
    pub(crate) model: OsString,

    #[command(flatten)]
    pub(crate) choose: Choose,

    /// The number of steps of the run that measures constraints and energy
    #[arg(long, value_name = "N", default_value = "20000", value_parser = setting::whole_number)]
    pub(crate) steps: u64,

    /// Draw the run that measures constraints and energy: .svg or .png
    #[arg(long, value_name = "FILE")]
    pub(crate) plot: Option<PathBuf>,

    /// Write a report with the certificate, formulas and plots: .html, one file that needs no other
    #[arg(long, value_name = "FILE")]
    pub(crate) report: Option<PathBuf>,
}

impl Certify {
    /// What is asked for.
    pub(crate) fn request(self) -> (OsString, Request) {
        let choice = Choice { steps: Some(self.steps), ..self.choose.0 };
        (self.model, Request { choice, files: Files { plot: self.plot, report: self.report, ..Files::default() } })
    }
}

const CERTIFY: &str = "\
Examples:
  cotangent certify pendulum                                  the model's own method
  cotangent certify pendulum --method shake
  cotangent certify pendulum --method rk4 --formulation hamilton-dirac
  cotangent certify kepler --method gauss --stages 3 --json
  cotangent certify pendulum --report pendulum.html           the certificate as a page

Exit status: 0 everything claimed holds, or could not be decided; 1 something claimed does
not hold; 2 refused; 3 the run for constraints and energy did not reach its end.";
