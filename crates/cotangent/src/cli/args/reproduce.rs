//! What `reproduce` takes.

use clap::Args;
use cotangent::verbs::reproduce::{Picture, Request};
use std::path::PathBuf;

/// Make the experiments of papers again: what was claimed beside what is measured
///
/// Runs the experiments of the papers that Cotangent comes from, and shows each claim beside the measurement. The
/// verdict compares with the paper: reproduced, differs, or not stated; where the paper is wrong, a sentence says why.
/// Each measurement has an independent reference, too, found by other programs.
#[derive(Args)]
#[command(after_help = REPRODUCE)]
pub(crate) struct Reproduce {
    /// Experiments, papers, or `all`; without any, the list of them
    #[arg(value_name = "WHAT")]
    pub(crate) wanted: Vec<String>,

    /// Write a page for each paper and a picture for each figure into this folder
    #[arg(long, value_name = "DIR", requires = "wanted")]
    pub(crate) out: Option<PathBuf>,

    /// Experiments of your own: a folder with a folder for each paper, instead of those that come with Cotangent
    #[arg(long, value_name = "DIR")]
    pub(crate) folder: Option<PathBuf>,

    /// Pictures as PNG, not as SVG
    #[arg(long, requires = "out")]
    pub(crate) png: bool,
}

impl Reproduce {
    /// What is asked for.
    pub(crate) fn request(self) -> Request {
        let picture = if self.png { Picture::Png } else { Picture::Svg };
        Request { wanted: self.wanted, out: self.out, picture }
    }
}

const REPRODUCE: &str = "\
Examples:
  cotangent reproduce                              the papers and their experiments
  cotangent reproduce leimkuhler-reich/fig-3       one experiment
  cotangent reproduce seiler --out pages           those of a paper, with a page and pictures
  cotangent reproduce all --json                   everything, for programs

Exit status: 0 the measurements are those of their independent references, whatever the verdicts;
1 one is not, or a curve could not be drawn; 2 refused; 3 stopped by Ctrl-C: experiments whose runs were done are shown.";
