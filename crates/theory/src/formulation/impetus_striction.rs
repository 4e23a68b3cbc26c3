//! Impetus–striction: the momentum is known only up to a reaction impulse, p* = p + Gᵀλ.
//!
//! The striction λ(q, p*) solves ψ(q, p* − Gᵀλ) = 0, and with p = p* − Gᵀλ
//!
//! q̇ = H_p(q, p), ṗ* = −H_q(q, p) + Σᵢ λᵢ φᵢ,qq H_p(q, p):
//!
//! the Hamiltonian system of H*(q, p*) = H(q, p) on the whole phase space. φ is a strong integral,
//! the physical momentum p satisfies ψ = 0 always; λ drifts instead, λ̇ = μ, and a shift of p* along
//! Gᵀ (a reset, λ = 0) is a symmetry: the momentum projection of a state is that reset.
//! (Seiler, BIT 39 (1999), eqs. (22)–(32); J. H. Maddocks & R. L. Pego, Comm. Math. Phys. 170 (1995).)

use super::algebra::{plus_multiples, rate, replaced, transposed_times};
use super::derived::{Derived, per_constraint, per_momentum};
use super::{Card, Shape};
use super::{Lift, VectorField};
use crate::error::TheoryError;
use crate::structure::{Structure, minus};
use cotangent_expr::{Array, Expr, Node, Tensor, rows, solve};

/// What there is to know about it.
pub(super) const CARD: Card = Card {
    name: "impetus-striction",
    summary: "momenta up to a reaction impulse: Hamiltonian, constraints are integrals",
    equations: &[
        "q̇ = H_p(q, p),   p = p* − G(q)ᵀλ",
        "ṗ* = −H_q(q, p) + Σᵢ λᵢ φᵢ,qq H_p(q, p)",
        "0 = G(q) H_p(q, p* − G(q)ᵀλ)",
    ],
    symbols: "p* is the impetus, λ(q, p*) the striction: the impulse of the reactions since the last reset.",
    derivation: "The Lagrangian with φ̇ in place of φ as constraint: its momenta p* are those of the model up to \
        a reaction impulse Gᵀλ. Eliminating λ gives the Hamiltonian H*(q, p*) = H(q, p* − Gᵀλ), whose \
        equations these are. A shift of p* along Gᵀ changes nothing physical: --project momentum resets \
        λ to 0 after every step, with --project-above EPS where it has grown. Tables and summaries \
        show the momentum p as the state, and besides λ as striction_NAME for each constraint, p* as \
        impetus_P for each momentum; λ̇ = μ, the multiplier.",
    integrals: "φ and H; ψ(q, p) = 0 holds identically",
    methods: "for symplectic methods for ordinary differential equations",
    reference: "W. M. Seiler, Stable underlying equations for constrained Hamiltonian systems, eqs. (22)–(32)",
    numbers: &[],
    canonical: true,
    exact: true,
    model_energy: true,
    full: true,
    shape: Shape::Field,
    unprojected: None,
    resets: true,
    inside: Some(
        "the impetus may have left the domain of the Hamiltonian, where no velocity belongs to it, though one \
         belongs to the momentum: --project momentum makes them one after every step; other formulations have no \
         impetus",
    ),
};

/// The equations, the physical momenta as functions of (q, p*), λ and p*.
pub(super) fn equations(s: &Structure) -> Result<Derived, TheoryError> {
    let lambda = striction(s)?;
    let physical = momenta(s, &lambda)?;
    let at = |t: &Tensor| replaced(t, &s.momenta, &physical);
    let velocity = at(&s.hamiltonian_p)?;
    let (given, curvature) = s.curvature()?;
    let given = given.arrays().to_vec();
    let curvature = curvature.rewrite_deep(&mut |leaf| match leaf.node() {
        Node::At(a, index) if given.contains(a) => Some(Expr::at(&lambda, index.clone())),
        _ => None,
    })?;
    let force = at(&s.hamiltonian_q)?.plus(&minus(&curvature.contract(1, &velocity, 0)?))?;
    let field = VectorField { state: s.state(), rate: rate(s, &velocity, &minus(&force))? };
    let mut auxiliaries = per_constraint(s, "striction", &lambda)?;
    auxiliaries.extend(per_momentum(s, "impetus")?);
    let arrays = s.momenta.arrays().iter().cloned().zip(physical).collect();
    let lift = Lift { arrays, restriction: None };
    Ok(Derived { lift, ..Derived::field(field, &CARD).with(auxiliaries) })
}

/// λ(q, p*).
fn striction(s: &Structure) -> Result<Array, TheoryError> {
    // For ψ linear in the momenta one step of Newton's method is the solution.
    if s.hidden_p.jacobian_within(&s.momenta, &s.limits)?.is_zero() {
        return Ok(solve("striction", &s.gram, &s.hidden)?);
    }
    let unknown = rows("striction", s.constraints.shape()[0].len());
    let residual = replaced(&s.hidden, &s.momenta, &momenta(s, &unknown)?)?;
    let start = Tensor::zero(residual.shape().to_vec());
    Ok(Array::root("striction", unknown, residual, start)?)
}

/// p* − Gᵀλ.
fn momenta(s: &Structure, lambda: &Array) -> Result<Vec<Array>, TheoryError> {
    plus_multiples(&s.momenta, &minus(&transposed_times(&s.jacobian, lambda)?), "physical")
}
