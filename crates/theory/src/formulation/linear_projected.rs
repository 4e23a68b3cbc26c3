//! Linear constraints: the energy at the projected position, H(Πq, p), on the whole phase space.
//!
//! With φ = G q − b, G and M = H_pp⁻¹ constant, Πq = q − M⁻¹Gᵀ Q⁻¹ φ(q): a Hamiltonian system that
//! agrees with H on the manifold and for which ψ is a strong integral, φ̇ = ψ. It stays separable.
//! (Leimkuhler & Reich, Math. Comp. 63 (1994), §3, for any constant mass matrix.)

use super::VectorField;
use super::algebra::{flow, plus_multiples, replaced, transposed_times};
use crate::error::TheoryError;
use crate::structure::{Structure, minus};
use cotangent_expr::{Layout, Tensor, solve};

pub(super) fn equations(s: &Structure) -> Result<VectorField, TheoryError> {
    if s.constraints.shape()[0].is_empty() {
        return super::standard::equations(s);
    }
    let derived = |t: &Tensor, by: &Layout| t.jacobian_within(by, &s.limits);
    let constant = |t: &Tensor| -> Result<bool, TheoryError> {
        Ok(derived(t, &s.coordinates)?.is_zero() && derived(t, &s.momenta)?.is_zero())
    };
    if !constant(&s.jacobian)? {
        return Err(TheoryError::Unfit { formulation: "linear-projected", why: "its constraints are not linear" });
    }
    if !constant(&s.hidden_p)? || !derived(&s.hamiltonian_p, &s.coordinates)?.is_zero() {
        return Err(TheoryError::Unfit { formulation: "linear-projected", why: "its mass matrix is not constant" });
    }
    let nu = solve("nu", &s.gram, &s.constraints)?;
    // M⁻¹Gᵀν.
    let shift = minus(&transposed_times(&s.hidden_p, &nu)?);
    let projected = plus_multiples(&s.coordinates, &shift, "projected")?;
    flow(s, &replaced(&s.hamiltonian, &s.coordinates, &projected)?)
}
