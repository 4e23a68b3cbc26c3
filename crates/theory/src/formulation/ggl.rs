//! The stabilised equations of Gear, Gupta and Leimkuhler, their multipliers solved for.
//!
//! q̇ = H_p + H_pp Gᵀη, ṗ = −H_q − Gᵀμ with φ = 0 and ψ = 0 kept both: φ̇ = 0 gives Q η = −ψ, and
//! ψ̇ = 0 gives Q μ = c + ψ_q ψ_pᵀ η. φ and ψ are strong integrals, as in the Hamilton–Dirac
//! equations, which differ by the force −ψ_qᵀη that makes the energy one, too.
//! (C. W. Gear, G. K. Gupta & B. Leimkuhler, J. Comput. Appl. Math. 12–13 (1985) 77.)

use super::VectorField;
use super::algebra::{rate, times, transposed_times};
use super::card::{Card, SYMBOLS, Shape};
use super::derived::{Derived, per_constraint};
use crate::error::TheoryError;
use crate::structure::{Structure, minus};
use cotangent_expr::solve;

/// What there is to know about it.
pub(super) const CARD: Card = Card {
    name: "ggl",
    summary: "constraints and hidden constraints both kept by multipliers",
    equations: &["q̇ = H_p + H_pp Gᵀη,   Q η = −ψ", "ṗ = −H_q − Gᵀμ,   Q μ = c + ψ_q ψ_pᵀ η"],
    symbols: SYMBOLS,
    derivation: "φ = 0 and ψ = 0 are both imposed, each with a multiplier of its own (index 2); solved for the \
        multipliers, φ̇ = 0 and ψ̇ = 0 hold everywhere. The Hamilton–Dirac equations have the force −ψ_qᵀη \
        besides, which makes the energy an integral, too.",
    integrals: "φ and ψ",
    methods: "for methods for ordinary differential equations",
    reference: "C. W. Gear, B. Leimkuhler & G. K. Gupta, J. Comput. Appl. Math. 12–13 (1985) 77",
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

pub(super) fn equations(s: &Structure) -> Result<Derived, TheoryError> {
    let eta = solve("eta", &s.gram, &minus(&s.hidden))?;
    let turn = s.hidden_q.contract(1, &s.hidden_p, 1)?;
    let mu = solve("mu", &s.gram, &s.drift.plus(&times(&turn, &eta)?)?)?;
    let velocity = s.hamiltonian_p.plus(&transposed_times(&s.hidden_p, &eta)?)?;
    let force = s.hamiltonian_q.plus(&transposed_times(&s.jacobian, &mu)?)?;
    let field = VectorField { state: s.state(), rate: rate(s, &velocity, &minus(&force))? };
    Ok(Derived::field(field, &CARD).with(per_constraint(s, "eta", &eta)?))
}
