//! `compare`: what is shown, what is refused, and that a row that fails is a row.

mod common;

use common::{run, run_in};
use insta::assert_snapshot;
use serde_json::{Value, json};

fn compare(arguments: &[&str]) -> common::Ran {
    run(&[&["compare"], arguments].concat())
}

fn rows(found: &Value) -> &Vec<Value> {
    found["rows"].as_array().expect("rows")
}

#[test]
fn the_pendulum_in_several_formulations() {
    let list = "multipliers,standard,dirac,hamilton-dirac,impetus-striction,ggl,baumgarte,penalty,linear-projected";
    assert_snapshot!(compare(&["pendulum", "--formulations", list, "--step", "0.05", "--until", "50"]).show());
}

#[test]
fn every_formulation_is_tried_and_what_runs_off_is_a_row() {
    let ran = compare(&["pendulum", "--step", "0.05", "--until", "20", "--json"]);
    assert_eq!(ran.status, 0);
    let found = ran.json();
    let of = |name: &str| rows(&found).iter().find(|r| r["formulation"] == name).unwrap_or_else(|| panic!("{name}"));
    let stability = |name: &str| {
        let list = found["formulations"].as_array().unwrap();
        list.iter().find(|f| f["name"] == name).unwrap()["stability"].clone()
    };
    let tried = rows(&found).len()
        + found["skipped"]
            .as_array()
            .unwrap()
            .iter()
            .map(|s| s["formulations"].as_array().unwrap().len())
            .sum::<usize>();
    let all = cotangent::theory::Formulation::ALL.into_iter().filter(|f| !f.is_for_brackets() && !f.has_time());
    assert_eq!(tried, all.count());
    // `total` is seen to be unstable, `dirac` bounded, `hamilton-dirac` exact.
    assert_eq!((&of("total")["status"], &stability("total")["verdict"]), (&json!("failed"), &json!("saddle")));
    assert!(of("total")["failure"]["code"].is_string() && of("total")["time"].as_f64().unwrap() < 10.0);
    assert_eq!((&of("dirac")["status"], &stability("dirac")["verdict"]), (&json!("finished"), &json!("centre")));
    let exact = of("hamilton-dirac");
    for key in ["energy", "constraints", "hidden_constraints"] {
        assert_eq!(exact[key]["round_off"], true, "{exact}");
        assert!(exact[key]["value"].as_f64().unwrap() < 1e-12);
    }
    assert_eq!(stability("hamilton-dirac")["verdict"], "neutral");
    assert_eq!(stability("multipliers")["verdict"], Value::Null);
    assert_eq!(stability("baumgarte")["verdict"], "damped");
    assert_eq!(found["reference"]["until"], 20.0);
    assert!(exact["seconds"].is_number() && exact["error"]["value"].as_f64().unwrap() < 1e-3);
}

/// The stability of each formulation, by name.
fn stabilities(found: &Value) -> Vec<(String, Value)> {
    let list = found["formulations"].as_array().expect("formulations");
    list.iter().map(|f| (f["name"].as_str().expect("a name").to_owned(), f["stability"].clone())).collect()
}

#[test]
fn a_rate_is_one_number_in_words_and_in_json() {
    let list = "total,dirac,baumgarte";
    for (model, until) in [("pendulum", "5"), ("double-pendulum", "4"), ("crane", "2")] {
        let found = compare(&[model, "--formulations", list, "--until", until, "--json"]).json();
        for (name, stability) in stabilities(&found) {
            let (meaning, exponent) = (stability["meaning"].as_str().unwrap(), stability["exponent"].as_f64().unwrap());
            let Some((_, rest)) = meaning.split_once("e^(") else { continue };
            let (rate, rest) = rest.split_once(" t)").unwrap_or_else(|| panic!("{meaning}"));
            let rate: f64 = rate.parse().unwrap_or_else(|_| panic!("{meaning}"));
            assert!((rate - exponent).abs() <= 0.005 * exponent.abs(), "{model}, {name}: {meaning} and {exponent}");
            let told = rest.starts_with(" until t = ") || rest.starts_with(" from period to period (");
            // Of Baumgarte's stabilisation φ̈ + 2α φ̇ + β² φ = 0 holds at all times, whatever the motion is.
            let told = if name == "baumgarte" && model == "pendulum" { rest == " for ever" } else { told };
            assert!(told, "for which time: {meaning}");
        }
    }
}

#[test]
fn manifolds_that_are_invariant_are_said_to_be_on_shipped_models_where_something_rests() {
    let list = "standard,hamilton-dirac,impetus-striction,ggl,penalty";
    for model in ["four-bar", "tree"] {
        let found = compare(&[model, "--formulations", list, "--until", "0.5", "--json"]).json();
        for (name, stability) in stabilities(&found) {
            let expected = if name == "penalty" { "not-invariant" } else { "neutral" };
            assert_eq!(stability["verdict"], expected, "{model}, {name}: {stability}");
        }
    }
}

#[test]
fn residuals_are_those_of_constraints_or_of_hidden_ones_whatever_their_numbers() {
    // Two constraints from the Lagrangian, and none hidden.
    let found = compare(&["landau", "--until", "1", "--json"]).json();
    let row = &rows(&found)[0];
    assert!(row["constraints"]["final"].is_number() && row["hidden_constraints"]["final"].is_null(), "{row}");
}

#[test]
fn what_would_fill_the_memory_is_left_out_with_its_size() {
    let text = "param n : int = 1000\ncoord x[i in 1..n], y[i in 1..n]\n\
        lagrangian sum(i in 1..n, (x[i]'^2 + y[i]'^2)/2 - y[i])\n\
        constraint rod[i in 1..n]: (x[i]^2 + y[i]^2 - 1)/2 = 0\ninitial x[i in 1..n] = 1\nrun step = 0.01, until = 0.02\n";
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("many.cot"), text).expect("written");
    let list = "multipliers,hamilton-dirac,local-chart";
    let ran = run_in(folder.path(), &["compare", "many.cot", "--formulations", list, "--json"], b"");
    let found = ran.json();
    let ran: Vec<_> = rows(&found).iter().map(|r| (r["method"].clone(), r["status"].clone())).collect();
    assert_eq!(ran, [(json!("rattle"), json!("finished")), (json!("rk4"), json!("finished"))], "{found}");
    let skipped = found["skipped"].as_array().unwrap();
    assert!(skipped.iter().all(|s| s["reason"]["message"].as_str().unwrap().contains(" GB")), "{skipped:?}");
    assert_eq!(skipped.len(), 3, "gauss, radau-2a and the charts: {skipped:?}");
}

#[test]
fn seilers_experiment() {
    let arguments = [
        "pendulum",
        "--formulations",
        "standard",
        "--methods",
        "rk4",
        "--step",
        "0.025",
        "--until",
        "1023",
        "--projections",
        "none,momentum",
        "--project-above",
        "1e-6",
        "--json",
    ];
    let found = compare(&arguments).json();
    let [none, momentum] = &rows(&found)[..] else { panic!("{found}") };
    let grows = |row: &Value, expected: [(&str, f64); 3]| {
        for (key, p) in expected {
            let exponent = row[key]["exponent"].as_f64().unwrap();
            assert!((exponent - p).abs() < 0.1, "{key}: {exponent}, expected {p}");
        }
    };
    grows(none, [("error", 3.0), ("energy", 2.0), ("constraints", 2.0)]);
    grows(none, [("hidden_constraints", 1.0); 3]);
    grows(momentum, [("error", 2.0), ("energy", 1.0), ("constraints", 1.0)]);
    assert_eq!(momentum["work"]["momentum_projections"], 155);
    assert!((momentum["constraints"]["final"].as_f64().unwrap() + 5.167142e-4).abs() < 5e-10);
}

#[test]
fn the_free_number_of_dirac_decides_what_its_manifold_is() {
    let verdict = |alpha: &str| {
        let opt = format!("alpha={alpha}");
        let found = compare(&["pendulum", "--formulations", "dirac", "--opt", &opt, "--until", "5", "--json"]).json();
        found["formulations"][0]["stability"]["verdict"].as_str().unwrap().to_owned()
    };
    assert_eq!((verdict("1").as_str(), verdict("6").as_str()), ("centre", "saddle"));
}

#[test]
fn stages_go_to_the_methods_that_have_them() {
    let found =
        compare(&["pendulum", "--stages", "3", "--formulations", "ggl,multipliers", "--until", "1", "--json"]).json();
    assert_eq!((&rows(&found)[0]["stages"], &rows(&found)[1]["method"]), (&json!(3), &json!("rattle")));
}

#[test]
fn several_steps_methods_and_projections_are_multiplied() {
    let found = compare(&[
        "double-pendulum",
        "--formulations",
        "multipliers,hamilton-dirac",
        "--methods",
        "rattle,rk4",
        "--steps-list",
        "0.02,0.04",
        "--until",
        "1",
        "--projections",
        "none,both",
        "--json",
    ])
    .json();
    // Two methods that fit one formulation each, two steps, two projections.
    assert_eq!(rows(&found).len(), 8);
    assert_eq!(found["steps"], json!([0.04, 0.02]));
    assert_eq!(found["skipped"].as_array().unwrap().len(), 4, "{}", found["skipped"]);
}

#[test]
fn without_constraints_one_formulation_is_enough() {
    assert_snapshot!(compare(&["rigid-body", "--methods", "implicit-midpoint,rk4,rattle", "--until", "40"]).show());
}

#[test]
fn where_nothing_fits_the_status_says_so() {
    // Only the analysis leads to equations; where it does not either, it says why.
    assert_snapshot!(compare(&["bicycle", "--step", "0.1", "--until", "1"]).show());
    assert_eq!(compare(&["einbein"]).status, 2);
    let ran = compare(&["pendulum", "--formulations", "standard", "--methods", "rattle", "--json"]);
    assert_eq!((ran.status, rows(&ran.json()).len()), (1, 0));
}

#[test]
fn what_makes_no_sense_is_refused() {
    let requests: [&[&str]; 19] = [
        &["--formulations", "dirak"],
        &["--formulations", ""],
        &["--formulations", "dirac,,total"],
        &["--formulations", "dirac,dirac"],
        &["--methods", "rattel"],
        &["--methods", "rk4,rk4"],
        &["--methods", "rk4", "--stages", "3"],
        &["--projections", "momenta"],
        &["--project-above", "1e-6"],
        &["--projections", "none,symmetric", "--project-above", "1e-6"],
        &["--step", "0"],
        &["--steps-list", "0.1,-0.1"],
        &["--steps-list", "0.1,0.1"],
        &["--steps-list", "0.1,x"],
        &["--step", "0.1", "--steps-list", "0.1"],
        &["--until", "0"],
        &["--step", "1e-12"],
        &["--opt", "gamma=2"],
        &["--set", "x=0.8"],
    ];
    let mut text = String::new();
    for request in requests {
        let ran = compare(&[&["pendulum"], request].concat());
        assert_eq!(ran.status, 2, "{request:?}");
        text += &format!("$ compare pendulum {}\n{}", request.join(" "), ran.stderr);
        let json = compare(&[&["pendulum", "--json"], request].concat()).json();
        assert!(json["error"]["code"].is_string());
    }
    assert_snapshot!(text);
    let many = (1..=200).map(|k| format!("0.{k:03}")).collect::<Vec<_>>().join(",");
    let ran = compare(&["pendulum", "--steps-list", &many]);
    assert_eq!(ran.status, 2);
    assert!(ran.stderr.contains("combinations, and at most"), "{}", ran.stderr);
}

#[test]
fn figures_and_reports_are_written() {
    let folder = tempfile::tempdir().unwrap();
    let short = ["compare", "pendulum", "--formulations", "dirac,ggl", "--until", "2"];
    for steps in ["0.1", "0.1,0.05"] {
        let more = ["--steps-list", steps, "--plot", "a.svg", "--report", "a.html"];
        let ran = run_in(folder.path(), &[&short[..], &more].concat(), b"");
        assert_eq!(ran.status, 0, "{}", ran.stderr);
        let svg = std::fs::read_to_string(folder.path().join("a.svg")).unwrap();
        assert!(svg.contains("dirac") && svg.contains("ggl"));
        let html = std::fs::read_to_string(folder.path().join("a.html")).unwrap();
        assert!(html.contains("Stability of the constraint manifold") && html.contains("Formulation dirac"));
    }
    let ran = run_in(folder.path(), &[&short[..], &["--plot", "a.pdf"]].concat(), b"");
    assert_eq!((ran.status, ran.stdout.as_str()), (2, ""));
}

#[cfg(unix)]
#[test]
fn an_interrupt_keeps_the_rows_done_so_far() {
    use std::process::{Command, Stdio};
    // The first row takes a moment, the second days.
    let child = Command::new(env!("CARGO_BIN_EXE_cotangent"))
        .args(["compare", "pendulum", "--formulations", "multipliers", "--steps-list", "500,2e-7", "--until", "1000"])
        .arg("--json")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    std::thread::sleep(std::time::Duration::from_secs(6));
    let killed = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(killed.success());
    let output = child.wait_with_output().unwrap();
    let found: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((output.status.code(), &found["status"]), (Some(3), &json!("interrupted")));
    assert_eq!(rows(&found).len(), 2);
    assert_eq!((&rows(&found)[0]["status"], &rows(&found)[1]["status"]), (&json!("failed"), &json!("interrupted")));
}

#[test]
fn charts_are_those_that_are_named() {
    let charted = |charts: &[&str]| {
        let common = ["pendulum", "--formulations", "local-chart,ggl", "--step", "0.05", "--until", "10", "--json"];
        compare(&[&common[..], charts].concat())
    };
    // A single chart ends where its coordinate does not tell the points of the circle apart.
    let [both, one] = [charted(&["--chart", "x", "--chart", "y"]), charted(&["--chart", "x"])].map(|ran| ran.json());
    assert_eq!(rows(&both)[0]["status"], "finished");
    assert_eq!((&rows(&one)[0]["status"], &rows(&one)[1]["status"]), (&json!("failed"), &json!("finished")));
    let refused = charted(&["--chart", "z"]);
    assert_eq!((refused.status, refused.json()["error"]["code"].clone()), (2, json!("unknown-coordinate")));
    let nowhere = compare(&["pendulum", "--formulations", "ggl", "--chart", "x", "--json"]);
    assert_eq!((nowhere.status, nowhere.json()["error"]["code"].clone()), (2, json!("no-charts")));
}

#[test]
fn the_rows_of_a_comparison_are_a_table() {
    let folder = tempfile::tempdir().unwrap();
    let command = ["compare", "pendulum", "--methods", "rattle,rk4", "--until", "1", "--csv", "rows.csv", "--json"];
    let found = run_in(folder.path(), &command, b"").json();
    assert_eq!(found["out"], "rows.csv");
    let table = std::fs::read_to_string(folder.path().join("rows.csv")).unwrap();
    let mut lines = table.lines();
    let names: Vec<&str> = lines.next().unwrap().split(',').collect();
    let rows = found["rows"].as_array().unwrap();
    assert_eq!(lines.clone().count(), rows.len());
    for (line, row) in lines.zip(rows) {
        let cell = |name: &str| line.split(',').nth(names.iter().position(|n| *n == name).unwrap()).unwrap();
        assert_eq!(
            (cell("method"), cell("formulation")),
            (row["method"].as_str().unwrap(), row["formulation"].as_str().unwrap())
        );
        assert_eq!(cell("error").parse::<f64>().ok(), row["error"]["value"].as_f64());
        assert_eq!(cell("residual").parse::<f64>().ok(), row["constraints"]["value"].as_f64());
    }
    let refused = run_in(folder.path(), &["compare", "pendulum", "--csv", "rows.txt"], b"");
    assert_eq!(refused.status, 2);
    assert!(refused.stderr.contains("ends in `.csv`"), "{}", refused.stderr);
}

#[test]
fn a_figure_says_how_many_combinations_it_does_not_show() {
    let folder = tempfile::tempdir().expect("a folder");
    let figure = |steps: &[&str]| {
        let arguments =
            ["compare", "pendulum", "--formulations", "multipliers,standard", "--until", "6", "--plot", "a.svg"];
        let found = run_in(folder.path(), &[&arguments[..], steps].concat(), b"");
        assert_ne!(found.status, 2, "{}", found.show());
        std::fs::read_to_string(folder.path().join("a.svg")).expect("the figure")
    };
    // A step of 2 cannot be made in either formulation.
    assert!(figure(&["--steps-list", "2,0.05"]).contains("to t = 6; 2 not drawn: failed, or far off<"));
    assert!(figure(&["--step", "2"]).contains("to t = 6; 2 not drawn: failed, or far off<"));
    assert!(!figure(&["--step", "0.05"]).contains("not drawn"));
}
