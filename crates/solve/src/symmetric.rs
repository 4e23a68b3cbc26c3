//! Symmetric matrices factored without exchanges, A = L D Lᵀ, in any arithmetic.

use std::collections::BTreeSet;

use cotangent_scalar::Scalar;

use crate::degree::order;
use crate::{Pattern, PatternError};

/// L D Lᵀ of a symmetric matrix, planned: in which order its rows are eliminated, and where L has entries.
///
/// Without pivoting it is stable for matrices that are positive definite. For others, and where a pivot is zero, it may be
/// inaccurate or not finite, which is not an error here: it is for approximate matrices of iterations that converge or not. It
/// takes no decisions, and so can be recorded.
#[derive(Clone, Debug)]
pub struct SymmetricFactors {
    /// The row that is eliminated at each place.
    rows: Vec<usize>,
    /// Where A has the diagonal entry of each place.
    diagonal: Vec<Option<usize>>,
    /// L below its diagonal, by columns: its places, and the entry of A there.
    columns: Vec<Vec<(usize, Option<usize>)>>,
}

/// The values of [`SymmetricFactors`].
#[derive(Clone, Debug)]
pub struct SymmetricValues<S> {
    /// 1/D.
    inverse: Vec<S>,
    /// L, column by column.
    lower: Vec<Vec<S>>,
    /// A right-hand side in the order of elimination.
    side: Vec<S>,
}

impl SymmetricFactors {
    /// For symmetric matrices of a square pattern; of two entries that are equal one is looked at.
    pub fn new(pattern: &Pattern) -> Result<SymmetricFactors, PatternError> {
        let n = pattern.rows();
        let edges: Vec<(u32, u32)> = pattern.addresses().flat_map(|(i, j)| [(i, j), (j, i)]).collect();
        let graph = Pattern::new(n, n, &edges)?;
        let rows: Vec<usize> = match order(&graph, &vec![true; n], usize::MAX) {
            Some(order) => order.into_iter().map(|i| i as usize).collect(),
            None => (0..n).collect(),
        };
        let mut place = vec![0; n];
        rows.iter().enumerate().for_each(|(k, &i)| place[i] = k);
        let mut below: Vec<BTreeSet<usize>> = vec![BTreeSet::new(); n];
        for (i, j) in graph.addresses() {
            let (i, j) = (place[i as usize], place[j as usize]);
            if i > j {
                below[j].insert(i);
            }
        }
        // Eliminating a column joins the rows it has entries in: the first of them takes up the others.
        for k in 0..n {
            let mut filled = below[k].iter().copied();
            if let Some(first) = filled.next() {
                let rest: Vec<usize> = filled.collect();
                below[first].extend(rest);
            }
        }
        let entry =
            |i: usize, j: usize| pattern.position(rows[i], rows[j]).or_else(|| pattern.position(rows[j], rows[i]));
        let diagonal = (0..n).map(|k| entry(k, k)).collect();
        let columns = below.iter().enumerate().map(|(k, rows)| rows.iter().map(|&i| (i, entry(i, k))).collect());
        Ok(SymmetricFactors { columns: columns.collect(), diagonal, rows })
    }

    /// Room for values.
    pub fn values<S: Scalar>(&self) -> SymmetricValues<S> {
        let zeros = |len: usize| vec![S::from_f64(0.0); len];
        let lower = self.columns.iter().map(|column| zeros(column.len())).collect();
        SymmetricValues { inverse: zeros(self.rows.len()), lower, side: zeros(self.rows.len()) }
    }
}

impl<S: Scalar> SymmetricValues<S> {
    /// Factors the matrix with these values, in the order of its pattern.
    pub fn factor(&mut self, plan: &SymmetricFactors, matrix: &[S]) {
        let (zero, one) = (S::from_f64(0.0), S::from_f64(1.0));
        let value = |entry: Option<usize>| entry.map_or(zero, |k| matrix[k]);
        let SymmetricValues { inverse, lower, .. } = self;
        // First D, and L times D.
        inverse.iter_mut().zip(&plan.diagonal).for_each(|(d, &entry)| *d = value(entry));
        for (l, column) in lower.iter_mut().zip(&plan.columns) {
            l.iter_mut().zip(column).for_each(|(l, &(_, entry))| *l = value(entry));
        }
        for (k, column) in plan.columns.iter().enumerate() {
            inverse[k] = one / inverse[k];
            for (at, &(j, _)) in column.iter().enumerate() {
                let product = lower[k][at];
                let factor = product * inverse[k];
                inverse[j] = inverse[j] - factor * product;
                // The rows of this column below j are among those of column j.
                let mut to = 0;
                for (below, &(i, _)) in column.iter().enumerate().skip(at + 1) {
                    while plan.columns[j][to].0 < i {
                        to += 1;
                    }
                    lower[j][to] = lower[j][to] - factor * lower[k][below];
                }
            }
            for l in &mut lower[k] {
                *l = *l * inverse[k];
            }
        }
    }

    /// x = A⁻¹ x.
    pub fn solve(&mut self, plan: &SymmetricFactors, x: &mut [S]) {
        let SymmetricValues { inverse, lower, side } = self;
        side.iter_mut().zip(&plan.rows).for_each(|(y, &i)| *y = x[i]);
        for (k, (column, l)) in plan.columns.iter().zip(&*lower).enumerate() {
            column.iter().zip(l).for_each(|(&(i, _), &l)| side[i] = side[i] - l * side[k]);
        }
        for (k, (column, l)) in plan.columns.iter().zip(&*lower).enumerate().rev() {
            let start = side[k] * inverse[k];
            side[k] = column.iter().zip(l).fold(start, |sum, (&(i, _), &l)| sum - l * side[i]);
        }
        side.iter().zip(&plan.rows).for_each(|(&y, &i)| x[i] = y);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// AᵀA + 1 of a matrix with entries at some addresses.
    fn positive(n: usize, entries: &[(usize, usize, f64)]) -> (Pattern, Vec<f64>) {
        let mut dense = vec![vec![0.0; n]; n];
        for &(i, j, x) in entries {
            dense[i % n][j % n] += x;
        }
        let product = |i: usize, j: usize| (0..n).map(|k| dense[k][i] * dense[k][j]).sum::<f64>();
        let value = |i: usize, j: usize| product(i, j) + if i == j { 1.0 } else { 0.0 };
        let all = (0..n * n).map(|k| (k / n, k % n)).filter(|&(i, j)| value(i, j) != 0.0);
        let addresses: Vec<(u32, u32)> = all.map(|(i, j)| (i as u32, j as u32)).collect();
        let pattern = Pattern::new(n, n, &addresses).unwrap();
        let values = pattern.addresses().map(|(i, j)| value(i as usize, j as usize)).collect();
        (pattern, values)
    }

    proptest! {
        #[test]
        fn solutions_satisfy_the_equations(
            n in 1usize..12,
            entries in prop::collection::vec((0usize..12, 0usize..12, -2.0..2.0f64), 0..30),
            x in prop::collection::vec(-1.0..1.0f64, 12),
        ) {
            let (pattern, matrix) = positive(n, &entries);
            let plan = SymmetricFactors::new(&pattern).unwrap();
            let mut values = plan.values();
            values.factor(&plan, &matrix);
            let mut side = vec![0.0; n];
            pattern.addresses().zip(&matrix).for_each(|((i, j), a)| side[i as usize] += a * x[j as usize]);
            values.solve(&plan, &mut side);
            // The condition number is at most 1 + |AᵀA|.
            let size = matrix.iter().map(|a| a.abs()).sum::<f64>();
            for (found, x) in side.iter().zip(&x) {
                prop_assert!((found - x).abs() < 1e-14 * size * size, "{found} {x}");
            }
        }
    }

    #[test]
    fn a_chain_has_no_new_entries_and_a_zero_pivot_is_no_error() {
        let n = 1000;
        let band = (0..n as u32).flat_map(|i| [(i, i), (i, (i + 1) % n as u32), ((i + 1) % n as u32, i)]);
        let ring = Pattern::new(n, n, &band.collect::<Vec<_>>()).unwrap();
        let plan = SymmetricFactors::new(&ring).unwrap();
        // A ring of n has n edges, and makes at most one new entry for each.
        assert!(plan.columns.iter().map(Vec::len).sum::<usize>() < 2 * n);
        let mut values = plan.values();
        values.factor(&plan, &vec![0.0; ring.len()]);
        let mut x = vec![1.0; n];
        values.solve(&plan, &mut x);
        assert!(x.iter().any(|x: &f64| !x.is_finite()));
    }
}
