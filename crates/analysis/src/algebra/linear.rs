//! Elimination in a field of rational functions.

use super::field::{Field, Fraction};
use std::collections::BTreeMap;

/// A row by its entries that are not zero.
pub(crate) type Row = BTreeMap<usize, Fraction>;

/// Larger entries are given up.
const MAX_ENTRY: usize = 300;

/// Gauss–Jordan elimination of the columns before `columns`: afterwards each pivot is one and alone
/// in its column. Returns row, column and value of the pivots, in the order they were chosen; `None`
/// if entries grow too large.
///
/// `tidy` brings an entry to normal form (on the constraint surface, say) after each operation, so
/// that an entry is zero exactly when it is gone; `cost` says how little an entry is wanted as a
/// pivot, and refuses one with `None`.
pub(crate) fn eliminate(
    field: &Field,
    rows: &mut [Row],
    columns: usize,
    tidy: &mut dyn FnMut(Fraction) -> Option<Fraction>,
    cost: &mut dyn FnMut(&Fraction) -> Option<usize>,
) -> Option<Vec<(usize, usize, Fraction)>> {
    let mut pivots: Vec<(usize, usize, Fraction)> = vec![];
    loop {
        let mut best: Option<(usize, usize, usize)> = None;
        for (i, row) in rows.iter().enumerate().filter(|(i, _)| pivots.iter().all(|p| p.0 != *i)) {
            for (&j, entry) in row.range(..columns) {
                if let Some(c) = cost(entry)
                    && best.is_none_or(|b| c < b.0)
                {
                    best = Some((c, i, j));
                }
            }
            // Nothing is better than a number.
            if best.is_some_and(|b| b.0 == 0) {
                break;
            }
        }
        let Some((_, i, j)) = best else { return Some(pivots) };
        let lead = rows[i][&j].clone();
        for entry in rows[i].values_mut() {
            *entry = tidy(field.over(entry, &lead)?)?;
        }
        let pivot = rows[i].clone();
        for (k, row) in rows.iter_mut().enumerate() {
            if k == i {
                continue;
            }
            let Some(factor) = row.get(&j).cloned() else { continue };
            for (&column, entry) in &pivot {
                let old = row.get(&column).cloned().unwrap_or_else(|| Fraction::integer(0));
                let new = tidy(field.minus(&old, &field.times(&factor, entry)?)?)?;
                if new.size() > MAX_ENTRY {
                    return None;
                }
                if new.is_zero() || column == j {
                    row.remove(&column);
                } else {
                    row.insert(column, new);
                }
            }
        }
        pivots.push((i, j, lead));
    }
}

/// The cost of a pivot by its size alone: numbers first.
pub(crate) fn size_cost(entry: &Fraction) -> Option<usize> {
    let number = entry.numerator.as_constant().is_some() && entry.denominator.as_constant().is_some();
    Some(if number { 0 } else { entry.size() })
}

/// A⁻¹ for a square matrix, by rows; `None` if it is singular or too large.
pub(crate) fn inverse(
    field: &Field,
    matrix: &[Row],
    tidy: &mut dyn FnMut(Fraction) -> Option<Fraction>,
    cost: &mut dyn FnMut(&Fraction) -> Option<usize>,
) -> Option<Vec<Row>> {
    let n = matrix.len();
    let mut rows: Vec<Row> = matrix.to_vec();
    for (i, row) in rows.iter_mut().enumerate() {
        row.insert(n + i, Fraction::integer(1));
    }
    let pivots = eliminate(field, &mut rows, n, tidy, cost)?;
    if pivots.len() < n {
        return None;
    }
    let mut out = vec![Row::new(); n];
    for (i, j, _) in pivots {
        out[j] = rows[i].range(n..).map(|(k, e)| (k - n, e.clone())).collect();
    }
    Some(out)
}

/// The rows in reduced form, those that vanish left out: each has a pivot, its column and the entry 1 there, that no other
/// row has.
pub(crate) fn reduced(field: &Field, mut rows: Vec<Row>, columns: usize) -> Option<Vec<(usize, Row)>> {
    let pivots = eliminate(field, &mut rows, columns, &mut Some, &mut size_cost)?;
    Some(pivots.into_iter().map(|(i, j, _)| (j, std::mem::take(&mut rows[i]))).collect())
}

/// A basis of the vectors x with Σ aᵢⱼ xⱼ = 0 for all rows: one for every column without a pivot, with the entry 1 there.
pub(crate) fn kernel(field: &Field, rows: Vec<Row>, columns: usize) -> Option<Vec<Row>> {
    let pivots = reduced(field, rows, columns)?;
    let free = (0..columns).filter(|j| pivots.iter().all(|(pivot, _)| pivot != j));
    let vector = |j: usize| {
        let solved = pivots.iter().filter_map(|(pivot, row)| Some((*pivot, row.get(&j)?.negated())));
        solved.chain([(j, Fraction::integer(1))]).collect()
    };
    Some(free.map(vector).collect())
}

#[cfg(test)]
mod tests {
    use super::{Row, kernel};
    use crate::algebra::field::{Field, Fraction};

    /// (1 2 3; 2 4 6) x = 0: (−2, 1, 0) and (−3, 0, 1).
    #[test]
    fn a_kernel_has_as_many_vectors_as_columns_without_a_pivot() {
        let row = |entries: [i128; 3]| -> Row { (0..).zip(entries.map(Fraction::integer)).collect() };
        let found = kernel(&Field::default(), vec![row([1, 2, 3]), row([2, 4, 6])], 3).unwrap();
        let expected: Vec<Row> = [[(0, -2), (1, 1)], [(0, -3), (2, 1)]]
            .map(|all| all.map(|(k, x)| (k, Fraction::integer(x))).into_iter().collect())
            .to_vec();
        assert_eq!(found, expected);
    }
}
