//! Hamilton–Dirac equations: φ, ψ and H are strong integrals.
//!
//! With η = −Q⁻¹ψ and μ = Q⁻¹(c + Sη),
//!
//! q̇ = H_p + ψ_pᵀη, ṗ = −H_q − Gᵀμ − ψ_qᵀη:
//!
//! the flow of H under the Dirac bracket of φ and ψ (Seiler, eq. (21)), the same field as the weakly
//! Hamiltonian equations of Leimkuhler & Reich, (30)–(31).

use super::VectorField;
use super::algebra::{rate, times, transposed_times};
use super::card::{Card, SYMBOLS, Shape};
use super::derived::{Derived, per_constraint};
use crate::error::TheoryError;
use crate::structure::{Structure, minus};
use cotangent_expr::solve;

/// What there is to know about it.
pub(super) const CARD: Card = Card {
    name: "hamilton-dirac",
    summary: "the flow of H under the Dirac bracket; constraints and energy are integrals",
    equations: &["q̇ = H_p + ψ_pᵀη,                Q η = −ψ", "ṗ = −H_q − Gᵀμ − ψ_qᵀη,         Q μ = c + S η"],
    symbols: SYMBOLS,
    derivation: "The flow of H under Dirac's bracket {f, g}* = {f, g} − {f, χᵢ} (C⁻¹)ᵢⱼ {χⱼ, g}, χ = (φ, ψ), \
        C = {χᵢ, χⱼ}: the bracket of every function with a constraint vanishes. The weakly \
        Hamiltonian equations (`weak-dirac`) are the same vector field. For singular Lagrangians, constraints \
        on momenta or velocities, and general brackets, χ are all constraints that Dirac's analysis finds \
        (`cotangent analyze`), and ż = {z, H} − {z, χ}ᵀx with C x = {χ, H}. They must be second class: a \
        `gauge` statement makes first-class ones so.",
    integrals: "φ, ψ and H; in general all constraints found, H, and the Casimirs of the bracket",
    methods: "for methods for ordinary differential equations; constraints drift only by the error of the \
        method, which may be projected away",
    reference: "W. M. Seiler, Stable underlying equations for constrained Hamiltonian systems, eq. (21); B. \
        Leimkuhler & S. Reich, Math. Comp. 63 (1994) 589, eqs. (30)–(31)",
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
    let mu = solve("mu", &s.gram, &s.drift.plus(&times(&s.twist, &eta)?)?)?;
    let velocity = s.hamiltonian_p.plus(&transposed_times(&s.hidden_p, &eta)?)?;
    let force =
        s.hamiltonian_q.plus(&transposed_times(&s.jacobian, &mu)?)?.plus(&transposed_times(&s.hidden_q, &eta)?)?;
    let rate = rate(s, &velocity, &minus(&force))?;
    Ok(Derived::field(VectorField { state: s.state(), rate }, &CARD).with(per_constraint(s, "eta", &eta)?))
}
