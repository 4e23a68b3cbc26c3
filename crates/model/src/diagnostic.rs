//! Errors that point at characters of the model text.
//!
//! Every check of the language, syntactic or semantic, pushes [`Diagnostic`]s into one
//! [`Diagnostics`]; the user sees all of them at once. A message says what is wrong, the help says
//! what to write instead.

mod code;
mod position;
mod render;

use std::fmt;
use std::ops::Range;

pub use code::Code;
pub use position::{Lines, Position, position_of};

use crate::limits::MAX_STORED_DIAGNOSTICS;

/// A range of bytes of the source text.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Span {
    /// Offset of the first byte.
    pub start: usize,
    /// Offset after the last byte.
    pub end: usize,
}

impl Span {
    /// The bytes from `start` up to, not including, `end`.
    pub fn new(start: usize, end: usize) -> Self {
        Span { start, end }
    }

    /// The smallest span that covers both.
    #[must_use]
    pub fn to(self, other: Span) -> Span {
        Span::new(self.start.min(other.start), self.end.max(other.end))
    }

    /// The empty span just after this one.
    #[must_use]
    pub fn after(self) -> Span {
        Span::new(self.end, self.end)
    }

    /// The text the span covers; empty if the span does not fit the source.
    pub fn text(self, source: &str) -> &str {
        source.get(self.start..self.end).unwrap_or("")
    }

    /// The span as a range of bytes.
    pub fn range(self) -> Range<usize> {
        self.start..self.end
    }
}

impl fmt::Debug for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}..{}", self.start, self.end)
    }
}

/// One thing that is wrong with a model text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// What kind of mistake it is: stable, for programs.
    pub code: Code,
    /// What is wrong, in one sentence without a final full stop.
    pub message: String,
    /// The characters at fault.
    pub span: Span,
    /// Captions. One with the span of the diagnostic captions the culprit itself, the others point
    /// at places that explain it.
    pub labels: Vec<(Span, String)>,
    /// What to write instead.
    pub help: Option<String>,
}

impl Diagnostic {
    /// A diagnostic without captions or help.
    pub fn new(code: Code, span: Span, message: impl Into<String>) -> Self {
        Diagnostic { code, message: message.into(), span, labels: Vec::new(), help: None }
    }

    /// Captions the culprit itself.
    #[must_use]
    pub fn caption(self, text: impl Into<String>) -> Self {
        let span = self.span;
        self.label(span, text)
    }

    /// Points at another place.
    #[must_use]
    pub fn label(mut self, span: Span, text: impl Into<String>) -> Self {
        self.labels.push((span, text.into()));
        self
    }

    /// Says what to write instead.
    #[must_use]
    pub fn help(mut self, text: impl Into<String>) -> Self {
        self.help = Some(text.into());
        self
    }

    /// Line and column of the culprit, both from 1.
    pub fn position(&self, source: &str) -> Position {
        position_of(source, self.span.start)
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "[{}] {}", self.code, self.message)?;
        match &self.help {
            Some(help) => write!(f, " ({help})"),
            None => Ok(()),
        }
    }
}

/// Whether rendered diagnostics carry terminal colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Colour {
    /// Plain text.
    Never,
    /// ANSI escape sequences.
    Always,
}

/// All that is wrong with a model text, in the order of the text.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Diagnostics {
    list: Vec<Diagnostic>,
    /// Those beyond the limit: counted, not stored.
    omitted: usize,
}

impl Diagnostics {
    /// None yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds one. Beyond a limit they are only counted.
    pub fn push(&mut self, diagnostic: Diagnostic) {
        if self.list.len() < MAX_STORED_DIAGNOSTICS {
            self.list.push(diagnostic);
        } else {
            self.omitted += 1;
        }
    }

    /// Adds all of another collection.
    pub fn append(&mut self, other: Diagnostics) {
        for diagnostic in other.list {
            self.push(diagnostic);
        }
        self.omitted += other.omitted;
    }

    /// Sorts by place in the text; two errors at one place stay in the order they were found.
    pub fn sort(&mut self) {
        self.list.sort_by_key(|d| d.span);
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// How many there are, counting those that were not stored.
    pub fn count(&self) -> usize {
        self.list.len() + self.omitted
    }

    /// The stored ones.
    pub fn iter(&self) -> std::slice::Iter<'_, Diagnostic> {
        self.list.iter()
    }

    /// Turns a value into an error if anything is wrong.
    pub fn into_result<T>(self, value: T) -> Result<T, Diagnostics> {
        if self.is_empty() { Ok(value) } else { Err(self) }
    }
}

impl From<Diagnostic> for Diagnostics {
    fn from(diagnostic: Diagnostic) -> Self {
        Diagnostics { list: vec![diagnostic], omitted: 0 }
    }
}

impl<'a> IntoIterator for &'a Diagnostics {
    type Item = &'a Diagnostic;
    type IntoIter = std::slice::Iter<'a, Diagnostic>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

/// One line each, without the source text; see [`Diagnostics::render`] for people.
impl fmt::Display for Diagnostics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, diagnostic) in self.list.iter().enumerate() {
            if i > 0 {
                writeln!(f)?;
            }
            write!(f, "{diagnostic}")?;
        }
        if self.omitted > 0 {
            write!(f, "\nand {} more", self.omitted)?;
        }
        Ok(())
    }
}

impl std::error::Error for Diagnostics {}
