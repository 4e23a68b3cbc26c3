//! Text as a terminal may show it: what would move the cursor, turn lines around or hide is spelled out.

use std::borrow::Cow;
use std::io::{self, Write};

/// Text of several lines; our own colours stay where there are any.
pub fn lines(text: &str, coloured: bool) -> Cow<'_, str> {
    if !text.contains(|c: char| !matches!(c, '\n' | '\t') && acts(c)) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let colour = if coloured { style(rest) } else { 0 };
        let length = if colour > 0 { colour } else { c.len_utf8() };
        match colour > 0 || matches!(c, '\n' | '\t') || !acts(c) {
            true => out.push_str(&rest[..length]),
            false => out.extend(c.escape_default()),
        }
        rest = &rest[length..];
    }
    Cow::Owned(out)
}

/// Text of one line, such as a message with the name of a file in it.
pub fn line(text: &str) -> Cow<'_, str> {
    match text.contains(acts) {
        true => Cow::Owned(text.chars().flat_map(|c| shown(c).chars().collect::<Vec<_>>()).collect()),
        false => Cow::Borrowed(text),
    }
}

/// A JSON text, which is often looked at in a terminal: what acts there can only be in its strings, and is escaped.
pub fn json(text: &str) -> Cow<'_, str> {
    if !text.contains(|c: char| c != '\n' && acts(c)) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        if c == '\n' || !acts(c) {
            out.push(c);
        } else {
            let units = c.encode_utf16(&mut [0; 2]).iter().map(|unit| format!("\\u{unit:04x}")).collect::<String>();
            out.push_str(&units);
        }
    }
    Cow::Owned(out)
}

/// Writes a JSON text as [`json`] shows it, piece by piece.
pub struct Json<W>(pub W);

impl<W: Write> Write for Json<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if bytes.iter().all(|b| matches!(b, b'\n' | b' '..=b'~')) {
            self.0.write_all(bytes)?;
            return Ok(bytes.len());
        }
        // As far as the characters are whole.
        let text = bytes.utf8_chunks().next().map_or("", |chunk| chunk.valid());
        if text.is_empty() {
            return Err(io::ErrorKind::InvalidData.into());
        }
        self.0.write_all(json(text).as_bytes())?;
        Ok(text.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

fn shown(c: char) -> String {
    if acts(c) { c.escape_default().collect() } else { c.to_string() }
}

/// Whether a terminal does something else with a character than to show it: control characters, marks that turn
/// what follows around, separators of lines, and what has no width.
fn acts(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}')
        || matches!(c, '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}

/// The bytes of the escape sequence of a colour or style at the beginning of a text; 0 if there is none.
fn style(text: &str) -> usize {
    let Some(rest) = text.strip_prefix("\u{1b}[") else { return 0 };
    let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit() || c == ';').len();
    if rest[digits..].starts_with('m') { digits + 3 } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::{json, line, lines};
    use std::io::Write;

    #[test]
    fn nothing_but_lines_and_our_own_colours_reaches_a_terminal() {
        assert_eq!(lines("a\nb é λ′ … ⣿", false), "a\nb é λ′ … ⣿");
        assert_eq!(
            lines("\u{1b}[31mred\u{1b}[0m \u{1b}[2J \u{7}\r", true),
            "\u{1b}[31mred\u{1b}[0m \\u{1b}[2J \\u{7}\\r"
        );
        assert_eq!(lines("\u{1b}[31mred", false), "\\u{1b}[31mred");
        assert_eq!(lines("a\u{202e}b\u{9b}2J\u{2028}\tc", false), "a\\u{202e}b\\u{9b}2J\\u{2028}\tc");
        assert_eq!(line("a\nerror: b\u{200b}"), "a\\nerror: b\\u{200b}");
    }

    #[test]
    fn what_acts_is_escaped_in_json_and_means_the_same() {
        let text = "{\n  \"a\": \"b\u{202e}c\u{e0001}d\u{7f} é λ\"\n}";
        let escaped = "{\n  \"a\": \"b\\u202ec\\udb40\\udc01d\\u007f é λ\"\n}";
        assert_eq!(json(text), escaped);
        let mut written = vec![];
        super::Json(&mut written).write_all(text.as_bytes()).unwrap();
        assert_eq!(str::from_utf8(&written), Ok(escaped));
        let read = |text: &str| serde_json::from_str::<serde_json::Value>(text).unwrap();
        assert_eq!(read(text), read(escaped));
    }
}
