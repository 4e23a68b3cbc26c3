//! The body of the parser's fuzz target, which also runs as a bounded, seeded test.

use crate::diagnostic::Colour;
use crate::syntax::{decode, format, parse, parse_expression};

/// Parses arbitrary bytes and checks what must hold for every input: no panic, every span inside
/// the text, every error rendered, and for a text without errors `parse∘print = id`.
///
/// # Panics
/// If any of that does not hold; that is what the fuzzer looks for.
pub fn fuzz_parse(data: &[u8]) {
    let source = match decode(data) {
        Ok(source) => source.to_owned(),
        Err(errors) => {
            let lossy = String::from_utf8_lossy(data).into_owned();
            assert!(!errors.render("fuzz.cot", &lossy, Colour::Never).is_empty());
            lossy
        }
    };
    let parsed = parse(&source);
    for diagnostic in &parsed.diagnostics {
        let labels = diagnostic.labels.iter().map(|(span, _)| *span);
        for span in labels.chain([diagnostic.span]) {
            assert!(source.get(span.range()).is_some(), "{diagnostic:?}");
        }
    }
    if parsed.diagnostics.is_empty() {
        assert!(parsed.skipped.is_empty(), "skipped without an error");
        let text = format(&parsed.file);
        let again = parse(&text);
        assert!(again.diagnostics.is_empty(), "{text}\n{}", again.diagnostics);
        assert_eq!(again.file.without_spans(), parsed.file.without_spans(), "{text}");
    } else {
        assert!(!parsed.diagnostics.render("fuzz.cot", &source, Colour::Never).is_empty());
    }
    if let Ok(expression) = parse_expression(&source) {
        let again = parse_expression(&expression.to_string());
        assert_eq!(again.map(|e| e.without_spans()), Ok(expression.without_spans()));
    }
}
