//! Formulas, such as the steps of a derivation.

use crate::digits::count;
use crate::error::ReportError;
use crate::{escape, mathml};

/// Formulas with their labels.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Formulas {
    /// Heading; none if empty.
    pub title: String,
    /// What is said before the first formula; nothing if empty.
    pub introduction: String,
    /// The formulas in order.
    pub items: Vec<Formula>,
}

/// A formula with its label.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Formula {
    /// Words beside the formula.
    pub label: String,
    /// The formula in LaTeX, mathematics mode. What cannot be converted is shown as it is.
    pub latex: String,
}

impl Formulas {
    /// No formulas yet, under a heading (none if empty).
    pub fn new(title: impl Into<String>) -> Self {
        Formulas { title: title.into(), ..Formulas::default() }
    }

    /// With one more formula.
    #[must_use]
    pub fn with(mut self, label: impl Into<String>, latex: impl Into<String>) -> Self {
        self.items.push(Formula { label: label.into(), latex: latex.into() });
        self
    }

    pub(crate) fn title(&self) -> &str {
        &self.title
    }

    pub(crate) fn need(&self) -> usize {
        self.items.iter().map(|item| 100 + 2 * item.label.len() + 25 * item.latex.len()).sum()
    }

    pub(crate) fn html(&self, _id: usize, budget: usize) -> Result<String, ReportError> {
        let mut items = String::new();
        let mut note = String::new();
        for (k, Formula { label, latex }) in self.items.iter().enumerate() {
            let html = format!(
                "<div class=\"formula\"><dt>{}</dt><dd tabindex=\"0\">{}</dd></div>",
                escape::text(label),
                mathml::block(latex)
            );
            if items.len() + html.len() > budget {
                note = format!(
                    "<p class=\"note\">The last {} of {} formulas are left out to keep the report small.</p>",
                    count(self.items.len() - k),
                    count(self.items.len())
                );
                break;
            }
            items.push_str(&html);
        }
        let introduction = match self.introduction.as_str() {
            "" => String::new(),
            text => format!("<p>{}</p>", escape::text(&escape::clip(text, 5000))),
        };
        Ok(format!("{introduction}<dl class=\"formulas\">{items}</dl>{note}"))
    }
}
