//! The standard underlying equations: ψ is a strong integral, φ drifts with it.
//!
//! q̇ = H_p, ṗ = −H_q − Gᵀμ, with Q μ = c chosen so that ψ̇ = 0 everywhere; then φ̇ = ψ.
//! (Leimkuhler & Reich, Math. Comp. 63 (1994), eq. (6), for general H.)

use super::VectorField;
use super::algebra::{rate, transposed_times};
use super::card::{Card, SYMBOLS, Shape};
use super::derived::Derived;
use crate::error::TheoryError;
use crate::structure::{Structure, minus};
use cotangent_expr::Array;

/// What there is to know about it.
pub(super) const CARD: Card = Card {
    name: "standard",
    summary: "the standard underlying equations: the multiplier as a function of the state",
    equations: &["q̇ = H_p", "ṗ = −H_q − Gᵀμ(q, p),   Q μ = c"],
    symbols: SYMBOLS,
    derivation: "The multiplier is chosen so that ψ̇ = {ψ, H} − Q μ = 0 everywhere, and put into the equations: \
        an ordinary differential equation on the whole phase space. Then φ̇ = ψ, so that φ drifts \
        linearly in time wherever a numerical error has made ψ differ from 0.",
    integrals: "ψ",
    methods: "for methods for ordinary differential equations (gauss, implicit-midpoint, rk4), best with a \
        projection; off the constraints it is not Hamiltonian, so that nothing is symplectic on it",
    reference: "B. Leimkuhler & S. Reich, Math. Comp. 63 (1994) 589, eq. (6), for general H",
    numbers: &[],
    canonical: false,
    exact: true,
    model_energy: true,
    full: true,
    shape: Shape::Field,
    unprojected: None,
    resets: false,
    inside: None,
};

pub(super) fn equations(s: &Structure, mu: &Array) -> Result<Derived, TheoryError> {
    let force = s.hamiltonian_q.plus(&transposed_times(&s.jacobian, mu)?)?;
    let rate = rate(s, &s.hamiltonian_p, &minus(&force))?;
    Ok(Derived::field(VectorField { state: s.state(), rate }, &CARD))
}
