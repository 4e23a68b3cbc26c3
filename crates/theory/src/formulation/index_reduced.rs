//! The equations with ψ = G(q) H_p = 0 in place of φ = 0, of index 2: a method that holds those lets φ drift, and needs
//! one derivative less of its own.

use super::{Card, Shape};

/// What there is to know about it.
pub(super) const CARD: Card = Card {
    name: "index-reduced",
    summary: "time derivatives in place of the constraints, multipliers unknown (index 2)",
    equations: &["q̇ = H_p(q, p)", "ṗ = −H_q(q, p) − G(q)ᵀλ", "0 = G(q) H_p(q, p)"],
    symbols: "φ(q) = 0 are the constraints, G = ∂φ/∂q, λ the multipliers.",
    derivation: "The constraints differentiated once with respect to time: an equation of index 2. A method \
        that holds ψ = G H_p = 0 lets φ drift by its error; the multipliers and the momenta keep a higher \
        order than with φ = 0.",
    integrals: "φ and H; ψ = 0 holds",
    methods: "for methods for differential–algebraic equations (radau-2a, bdf2), best with a projection of the \
        positions",
    reference: "C. W. Gear, G. K. Gupta & B. Leimkuhler, J. Comput. Appl. Math. 12–13 (1985) 77; Hairer & \
        Wanner, Solving Ordinary Differential Equations II, VII.2",
    numbers: &[],
    canonical: false,
    exact: true,
    model_energy: true,
    full: false,
    shape: Shape::IndexTwo,
    unprojected: None,
    resets: false,
    inside: None,
};
