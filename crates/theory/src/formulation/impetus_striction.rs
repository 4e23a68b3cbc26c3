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

use super::VectorField;
use super::algebra::{plus_multiples, rate, replaced, transposed_times};
use super::auxiliary::{Equations, per_constraint, per_momentum};
use crate::error::TheoryError;
use crate::structure::{Structure, minus};
use cotangent_expr::{Array, Expr, Node, Tensor, rows, solve};

/// The equations, the physical momenta as functions of (q, p*), λ and p*.
pub(super) fn equations(s: &Structure) -> Result<Equations, TheoryError> {
    if s.constraints.shape()[0].is_empty() {
        return Ok(super::standard::equations(s)?.into());
    }
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
    Ok(Equations { field, physical: Some(physical), auxiliaries })
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
