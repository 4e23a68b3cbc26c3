//! The methods and what each one keeps.

mod card;

pub(crate) use card::{CardDocument, needs};

use crate::figures::count;
use anstyle::Style;
use cotangent_integrate::{Card, Composition, Method};
use serde::Serialize;

/// Every method with what it keeps, and every composition.
#[derive(Serialize)]
pub struct Methods {
    methods: Vec<CardDocument>,
    compositions: Vec<CompositionDocument>,
}

/// A composition of steps.
#[derive(Serialize)]
pub(crate) struct CompositionDocument {
    name: &'static str,
    order: u32,
    reference: &'static str,
}

impl CompositionDocument {
    pub(crate) fn new(c: Composition) -> CompositionDocument {
        CompositionDocument { name: c.name(), order: c.order(), reference: c.reference() }
    }
}

/// All methods and compositions.
pub fn methods() -> Methods {
    Methods {
        methods: Method::ALL.map(|m| CardDocument::new(&m.card())).into(),
        compositions: Composition::ALL.map(CompositionDocument::new).into(),
    }
}

impl Methods {
    /// As people read it: a table.
    pub fn text(&self, coloured: bool) -> String {
        let cards = Method::ALL.map(Method::card);
        let mut rows = vec![["method", "order", "symplectic", "symmetric", "constraints"].map(str::to_owned)];
        rows.extend(Method::ALL.map(row));
        let width = |k: usize| rows.iter().map(|r| r[k].chars().count()).max().unwrap_or(0);
        let widths: Vec<usize> = (0..5).map(width).collect();
        let bold = if coloured { Style::new().bold() } else { Style::new() };
        let mut text = String::new();
        for (k, row) in rows.iter().enumerate() {
            let cells: Vec<String> = row.iter().zip(&widths).map(|(cell, w)| format!("{cell:w$}", w = *w)).collect();
            let line = cells.join("  ");
            let (name, rest) = line.split_at(widths[0]);
            text += format!("{bold}{name}{bold:#}{rest}").trim_end();
            text.push('\n');
            if let Some(card) = k.checked_sub(1).and_then(|k| cards.get(k)) {
                let (summary, needs, explicit) = (card.summary, needs(card.needs), card.explicit);
                text += &format!("    {summary}\n    works on {needs}; explicit: {explicit}\n");
            }
        }
        text += "\ncompositions of a symmetric method (--compose NAME)\n";
        for c in Composition::ALL {
            text += &format!("{bold}{:w$}{bold:#}  order {}\n", c.name(), c.order(), w = widths[0]);
        }
        text
    }
}

fn row(method: Method) -> [String; 5] {
    let card = method.card();
    let yes = |is: bool| if is { "yes" } else { "no" }.to_owned();
    let order = match method.stages() {
        Some(stages) => format!("{} ({})", card.order, count(stages, "stage", "stages")),
        None => card.order.to_string(),
    };
    [card.name.to_owned(), order, yes(card.symplectic), yes(card.symmetric), kept(&card)]
}

/// Constraints and hidden constraints in a word.
fn kept(card: &Card) -> String {
    use cotangent_integrate::Keeps::{ByEquations, No, Yes};
    match (card.constraints, card.hidden_constraints) {
        (Yes, Yes) => "kept, hidden ones too",
        (Yes, _) => "kept, hidden ones not",
        (No, Yes) => "not kept, hidden ones are",
        (ByEquations, _) => "as the equations do",
        (No, _) => "refused",
    }
    .to_owned()
}
