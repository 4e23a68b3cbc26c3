//! Characters that are not ASCII but have an ASCII spelling.
//!
//! The text is rewritten in ASCII before it is lexed, with a map back to the original offsets, so
//! that a pasted `−` or `θ` costs one message and nothing after it goes wrong.

use std::borrow::Cow;
use std::collections::BTreeMap;

use crate::diagnostic::{Code, Diagnostic, Diagnostics, Span};

/// The text to lex, and where its pieces come from.
pub(super) struct Ascii<'a> {
    pub(super) text: Cow<'a, str>,
    /// Replaced characters, in order: (range in `text`, range in the source).
    replaced: Vec<(Span, Span)>,
}

impl Ascii<'_> {
    /// The span of the source that became this span of `text`.
    pub(super) fn original(&self, span: Span) -> Span {
        let start = match self.last(|to| to.start <= span.start) {
            None => span.start,
            Some((to, from)) if span.start < to.end => from.start,
            Some((to, from)) => from.end + (span.start - to.end),
        };
        let end = match self.last(|to| to.start < span.end) {
            None => span.end,
            Some((to, from)) if span.end <= to.end => from.end,
            Some((to, from)) => from.end + (span.end - to.end),
        };
        Span::new(start, end.max(start))
    }

    fn last(&self, before: impl Fn(&Span) -> bool) -> Option<(Span, Span)> {
        let count = self.replaced.partition_point(|(to, _)| before(to));
        count.checked_sub(1).map(|i| self.replaced[i])
    }
}

/// What a character stands for.
enum Spelling {
    /// Text to put in its place.
    Text(&'static str),
    /// A subscript digit.
    Subscript(u8),
    /// A superscript digit.
    Superscript(u8),
    /// A square root sign.
    Root,
    /// Nothing we know.
    Unknown,
}

/// Rewrites the text in ASCII, comments and strings excepted, and reports what it replaced: one
/// diagnostic for each distinct character.
pub(super) fn to_ascii<'a>(source: &'a str, diagnostics: &mut Diagnostics) -> Ascii<'a> {
    if source.is_ascii() {
        return Ascii { text: Cow::Borrowed(source), replaced: Vec::new() };
    }
    let mut rewriter = Rewriter::default();
    rewriter.rewrite(source);
    for (character, (span, count)) in rewriter.found {
        diagnostics.push(match character {
            DOT_ABOVE => dotted(source, span, count),
            _ => report(character, span, count, source),
        });
    }
    Ascii { text: Cow::Owned(rewriter.text), replaced: rewriter.replaced }
}

#[derive(Default)]
struct Rewriter {
    text: String,
    replaced: Vec<(Span, Span)>,
    found: BTreeMap<char, (Span, usize)>,
}

impl Rewriter {
    fn rewrite(&mut self, source: &str) {
        let mut rest = source;
        while let Some(c) = rest.chars().next() {
            let at = source.len() - rest.len();
            let skip = match c {
                '#' => rest.find(['\n', '\r']).unwrap_or(rest.len()),
                '"' => string_length(rest, '"'),
                _ if c.is_ascii() => 1,
                '\u{FEFF}' if at == 0 => {
                    self.put("", at, c.len_utf8());
                    rest = &rest[c.len_utf8()..];
                    continue;
                }
                _ => 0,
            };
            if skip > 0 {
                self.text.push_str(&rest[..skip]);
                rest = &rest[skip..];
                continue;
            }
            let size = c.len_utf8();
            let span = Span::new(at, at + size);
            self.found.entry(c).or_insert((span, 0)).1 += 1;
            rest = &rest[size..];
            match spelling(c) {
                Spelling::Text("\"") => {
                    // A string in curly quotes ends at a curly or a straight one.
                    let body = rest.find(['“', '”', '„', '"', '\n', '\r']).unwrap_or(rest.len());
                    self.put("\"", at, size);
                    self.text.push_str(&rest[..body]);
                    rest = &rest[body..];
                    if let Some(close @ ('“' | '”' | '„')) = rest.chars().next() {
                        self.put("\"", at + size + body, close.len_utf8());
                        rest = &rest[close.len_utf8()..];
                    } else if rest.starts_with('"') {
                        self.text.push('"');
                        rest = &rest[1..];
                    }
                }
                Spelling::Text(text) => {
                    // The dot of a member stands behind its index: `q̇[i]` is `q[i]'`.
                    let index = if text.ends_with('\'') && text != "''" { index_length(rest) } else { 0 };
                    let letter = text.strip_suffix('\'').filter(|_| index > 0);
                    self.put(letter.unwrap_or(text), at, size);
                    self.text.push_str(&rest[..index]);
                    if letter.is_some() {
                        self.put("'", at + size + index, 0);
                    }
                    rest = &rest[index..];
                }
                Spelling::Subscript(digit) => self.digit('_', digit, at, size, previous_is(source, at, subscript)),
                Spelling::Superscript(digit) => self.digit('^', digit, at, size, previous_is(source, at, superscript)),
                Spelling::Root => {
                    let word = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_' && c != '.');
                    let word = word.unwrap_or(rest.len());
                    if word > 0 {
                        self.put("sqrt(", at, size);
                        self.text.push_str(&rest[..word]);
                        self.put(")", at + size + word, 0);
                        rest = &rest[word..];
                    } else {
                        self.put("sqrt", at, size);
                    }
                }
                // A letter we do not know is still part of a name.
                Spelling::Unknown if c.is_alphanumeric() => self.put("_", at, size),
                Spelling::Unknown => self.put(" ", at, size),
            }
        }
    }

    fn put(&mut self, text: &str, at: usize, size: usize) {
        let start = self.text.len();
        self.text.push_str(text);
        let to = Span::new(start, self.text.len());
        self.replaced.push((to, Span::new(at, at + size)));
    }

    /// A raised or lowered digit; only the first of a run brings its operator.
    fn digit(&mut self, operator: char, digit: u8, at: usize, size: usize, inside: bool) {
        let digit = char::from(b'0' + digit);
        let text = if inside { digit.to_string() } else { format!("{operator}{digit}") };
        self.put(&text, at, size);
    }
}

fn previous_is(source: &str, at: usize, digit: fn(char) -> Option<u8>) -> bool {
    source[..at].chars().next_back().is_some_and(|c| digit(c).is_some())
}

/// Bytes of an index in brackets that a text begins with; 0 if there is none, or none that is plain.
fn index_length(rest: &str) -> usize {
    let is_plain = |c: char| c.is_ascii() && !matches!(c, '[' | '\n' | '\r' | '#' | '"');
    match rest.strip_prefix('[').and_then(|inside| inside.split_once(']')) {
        Some((inside, _)) if inside.chars().all(is_plain) => inside.len() + 2,
        _ => 0,
    }
}

/// Bytes of a string with its quotes, or up to the end of the line.
fn string_length(rest: &str, quote: char) -> usize {
    match rest[1..].find([quote, '\n', '\r']) {
        Some(end) if rest[1 + end..].starts_with(quote) => end + 2,
        Some(end) => end + 1,
        None => rest.len(),
    }
}

fn superscript(c: char) -> Option<u8> {
    match c {
        '⁰' => Some(0),
        '¹' => Some(1),
        '²' => Some(2),
        '³' => Some(3),
        '⁴'..='⁹' => u8::try_from(c as u32 - 0x2070).ok(),
        _ => None,
    }
}

fn subscript(c: char) -> Option<u8> {
    matches!(c, '₀'..='₉').then(|| u8::try_from(c as u32 - 0x2080).unwrap_or(0))
}

const GREEK_SMALL: [&str; 25] = [
    "alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "iota", "kappa", "lambda", "mu", "nu", "xi",
    "omicron", "pi", "rho", "sigma", "sigma", "tau", "upsilon", "phi", "chi", "psi", "omega",
];
const GREEK_CAPITAL: [&str; 25] = [
    "Alpha", "Beta", "Gamma", "Delta", "Epsilon", "Zeta", "Eta", "Theta", "Iota", "Kappa", "Lambda", "Mu", "Nu", "Xi",
    "Omicron", "Pi", "Rho", "Sigma", "Sigma", "Tau", "Upsilon", "Phi", "Chi", "Psi", "Omega",
];
/// The ASCII characters as one-character strings, from `!`, for full-width forms.
const PRINTABLE: &str =
    "!\"#$%&'()*+,-./0123456789:;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_`abcdefghijklmnopqrstuvwxyz{|}~";

fn spelling(c: char) -> Spelling {
    if let Some(digit) = superscript(c) {
        return Spelling::Superscript(digit);
    }
    if let Some(digit) = subscript(c) {
        return Spelling::Subscript(digit);
    }
    let code = c as usize;
    Spelling::Text(match c {
        'α'..='ω' => GREEK_SMALL[code - 0x3B1],
        'Α'..='Ω' => GREEK_CAPITAL[code - 0x391],
        'ϑ' => "theta",
        'ϕ' => "phi",
        'ϵ' | 'ɛ' => "epsilon",
        'ϖ' => "pi",
        'ϱ' => "rho",
        'µ' => "mu",
        'ℓ' => "l",
        'ℏ' | 'ħ' => "hbar",
        '−' | '–' | '—' | '‐' | '‑' | '‒' | '―' | '﹣' => "-",
        '·' | '⋅' | '×' | '∗' | '•' | '∙' | '✕' => "*",
        '÷' | '∕' | '⁄' => "/",
        '′' | '’' | '‘' | '´' | 'ʹ' => "'",
        '″' => "''",
        '“' | '”' | '„' => "\"",
        '≤' | '⩽' => "<=",
        '≥' | '⩾' => ">=",
        '≠' => "!=",
        '∈' => " in ",
        '…' => "..",
        '∑' => "sum",
        '∏' => "product",
        '½' => "(1/2)",
        '¼' => "(1/4)",
        '¾' => "(3/4)",
        'ẋ' => "x'",
        'ẏ' => "y'",
        'ż' => "z'",
        'ṙ' => "r'",
        'ṗ' => "p'",
        'ȧ' => "a'",
        'ḃ' => "b'",
        'ċ' => "c'",
        'ḋ' => "d'",
        'ḣ' => "h'",
        'ṁ' => "m'",
        'ṅ' => "n'",
        'ṡ' => "s'",
        'ṫ' => "t'",
        'ẇ' => "w'",
        'Ẋ' => "X'",
        'Ẏ' => "Y'",
        'Ż' => "Z'",
        DOT_ABOVE => "'",
        '√' => return Spelling::Root,
        '＃' | '＂' => return Spelling::Unknown,
        '！'..='～' => &PRINTABLE[code - 0xFF01..][..1],
        c if c.is_whitespace() || matches!(c, '\u{200B}'..='\u{200F}' | '\u{2060}' | '\u{FEFF}') => " ",
        _ => return Spelling::Unknown,
    })
}

/// The dot that is put above the letter before it.
const DOT_ABOVE: char = '\u{307}';

/// A letter with a dot above: shown with its letter, which alone can be pointed at.
fn dotted(source: &str, span: Span, count: usize) -> Diagnostic {
    let letter = source[..span.start].chars().next_back().filter(|c| c.is_alphanumeric());
    let Some(letter) = letter else { return report(DOT_ABOVE, span, count, source) };
    let name = match spelling(letter) {
        Spelling::Text(text) => text.to_owned(),
        _ => letter.to_string(),
    };
    let whole = Span::new(span.start - letter.len_utf8(), span.end);
    let message = format!("`{letter}{DOT_ABOVE}` is not ASCII{}", elsewhere(count));
    let rest = &source[span.end..];
    let index = &rest[..index_length(rest)];
    Diagnostic::new(Code::NotAscii, whole, message).help(format!("write a velocity with a prime: `{name}{index}'`"))
}

/// Where else a character stands.
fn elsewhere(count: usize) -> String {
    match count {
        1 => String::new(),
        2 => " (here and in one other place)".to_owned(),
        _ => format!(" (here and in {} other places)", count - 1),
    }
}

fn report(c: char, span: Span, count: usize, source: &str) -> Diagnostic {
    let shown = if c.is_whitespace() || c.is_control() || matches!(spelling(c), Spelling::Text(" ")) {
        format!("the invisible character U+{:04X}", c as u32)
    } else {
        format!("`{c}`")
    };
    let many = elsewhere(count);
    let (message, help) = match spelling(c) {
        Spelling::Text(" ") => {
            (format!("{shown} is not a plain space{many}"), "replace it by an ordinary space".to_owned())
        }
        Spelling::Text("\"") => {
            (format!("{shown} is not ASCII{many}"), "write titles between straight quotes: `\"`".to_owned())
        }
        Spelling::Text("'") if c == DOT_ABOVE => {
            (format!("a dot above a letter is not ASCII{many}"), "write a velocity with a prime: `x'`".to_owned())
        }
        Spelling::Text(text) if text.ends_with('\'') && text.len() == 2 && text != "''" => {
            let (letter, rest) = (text.trim_end_matches('\''), &source[span.end..]);
            let index = &rest[..index_length(rest)];
            (format!("{shown} is not ASCII{many}"), format!("write a velocity with a prime: `{letter}{index}'`"))
        }
        Spelling::Text(text) => (format!("{shown} is not ASCII{many}"), format!("write `{}`", text.trim())),
        Spelling::Superscript(digit) => {
            (format!("{shown} is not ASCII{many}"), format!("write a power with `^`: `x^{digit}`"))
        }
        Spelling::Subscript(digit) => (
            format!("{shown} is not ASCII{many}"),
            format!("write `x_{digit}`, or `x[{digit}]` for the member of a family"),
        ),
        Spelling::Root => (format!("{shown} is not ASCII{many}"), "write `sqrt(…)`".to_owned()),
        Spelling::Unknown => {
            if c == '°' {
                return Diagnostic::new(
                    Code::UnexpectedCharacter,
                    span,
                    format!("`°` is not part of the language{many}"),
                )
                .help("angles are numbers, and functions take them in radians: write `45*pi/180` for 45 degrees");
            }
            let shown = if c.is_control() { shown } else { format!("{shown} (U+{:04X})", c as u32) };
            let message = format!("{shown} is not part of the language{many}");
            return Diagnostic::new(Code::UnexpectedCharacter, span, message)
                .help("models are written in ASCII; other characters may stand in comments and in the title");
        }
    };
    Diagnostic::new(Code::NotAscii, span, message).help(help)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ascii(source: &str) -> String {
        to_ascii(source, &mut Diagnostics::new()).text.into_owned()
    }

    #[test]
    fn look_alikes_become_ascii() {
        assert_eq!(ascii("θ_1 − x²·ẋ"), "theta_1 - x^2*x'");
        assert_eq!(ascii("x¹² + y₁₀"), "x^12 + y_10");
        assert_eq!(ascii("√x + √(y)"), "sqrt(x) + sqrt(y)");
        assert_eq!(ascii("Ω ω ς"), "Omega omega sigma");
        assert_eq!(ascii("＋１"), "+1");
        assert_eq!(ascii("⁴⁹₉"), "^49_9");
        assert_eq!(ascii("ẋ[i+1]^2 + q\u{307}[1, 2] + ẋ[θ]"), "x[i+1]'^2 + q[1, 2]' + x'[theta]");
    }

    #[test]
    fn strings_and_comments_keep_their_text() {
        assert_eq!(ascii("model a \"θ “b”\" # ẍ θ\nθ"), "model a \"θ “b”\" # ẍ θ\ntheta");
        assert_eq!(ascii("model a “θ” θ"), "model a \"θ\" theta");
        assert_eq!(ascii("\"θ\nθ"), "\"θ\ntheta");
    }

    #[test]
    fn spans_lead_back_to_the_source() {
        let source = "aθb − c";
        let ascii = to_ascii(source, &mut Diagnostics::new());
        let minus = ascii.text.find('-').unwrap();
        assert_eq!(ascii.original(Span::new(minus, minus + 1)).text(source), "−");
        assert_eq!(ascii.original(Span::new(0, 7)).text(source), "aθb");
        let c = ascii.text.find('c').unwrap();
        assert_eq!(ascii.original(Span::new(c, c + 1)).text(source), "c");
    }
}
