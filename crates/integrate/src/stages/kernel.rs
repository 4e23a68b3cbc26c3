//! The kernel of a constant antisymmetric matrix J, planned: which rows depend on the others, and a basis N of the
//! kernel.
//!
//! J w = c has a solution where c is orthogonal to ker J, and the independent rows of J then say all there is to say.
//! In the place of the others stands what determines the part of z in ker J: Nᵀ∇H(z) = 0.

use cotangent_scalar::Scalar;
use cotangent_solve::{Pattern, PatternError};
use std::collections::{BTreeMap, BTreeSet};

/// A row depends on the others if what is left of it, once they are taken off, is smaller than this part of it.
const DEPENDENT: f64 = 1e-12;

#[derive(Clone, Debug)]
pub(crate) struct Kernel {
    form: Pattern,
    /// For each row of J the column it is solved for; `None` if it depends on the others.
    pivots: Vec<Option<usize>>,
    /// The independent rows of J, and where their entries are in J.
    independent: (Pattern, Vec<usize>),
    /// Nᵀ, in the rows of J that depend on the others.
    kernel: Pattern,
}

/// A row, by columns.
type Row<S> = BTreeMap<usize, S>;

impl Kernel {
    pub(crate) fn new(form: &Pattern, values: &[f64]) -> Result<Kernel, PatternError> {
        let largest = |i: usize| form.positions(i).fold(0.0f64, |m, k| m.max(values[k].abs()));
        let mut pivots = vec![None; form.rows()];
        let reduced = reduced(form, values, |i, row| {
            let best = row.iter().fold((None, DEPENDENT * largest(i)), |best, (&j, value)| {
                if value.abs() > best.1 { (Some(j), value.abs()) } else { best }
            });
            pivots[i] = best.0;
            best.0
        });
        let mut kernel =
            Kernel { form: form.clone(), pivots, independent: (form.clone(), vec![]), kernel: form.clone() };
        kernel.independent = kernel.independent_rows(form)?;
        let entries = kernel.basis(&reduced);
        let addresses: Vec<(u32, u32)> = entries.keys().map(|&(i, j)| (i as u32, j as u32)).collect();
        kernel.kernel = Pattern::new(form.rows(), form.columns(), &addresses)?;
        Ok(kernel)
    }

    /// Where Nᵀ has entries.
    pub(crate) fn pattern(&self) -> &Pattern {
        &self.kernel
    }

    /// Where J has entries in its independent rows.
    pub(crate) fn form(&self) -> &Pattern {
        &self.independent.0
    }

    /// Whether a row of J depends on the others.
    pub(crate) fn is_dependent(&self, row: usize) -> bool {
        self.pivots[row].is_none()
    }

    /// Whether no row of J is solved for a column: one vector of N alone has an entry there, 1.
    pub(crate) fn is_free(&self, column: usize) -> bool {
        !self.pivots.contains(&Some(column))
    }

    /// A matrix without the rows in which J depends on the others, and where its entries are.
    pub(crate) fn independent_rows(&self, pattern: &Pattern) -> Result<(Pattern, Vec<usize>), PatternError> {
        let kept = |i: u32| !self.is_dependent(i as usize);
        let addresses: Vec<(u32, u32)> = pattern.addresses().filter(|&(i, _)| kept(i)).collect();
        let places = pattern.addresses().enumerate().filter(|(_, (i, _))| kept(*i)).map(|(k, _)| k).collect();
        Ok((Pattern::new(pattern.rows(), pattern.columns(), &addresses)?, places))
    }

    /// The independent rows of J, and Nᵀ, from the values of J.
    pub(crate) fn values<S: Scalar>(&self, form: &[S]) -> (Vec<S>, Vec<S>) {
        let rows = reduced(&self.form, form, |i, _| self.pivots[i]);
        (self.independent.1.iter().map(|&k| form[k]).collect(), self.basis(&rows).into_values().collect())
    }

    /// Nᵀ, from rows J that are solved for their pivots: a vector for each column that is none.
    fn basis<S: Scalar>(&self, rows: &BTreeMap<usize, Row<S>>) -> BTreeMap<(usize, usize), S> {
        let free = (0..self.form.columns()).filter(|j| !rows.contains_key(j));
        let dependent = (0..self.form.rows()).filter(|&i| self.is_dependent(i));
        let place: BTreeMap<usize, usize> = free.zip(dependent).collect();
        let ones = place.iter().map(|(&j, &i)| ((i, j), S::from_f64(1.0)));
        let solved = rows.iter().flat_map(|(&pivot, row)| row.iter().map(move |(j, &value)| (pivot, j, value)));
        let others = solved.filter_map(|(pivot, j, value)| Some(((*place.get(j)?, pivot), -value)));
        ones.chain(others).collect()
    }
}

/// The rows of a matrix solved for a column each (Gauss–Jordan elimination): by that column, whose entry, 1, is left out.
fn reduced<S: Scalar>(
    pattern: &Pattern,
    values: &[S],
    mut pivot: impl FnMut(usize, &Row<S>) -> Option<usize>,
) -> BTreeMap<usize, Row<S>> {
    let mut solved: BTreeMap<usize, Row<S>> = BTreeMap::new();
    // In which solved rows a column has an entry.
    let mut holders: BTreeMap<usize, BTreeSet<usize>> = BTreeMap::new();
    let subtract = |row: &mut Row<S>, factor: S, other: &Row<S>| {
        for (&j, &value) in other {
            let entry = row.entry(j).or_insert_with(|| S::from_f64(0.0));
            *entry = *entry - factor * value;
        }
    };
    for i in 0..pattern.rows() {
        let mut row: Row<S> = pattern.positions(i).zip(pattern.row(i)).map(|(k, &j)| (j as usize, values[k])).collect();
        for (column, other) in row.keys().copied().collect::<Vec<_>>().iter().filter_map(|j| solved.get_key_value(j)) {
            if let Some(factor) = row.remove(column) {
                subtract(&mut row, factor, other);
            }
        }
        let Some(column) = pivot(i, &row) else { continue };
        let Some(own) = row.remove(&column) else { continue };
        row.values_mut().for_each(|value| *value = *value / own);
        for holder in holders.remove(&column).unwrap_or_default() {
            if let Some((factor, other)) = solved.get_mut(&holder).and_then(|o| Some((o.remove(&column)?, o))) {
                subtract(other, factor, &row);
                row.keys().for_each(|&j| holders.entry(j).or_default().extend([holder]));
            }
        }
        row.keys().for_each(|&j| holders.entry(j).or_default().extend([column]));
        solved.insert(column, row);
    }
    solved
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vector::times;

    #[test]
    fn the_basis_is_in_the_kernel_and_the_other_rows_are_independent() {
        // J = [[0, a, b], [−a, 0, c], [−b, −c, 0]] has the kernel (c, −b, a), here as rows 1, 3, 4 of five; 0 and 2 are free.
        let (a, b, c) = (2.0, -3.0, 0.5);
        let entries = [(1, 3, a), (1, 4, b), (3, 4, c)];
        let all: Vec<(u32, u32, f64)> = entries.iter().flat_map(|&(i, j, v)| [(i, j, v), (j, i, -v)]).collect();
        let addresses: Vec<(u32, u32)> = all.iter().map(|&(i, j, _)| (i, j)).collect();
        let form = Pattern::new(5, 5, &addresses).unwrap();
        let mut values = vec![0.0; form.len()];
        all.iter().for_each(|&(i, j, v)| values[form.position(i as usize, j as usize).unwrap()] = v);
        let kernel = Kernel::new(&form, &values).unwrap();
        assert_eq!((0..5).map(|i| kernel.is_dependent(i)).collect::<Vec<_>>(), [true, false, true, false, true]);
        let (_, basis) = kernel.values(&values);
        for i in (0..5).filter(|&i| kernel.is_dependent(i)) {
            let mut vector = vec![0.0; 5];
            let pattern = kernel.pattern();
            pattern.positions(i).zip(pattern.row(i)).for_each(|(k, &j)| vector[j as usize] = basis[k]);
            let mut image = vec![1.0; 5];
            times(&form, &values, &vector, &mut image);
            assert!(vector.iter().any(|v| *v != 0.0) && image.iter().all(|v| v.abs() < 1e-15), "{i}: {vector:?}");
        }
    }
}
