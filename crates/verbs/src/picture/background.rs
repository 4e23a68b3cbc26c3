//! What pictures and pages show besides the numbers of a document.

use super::movie::movie;
use super::{Film, figure};
use crate::input::Input;
use cotangent_model::System;
use cotangent_plot::{Figure, Movie};
use cotangent_problem::Equations;
use std::sync::Arc;

/// What pictures and pages show besides the numbers of a document. It is no part of JSON: a document that is read back
/// has text, and pages without plots and formulas of its own.
#[derive(Clone, Default)]
pub struct Background {
    /// The text of the model.
    pub(crate) input: Input,
    /// The equations of motion, for their formulas.
    pub(crate) equations: Option<Arc<Equations>>,
    /// The model as it is written.
    pub(crate) system: Option<Arc<System>>,
    /// The motion.
    pub(crate) film: Option<Arc<Film>>,
    /// What was said of all of it.
    pub(crate) remarks: Vec<String>,
}

impl Background {
    /// The motion, if it was kept.
    pub(crate) fn film(&self) -> Option<&Film> {
        self.film.as_deref()
    }

    /// The motion as a figure.
    pub(crate) fn figure(&self) -> Option<Figure> {
        self.film().map(figure)
    }

    /// The motion as a movie, if the model draws something.
    pub(crate) fn movie(&self) -> Option<Movie> {
        self.film().and_then(movie)
    }
}

impl std::fmt::Debug for Background {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Background").field("input", &self.input.name).finish_non_exhaustive()
    }
}
