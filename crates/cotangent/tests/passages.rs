//! What a run says of singular configurations, light masses and leaps of the energy.

mod common;

use common::{Ran, run, run_in};

fn on(text: &str, arguments: &[&str]) -> Ran {
    let folder = tempfile::tempdir().unwrap();
    run_in(folder.path(), arguments, text.as_bytes())
}

fn notes(json: &serde_json::Value) -> String {
    let notes = json["notes"].as_array().unwrap().iter().map(|n| n.as_str().unwrap().to_owned());
    notes.collect::<Vec<_>>().join("\n")
}

/// Cranks of length 1 at a distance of 2, both turning with speed 1 from the angle 0.5: they are in line with the coupler
/// at t = π − 0.5, 2π − 0.5, …
const PARALLELOGRAM: &str = "coord x, y, u, v\nlagrangian (x'^2 + y'^2 + u'^2 + v'^2)/2\n\
    constraint left: (x^2 + y^2 - 1)/2 = 0\nconstraint right: ((u - 2)^2 + v^2 - 1)/2 = 0\n\
    constraint coupler: ((u - x)^2 + (v - y)^2 - 4)/2 = 0\n\
    initial x = cos(0.5), y = sin(0.5), u = 2 + cos(0.5), v = sin(0.5), x' = -sin(0.5), y' = cos(0.5), \
    u' = -sin(0.5), v' = cos(0.5)\nrun step = 0.01, until = 10\n";

#[test]
fn singular_configurations_are_listed_with_their_times() {
    let json = on(PARALLELOGRAM, &["run", "-", "--json"]).json();
    assert_eq!(json["status"], "finished");
    let passages = json["singular_passages"].as_array().unwrap();
    assert_eq!(passages.len(), 3, "{passages:?}");
    for (k, passage) in passages.iter().enumerate() {
        let expected = (k as f64 + 1.0) * std::f64::consts::PI - 0.5;
        assert!((passage["time"].as_f64().unwrap() - expected).abs() < 0.011, "{passage}");
        assert!(passage["condition"].as_f64().unwrap() > 1e3, "{passage}");
        assert_eq!(passage["crossed"], true);
        assert!(["left", "right", "coupler"].contains(&passage["constraint"].as_str().unwrap()), "{passage}");
    }
    assert!(notes(&json).contains("3 singular configurations passed, at t = 2.6"), "{}", notes(&json));
    let regular = run(&["run", "four-bar", "--json"]).json();
    assert!(regular["singular_passages"].as_array().unwrap().is_empty());
}

#[test]
fn a_run_that_only_measures_its_end_says_so_too() {
    let json = on(PARALLELOGRAM, &["run", "-", "--json", "--record", "0"]).json();
    assert_eq!(json["singular_passages"].as_array().unwrap().len(), 3);
}

#[test]
fn a_step_without_a_solution_ends_the_run() {
    let light = ["run", "chain", "--set", "m[5]=3.35e-08", "--step", "0.06359", "--until", "0.5", "--json"];
    let ran = run(&light);
    assert_eq!(ran.status, 3, "{}", ran.stdout);
    let json = ran.json();
    assert_eq!(json["failure"]["code"], "unsatisfied");
    assert_eq!(json["failure"]["constraints"][0], "link[5]");
    assert!(json["constraints"]["link"]["max_abs"].as_f64().is_none_or(|r| r < 1e-11));
    // Rounding of the multipliers alone is no reason to fail.
    assert!(notes(&json).contains("brought back onto the constraints"), "{}", notes(&json));
    let tolerant = run(&["run", "chain", "--step", "0.05", "--until", "1", "--solver-tol", "1e-6", "--json"]);
    assert_eq!(tolerant.status, 0, "{}", tolerant.stdout);
}

#[test]
fn steps_that_are_brought_back_near_a_singular_configuration_are_not_laid_to_a_light_mass() {
    // A parallelogram in angles that turns back near its flat position; its masses are much alike.
    let text = "coord t1, t2, t3\n\
        lagrangian 2.37*t1'^2/2 + 1.063*t2'^2/2 + 2.102*t3'^2/2 - 0.15*t1^2/2 - 0.18*t2^2/2 - 0.21*t3^2/2\n\
        constraint a: 0.862*cos(t1) + 1.133*cos(t2) - 0.862*cos(t3) = 1.133\n\
        constraint b: 0.862*sin(t1) + 1.133*sin(t2) - 0.862*sin(t3) = 0\n\
        initial t1 = 1.48612135633145, t3 = 1.48612135633145, t1' = 0.7853190391309501, t3' = 0.7853190391309501\n\
        run method = average-vector-field, step = 0.006, until = 3.85\n";
    let json = on(text, &["run", "-", "--json"]).json();
    assert!(notes(&json).contains("where constraints nearly depend on each other"), "{}", notes(&json));
}

#[test]
fn a_fall_over_a_pole_is_noted() {
    let text = "coord x\nlagrangian x'^2/2 + 1/x\ninitial x = 1\nrun method = stormer-verlet, step = 0.01, until = 2\n";
    let json = on(text, &["run", "-", "--json"]).json();
    assert!(notes(&json).contains("the energy changed by"), "{}", notes(&json));
    let orbit = run(&["run", "kepler", "--json"]).json();
    assert!(!notes(&orbit).contains("the energy changed by"), "{}", notes(&orbit));
}

#[test]
fn an_energy_that_underflows_is_noted() {
    let text =
        |size: &str| format!("coord x\nhamiltonian p_x^2/2 + x^2/2\ninitial x = {size}\nrun step = 0.1, until = 5\n");
    for (size, is_noted) in [("1e-162", true), ("1e-156", true), ("1e-140", false), ("0", false)] {
        let json = on(&text(size), &["run", "-", "--json"]).json();
        assert_eq!(notes(&json).contains("below what the arithmetic resolves"), is_noted, "{size}: {}", notes(&json));
    }
}

#[test]
fn constraints_that_touch_are_not_started_elsewhere() {
    for line in ["x = 1", "x^2 = 1"] {
        let text = format!(
            "coord x, y, z\nlagrangian (x'^2 + y'^2 + z'^2)/2\nconstraint circle: x^2 + y^2 = 1\nconstraint line: {line}\n\
             initial x = 1, z' = 1\nrun step = 0.1, until = 1\n"
        );
        let ran = on(&text, &["run", "-"]);
        assert_eq!(ran.status, 2);
        assert!(ran.stderr.contains("`circle` touches `line`") && ran.stderr.contains("y = 0"), "{}", ran.stderr);
        // As proposed.
        let ran = on(&text.replace("x^2 + y^2 = 1", "y = 0"), &["run", "-", "--json"]);
        assert_eq!(ran.status, 0, "{}", ran.stderr);
        assert!((ran.json()["state"]["z"].as_f64().unwrap() - 1.0).abs() < 1e-14);
    }
}

#[test]
fn a_comparison_through_a_singular_configuration_says_that_its_errors_may_be_those_of_another_branch() {
    let eight = "coord x, y\nlagrangian (x'^2 + y'^2)/2\nconstraint c: (x^2 + y^2)^2 - x^2 + y^2 = 0\n\
        initial x = 1, y' = 1\nrun step = 0.01, until = 2\n";
    let methods = ["compare", "-", "--methods", "rattle", "--formulations", "multipliers", "--json"];
    let json = on(eight, &methods).json();
    // A quarter of the curve is 1.3110287 long, and the speed is 1.
    let time = json["rows"][0]["singular"].as_f64().unwrap();
    assert!((time - 1.311).abs() < 0.02, "{time}");
    assert!(notes(&json).contains("singular configuration"), "{}", notes(&json));
    // What it is compared with ends there, and so does the error.
    assert!(json["rows"][0]["error"]["time"].as_f64().unwrap() < 1.32, "{}", json["rows"][0]["error"]);
    assert!(
        json["reference"]["reason"]["message"].as_str().unwrap().contains("singular configuration"),
        "{}",
        json["reference"]
    );
    let json = on(eight, &[&methods[..], &["--until", "1"]].concat()).json();
    assert!(json["rows"][0]["singular"].is_null() && !notes(&json).contains("singular"), "{}", notes(&json));
}

/// A figure of eight under gravity; its crossing is reached at t = 1.62.
const EIGHT: &str = "coord x, y\nlagrangian (x'^2 + y'^2)/2 - y/5\nconstraint c: y^2 - x^2 + x^4 = 0\n\
    initial x = 1, y' = 1\nrun step = 0.01, until = 2.5\n";

#[test]
fn a_run_that_turns_into_another_branch_ends_and_names_the_constraint() {
    let ran = on(EIGHT, &["run", "-", "--formulation", "hamilton-dirac", "--method", "implicit-midpoint", "--json"]);
    assert_eq!(ran.status, 3, "{}", ran.stdout);
    let json = ran.json();
    assert_eq!(json["failure"]["code"], "branched");
    assert_eq!(json["failure"]["constraints"][0], "c");
    assert!(json["failure"]["advice"].as_str().unwrap().contains("--formulation multipliers"), "{}", json["failure"]);
}

#[test]
fn a_certificate_says_what_its_run_passed() {
    let json = on(EIGHT, &["certify", "-", "--steps", "400", "--json"]).json();
    let passages = json["singular_passages"].as_array().unwrap();
    assert!((passages[0]["time"].as_f64().unwrap() - 1.62).abs() < 0.011, "{passages:?}");
    assert!(notes(&json).contains("singular configuration passed"), "{}", notes(&json));
    let ran = on(
        EIGHT,
        &[
            "certify",
            "-",
            "--formulation",
            "hamilton-dirac",
            "--method",
            "implicit-midpoint",
            "--steps",
            "400",
            "--json",
        ],
    );
    assert_eq!(ran.status, 3, "{}", ran.stdout);
    let json = ran.json();
    assert!(json["held"].is_null() && json["energy_defect"]["held"].is_null(), "{json}");
    assert!(json["failure"]["message"].as_str().unwrap().contains("another branch"), "{}", json["failure"]);
    assert_eq!(json["failure"]["code"], "branched");
}

/// Ovals about x = π/2, 3π/2, …, which come near each other at x = π and never touch: y² = sin² x − g.
fn ovals(energy: &str, g: f64, p: f64) -> String {
    format!(
        "coord x, y\nhamiltonian {energy}\nconstraint ovals: (y^2 - sin(x)^2 + {g:e})/2 = 0\n\
         initial x = pi/2, y = sqrt(1 - {g:e}), p_x = {p:e}\n"
    )
}

#[test]
fn a_long_rest_before_a_fall_is_no_reason_not_to_look() {
    let text = ovals("(p_x^2 + p_y^2)/2 + sin(x)", 1e-6, 1e-8);
    for record in ["0", "1"] {
        let arguments =
            ["run", "-", "--json", "--method", "rattle", "--step", "0.13", "--until", "24", "--record", record];
        let ran = on(&text, &arguments);
        let x = ran.json()["state"]["x"].as_f64().unwrap();
        assert!(ran.status == 3 || x > 0.0 && x < std::f64::consts::PI, "record {record}: {x}, {}", ran.status);
    }
}

/// K_pp of the lapse 1/(1 + p²) is not positive from p² = 1/3 on: what M makes of lengths and angles says nothing of branches.
#[test]
fn masses_that_are_not_positive_tell_no_branches_apart() {
    let run = |p: f64| {
        let text = ovals("(p_x^2 + p_y^2)/2", 1e-6, p);
        let lapse = [
            "run",
            "-",
            "--json",
            "--lapse",
            "1/(1+p_x^2+p_y^2)",
            "--method",
            "rattle",
            "--step",
            "0.05",
            "--until",
            "13",
        ];
        on(&text, &lapse)
    };
    let slow = run(0.4);
    assert_eq!(slow.status, 0, "{}", slow.stdout);
    let x = slow.json()["state"]["x"].as_f64().unwrap();
    assert!(x > 0.0 && x < std::f64::consts::PI, "{x}");
    let fast = run(0.9);
    assert_eq!(fast.status, 3, "{}", fast.stdout);
    assert_eq!(fast.json()["failure"]["code"], "undetermined");
}

/// A lemniscate (x² + y²)² = x² − y², whose crossing an implicit step for the equations with a bracket does not always reach.
const LEMNISCATE: &str = "coord x, y\nlagrangian 1.69*x'^2/2 + 0.926*y'^2/2 - 0.926*y - 0.15*x^2/2 - 0.18*y^2/2\n\
    constraint c0: (x^2 + y^2)^2 = x^2 - y^2\n\
    initial x = 0.6632369621059279, y = 0.3507442022018817, x' = -0.72290188700347, y' = 0.08089967147624215\n";

#[test]
fn a_row_that_no_step_reaches_ends_no_run() {
    let run = ["run", "-", "--method", "gauss", "--formulation", "hamilton-dirac", "--step", "0.07", "--steps", "130"];
    let plain = on(LEMNISCATE, &[&run[..], &["--json"]].concat()).json();
    let rows = on(LEMNISCATE, &[&run[..], &["--json", "--every", "0.013", "--out", "a.csv"]].concat()).json();
    assert_eq!((&plain["status"], &rows["status"]), (&"finished".into(), &"finished".into()));
    assert_eq!(plain["state"], rows["state"]);
    assert!(notes(&rows).contains("of --every left out"), "{}", notes(&rows));
}
