//! The equations as given: q̇ = H_p, ṗ = −H_q − Gᵀλ, φ(q) = 0, with unknown multipliers λ.
//!
//! They are a vector field only where there are no constraints.

use super::{Card, Shape};

/// What there is to know about it.
pub(super) const CARD: Card = Card {
    name: "multipliers",
    summary: "the equations as given, multipliers unknown (index 3)",
    equations: &["q̇ = H_p(q, p)", "ṗ = −H_q(q, p) − G(q)ᵀλ", "0 = φ(q)"],
    symbols: "φ(q) = 0 are the constraints, G = ∂φ/∂q, λ the multipliers: −Gᵀλ are the reaction forces.",
    derivation: "Hamilton's principle with the constraints added, λ being their multipliers. Differentiating \
        φ = 0 once gives the hidden constraints ψ = G H_p = 0, twice an equation for λ: an \
        equation of index 3. Without constraints these are Hamilton's equations.",
    integrals: "the energy, on the constraint manifold, which the solutions do not leave",
    methods: "for methods that solve for the multipliers themselves (rattle, shake); without constraints for \
        every method",
    reference: "Hairer, Lubich & Wanner, Geometric Numerical Integration, VII.1",
    numbers: &[],
    canonical: true,
    exact: true,
    model_energy: true,
    full: false,
    shape: Shape::IndexThree,
    unprojected: None,
    resets: false,
    inside: None,
};
