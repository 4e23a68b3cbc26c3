//! The card of a method as JSON, and its words.

use cotangent_integrate::{Card, Keeps, KeepsBracket, Needs};
use serde::Serialize;

/// Everything a card says.
#[derive(Serialize)]
pub(crate) struct CardDocument {
    name: &'static str,
    summary: &'static str,
    order: u32,
    symplectic: bool,
    /// Which brackets it preserves.
    bracket: &'static str,
    symmetric: bool,
    constraints: &'static str,
    hidden_constraints: &'static str,
    quadratic_invariants: bool,
    energy: bool,
    needs: &'static str,
    explicit: &'static str,
    scheme: &'static [&'static str],
    solution: &'static str,
    reference: &'static str,
}

impl CardDocument {
    pub(crate) fn new(card: &Card) -> CardDocument {
        CardDocument {
            name: card.name,
            summary: card.summary,
            order: card.order,
            symplectic: card.symplectic,
            bracket: match card.bracket {
                KeepsBracket::No => "no",
                KeepsBracket::Constant => "constant",
                KeepsBracket::Any => "any",
            },
            symmetric: card.symmetric,
            constraints: keeps(card.constraints),
            hidden_constraints: keeps(card.hidden_constraints),
            quadratic_invariants: card.quadratic_invariants,
            energy: card.energy,
            needs: match card.needs {
                Needs::Unconstrained => "unconstrained",
                Needs::Canonical => "canonical",
                Needs::Field => "field",
                Needs::Split => "split",
                Needs::Linear => "linear-bracket",
                Needs::Spheres => "spheres",
                Needs::Matrices => "matrices",
                Needs::Any => "any",
            },
            explicit: card.explicit,
            scheme: card.scheme,
            solution: card.solution,
            reference: card.reference,
        }
    }
}

/// Whether something is kept, in a word.
fn keeps(keeps: Keeps) -> &'static str {
    match keeps {
        Keeps::Yes => "yes",
        Keeps::No => "no",
        Keeps::ByEquations => "by-equations",
    }
}

/// What a method works on, in words.
pub(crate) fn needs(needs: Needs) -> &'static str {
    match needs {
        Needs::Unconstrained => "q, p without constraints",
        Needs::Canonical => "q, p with or without constraints",
        Needs::Field => "any formulation without unknown multipliers",
        Needs::Split => "an energy with a bracket, or q, p, without constraints, whose parts have known flows",
        Needs::Linear => "a bracket that is linear in the variables, without constraints",
        Needs::Spheres => "variables in triples with the bracket of so(3), without constraints",
        Needs::Matrices => "variables that are the entries of matrices of Lie algebras, without constraints",
        Needs::Any => "q, p with constraints, and any formulation without unknown multipliers",
    }
}
