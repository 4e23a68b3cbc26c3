//! A pivot for every column, as far as the pattern allows.

use crate::Pattern;

const NONE: u32 = u32::MAX;

/// For each column of a square pattern a row of its own, with an entry there if possible: the
/// diagonal where it has entries, otherwise by augmenting paths (Duff's MC21). Columns of a
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
    let mut seen = vec![NONE; n];
    let mut next = vec![0; n];
    let mut path = Vec::new();
    for start in 0..n as u32 {
        if row_of[start as usize] == NONE && augment(&columns, &column_of, start, &mut seen, &mut next, &mut path) {
            // Each column of the path takes the row it found; its last row was free.
            for &(j, i) in &path {
                row_of[j as usize] = i;
                column_of[i as usize] = j;
            }
        }
    }
    let mut free = (0..n as u32).filter(|&i| column_of[i as usize] == NONE);
    for row in row_of.iter_mut().filter(|row| **row == NONE) {
        *row = free.next().unwrap_or(0);
    }
    row_of
}

/// Looks for a path from a column without a row to a row without a column, by depth first; `path`
/// is then the list of (column, its new row).
fn augment(
    columns: &Pattern,
    column_of: &[u32],
    start: u32,
    seen: &mut [u32],
    next: &mut [usize],
    path: &mut Vec<(u32, u32)>,
) -> bool {
    path.clear();
    path.push((start, NONE));
    next[start as usize] = 0;
    while let Some(top) = path.last_mut() {
        let candidates = columns.row(top.0 as usize);
        let position = &mut next[top.0 as usize];
        let Some(&i) = candidates.get(*position) else {
            path.pop();
            continue;
        };
        *position += 1;
        if seen[i as usize] == start {
            continue;
        }
        seen[i as usize] = start;
        top.1 = i;
        let owner = column_of[i as usize];
        if owner == NONE {
            return true;
        }
        next[owner as usize] = 0;
        path.push((owner, NONE));
    }
    false
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
