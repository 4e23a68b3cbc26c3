//! ARCHITECTURE.md says what is there: its folders exist, every crate is named, and its arrows are
//! the dependencies of the manifests.

#[allow(dead_code)]
mod pages;

use pages::{read, root};
use std::collections::BTreeSet;
use std::process::Command;

/// What stands between backticks and could be a path.
fn paths(text: &str) -> Vec<&str> {
    let prose: Vec<&str> = text.split("```").step_by(2).collect();
    let quoted = prose.into_iter().flat_map(|part| part.split('`').skip(1).step_by(2));
    let folders = ["crates/", "models", "docs", "fuzz", "scripts", ".ci"];
    quoted.filter(|p| folders.iter().any(|f| p.starts_with(f))).collect()
}

/// The lines `- a -> b`.
fn arrows(text: &str) -> BTreeSet<(String, String)> {
    let arrow = |line: &str| {
        let (from, to) = line.strip_prefix("- ")?.split_once(" -> ")?;
        Some((from.to_owned(), to.to_owned()))
    };
    text.lines().filter_map(arrow).collect()
}

/// The crates of the workspace, by their folders, and the normal dependencies between them.
fn manifests() -> (BTreeSet<String>, BTreeSet<(String, String)>) {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--no-deps", "--offline", "--format-version", "1"])
        .current_dir(root())
        .output()
        .expect("cargo starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let metadata: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let folder = |path: &str| path.replace('\\', "/").rsplit('/').next().unwrap_or("").to_owned();
    let (mut crates, mut edges) = (BTreeSet::new(), BTreeSet::new());
    for package in metadata["packages"].as_array().expect("packages") {
        let manifest = package["manifest_path"].as_str().expect("a path").replace('\\', "/");
        let own = folder(manifest.strip_suffix("/Cargo.toml").expect("a manifest"));
        for dependency in package["dependencies"].as_array().expect("dependencies") {
            if let (Some(path), true) = (dependency["path"].as_str(), dependency["kind"].is_null()) {
                edges.insert((own.clone(), folder(path)));
            }
        }
        crates.insert(own);
    }
    (crates, edges)
}

#[test]
fn every_path_it_names_exists() {
    let text = read("ARCHITECTURE.md");
    let paths = paths(&text);
    assert!(paths.len() > 8, "{paths:?}");
    for path in paths {
        assert!(root().join(path).exists(), "ARCHITECTURE.md names `{path}`, which is not there");
    }
}

#[test]
fn every_crate_is_named() {
    let text = read("ARCHITECTURE.md");
    for name in manifests().0 {
        assert!(text.contains(&format!("| `crates/{name}` |")), "ARCHITECTURE.md has no line for crates/{name}");
    }
}

#[test]
fn its_arrows_are_the_dependencies() {
    let listed = arrows(&read("ARCHITECTURE.md"));
    let (_, real) = manifests();
    let show = |set: Vec<&(String, String)>| set.iter().map(|(a, b)| format!("{a} -> {b}")).collect::<Vec<_>>();
    assert_eq!(show(listed.difference(&real).collect()), [""; 0], "listed, but not in the manifests");
    assert_eq!(show(real.difference(&listed).collect()), [""; 0], "in the manifests, but not listed");
}

#[test]
fn arrows_point_from_the_user_to_the_arithmetic() {
    // The order of the table: what is used stands above what uses it.
    let text = read("ARCHITECTURE.md");
    let row = |name: &str| text.find(&format!("| `crates/{name}` |")).unwrap_or(usize::MAX);
    for (from, to) in arrows(&text) {
        assert!(row(&to) < row(&from), "{from} -> {to} points up in the table of crates");
    }
}

#[test]
fn every_library_crate_denies_what_belongs_to_a_machine() {
    let ties_to_a_machine = ["cotangent", "host", "destination"];
    for name in manifests().0.iter().filter(|name| !ties_to_a_machine.contains(&name.as_str())) {
        let text = read(&format!("crates/{name}/src/lib.rs"));
        let denies = "#![cfg_attr(not(test), deny(clippy::disallowed_types, clippy::disallowed_methods))]";
        assert!(text.contains(denies), "crates/{name}/src/lib.rs lacks {denies}");
    }
}
