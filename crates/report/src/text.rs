//! Prose.

use crate::error::ReportError;
use crate::escape;

/// Prose: paragraphs between blank lines, lists of lines that begin with `- `, and `code`
/// between backticks.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Text {
    /// Heading; none if empty.
    pub title: String,
    /// The paragraphs.
    pub body: String,
}

impl Text {
    /// Prose under a heading (none if empty).
    pub fn new(title: impl Into<String>, body: impl Into<String>) -> Self {
        Text { title: title.into(), body: body.into() }
    }

    pub(crate) fn title(&self) -> &str {
        &self.title
    }

    pub(crate) fn need(&self) -> usize {
        self.body.len().saturating_mul(2)
    }

    pub(crate) fn html(&self, _id: usize, budget: usize) -> Result<String, ReportError> {
        let mut out = String::new();
        let body = self.body.replace("\r\n", "\n");
        for paragraph in body.split("\n\n").filter(|p| !p.trim().is_empty()) {
            let html = if paragraph.trim_start().starts_with("- ") { list(paragraph) } else { prose(paragraph) };
            if out.len() + html.len() > budget {
                out.push_str("<p class=\"note\">The rest of this text is left out to keep the report small.</p>");
                break;
            }
            out.push_str(&html);
        }
        Ok(out)
    }
}

fn prose(paragraph: &str) -> String {
    format!("<p>{}</p>", inline(paragraph))
}

fn list(paragraph: &str) -> String {
    let mut items: Vec<String> = Vec::new();
    for line in paragraph.lines() {
        match (line.trim_start().strip_prefix("- "), items.last_mut()) {
            (Some(item), _) => items.push(item.to_owned()),
            (None, Some(last)) => last.extend([" ", line.trim()]),
            (None, None) => {}
        }
    }
    let items: String = items.iter().map(|item| format!("<li>{}</li>", inline(item))).collect();
    format!("<ul>{items}</ul>")
}

/// Escaped text in which what is between two backticks is code.
fn inline(raw: &str) -> String {
    let mut out = String::new();
    let mut rest = raw;
    while let Some((before, code, after)) = rest
        .split_once('`')
        .and_then(|(before, after)| after.split_once('`').map(|(code, after)| (before, code, after)))
    {
        out.push_str(&format!("{}<code>{}</code>", escape::text(before), escape::text(code)));
        rest = after;
    }
    out.push_str(&escape::text(rest));
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paragraphs_lists_and_code_are_told_apart() {
        let html = Text::new("", "a `b<` c\n\n- one\n  more\n- two\n\nodd ` tick").html(0, 1000).unwrap();
        assert_eq!(html, "<p>a <code>b&lt;</code> c</p><ul><li>one more</li><li>two</li></ul><p>odd ` tick</p>");
    }
}
