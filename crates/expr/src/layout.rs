//! Several arrays laid end to end as one vector.

use crate::array::Array;
use crate::digest::{Digest, Hasher};
use crate::error::Error;
use crate::index::{Dim, Ix};
use std::collections::HashMap;
use std::sync::Arc;

/// Arrays laid end to end: the meaning of the entries of a state vector, a gradient, a row.
#[derive(Clone, Default)]
pub struct Layout(Arc<Inner>);

#[derive(Default)]
struct Inner {
    arrays: Vec<Array>,
    /// The position of each array's first element.
    starts: HashMap<Digest, usize>,
    len: usize,
}

impl Layout {
    /// These arrays, in this order.
    pub fn new(arrays: Vec<Array>) -> Layout {
        let mut starts = HashMap::with_capacity(arrays.len());
        let mut len = 0;
        for a in &arrays {
            starts.entry(a.digest()).or_insert(len);
            len += a.len();
        }
        Layout(Arc::new(Inner { arrays, starts, len }))
    }

    /// The arrays.
    pub fn arrays(&self) -> &[Array] {
        &self.0.arrays
    }

    /// The number of entries.
    pub fn len(&self) -> usize {
        self.0.len
    }

    /// Whether there is no entry.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The position of an array's first element.
    pub fn offset(&self, array: &Array) -> Option<usize> {
        self.0.starts.get(&array.digest()).copied()
    }

    /// The array with this name.
    pub fn find(&self, name: &str) -> Option<&Array> {
        self.arrays().iter().find(|a| a.name() == name)
    }

    /// The position of an element given by array name and index.
    pub fn position(&self, name: &str, index: &[i64]) -> Option<usize> {
        let array = self.find(name)?;
        Some(self.offset(array)? + array.position(index)?)
    }

    /// The name of the entry at a position: `x`, `x[3]`.
    pub fn entry_name(&self, mut position: usize) -> String {
        for a in self.arrays() {
            if position < a.len() {
                return a.element_name(&a.multi_index(position));
            }
            position -= a.len();
        }
        format!("#{position}")
    }

    /// The names of all entries, in order.
    pub fn entry_names(&self) -> Vec<String> {
        self.arrays().iter().flat_map(|a| (0..a.len()).map(|k| a.element_name(&a.multi_index(k)))).collect()
    }

    /// The flat position, from 0, of an element as an index expression; fails for an array that is
    /// not part of this layout.
    pub fn flat_index(&self, array: &Array, index: &[Ix]) -> Result<Ix, Error> {
        let start = self.offset(array).ok_or_else(|| Error::Foreign { array: array.name().into() })?;
        Ok(array.flat_index(index).shifted(start as i64))
    }

    /// The dimensions as one vector: those of a single array, else `0..len`.
    pub(crate) fn flat_dims(&self) -> Vec<Dim> {
        match self.arrays() {
            [one] => one.dims().to_vec(),
            _ => vec![Dim { first: 0, len: self.len() }],
        }
    }

    /// This layout followed by another.
    pub fn then(&self, other: &Layout) -> Layout {
        Layout::new(self.arrays().iter().chain(other.arrays()).cloned().collect())
    }

    pub(crate) fn digest(&self) -> Digest {
        self.arrays().iter().fold(Hasher::new(0x6c), |h, a| h.digest(a.digest())).finish()
    }
}

impl PartialEq for Layout {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0) || self.arrays() == other.arrays()
    }
}
impl Eq for Layout {}

impl std::fmt::Debug for Layout {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.arrays()).finish()
    }
}
