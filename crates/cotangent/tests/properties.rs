//! The table of the book in which every method stands with what it claims and what was measured.
//!
//! `COTANGENT_BLESS=1 cargo test -p cotangent --test properties` writes it anew. Sizes of rounding differ between machines:
//! compared are the models, what is claimed, and whether it holds.

mod common;

use common::run;
use serde_json::Value;
use std::path::PathBuf;

/// What a method is measured on: the first that it fits.
const PROBLEMS: [&[&str]; 6] =
    [&["pendulum"], &["henon-heiles"], &["rigid-body"], &["lorenz-86"], &["rigid-body-4"], &["eccentric-kepler"]];

/// Title of the column and key in the certificate.
const PROPERTIES: [(&str, &str); 7] = [
    ("symplectic", "symplectic_defect"),
    ("Poisson", "poisson_defect"),
    ("Casimirs", "casimir_defect"),
    ("symmetric", "symmetry_defect"),
    ("constraints", "constraint_defect"),
    ("hidden ones", "hidden_constraint_defect"),
    ("energy", "energy_defect"),
];

const HEAD: &str = "# What the methods measure

Every method on the first of a few small models that it fits, as `cotangent certify MODEL --method NAME` measures it. **Bold** is what
its card claims; the rest is measured all the same. The order is that of the claim and what the errors show; all else is relative, of one step
or along a run ([how](certify.md)); the growth is the exponent p of the energy error, which grows like tᵖ.

";

struct Row {
    cells: Vec<String>,
    /// What does not depend on the machine.
    said: String,
}

fn row(method: &str) -> Row {
    let measured = PROBLEMS.iter().find_map(|problem| {
        let words: Vec<&str> = [&["certify"], *problem, &["--method", method, "--json"]].concat();
        let ran = run(&words);
        (ran.status <= 1).then(|| (problem.join(" "), ran.json()))
    });
    let (problem, certificate) = measured.unwrap_or_else(|| panic!("`{method}` fits no problem"));
    let shown = |property: &Value, text: Option<String>| match (text, property["claimed"].as_bool()) {
        (None, _) => "–".to_owned(),
        (Some(text), Some(false)) => text,
        (Some(text), _) => format!("**{text}**"),
    };
    let order = &certificate["order"];
    let number = |value: &Value| value.as_f64().map(|x| format!("{x:.2}"));
    let mut cells = vec![format!("`{method}`"), format!("`{problem}`")];
    cells.push(format!("{}: {}", order["claimed"], number(&order["measured"]).unwrap_or("–".into())));
    for (_, key) in PROPERTIES {
        let property = &certificate[key];
        cells.push(shown(property, property["measured"].as_f64().map(|x| format!("{x:.0e}"))));
    }
    let growth = &certificate["energy_drift_exponent"];
    cells.push(shown(growth, number(&growth["measured"])));
    let claims = PROPERTIES.map(|(_, key)| format!("{}", certificate[key]["claimed"])).join(" ");
    Row { said: format!("{method} {problem} {} {claims} {}", order["claimed"], certificate["held"]), cells }
}

#[test]
fn every_method_is_in_the_table_and_holds_what_it_claims() {
    let methods = run(&["methods", "--json"]).json();
    let names = methods["methods"].as_array().expect("a list").iter().map(|m| m["name"].as_str().expect("a name"));
    let rows: Vec<Row> = names.map(row).collect();
    let titles: Vec<&str> = ["method", "model", "order"]
        .into_iter()
        .chain(PROPERTIES.iter().map(|(title, _)| *title))
        .chain(["growth"])
        .collect();
    let line = |cells: &[String]| format!("| {} |\n", cells.join(" | "));
    let own: Vec<String> = titles.iter().map(|title| (*title).to_owned()).collect();
    let mut page = HEAD.to_owned() + &line(&own) + &line(&vec!["---".to_owned(); titles.len()]);
    rows.iter().for_each(|row| page += &line(&row.cells));
    page += "\n<!--\n";
    rows.iter().for_each(|row| page += &format!("{}\n", row.said));
    page += "-->\n";
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs/src/properties.md");
    if std::env::var_os("COTANGENT_BLESS").is_some() {
        std::fs::write(&path, &page).expect("the page is written");
    }
    let kept = std::fs::read_to_string(&path).expect("the page");
    let said = |text: &str| text.split_once("<!--").map(|(_, rest)| rest.to_owned());
    assert_eq!(said(&kept), said(&page));
    for row in &rows {
        assert!(!row.said.ends_with("false"), "{}: a claim does not hold", row.said);
    }
}
