//! Whole models parse, whatever their layout.

use cotangent_model::syntax::ast::StatementKind;
use cotangent_model::syntax::{format, parse};

const PENDULUM: &str = include_str!("models/pendulum.cot");
const CHAIN: &str = include_str!("models/chain.cot");
const RIGID_BODY: &str = include_str!("models/rigid_body.cot");
const EVERYTHING: &str = include_str!("models/everything.cot");

fn canonical(source: &str) -> String {
    match parse(source).into_result() {
        Ok(file) => format(&file),
        Err(errors) => panic!("{errors}"),
    }
}

#[test]
fn the_models_of_the_specification_parse() {
    insta::assert_snapshot!("pendulum", canonical(PENDULUM));
    insta::assert_snapshot!("chain", canonical(CHAIN));
    insta::assert_snapshot!("rigid_body", canonical(RIGID_BODY));
}

#[test]
fn every_statement_parses() {
    let text = canonical(EVERYTHING);
    insta::assert_snapshot!("everything", &text);
    assert_eq!(canonical(&text), text);
}

#[test]
fn line_endings_tabs_and_a_byte_order_mark_do_not_matter() {
    for source in [PENDULUM, CHAIN, RIGID_BODY, EVERYTHING] {
        let text = canonical(source);
        assert_eq!(canonical(&source.replace('\n', "\r\n")), text);
        assert_eq!(canonical(&source.replace('\n', "\r")), text);
        assert_eq!(canonical(&source.replace("  ", "\t")), text);
        assert_eq!(canonical(&format!("\u{feff}{source}")), text);
        assert_eq!(canonical(&format!("{source}\n\n# end")), text);
    }
}

#[test]
fn lines_continue_by_indentation_or_open_brackets() {
    let one = canonical("hamiltonian p^2/2 + sum(i in 1..n, x[i])\ncoord x, y\n");
    let many = "hamiltonian p^2/2\n  + sum(\ni in 1..n, # a range\n\n# more\nx[i]\n)\n\ncoord\n\tx,\n  y";
    assert_eq!(canonical(many), one);
}

#[test]
fn statement_words_are_names_elsewhere() {
    let source = "param run = 1, form = 2\nlet split = run*form +\n  run\n";
    let file = parse(source).into_result().unwrap();
    assert_eq!(file.statements.len(), 2);
    assert!(matches!(file.statements[1].kind, StatementKind::Let(_)));
}

#[test]
fn an_empty_text_is_an_empty_file() {
    for source in ["", "\n", "# nothing", "   ", "\u{feff}", "\t\n  # a\n"] {
        assert_eq!(canonical(source), "");
    }
}
