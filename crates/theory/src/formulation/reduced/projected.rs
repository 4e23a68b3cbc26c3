//! Direct projection of the bracket with the left inverse X⁺ = (XᵀX)⁻¹Xᵀ of X = ∂z/∂v.
//!
//! ```text
//! B̃ = X⁺B X⁺ᵀ.
//! ```
//!
//! It is antisymmetric, so that K is conserved; Jacobi's identity fails in general, and the forces of the constraints are
//! left out: its solutions are not those of the model.

use super::linear::{Rows, dot, solved, times, transposed};
use super::{KEPT, Reduced, Reduction};
use crate::error::TheoryError;
use crate::formulation::card::Card;
use cotangent_expr::Error;

/// What there is to know about it.
pub(in crate::formulation) const CARD: Card = Card {
    name: "projected",
    summary: "the bracket projected onto the surface: antisymmetric, conserves energy, in general no bracket",
    equations: &["v̇ = B̃ ∇K,   K(v) = H(P(v), v)", "B̃ = X⁺ B X⁺ᵀ,   X⁺ = (XᵀX)⁻¹Xᵀ,   X = ∂z/∂v"],
    derivation: "Galerkin's idea applied to the bracket: what leads off the surface is cut away, and with it the forces of \
        the constraints. B̃ is antisymmetric, so K is conserved; in general it violates Jacobi's identity, depends on \
        the left inverse, and its motions are NOT those of the constrained system. It is here to be compared with \
        the others. --chart NAMES says which variables are kept.",
    integrals: "K; the constraints hold identically",
    reference: "Balk, Local numerical discretization of Euler–Poisson reduction, section 3.5",
    exact: false,
    ..KEPT
};

pub(super) fn bracket(reduction: &Reduction<'_>) -> Result<Reduced, TheoryError> {
    let (n, r) = (reduction.phase.len(), reduction.kept.len());
    let own: Rows = (0..n).map(|i| (0..n).map(|j| reduction.bracket(i, j)).collect()).collect();
    let slopes = reduction.slopes()?;
    let rows = reduction.tangents(&slopes);
    let tangents = transposed(&rows, r);
    let gram: Rows = (0..r).map(|i| (0..r).map(|j| dot(&tangents[i], &tangents[j])).collect()).collect();
    // X⁺ by columns, then by rows.
    let columns = rows.iter().map(|row| solved("left inverse", &gram, row)).collect::<Result<Rows, Error>>()?;
    let inverse = transposed(&columns, r);
    let turned: Rows = inverse.iter().map(|row| times(&own, row)).collect();
    let tensor = (0..r).map(|i| (0..r).map(|j| dot(&inverse[i], &turned[j])).collect()).collect();
    // X⁺ B X (XᵀX)⁻¹ ∇K.
    let weights = solved("left inverse", &gram, &reduction.energy_slope(&slopes))?;
    let pushed = times(&own, &times(&rows, &weights));
    let rates = solved("left inverse", &gram, &times(&tangents, &pushed))?;
    Ok((tensor, rates))
}
