//! Text made safe for the places of a page it is put into.

/// Text for the content of an element or a quoted attribute.
///
/// The five characters with a meaning in HTML become references; control characters, which HTML
/// does not allow, become the replacement character.
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
            c if c.is_control() => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}

/// JSON for a data block: no `<`, so that nothing in a string can end the block.
pub(crate) fn json(value: &serde_json::Value) -> String {
    value.to_string().replace('<', "\\u003c").replace('\u{2028}', "\\u2028").replace('\u{2029}', "\\u2029")
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
