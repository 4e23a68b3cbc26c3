//! Linear constraints: the energy at the projected position, H(Πq, p), on the whole phase space.
//!
//! With φ = G q − b, G and M = H_pp⁻¹ constant, Πq = q − M⁻¹Gᵀ Q⁻¹ φ(q): a Hamiltonian system that
//! agrees with H on the manifold and for which ψ is a strong integral, φ̇ = ψ. It stays separable.
//! (Leimkuhler & Reich, Math. Comp. 63 (1994), §3, for any constant mass matrix.)

use super::algebra::{flow, plus_multiples, replaced, transposed_times};
use super::derived::Derived;
use super::{Card, Shape};
use crate::error::TheoryError;
use crate::structure::{Structure, minus};
use cotangent_expr::{Layout, Tensor, solve};

/// What there is to know about it.
pub(super) const CARD: Card = Card {
    name: "linear-projected",
    summary: "H at the projected position, for linear constraints: Hamiltonian",
    equations: &["q̇ = H_p", "ṗ = −∂/∂q H(Πq, p),   Πq = q − M⁻¹Gᵀ Q⁻¹ φ(q)"],
    symbols: "φ(q) = G q − b with a constant matrix G; M⁻¹ = H_pp, constant; Q = G M⁻¹ Gᵀ.",
    derivation: "On linear constraints Πq = q, so that H(Πq, p) is H there; its equations are Hamiltonian \
        everywhere, which the projected forces of the standard equations are not.",
    integrals: "ψ, and the energy H(Πq, p)",
    methods: "for symplectic methods for ordinary differential equations; other constraints and mass matrices \
        that are not constant are refused",
    reference: "B. Leimkuhler & S. Reich, Math. Comp. 63 (1994) 589, §3",
    numbers: &[],
    canonical: true,
    exact: true,
    model_energy: true,
    full: true,
    shape: Shape::Field,
    unprojected: None,
    resets: false,
    inside: None,
};

pub(super) fn equations(s: &Structure) -> Result<Derived, TheoryError> {
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
    Ok(Derived::field(flow(s, &replaced(&s.hamiltonian, &s.coordinates, &projected)?)?, &CARD))
}
