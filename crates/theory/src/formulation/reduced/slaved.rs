//! Slaving: u = P(v).
//!
//! With g = u − P(v) and R = {u − P, v} = B^uv − P_v B^vv,
//!
//! ```text
//! {g, g} = B^uu − B^uv P_vᵀ − P_v B^vu + P_v B^vv P_vᵀ,   B̃ = B^vv + Rᵀ{g, g}⁻¹R.
//! ```

use super::linear::{Rows, dot, solved, times, transposed, transposed_times};
use super::{KEPT, Reduced, Reduction};
use crate::error::TheoryError;
use crate::formulation::card::Card;
use cotangent_expr::{Error, Expr};

/// What there is to know about it.
pub(in crate::formulation) const CARD: Card = Card {
    name: "slaved",
    summary: "some variables are functions of the others, u = P(v): the bracket that is left for v",
    equations: &[
        "v̇ = B̃ ∇K,   K(v) = H(P(v), v)",
        "B̃ = B^vv + Rᵀ{g, g}⁻¹R,   R = B^uv − P_v B^vv",
        "{g, g} = B^uu − B^uv P_vᵀ − P_v B^vu + P_v B^vv P_vᵀ,   g = u − P(v)",
    ],
    derivation: "Dirac's bracket for the constraints g = u − P(v) in the variables v: P by one linear system where the \
        constraints are affine in u, else by Newton's method. --chart NAMES says which variables are kept; unless it \
        does, those for which ∂χ/∂u is conditioned best at the start. All constraints must be second class.",
    integrals: "K, and the Casimirs of the bracket; the constraints hold identically",
    reference: "Balk, Local numerical discretization of Euler–Poisson reduction, theorem 3.5, for B^vv ≠ 0 as well",
    ..KEPT
};

pub(super) fn bracket(reduction: &Reduction<'_>) -> Result<Reduced, TheoryError> {
    if reduction.known.list.iter().any(|c| !c.second) {
        let why =
            "a constraint is a Casimir, which nothing is conjugate to: `dirac-coordinates` and `dirac-bracket` take it";
        return Err(TheoryError::Unfit { formulation: CARD.name, why });
    }
    let (u, v) = (&reduction.solved, &reduction.kept);
    let block = |rows: &[usize], columns: &[usize]| -> Rows {
        rows.iter().map(|&i| columns.iter().map(|&j| reduction.bracket(i, j)).collect()).collect()
    };
    let (uu, uv, vv) = (block(u, u), block(u, v), block(v, v));
    let slopes = reduction.slopes()?;
    // P_v B^vv, by rows.
    let turned: Rows = slopes.iter().map(|row| transposed_times(&vv, row, v.len())).collect();
    let through: Rows = (0..u.len()).map(|a| (0..v.len()).map(|j| &uv[a][j] - &turned[a][j]).collect()).collect();
    // {g, g}: B^uu − (B^uv P_vᵀ − its transpose, as B^vu = −B^uvᵀ) + P_v B^vv P_vᵀ.
    let pair = |a: usize, b: usize| match a == b {
        true => Expr::zero(),
        false => {
            let mixed = dot(&uv[a], &slopes[b]) - dot(&uv[b], &slopes[a]);
            &uu[a][b] - mixed + dot(&turned[a], &slopes[b])
        }
    };
    let own: Rows = (0..u.len()).map(|a| (0..u.len()).map(|b| pair(a, b)).collect()).collect();
    let columns = transposed(&through, v.len());
    let answers =
        columns.iter().map(|column| solved("slaved bracket", &own, column)).collect::<Result<Rows, Error>>()?;
    let entry = |i: usize, j: usize| &vv[i][j] + dot(&columns[i], &answers[j]);
    let tensor = (0..v.len()).map(|i| (0..v.len()).map(|j| entry(i, j)).collect()).collect();
    let slope = reduction.energy_slope(&slopes);
    let answer = solved("slaved multipliers", &own, &times(&through, &slope))?;
    let rates = times(&vv, &slope).into_iter().zip(&columns).map(|(free, column)| free + dot(column, &answer));
    Ok((tensor, rates.collect()))
}
