//! What can be typed after `analyze`.

use clap::Args;
use cotangent::compile::values::Setting;
use cotangent::verbs::setting;
use std::ffi::OsString;

/// Find hidden constraints, their classes, and what is left: Dirac's analysis
///
/// Makes a Hamiltonian system of a model, singular Lagrangians included, and runs Dirac's algorithm: primary
/// and hidden constraints, multipliers, first and second class, gauge transformations, the Dirac bracket,
/// degrees of freedom. Of a Poisson model it checks antisymmetry and Jacobi's identity, names the Lie algebra of a
/// linear bracket, and seeks Casimirs. Claims (`casimir`, `invariant`) are checked. Parameters stay symbols. Each
/// verdict says whether it is proved or sampled.
#[derive(Args)]
#[command(after_help = ANALYZE)]
pub(crate) struct Analyze {
    /// A model file, the name of a shipped model, or - for stdin
    #[arg(value_name = "MODEL")]
    pub(crate) model: OsString,

    /// Give a size or a parameter a value, and analyse that case; may be repeated
    ///
    /// n=50 (a size), g=0, m=2 (a whole family), m[3]=2 (one member). Other parameters stay symbols.
    #[arg(long = "set", value_name = "NAME=VALUE", value_parser = setting::parse)]
    pub(crate) set: Vec<Setting>,

    /// Print the derivation in LaTeX
    #[arg(long)]
    pub(crate) latex: bool,

    /// Show the matrix of the brackets of the constraints with each other, too
    ///
    /// Its entries, its rank on the constraint surface, and where the model starts the determinant and the condition
    /// number of the block of the second-class constraints.
    #[arg(long)]
    pub(crate) brackets: bool,

    /// Print a Poisson model in other coordinates, "u = x + y, v = x - y": a model that can be run
    ///
    /// As many as there are variables, each in terms of these. Brackets, energy, constraints, claims, observables and
    /// the start are put in terms of the new ones.
    #[arg(long, value_name = "LIST", conflicts_with = "latex")]
    pub(crate) coordinates: Option<String>,

    /// The variables in terms of the new coordinates, "x = (u + v)/2, y = (u - v)/2"; found where these are linear
    #[arg(long, value_name = "LIST", requires = "coordinates")]
    pub(crate) inverse: Option<String>,
}

const ANALYZE: &str = "\
Examples:
  cotangent analyze pendulum               one constraint, one hidden, its multiplier
  cotangent analyze landau                 a singular Lagrangian, and its Dirac bracket
  cotangent analyze chain --set n=50       another size
  cotangent analyze rigid-body             is the bracket one? its Lie algebra, its Casimirs
  cotangent analyze rigid-body --coordinates \"a = y1 + y2, b = y1 - y2, c = y3\" > other.cot
  cotangent analyze landau --latex         the derivation for a paper
  cotangent analyze crane --brackets       the matrix C of the brackets of the constraints
  cotangent analyze --json christ-lee      the same for programs

Exit status: 0 decided, consistent, and every claim holds; 1 inconsistent, undecided, or a
claim that fails; 2 the model has a mistake.";
