//! Equivalent equations of motion for one constrained system.
//!
//! On the constraint manifold φ = ψ = 0 all of them have the same solutions; off it, where round-off
//! and truncation lead, they differ, and so do the methods that use them.

mod hamilton_dirac;
mod standard;

use crate::error::TheoryError;
use crate::structure::Structure;
use cotangent_expr::{Array, Expr, Layout, Place, Tensor, Term};
use cotangent_model::System;

/// A set of equations of motion, by name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Formulation {
    /// The standard underlying equations: the multiplier as a function of the state.
    Standard,
    /// Hamilton–Dirac equations: the flow of H under the Dirac bracket.
    HamiltonDirac,
}

/// A vector field on the state space.
#[derive(Clone, Debug)]
pub struct VectorField {
    /// The state.
    pub state: Layout,
    /// Its rate of change.
    pub rate: Tensor,
    /// The multipliers as functions of the state, one for each constraint member, if there are
    /// constraints: the reaction forces are −Gᵀμ.
    pub multipliers: Option<Array>,
}

impl Formulation {
    /// Every formulation.
    pub const ALL: [Formulation; 2] = [Formulation::Standard, Formulation::HamiltonDirac];

    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Formulation::Standard => "standard",
            Formulation::HamiltonDirac => "hamilton-dirac",
        }
    }

    /// Derives the equations for a system.
    pub fn apply(self, system: &System) -> Result<VectorField, TheoryError> {
        let s = Structure::new(system)?;
        match self {
            Formulation::Standard => standard::equations(&s),
            Formulation::HamiltonDirac => hamilton_dirac::equations(&s),
        }
    }
}

/// Tᵀλ for a matrix with constraints as rows: a vector over its columns.
fn transposed_times(t: &Tensor, lambda: &Array) -> Result<Tensor, TheoryError> {
    let rows = &t.shape()[0];
    let term = |term: &Term| {
        let row = rows.flat_index(&term.at[0].array, &term.at[0].index).unwrap_or_default();
        Term { at: vec![term.at[1].clone()], value: &term.value * Expr::at(lambda, vec![row]), ..term.clone() }
    };
    Ok(Tensor::new(vec![t.shape()[1].clone()], t.terms().iter().map(term).collect())?)
}

/// The vector (q̇, ṗ) over the state from its halves, which are written over coordinates or momenta.
fn rate(s: &Structure, q: &Tensor, p: &Tensor) -> Result<Tensor, TheoryError> {
    let mut terms = vec![];
    for (half, to) in [(q, &s.coordinates), (p, &s.momenta)] {
        let from = half.shape()[0].clone();
        for t in half.terms() {
            let k = from.arrays().iter().position(|a| *a == t.at[0].array).unwrap_or(0);
            let place = Place { array: to.arrays()[k].clone(), index: t.at[0].index.clone() };
            terms.push(Term { at: vec![place], ..t.clone() });
        }
    }
    Ok(Tensor::new(vec![s.state()], terms)?)
}
