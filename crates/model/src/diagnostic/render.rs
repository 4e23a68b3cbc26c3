//! Diagnostics as people read them: the source line, underlined.

use std::borrow::Cow;
use std::fmt::Write as _;

use ariadne::{Config, IndexType, Label, Report, ReportKind, Source};

use super::{Colour, Diagnostic, Diagnostics, Lines, Span};
use crate::limits::{MAX_EXCERPT_LINE, MAX_RENDERED_DIAGNOSTICS};

impl Diagnostics {
    /// All errors with the lines they are about, ready to print. `name` is what to call the text
    /// (a path); `source` is the text the diagnostics came from.
    pub fn render(&self, name: &str, source: &str, colour: Colour) -> String {
        self.headed(ReportKind::Error, name, source, colour)
    }

    /// The same for what is no mistake, but may be one.
    pub fn render_warnings(&self, name: &str, source: &str, colour: Colour) -> String {
        self.headed(ReportKind::Warning, name, source, colour)
    }

    fn headed(&self, kind: ReportKind<'_>, name: &str, source: &str, colour: Colour) -> String {
        let clean = printable(source);
        let sheet = Source::from(clean.as_ref());
        let lines = Lines::new(source);
        let mut out = Vec::new();
        for diagnostic in self.iter().take(MAX_RENDERED_DIAGNOSTICS) {
            let drawn =
                fits(diagnostic, &clean) && draw(diagnostic, kind, (name, &clean), &sheet, colour, &mut out).is_ok();
            if !drawn {
                out.extend(plain(diagnostic, kind, name, &lines).into_bytes());
            }
        }
        let mut text = String::from_utf8_lossy(&out).into_owned();
        let more = self.count().saturating_sub(MAX_RENDERED_DIAGNOSTICS);
        if more > 0 {
            let _ = writeln!(text, "and {more} more");
        }
        text
    }
}

fn draw(
    diagnostic: &Diagnostic,
    kind: ReportKind<'_>,
    (name, text): (&str, &str),
    sheet: &Source<&str>,
    colour: Colour,
    out: &mut Vec<u8>,
) -> std::io::Result<()> {
    let config = Config::new().with_index_type(IndexType::Byte).with_color(colour == Colour::Always);
    let at = |span: Span| (name, clamp(span, text).range());
    let mut report = Report::build(kind, at(diagnostic.span))
        .with_config(config)
        .with_code(diagnostic.code)
        .with_message(&diagnostic.message);
    let mut labels = diagnostic.labels.clone();
    if !labels.iter().any(|(span, _)| *span == diagnostic.span) {
        labels.push((diagnostic.span, "here".to_owned()));
    }
    labels.sort_by_key(|(span, _)| *span);
    for (span, caption) in labels {
        let tint = if span == diagnostic.span { ariadne::Color::Red } else { ariadne::Color::Blue };
        report.add_label(Label::new(at(span)).with_color(tint).with_message(caption));
    }
    if let Some(help) = &diagnostic.help {
        report.set_help(help);
    }
    report.finish().write((name, sheet), out)
}

/// Without the source line.
fn plain(diagnostic: &Diagnostic, kind: ReportKind<'_>, name: &str, lines: &Lines<'_>) -> String {
    let at = lines.position(diagnostic.span.start);
    let mut text =
        format!("[{}] {kind}: {}\n   at {name}:{}:{}\n", diagnostic.code, diagnostic.message, at.line, at.column);
    if let Some(help) = &diagnostic.help {
        let _ = writeln!(text, "   Help: {help}");
    }
    text
}

/// Whether every line to be shown is short enough to be shown.
fn fits(diagnostic: &Diagnostic, text: &str) -> bool {
    let spans = diagnostic.labels.iter().map(|(span, _)| *span);
    spans.chain([diagnostic.span]).all(|span| {
        let span = clamp(span, text);
        let start = text[..span.start].rfind(['\n', '\r']).map_or(0, |i| i + 1);
        let length = text[span.end..].find(['\n', '\r']).unwrap_or(text.len() - span.end);
        span.end + length - start <= MAX_EXCERPT_LINE
    })
}

/// The nearest span inside the text that cuts no character.
fn clamp(span: Span, text: &str) -> Span {
    let start = text.floor_char_boundary(span.start);
    Span::new(start, text.ceil_char_boundary(span.end.min(text.len())).max(start))
}

/// The text with everything that could upset a terminal or a line count replaced by harmless
/// characters of the same length in bytes.
fn printable(source: &str) -> Cow<'_, str> {
    let upsets = |c: char| {
        (c.is_control() && !matches!(c, '\n' | '\r' | '\t'))
            || matches!(c, '\u{2028}'..='\u{202E}' | '\u{2066}'..='\u{2069}' | '\u{FEFF}')
    };
    if !source.contains(upsets) {
        return Cow::Borrowed(source);
    }
    let harmless = |c: char| match c.len_utf8() {
        _ if !upsets(c) => c,
        1 => '?',
        2 => '¿',
        _ => '\u{FFFD}',
    };
    Cow::Owned(source.chars().map(harmless).collect())
}
