//! Constraints of a Poisson system that are held by the flows they generate, after Reich.
//!
//! ```text
//! ż = {z, H} + Σ λₖ{z, gₖ},   g(z) = 0,   χ = {g, H} = 0.
//! ```
//!
//! Where the gₖ commute, the flow of λ·g keeps all of them, whatever λ: it moves along the surface g = 0, and every
//! Casimir of the bracket stays what it is. {χ, g} must be regular, so that λ is determined.

use crate::constraints::{Classified, Constraints};
use crate::error::{TheoryError, Unrestrained};
use crate::phase::{Phase, Sparse};
use crate::splitting::Splitting;
use cotangent_expr::{Array, Error, Expr, Layout, Place, Role, Tensor, Term};
use cotangent_model::System;

/// A Poisson system without its constraints, and these.
#[derive(Clone, Debug)]
pub struct Restrained {
    /// The model without constraints.
    pub system: System,
    /// g.
    pub constraints: Tensor,
    /// χ = {g, H}.
    pub hidden: Tensor,
    /// {χₖ, gⱼ}.
    pub brackets: Tensor,
    phase: Phase,
    /// g, one by one.
    generators: Vec<(String, Expr)>,
}

impl Restrained {
    /// What holds the constraints of a Poisson system; `None` if there is nothing to hold.
    pub(crate) fn new(
        known: &Constraints,
        system: &System,
    ) -> Result<Option<Result<Box<Restrained>, Unrestrained>>, Error> {
        let Constraints { phase, hamiltonian, list } = known;
        let second: Vec<&Classified> = list.iter().filter(|c| c.second).collect();
        let given: Vec<&Classified> = second.iter().copied().filter(|c| c.generation <= 1).collect();
        if given.is_empty() {
            return Ok(None);
        }
        let gradients: Vec<Sparse> = given.iter().map(|c| phase.gradient(&c.expression)).collect::<Result<_, _>>()?;
        let flows: Vec<Sparse> = gradients.iter().map(|g| phase.flow(g)).collect();
        for (a, gradient) in gradients.iter().enumerate() {
            if let Some(b) = (a + 1..flows.len()).find(|&b| !Phase::pair(gradient, &flows[b]).is_zero()) {
                let [a, b] = [a, b].map(|k| given[k].name.clone());
                return Ok(Some(Err(Unrestrained::NotCommuting(a, b))));
            }
        }
        if second.len() != 2 * given.len() {
            return Ok(Some(Err(Unrestrained::Deeper)));
        }
        let arrays: Vec<Array> = given.iter().map(|c| Array::scalar(&c.name, Role::Auxiliary)).collect();
        let place = |k: usize| Place { array: arrays[k].clone(), index: vec![] };
        let layout = Layout::new(arrays.clone());
        let vector = |entries: &[Expr]| {
            let terms = entries.iter().enumerate().map(|(k, e)| Term::plain(vec![place(k)], e.clone())).collect();
            Tensor::new(vec![layout.clone()], terms)
        };
        let free = phase.flow(&phase.gradient(hamiltonian)?);
        let hidden: Vec<Expr> = gradients.iter().map(|g| Phase::pair(g, &free)).collect();
        let mut terms = vec![];
        for (i, own) in hidden.iter().enumerate() {
            let gradient = phase.gradient(own)?;
            let entries = flows.iter().map(|flow| Phase::pair(&gradient, flow)).enumerate();
            terms.extend(entries.filter(|(_, e)| !e.is_zero()).map(|(j, e)| Term::plain(vec![place(i), place(j)], e)));
        }
        let generators: Vec<(String, Expr)> = given.iter().map(|c| (c.name.clone(), c.expression.clone())).collect();
        let expressions: Vec<Expr> = generators.iter().map(|(_, e)| e.clone()).collect();
        Ok(Some(Ok(Box::new(Restrained {
            system: System { constraints: vec![], ..system.clone() },
            constraints: vector(&expressions)?,
            hidden: vector(&hidden)?,
            brackets: Tensor::new(vec![layout.clone(), layout.clone()], terms)?,
            phase: phase.clone(),
            generators,
        }))))
    }

    /// The flows of the constraints, in the order of [`constraints`](Restrained::constraints).
    pub fn flows(&self) -> Result<Splitting, TheoryError> {
        let refused = |constraint: String, why| TheoryError::NoConstraintFlow { constraint, why };
        Splitting::of(&self.phase, self.generators.clone(), refused)
    }
}
