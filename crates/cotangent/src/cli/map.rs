//! A JSON object whose members keep their order.

use serde::{Serialize, Serializer};

/// Names and values, in order.
pub(crate) struct Map<T>(pub(crate) Vec<(String, T)>);

impl<T: Serialize> Serialize for Map<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(name, value)| (name, value)))
    }
}
