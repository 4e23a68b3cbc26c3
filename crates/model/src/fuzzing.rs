//! The bodies of the fuzz targets, which also run as bounded, seeded tests.

use crate::diagnostic::{Colour, Diagnostics};
use crate::drawing::Drawing;
use crate::elaborate::{Limits, elaborate_within};
use crate::syntax::{decode, format, parse, parse_expression};
use crate::system::{Dynamics, Options, System};
use cotangent_expr::{Expr, Tensor};

/// Bytes of a text that [`fuzz_model`] looks at.
const MAX_BYTES: usize = 1 << 14;
/// Points, entries and nodes up to which it differentiates.
const SMALL: u64 = 400;

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
    check_diagnostics(&parsed.diagnostics, &source);
    if parsed.diagnostics.is_empty() {
        assert!(parsed.skipped.is_empty(), "skipped without an error");
        let text = format(&parsed.file);
        let again = parse(&text);
        assert!(again.diagnostics.is_empty(), "{text}\n{}", again.diagnostics);
        assert_eq!(again.file.without_spans(), parsed.file.without_spans(), "{text}");
    }
    if let Ok(expression) = parse_expression(&source) {
        let again = parse_expression(&expression.to_string());
        assert_eq!(again.map(|e| e.without_spans()), Ok(expression.without_spans()));
    }
}

/// The whole way from bytes to a [`System`] and its derivatives: no panic, a reason for every
/// refusal, the canonical text read back as the same system, and every expression that comes out
/// canonical. Large models end where they are refused; what is larger than a fuzzer has time for is
/// not differentiated.
///
/// # Panics
/// If any of that does not hold; that is what the fuzzer looks for.
pub fn fuzz_model(data: &[u8]) {
    let Ok(source) = decode(&data[..data.len().min(MAX_BYTES)]) else { return };
    let read = |source: &str| {
        let limits = Limits { members: 5_000, points: 20_000, nodes: 100_000 };
        elaborate_within(parse(source), &Options::default(), limits)
    };
    let system = match read(source) {
        Ok(system) => system,
        Err(errors) => {
            assert!(!errors.is_empty(), "refused without a reason:\n{source}");
            return check_diagnostics(&errors, source);
        }
    };
    // The canonical text means the same.
    let text = format(&parse(source).file);
    match read(&text) {
        Ok(again) => {
            assert_eq!(again.dynamics.energy().digest(), system.dynamics.energy().digest(), "{text}");
            let drawn =
                |s: &System| s.drawings.iter().flat_map(Drawing::components).map(Tensor::digest).collect::<Vec<_>>();
            assert_eq!(drawn(&again), drawn(&system), "{text}");
        }
        Err(errors) => panic!("{text}\n{errors}"),
    }
    derivatives(&system);
}

fn check_diagnostics(diagnostics: &Diagnostics, source: &str) {
    for diagnostic in diagnostics {
        let labels = diagnostic.labels.iter().map(|(span, _)| *span);
        for span in labels.chain([diagnostic.span]) {
            assert!(source.get(span.range()).is_some(), "{diagnostic:?}");
        }
    }
    if !diagnostics.is_empty() {
        assert!(!diagnostics.render("fuzz.cot", source, Colour::Never).is_empty());
    }
}

/// Prints, differentiates and expands what is small enough.
fn derivatives(system: &System) {
    let mut tensors: Vec<&Tensor> = vec![system.dynamics.energy()];
    if let Dynamics::Poisson { bracket: t, .. } | Dynamics::Form { form: t, .. } = &system.dynamics {
        tensors.push(t);
    }
    tensors.extend(system.constraints.iter().chain(&system.gauges).map(|c| &c.residual));
    tensors.extend(system.claims.iter().map(|c| &c.quantity.value));
    tensors.extend(system.observables.iter().chain(&system.splits).map(|q| &q.value));
    tensors.extend(system.drawings.iter().flat_map(Drawing::components));
    tensors.extend(system.initial.iter().map(|i| &i.value));
    tensors.extend(system.parameters.iter().filter_map(|p| p.default.as_ref()));
    let mut by = system.state();
    if let Some(velocities) = system.dynamics.velocities() {
        by = by.then(velocities);
    }
    for t in tensors {
        assert!(!t.to_string().is_empty() || t.is_zero());
        check_canonical(t);
        let points = t.terms().iter().map(|t| t.domain.count(SMALL + 1)).fold(0, u64::saturating_add);
        let nodes = t.terms().iter().map(|t| t.value.size()).fold(0, u64::saturating_add);
        if points > SMALL || nodes > SMALL || by.len() as u64 > SMALL {
            continue;
        }
        // An error is an answer: a derivative may be too large or have no value.
        if let Ok(first) = if t.rank() == 0 { t.gradient(&by) } else { t.jacobian(&by) } {
            check_canonical(&first);
            if t.rank() == 0
                && let Ok(second) = first.jacobian(&by)
            {
                check_canonical(&second);
                assert!(!second.to_string().is_empty() || second.is_zero());
            }
        }
        if let Ok(expanded) = t.expand() {
            check_canonical(&expanded);
            assert!(expanded.terms().iter().all(|t| t.domain.is_point()));
        }
    }
}

/// Building an expression again from its parts changes nothing.
fn check_canonical(t: &Tensor) {
    for term in t.terms() {
        let again: Expr = term.value.rewrite(&mut |_| None);
        assert_eq!(again, term.value);
    }
}
