//! Hamilton–Dirac equations: φ, ψ and H are strong integrals.
//!
//! With η = −Q⁻¹ψ and μ = Q⁻¹(c + Sη),
//!
//! q̇ = H_p + ψ_pᵀη, ṗ = −H_q − Gᵀμ − ψ_qᵀη:
//!
//! the flow of H under the Dirac bracket of φ and ψ (Seiler, eq. (21)), the same field as the weakly
//! Hamiltonian equations of Leimkuhler & Reich, (30)–(31).

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
    let mu = solve("mu", &s.gram, &s.drift.plus(&times(&s.twist, &eta)?)?)?;
    let velocity = s.hamiltonian_p.plus(&transposed_times(&s.hidden_p, &eta)?)?;
    let force =
        s.hamiltonian_q.plus(&transposed_times(&s.jacobian, &mu)?)?.plus(&transposed_times(&s.hidden_q, &eta)?)?;
    let rate = rate(s, &velocity, &minus(&force))?;
    Ok(Equations::from(VectorField { state: s.state(), rate }).with(per_constraint(s, "eta", &eta)?))
}
