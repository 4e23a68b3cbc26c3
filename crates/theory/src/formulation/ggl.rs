//! The stabilised equations of Gear, Gupta and Leimkuhler, their multipliers solved for.
//!
//! q̇ = H_p + H_pp Gᵀη, ṗ = −H_q − Gᵀμ with φ = 0 and ψ = 0 kept both: φ̇ = 0 gives Q η = −ψ, and
//! ψ̇ = 0 gives Q μ = c + ψ_q ψ_pᵀ η. φ and ψ are strong integrals, as in the Hamilton–Dirac
//! equations, which differ by the force −ψ_qᵀη that makes the energy one, too.
//! (C. W. Gear, G. K. Gupta & B. Leimkuhler, J. Comput. Appl. Math. 12–13 (1985) 77.)

use super::VectorField;
use super::algebra::{rate, times, transposed_times};
use super::auxiliary::{Equations, per_constraint};
use crate::error::TheoryError;
use crate::structure::{Structure, minus};
use cotangent_expr::solve;

pub(super) fn equations(s: &Structure) -> Result<Equations, TheoryError> {
    if s.constraints.shape()[0].is_empty() {
        return Ok(super::standard::equations(s)?.into());
    }
    let eta = solve("eta", &s.gram, &minus(&s.hidden))?;
    let turn = s.hidden_q.contract(1, &s.hidden_p, 1)?;
    let mu = solve("mu", &s.gram, &s.drift.plus(&times(&turn, &eta)?)?)?;
    let velocity = s.hamiltonian_p.plus(&transposed_times(&s.hidden_p, &eta)?)?;
    let force = s.hamiltonian_q.plus(&transposed_times(&s.jacobian, &mu)?)?;
    let field = VectorField { state: s.state(), rate: rate(s, &velocity, &minus(&force))? };
    Ok(Equations::from(field).with(per_constraint(s, "eta", &eta)?))
}
