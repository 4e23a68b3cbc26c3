//! What can be typed, and the help that teaches it.

mod analyze;
mod certify;
mod choose;
mod compare;
mod describe;
mod reproduce;
mod run;

pub(crate) use analyze::Analyze;
pub(crate) use certify::Certify;
use choose::Choose;
pub(crate) use compare::Compare;
pub(crate) use describe::{Explain, Formulations, Methods};
pub(crate) use reproduce::Reproduce;
pub(crate) use run::Run;

use clap::{Args, Parser, Subcommand, ValueEnum};
use cotangent::compile::values::Setting;
use std::ffi::OsString;
use std::path::PathBuf;

/// The version, and what runs compiled functions.
#[cfg(feature = "jit")]
const VERSION: &str = concat!(env!("CARGO_PKG_VERSION"), " (native code)");
/// The version, and what runs compiled functions.
#[cfg(not(feature = "jit"))]
const VERSION: &str =
    concat!(env!("CARGO_PKG_VERSION"), " (without native code: built without the feature `jit`, the tape runs)");

/// Constrained Hamiltonian and Poisson systems, written as text.
#[derive(Parser)]
#[command(name = "cotangent", version = VERSION, arg_required_else_help = true, propagate_version = true)]
#[command(after_help = FIRST, after_long_help = FIRST_LONG)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) verb: Verb,

    /// Print one JSON document instead of text
    #[arg(long, global = true, display_order = 100)]
    pub(crate) json: bool,

    /// When to use colours
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto", display_order = 101)]
    pub(crate) color: Colour,
}

const FIRST: &str = "\
Start here:
  cotangent models              what comes with Cotangent
  cotangent check pendulum      read a model and say what it is
  cotangent analyze pendulum    find hidden constraints, and what is left
  cotangent run pendulum        integrate it, and say what was kept
  cotangent new swing           write swing.cot, a model to edit

`cotangent help VERB` explains each verb, with examples.";

const FIRST_LONG: &str = "\
Start here:
  cotangent models              what comes with Cotangent
  cotangent check pendulum      read a model and say what it is
  cotangent analyze pendulum    find hidden constraints, and what is left
  cotangent run pendulum        integrate it, and say what was kept
  cotangent new swing           write swing.cot, a model to edit

A model is a text like this:
  coord x, y
  hamiltonian (p_x^2 + p_y^2)/2 + y
  constraint rod: (x^2 + y^2 - 1)/2 = 0
  initial x = 1, p_y = -2

Results go to stdout, messages to stderr. Exit status:
  0  done, and what was checked holds
  1  done, but a check did not hold
  2  error, or refused before anything was computed; or done, but a picture or a report could
     not be written
  3  stopped early (a step that cannot be made, Ctrl-C); what was computed is kept

`cotangent help VERB` explains each verb, with examples.";

/// What to do.
#[derive(Subcommand)]
pub(crate) enum Verb {
    Check(Check),
    Analyze(Analyze),
    Run(Box<Run>),
    Certify(Certify),
    Compare(Compare),
    Reproduce(Reproduce),
    Models(Models),
    Methods(Methods),
    Formulations(Formulations),
    Explain(Explain),
    New(New),
    Completions(Completions),
}

/// Read a model: what it is, and whether its initial data fit its constraints
///
/// Reads a model and prints what was understood: variables, parameters, energy, constraints,
/// initial values and what was not named. Then checks that the initial data satisfy the
/// constraints and their time derivatives (the hidden constraints), that forces and rates have
/// values there, that the parts of a `split` add up to the energy, and that claimed Casimirs and
/// invariants are some. Writes no file.
#[derive(Args)]
#[command(after_help = CHECK)]
pub(crate) struct Check {
    /// A model file, the name of a shipped model, or - for stdin
    #[arg(value_name = "MODEL")]
    pub(crate) model: OsString,

    /// Give a parameter or an initial value another value; may be repeated
    ///
    /// g=9.81, m=2 (a whole family), m[3]=2 (one member), x=1/2, "x'=0" (a velocity), n=100 (a
    /// size). The value is a number or an expression without names, such as 2/3 or pi/4.
    #[arg(long = "set", value_name = "NAME=VALUE", value_parser = cotangent::verbs::setting::parse)]
    pub(crate) set: Vec<Setting>,
}

const CHECK: &str = "\
Examples:
  cotangent check pendulum                 a shipped model
  cotangent check swing.cot                a file of your own
  cotangent check chain --set n=1000       another size
  cotangent check pendulum --set x=0.8     inconsistent: exit status 1
  cotangent check --json pendulum          the same for programs
  cat swing.cot | cotangent check -        from stdin

Exit status: 0 consistent, 1 inconsistent, a singular start or a claim that fails, 2 the model
has a mistake.";

/// List the shipped models, or print one
///
/// Without NAME, lists the models that come with Cotangent. With NAME, prints the text of that
/// model: read it as an example, or start from it.
#[derive(Args)]
#[command(after_help = MODELS)]
pub(crate) struct Models {
    /// A shipped model
    #[arg(value_name = "NAME")]
    pub(crate) name: Option<String>,
}

const MODELS: &str = "\
Examples:
  cotangent models                         the list
  cotangent models chain                   the text of one
  cotangent models chain > rope.cot        a copy to change";

/// Start a model of your own
///
/// Writes NAME.cot, a short commented model to edit. It is a complete model: `cotangent check
/// NAME.cot` accepts it. An existing file is never overwritten.
#[derive(Args)]
#[command(after_help = NEW)]
pub(crate) struct New {
    /// The name of the model; the file is NAME.cot
    #[arg(value_name = "NAME")]
    pub(crate) name: PathBuf,

    /// What kind of model to start from
    #[arg(long, value_name = "KIND", default_value = "hamiltonian")]
    pub(crate) kind: Template,
}

const NEW: &str = "\
Examples:
  cotangent new swing                      swing.cot, a pendulum to edit
  cotangent new top --kind poisson         variables and brackets";

/// What kind of model `new` writes.
#[derive(Clone, Copy, ValueEnum)]
pub(crate) enum Template {
    /// Coordinates and momenta, H(q, p), a constraint on positions
    Hamiltonian,
    /// Coordinates and velocities, L(q, q'), a family of any size
    Lagrangian,
    /// Variables and their brackets
    Poisson,
    /// Velocity constraints in the variational principle
    Vakonomic,
    /// J z' = grad H with a constant matrix J
    Form,
}

/// Print a completion script for a shell
///
/// Prints a script that makes the shell complete verbs and options on the Tab key.
#[derive(Args)]
#[command(after_help = COMPLETIONS)]
pub(crate) struct Completions {
    /// The shell
    #[arg(value_name = "SHELL")]
    pub(crate) shell: clap_complete::Shell,
}

const COMPLETIONS: &str = "\
Examples:
  bash   cotangent completions bash > ~/.local/share/bash-completion/completions/cotangent
  zsh    cotangent completions zsh > \"${fpath[1]}/_cotangent\"
  fish   cotangent completions fish > ~/.config/fish/completions/cotangent.fish";

/// When to use colours.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Colour {
    /// On a terminal, unless NO_COLOR is set
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}
