//! `cotangent check` on models that are fine, or fine but inconsistent.

mod common;

use common::{run, run_in};
use insta::assert_snapshot;
use std::path::Path;
use std::time::{Duration, Instant};

fn check(arguments: &[&str]) -> String {
    run(&[&["check"], arguments].concat()).show()
}

#[test]
fn hamiltonian_with_a_constraint() {
    assert_snapshot!(check(&["pendulum"]));
}

#[test]
fn the_same_as_json() {
    let ran = run(&["check", "--json", "pendulum"]);
    assert_eq!(ran.json()["consistent"], true);
    assert_snapshot!(ran.show());
}

#[test]
fn lagrangian_with_families() {
    assert_snapshot!(check(&["chain"]));
}

#[test]
fn lagrangian_with_families_as_json() {
    let ran = run(&["check", "chain", "--json"]);
    assert_eq!(ran.json()["sizes"]["constraints"], 10);
    assert_snapshot!(ran.show());
}

#[test]
fn poisson() {
    assert_snapshot!(check(&["heavy-top"]));
}

#[test]
fn splits_add_up() {
    assert_snapshot!(check(&["lorenz-86"]));
}

#[test]
fn constant_form() {
    assert_snapshot!(check(&["heisenberg-form"]));
}

#[test]
fn vakonomic_is_undecided() {
    assert_snapshot!(check(&["bicycle"]));
}

#[test]
fn vakonomic_with_velocities_is_decided() {
    let model = b"coord x, y, phi
lagrangian (x'^2 + y'^2 + phi'^2)/2
vakonomic blade: x'*sin(phi) - y'*cos(phi) = 0
initial x' = 1, phi' = 1
";
    let ran = run_in(Path::new("."), &["check", "-"], model);
    assert_snapshot!(ran.show());
}

#[test]
fn every_shipped_model_is_fine() {
    for model in cotangent::models::all() {
        let ran = run(&["check", model.name]);
        assert_eq!((ran.status, ran.stderr.as_str()), (0, ""), "{}", model.name);
        let json = run(&["check", "--json", model.name]).json();
        assert_ne!(json["consistent"], false, "{}", model.name);
        assert_eq!(json["warnings"], serde_json::json!([]), "{}", model.name);
    }
}

#[test]
fn violated_constraint() {
    assert_snapshot!(check(&["pendulum", "--set", "x=0.8"]));
    let ran = run(&["check", "pendulum", "--set", "x=0.8", "--json"]);
    assert_eq!((ran.status, &ran.json()["consistent"]), (1, &serde_json::json!(false)));
}

#[test]
fn violated_hidden_constraint() {
    assert_snapshot!(check(&["pendulum", "--set", "p_x=1"]));
}

#[test]
fn violated_members_of_a_family() {
    assert_snapshot!(check(&["chain", "--set", "n=1000", "--set", "x[500]=500.1", "--set", "y'=1"]));
}

#[test]
fn rounded_initial_data_pass_and_careless_ones_do_not() {
    for (x, y, status) in [("0.6", "-0.8", 0), ("0.7071067812", "-0.7071067812", 0), ("0.7071", "-0.7071", 1)] {
        let (x, y) = (format!("x={x}"), format!("y={y}"));
        assert_eq!(run(&["check", "pendulum", "--set", &x, "--set", &y, "--set", "p_y=0"]).status, status, "{x}");
    }
}

#[test]
fn the_verdict_does_not_depend_on_units() {
    for scale in ["1e-12", "1", "1e12"] {
        for (x, status) in [("l", 0), ("l*1.001", 1)] {
            let model = format!(
                "param l = {scale}\ncoord x, y\nhamiltonian p_x^2 + p_y^2\n\
                 constraint rod: x^2 + y^2 = l^2\ninitial x = {x}*0.6, y = {x}*0.8\n"
            );
            let ran = run_in(Path::new("."), &["check", "-"], model.as_bytes());
            assert_eq!(ran.status, status, "{scale} {x}");
        }
    }
}

#[test]
fn splits_that_do_not_add_up() {
    let model = b"coord q\nhamiltonian p_q^2/2 + q^2/2\nsplit T = p_q^2/2, V = q^2\n";
    assert_snapshot!(run_in(Path::new("."), &["check", "-"], model).show());
}

#[test]
fn energy_that_is_not_finite() {
    let ran = run(&["check", "lotka-volterra", "--set", "u=0"]);
    assert_snapshot!(ran.show());
}

#[test]
fn warnings_go_to_stderr() {
    let model = b"param g = 1\ncoord x\nhamiltonian p_x^2/2\n";
    let ran = run_in(Path::new("."), &["check", "-"], model);
    assert_snapshot!(ran.show());
    let json = run_in(Path::new("."), &["check", "--json", "-"], model).json();
    assert_eq!(json["warnings"][0]["code"], "unused");
}

#[test]
fn long_formulas_are_cut_and_say_so() {
    let terms: Vec<String> = (1..=200).map(|k| format!("cos({k}*x)")).collect();
    let model = format!("coord x\nhamiltonian p_x^2/2 + {}\n", terms.join(" + "));
    let ran = run_in(Path::new("."), &["check", "-"], model.as_bytes());
    assert!(ran.stdout.contains("[cut: ") && ran.stdout.len() < 1500, "{}", ran.stdout);
    let json = run_in(Path::new("."), &["check", "--json", "-"], model.as_bytes()).json();
    assert!(json["energy"]["expression"].as_str().is_some_and(|e| e.contains("cos(200*x)")));
}

#[test]
fn sums_inside_constraints_are_shown_as_sums() {
    let model = b"param n : int = 4
coord x[i in 1..n]
hamiltonian sum(i in 1..n, p_x[i]^2)
constraint total: sum(i in 1..n, x[i]) = 1
constraint partial[i in 2..3]: sum(j in 1..i, x[j]^2) = i
constraint pair[i in 1..2, j in 1..i]: x[i]*x[j] = 1
initial x = 1
";
    assert_snapshot!(run_in(Path::new("."), &["check", "-"], model).show());
}

#[test]
fn a_large_chain_is_quick_and_its_report_short() {
    let begun = Instant::now();
    let ran = run(&["check", "chain", "--set", "n=100000"]);
    assert_eq!(ran.status, 0);
    assert!(ran.stdout.lines().count() < 30, "{}", ran.stdout);
    // A second is normal; a busy machine gets more.
    assert!(begun.elapsed() < Duration::from_secs(60));
}

#[test]
fn a_file_comes_before_a_shipped_model() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("pendulum"), "coord q\nhamiltonian p_q^2/2\n").unwrap();
    let ran = run_in(folder.path(), &["check", "pendulum"], b"");
    assert!(ran.stdout.starts_with("pendulum\na Hamiltonian model with 1 coordinate"), "{}", ran.stdout);
    std::fs::create_dir(folder.path().join("chain")).unwrap();
    assert_eq!(run_in(folder.path(), &["check", "chain"], b"").status, 0);
}

#[test]
fn settings_reach_sizes_parameters_members_and_initial_values() {
    let set = ["n=3", "m=2", "m[3]=1/2", "g=9.81", "x[1]'=0", "y[2]=0"];
    let arguments: Vec<&str> = set.iter().flat_map(|s| ["--set", s]).collect();
    let json = run(&[&["check", "--json", "chain"], &arguments[..]].concat()).json();
    assert_eq!(json["integers"]["n"], 3);
    assert_eq!(json["parameters"][0]["values"], serde_json::json!([2.0, 2.0, 0.5]));
    assert_eq!(json["parameters"][2]["value"], 9.81);
    assert_eq!(json["initial"]["not_named"][0], serde_json::json!({"name": "y", "members": 2, "of": 3}));
}

#[test]
fn colours_only_when_asked_for() {
    assert!(!run(&["check", "pendulum"]).stdout.contains('\u{1b}'));
    assert!(run(&["check", "pendulum", "--color", "always"]).stdout.contains('\u{1b}'));
    assert!(run(&["check", "no-such-model", "--color=always"]).stderr.contains('\u{1b}'));
    assert!(run(&["check", "--help", "--color", "always"]).stdout.contains('\u{1b}'));
    assert!(!run(&["check", "--help"]).stdout.contains('\u{1b}'));
}

/// Claims are tested: a false one ends with status 1 and a point that shows it.
#[test]
fn claims_are_tested() {
    let model = "param k > 0 = 1\ncoord x, y\nhamiltonian (p_x^2 + p_y^2)/2 + k*x^2\n\
                 invariant right = p_y, wrong = x*p_y - y*p_x\ninitial x = 1\n";
    let ran = run_in(Path::new("."), &["check", "-"], model.as_bytes());
    assert_eq!(ran.status, 1);
    assert_snapshot!(ran.show());
    let found = run_in(Path::new("."), &["check", "-", "--json"], model.as_bytes()).json();
    assert_eq!(found["claims"][0]["test"]["verdict"], "proved");
    assert_eq!(
        (&found["claims"][1]["test"]["holds"], &found["claims"][1]["test"]["defect"]),
        (&false.into(), &"2*k*x*y".into())
    );
}

/// Three species: C is a Casimir if a b c = −1, which holds at these values and not in general. Both are said, and the
/// status is 0; at other values it is 1.
#[test]
fn claims_that_hold_at_these_values() {
    let model = "param a = -2, b = -1, c = -1/2\nvariables x, y, z\n\
                 bracket {x, y} = c*x*y, {x, z} = b*c*x*z, {y, z} = -y*z\n\
                 hamiltonian a*b*x + y - a*z + log(y) - 2*log(z)\n\
                 casimir C = a*b*log(x) - b*log(y) + log(z)\ninitial x = 1, y = 2, z = 1\n";
    let ran = run_in(Path::new("."), &["check", "-"], model.as_bytes());
    assert_eq!(ran.status, 0);
    assert_snapshot!(ran.show());
    for verb in ["check", "analyze"] {
        let claim = |arguments: &[&str]| {
            let ran = run_in(Path::new("."), &[&[verb, "-", "--json"], arguments].concat(), model.as_bytes());
            let found = ran.json();
            let claim = if verb == "check" { &found["claims"][0]["test"] } else { &found["casimirs"]["C"] };
            (ran.status, claim.clone())
        };
        let (status, found) = claim(&[]);
        assert_eq!(
            (status, &found["status"], &found["holds"]),
            (0, &"holds-at-these-values".into(), &true.into()),
            "{verb}"
        );
        assert_eq!((&found["verdict"], &found["in_general"]["verdict"]), (&"proved".into(), &"fails".into()));
        assert_eq!((&found["values"]["c"], &found["defect"].is_string()), (&(-0.5).into(), &true));
        let (status, found) = claim(&["--set", "c=0.5"]);
        assert_eq!((status, &found["status"], &found["holds"]), (1, &"fails".into(), &false.into()), "{verb}");
        let (status, found) = claim(&["--set", "a=4", "--set", "b=-0.5", "--set", "c=0.5"]);
        assert_eq!((status, &found["status"]), (0, &"holds".into()), "{verb}");
    }
}
