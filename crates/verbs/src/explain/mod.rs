//! A method, a composition or a formulation, with its formulas.

mod formulation;

pub(crate) use formulation::text as formulation_text;

use crate::failure::{Code, Failure};
use crate::figures::{count, wrapped};
use crate::methods::{CardDocument, CompositionDocument, needs};
use anstyle::{AnsiColor, Style};
use cotangent_integrate::{Composition, Keeps, Method};
use cotangent_model::nearest::nearest;
use cotangent_theory::Formulation;
use formulation::Text;
use serde::{Serialize, Serializer};

/// A method, a composition or a formulation that is explained.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Explained {
    /// A method.
    Method(Method),
    /// A composition of the steps of a method.
    Composition(Composition),
    /// Equations of motion.
    Formulation(Formulation),
}

/// What has this name.
pub fn explain(name: &str) -> Result<Explained, Failure> {
    let found = Method::named(name).map(Explained::Method);
    let found = found.or_else(|| Composition::named(name).map(Explained::Composition));
    let found = found.or_else(|| Formulation::named(name).map(Explained::Formulation));
    found.ok_or_else(|| {
        let failure =
            Failure::new(Code::UnknownName, format!("there is no method, composition or formulation `{name}`"));
        let methods = Method::ALL.map(Method::name).into_iter().chain(Composition::ALL.map(Composition::name));
        let known = methods.chain(Formulation::ALL.map(Formulation::name));
        let list = "`cotangent methods` and `cotangent formulations` list them";
        failure.help(match nearest(name, known) {
            Some(near) => format!("did you mean `{near}`? {list}"),
            None => list.to_owned(),
        })
    })
}

impl Explained {
    /// As people read it.
    pub fn text(&self, coloured: bool) -> String {
        match *self {
            Explained::Method(method) => card_text(method, coloured),
            Explained::Composition(composition) => composition_text(composition, coloured),
            Explained::Formulation(formulation) => derivation(&formulation::text(formulation), coloured),
        }
    }
}

impl Serialize for Explained {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match *self {
            Explained::Method(method) => {
                Document { kind: "method", content: CardDocument::new(&method.card()) }.serialize(serializer)
            }
            Explained::Composition(composition) => {
                Document { kind: "composition", content: CompositionDocument::new(composition) }.serialize(serializer)
            }
            Explained::Formulation(formulation) => {
                Document { kind: "formulation", content: formulation::text(formulation) }.serialize(serializer)
            }
        }
    }
}

#[derive(Serialize)]
struct Document<T> {
    kind: &'static str,
    #[serde(flatten)]
    content: T,
}

/// Lines under labels.
struct Page {
    text: String,
    coloured: bool,
}

impl Page {
    fn new(name: &str, summary: &str, coloured: bool) -> Page {
        let bold = if coloured { Style::new().bold() } else { Style::new() };
        Page { text: format!("{bold}{name}{bold:#}: {summary}\n"), coloured }
    }

    fn formulas(&mut self, lines: &[&str]) {
        self.text.push('\n');
        lines.iter().for_each(|line| self.text += &format!("    {line}\n"));
        self.text.push('\n');
    }

    fn said(&mut self, label: &str, text: &str) {
        let cyan = if self.coloured { AnsiColor::Cyan.on_default() } else { Style::new() };
        for (k, line) in wrapped(text, 78).iter().enumerate() {
            let label = if k == 0 { label } else { "" };
            self.text += &format!("  {cyan}{label:12}{cyan:#}{line}\n");
        }
    }
}

fn card_text(method: Method, coloured: bool) -> String {
    let card = method.card();
    let mut page = Page::new(card.name, card.summary, coloured);
    page.formulas(card.scheme);
    page.said("solved", card.solution);
    page.said("explicit", card.explicit);
    let order = match method.stages() {
        Some(stages) => format!("{} with {}, the default; --stages S", card.order, count(stages, "stage", "stages")),
        None => card.order.to_string(),
    };
    page.said("order", &order);
    let keeps = card.keeps();
    let keeps = if keeps.is_empty() { "nothing but its order".to_owned() } else { keeps.join("; ") };
    page.said("keeps", &keeps);
    let on = match card.constraints {
        Keeps::ByEquations => format!("{}; constraints drift as those equations let them", needs(card.needs)),
        _ => needs(card.needs).to_owned(),
    };
    page.said("works on", &on);
    page.said("reference", card.reference);
    page.text
}

fn composition_text(c: Composition, coloured: bool) -> String {
    let summary = format!("a composition of order {} of the steps of a symmetric method", c.order());
    let mut page = Page::new(c.name(), &summary, coloured);
    page.formulas(&["Ψ_h = Φ_{γ_s h} ∘ … ∘ Φ_{γ₂ h} ∘ Φ_{γ₁ h},   γᵢ = γ_{s+1−i},   Σ γᵢ = 1"]);
    page.said("keeps", "what the step Φ keeps: symmetry, symplecticity, constraints, quadratic invariants");
    page.said("order", &format!("{}, if Φ is symmetric", c.order()));
    page.said("use", &format!("--compose {}", c.name()));
    page.said("reference", c.reference());
    page.text
}

fn derivation(text: &Text, coloured: bool) -> String {
    let mut page = Page::new(text.name, text.summary, coloured);
    page.formulas(text.equations);
    page.said("where", text.symbols);
    page.said("derivation", text.derivation);
    page.said("integrals", text.integrals);
    page.said("methods", text.methods);
    page.said("reference", text.reference);
    page.text
}
