//! The columns of a table: names and shapes.

use super::TableError;
use serde::{Deserialize, Serialize};
use std::collections::HashSet;

/// A scalar (no dimensions) or a family of numbers with one or more indices.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Column {
    /// The name, without indices.
    pub name: String,
    /// For every index its first value and how many values it takes. Members are in the order in
    /// which the last index runs fastest.
    pub dims: Vec<(i64, usize)>,
}

impl Column {
    /// A single number.
    pub fn scalar(name: impl Into<String>) -> Self {
        Column { name: name.into(), dims: Vec::new() }
    }

    /// A family with the given indices (first value, number of values).
    pub fn family(name: impl Into<String>, dims: impl Into<Vec<(i64, usize)>>) -> Self {
        Column { name: name.into(), dims: dims.into() }
    }

    /// How many numbers it has in a row; `None` if that is beyond counting.
    pub fn width(&self) -> Option<usize> {
        if self.dims.iter().any(|&(_, len)| len == 0) {
            return Some(0);
        }
        self.dims.iter().try_fold(1, |width: usize, &(_, len)| width.checked_mul(len))
    }

    /// The names of its members, such as `t` or `u[2,5]`, in the order of the row.
    pub fn members(&self) -> impl Iterator<Item = String> + '_ {
        let mut next = if self.width() == Some(0) { None } else { Some(vec![0; self.dims.len()]) };
        std::iter::from_fn(move || {
            let index = next.as_mut()?;
            let name = self.member(index);
            if !advance(index, &self.dims) {
                next = None;
            }
            Some(name)
        })
    }

    fn member(&self, index: &[usize]) -> String {
        if index.is_empty() {
            return self.name.clone();
        }
        // Wider than i64: the first value may be any, and so may the number of values.
        let value = |(&i, &(first, _)): (&usize, &(i64, usize))| (first as i128 + i as i128).to_string();
        let values: Vec<String> = index.iter().zip(&self.dims).map(value).collect();
        format!("{}[{}]", self.name, values.join(","))
    }
}

/// Moves to the next member, the last index fastest; false behind the last one.
fn advance(index: &mut [usize], dims: &[(i64, usize)]) -> bool {
    for (i, &(_, len)) in index.iter_mut().zip(dims).rev() {
        *i += 1;
        if *i < len {
            return true;
        }
        *i = 0;
    }
    false
}

/// The columns of a table, in order.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Columns(pub Vec<Column>);

impl Columns {
    /// How many numbers a row has; `None` if that is beyond counting.
    pub fn width(&self) -> Option<usize> {
        self.0.iter().try_fold(0, |width: usize, column| width.checked_add(column.width()?))
    }

    /// The names of all numbers of a row, in order.
    pub fn members(&self) -> impl Iterator<Item = String> + '_ {
        self.0.iter().flat_map(Column::members)
    }

    /// Refuses what cannot be told apart when it is read back, or cannot be a row at all.
    pub(super) fn check(&self) -> Result<usize, TableError> {
        let mut names = HashSet::with_capacity(self.0.len());
        for Column { name, .. } in &self.0 {
            if !names.insert(name) {
                return Err(TableError::Duplicate { name: name.clone() });
            }
            // A member of a zip archive counts the bytes of its name with 16 bits; `.npy` is added.
            if name.len() > usize::from(u16::MAX) - 4 {
                return Err(TableError::LongName { start: name.chars().take(20).collect(), bytes: name.len() });
            }
        }
        // A row has to fit in memory as bytes and as text.
        self.width().filter(|width| width.checked_mul(32).is_some()).ok_or(TableError::TooWide)
    }

    /// A checksum of names and shapes, to notice that a table is resumed with other columns.
    pub(super) fn checksum(&self) -> u32 {
        let mut hasher = crc32fast::Hasher::new();
        for Column { name, dims } in &self.0 {
            hasher.update(&(name.len() as u64).to_le_bytes());
            hasher.update(name.as_bytes());
            hasher.update(&(dims.len() as u64).to_le_bytes());
            for &(first, len) in dims {
                hasher.update(&first.to_le_bytes());
                hasher.update(&(len as u64).to_le_bytes());
            }
        }
        hasher.finalize()
    }
}

impl FromIterator<Column> for Columns {
    fn from_iter<I: IntoIterator<Item = Column>>(columns: I) -> Self {
        Columns(columns.into_iter().collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_are_named_by_their_indices_and_the_last_index_runs_fastest() {
        let columns = Columns(vec![
            Column::scalar("t"),
            Column::family("x", [(3, 2)]),
            Column::family("u", [(-1, 2), (5, 2)]),
            Column::family("none", [(1, 4), (1, 0)]),
        ]);
        let names: Vec<String> = columns.members().collect();
        assert_eq!(names, ["t", "x[3]", "x[4]", "u[-1,5]", "u[-1,6]", "u[0,5]", "u[0,6]"]);
        assert_eq!(columns.width(), Some(7));
    }

    #[test]
    fn extreme_indices_neither_overflow_nor_wrap() {
        let last = Column::family("x", [(i64::MAX, 2)]);
        assert_eq!(last.members().last().unwrap(), "x[9223372036854775808]");
        let huge = Column::family("x", [(0, usize::MAX), (0, 2)]);
        assert_eq!(huge.width(), None);
        assert_eq!(Column::family("x", [(0, usize::MAX), (0, 2), (0, 0)]).width(), Some(0));
    }

    #[test]
    fn the_checksum_tells_shapes_apart() {
        let of = |columns: &[Column]| Columns(columns.to_vec()).checksum();
        let different = [
            of(&[]),
            of(&[Column::scalar("x")]),
            of(&[Column::scalar("x"), Column::scalar("y")]),
            of(&[Column::scalar("y"), Column::scalar("x")]),
            of(&[Column::family("x", [(0, 2)])]),
            of(&[Column::family("x", [(1, 2)])]),
            of(&[Column::family("x", [(0, 1), (0, 2)])]),
        ];
        assert_eq!(different.iter().collect::<HashSet<_>>().len(), different.len());
    }
}
