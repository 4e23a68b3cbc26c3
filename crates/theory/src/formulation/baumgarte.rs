//! Baumgarte's stabilisation: φ̈ + 2α φ̇ + β² φ = 0 instead of φ̈ = 0.
//!
//! q̇ = H_p, ṗ = −H_q − Gᵀμ with Q μ = c + 2αψ + β²φ. Errors decay (for α > 0) as fast as the
//! parameters say; the equations become stiff with them, and are not Hamiltonian.
//! (J. Baumgarte, Comput. Methods Appl. Mech. Engrg. 1 (1972) 1.)

use super::VectorField;
use super::algebra::{rate, transposed_times};
use crate::error::TheoryError;
use crate::structure::{Structure, minus};
use cotangent_expr::{Expr, solve};

pub(super) fn equations(s: &Structure, alpha: &Expr, beta: &Expr) -> Result<VectorField, TheoryError> {
    if s.constraints.shape()[0].is_empty() {
        return super::standard::equations(s);
    }
    let damping = s.hidden.times(&(Expr::from(2) * alpha));
    let spring = s.constraints.times(&beta.powi(2));
    let mu = solve("mu", &s.gram, &s.drift.plus(&damping)?.plus(&spring)?)?;
    let force = s.hamiltonian_q.plus(&transposed_times(&s.jacobian, &mu)?)?;
    Ok(VectorField { state: s.state(), rate: rate(s, &s.hamiltonian_p, &minus(&force))? })
}
