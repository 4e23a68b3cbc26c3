//! What the program is built from may be given away under its licence, comes from the registry, and is nothing that
//! is advised against. Needs no network but for packages of other platforms that were never downloaded.

#[allow(dead_code)]
mod pages;

use pages::root;
use std::process::Command;

/// Licences that ask for no more than their text and a notice.
const LICENCES: [&str; 9] = [
    "MIT",
    "Apache-2.0",
    "Apache-2.0 WITH LLVM-exception",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "0BSD",
    "Zlib",
    "Unlicense",
    "Unicode-3.0",
];

/// Every package that a build of the workspace may use, as `cargo metadata` knows it.
fn packages() -> Vec<serde_json::Value> {
    let ask = |more: &[&str]| {
        let mut cargo = Command::new(env!("CARGO"));
        cargo.args(["metadata", "--locked", "--format-version", "1"]).args(more).current_dir(root());
        cargo.output().expect("cargo starts")
    };
    let known = ask(&["--offline"]);
    let output = if known.status.success() { known } else { ask(&[]) };
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let metadata: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    metadata["packages"].as_array().expect("packages").clone()
}

/// Whether an expression such as `(MIT OR Apache-2.0) AND Unicode-3.0` can be met: of alternatives one, of what is
/// joined all.
fn is_met(expression: &str) -> bool {
    let plain = expression.replace('/', " OR ").replace(['(', ')'], " ");
    let all = plain.split(" AND ");
    all.into_iter().all(|part| part.split(" OR ").any(|one| LICENCES.contains(&one.trim())))
}

#[test]
fn licences_are_ones_that_may_be_given_away() {
    let package = |p: &serde_json::Value| {
        let licence = p["license"].as_str().unwrap_or("none stated");
        (!is_met(licence)).then(|| format!("{}: {licence}", p["name"]))
    };
    let refused: Vec<String> = packages().iter().filter_map(package).collect();
    assert!(refused.is_empty(), "{refused:#?}");
    assert!(is_met("(MIT OR Apache-2.0) AND Unicode-3.0") && is_met("MIT OR LGPL-2.1-or-later"));
    assert!(!is_met("GPL-3.0-only") && !is_met("MIT AND LGPL-2.1-or-later") && !is_met(""));
}

#[test]
fn everything_comes_from_the_registry() {
    let elsewhere = |p: &serde_json::Value| {
        let source = p["source"].as_str()?;
        (!source.starts_with("registry+https://github.com/rust-lang/crates.io-index")).then(|| source.to_owned())
    };
    let list: Vec<String> = packages().iter().filter_map(elsewhere).collect();
    assert!(list.is_empty(), "{list:?}");
}

#[test]
fn nothing_is_used_that_is_advised_against() {
    let used = packages();
    for line in include_str!("advisories.txt").lines().filter(|l| !l.starts_with('#')) {
        let (advisory, name) = line.split_once(' ').expect("an advisory and a crate");
        assert!(advisory.starts_with("RUSTSEC-"), "{line}");
        assert!(!used.iter().any(|p| p["name"] == name), "{name} is used: https://rustsec.org/advisories/{advisory}");
    }
}
