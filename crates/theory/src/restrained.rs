//! Constraints of a Poisson system that are held by the flows they generate, after Reich.
//!
//! ```text
//! ż = {z, H} + Σ λₖ{z, gₖ},   g(z) = 0,   χ = {g, H} = 0.
//! ```
//!
//! Where the gₖ commute, the flow of λ·g keeps all of them, whatever λ: it moves along the surface g = 0, and every
//! Casimir of the bracket stays what it is. {χ, g} must be regular, so that λ is determined.
//!
//! Two constraints a and b that do not commute, c = {a, b} ≠ 0, are put into the bracket first,
//!
//! ```text
//! {f, g}' = {f, g} + ({f, a}{b, g} − {f, b}{a, g})/c,
//! ```
//!
//! which is Dirac's of the two: both are Casimirs of it. So pair by pair, until those that are left commute.

use crate::constraints::{Classified, Constraints};
use crate::error::{TheoryError, Unrestrained};
use crate::phase::{Phase, Sparse, member};
use crate::splitting::Splitting;
use cotangent_expr::{Array, Error, Expr, Layout, Place, Role, Tensor, Term};
use cotangent_model::{Dynamics, System};
use std::collections::BTreeSet;

/// A Poisson system without its constraints, and these.
#[derive(Clone, Debug)]
pub struct Restrained {
    /// The model without constraints, those that do not commute put into its bracket.
    pub system: System,
    /// g: those that commute.
    pub constraints: Tensor,
    /// χ = {g, H}.
    pub hidden: Tensor,
    /// {χₖ, gⱼ}.
    pub brackets: Tensor,
    /// Whether those in the bracket are quadratic at most, so that Gauss methods keep them.
    pub pairs_quadratic: bool,
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
        let mut given: Vec<&Classified> = second.iter().copied().filter(|c| c.generation <= 1).collect();
        if given.is_empty() {
            return Ok(None);
        }
        let mut phase = phase.clone();
        let mut gradients: Vec<Sparse> =
            given.iter().map(|c| phase.gradient(&c.expression)).collect::<Result<_, _>>()?;
        let (mut pairs, mut pairs_quadratic) = (0, true);
        while let Some([a, b]) = conjugate(&phase, &gradients) {
            eliminate(&mut phase, [&gradients[a], &gradients[b]]);
            for k in [b, a] {
                pairs_quadratic &= is_affine(&phase, &gradients[k])?;
                gradients.remove(k);
                given.remove(k);
            }
            pairs += 1;
        }
        if given.is_empty() {
            return Ok(Some(Err(Unrestrained::Pairs)));
        }
        if second.len() != 2 * (pairs + given.len()) {
            return Ok(Some(Err(Unrestrained::Deeper)));
        }
        let flows: Vec<Sparse> = gradients.iter().map(|g| phase.flow(g)).collect();
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
            system: System { constraints: vec![], ..rebracketed(system, &phase, pairs)? },
            constraints: vector(&expressions)?,
            hidden: vector(&hidden)?,
            brackets: Tensor::new(vec![layout.clone(), layout.clone()], terms)?,
            pairs_quadratic,
            phase,
            generators,
        }))))
    }

    /// The flows of the constraints, in the order of [`constraints`](Restrained::constraints).
    pub fn flows(&self) -> Result<Splitting, TheoryError> {
        let refused = |constraint: String, why| TheoryError::NoConstraintFlow { constraint, why };
        Splitting::of(&self.phase, self.generators.clone(), refused)
    }
}

/// Whether a gradient is an affine function.
fn is_affine(phase: &Phase, gradient: &Sparse) -> Result<bool, Error> {
    for slope in gradient.values() {
        for second in phase.gradient(slope)?.values() {
            if !phase.gradient(second)?.is_empty() {
                return Ok(false);
            }
        }
    }
    Ok(true)
}

/// Two constraints that do not commute, those with a constant bracket first.
fn conjugate(phase: &Phase, gradients: &[Sparse]) -> Option<[usize; 2]> {
    let flows: Vec<Sparse> = gradients.iter().map(|g| phase.flow(g)).collect();
    let mut found = None;
    for (a, gradient) in gradients.iter().enumerate() {
        for (b, flow) in flows.iter().enumerate().skip(a + 1) {
            let bracket = Phase::pair(gradient, flow);
            if bracket.as_number().is_some_and(|c| !c.is_zero()) {
                return Some([a, b]);
            }
            if !bracket.is_zero() && found.is_none() {
                found = Some([a, b]);
            }
        }
    }
    found
}

/// Dirac's bracket of two constraints with these gradients in place of the bracket.
fn eliminate(phase: &mut Phase, [a, b]: [&Sparse; 2]) {
    let (along_a, along_b) = (phase.flow(a), phase.flow(b));
    let inverse = Phase::pair(a, &along_b).powi(-1);
    let moved: Vec<usize> =
        along_a.keys().chain(along_b.keys()).copied().collect::<BTreeSet<_>>().into_iter().collect();
    let product = |x: &Sparse, i: usize, y: &Sparse, j: usize| Some(x.get(&i)? * y.get(&j)?);
    for (&i, &j) in moved.iter().flat_map(|i| moved.iter().map(move |j| (i, j))).filter(|(i, j)| i < j) {
        let plus = product(&along_b, i, &along_a, j);
        let minus = product(&along_a, i, &along_b, j).map(|e| -e);
        let change = Expr::sum(plus.into_iter().chain(minus)) * &inverse;
        let value = Expr::sum(phase.bracket[i].get(&j).cloned().into_iter().chain([change]));
        for (i, j, value) in [(j, i, -&value), (i, j, value)] {
            match value.is_zero() {
                true => phase.bracket[i].remove(&j),
                false => phase.bracket[i].insert(j, value),
            };
        }
    }
}

/// The system with the bracket of a phase space that pairs were put into.
fn rebracketed(system: &System, phase: &Phase, pairs: usize) -> Result<System, Error> {
    let Dynamics::Poisson { variables, hamiltonian, .. } = &system.dynamics else { return Ok(system.clone()) };
    if pairs == 0 {
        return Ok(system.clone());
    }
    let places: Vec<Place> = variables.arrays().iter().flat_map(|a| (0..a.len()).map(move |k| member(a, k))).collect();
    let rows = phase.bracket.iter().enumerate();
    let terms = rows.flat_map(|(i, row)| {
        let places = &places;
        row.iter().map(move |(j, value)| Term::plain(vec![places[i].clone(), places[*j].clone()], value.clone()))
    });
    let bracket = Tensor::new(vec![variables.clone(), variables.clone()], terms.collect())?;
    let dynamics =
        Dynamics::Poisson { variables: variables.clone(), hamiltonian: hamiltonian.clone(), bracket, algebras: vec![] };
    Ok(System { dynamics, ..system.clone() })
}
