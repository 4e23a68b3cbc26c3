//! What the language page of the book says is so: its examples parse, its table of mistakes shows
//! the messages, its limits are those of the code.

#[allow(dead_code)]
mod pages;

use cotangent::System;
use cotangent::expr::{MAX_DEPTH, MAX_NODES, MAX_POINTS, MAX_WIDTH};
use cotangent::model::{limits, syntax};
use pages::{blocks, read};

/// The lines of the table under a heading, each as its cells.
fn table<'a>(page: &'a str, heading: &str) -> Vec<Vec<&'a str>> {
    let (_, section) = page.split_once(&format!("\n## {heading}\n")).expect("the heading");
    let section = section.split("\n## ").next().unwrap_or("");
    let cells = |line: &'a str| line.trim_matches('|').split(" | ").map(str::trim).collect::<Vec<_>>();
    section.lines().filter(|l| l.starts_with('|')).skip(2).map(cells).collect()
}

#[test]
fn every_example_of_a_statement_parses() {
    let page = read("docs/src/language.md");
    let mut examples = 0;
    for block in blocks(&page).iter().filter(|b| b.info == "text" && !b.content.starts_with("file ")) {
        if let Err(errors) = syntax::parse(block.content).into_result() {
            panic!("docs/src/language.md:{}: {errors}", block.line);
        }
        examples += 1;
    }
    assert!(examples > 15, "{examples} examples");
}

/// For each line of the table of mistakes, models that make it.
const MISTAKES: &[(&str, &[&str])] = &[
    (
        "`2x`, `x y`, `(a)(b)`",
        &["coord x\nhamiltonian 2x", "coord x, y\nhamiltonian x y", "coord a, b\nhamiltonian (a)(b)"],
    ),
    ("`x**2`", &["coord x\nhamiltonian x**2"]),
    ("`sin x`, `sin^2(x)`", &["coord x\nhamiltonian sin x", "coord x\nhamiltonian sin^2(x)"]),
    ("`ln(x)`", &["coord x\nhamiltonian ln(x)"]),
    ("`1.`, `.5`", &["coord x\nhamiltonian 1.*x", "coord x\nhamiltonian .5*x"]),
    ("`θ`, `−`, `²`, `′`", &["coord θ\nhamiltonian 1"]),
    ("`x''`", &["coord x\nlagrangian x''"]),
    ("`x'[i]`", &["coord x[i in 1..3]\nlagrangian sum(i in 1..3, x'[i]^2)"]),
    ("`w'` where `let w = x*p_x`", &["coord x\nlet w = x*p_x\nlagrangian x'^2\nobserve e = w'"]),
    ("`dot(x)`, `diff(x, t)`", &["coord x\nlagrangian dot(x)^2"]),
    ("`xdot`, `x_dot`, `vx`", &["coord x\nlagrangian xdot^2"]),
    ("`p` for the momentum of `x`", &["coord x\nhamiltonian p^2"]),
    ("`t`, `time`", &["coord x\nhamiltonian x*t"]),
    ("`45°`", &["coord x\nhamiltonian p_x^2/2\ninitial x = 45°"]),
    ("`observe x = 2*x`", &["coord x\nhamiltonian p_x^2/2\nobserve x = 2*x"]),
    ("`5 m`, `9.81 m/s^2`", &["param l = 5 m\ncoord x\nhamiltonian l*x"]),
    ("`constraint x^2 + y^2 = 1`", &["coord x, y\nhamiltonian x\nconstraint x^2 + y^2 = 1"]),
    ("`constraint rod: x^2 - 1`", &["coord x\nhamiltonian x\nconstraint rod: x^2 - 1"]),
    ("`hamiltonian H = p^2/2`", &["coord q momentum p\nhamiltonian H = p^2/2"]),
    ("`coord x = 1`", &["coord x = 1\nhamiltonian x"]),
    ("`param m > 1`", &["param m > 1\ncoord x\nhamiltonian m*x"]),
    ("`coord x[n]`", &["param n : int = 3\ncoord x[n]\nhamiltonian 1"]),
    ("`param m[i in 1..4] = (1, 2, 3)`", &["param m[i in 1..4] = (1, 2, 3)\ncoord x\nhamiltonian m[1]*x"]),
    (
        "`if(1 < i < n, a, b)`",
        &["param n : int = 4, a = 1, b = 2\nparam m[i in 1..n] = if(1 < i < n, a, b)\ncoord x\nhamiltonian m[1]*x"],
    ),
    ("`if(i = 1, a, b)` in an energy", &["param a = 1, b = 2\ncoord x\nhamiltonian sum(i in 1..2, if(i = 1, a, b)*x)"]),
    ("`sum(i in 1:n, …)`", &["param n : int = 3\ncoord x[i in 1..n]\nhamiltonian sum(i in 1:n, x[i])"]),
    ("`model rigid-body`", &["model rigid-body\ncoord x\nhamiltonian x"]),
    ("a statement on an indented line", &["coord x\n  hamiltonian x"]),
    ("a continuation in the first column", &["coord x\nhamiltonian x +\np_x^2"]),
    ("a name that nothing declares", &["param length = 1\ncoord x\nhamiltonian lenght*x"]),
    ("`p_x` in a Lagrangian", &["coord x\nlagrangian p_x^2/2"]),
    ("`x'` in a Hamiltonian", &["coord x\nhamiltonian x'^2/2"]),
    ("`x'` under `constraint`", &["coord x, y\nlagrangian x'^2/2\nconstraint c: x' - y = 0"]),
    (
        "`x[i-1]` with i from 1",
        &["param n : int = 10\ncoord x[i in 1..n]\nhamiltonian sum(i in 1..n, (x[i] - x[i-1])^2)"],
    ),
    ("`x` for a family", &["coord x[i in 1..3]\nhamiltonian x^2"]),
    ("`let a = b`, `let b = a`", &["coord x\nlet a = b\nlet b = a\nhamiltonian a*x"]),
    ("two Hamiltonians", &["coord x\nhamiltonian x\nhamiltonian p_x"]),
    ("`friction`, `damping`", &["coord x\nhamiltonian p_x^2/2\nfriction 0.1*x"]),
];

#[test]
fn the_table_of_mistakes_shows_the_messages() {
    let page = read("docs/src/language.md");
    let rows = table(&page, "Frequent mistakes");
    let listed: Vec<&str> = rows.iter().map(|r| r[0]).collect();
    assert_eq!(listed, MISTAKES.iter().map(|m| m.0).collect::<Vec<_>>());
    let mut wrong = vec![];
    for (row, (_, models)) in rows.iter().zip(MISTAKES) {
        for model in *models {
            let found = System::parse(model).expect_err(model);
            let messages = found.iter().map(|d| format!("[{}] {}", d.code, d.message)).collect::<Vec<_>>();
            // A message may be cut short.
            let fits = |m: &String| row[1].strip_suffix(" …").map_or(m == row[1], |start| m.starts_with(start));
            if !messages.iter().any(fits) {
                wrong.push(format!("{}\n  page: {}\n  code: {messages:?}", row[0], row[1]));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_function_is_in_the_table() {
    let page = read("docs/src/language.md");
    let rows = table(&page, "Functions");
    let (_, grammar) = page.split_once("FUNCTION    = ").expect("the grammar");
    let names = grammar.split(';').next().unwrap_or("").split('"').skip(1).step_by(2);
    for name in names {
        assert!(rows.iter().any(|r| r[0].contains(&format!("`{name}("))), "{name}");
    }
}

#[test]
fn every_statement_word_has_its_section() {
    let page = read("docs/src/language.md");
    let (_, grammar) = page.split_once("statement   = ").expect("the grammar");
    let words = grammar.split(';').next().unwrap_or("").split('"').skip(1).step_by(2);
    for word in words.filter(|w| *w != ",") {
        let known = page.lines().any(|l| l.starts_with("### ") && l.contains(&format!("`{word}`")));
        assert!(known, "no section for `{word}`");
    }
}

/// A number with commas, as the page writes it.
fn shown(number: u64) -> String {
    let digits = number.to_string();
    let groups: Vec<&str> =
        digits.as_bytes().rchunks(3).rev().map(|g| std::str::from_utf8(g).expect("digits")).collect();
    groups.join(",")
}

#[test]
fn the_limits_are_those_of_the_code() {
    let page = read("docs/src/language.md");
    let rows = table(&page, "Limits");
    let said = |what: &str| rows.iter().find(|r| r[0] == what).map(|r| r[1]).expect(what);
    let mebibytes = limits::MAX_SOURCE_BYTES >> 20;
    assert_eq!(said("a file"), format!("{mebibytes} MiB, {} statements", shown(limits::MAX_STATEMENTS as u64)));
    assert_eq!(said("brackets, exponents and signs inside one another"), shown(limits::MAX_NESTING as u64));
    assert_eq!(said("digits in the exponent of a number"), shown(limits::MAX_EXPONENT_DIGITS as u64));
    assert_eq!(said("points of a sum or a constraint"), shown(MAX_POINTS));
    assert_eq!(said("nodes visited by one derivative"), shown(MAX_NODES));
    let put_in = "after `let`s are put in";
    assert_eq!(said(&format!("operations inside one another, {put_in}")), shown(MAX_DEPTH.into()));
    assert_eq!(said(&format!("members of one written sum or product, {put_in}")), shown(MAX_WIDTH as u64));
    let nodes = format!("nodes: {}", said("nodes of the expressions of a model").replace(',', "_"));
    assert!(read("crates/model/src/elaborate/mod.rs").contains(&nodes), "{nodes}");
    assert_eq!(
        said("mistakes shown"),
        format!("{}; the rest are counted", shown(limits::MAX_RENDERED_DIAGNOSTICS as u64))
    );
    // Those that are not constants of the interface: the model at the limit passes, the next does not.
    let ends = |what: &str, model: &dyn Fn(u64) -> String| {
        let limit: u64 = said(what).replace(',', "").parse().expect(what);
        assert!(System::parse(&model(limit)).is_ok(), "{what}: {limit} is refused");
        assert!(System::parse(&model(limit + 1)).is_err(), "{what}: {} passes", limit + 1);
    };
    ends("members of a family", &|n| format!("coord x[i in 1..{n}]\nhamiltonian x[1]*p_x[1]"));
    ends("factors of a `product`", &|n| format!("coord x\nhamiltonian x*product(i in 1..{n}, 1 + i/100000)"));
    ends("indices inside one another", &|n| {
        let ranges: Vec<String> = (0..n).map(|k| format!("i{k} in 1..1")).collect();
        format!("coord x\nhamiltonian sum({}, x)", ranges.join(", "))
    });
    ends("an integer, in magnitude", &|n| format!("param n : int = {n}\ncoord x\nhamiltonian n*x"));
    ends("order of a `stumpff`", &|n| format!("coord x\nhamiltonian stumpff({n}, x)"));
}
