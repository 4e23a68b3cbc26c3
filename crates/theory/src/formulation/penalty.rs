//! Penalty: stiff springs H + φᵀφ/(2ε) instead of constraints.
//!
//! A Hamiltonian system whose solutions tend to the constrained ones as ε → 0, oscillating with
//! frequencies of the order ε^(−1/2) where they start on the manifold.
//! (H. Rubin & P. Ungar, Comm. Pure Appl. Math. 10 (1957) 65.)

use super::VectorField;
use super::algebra::flow;
use crate::error::TheoryError;
use crate::structure::Structure;
use cotangent_expr::Expr;

pub(super) fn equations(s: &Structure, epsilon: &Expr) -> Result<VectorField, TheoryError> {
    let squares = s.constraints.contract(0, &s.constraints, 0)?;
    flow(s, &s.hamiltonian.plus(&squares.times(&(Expr::ratio(1, 2) / epsilon)))?)
}
