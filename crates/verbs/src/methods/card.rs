//! The card of a method as JSON, and its words.

use cotangent_integrate::{Card, Keeps, Needs};
use serde::Serialize;

/// Everything a card says.
#[derive(Serialize)]
pub(crate) struct CardDocument {
    name: &'static str,
    summary: &'static str,
    order: u32,
    symplectic: bool,
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
            symmetric: card.symmetric,
            constraints: keeps(card.constraints),
            hidden_constraints: keeps(card.hidden_constraints),
            quadratic_invariants: card.quadratic_invariants,
            energy: card.energy,
            needs: match card.needs {
                Needs::Unconstrained => "unconstrained",
                Needs::Canonical => "canonical",
                Needs::Field => "field",
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
        Needs::Any => "q, p with constraints, and any formulation without unknown multipliers",
    }
}
