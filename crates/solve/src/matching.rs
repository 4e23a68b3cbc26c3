//! A pivot for every column, as far as the pattern allows.

use crate::Pattern;

const NONE: u32 = u32::MAX;

/// For each column of a square pattern a row of its own, with an entry there if possible: the
/// diagonal where it has entries, otherwise by augmenting paths (Hopcroft & Karp, SIAM J. Comput. 2 (1973) 225). Columns of a
/// structurally singular pattern that cannot be served get what is left.
pub(crate) fn rows_of_columns(pattern: &Pattern) -> Vec<u32> {
    let n = pattern.rows();
    let (columns, _) = pattern.transposed();
    let mut row_of = vec![NONE; n];
    let mut column_of = vec![NONE; n];
    let mut join = |row_of: &mut Vec<u32>, i: u32, j: u32| {
        row_of[j as usize] = i;
        column_of[i as usize] = j;
    };
    let mut taken = vec![false; n];
    for j in 0..n {
        if pattern.position(j, j).is_some() {
            join(&mut row_of, j as u32, j as u32);
            taken[j] = true;
        }
    }
    for j in 0..n {
        if row_of[j] == NONE
            && let Some(&i) = columns.row(j).iter().find(|&&i| !taken[i as usize])
        {
            join(&mut row_of, i, j as u32);
            taken[i as usize] = true;
        }
    }
    let mut search = Search { distance: vec![NONE; n], next: vec![0; n], queue: vec![], path: vec![] };
    while search.layers(&columns, &row_of, &column_of) {
        for start in 0..n as u32 {
            if row_of[start as usize] == NONE && search.augment(&columns, &column_of, start) {
                // Each column of the path takes the row it found; its last row was free.
                for &(j, i) in &search.path {
                    row_of[j as usize] = i;
                    column_of[i as usize] = j;
                }
            }
        }
    }
    let mut free = (0..n as u32).filter(|&i| column_of[i as usize] == NONE);
    for row in row_of.iter_mut().filter(|row| **row == NONE) {
        *row = free.next().unwrap_or(0);
    }
    row_of
}

/// A search for augmenting paths, from all columns without a row at once: an arrow or a chain of multipliers would be walked
/// through for each of them.
struct Search {
    /// How many columns before this one a path has to go through.
    distance: Vec<u32>,
    /// The entry of a column that is followed next.
    next: Vec<usize>,
    queue: Vec<u32>,
    /// Columns, each with its new row.
    path: Vec<(u32, u32)>,
}

impl Search {
    /// Finds the distances, by breadth first; whether a row without a column can be reached.
    fn layers(&mut self, columns: &Pattern, row_of: &[u32], column_of: &[u32]) -> bool {
        self.distance.fill(NONE);
        self.next.fill(0);
        self.queue.clear();
        self.queue.extend((0..).zip(row_of).filter(|(_, row)| **row == NONE).map(|(j, _)| j));
        self.queue.iter().for_each(|&j| self.distance[j as usize] = 0);
        let (mut met, mut found) = (0, false);
        while let Some(&j) = self.queue.get(met) {
            met += 1;
            for &i in columns.row(j as usize) {
                let owner = column_of[i as usize];
                found |= owner == NONE;
                if owner != NONE && self.distance[owner as usize] == NONE {
                    self.distance[owner as usize] = self.distance[j as usize] + 1;
                    self.queue.push(owner);
                }
            }
        }
        found
    }

    /// Looks for a path from a column to a row without a column, by depth first along growing distances. What led nowhere is
    /// not followed again before the distances are new.
    fn augment(&mut self, columns: &Pattern, column_of: &[u32], start: u32) -> bool {
        self.path.clear();
        self.path.push((start, NONE));
        while let Some(top) = self.path.last_mut() {
            let j = top.0 as usize;
            let Some(&i) = columns.row(j).get(self.next[j]) else {
                self.path.pop();
                continue;
            };
            self.next[j] += 1;
            top.1 = i;
            let owner = column_of[i as usize];
            if owner == NONE {
                return true;
            }
            if self.distance[owner as usize] == self.distance[j] + 1 {
                self.path.push((owner, NONE));
            }
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_saddle_point_matrix_is_matched_across() {
        // Three unknowns with a mass, one multiplier: it takes the row of an unknown, and gives its own.
        let mut addresses = vec![(0, 0), (1, 1), (2, 2)];
        addresses.extend([(3, 1), (1, 3)]);
        let rows = rows_of_columns(&Pattern::new(4, 4, &addresses).unwrap());
        assert_eq!(rows, [0, 3, 2, 1]);
    }

    #[test]
    fn a_long_chain_of_multipliers_is_matched_in_linear_time() {
        // n unknowns with masses, each of n − 1 multipliers beside two of them; a search that walked on from the row it is
        // offered first would take n²/2 visits, more than a minute.
        let n = 200_000u32;
        let mut addresses: Vec<(u32, u32)> = (0..n).map(|i| (i, i)).collect();
        for k in 0..n - 1 {
            let c = n + k;
            for i in [k, k + 1] {
                addresses.extend([(c, i), (i, c)]);
            }
        }
        let size = (2 * n - 1) as usize;
        let pattern = Pattern::new(size, size, &addresses).unwrap();
        let mut rows = rows_of_columns(&pattern);
        assert!(rows.iter().enumerate().all(|(j, &i)| pattern.position(i as usize, j).is_some()));
        rows.sort_unstable();
        assert!(rows.iter().enumerate().all(|(k, &i)| i as usize == k));
    }

    proptest! {
        #[test]
        fn a_hidden_permutation_is_found(
            hidden in Just((0..20u32).collect::<Vec<_>>()).prop_shuffle(),
            others in prop::collection::vec((0u32..20, 0u32..20), 0..40),
        ) {
            let mut addresses: Vec<_> = hidden.iter().enumerate().map(|(j, &i)| (i, j as u32)).collect();
            addresses.extend(others);
            let pattern = Pattern::new(20, 20, &addresses).unwrap();
            let mut rows = rows_of_columns(&pattern);
            for (j, &i) in rows.iter().enumerate() {
                prop_assert!(pattern.position(i as usize, j).is_some());
            }
            rows.sort_unstable();
            prop_assert!(rows.iter().enumerate().all(|(k, &i)| i as usize == k));
        }

        #[test]
        fn what_cannot_be_matched_is_still_a_permutation(addresses in prop::collection::vec((0u32..9, 0u32..9), 0..14)) {
            let mut rows = rows_of_columns(&Pattern::new(9, 9, &addresses).unwrap());
            rows.sort_unstable();
            prop_assert_eq!(rows, (0..9).collect::<Vec<_>>());
        }
    }
}
