//! Systems that are not canonical: ẏ = B(y)∇H, or J ż = ∇H with a constant matrix.

use super::{Formulation, Law, Lift, Motion, Space, VectorField};
use crate::error::TheoryError;
use cotangent_expr::{Domain, Expr, Ix, Layout, Place, Range, Tensor, Term, solve};
use cotangent_model::{Dynamics, System};
use cotangent_scalar::Limits;

pub(super) fn motion(system: &System, formulation: Formulation, limits: &Limits) -> Result<Motion, TheoryError> {
    if let Some(c) = system.constraints.first() {
        let what = "a model with brackets or a constant form";
        return Err(TheoryError::NotHolonomic { what, name: c.array.name().into() });
    }
    let state = system.dynamics.variables().clone();
    let rate = match &system.dynamics {
        Dynamics::Poisson { bracket, hamiltonian, variables } => {
            bracket.contract(1, &hamiltonian.gradient_within(variables, limits)?, 0)?
        }
        Dynamics::Form { form, hamiltonian, variables } => {
            let rate = solve("z_rate", form, &hamiltonian.gradient_within(variables, limits)?)?;
            let mut terms = vec![];
            for array in variables.arrays() {
                let index: Vec<Ix> = (0..array.dims().len()).map(|k| Ix::var(k as u8)).collect();
                let position = variables.flat_index(array, &index)?;
                let range = |d: &cotangent_expr::Dim| Range {
                    name: "i".into(),
                    low: Ix::constant(d.first),
                    high: Ix::constant(d.last()),
                };
                terms.push(Term {
                    domain: Domain::Ranges(array.dims().iter().map(range).collect()),
                    at: vec![Place { array: array.clone(), index }],
                    value: Expr::at(&rate, vec![position]),
                });
            }
            Tensor::new(vec![variables.clone()], terms)?
        }
        other => return Err(TheoryError::NotCanonical { what: "a vector field", kind: other.kind() }),
    };
    let field = VectorField { state: state.clone(), rate };
    Ok(Motion {
        system: system.clone(),
        formulation,
        state,
        space: Space::Whole,
        law: Law::Field { field, canonical: false },
        lift: Lift::default(),
        numbers: Layout::default(),
        auxiliaries: vec![],
        limits: limits.clone(),
    })
}
