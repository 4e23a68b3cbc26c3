//! The derivations of all shipped models in LaTeX: they compile, and no line is wider than the page.
//!
//! Without pdflatex the compiled part says that it is skipped; `scripts/setup-latex` installs one. Widths are then those
//! that the program itself estimates.

mod common;

use common::run;
use cotangent::expr::latex_width;
use cotangent::models;
use std::path::Path;
use std::process::Command;

/// The width of the text of an article, in points.
const TEXT_WIDTH: f64 = 345.0;
/// A line may be so much wider: less than a letter.
const TOLERATED: f64 = 4.0;

fn derivation(model: &str) -> String {
    let ran = run(&["analyze", model, "--latex", "--brackets"]);
    assert!(!ran.stdout.is_empty(), "{}", ran.show());
    ran.stdout
}

#[test]
fn no_line_of_a_derivation_is_wider_than_the_page() {
    for model in models::all() {
        let text = derivation(model.name);
        for block in text.split("\\begin{align*}").skip(1) {
            let block = block.split("\\end{align*}").next().unwrap_or_default();
            let rows: Vec<(&str, &str)> =
                block.split("\\\\\n").map(|row| row.split_once('&').unwrap_or((row, ""))).collect();
            let left = rows.iter().map(|(left, _)| latex_width(left)).fold(0.0, f64::max);
            for (_, right) in &rows {
                let width = left + latex_width(right);
                assert!(width <= TEXT_WIDTH, "{}: {width} points\n{right}", model.name);
            }
        }
    }
}

/// Members of families have their index below, everywhere.
#[test]
fn there_is_one_notation_for_members_of_families() {
    for model in models::all() {
        let text = derivation(model.name);
        let formulas = text.lines().filter(|l| !l.starts_with('%')).map(|l| l.replace("^{[", "")).collect::<String>();
        assert!(!formulas.contains("}}_{") && !formulas.contains('['), "{}: {formulas}", model.name);
    }
    let chain = derivation("chain");
    for symbol in ["p_{x,3}", "\\mathrm{link}_{10}", "\\lambda_{\\mathrm{link},10}", "\\dot{x}_{3}"] {
        assert!(chain.contains(symbol), "{symbol}: {chain}");
    }
}

/// The log of pdflatex for a document with this body.
fn compiled(body: &str, engine: &str, folder: &Path) -> String {
    let text =
        format!("\\documentclass{{article}}\n\\usepackage{{amsmath}}\n\\begin{{document}}\n{body}\\end{{document}}\n");
    std::fs::write(folder.join("derivation.tex"), text).expect("written");
    let arguments = ["-interaction=nonstopmode", "-halt-on-error", "derivation.tex"];
    let output = Command::new(engine).args(arguments).current_dir(folder).output().expect("pdflatex runs");
    let log = String::from_utf8_lossy(&std::fs::read(folder.join("derivation.log")).expect("a log")).into_owned();
    assert!(output.status.success(), "{log}");
    log
}

#[allow(clippy::print_stderr)]
#[test]
fn derivations_are_compiled_without_overfull_lines() {
    let found = Command::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../scripts/setup-latex")).arg("--find").output();
    let Some(engine) = found.ok().filter(|o| o.status.success()) else {
        eprintln!("skipped: no pdflatex; run scripts/setup-latex or set COTANGENT_LATEX");
        return;
    };
    let engine = String::from_utf8(engine.stdout).expect("a path");
    let folder = tempfile::tempdir().expect("a folder");
    for model in models::all() {
        let log = compiled(&derivation(model.name), engine.trim(), folder.path());
        for line in log.lines().filter(|l| l.starts_with("Overfull")) {
            let points = line.split('(').nth(1).and_then(|rest| rest.split("pt").next()?.parse::<f64>().ok());
            assert!(points.is_some_and(|p| p < TOLERATED), "{}: {line}", model.name);
        }
    }
}
