//! Whom a verb tells what it does, and who may stop it.

use crate::failure::Problem;
use crate::input::Input;
use cotangent_model::diagnostic::{Diagnostic, Lines};
use cotangent_scalar::Limits;

/// How a verb ended, if it was not refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// Done, and what was checked holds.
    Held,
    /// Done, but a check did not hold.
    NotHeld,
    /// Done, but a file that was asked for could not be written.
    Unwritten,
    /// Stopped early; what was computed is kept.
    Stopped,
}

/// What a verb says before it has a result.
#[derive(Clone, Copy, Debug)]
pub enum Message<'a> {
    /// Something to know.
    Note(&'a str),
    /// Something that may be wrong.
    Warning(&'a str),
    /// What is not wrong in the text of a model, but worth saying.
    Text(&'a Input, &'a [Diagnostic]),
}

/// How far a verb has come.
#[derive(Clone, Copy, Debug)]
pub struct Progress<'a> {
    /// What is being computed; empty for a run.
    pub what: &'a str,
    /// Steps that are made.
    pub done: u64,
    /// Of so many; 0 where steps are not counted.
    pub total: u64,
    /// The time reached.
    pub time: f64,
}

/// Whom a verb tells what it does. Whoever implements none of these hears nothing.
pub trait Listener {
    /// Something is said.
    fn hear(&mut self, message: Message<'_>) {
        let _ = message;
    }

    /// A long computation goes on.
    fn progress(&mut self, progress: Progress<'_>) {
        let _ = progress;
    }

    /// From now on there is something to keep: rows that are done, files that are open.
    fn keep(&mut self) {}

    /// There is nothing to keep any more that is not safe: who leaves now is told this, and where to find it.
    fn kept(&mut self, told: &str) {
        let _ = told;
    }
}

/// Nobody listens.
pub(crate) struct Nobody;

impl Listener for Nobody {}

/// A verb at work: who listens, how far it may go, and what it has said.
pub struct Session<'a> {
    listener: Box<dyn Listener + 'a>,
    limits: Limits,
    memory: Option<u64>,
    notes: Vec<String>,
    warnings: Vec<Problem>,
}

impl Default for Session<'_> {
    /// Nobody listens, nobody stops it, and the clock is that of the machine, where it is an ordinary one.
    fn default() -> Self {
        #[cfg(not(target_family = "wasm"))]
        let limits = Limits::default().timed(cotangent_host::clock());
        #[cfg(target_family = "wasm")]
        let limits = Limits::default();
        Session::new(Nobody, limits)
    }
}

impl<'a> Session<'a> {
    /// A session with somebody who listens, within limits of time and patience.
    pub fn new(listener: impl Listener + 'a, limits: Limits) -> Session<'a> {
        Session { listener: Box::new(listener), limits, memory: None, notes: vec![], warnings: vec![] }
    }

    /// With at most so many bytes of memory, where that is known: what needs more is refused before it is tried.
    pub fn with_memory(mut self, bytes: Option<u64>) -> Session<'a> {
        self.memory = bytes;
        self
    }

    /// With something that is to be known from the start; it is part of the document, too.
    pub fn saying(mut self, text: impl Into<String>) -> Session<'a> {
        self.note(text);
        self
    }

    /// How far a verb may go.
    pub(crate) fn limits(&self) -> &Limits {
        &self.limits
    }

    /// The memory that can be had, in bytes, if that is known.
    pub(crate) fn memory(&self) -> Option<u64> {
        self.memory
    }

    /// Says something before a long computation, at once; it is part of the document, too.
    pub(crate) fn note(&mut self, text: impl Into<String>) {
        let text = text.into();
        self.listener.hear(Message::Note(&text));
        self.notes.push(text);
    }

    /// The same for what may be wrong.
    pub(crate) fn warn(&mut self, text: impl Into<String>) {
        let text = text.into();
        self.listener.hear(Message::Warning(&text));
        self.notes.push(text);
    }

    /// What there is to say about the text of a model.
    pub(crate) fn review(&mut self, input: &Input, warnings: &[Diagnostic]) {
        if !warnings.is_empty() {
            self.listener.hear(Message::Text(input, warnings));
        }
        let lines = Lines::new(&input.source);
        self.warnings = warnings.iter().map(|d| Problem::new(d, &input.name, &lines)).collect();
    }

    /// What there was to say about the text of the model.
    pub(crate) fn warnings(&self) -> &[Problem] {
        &self.warnings
    }

    /// Notes of an earlier part of the same computation, which are not said again.
    pub(crate) fn recall(&mut self, notes: &[String]) {
        let new = std::mem::take(&mut self.notes).into_iter().filter(|note| !notes.contains(note));
        self.notes = notes.iter().cloned().chain(new).collect();
    }

    /// Everything noted so far.
    pub(crate) fn notes(&self) -> &[String] {
        &self.notes
    }

    /// How far it is.
    pub(crate) fn progress(&mut self, progress: Progress<'_>) {
        self.listener.progress(progress);
    }

    /// From now on there is something to keep.
    pub(crate) fn keep(&mut self) {
        self.listener.keep();
    }

    /// What there was to keep is safe; who leaves now is told this.
    pub(crate) fn kept(&mut self, told: &str) {
        self.listener.kept(told);
    }
}
