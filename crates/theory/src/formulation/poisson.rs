//! Systems that are not canonical: ẏ = B(y)∇H, or J ż = ∇H with a constant matrix.

use super::derived::number;
use super::matrices::{declared, recognised};
use super::triples::{Triple, triples};
use super::{Bracket, FOR_BRACKETS, Form, Formulation, Law, Lift, Motion, Space, VectorField};
use crate::error::TheoryError;
use cotangent_expr::{Domain, Expr, Ix, Layout, Place, Range, Tensor, Term, solve};
use cotangent_model::{ClaimKind, ConstraintKind, Dynamics, System};
use cotangent_scalar::Limits;

pub(super) fn motion(system: &System, formulation: Formulation, limits: &Limits) -> Result<Motion, TheoryError> {
    if formulation.is_for_brackets() && !matches!(system.dynamics, Dynamics::Poisson { .. }) {
        return Err(TheoryError::Unfit { formulation: formulation.name(), why: FOR_BRACKETS });
    }
    if let (Formulation::Penalty { .. }, false) = (formulation, system.constraints.is_empty()) {
        return penalised(system, formulation, limits);
    }
    if let Some(c) = system.constraints.first() {
        let what = "a model with brackets or a constant form";
        return Err(TheoryError::NotHolonomic { what, name: c.array.name().into() });
    }
    Ok(moved(system, formulation, law(system, limits)?, limits))
}

/// All of the space of the variables, with a law.
fn moved(system: &System, formulation: Formulation, law: Law, limits: &Limits) -> Motion {
    Motion {
        system: system.clone(),
        formulation,
        state: system.dynamics.variables().clone(),
        space: Space::Whole,
        law,
        velocity: None,
        lift: Lift::default(),
        numbers: Layout::default(),
        auxiliaries: vec![],
        lapse: None,
        limits: limits.clone(),
    }
}

/// Stiff springs H + gᵀg/(2ε) in the place of the constraints g of a bracket: no forces are left out, and the step must
/// resolve oscillations with frequencies of the order ε^(−1/2), or 1/ε between constraints that do not commute.
fn penalised(system: &System, formulation: Formulation, limits: &Limits) -> Result<Motion, TheoryError> {
    let Dynamics::Poisson { bracket, hamiltonian, variables, algebras } = &system.dynamics else {
        return Err(TheoryError::NotCanonical { what: "a penalty", kind: system.dynamics.kind() });
    };
    let (number, epsilon) = number(formulation.card(), "epsilon");
    let residuals = system.residuals(&[ConstraintKind::Holonomic, ConstraintKind::PhaseSpace])?;
    let squares = residuals.contract(0, &residuals, 0)?;
    let hamiltonian = hamiltonian.plus(&squares.times(&(Expr::ratio(1, 2) / epsilon)))?;
    let (bracket, variables, algebras) = (bracket.clone(), variables.clone(), algebras.clone());
    let dynamics = Dynamics::Poisson { bracket, hamiltonian, variables, algebras };
    let law = law(&System { dynamics, ..system.clone() }, limits)?;
    Ok(Motion { numbers: Layout::new(vec![number]), ..moved(system, formulation, law, limits) })
}

fn law(system: &System, limits: &Limits) -> Result<Law, TheoryError> {
    let state = system.dynamics.variables().clone();
    Ok(match &system.dynamics {
        Dynamics::Poisson { bracket, hamiltonian, variables, algebras } => {
            let triples = triples(variables, bracket)?;
            let rate = bracket.contract(1, &hamiltonian.gradient_within(variables, limits)?, 0)?;
            Law::Bracket(Box::new(Bracket {
                tensor: bracket.clone(),
                hamiltonian: hamiltonian.clone(),
                casimirs: claimed_casimirs(system)?,
                field: VectorField { state: state.clone(), rate },
                linear: is_linear(bracket, limits)?,
                spheres: match triples.iter().all(Triple::is_sphere) {
                    true => triples.iter().map(|t| t.variables).collect(),
                    false => vec![],
                },
                matrices: if algebras.is_empty() { recognised(&triples) } else { declared(algebras) },
                restrained: None,
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
    })
}

/// The functions that a model claims to commute with all others.
pub(super) fn claimed_casimirs(system: &System) -> Result<Tensor, cotangent_expr::Error> {
    let claimed: Vec<_> = system.claims.iter().filter(|c| c.kind == ClaimKind::Casimir).collect();
    let layout = Layout::new(claimed.iter().map(|c| c.quantity.array.clone()).collect());
    let terms = claimed.iter().flat_map(|c| c.quantity.value.terms().iter().cloned()).collect();
    Tensor::new(vec![layout], terms)
}

/// Whether a bracket is linear or affine in its variables.
fn is_linear(bracket: &Tensor, limits: &Limits) -> Result<bool, TheoryError> {
    let variables = &bracket.shape()[0];
    for term in bracket.terms() {
        let own = Tensor::new(vec![], vec![Term { at: vec![], ..term.clone() }])?;
        if own.gradient_within(variables, limits)?.depends_on(variables) {
            return Ok(false);
        }
    }
    Ok(true)
}
