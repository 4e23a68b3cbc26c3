//! `methods`, `formulations`, `explain`, `certify`.

mod common;

use common::run;
use insta::assert_snapshot;
use serde_json::json;

#[test]
fn methods_are_listed() {
    assert_snapshot!(run(&["methods"]).show());
    let list = run(&["methods", "--json"]).json();
    let names: Vec<&str> = list["methods"].as_array().unwrap().iter().map(|m| m["name"].as_str().unwrap()).collect();
    assert_eq!(names, cotangent::Method::ALL.map(cotangent::Method::name));
    let rattle = &list["methods"][4];
    assert_eq!(
        (&rattle["order"], &rattle["constraints"], &rattle["needs"]),
        (&json!(2), &json!("yes"), &json!("canonical"))
    );
    for key in
        ["summary", "symplectic", "symmetric", "hidden_constraints", "quadratic_invariants", "explicit", "scheme"]
    {
        assert!(!rattle[key].is_null(), "{key}");
    }
}

#[test]
fn formulations_are_listed() {
    assert_snapshot!(run(&["formulations"]).show());
    assert_eq!(run(&["formulations", "--json"]).json()["formulations"][1]["name"], "index-reduced");
}

#[test]
fn methods_are_explained() {
    assert_snapshot!(run(&["explain", "rattle"]).show());
    let json = run(&["explain", "gauss", "--json"]).json();
    assert_eq!((&json["kind"], &json["order"]), (&json!("method"), &json!(4)));
}

#[test]
fn compositions_are_explained() {
    assert_snapshot!(run(&["explain", "kahan-li-8"]).show());
    assert_eq!(run(&["explain", "suzuki-4", "--json"]).json()["kind"], "composition");
}

#[test]
fn formulations_are_explained() {
    assert_snapshot!(run(&["explain", "hamilton-dirac"]).show());
    assert_eq!(run(&["explain", "weak-dirac", "--json"]).json()["name"], "hamilton-dirac");
    assert_eq!(run(&["explain", "standard", "--json"]).json()["kind"], "formulation");
}

#[test]
fn unknown_names_are_not_explained() {
    let text =
        run(&["explain", "ratle"]).show() + &run(&["explain", "standart"]).show() + &run(&["explain", "xyz"]).show();
    assert_snapshot!(text);
}

#[test]
fn what_rattle_claims_holds_on_the_pendulum() {
    let ran = run(&["certify", "pendulum", "--json", "--step", "0.02"]);
    assert_eq!(ran.status, 0);
    let found = ran.json();
    for key in ["symplectic_defect", "symmetry_defect", "constraint_defect", "hidden_constraint_defect"] {
        assert_eq!((&found[key]["claimed"], &found[key]["held"]), (&json!(true), &json!(true)), "{key}: {found}");
        assert!(found[key]["measured"].as_f64().unwrap() < 1e-12, "{key}");
    }
    assert_eq!((&found["order"]["claimed"], &found["order"]["held"]), (&json!(2), &json!(true)));
    assert!((found["order"]["measured"].as_f64().unwrap() - 2.0).abs() < 0.05);
    let drift = &found["energy_drift_exponent"];
    assert!(drift["held"] == true && drift["measured"].as_f64().unwrap() < 0.25 && drift["amplitude"].is_number());
}

#[test]
fn what_is_not_claimed_is_measured_all_the_same() {
    let rk4 = ["certify", "pendulum", "--method", "rk4", "--formulation", "standard", "--step", "0.05", "--json"];
    let ran = run(&[&rk4[..], &["--steps", "1000"]].concat());
    assert_eq!(ran.status, 0);
    let found = ran.json();
    assert_eq!(
        (&found["symplectic_defect"]["claimed"], &found["symplectic_defect"]["held"]),
        (&json!(false), &json!(false))
    );
    assert_eq!(found["constraint_defect"]["held"], false);
    // Its drift ends a longer run, and nothing is certified then.
    let ran = run(&rk4);
    assert_eq!((ran.status, &ran.json()["held"]), (3, &json!(null)));
    assert!(ran.json()["failure"]["message"].as_str().is_some_and(|f| f.contains("the run ended after")));
}

#[test]
fn what_a_small_step_hides_is_undecided() {
    let found = run(&["certify", "kepler", "--method", "rk4", "--step", "0.002", "--json"]).json();
    assert_eq!(
        (&found["symplectic_defect"]["held"], &found["symmetry_defect"]["held"]),
        (&json!(false), &json!(false))
    );
    let found = run(&["certify", "kepler", "--method", "rk4", "--step", "1e-7", "--steps", "500", "--json"]).json();
    let symplectic = &found["symplectic_defect"];
    assert_eq!((&symplectic["held"], &symplectic["verdict"]), (&json!(null), &json!("undecided")));
    assert!(
        symplectic["reason"]["message"]
            .as_str()
            .is_some_and(|r| r.starts_with("below round-off at this step; at step "))
    );
    assert_eq!(symplectic["reason"]["code"], "round-off");
    // A quadratic energy is kept by the midpoint rule, which does not claim it.
    let found = run(&["certify", "rigid-body", "--method", "implicit-midpoint", "--steps", "500", "--json"]).json();
    assert_eq!(
        (&found["energy_defect"]["held"], &found["energy_defect"]["verdict"]),
        (&json!(true), &json!("incidental"))
    );
}

#[test]
fn what_does_not_apply_has_a_reason() {
    let ran = run(&["certify", "rigid-body", "--json", "--steps", "2000"]);
    let found = ran.json();
    assert_eq!(found["constraint_defect"]["measured"], json!(null));
    assert_eq!(found["constraint_defect"]["reason"]["message"], "does not apply to this system");
    assert_eq!(found["constraint_defect"]["reason"]["code"], "absent");
}

#[test]
fn a_certificate_reads_well() {
    let ran = run(&["certify", "pendulum", "--step", "0.02"]).show();
    // Round-off differs from machine to machine.
    let lines = ran.lines().map(|line| match line.split_once("e-") {
        Some((before, _)) if !before.contains("energy") => {
            let cut = before.rfind("  ").map_or(before, |k| &before[..k]);
            format!("{} …", cut.trim_end())
        }
        _ => line.to_owned(),
    });
    assert_snapshot!(lines.collect::<Vec<_>>().join("\n"));
}

#[test]
fn certify_refuses_what_run_refuses() {
    let text = run(&["certify", "pendulum", "--method", "gauss"]).show()
        + &run(&["certify", "pendulum", "--set", "x=0.8"]).show()
        + &run(&["certify", "pendulum", "--step", "0"]).show()
        + &run(&["certify", "pendulum", "--steps", "0"]).show()
        + &run(&["certify", "pendulum", "--step", "3"]).show();
    assert_snapshot!(text);
}
