//! A JSON object whose members keep their order.

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde::ser::{Serialize, Serializer};
use std::marker::PhantomData;

/// Names and values, in order.
#[derive(Clone, Debug, PartialEq)]
pub struct Map<T>(pub Vec<(String, T)>);

impl<T> Map<T> {
    /// Whether there is no member.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The value of a name.
    pub fn get(&self, name: &str) -> Option<&T> {
        self.0.iter().find(|(known, _)| known == name).map(|(_, value)| value)
    }

    /// The members, in order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &T)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value))
    }
}

impl<T> Default for Map<T> {
    fn default() -> Map<T> {
        Map(vec![])
    }
}

impl<T: Serialize> Serialize for Map<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(name, value)| (name, value)))
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Map<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Map<T>, D::Error> {
        struct Members<T>(PhantomData<T>);
        impl<'de, T: Deserialize<'de>> Visitor<'de> for Members<T> {
            type Value = Map<T>;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Map<T>, A::Error> {
                let mut list = vec![];
                while let Some(member) = members.next_entry()? {
                    list.push(member);
                }
                Ok(Map(list))
            }
        }
        deserializer.deserialize_map(Members(PhantomData))
    }
}

impl<T> FromIterator<(String, T)> for Map<T> {
    fn from_iter<I: IntoIterator<Item = (String, T)>>(members: I) -> Map<T> {
        Map(members.into_iter().collect())
    }
}

/// JSON has no number that is none: it is read back from null.
pub(crate) fn or_nan<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
    Ok(Option::deserialize(deserializer)?.unwrap_or(f64::NAN))
}

/// The same for every member.
pub(crate) fn all_or_nan<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Map<f64>, D::Error> {
    let members = Map::<Option<f64>>::deserialize(deserializer)?;
    Ok(members.0.into_iter().map(|(name, value)| (name, value.unwrap_or(f64::NAN))).collect())
}

/// The same for every entry of every array, if there are any.
pub(crate) fn arrays_or_nan<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Map<Vec<f64>>>, D::Error> {
    let arrays = Option::<Map<Vec<Option<f64>>>>::deserialize(deserializer)?;
    let whole = |list: Vec<Option<f64>>| list.into_iter().map(|x| x.unwrap_or(f64::NAN)).collect();
    Ok(arrays.map(|arrays| arrays.0.into_iter().map(|(name, list)| (name, whole(list))).collect()))
}
