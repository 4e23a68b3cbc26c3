//! What can be typed after `methods`, `formulations` and `explain`.

use clap::Args;

/// List the integration methods and what each one keeps
#[derive(Args)]
#[command(after_help = METHODS)]
pub(crate) struct Methods {}

const METHODS: &str = "\
Examples:
  cotangent methods                        the table
  cotangent methods --json                 everything the cards say
  cotangent explain rattle                 one method, with its formulas";

/// List the formulations: equivalent equations of motion
#[derive(Args)]
#[command(after_help = FORMULATIONS)]
pub(crate) struct Formulations {}

const FORMULATIONS: &str = "\
Examples:
  cotangent formulations                   the list
  cotangent explain hamilton-dirac         one of them, with its formulas";

/// Explain a method, a composition or a formulation
///
/// Prints the formulas of a method, a composition or a formulation, what is solved, what it keeps and where it
/// comes from.
#[derive(Args)]
#[command(after_help = EXPLAIN)]
pub(crate) struct Explain {
    /// A method, a composition or a formulation
    #[arg(value_name = "NAME")]
    pub(crate) name: String,
}

const EXPLAIN: &str = "\
Examples:
  cotangent explain rattle
  cotangent explain hamilton-dirac";
