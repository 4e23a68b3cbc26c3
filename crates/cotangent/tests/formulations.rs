//! Formulations from the command line: options, charts, and what is refused.

mod common;

use common::run;
use insta::assert_snapshot;

#[test]
fn charts_are_changed_and_counted() {
    let arguments = ["run", "pendulum", "--formulation", "local-chart", "--method", "gauss", "--until", "10", "--json"];
    let found = run(&arguments).json();
    // Twice around in a time of 3.31: at two heights on the way down and on the way up.
    let changes = found["work"]["chart_changes"].as_u64().unwrap();
    assert!((11..=13).contains(&changes), "{changes}");
    let fixed = [&arguments[..], &["--chart", "x", "--chart", "y", "--opt", "threshold=1"]].concat();
    assert_eq!(run(&fixed).json()["formulation"], "local-chart");
    assert!(run(&arguments[..8]).show().contains("changes of chart"));
}

#[test]
fn what_cannot_be_done_is_refused() {
    let mut text = String::new();
    for arguments in [
        &["--formulation", "local-chart", "--chart", "z"][..],
        &["--formulation", "local-chart", "--chart", "x,y"],
        &["--formulation", "local-chart", "--chart", ""],
        &["--formulation", "local-chart", "--chart", "x"],
        &["--formulation", "local-chart", "--opt", "threshold=0.5"],
        &["--formulation", "standard", "--chart", "x"],
        &["--formulation", "standard", "--opt", "alpha=1"],
        &["--formulation", "penalty", "--opt", "epsilon=0"],
        &["--formulation", "penalty", "--opt", "epsilon=-1"],
        &["--formulation", "penalty", "--opt", "epsilon=nan"],
        &["--formulation", "penalty", "--opt", "epsilon"],
        &["--formulation", "baumgarte", "--opt", "beta=1", "--opt", "beta=2"],
        &["--formulation", "linear-projected"],
        &["--formulation", "index-reduced"],
        &["--formulation", "impetus-striction", "--method", "bdf2", "--project", "momentum"],
        &["--formulation", "penalty", "--project", "both"],
        &["--formulation", "multipliers", "--method", "radau-2a", "--project", "symmetric"],
    ] {
        let method = if arguments.contains(&"--method") { &[][..] } else { &["--method", "implicit-midpoint"] };
        let ran = run(&[&["run", "pendulum"], arguments, method].concat());
        // The failing run shows its summary, too; here only what is said counts.
        let said = ran.show().lines().filter(|l| !l.contains("seconds")).collect::<Vec<_>>().join("\n");
        text += &format!("$ {}\n{said}\n", arguments.join(" "));
    }
    assert_snapshot!(text);
}

#[test]
fn the_method_of_the_model_gives_way_to_one_that_fits() {
    // The model says rattle, which solves for multipliers.
    for (formulation, method) in [("hamilton-dirac", "gauss"), ("index-reduced", "radau-2a"), ("multipliers", "rattle")]
    {
        let ran = run(&["run", "pendulum", "--formulation", formulation, "--steps", "3", "--json"]);
        assert_eq!(ran.json()["method"], method);
        assert_eq!(ran.show().contains("the default for this formulation"), method != "rattle");
    }
}

#[test]
fn the_final_state_is_that_of_the_model() {
    let arguments = ["run", "pendulum", "--formulation", "impetus-striction", "--steps", "500", "--json"];
    let state = &run(&arguments).json()["state"];
    let of = |name: &str| state[name].as_f64().unwrap_or_else(|| panic!("{state}"));
    let normal = of("x") * of("p_x") + of("y") * of("p_y");
    assert!(normal.abs() < 1e-12, "{normal:e}");
}

#[test]
fn constraints_that_nothing_resists_are_said_so_in_every_formulation() {
    let folder = tempfile::tempdir().unwrap();
    let text = "coord x, s\nhamiltonian p_x^2/2 + x^2/2\nconstraint tie: s = 0\ninitial x = 1\n";
    std::fs::write(folder.path().join("tie.cot"), text).unwrap();
    for formulation in ["multipliers", "standard", "impetus-striction", "local-chart", "index-reduced"] {
        let ran = common::run_in(
            folder.path(),
            &["run", "tie.cot", "--formulation", formulation, "--until", "1", "--step", "0.1"],
            b"",
        );
        assert!(ran.show().contains("cannot be determined at the initial data"), "{formulation}: {}", ran.show());
    }
}
