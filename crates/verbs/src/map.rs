//! A JSON object whose members keep their order.

use serde::{Serialize, Serializer};

/// Names and values, in order.
pub(crate) struct Map<T>(pub(crate) Vec<(String, T)>);

impl<T: Serialize> Serialize for Map<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(name, value)| (name, value)))
    }
}

impl<T> Map<T> {
    /// Whether there is no member.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl<T> FromIterator<(String, T)> for Map<T> {
    fn from_iter<I: IntoIterator<Item = (String, T)>>(members: I) -> Map<T> {
        Map(members.into_iter().collect())
    }
}
