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
fn strictions_and_impetus_are_shown_and_recorded() {
    let folder = tempfile::tempdir().unwrap();
    let arguments = ["run", "pendulum", "--set", "g=0", "--method", "gauss", "--stages", "4", "--step", "0.1"];
    let own = ["--formulation", "impetus-striction", "--until", "3", "--out", "a.csv", "--json"];
    let found = common::run_in(folder.path(), &[&arguments[..], &own].concat(), b"").json();
    let of = |part: &str, name: &str| found[part][name].as_f64().unwrap_or_else(|| panic!("{found}"));
    // Without gravity the force is the centripetal one, 2² for the speed 2, and λ̇ = μ.
    let lambda = of("auxiliaries", "striction_rod");
    assert!((lambda - 12.0).abs() < 1e-6, "{lambda}");
    for (q, p) in [("x", "p_x"), ("y", "p_y")] {
        let impetus = of("state", p) + lambda * of("state", q);
        assert!((of("auxiliaries", &format!("impetus_{p}")) - impetus).abs() < 1e-13);
    }
    let table = std::fs::read_to_string(folder.path().join("a.csv")).unwrap();
    let (names, rows) = table.split_once('\n').unwrap();
    assert!(names.ends_with(",lambda_rod,striction_rod,impetus_p_x,impetus_p_y"), "{names}");
    for row in rows.lines() {
        let numbers: Vec<f64> = row.split(',').map(|x| x.parse().unwrap()).collect();
        assert!((numbers[8] - 4.0 * numbers[0]).abs() < 1e-6, "{row}");
    }
    // A projection of the momenta is a reset.
    let reset = ["--formulation", "impetus-striction", "--until", "3", "--project", "momentum", "--json"];
    let reset = run(&[&arguments[..], &reset].concat()).json();
    assert!(reset["auxiliaries"]["striction_rod"].as_f64().unwrap().abs() < 1e-14, "{reset}");
}

#[test]
fn what_a_formulation_has_besides_is_named_by_it() {
    for (formulation, names) in [
        ("multipliers", &[][..]),
        ("standard", &[]),
        ("hamilton-dirac", &["eta_rod"]),
        ("dirac", &["eta_rod"]),
        ("ggl", &["eta_rod"]),
        ("local-chart", &[]),
    ] {
        let found = run(&["run", "pendulum", "--formulation", formulation, "--steps", "3", "--json"]).json();
        let own: Vec<&String> = found["auxiliaries"].as_object().unwrap().keys().collect();
        assert_eq!(own, names, "{formulation}");
    }
    // A name that the model uses is left to it.
    let folder = tempfile::tempdir().unwrap();
    let text = "coord x, y\nhamiltonian (p_x^2 + p_y^2)/2\nconstraint rod: (x^2 + y^2 - 1)/2 = 0\n\
        initial x = 1, p_y = 1\nobserve striction_rod = 7*x\n";
    std::fs::write(folder.path().join("m.cot"), text).unwrap();
    let arguments = ["run", "m.cot", "--formulation", "impetus-striction", "--steps", "1", "--step", "0.1", "--json"];
    let found = common::run_in(folder.path(), &arguments, b"").json();
    assert!(found["auxiliaries"]["striction_rod_"].is_number(), "{found}");
    assert!(found["observables"]["striction_rod"].as_f64().unwrap() > 6.9, "{found}");
}

#[test]
fn the_chart_in_use_is_shown_and_recorded() {
    let folder = tempfile::tempdir().unwrap();
    let arguments =
        ["run", "pendulum", "--formulation", "local-chart", "--until", "10", "--out", "a.csv", "--record", "1"];
    assert!(common::run_in(folder.path(), &arguments, b"").show().contains("\n  chart       "));
    let table = std::fs::read_to_string(folder.path().join("a.csv")).unwrap();
    let mut lines = table.lines();
    assert!(lines.next().unwrap().ends_with(",lambda_rod,chart[1]"));
    let rows: Vec<Vec<f64>> = lines.map(|l| l.split(',').map(|x| x.parse().unwrap()).collect()).collect();
    assert_eq!(rows[0][8], 0.0);
    for pair in rows.windows(2) {
        // The coordinate in which the other one is steeper: x (1) where |y| is larger, at the start of the step.
        let [x, y] = [pair[0][1].abs(), pair[0][2].abs()];
        assert_eq!(pair[1][8], if y > x { 1.0 } else { 2.0 }, "{pair:?}");
    }
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
