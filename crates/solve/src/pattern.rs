//! [`Pattern`]: where a sparse matrix has entries.

use std::ops::Range;

/// The sparsity pattern of a matrix, by compressed rows.
///
/// The entries are numbered row by row, in each row by ascending column. That number is the
/// *position* of an entry: values of a matrix with this pattern are a plain slice in this order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pattern {
    columns_total: usize,
    /// Where each row starts in `columns`, and at the end the number of entries.
    starts: Vec<usize>,
    columns: Vec<u32>,
}

/// Why a list of addresses is not a pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PatternError {
    /// An address lies outside the matrix.
    #[error("the entry ({row}, {column}) lies outside a matrix of {rows} rows and {columns} columns")]
    Outside {
        /// The row of the entry.
        row: u32,
        /// The column of the entry.
        column: u32,
        /// The number of rows.
        rows: usize,
        /// The number of columns.
        columns: usize,
    },
    /// Rows and columns are numbered by `u32`, entries by `usize`.
    #[error("a matrix of {rows} rows and {columns} columns is too large to be addressed")]
    TooLarge {
        /// The number of rows.
        rows: usize,
        /// The number of columns.
        columns: usize,
    },
}

impl Pattern {
    /// Whether its entries are the main diagonal and those beside it, all of them, of three rows or more.
    pub fn is_tridiagonal(&self) -> bool {
        let n = self.rows();
        let band = |i: usize| i.saturating_sub(1) as u32..(i + 2).min(n) as u32;
        n > 2 && self.columns() == n && (0..n).all(|i| self.row(i).iter().copied().eq(band(i)))
    }

    /// The pattern with an entry at each of the given (row, column) addresses, which may come in
    /// any order and more than once.
    pub fn new(rows: usize, columns: usize, addresses: &[(u32, u32)]) -> Result<Self, PatternError> {
        addressable(rows, columns)?;
        let outside = |&&(i, j): &&(u32, u32)| i as usize >= rows || j as usize >= columns;
        if let Some(&(row, column)) = addresses.iter().find(outside) {
            return Err(PatternError::Outside { row, column, rows, columns });
        }
        let mut sorted = addresses.to_vec();
        sorted.sort_unstable();
        sorted.dedup();
        let mut starts = vec![0; rows + 1];
        for &(i, _) in &sorted {
            starts[i as usize + 1] += 1;
        }
        for i in 0..rows {
            starts[i + 1] += starts[i];
        }
        let entries = sorted.iter().map(|&(_, j)| j).collect();
        Ok(Self { columns_total: columns, starts, columns: entries })
    }

    /// The pattern with every entry.
    pub fn dense(rows: usize, columns: usize) -> Result<Self, PatternError> {
        addressable(rows, columns)?;
        if rows.checked_mul(columns).is_none_or(|entries| entries > isize::MAX as usize / 8) {
            return Err(PatternError::TooLarge { rows, columns });
        }
        let entries = (0..rows).flat_map(|_| 0..columns as u32).collect();
        let starts = (0..=rows).map(|i| i * columns).collect();
        Ok(Self { columns_total: columns, starts, columns: entries })
    }

    /// The pattern whose rows have entries in the given columns, ascending and below `columns`.
    pub(crate) fn from_rows(columns: usize, rows: &[Vec<u32>]) -> Result<Self, PatternError> {
        addressable(rows.len(), columns)?;
        let mut starts = Vec::with_capacity(rows.len() + 1);
        starts.push(0);
        starts.extend(rows.iter().scan(0, |end, row| {
            *end += row.len();
            Some(*end)
        }));
        Ok(Self { columns_total: columns, starts, columns: rows.concat() })
    }

    /// The number of rows.
    pub fn rows(&self) -> usize {
        self.starts.len() - 1
    }

    /// The number of columns.
    pub fn columns(&self) -> usize {
        self.columns_total
    }

    /// The number of entries.
    pub fn len(&self) -> usize {
        self.columns.len()
    }

    /// Whether there is no entry at all.
    pub fn is_empty(&self) -> bool {
        self.columns.is_empty()
    }

    /// The columns of the entries of a row, ascending; none if there is no such row.
    #[inline]
    pub fn row(&self, row: usize) -> &[u32] {
        self.columns.get(self.positions(row)).unwrap_or_default()
    }

    /// The positions of the entries of a row; none if there is no such row.
    #[inline]
    pub fn positions(&self, row: usize) -> Range<usize> {
        match (self.starts.get(row), self.starts.get(row.wrapping_add(1))) {
            (Some(&start), Some(&end)) => start..end,
            _ => 0..0,
        }
    }

    /// The position of the entry at an address, if there is one.
    pub fn position(&self, row: usize, column: usize) -> Option<usize> {
        let column = u32::try_from(column).ok()?;
        let found = self.row(row).binary_search(&column).ok()?;
        Some(self.positions(row).start + found)
    }

    /// The addresses of the entries, in the order of their positions.
    pub fn addresses(&self) -> impl Iterator<Item = (u32, u32)> {
        (0..self.rows()).flat_map(|i| self.row(i).iter().map(move |&j| (i as u32, j)))
    }

    /// How far the entries reach below and above the diagonal.
    pub fn bandwidth(&self) -> (usize, usize) {
        let reach = |(lower, upper): (usize, usize), (i, j): (u32, u32)| {
            (lower.max(i.saturating_sub(j) as usize), upper.max(j.saturating_sub(i) as usize))
        };
        self.addresses().fold((0, 0), reach)
    }

    /// The transposed pattern and, for each of its entries, the position the entry has here.
    pub fn transposed(&self) -> (Self, Vec<usize>) {
        let mut starts = vec![0; self.columns_total + 1];
        for &j in &self.columns {
            starts[j as usize + 1] += 1;
        }
        for j in 0..self.columns_total {
            starts[j + 1] += starts[j];
        }
        let mut next = starts.clone();
        let mut rows = vec![0; self.len()];
        let mut origin = vec![0; self.len()];
        for (position, (i, j)) in self.addresses().enumerate() {
            let place = &mut next[j as usize];
            rows[*place] = i;
            origin[*place] = position;
            *place += 1;
        }
        (Self { columns_total: self.rows(), starts, columns: rows }, origin)
    }
}

fn addressable(rows: usize, columns: usize) -> Result<(), PatternError> {
    // One below the largest u32, so that "row + 1" is a u32 too.
    let limit = u32::MAX as usize - 1;
    if rows > limit || columns > limit { Err(PatternError::TooLarge { rows, columns }) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn addresses_are_sorted_and_merged() {
        let pattern = Pattern::new(3, 4, &[(2, 1), (0, 3), (2, 1), (0, 0), (2, 0)]).unwrap();
        assert_eq!((pattern.rows(), pattern.columns(), pattern.len()), (3, 4, 4));
        assert_eq!(pattern.row(0), [0, 3]);
        assert_eq!(pattern.row(1), []);
        assert_eq!(pattern.row(2), [0, 1]);
        assert_eq!(pattern.row(3), []);
        assert_eq!(pattern.position(2, 1), Some(3));
        assert_eq!(pattern.position(1, 1), None);
        assert_eq!(pattern.position(9, 9), None);
        assert_eq!(pattern.position(usize::MAX, usize::MAX), None);
        assert_eq!(pattern.bandwidth(), (2, 3));
    }

    #[test]
    fn an_address_outside_is_named() {
        let error = Pattern::new(2, 2, &[(0, 0), (1, 2)]).unwrap_err();
        assert_eq!(error, PatternError::Outside { row: 1, column: 2, rows: 2, columns: 2 });
        assert_eq!(error.to_string(), "the entry (1, 2) lies outside a matrix of 2 rows and 2 columns");
        assert!(matches!(Pattern::new(usize::MAX, 1, &[]), Err(PatternError::TooLarge { .. })));
    }

    #[test]
    fn an_empty_pattern_is_a_pattern() {
        let pattern = Pattern::new(0, 0, &[]).unwrap();
        assert!(pattern.is_empty());
        assert_eq!(pattern.bandwidth(), (0, 0));
        assert_eq!(Pattern::dense(2, 3).unwrap().len(), 6);
    }

    proptest! {
        #[test]
        fn every_address_is_found_and_transposing_twice_is_the_identity(
            addresses in prop::collection::vec((0u32..9, 0u32..7), 0..60)
        ) {
            let pattern = Pattern::new(9, 7, &addresses).unwrap();
            for (position, (i, j)) in pattern.addresses().enumerate() {
                prop_assert_eq!(pattern.position(i as usize, j as usize), Some(position));
            }
            for (i, j) in addresses {
                prop_assert!(pattern.position(i as usize, j as usize).is_some());
            }
            let (transposed, origin) = pattern.transposed();
            for (place, (j, i)) in transposed.addresses().enumerate() {
                prop_assert_eq!(pattern.position(i as usize, j as usize), Some(origin[place]));
            }
            prop_assert_eq!(transposed.transposed().0, pattern);
        }
    }
}
