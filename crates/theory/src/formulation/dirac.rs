//! Dirac's Hamiltonian H_T = H + μᵀφ + ηᵀψ as a Hamiltonian system on the whole phase space.
//!
//! With Q η = −ψ + αφ and Q μ = c + Sη, both functions of the state that are differentiated with
//! the rest. The residuals of one constraint obey φ̇ ≈ aφ − ψ, ψ̇ ≈ bφ: for the pendulum a centre.
//! α is free, as φ = 0 on the manifold (Leimkuhler & Reich, §3.2); it moves the eigenvalues.
//! (Leimkuhler & Reich, Math. Comp. 63 (1994), eqs. (16)–(17).)

use super::algebra::{flow, pairing, times};
use super::card::{Card, Least, Number, SYMBOLS, Shape};
use super::derived::{Derived, number, per_constraint};
use crate::error::TheoryError;
use crate::structure::{Structure, minus};
use cotangent_expr::solve;

/// What there is to know about it.
pub(super) const CARD: Card = Card {
    name: "dirac",
    summary: "the flow of H + μᵀφ + ηᵀψ: Hamiltonian everywhere, the constraints a centre",
    equations: &["q̇ = ∂H_T/∂p", "ṗ = −∂H_T/∂q,   H_T = H + μ(q, p)ᵀφ + η(q, p)ᵀψ", "Q η = −ψ + αφ,   Q μ = c + S η"],
    symbols: SYMBOLS,
    derivation: "Dirac's total Hamiltonian with both multipliers, chosen so that φ̇ = ψ̇ = 0 on the manifold, \
        differentiated with the rest: third derivatives of φ and second ones of H. Near the manifold \
        φ̇ ≈ −ψ, ψ̇ ≈ bφ, a centre for the pendulum: errors stay bounded. The term αφ is free, as it \
        vanishes on the constraints (--opt alpha=A, 0 unless said otherwise); where α² exceeds b they are a \
        saddle again.",
    integrals: "H_T, which is H on the constraints",
    methods: "for symplectic methods for ordinary differential equations",
    reference: "B. Leimkuhler & S. Reich, Math. Comp. 63 (1994) 589, eqs. (16)–(17), §3.2",
    numbers: &[Number { name: "alpha", meaning: "the weak term αφ in the equation for η; 0", least: Least::Any }],
    canonical: true,
    exact: true,
    model_energy: false,
    full: true,
    shape: Shape::Field,
    unprojected: None,
    resets: false,
    inside: None,
};

pub(super) fn equations(s: &Structure) -> Result<Derived, TheoryError> {
    let (number, alpha) = number(&CARD, "alpha");
    let eta = solve("eta", &s.gram, &minus(&s.hidden).plus(&s.constraints.times(&alpha))?)?;
    let mu = solve("mu", &s.gram, &s.drift.plus(&times(&s.twist, &eta)?)?)?;
    let total = s.hamiltonian.plus(&pairing(&mu, &s.constraints)?)?.plus(&pairing(&eta, &s.hidden)?)?;
    Ok(Derived::field(flow(s, &total)?, &CARD).of([number]).with(per_constraint(s, "eta", &eta)?))
}
