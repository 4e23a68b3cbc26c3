//! What is compared.

use cotangent_integrate::Prepared;
use cotangent_problem::Instance;

/// Equations, a method planned for them with its projection.
#[derive(Clone, Copy)]
pub struct Combination<'a> {
    /// The model in one formulation.
    pub problem: &'a Instance,
    /// The method.
    pub prepared: &'a Prepared,
    /// By how much these equations make errors of the constraints grow in the time of the run; 1 if that is not known.
    pub amplification: f64,
}
