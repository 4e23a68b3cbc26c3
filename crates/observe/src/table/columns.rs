//! The columns of a table: names and shapes.

use super::TableError;
use cotangent_dynamics::Family;
use std::collections::HashSet;

/// The columns of a table, in order.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Columns(pub Vec<Family>);

impl Columns {
    /// How many numbers a row has; `None` if that is beyond counting.
    pub fn width(&self) -> Option<usize> {
        self.0.iter().try_fold(0, |width: usize, column| width.checked_add(column.width()?))
    }

    /// The names of all numbers of a row, in order.
    pub fn members(&self) -> impl Iterator<Item = String> + '_ {
        self.0.iter().flat_map(Family::members)
    }

    /// Refuses what cannot be told apart when it is read back, or cannot be a row at all.
    pub(super) fn check(&self) -> Result<usize, TableError> {
        let mut names = HashSet::with_capacity(self.0.len());
        for Family { name, .. } in &self.0 {
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
        for Family { name, dims, listed } in &self.0 {
            hasher.update(&(name.len() as u64).to_le_bytes());
            hasher.update(name.as_bytes());
            hasher.update(&(dims.len() as u64).to_le_bytes());
            for &(first, len) in dims {
                hasher.update(&first.to_le_bytes());
                hasher.update(&(len as u64).to_le_bytes());
            }
            for index in listed.iter().flatten().flatten() {
                hasher.update(&index.to_le_bytes());
            }
        }
        hasher.finalize()
    }
}

impl FromIterator<Family> for Columns {
    fn from_iter<I: IntoIterator<Item = Family>>(columns: I) -> Self {
        Columns(columns.into_iter().collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_are_named_by_their_indices_and_the_last_index_runs_fastest() {
        let columns = Columns(vec![
            Family::scalar("t"),
            Family::indexed("x", [(3, 2)]),
            Family::indexed("u", [(-1, 2), (5, 2)]),
            Family::indexed("none", [(1, 4), (1, 0)]),
        ]);
        let names: Vec<String> = columns.members().collect();
        assert_eq!(names, ["t", "x[3]", "x[4]", "u[-1; 5]", "u[-1; 6]", "u[0; 5]", "u[0; 6]"]);
        assert_eq!(columns.width(), Some(7));
    }

    #[test]
    fn the_checksum_tells_shapes_apart() {
        let of = |columns: &[Family]| Columns(columns.to_vec()).checksum();
        let different = [
            of(&[]),
            of(&[Family::scalar("x")]),
            of(&[Family::scalar("x"), Family::scalar("y")]),
            of(&[Family::scalar("y"), Family::scalar("x")]),
            of(&[Family::indexed("x", [(0, 2)])]),
            of(&[Family::indexed("x", [(1, 2)])]),
            of(&[Family::indexed("x", [(0, 1), (0, 2)])]),
            of(&[Family::indexed("x", [(1, 1)])]),
            of(&[Family::listed("x", vec![vec![2, 1]])]),
        ];
        assert_eq!(different.iter().collect::<HashSet<_>>().len(), different.len());
    }
}
