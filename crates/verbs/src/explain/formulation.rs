//! The formulations in words and formulas.

use cotangent_theory::{Card, Formulation};
use serde::Serialize;

/// A formulation in words and formulas.
#[derive(Serialize)]
pub(crate) struct Text {
    pub(crate) name: &'static str,
    pub(crate) summary: &'static str,
    pub(crate) equations: &'static [&'static str],
    pub(crate) symbols: &'static str,
    pub(crate) derivation: &'static str,
    /// What is constant along every solution, also off the constraints.
    pub(crate) integrals: &'static str,
    pub(crate) methods: &'static str,
    pub(crate) reference: &'static str,
}

/// What there is to say about a formulation.
pub(crate) fn text(formulation: Formulation) -> Text {
    let Card { name, summary, equations, symbols, derivation, integrals, methods, reference, .. } = *formulation.card();
    Text { name, summary, equations, symbols, derivation, integrals, methods, reference }
}
