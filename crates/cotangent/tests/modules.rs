//! The modules of a crate use each other in one direction: no module needs, by way of others, itself.

#[allow(dead_code)]
mod pages;

use pages::root;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Crate, folder and modules that need each other.
///
/// A data type is recursive over files: a leaf of an expression is an entry of an array, an array may be defined by a
/// tensor, a tensor has terms with expressions; an error may quote an expression. Formulas of formulations are made of
/// the vector field that a motion holds. Statements and drawings of a model share labels.
const RECURSIVE: [(&str, &str, &[&str]); 3] = [
    ("expr", "", &["array", "domain", "error", "expr", "layout", "tensor"]),
    ("theory", "formulation", &["algebra", "local_chart", "motion"]),
    ("model", "elaborate", &["draw", "statements"]),
];

/// The folders of crates.
fn crates() -> Vec<PathBuf> {
    let all = std::fs::read_dir(root().join("crates")).expect("the crates");
    let mut all: Vec<PathBuf> = all.map(|entry| entry.expect("a crate").path()).collect();
    all.sort();
    all
}

/// The place of a module in its crate: the names on the way to it.
type Place = Vec<String>;

/// All modules of a crate, with their texts without comments and tests.
fn modules(sources: &Path) -> BTreeMap<Place, String> {
    fn visit(path: &Path, place: &[String], out: &mut BTreeMap<Place, String>) {
        for entry in std::fs::read_dir(path).expect("a folder") {
            let path = entry.expect("an entry").path();
            let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
            let below = [place, std::slice::from_ref(&name)].concat();
            if path.is_dir() {
                visit(&path, &below, out);
            } else if path.extension().is_some_and(|e| e == "rs") {
                let own = if ["lib", "main", "mod"].contains(&name.as_str()) { place.to_vec() } else { below };
                *out.entry(own).or_default() += &code(&std::fs::read_to_string(&path).expect("a source"));
            }
        }
    }
    let mut out = BTreeMap::new();
    visit(sources, &[], &mut out);
    out
}

/// A text without its comments and its module of tests.
fn code(text: &str) -> String {
    let code = text.split("#[cfg(test)]\nmod tests").next().unwrap_or_default();
    code.lines().map(|line| line.split("//").next().unwrap_or_default().to_owned() + "\n").collect()
}

/// The paths in a text that begin with one of these words; of a list in braces each.
fn paths(code: &str, beginning: &[&str]) -> Vec<Place> {
    fn is_word(c: char) -> bool {
        c.is_alphanumeric() || c == '_'
    }
    /// Reads what follows a path so far; what is left of the text.
    fn read<'a>(text: &'a str, path: &[String], out: &mut Vec<Place>) -> &'a str {
        let text = text.trim_start();
        if let Some(mut rest) = text.strip_prefix('{') {
            loop {
                rest = read(rest, path, out).trim_start();
                match rest.strip_prefix(',') {
                    Some(more) => rest = more,
                    None => return rest.strip_prefix('}').unwrap_or(rest),
                }
            }
        }
        let (word, rest) = text.split_at(text.find(|c| !is_word(c)).unwrap_or(text.len()));
        let path = [path, &[word.to_owned()]].concat();
        match rest.strip_prefix("::") {
            Some(more) if !word.is_empty() && !more.starts_with('<') => read(more, &path, out),
            _ => {
                out.push(path);
                rest
            }
        }
    }
    let mut out = vec![];
    for (k, _) in code.match_indices("::") {
        let start = code[..k].rfind(|c| !is_word(c)).map_or(0, |j| j + 1);
        if beginning.contains(&&code[start..k]) && !code[..start].ends_with("::") {
            read(&code[start..], &[], &mut out);
        }
    }
    out
}

/// The module that an absolute path leads to, by names that other modules hand on.
fn module(
    path: &[String],
    modules: &BTreeMap<Place, String>,
    handed: &BTreeMap<Place, BTreeMap<String, String>>,
) -> Place {
    let mut at = vec![];
    let mut rest = path;
    while let Some((name, after)) = rest.split_first() {
        let below = [&at[..], std::slice::from_ref(name)].concat();
        if modules.contains_key(&below) {
            (at, rest) = (below, after);
        } else if let Some(child) = handed.get(&at).and_then(|own| own.get(name)) {
            at.push(child.clone());
        } else {
            break;
        }
    }
    at
}

/// The names that each module hands on from one of its own, and from which: `pub use child::Name`.
fn handed(modules: &BTreeMap<Place, String>) -> BTreeMap<Place, BTreeMap<String, String>> {
    let own = |place: &Place, code: &str| {
        let children: Vec<&str> = modules
            .keys()
            .filter(|m| m.len() == place.len() + 1 && m.starts_with(place))
            .filter_map(|m| m.last().map(String::as_str))
            .collect();
        let uses: String = code.split(';').filter(|s| s.contains("pub") && s.contains("use ")).collect();
        let found = paths(&uses, &children).into_iter().filter(|path| path.len() > 1);
        found.filter_map(|path| Some((path.last()?.clone(), path.first()?.clone()))).collect()
    };
    modules.iter().map(|(place, code)| (place.clone(), own(place, code))).collect()
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

/// Which modules use which.
fn uses(modules: &BTreeMap<Place, String>) -> Vec<(Place, Place)> {
    let handed = handed(modules);
    let mut out = vec![];
    for (place, code) in modules {
        for path in paths(code, &["crate", "super"]) {
            let up = path.iter().take_while(|name| *name == "super").count();
            let absolute = match up {
                0 => path[1..].to_vec(),
                _ => [&place[..place.len().saturating_sub(up)], &path[up..]].concat(),
            };
            out.push((place.clone(), module(&absolute, modules, &handed)));
        }
    }
    out
}

/// The graph of the modules side by side in a folder, each with all that is in it.
fn graph(folder: &[String], uses: &[(Place, Place)]) -> BTreeMap<String, BTreeSet<String>> {
    let inside = |place: &Place| place.starts_with(folder).then(|| place.get(folder.len()).cloned()).flatten();
    let mut graph: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (from, to) in uses {
        if let (Some(from), Some(to)) = (inside(from), inside(to))
            && from != to
        {
            graph.entry(to.clone()).or_default();
            graph.entry(from).or_default().insert(to);
        }
    }
    graph
}

#[test]
fn no_module_needs_itself() {
    let folders = crates();
    assert!(folders.len() > 12);
    for folder in folders {
        let name = folder.file_name().expect("a name").to_string_lossy().into_owned();
        let modules = modules(&folder.join("src"));
        let uses = uses(&modules);
        let parents: BTreeSet<&[String]> = modules.keys().filter_map(|m| m.split_last()).map(|(_, up)| up).collect();
        for parent in parents {
            let mut graph = graph(parent, &uses);
            for (_, place, names) in RECURSIVE.iter().filter(|(own, ..)| *own == name) {
                let is_known = |m: &String| parent.join("/") == *place && names.contains(&m.as_str());
                graph.iter_mut().filter(|(m, _)| is_known(m)).for_each(|(_, used)| used.retain(|m| !is_known(m)));
            }
            assert_eq!(cycle(&graph), None, "{name}/{}", parent.join("/"));
        }
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
    let text = "use crate::{a::B, c};\n// crate::d\nlet x = crate::e::f();\nuse super::g::{self, H as I};";
    let found: Vec<String> = paths(&code(text), &["crate", "super"]).iter().map(|path| path.join("::")).collect();
    assert_eq!(found, ["crate::a::B", "crate::c", "crate::e::f", "super::g::self", "super::g::H"]);
}

#[test]
fn a_cycle_in_a_folder_would_be_found_behind_a_name_that_is_handed_on() {
    let texts = [
        ("", "pub use a::Item;"),
        ("a", "use crate::b::c::d;"),
        ("b", "pub(crate) use c::{Thing, other};"),
        ("b/c", "use super::e;"),
        ("b/c/d", "use super::super::e::f;"),
        ("b/e", "use super::Thing;"),
    ];
    let place = |path: &str| path.split('/').filter(|p| !p.is_empty()).map(str::to_owned).collect::<Place>();
    let modules = texts.iter().map(|(path, text)| (place(path), (*text).to_owned())).collect();
    let uses = uses(&modules);
    assert_eq!(cycle(&graph(&[], &uses)), None);
    assert_eq!(cycle(&graph(&place("b"), &uses)).expect("a cycle"), ["c", "e", "c"]);
}
