//! What is known of the constraints of a model when all of them are found.

use crate::phase::Phase;
use cotangent_expr::Expr;

/// All constraints of a Hamiltonian or Poisson system, with their classes: what Dirac's algorithm finds.
#[derive(Clone, Debug)]
pub struct Constraints {
    /// The variables and their bracket.
    pub phase: Phase,
    /// H, without the multipliers.
    pub hamiltonian: Expr,
    /// The constraints, in the order in which they were found.
    pub list: Vec<Classified>,
}

/// A constraint χ = 0.
#[derive(Clone, Debug)]
pub struct Classified {
    /// Its name.
    pub name: String,
    /// χ.
    pub expression: Expr,
    /// 1 for primary ones, 2 for those that follow from their time derivatives, …; 0 for gauge conditions.
    pub generation: usize,
    /// Whether it is second class. The others are Casimirs, or integrals of a motion that is unique.
    pub second: bool,
    /// The multiplier of a primary constraint in the total Hamiltonian.
    pub multiplier: Option<String>,
}
