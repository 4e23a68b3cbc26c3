//! Systems that are not canonical: ẏ = B(y)∇H, or J ż = ∇H with a constant matrix.

use super::{Bracket, Form, Formulation, Law, Lift, Motion, Space, VectorField};
use crate::error::TheoryError;
use cotangent_expr::{Domain, Expr, Ix, Layout, Place, Range, Tensor, Term, solve};
use cotangent_model::{ClaimKind, Dynamics, System};
use cotangent_scalar::Limits;

pub(super) fn motion(system: &System, formulation: Formulation, limits: &Limits) -> Result<Motion, TheoryError> {
    if let Some(c) = system.constraints.first() {
        let what = "a model with brackets or a constant form";
        return Err(TheoryError::NotHolonomic { what, name: c.array.name().into() });
    }
    let state = system.dynamics.variables().clone();
    let law = match &system.dynamics {
        Dynamics::Poisson { bracket, hamiltonian, variables } => {
            let rate = bracket.contract(1, &hamiltonian.gradient_within(variables, limits)?, 0)?;
            let claimed: Vec<_> = system.claims.iter().filter(|c| c.kind == ClaimKind::Casimir).collect();
            let layout = Layout::new(claimed.iter().map(|c| c.quantity.array.clone()).collect());
            let terms = claimed.iter().flat_map(|c| c.quantity.value.terms().iter().cloned()).collect();
            Law::Bracket(Box::new(Bracket {
                tensor: bracket.clone(),
                hamiltonian: hamiltonian.clone(),
                casimirs: Tensor::new(vec![layout], terms)?,
                field: VectorField { state: state.clone(), rate },
            }))
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
            let field = VectorField { state: state.clone(), rate: Tensor::new(vec![variables.clone()], terms)? };
            let (matrix, hamiltonian) = (form.clone(), hamiltonian.clone());
            Law::Form(Box::new(Form { matrix, hamiltonian, field: Some(field) }))
        }
        other => return Err(TheoryError::NotCanonical { what: "a vector field", kind: other.kind() }),
    };
    Ok(Motion {
        system: system.clone(),
        formulation,
        state,
        space: Space::Whole,
        law,
        velocity: None,
        lift: Lift::default(),
        numbers: Layout::default(),
        auxiliaries: vec![],
        limits: limits.clone(),
    })
}
