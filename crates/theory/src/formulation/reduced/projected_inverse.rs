//! Projection after inverting: the two-form B⁻¹, pulled back to the surface.
//!
//! ```text
//! B̃ = (XᵀB⁻¹X)⁻¹,   X = ∂z/∂v = (P_v, 1).
//! ```

use super::linear::{Rows, dot, solved, transposed};
use super::{KEPT, Reduced, Reduction};
use crate::error::TheoryError;
use crate::formulation::card::Card;
use cotangent_expr::{Error, Expr};

/// What there is to know about it.
pub(in crate::formulation) const CARD: Card = Card {
    name: "projected-inverse",
    summary: "the inverse of the bracket, a two-form, restricted to the surface and inverted again",
    equations: &["v̇ = B̃ ∇K,   K(v) = H(P(v), v)", "B̃ = (XᵀB⁻¹X)⁻¹,   X = ∂z/∂v"],
    derivation: "A closed two-form stays closed where it is restricted: B̃ is a bracket again, and Dirac's. The bracket \
        of the model must have an inverse: no Casimirs, an even number of variables. --chart NAMES says which \
        variables are kept; unless it does, those for which ∂χ/∂u is conditioned best at the start.",
    integrals: "K; the constraints hold identically",
    reference: "Balk, Local numerical discretization of Euler–Poisson reduction, eqs. (3.27)–(3.28)",
    ..KEPT
};

pub(super) fn bracket(reduction: &Reduction<'_>) -> Result<Reduced, TheoryError> {
    let (n, r) = (reduction.phase.len(), reduction.kept.len());
    let own: Rows = (0..n).map(|i| (0..n).map(|j| reduction.bracket(i, j)).collect()).collect();
    let slopes = reduction.slopes()?;
    let tangents = transposed(&reduction.tangents(&slopes), r);
    let inverted = tangents.iter().map(|x| solved("inverse bracket", &own, x)).collect::<Result<Rows, Error>>()?;
    let pair = |i: usize, j: usize| if i == j { Expr::zero() } else { dot(&tangents[i], &inverted[j]) };
    let form: Rows = (0..r).map(|i| (0..r).map(|j| pair(i, j)).collect()).collect();
    let unit = |j: usize| (0..r).map(|i| if i == j { Expr::one() } else { Expr::zero() }).collect::<Vec<_>>();
    let columns = (0..r).map(|j| solved("projected bracket", &form, &unit(j))).collect::<Result<Rows, Error>>()?;
    let rates = solved("projected rates", &form, &reduction.energy_slope(&slopes))?;
    Ok((transposed(&columns, r), rates))
}
