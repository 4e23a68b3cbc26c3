//! Contraction of tensors: matrix times vector, matrix times matrix.

use crate::array::Array;
use crate::compose::{Partners, compose};
use crate::error::Error;
use crate::partials::Budget;
use crate::tensor::{Tensor, Term};
use std::collections::HashMap;

impl Tensor {
    /// Σⱼ self[…, j, …]·other[…, j, …] over one slot of each; the other slots of `self` come first.
    ///
    /// The two slots must have the same number of arrays with the same dimensions, which are matched
    /// in order: a slot of coordinates may be contracted with one of velocities or momenta.
    pub fn contract(&self, slot: usize, other: &Tensor, other_slot: usize) -> Result<Tensor, Error> {
        let (Some(left), Some(right)) = (self.shape().get(slot), other.shape().get(other_slot)) else {
            return Err(Error::Rank { what: "a contraction", expected: slot + 1, found: self.rank() });
        };
        let fits = left.arrays().len() == right.arrays().len()
            && left.arrays().iter().zip(right.arrays()).all(|(a, b)| a.dims() == b.dims());
        if !fits {
            let array = right.arrays().first().map_or(String::new(), |a| a.name().into());
            return Err(Error::Misplaced { array, slot: other_slot });
        }
        let mut shape = self.shape().to_vec();
        shape.remove(slot);
        let mut rest = other.shape().to_vec();
        rest.remove(other_slot);
        shape.extend(rest);
        // The slot to be summed over comes first, as `compose` wants it.
        let turned = |t: &Term| {
            let mut at = t.at.clone();
            let joined = at.remove(other_slot);
            at.insert(0, joined);
            Term { at, ..t.clone() }
        };
        let (outer, inner) = (by_array(self, slot), by_array(other, other_slot));
        let mut budget = Budget::default();
        let mut terms = vec![];
        for (mine, theirs) in left.arrays().iter().zip(right.arrays()) {
            let partners = inner.get(theirs).into_iter().flatten().copied().map(turned);
            let partners = Partners::new(partners.collect());
            for &t in outer.get(mine).into_iter().flatten() {
                let mut outer = t.clone();
                let joined = outer.at.remove(slot);
                terms.extend(compose(&outer, &joined.index, &partners, &mut budget)?);
            }
        }
        if let Some(p) = terms.iter().find_map(|t: &Term| t.value.poisoned()) {
            return Err(p.into());
        }
        Ok(Tensor::unchecked(shape, terms))
    }

    /// The same tensor with two slots exchanged.
    pub fn transposed(&self) -> Result<Tensor, Error> {
        if self.rank() != 2 {
            return Err(Error::Rank { what: "a transpose", expected: 2, found: self.rank() });
        }
        let turned = |t: &Term| Term { at: vec![t.at[1].clone(), t.at[0].clone()], ..t.clone() };
        let shape = vec![self.shape()[1].clone(), self.shape()[0].clone()];
        Ok(Tensor::unchecked(shape, self.terms().iter().map(turned).collect()))
    }
}

/// The terms of a tensor by the array that a slot of them is in, in their order.
fn by_array(tensor: &Tensor, slot: usize) -> HashMap<&Array, Vec<&Term>> {
    let mut found: HashMap<&Array, Vec<&Term>> = HashMap::new();
    for term in tensor.terms() {
        found.entry(&term.at[slot].array).or_default().push(term);
    }
    found
}
