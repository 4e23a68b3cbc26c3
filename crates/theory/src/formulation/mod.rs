//! Equivalent equations of motion for one constrained system.
//!
//! On the constraint manifold φ = ψ = 0 all of them have the same solutions; off it, where round-off
//! and truncation lead, they differ, and so do the methods that use them.

mod hamilton_dirac;
mod multipliers;
mod poisson;
mod standard;

use crate::error::TheoryError;
use crate::structure::Structure;
use cotangent_expr::{Array, Expr, Layout, Place, Tensor, Term};
use cotangent_model::{Dynamics, System};

/// A set of equations of motion, by name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Formulation {
    /// The equations as given, with unknown multipliers: for methods that know constraints.
    Multipliers,
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
}

/// Equations of motion: what a formulation makes of a system.
#[derive(Clone, Debug)]
pub struct Motion {
    /// The system they come from, in Hamiltonian form if it has coordinates.
    pub system: System,
    /// Which equations they are.
    pub formulation: Formulation,
    /// The variables.
    pub state: Layout,
    /// Derivatives and brackets, if the system has coordinates.
    pub structure: Option<Structure>,
    /// The equations as a vector field, unless the multipliers are unknowns.
    pub field: Option<VectorField>,
    /// Whether the vector field, or the equations with multipliers, are canonical: a symplectic
    /// method is symplectic on these.
    pub canonical: bool,
    /// The multipliers as functions of the state, one for each constraint member, if there are
    /// constraints: the reaction forces are −Gᵀμ.
    pub multipliers: Option<Array>,
}

impl Formulation {
    /// Every formulation.
    pub const ALL: [Formulation; 3] = [Formulation::Multipliers, Formulation::Standard, Formulation::HamiltonDirac];

    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Formulation::Multipliers => "multipliers",
            Formulation::Standard => "standard",
            Formulation::HamiltonDirac => "hamilton-dirac",
        }
    }

    /// What it is, in a line.
    pub fn summary(self) -> &'static str {
        match self {
            Formulation::Multipliers => "the equations as given, multipliers unknown (index 3)",
            Formulation::Standard => "the standard underlying equations: the multiplier as a function of the state",
            Formulation::HamiltonDirac => "the flow of H under the Dirac bracket; constraints and energy are integrals",
        }
    }

    /// The formulation with this name.
    pub fn named(name: &str) -> Option<Formulation> {
        let name = if name == "weak-dirac" { "hamilton-dirac" } else { name };
        Formulation::ALL.into_iter().find(|f| f.name() == name)
    }

    /// Derives the equations for a system. Without constraints all are the same.
    pub fn apply(self, system: &System) -> Result<Motion, TheoryError> {
        if matches!(system.dynamics, Dynamics::Poisson { .. } | Dynamics::Form { .. }) {
            return poisson::motion(system, self);
        }
        let structure = Structure::new(system)?;
        let multipliers = structure.multipliers()?;
        let (field, canonical) = match self {
            Formulation::Multipliers => (multipliers::equations(&structure)?, true),
            Formulation::Standard => (Some(standard::equations(&structure)?), multipliers.is_none()),
            Formulation::HamiltonDirac => (Some(hamilton_dirac::equations(&structure)?), multipliers.is_none()),
        };
        Ok(Motion {
            system: structure.system.clone(),
            formulation: self,
            state: structure.state(),
            field,
            canonical,
            multipliers,
            structure: Some(structure),
        })
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
