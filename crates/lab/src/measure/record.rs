//! What is kept of a run.

use super::error::MeasureError;
use std::collections::BTreeMap;

/// Runs by name.
pub type Records = BTreeMap<String, Record>;

/// What is kept of a run: the columns of its table, and numbers, which are columns of one row.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Record {
    columns: Vec<(String, Vec<f64>)>,
}

impl Record {
    /// A record of these columns, in order.
    pub fn new<S: Into<String>>(columns: impl IntoIterator<Item = (S, Vec<f64>)>) -> Record {
        Record { columns: columns.into_iter().map(|(name, values)| (name.into(), values)).collect() }
    }

    /// With a number.
    #[must_use]
    pub fn with(mut self, name: impl Into<String>, value: f64) -> Record {
        self.columns.push((name.into(), vec![value]));
        self
    }

    /// With another column.
    #[must_use]
    pub fn and(mut self, name: impl Into<String>, values: Vec<f64>) -> Record {
        self.columns.push((name.into(), values));
        self
    }

    /// A column, or all columns of a family, one behind the other, for `name[*]`.
    pub(super) fn get(&self, run: &str, name: &str) -> Result<Vec<f64>, MeasureError> {
        let family = name.strip_suffix("[*]");
        let is_meant = |column: &str| match family {
            Some(family) => column.strip_prefix(family).is_some_and(|rest| rest.starts_with('[')),
            None => column == name,
        };
        let found: Vec<&Vec<f64>> = self.columns.iter().filter(|(c, _)| is_meant(c)).map(|(_, v)| v).collect();
        if found.is_empty() {
            let known: Vec<&str> = self.columns.iter().map(|(c, _)| c.as_str()).collect();
            let (run, column) = (run.to_owned(), name.to_owned());
            return Err(MeasureError::UnknownColumn { run, column, known: known.join(", ") });
        }
        Ok(found.into_iter().flatten().copied().collect())
    }
}
