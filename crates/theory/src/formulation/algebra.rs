//! Products and vectors over coordinates, momenta and constraints.

use super::VectorField;
use crate::error::TheoryError;
use crate::legendre::whole;
use crate::structure::{Structure, minus};
use cotangent_expr::{Array, Error, Expr, Layout, Node, Place, Tensor, Term};

/// q̇ = K_p, ṗ = −K_q.
pub(super) fn flow(s: &Structure, hamiltonian: &Tensor) -> Result<VectorField, TheoryError> {
    let by = |layout: &Layout| hamiltonian.gradient_within(layout, &s.limits);
    let rate = rate(s, &by(&s.momenta)?, &minus(&by(&s.coordinates)?))?;
    Ok(VectorField { state: s.state(), rate })
}

/// q̇ = H_p, ṗ = −H_q.
pub(super) fn hamiltonian_field(s: &Structure) -> Result<VectorField, TheoryError> {
    let rate = rate(s, &s.hamiltonian_p, &minus(&s.hamiltonian_q))?;
    Ok(VectorField { state: s.state(), rate })
}

/// λᵀt for a vector over the constraints: a scalar.
pub(super) fn pairing(lambda: &Array, t: &Tensor) -> Result<Tensor, TheoryError> {
    let rows = &t.shape()[0];
    let term = |term: &Term| {
        let row = rows.flat_index(&term.at[0].array, &term.at[0].index)?;
        Ok(Term { at: vec![], value: &term.value * Expr::at(lambda, vec![row]), ..term.clone() })
    };
    let terms = t.terms().iter().map(term).collect::<Result<_, TheoryError>>()?;
    Ok(Tensor::new(vec![], terms)?)
}

/// Tλ for a matrix with constraints as columns: a vector over its rows.
pub(super) fn times(t: &Tensor, lambda: &Array) -> Result<Tensor, TheoryError> {
    let columns = &t.shape()[1];
    let term = |term: &Term| {
        let column = columns.flat_index(&term.at[1].array, &term.at[1].index)?;
        Ok(Term { at: vec![term.at[0].clone()], value: &term.value * Expr::at(lambda, vec![column]), ..term.clone() })
    };
    let terms = t.terms().iter().map(term).collect::<Result<_, TheoryError>>()?;
    Ok(Tensor::new(vec![t.shape()[0].clone()], terms)?)
}

/// Each array of a layout with its part of a vector added; the vector may be written over the
/// coordinates or the momenta.
pub(super) fn plus_multiples(layout: &Layout, vector: &Tensor, name: &str) -> Result<Vec<Array>, TheoryError> {
    let over = vector.shape()[0].clone();
    let sum = |(array, other): (&Array, &Array)| {
        let own = vector.terms().iter().filter(|t| t.at[0].array == *other);
        let moved = own.map(|t| {
            let place = Place { array: array.clone(), index: t.at[0].index.clone() };
            Term { at: vec![place], ..t.clone() }
        });
        let terms = std::iter::once(whole(array, |index| Expr::at(array, index))).chain(moved).collect();
        let values = Tensor::new(vec![Layout::new(vec![array.clone()])], terms)?;
        Ok(Array::defined(&format!("{name}_{}", array.name()), array.dims().to_vec(), values))
    };
    layout.arrays().iter().zip(over.arrays()).map(sum).collect()
}

/// The arrays of a layout replaced by others, everywhere but in the definitions of those.
pub(super) fn replaced(t: &Tensor, layout: &Layout, by: &[Array]) -> Result<Tensor, TheoryError> {
    let pairs: Vec<(Array, Array)> = layout.arrays().iter().cloned().zip(by.iter().cloned()).collect();
    replaced_arrays(t, &pairs)
}

/// Arrays replaced by others, everywhere but in the definitions of those.
pub(super) fn replaced_arrays(t: &Tensor, pairs: &[(Array, Array)]) -> Result<Tensor, TheoryError> {
    Ok(t.rewrite_deep(&mut |leaf| match leaf.node() {
        Node::At(a, index) => {
            if pairs.iter().any(|(_, new)| new == a) {
                return Some(leaf.clone());
            }
            let (_, new) = pairs.iter().find(|(old, _)| old == a)?;
            Some(Expr::at(new, index.clone()))
        }
        _ => None,
    })?)
}

/// Tᵀλ for a matrix with constraints as rows: a vector over its columns.
pub(super) fn transposed_times(t: &Tensor, lambda: &Array) -> Result<Tensor, TheoryError> {
    let rows = &t.shape()[0];
    let term = |term: &Term| {
        let row = rows.flat_index(&term.at[0].array, &term.at[0].index)?;
        Ok(Term { at: vec![term.at[1].clone()], value: &term.value * Expr::at(lambda, vec![row]), ..term.clone() })
    };
    let terms = t.terms().iter().map(term).collect::<Result<_, TheoryError>>()?;
    Ok(Tensor::new(vec![t.shape()[1].clone()], terms)?)
}

/// The vector (q̇, ṗ) over the state from its halves, which are written over coordinates or momenta.
pub(super) fn rate(s: &Structure, q: &Tensor, p: &Tensor) -> Result<Tensor, TheoryError> {
    let mut terms = vec![];
    for (half, to) in [(q, &s.coordinates), (p, &s.momenta)] {
        let from = half.shape()[0].clone();
        for t in half.terms() {
            let own = &t.at[0].array;
            let foreign = || Error::Foreign { array: own.name().into() };
            let k = from.arrays().iter().position(|a| a == own).ok_or_else(foreign)?;
            let place = Place { array: to.arrays()[k].clone(), index: t.at[0].index.clone() };
            terms.push(Term { at: vec![place], ..t.clone() });
        }
    }
    Ok(Tensor::new(vec![s.state()], terms)?)
}
