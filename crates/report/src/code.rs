//! Listings.

use crate::digits::count;
use crate::error::ReportError;
use crate::escape;

/// A listing with line numbers, such as the text of the model.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Code {
    /// Heading; none if empty.
    pub title: String,
    /// The text, shown as it is.
    pub text: String,
    /// The language, named in the label of the listing.
    pub language: String,
    /// What begins a comment that runs to the end of its line; none if empty.
    pub comment: String,
}

impl Code {
    /// A listing in a language whose comments begin with `#`.
    pub fn new(title: impl Into<String>, text: impl Into<String>, language: impl Into<String>) -> Self {
        Code { title: title.into(), text: text.into(), language: language.into(), comment: "#".into() }
    }

    pub(crate) fn title(&self) -> &str {
        &self.title
    }

    pub(crate) fn need(&self) -> usize {
        self.text.len().saturating_mul(2).saturating_add(self.text.lines().count().saturating_mul(60))
    }

    pub(crate) fn html(&self, _id: usize, budget: usize) -> Result<String, ReportError> {
        let mut lines = String::new();
        let mut note = String::new();
        let total = self.text.lines().count();
        for (k, line) in self.text.lines().enumerate() {
            let html = format!("<span class=\"line\">{}\n</span>", self.line(line));
            if lines.len() + html.len() > budget {
                note = format!(
                    "<p class=\"note\">The last {} of {} lines are left out to keep the report small.</p>",
                    count(total - k),
                    count(total)
                );
                break;
            }
            lines.push_str(&html);
        }
        let label = if self.language.is_empty() { "Listing".into() } else { format!("Listing in {}", self.language) };
        Ok(format!(
            "<pre class=\"code\" tabindex=\"0\" role=\"region\" aria-label=\"{}\"><code>{lines}</code></pre>{note}",
            escape::short(&label)
        ))
    }

    fn line(&self, line: &str) -> String {
        let start = if self.comment.is_empty() { None } else { line.find(&self.comment) };
        match start {
            None => escape::text(line),
            Some(start) => {
                let (code, comment) = line.split_at(start);
                format!("{}<span class=\"comment\">{}</span>", escape::text(code), escape::text(comment))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_listing_cannot_leave_its_element() {
        let html = Code::new("", "a </code></pre><script>\nb # </span>", "\"cot").html(0, 10_000).unwrap();
        assert!(html.contains("a &lt;/code&gt;&lt;/pre&gt;&lt;script&gt;"), "{html}");
        assert!(html.contains("b <span class=\"comment\"># &lt;/span&gt;</span>"), "{html}");
        assert!(html.contains("Listing in &quot;cot"), "{html}");
    }

    #[test]
    fn a_long_listing_says_how_much_is_missing() {
        let html = Code::new("", "x\n".repeat(10_000), "cot").html(0, 30_000).unwrap();
        assert!(html.len() < 31_000 && html.contains("of 10\u{202f}000 lines are left out"), "{}", html.len());
    }
}
