//! What a table says besides its numbers.

/// A text of a table, or a list of texts.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Text {
    /// One.
    One(String),
    /// Several.
    List(Vec<String>),
}
