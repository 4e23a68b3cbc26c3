//! The total Hamiltonian H_t = H + μᵀφ as a Hamiltonian system on the whole phase space.
//!
//! With Q μ = c, q̇ = ∂H_t/∂p and ṗ = −∂H_t/∂q: the constraint manifold is invariant, since on it
//! the derivatives of μ are multiplied by φ = 0. The residuals obey φ̇ = ψ + {φ, μ}φ,
//! ψ̇ = {ψ, μ}φ, for the pendulum a saddle: errors grow exponentially.
//! (Leimkuhler & Reich, Math. Comp. 63 (1994), eqs. (18)–(19).)

use super::VectorField;
use super::algebra::{flow, pairing};
use crate::error::TheoryError;
use crate::structure::Structure;

pub(super) fn equations(s: &Structure) -> Result<VectorField, TheoryError> {
    match s.multipliers()? {
        Some(mu) => flow(s, &s.hamiltonian.plus(&pairing(&mu, &s.constraints)?)?),
        None => flow(s, &s.hamiltonian),
    }
}
