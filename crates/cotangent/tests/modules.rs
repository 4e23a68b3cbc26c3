//! The modules of a crate use each other in one direction: no module needs, by way of others, itself.

#[allow(dead_code)]
mod pages;

use pages::root;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// A data type that is recursive over files: a leaf of an expression is an entry of an array, an array may be defined
/// by a tensor, a tensor has terms with expressions; an error may quote an expression.
const RECURSIVE: (&str, [&str; 6]) = ("expr", ["array", "domain", "error", "expr", "layout", "tensor"]);

/// The folders of crates.
fn crates() -> Vec<PathBuf> {
    let all = std::fs::read_dir(root().join("crates")).expect("the crates");
    let mut all: Vec<PathBuf> = all.map(|entry| entry.expect("a crate").path()).collect();
    all.sort();
    all
}

/// The modules at the top of a crate, with their files.
fn modules(sources: &Path) -> BTreeMap<String, Vec<PathBuf>> {
    fn files(path: &Path, out: &mut Vec<PathBuf>) {
        match path.is_dir() {
            true => std::fs::read_dir(path).expect("a folder").for_each(|e| files(&e.expect("an entry").path(), out)),
            false if path.extension().is_some_and(|e| e == "rs") => out.push(path.to_owned()),
            false => {}
        }
    }
    let mut out: BTreeMap<String, Vec<PathBuf>> = BTreeMap::new();
    for entry in std::fs::read_dir(sources).expect("sources") {
        let path = entry.expect("an entry").path();
        let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
        if !["lib", "main"].contains(&name.as_str()) {
            files(&path, out.entry(name).or_default());
        }
    }
    out
}

/// The names after `crate::` in a text without its comments and its module of tests.
fn used(text: &str) -> BTreeSet<String> {
    let code = text.split("#[cfg(test)]\nmod tests").next().unwrap_or_default();
    let code: String = code.lines().map(|line| line.split("//").next().unwrap_or_default().to_owned() + "\n").collect();
    let word = |text: &str| text.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect::<String>();
    let mut out = BTreeSet::new();
    for after in code.split("crate::").skip(1) {
        match after.strip_prefix('{') {
            Some(list) => out.extend(list.split('}').next().unwrap_or_default().split(',').map(|one| word(one.trim()))),
            None => drop(out.insert(word(after))),
        }
    }
    out
}

/// A way from a module back to itself.
fn cycle(graph: &BTreeMap<String, BTreeSet<String>>) -> Option<Vec<String>> {
    fn visit(graph: &BTreeMap<String, BTreeSet<String>>, path: &mut Vec<String>, done: &mut BTreeSet<String>) -> bool {
        let at = path.last().expect("a module").clone();
        for next in &graph[&at] {
            if let Some(k) = path.iter().position(|m| m == next) {
                path.drain(..k);
                path.push(next.clone());
                return true;
            }
            if !done.contains(next) {
                path.push(next.clone());
                if visit(graph, path, done) {
                    return true;
                }
                path.pop();
            }
        }
        done.insert(at);
        false
    }
    let mut done = BTreeSet::new();
    graph.keys().find_map(|start| {
        let mut path = vec![start.clone()];
        (!done.contains(start) && visit(graph, &mut path, &mut done)).then_some(path)
    })
}

fn graph(folder: &Path) -> BTreeMap<String, BTreeSet<String>> {
    let modules = modules(&folder.join("src"));
    let name = folder.file_name().expect("a name").to_string_lossy().into_owned();
    let is_recursive = |m: &str| name == RECURSIVE.0 && RECURSIVE.1.contains(&m);
    let uses = |module: &str, files: &[PathBuf]| -> BTreeSet<String> {
        let all = files.iter().flat_map(|f| used(&std::fs::read_to_string(f).expect("a source")));
        all.filter(|m| m != module && modules.contains_key(m) && !(is_recursive(module) && is_recursive(m))).collect()
    };
    modules.iter().map(|(module, files)| (module.clone(), uses(module, files))).collect()
}

#[test]
fn no_module_needs_itself() {
    let folders = crates();
    assert!(folders.len() > 12);
    for folder in folders {
        let found = cycle(&graph(&folder));
        assert_eq!(found, None, "{}", folder.display());
    }
}

#[test]
fn a_cycle_would_be_found() {
    let graph = |edges: &[(&str, &str)]| {
        let mut graph: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for (a, b) in edges {
            graph.entry((*b).to_owned()).or_default();
            graph.entry((*a).to_owned()).or_default().insert((*b).to_owned());
        }
        graph
    };
    assert_eq!(cycle(&graph(&[("a", "b"), ("b", "c"), ("a", "c")])), None);
    let found = cycle(&graph(&[("a", "b"), ("b", "c"), ("c", "d"), ("d", "b")])).expect("a cycle");
    assert_eq!(found, ["b", "c", "d", "b"]);
    assert_eq!(used("use crate::{a::B, c};\n// crate::d\nlet x = crate::e::f();").len(), 3);
}
