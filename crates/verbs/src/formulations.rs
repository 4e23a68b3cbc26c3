//! The formulations: equivalent equations of motion.

use crate::explain::formulation_text;
use anstyle::Style;
use cotangent_theory::Formulation;
use serde::Serialize;

/// Every formulation.
#[derive(Serialize)]
pub struct Formulations {
    formulations: Vec<Entry>,
}

#[derive(Serialize)]
struct Entry {
    name: &'static str,
    summary: &'static str,
    equations: &'static [&'static str],
    integrals: &'static str,
    reference: &'static str,
}

/// All formulations.
pub fn formulations() -> Formulations {
    let entry = |f: Formulation| {
        let text = formulation_text(f);
        let (equations, integrals, reference) = (text.equations, text.integrals, text.reference);
        Entry { name: f.name(), summary: f.card().summary, equations, integrals, reference }
    };
    Formulations { formulations: Formulation::ALL.map(entry).into() }
}

impl Formulations {
    /// As people read it.
    pub fn text(&self, coloured: bool) -> String {
        let width = self.formulations.iter().map(|f| f.name.len()).max().unwrap_or(0);
        let bold = if coloured { Style::new().bold() } else { Style::new() };
        let mut text = String::new();
        for f in &self.formulations {
            text += &format!("{bold}{:width$}{bold:#}  {}\n", f.name, f.summary);
            for line in f.equations {
                text += &format!("{:width$}  {line}\n", "");
            }
            text += &format!("{:width$}  integrals: {}\n", "", f.integrals);
        }
        text
    }
}
