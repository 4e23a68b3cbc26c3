//! Where the results come from.

use crate::error::ReportError;
use crate::escape;

/// Where the results come from: whatever is `None` or empty is not shown.
///
/// The library looks at no clock and no machine: a caller who leaves out what changes from run
/// to run gets the same bytes every time.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Provenance {
    /// Version of the program.
    pub version: String,
    /// The command that makes the report again.
    pub command: String,
    /// Name or path of the model.
    pub model: String,
    /// Operating system and processor.
    pub platform: Option<String>,
    /// Seed of what is random.
    pub seed: Option<u64>,
    /// When the report was made, as the caller writes it.
    pub date: Option<String>,
    /// Further names and values.
    pub more: Vec<(String, String)>,
}

impl Provenance {
    pub(crate) fn title(&self) -> &str {
        "Provenance"
    }

    pub(crate) fn need(&self) -> usize {
        let more: usize = self.more.iter().map(|(name, value)| 40 + 2 * (name.len() + value.len())).sum();
        500 + 2 * (self.version.len() + self.command.len() + self.model.len()) + more
    }

    pub(crate) fn html(&self, _id: usize, budget: usize) -> Result<String, ReportError> {
        let entries = [
            ("Version", Some(self.version.clone()), false),
            ("Command", Some(self.command.clone()), true),
            ("Model", Some(self.model.clone()), false),
            ("Platform", self.platform.clone(), false),
            ("Seed", self.seed.map(|seed| seed.to_string()), false),
            ("Date", self.date.clone(), false),
        ];
        let more = self.more.iter().map(|(name, value)| (name.as_str(), Some(value.clone()), false));
        let mut html = String::new();
        for (name, value, code) in entries.into_iter().chain(more) {
            let Some(value) = value.filter(|value| !value.is_empty()) else { continue };
            let value = escape::text(&escape::clip(&value, 5000));
            let value = if code { format!("<code>{value}</code>") } else { value };
            let entry = format!("<div><dt>{}</dt><dd>{value}</dd></div>", escape::short(name));
            if html.len() + entry.len() > budget {
                html.push_str("<div><dt>…</dt><dd>further entries are left out to keep the report small</dd></div>");
                break;
            }
            html.push_str(&entry);
        }
        Ok(format!("<dl class=\"provenance\">{html}</dl>"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_absent_is_not_shown() {
        let html = Provenance { command: "cotangent run '<x>'".into(), ..Provenance::default() }.html(0, 1000).unwrap();
        assert!(html.contains("<code>cotangent run &#39;&lt;x&gt;&#39;</code>"), "{html}");
        assert!(!html.contains("Date") && !html.contains("Version"), "{html}");
    }
}
