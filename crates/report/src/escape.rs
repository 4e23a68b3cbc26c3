//! Text made safe for the places of a page it is put into.

/// Text for the content of an element or a quoted attribute.
///
/// The five characters with a meaning in HTML become references; control characters, which HTML
/// does not allow, and those that turn text around become the replacement character.
pub(crate) fn text(raw: &str) -> String {
    let mut out = String::with_capacity(raw.len() + raw.len() / 16);
    for c in raw.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            '\n' | '\t' => out.push(c),
            '\r' => {}
            c if c.is_control() || turns(c) => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}

/// Whether the character changes the direction of what follows, so that a text would read otherwise
/// than it is.
fn turns(c: char) -> bool {
    matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// JSON for a data block: no `<`, so that nothing in a string can end the block.
pub(crate) fn json(value: &serde_json::Value) -> String {
    let plain: String = value.to_string().chars().map(|c| if turns(c) { '\u{fffd}' } else { c }).collect();
    plain.replace('<', "\\u003c").replace('\u{2028}', "\\u2028").replace('\u{2029}', "\\u2029")
}

/// The text if it has at most `limit` characters, otherwise its beginning and an ellipsis.
pub(crate) fn clip(raw: &str, limit: usize) -> String {
    match raw.char_indices().nth(limit) {
        None => raw.to_owned(),
        Some((end, _)) => format!("{}…", &raw[..end]),
    }
}

/// A short text, such as a title or a name, clipped and escaped.
pub(crate) fn short(raw: &str) -> String {
    text(&clip(raw, SHORT))
}

/// The longest title, name or label that is shown in full.
pub(crate) const SHORT: usize = 300;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_with_a_meaning_in_html_is_left() {
        assert_eq!(text("</script>\"'&\u{0}x\r\n"), "&lt;/script&gt;&quot;&#39;&amp;\u{fffd}x\n");
    }

    #[test]
    fn text_cannot_be_turned_around() {
        assert_eq!(text("a\u{202e}b\u{2066}c"), "a\u{fffd}b\u{fffd}c");
        assert_eq!(json(&serde_json::json!("a\u{202e}b")), "\"a\u{fffd}b\"");
    }

    #[test]
    fn a_data_block_cannot_be_ended_from_within() {
        let block = json(&serde_json::json!({ "a": "</script><!--" }));
        assert!(!block.contains('<'), "{block}");
        assert_eq!(serde_json::from_str::<serde_json::Value>(&block).unwrap()["a"], "</script><!--");
    }

    #[test]
    fn clipping_counts_characters() {
        assert_eq!(clip("αβγ", 3), "αβγ");
        assert_eq!(clip("αβγδ", 3), "αβγ…");
    }
}
