//! Brackets that are none, and Poisson models in other coordinates.

mod common;

use common::{Ran, run, run_in};
use insta::assert_snapshot;
use serde_json::{Value, json};
use std::path::Path;

/// {x, {y, z}} + … = {x, x y} + {y, y} + {z, z} = x z: no bracket. ẋ = y z (1 − 2/3), …: H is an integral all the same.
const ALMOST: &str = "variables x, y, z\nbracket {x, y} = z, {y, z} = x*y, {z, x} = y\n\
    hamiltonian x^2 + y^2/2 + z^2/3\ninitial x = 1, y = 1/2, z = 1/5\nrun method = gauss, step = 0.05, until = 5\n";

fn piped(verb: &str, arguments: &[&str], model: &str) -> Ran {
    run_in(Path::new("."), &[&[verb, "-"], arguments].concat(), model.as_bytes())
}

#[test]
fn a_bracket_that_is_none_is_refused() {
    assert_snapshot!(piped("run", &[], ALMOST).show());
    for verb in ["run", "certify", "compare"] {
        let refused = piped(verb, &["--json"], ALMOST);
        assert_eq!((refused.status, &refused.json()["error"]["code"]), (2, &json!("not-a-bracket")), "{verb}");
    }
    let checked = piped("check", &["--json"], ALMOST);
    assert_eq!((checked.status, &checked.json()["refused"]["code"]), (0, &json!("not-a-bracket")));
}

#[test]
fn it_runs_where_that_is_allowed() {
    let allowed = ["--allow-almost-poisson", "--json"];
    let ran = piped("run", &allowed, ALMOST).json();
    assert_eq!((&ran["allow_almost_poisson"], &ran["status"]), (&json!(true), &json!("finished")));
    let almost = &ran["almost_poisson"];
    assert_eq!((&almost["variables"], &almost["sum"]), (&json!(["x", "y", "z"]), &json!("x*z")));
    assert!(almost["lost"][0].as_str().unwrap().contains("Poisson map"));
    assert!(
        ran["notes"].as_array().unwrap().iter().any(|note| note.as_str().unwrap().contains("Jacobi's identity fails"))
    );
    // gauss keeps quadratic integrals, and H is one by antisymmetry alone.
    assert!(ran["energy"]["max_abs_error"].as_f64().unwrap() < 1e-14);
    let text = piped("run", &["--allow-almost-poisson"], ALMOST).stdout;
    assert!(text.contains("none: Jacobi's identity fails"), "{text}");
    let certified = piped("certify", &[&allowed[..], &["--steps", "200"]].concat(), ALMOST).json();
    assert_eq!(certified["poisson_defect"]["verdict"], "does not apply");
    assert_eq!((&certified["held"], &certified["almost_poisson"]["sum"]), (&json!(true), &json!("x*z")));
    let compared = piped("compare", &[&allowed[..], &["--until", "1"]].concat(), ALMOST).json();
    assert_eq!(
        (compared["almost_poisson"]["sum"].clone(), compared["rows"].as_array().unwrap().len()),
        (json!("x*z"), 1)
    );
}

/// The cyclic sum is c x z: a bracket for c = 0 alone, which is the value of the model.
#[test]
fn the_identity_is_asked_for_the_values_of_the_run() {
    let text = "param c = 0\nvariables x, y, z\nbracket {x, y} = z, {y, z} = x + c*x*y, {z, x} = y\n\
                hamiltonian x^2\ninitial x = 1, y = 1\nrun step = 0.1, until = 1\n";
    let ran = piped("run", &["--json"], text).json();
    assert_eq!((&ran["status"], &ran["almost_poisson"]), (&json!("finished"), &Value::Null));
    assert_eq!(piped("run", &["--set", "c=1"], text).status, 2);
    assert_eq!(piped("check", &["--set", "c=1", "--json"], text).json()["jacobi_failure"]["sum"], "x*z");
    assert_eq!(piped("check", &["--json"], text).json()["jacobi_failure"], Value::Null);
}

/// A bracket of many variables is looked at up to a size; beyond it, that is said, and nothing waits for it.
#[test]
fn many_variables() {
    let ring = "param n : int = 9\nvariables y[i in 1..n]\n\
        bracket {y[i in 1..n], y[mod(i, n) + 1]} = y[i]*y[mod(i, n) + 1]\nhamiltonian sum(i in 1..n, y[i])\n\
        initial y[i in 1..n] = 1\nrun method = implicit-midpoint, step = 0.01\n";
    let notes = |n: &str| piped("run", &["--set", n, "--steps", "1", "--json"], ring).json()["notes"].to_string();
    assert!(!notes("n=2000").contains("Jacobi"));
    assert!(notes("n=20000").contains("not decided whether Jacobi's identity holds"));
    let refused = piped("analyze", &["--set", "n=100000"], ring);
    assert_eq!(refused.status, 2);
    // One wrong entry among two thousand is seen.
    let broken = format!("{ring}bracket {{y[1], y[4]}} = y[2]\n");
    assert_eq!(piped("run", &["--set", "n=2000", "--steps", "1"], &broken).status, 2);
}

fn state(text: &str, options: &[&str]) -> Value {
    let options =
        [&["--method", "gauss", "--stages", "6", "--step", "0.05", "--until", "2", "--json"], options].concat();
    let ran = piped("run", &options, text);
    assert_eq!(ran.status, 0, "{}", ran.stdout);
    ran.json()["state"].clone()
}

fn number(state: &Value, name: &str) -> f64 {
    state[name].as_f64().unwrap()
}

/// a = y1 + y2, b = y1 − y2: {a, b} = −2 {y1, y2} = 2 y3, {b, c} = −y1 − (−y2)… = −a + …, by hand.
#[test]
fn linear_coordinates_of_the_rigid_body() {
    let list = "a = y1 + y2, b = y1 - y2, y3 = y3";
    let printed = run(&["analyze", "rigid-body", "--coordinates", list]);
    assert_snapshot!(printed.show());
    // {a, b} = −{y1, y2} + {y2, y1} = 2 y3; {a, y3} = {y1, y3} + {y2, y3} = y2 − y1 = −b; {b, y3} = y2 + y1 = a.
    for line in ["bracket {a, b} = 2*y3", "bracket {a, y3} = -b", "bracket {b, y3} = a"] {
        assert!(printed.stdout.contains(line), "{line}");
    }
    let new = state(&printed.stdout, &[]);
    let old = state(&run(&["models", "rigid-body"]).stdout, &[]);
    let (y1, y2) = (number(&old, "y1"), number(&old, "y2"));
    assert!((number(&new, "a") - y1 - y2).abs() < 1e-13 && (number(&new, "b") - y1 + y2).abs() < 1e-13);
    assert!((number(&new, "y3") - number(&old, "y3")).abs() < 1e-13);
    let analysed = piped("analyze", &["--json"], &printed.stdout).json();
    assert_eq!(
        (&analysed["lie_algebra"]["name"], &analysed["casimirs"]["spin"]["holds"]),
        (&json!("so(3)"), &json!(true))
    );
}

/// With p = log u, q = log v the bracket −u v is constant.
#[test]
fn logarithms_of_populations() {
    let (list, back) = ("p = log(u), q = log(v)", "v = exp(q), u = exp(p)");
    let printed = run(&["analyze", "lotka-volterra", "--coordinates", list, "--inverse", back]);
    assert!(printed.stdout.contains("bracket {p, q} = -1\n"), "{}", printed.show());
    assert!(!printed.stdout.lines().any(|line| line.starts_with("hamiltonian") && line.contains("log")));
    let new = state(&printed.stdout, &[]);
    let old = state(&run(&["models", "lotka-volterra"]).stdout, &[]);
    assert!((number(&new, "p") - number(&old, "u").ln()).abs() < 1e-10);
    assert!((number(&new, "q") - number(&old, "v").ln()).abs() < 1e-10);
    assert_eq!(piped("analyze", &["--json"], &printed.stdout).json()["bracket_form"], "constant");
    // As JSON, besides the analysis.
    let found = run(&["analyze", "lotka-volterra", "--coordinates", list, "--inverse", back, "--json"]).json();
    assert_eq!((found["transformed"].as_str(), &found["rank"]), (Some(&*printed.stdout), &json!(2)));
}

#[test]
fn coordinates_that_are_none_are_refused() {
    let text = [
        vec!["u = y1 + y2"],
        vec!["a = y1, b = y2, c = y1 + y2"],
        vec!["a = y1^2, b = y2, c = y3"],
        vec!["a = y1, b = y2, c"],
        vec!["a = y1, b = y2, c = y4"],
        vec!["a = 2*y1, b = y2, c = y3", "--inverse", "y1 = a/3, y2 = b, y3 = c"],
        vec!["a = 2*y1, b = y2, c = y3", "--inverse", "y1 = a/2, y2 = b"],
        vec!["a = 2*y1, b = y2, c = y3", "--inverse", "y1 = a/2, y2 = b, x = c"],
    ];
    let shown = text.map(|list| run(&[&["analyze", "rigid-body", "--coordinates"], &list[..]].concat()).show());
    assert_snapshot!(shown.concat() + &run(&["analyze", "pendulum", "--coordinates", "u = x, v = y"]).show());
}

/// √(y3²) = |y3|: an inverse where y3 > 0 alone.
#[test]
fn an_inverse_that_has_a_root_is_not_called_too_large() {
    let inverse = ["--coordinates", "a = y1, b = y2, c = y3^2", "--inverse", "y1 = a, y2 = b, y3 = sqrt(c)"];
    let ran = run(&[&["analyze", "rigid-body", "--json"], &inverse[..]].concat());
    let error = &ran.json()["error"];
    assert_eq!((ran.status, &error["code"]), (2, &json!("undecided")), "{error}");
    let message = error["message"].as_str().unwrap();
    assert!(message.contains("y3 may come back with another sign"), "{message}");
}

#[test]
fn constraints_of_a_bracket_are_compared_in_every_formulation_that_is_for_them() {
    let ran = run(&["compare", "lorenz-86-balanced", "--until", "2", "--json"]);
    assert_eq!(ran.status, 0);
    let found = ran.json();
    let list = found["formulations"].as_array().unwrap();
    let verdict = |name: &str| {
        let one = list.iter().find(|f| f["name"] == name).unwrap_or_else(|| panic!("{name}"));
        one["stability"]["verdict"].clone()
    };
    for name in ["dirac-bracket", "slaved", "dirac-coordinates", "projected", "index-reduced"] {
        assert_eq!(verdict(name), "neutral", "{name}");
    }
    assert_eq!(verdict("penalty"), "not-invariant");
    // The same motion but for springs and the direct projection.
    for row in found["rows"].as_array().unwrap() {
        let error = row["error"]["value"].as_f64().unwrap();
        let other = row["formulation"] == "penalty" || row["formulation"] == "projected";
        assert_eq!(error < 1e-5, !other, "{row}");
    }
}

/// A pendulum as a Poisson model.
const PENDULUM: &str = "variables x, y, u, v\nbracket {x, u} = 1, {y, v} = 1\nhamiltonian u^2/2 + v^2/2 + y\n\
    constraint rod: x^2 + y^2 = 1\ninitial x = 0.8, y = -0.6\nobserve angle = atan2(x, -y)\n\
    run method = gauss, step = 0.05, until = 1.5\n";

fn said(document: &Value, what: &str) -> bool {
    document["notes"].as_array().unwrap().iter().any(|note| note.as_str().unwrap().contains(what))
}

/// The angle falls from atan2(0.8, 0.6) = 0.927: the pictures of a formulation with fewer variables show what is in the
/// table, under its name.
#[test]
fn pictures_have_the_variables_of_the_model_whatever_those_of_the_equations_are() {
    let reduced = ["--formulation", "slaved"];
    let end = piped("run", &[&reduced[..], &["--json"]].concat(), PENDULUM).json();
    let angle = end["observables"]["angle"].as_f64().unwrap();
    assert!((angle - 0.1422).abs() < 1e-4, "{angle}");
    for formulation in ["slaved", "dirac-bracket"] {
        let shown = piped("run", &["--formulation", formulation], PENDULUM).stdout;
        let line = shown.lines().find(|line| line.starts_with("  angle ")).unwrap_or_else(|| panic!("{shown}"));
        assert!(line.ends_with("0.142 to 0.927"), "{line}");
    }
    // Variables that are not in the equations: x from 0.8 to sin(0.142), y from −0.6 to −cos(0.142).
    let folder = tempfile::tempdir().unwrap();
    for (name, range) in [("x", "0.142 to 0.8"), ("y", "-0.99 to -0.6"), ("angle", "0.142 to 0.927")] {
        let asked = [&reduced[..], &["--quantities", name, "--plot", "shown.svg"]].concat();
        let ran = run_in(folder.path(), &[&["run", "-"], &asked[..]].concat(), PENDULUM.as_bytes());
        assert_eq!(ran.status, 0, "{}", ran.stderr);
        let line = ran.stdout.lines().find(|line| line.starts_with(&format!("  {name} "))).unwrap_or_default();
        assert!(line.ends_with(range), "{line}");
    }
}

#[test]
fn formulations_that_keep_some_of_the_variables_are_certified() {
    for formulation in ["slaved", "dirac-coordinates", "projected"] {
        let asked =
            ["certify", "lorenz-86-balanced", "--formulation", formulation, "--method", "gauss", "--step", "0.01"];
        let ran = run(&[&asked[..], &["--steps", "200", "--json"]].concat());
        assert_eq!(ran.status, 0, "{formulation}");
        let found = ran.json();
        assert_eq!((&found["held"], &found["order"]["held"]), (&json!(true), &json!(true)), "{formulation}");
        assert!((found["order"]["measured"].as_f64().unwrap() - 4.0).abs() < 0.1, "{formulation}");
    }
}

#[test]
fn a_motion_that_is_not_that_of_the_model_is_said_to_be_another() {
    let another = "not that of the model";
    for verb in ["run", "certify", "compare"] {
        let ran = |formulation: &str| {
            let [equations, method, length, much] = match verb {
                "compare" => ["--formulations", "--methods", "--until", "0.1"],
                "certify" => ["--formulation", "--method", "--steps", "20"],
                _ => ["--formulation", "--method", "--until", "0.1"],
            };
            run(&[verb, "lorenz-86-balanced", equations, formulation, method, "gauss", length, much, "--json"]).json()
        };
        assert!(said(&ran("projected"), another), "{verb}");
        assert!(!said(&ran("slaved"), another), "{verb}");
    }
}

/// {x, c} = −2yz.
#[test]
fn a_claimed_casimir_that_is_none_is_named_and_no_method_is_blamed() {
    let text = "variables x, y, z\nbracket {x, y} = z, {y, z} = x, {z, x} = y\nhamiltonian x^2 + y^2/2 + z^2/3\n\
        casimir c = x^2 + y^2 + 2*z^2\ninitial x = 1, y = 1/2, z = 1/5\n\
        run method = spherical-midpoint, step = 0.05, until = 5\n";
    let none = "`c` is claimed to be a Casimir and is none: {x, c} is -0.2";
    assert!(said(&piped("run", &["--json"], text).json(), none));
    let certified = piped("certify", &["--steps", "200", "--json"], text);
    let found = certified.json();
    assert!(said(&found, none), "{found}");
    assert_eq!((certified.status, &found["held"]), (0, &json!(true)));
    assert_eq!(found["casimir_defect"]["verdict"], "does not apply");
    let right = text.replace("2*z^2", "z^2");
    assert!(!said(&piped("run", &["--json"], &right).json(), "Casimir"));
}

/// No two of the constraints of the first commute; the second leads to constraints of the third generation.
#[test]
fn constraints_that_no_flow_holds_are_refused_with_the_reason_and_a_way_out() {
    let pair = "variables x, y, u, v\nbracket {x, u} = 1, {y, v} = 1\nhamiltonian (u^2 + v^2 + y^2)/2\n\
        constraint a: x = y\nconstraint b: u = v/3\ninitial x = 0.5, y = 0.5, u = 0.1, v = 0.3\n";
    let deep = "variables a, A, b, B, c, C\nbracket {a, A} = 1, {b, B} = 1, {c, C} = 1\n\
        hamiltonian A*b + B^2/2 + c^2/2 + C^2/2 + a*c + b*c*C\nconstraint g: a = 0\n\
        initial a = 0, A = 0, b = 0, B = 0, c = 0.5, C = 0.4\n";
    for (text, why) in [(pair, "no two of the constraints commute"), (deep, "are constraints again")] {
        let options = ["--method", "reich", "--step", "0.1", "--until", "1", "--project-initial", "--json"];
        let refused = piped("run", &options, text);
        let error = &refused.json()["error"];
        assert_eq!((refused.status, &error["code"]), (2, &json!("does-not-fit")), "{error}");
        let message = error["message"].as_str().unwrap();
        assert!(message.contains(why) && !message.contains("wrongly"), "{message}");
        assert!(error["help"].as_str().unwrap().contains("`gauss`"), "{error}");
    }
}

#[test]
fn a_constraint_that_follows_from_another_is_said_to_be_left_out() {
    let text = "variables x, y, u, v\nbracket {x, u} = 1, {y, v} = 1\nhamiltonian u^2/2 + v^2/2 + y\n\
        constraint a: x = 0.3\nconstraint b: 2*x = 0.6\ninitial x = 0.3\nrun method = gauss, step = 0.1, until = 1\n";
    assert!(said(&piped("run", &["--json"], text).json(), "left out `b`: it depends on other constraints"));
    let other = text.replace("2*x = 0.6", "y = 0");
    assert!(!said(&piped("run", &["--json"], &other).json(), "left out"));
}

/// H − (a + b + c) = −7 everywhere.
#[test]
fn parts_that_do_not_add_up_are_named_with_what_is_missing() {
    let text = "variables x, y, z\nbracket {x, y} = z, {y, z} = x, {z, x} = y\nhamiltonian x^2 + y^2/2 + z^2/3\n\
        split a = x^2, b = y^2/2, c = z^2/3 + 7\ninitial x = 1, y = 1/2, z = 1/5\n\
        run method = splitting-strang, step = 0.05, until = 5\n";
    let refused = piped("run", &["--json"], text).json();
    let message = refused["error"]["message"].as_str().unwrap();
    assert!(message.contains("H - (a + b + c) is -7 at x = "), "{message}");
}

/// The rod turns over: x = ±√(1 − y²) has no continuation in y. What was computed before is kept.
#[test]
fn a_run_that_comes_to_where_a_variable_has_no_value_keeps_what_it_has() {
    let text = PENDULUM.replace("x = 0.8, y = -0.6", "x = 0.6, y = -0.8, u = 0.96, v = 0.72");
    let options = ["--formulation", "slaved", "--chart", "y,v", "--method", "implicit-midpoint", "--step", "0.1"];
    let folder = tempfile::tempdir().unwrap();
    let asked =
        [&["run", "-"], &options[..], &["--until", "4", "--out", "rows.csv", "--record", "1", "--json"]].concat();
    let ran = run_in(folder.path(), &asked, text.as_bytes());
    let found = ran.json();
    assert_eq!((ran.status, &found["status"]), (3, &json!("failed")), "{found}");
    assert!(found["time"].as_f64().unwrap() > 0.5 && found["state"]["y"].is_number(), "{found}");
    let rows = std::fs::read_to_string(folder.path().join("rows.csv")).unwrap();
    let steps = found["steps"].as_u64().unwrap();
    assert!(rows.lines().count() as u64 >= steps, "{steps} {}", rows.lines().count());
}
