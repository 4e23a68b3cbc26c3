//! The total Hamiltonian H_t = H + μᵀφ as a Hamiltonian system on the whole phase space.
//!
//! With Q μ = c, q̇ = ∂H_t/∂p and ṗ = −∂H_t/∂q: the constraint manifold is invariant, since on it
//! the derivatives of μ are multiplied by φ = 0. The residuals obey φ̇ = ψ + {φ, μ}φ,
//! ψ̇ = {ψ, μ}φ, for the pendulum a saddle: errors grow exponentially.
//! (Leimkuhler & Reich, Math. Comp. 63 (1994), eqs. (18)–(19).)

use super::algebra::{flow, pairing};
use super::card::{Card, SYMBOLS, Shape};
use super::derived::Derived;
use crate::error::TheoryError;
use crate::structure::Structure;
use cotangent_expr::Array;

/// What there is to know about it.
pub(super) const CARD: Card = Card {
    name: "total",
    summary: "the flow of H + μᵀφ: Hamiltonian everywhere, the constraints a saddle",
    equations: &["q̇ = ∂H_t/∂p", "ṗ = −∂H_t/∂q,   H_t = H + μ(q, p)ᵀφ,   Q μ = c"],
    symbols: SYMBOLS,
    derivation: "The multiplier that keeps ψ = 0 on the manifold, put into the Hamiltonian and differentiated \
        with it. The manifold is invariant, as φ = 0 there takes off the derivatives of μ; near it \
        φ̇ = ψ + {φ, μ}φ and ψ̇ = {ψ, μ}φ, a saddle for the pendulum: errors grow exponentially.",
    integrals: "H_t, which is H on the constraints",
    methods: "for symplectic methods for ordinary differential equations, over short times",
    reference: "B. Leimkuhler & S. Reich, Math. Comp. 63 (1994) 589, eqs. (18)–(19)",
    numbers: &[],
    canonical: true,
    exact: true,
    model_energy: false,
    full: true,
    shape: Shape::Field,
    unprojected: None,
    resets: false,
    inside: None,
};

pub(super) fn equations(s: &Structure, mu: &Array) -> Result<Derived, TheoryError> {
    Ok(Derived::field(flow(s, &s.hamiltonian.plus(&pairing(mu, &s.constraints)?)?)?, &CARD))
}
