//! The standard underlying equations: ψ is a strong integral, φ drifts with it.
//!
//! q̇ = H_p, ṗ = −H_q − Gᵀμ, with Q μ = c chosen so that ψ̇ = 0 everywhere; then φ̇ = ψ.
//! (Leimkuhler & Reich, Math. Comp. 63 (1994), eq. (6), for general H.)

use super::VectorField;
use super::algebra::{rate, transposed_times};
use crate::error::TheoryError;
use crate::structure::{Structure, minus};

pub(super) fn equations(s: &Structure) -> Result<VectorField, TheoryError> {
    let Some(mu) = s.multipliers()? else {
        let rate = rate(s, &s.hamiltonian_p, &minus(&s.hamiltonian_q))?;
        return Ok(VectorField { state: s.state(), rate });
    };
    let force = s.hamiltonian_q.plus(&transposed_times(&s.jacobian, &mu)?)?;
    let rate = rate(s, &s.hamiltonian_p, &minus(&force))?;
    Ok(VectorField { state: s.state(), rate })
}
