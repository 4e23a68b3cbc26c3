//! Baumgarte's stabilisation: φ̈ + 2α φ̇ + β² φ = 0 instead of φ̈ = 0.
//!
//! q̇ = H_p, ṗ = −H_q − Gᵀμ with Q μ = c + 2αψ + β²φ. Errors decay (for α > 0) as fast as the
//! parameters say; the equations become stiff with them, and are not Hamiltonian.
//! (J. Baumgarte, Comput. Methods Appl. Mech. Engrg. 1 (1972) 1.)

use super::VectorField;
use super::algebra::{rate, transposed_times};
use super::card::{Card, Least, Number, SYMBOLS, Shape};
use super::derived::{Derived, number};
use crate::error::TheoryError;
use crate::structure::{Structure, minus};
use cotangent_expr::{Expr, solve};

/// What there is to know about it.
pub(super) const CARD: Card = Card {
    name: "baumgarte",
    summary: "constraints that are damped instead of kept",
    equations: &["q̇ = H_p", "ṗ = −H_q − Gᵀμ,   Q μ = c + 2αψ + β²φ"],
    symbols: SYMBOLS,
    derivation: "φ̈ + 2α φ̇ + β² φ = 0 in place of φ̈ = 0: what a method makes wrong is damped at the rates \
        α ± √(α² − β²). Large ones make the equations stiff, small ones let errors stand (--opt alpha=A, \
        --opt beta=B, both 5 unless said otherwise, per unit of time).",
    integrals: "none",
    methods: "for methods for ordinary differential equations; nothing is symplectic on it",
    reference: "J. Baumgarte, Comput. Methods Appl. Mech. Engrg. 1 (1972) 1",
    numbers: &[
        Number { name: "alpha", meaning: "half the damping of φ̈ + 2α φ̇ + β² φ = 0; 5", least: Least::Zero },
        Number { name: "beta", meaning: "its frequency; 5", least: Least::Zero },
    ],
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
    let [(first, alpha), (second, beta)] = ["alpha", "beta"].map(|name| number(&CARD, name));
    let damping = s.hidden.times(&(Expr::from(2) * &alpha));
    let spring = s.constraints.times(&beta.powi(2));
    let mu = solve("mu", &s.gram, &s.drift.plus(&damping)?.plus(&spring)?)?;
    let force = s.hamiltonian_q.plus(&transposed_times(&s.jacobian, &mu)?)?;
    let rate = rate(s, &s.hamiltonian_p, &minus(&force))?;
    Ok(Derived::field(VectorField { state: s.state(), rate }, &CARD).of([first, second]))
}
