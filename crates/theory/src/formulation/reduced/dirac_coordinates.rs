//! Dirac's coordinates (g, h), with the constraints g = χ and the variables that are kept as h.
//!
//! ```text
//! B̃ = {h, h} − {h, g}{g, g}⁻¹{g, h} at g = 0,   K(h) = H.
//! ```

use super::linear::{Rows, dot, solved};
use super::{KEPT, Reduced, Reduction, entry};
use crate::error::TheoryError;
use crate::formulation::card::Card;
use crate::phase::{Phase, Sparse};
use cotangent_expr::{Error, Expr};

/// What there is to know about it.
pub(in crate::formulation) const CARD: Card = Card {
    name: "dirac-coordinates",
    summary: "the constraints as coordinates that stay zero, and the bracket that is left for the others",
    equations: &["v̇ = B̃ ∇K,   K(v) = H(P(v), v)", "B̃ = {v, v} − {v, χ} C⁻¹ {χ, v},   at u = P(v)"],
    derivation: "In the coordinates (χ, v) Dirac's bracket has only the entries of v, and χ = 0 is put in: Casimirs among \
        the constraints are welcome. --chart NAMES says which variables are kept; unless it does, those for which \
        ∂χ/∂u is conditioned best at the start.",
    integrals: "K, and the Casimirs of the bracket; the constraints hold identically",
    reference: "Balk, Local numerical discretization of Euler–Poisson reduction, section 3.4.2",
    ..KEPT
};

pub(super) fn bracket(reduction: &Reduction<'_>) -> Result<Reduced, TheoryError> {
    let Reduction { known, phase, kept, gradients, slope, .. } = reduction;
    let second: Vec<&Sparse> = gradients.iter().zip(&known.list).filter(|(_, c)| c.second).map(|(g, _)| g).collect();
    let flows: Vec<Sparse> = second.iter().map(|g| phase.flow(g)).collect();
    let pair = |a: usize, b: usize| if a == b { Expr::zero() } else { Phase::pair(second[a], &flows[b]) };
    let own: Rows = (0..second.len()).map(|a| (0..second.len()).map(|b| pair(a, b)).collect()).collect();
    // {v, χ}, by v.
    let along: Rows = kept.iter().map(|&v| flows.iter().map(|f| entry(f, v)).collect()).collect();
    let column = |own_row: &Vec<Expr>| {
        let right: Vec<Expr> = own_row.iter().map(|e| -e).collect();
        solved("dirac coordinates", &own, &right)
    };
    let answers = along.iter().map(column).collect::<Result<Rows, Error>>()?;
    let bracket = |i: usize, j: usize| reduction.bracket(kept[i], kept[j]) - dot(&along[i], &answers[j]);
    let tensor = (0..kept.len()).map(|i| (0..kept.len()).map(|j| bracket(i, j)).collect()).collect();
    let free = phase.flow(slope);
    let driven: Vec<Expr> = second.iter().map(|g| Phase::pair(g, &free)).collect();
    let multipliers = solved("dirac multipliers", &own, &driven)?;
    let rates = kept.iter().zip(&along).map(|(&v, along)| entry(&free, v) - dot(along, &multipliers));
    Ok((tensor, rates.collect()))
}
