//! Equations of motion: what a formulation makes of a system.

use super::algebra::replaced;
use super::{Formulation, LocalChart};
use crate::error::TheoryError;
use crate::legendre::whole;
use crate::structure::Structure;
use crate::surface::Surface;
use cotangent_expr::{Array, Expr, Layout, Tensor};
use cotangent_model::{Quantity, System};
use cotangent_scalar::Limits;

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
    /// The model's momenta as functions of the state, where the state has others in their place.
    pub physical: Option<Vec<Array>>,
    /// The equations in a chart, where they are to be integrated in charts.
    pub chart: Option<LocalChart>,
    /// The multipliers as functions of the model's state, one for each constraint member, if there are
    /// constraints: the reaction forces are −Gᵀμ.
    pub multipliers: Option<Array>,
    /// Quantities of the formulation itself, such as strictions, as functions of the state of these equations.
    pub auxiliaries: Vec<Quantity>,
    /// The constraints, where an analysis found them and not the structure.
    pub surface: Option<Surface>,
    /// How far what is derived and compiled from them may go.
    pub limits: Limits,
}

impl Motion {
    /// Whether there are constraints.
    pub fn is_constrained(&self) -> bool {
        self.multipliers.is_some() || self.surface.is_some()
    }

    /// Whether the model has equations of motion in another formulation. Nothing is derived: linear constraints and
    /// constant masses are those in whose derivatives no variable occurs.
    pub fn has(&self, formulation: Formulation) -> bool {
        let Some(s) = &self.structure else {
            // Constraints that need an analysis; or equations that are what they are.
            return self.surface.is_none() || formulation == Formulation::HamiltonDirac;
        };
        let (n, m) = (s.coordinates.len(), s.constraints.shape()[0].len());
        let free_of = |t: &Tensor, layouts: &[&Layout]| !layouts.iter().any(|l| t.depends_on(l));
        match formulation {
            Formulation::LocalChart { .. } => m == 0 || m < n,
            Formulation::LinearProjected => {
                let (q, p) = (&s.coordinates, &s.momenta);
                m == 0
                    || free_of(&s.jacobian, &[q, p]) && free_of(&s.hidden_p, &[q, p]) && free_of(&s.hamiltonian_p, &[q])
            }
            _ => true,
        }
    }

    /// The Hamilton–Dirac equations of the same model: these, if they are, as an analysis may have derived
    /// them.
    pub fn hamilton_dirac(&self) -> Result<Motion, TheoryError> {
        match self.formulation {
            Formulation::HamiltonDirac => Ok(self.clone()),
            _ => Formulation::HamiltonDirac.apply_within(&self.system, &self.limits),
        }
    }

    /// The state of the model as a function of the state of these equations, where they differ.
    pub fn model_state(&self) -> Result<Option<Tensor>, TheoryError> {
        let Some(s) = &self.structure else { return Ok(None) };
        let Some(physical) = &self.physical else { return Ok(None) };
        let positions = s.coordinates.arrays().iter().map(|q| whole(q, |index| Expr::at(q, index)));
        let momenta = s.momenta.arrays().iter().zip(physical);
        let terms = positions.chain(momenta.map(|(p, physical)| whole(p, |index| Expr::at(physical, index))));
        Ok(Some(Tensor::new(vec![s.state()], terms.collect())?))
    }

    /// A quantity of the model as a function of the state of these equations.
    pub fn at_state(&self, quantity: &Tensor) -> Result<Tensor, TheoryError> {
        match (&self.physical, &self.structure) {
            (Some(physical), Some(s)) => replaced(quantity, &s.momenta, physical),
            _ => Ok(quantity.clone()),
        }
    }
}
