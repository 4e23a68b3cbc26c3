//! Penalty: stiff springs H + φᵀφ/(2ε) instead of constraints.
//!
//! A Hamiltonian system whose solutions tend to the constrained ones as ε → 0, oscillating with
//! frequencies of the order ε^(−1/2) where they start on the manifold.
//! (H. Rubin & P. Ungar, Comm. Pure Appl. Math. 10 (1957) 65.)

use super::algebra::flow;
use super::card::{Card, Least, Number, Shape};
use super::derived::{Derived, number};
use crate::error::TheoryError;
use crate::structure::Structure;
use cotangent_expr::Expr;

/// What there is to know about it.
pub(super) const CARD: Card = Card {
    name: "penalty",
    summary: "stiff springs instead of constraints",
    equations: &["q̇ = H_p", "ṗ = −H_q − Gᵀφ/ε"],
    symbols: "φ(q) = 0 are the constraints, G = ∂φ/∂q, ε the compliance of the springs.",
    derivation: "H + φᵀφ/(2ε): a stiff potential whose motions tend to the constrained ones as ε → 0 where they \
        start on the constraints and tangent to them. The step must resolve its oscillations, of \
        frequencies of the order ε^(−1/2) (--opt epsilon=E, 1e-4 unless said otherwise).",
    integrals: "H + φᵀφ/(2ε)",
    methods: "for methods for ordinary differential equations",
    reference: "H. Rubin & P. Ungar, Comm. Pure Appl. Math. 10 (1957) 65",
    numbers: &[Number {
        name: "epsilon",
        meaning: "the compliance of the springs φᵀφ/(2ε); 1e-4",
        least: Least::AboveZero,
    }],
    canonical: true,
    exact: false,
    model_energy: false,
    full: false,
    shape: Shape::Field,
    unprojected: Some(
        "a projection takes away what `penalty` is made of: the displacement that stretches its springs, and \
         with it the forces of the constraints",
    ),
    resets: false,
    inside: None,
};

pub(super) fn equations(s: &Structure) -> Result<Derived, TheoryError> {
    let (number, epsilon) = number(&CARD, "epsilon");
    let squares = s.constraints.contract(0, &s.constraints, 0)?;
    let energy = s.hamiltonian.plus(&squares.times(&(Expr::ratio(1, 2) / epsilon)))?;
    Ok(Derived::field(flow(s, &energy)?, &CARD).of([number]))
}
