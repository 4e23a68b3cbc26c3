//! What a sparse factorisation does, as far as the pattern decides it.

use crate::ordering::inverse;
use crate::{Pattern, PatternError, degree, matching};

/// The order of elimination, and where L and U have entries if every pivot is the one meant.
///
/// Row and column k of the reordered matrix are eliminated in step k, with the entry (k, k) as
/// the pivot meant. Structurally the matrix is taken to be symmetric, so that U is shaped like Lᵀ;
/// what that adds to an unsymmetric pattern is the price of a simple structure.
#[derive(Clone, Debug)]
pub(crate) struct SymbolicFactorisation {
    pub(crate) rows: Vec<u32>,
    pub(crate) columns: Vec<u32>,
    /// The rows of L below the diagonal by columns, ascending.
    pub(crate) lower: Pattern,
    /// The rows of U above the diagonal by columns, ascending.
    pub(crate) upper: Pattern,
    /// For each column the last one of the same supernode: of consecutive columns with the same
    /// rows below them.
    pub(crate) last_alike: Vec<u32>,
}

impl SymbolicFactorisation {
    /// `None` if L would have more than `limit` entries.
    pub(crate) fn new(pattern: &Pattern, limit: usize) -> Result<Option<Self>, PatternError> {
        let n = pattern.rows();
        let identity: Vec<_> = (0..n as u32).collect();
        let mut row_of = identity;
        let mut graph = symmetric(pattern, &row_of)?;
        let has_diagonal: Vec<_> = (0..n).map(|i| pattern.position(i, i).is_some()).collect();
        let complete = has_diagonal.iter().all(|&has| has);
        let natural = if complete || pattern.transposed().0 == *pattern {
            degree::order(&graph, &has_diagonal, limit)
        } else {
            None
        };
        let order = match natural {
            Some(order) => order,
            None => {
                row_of = matching::rows_of_columns(pattern);
                graph = symmetric(pattern, &row_of)?;
                degree::order(&graph, &vec![true; n], limit).unwrap_or_else(|| (0..n as u32).collect())
            }
        };
        let parents = elimination_tree(&graph, &order);
        let columns: Vec<_> = postorder(&parents).into_iter().map(|k| order[k as usize]).collect();
        let Some(lower) = fill(&graph, &columns, limit)? else { return Ok(None) };
        let rows = columns.iter().map(|&j| row_of[j as usize]).collect();
        let (upper, _) = lower.transposed();
        let mut last_alike: Vec<_> = (0..n as u32).collect();
        for k in (1..n).rev() {
            let (before, here) = (lower.row(k - 1), lower.row(k));
            // The row after the diagonal is k exactly if k is the parent, which has all other rows.
            if before.first() == Some(&(k as u32)) && before.len() == here.len() + 1 {
                last_alike[k - 1] = last_alike[k];
            }
        }
        Ok(Some(Self { rows, columns, lower, upper, last_alike }))
    }

    /// Multiplications in a factorisation.
    pub(crate) fn cost(&self) -> f64 {
        (0..self.lower.rows()).map(|k| self.lower.row(k).len() as f64).map(|l| l * (l + 1.0)).sum()
    }
}

/// The graph that joins i and j if row `row_of[i]` has an entry in column j, or the other way round.
fn symmetric(pattern: &Pattern, row_of: &[u32]) -> Result<Pattern, PatternError> {
    let node = inverse(row_of);
    let edges = pattern.addresses().map(|(i, j)| (node[i as usize], j)).filter(|(i, j)| i != j);
    let edges: Vec<_> = edges.flat_map(|(i, j)| [(i, j), (j, i)]).collect();
    Pattern::new(pattern.rows(), pattern.rows(), &edges)
}

/// For each step the next one that depends on it; steps without one are their own (Liu, 1986).
fn elimination_tree(graph: &Pattern, order: &[u32]) -> Vec<u32> {
    let place = inverse(order);
    let mut parents: Vec<_> = (0..order.len() as u32).collect();
    let mut ancestors = parents.clone();
    for (k, &node) in order.iter().enumerate() {
        for &neighbour in graph.row(node as usize) {
            let mut i = place[neighbour as usize] as usize;
            while i < k {
                let next = ancestors[i] as usize;
                ancestors[i] = k as u32;
                if next == i {
                    parents[i] = k as u32;
                    break;
                }
                i = next;
            }
        }
    }
    parents
}

/// The nodes of a forest, every tree in one piece and its root last.
fn postorder(parents: &[u32]) -> Vec<u32> {
    let n = parents.len();
    // Chains of siblings; prepending from the last makes them ascend.
    let none = u32::MAX;
    let (mut first, mut sibling) = (vec![none; n], vec![none; n]);
    for k in (0..n).rev() {
        let parent = parents[k] as usize;
        if parent != k {
            sibling[k] = first[parent];
            first[parent] = k as u32;
        }
    }
    let mut order = Vec::with_capacity(n);
    let mut stack = Vec::new();
    for root in (0..n).filter(|&k| parents[k] as usize == k) {
        stack.push(root as u32);
        while let Some(&top) = stack.last() {
            let child = first[top as usize];
            if child == none {
                order.push(top);
                stack.pop();
            } else {
                first[top as usize] = sibling[child as usize];
                stack.push(child);
            }
        }
    }
    order
}

/// The columns of L: the entries of the matrix below the diagonal and those of the columns whose
/// first entry below the diagonal is in this row.
fn fill(graph: &Pattern, order: &[u32], limit: usize) -> Result<Option<Pattern>, PatternError> {
    let n = order.len();
    let place = inverse(order);
    let mut columns: Vec<Vec<u32>> = Vec::with_capacity(n);
    let mut children = vec![Vec::new(); n];
    let mut mark = vec![u32::MAX; n];
    let mut entries = 0;
    for (k, &node) in order.iter().enumerate() {
        let mut rows = Vec::new();
        let mut add = |i: u32| {
            if i as usize > k && mark[i as usize] != k as u32 {
                mark[i as usize] = k as u32;
                rows.push(i);
            }
        };
        graph.row(node as usize).iter().for_each(|&j| add(place[j as usize]));
        for &child in &children[k] {
            let column: &Vec<u32> = &columns[child as usize];
            column.iter().for_each(|&i| add(i));
        }
        rows.sort_unstable();
        entries += rows.len();
        if entries > limit {
            return Ok(None);
        }
        if let Some(&parent) = rows.first() {
            children[parent as usize].push(k as u32);
        }
        columns.push(rows);
    }
    Pattern::from_rows(n, &columns).map(Some)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn symbolic(size: usize, addresses: &[(u32, u32)]) -> SymbolicFactorisation {
        SymbolicFactorisation::new(&Pattern::new(size, size, addresses).unwrap(), usize::MAX).unwrap().unwrap()
    }

    #[test]
    fn trees_and_arrows_do_not_fill_in() {
        // A tree: node i hangs on node i/3. An arrow: all hang on node 0.
        for parent in [|i: u32| i / 3, |_| 0] {
            let n = 2000;
            let mut addresses: Vec<_> = (0..n).map(|i| (i, i)).collect();
            addresses.extend((1..n).flat_map(|i| [(i, parent(i)), (parent(i), i)]));
            assert_eq!(symbolic(n as usize, &addresses).lower.len(), n as usize - 1);
        }
    }

    #[test]
    fn a_grid_fills_in_far_less_than_its_band() {
        let n = 40;
        let mut addresses = Vec::new();
        for i in 0..n * n {
            addresses.push((i, i));
            let neighbours = [(i % n + 1 < n).then_some(i + 1), (i + n < n * n).then_some(i + n)];
            addresses.extend(neighbours.into_iter().flatten().flat_map(|j| [(i, j), (j, i)]));
        }
        let entries = symbolic((n * n) as usize, &addresses).lower.len();
        // The band has 64,000; nested dissection about 31/4 N log₂ N − …, some 17,000.
        assert!(entries < 20_000, "{entries}");
    }

    #[test]
    fn too_many_entries_are_not_planned() {
        let full = Pattern::dense(50, 50).unwrap();
        assert!(SymbolicFactorisation::new(&full, 50 * 49 / 2).unwrap().is_some());
        assert!(SymbolicFactorisation::new(&full, 50 * 49 / 2 - 1).unwrap().is_none());
    }

    #[test]
    fn a_multiplier_follows_an_unknown_it_acts_on() {
        // A rod in the plane between two masses: four unknowns, one multiplier, given first.
        let mut addresses: Vec<_> = (1..5).map(|i| (i, i)).collect();
        addresses.extend((1..5).flat_map(|i| [(0, i), (i, 0)]));
        let symbolic = symbolic(5, &addresses);
        assert_eq!(symbolic.rows, symbolic.columns);
        assert!(symbolic.columns.iter().position(|&j| j == 0) >= Some(2));
    }

    proptest! {
        /// Elimination by sets, as in a textbook.
        #[test]
        fn the_plan_holds_every_entry_that_elimination_makes(
            addresses in prop::collection::vec((0u32..15, 0u32..15), 0..50), symmetric: bool
        ) {
            let mut addresses = addresses;
            if symmetric {
                addresses.extend(addresses.clone().into_iter().map(|(i, j)| (j, i)));
            }
            let symbolic = symbolic(15, &addresses);
            let (row, column) = (inverse(&symbolic.rows), inverse(&symbolic.columns));
            let mut full = [[false; 15]; 15];
            for &(i, j) in &addresses {
                full[row[i as usize] as usize][column[j as usize] as usize] = true;
            }
            for k in 0..15 {
                for i in k + 1..15 {
                    for j in k + 1..15 {
                        full[i][j] |= full[i][k] && full[k][j];
                    }
                }
            }
            for k in 0..15 {
                for i in k + 1..15 {
                    prop_assert!(!full[i][k] || symbolic.lower.position(k, i).is_some());
                    prop_assert!(!full[k][i] || symbolic.upper.position(i, k).is_some());
                }
                let last = symbolic.last_alike[k] as usize;
                for j in k..=last {
                    let rows = &symbolic.lower.row(k)[j - k..];
                    prop_assert_eq!(rows, symbolic.lower.row(j));
                }
            }
        }
    }
}
