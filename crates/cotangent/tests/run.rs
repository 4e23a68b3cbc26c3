//! `cotangent run`: numbers, tables, refusals, failures.

mod common;

use common::{Ran, run, run_in};
use insta::assert_snapshot;
use serde_json::{Value, json};
use std::path::Path;

/// A run of the program as a snapshot, without the time it took.
fn show(ran: &Ran) -> String {
    let timed = |line: &str| line.starts_with("  seconds ") || line.starts_with("  \"seconds\"");
    ran.show().lines().filter(|l| !timed(l)).map(|l| l.to_owned() + "\n").collect()
}

fn shown(arguments: &[&str]) -> String {
    show(&run(&[&["run"], arguments].concat()))
}

fn json(arguments: &[&str]) -> Value {
    let ran = run(&[&["run", "--json"], arguments].concat());
    assert_eq!(ran.status, 0, "{}", ran.stdout);
    ran.json()
}

fn model(text: &str, arguments: &[&str]) -> Ran {
    run_in(Path::new("."), &[&["run", "-"], arguments].concat(), text.as_bytes())
}

/// The same to so many digits.
fn close(value: &Value, expected: f64, relative: f64) {
    let value = value.as_f64().unwrap();
    assert!((value - expected).abs() <= relative * expected.abs(), "{value} is not {expected}");
}

#[test]
fn the_pendulum() {
    assert_snapshot!(shown(&["pendulum"]));
}

#[test]
fn a_family_is_shown_by_its_worst_member() {
    assert_snapshot!(shown(&["chain", "--until", "1"]));
}

#[test]
fn a_poisson_system_with_casimirs() {
    assert_snapshot!(shown(&["heavy-top", "--until", "2"]));
}

#[test]
fn the_pendulum_as_json() {
    let ran = run(&["run", "--json", "pendulum", "--steps", "10"]);
    assert_snapshot!(show(&ran));
}

#[test]
fn the_energy_error_of_rattle_is_the_known_one() {
    for (step, error) in [("0.1", 1.391032e-2), ("0.05", 3.447316e-3), ("0.025", 8.599859e-4)] {
        let found = json(&["pendulum", "--step", step, "--until", "100"]);
        close(&found["energy"]["max_abs_error"], error, 5e-7);
        assert!(found["constraints"]["rod"]["max_abs"].as_f64().unwrap() <= 1e-15);
        assert!(found["hidden_constraints"]["rod"]["max_abs"].as_f64().unwrap() <= 1e-15);
    }
}

#[test]
fn momentum_projections_are_made_where_they_are_due_and_counted() {
    let arguments = [
        "pendulum",
        "--method",
        "rk4",
        "--formulation",
        "standard",
        "--step",
        "0.025",
        "--until",
        "1023",
        "--project",
        "momentum",
        "--project-above",
    ];
    let found = json(&[&arguments[..], &["1e-6"]].concat());
    assert_eq!(found["work"]["momentum_projections"], 155);
    assert_eq!(found["work"]["projections"], 155);
    close(&found["constraints"]["rod"]["final"], -5.167142e-4, 5e-7);
    assert_eq!(json(&[&arguments[..], &["1e-8"]].concat())["work"]["momentum_projections"], 12129);
}

#[test]
fn defaults_come_from_the_model_and_the_command_line_overrides() {
    let text = "param h = 1/50\ncoord q\nhamiltonian p_q^2/2 + q^2/2\ninitial q = 1\n\
                run method = gauss, stages = 3, step = h, until = 50*h, record = 10\n";
    let found = model(text, &["--json"]).json();
    assert_eq!((&found["method"], &found["stages"]), (&json!("gauss"), &json!(3)));
    assert_eq!((&found["step"], &found["steps"], &found["time"]), (&json!(0.02), &json!(50), &json!(1.0)));
    let found = model(text, &["--json", "--set", "h=1/25", "--steps", "7", "--method", "stormer-verlet"]).json();
    assert_eq!(
        (&found["method"], &found["step"], &found["steps"]),
        (&json!("stormer-verlet"), &json!(0.04), &json!(7))
    );
    assert_snapshot!(show(&model(text, &["--method", "rk4"])));
}

#[test]
fn the_default_method_is_announced() {
    let free = "coord q\nhamiltonian p_q^2/2 + q^2/2\ninitial q = 1\n";
    assert_snapshot!("default_without_constraints", show(&model(free, &["--step", "1/10", "--until", "1"])));
    let rod = "coord x, y\nhamiltonian (p_x^2 + p_y^2)/2\nconstraint rod: x^2 + y^2 = 1\ninitial x = 1, p_y = 1\n";
    let ran = model(rod, &["--step", "0.1", "--until", "1"]);
    assert!(ran.stderr.starts_with("note: method `rattle`"), "{}", ran.stderr);
}

#[test]
fn a_last_step_that_is_shortened_is_said() {
    assert_snapshot!(shown(&["pendulum", "--step", "0.3", "--until", "1"]));
    let found = json(&["pendulum", "--step", "0.3", "--until", "1"]);
    assert_eq!((&found["time"], &found["steps"]), (&json!(1.0), &json!(4)));
}

#[test]
fn expressions_are_numbers_and_time_may_go_back() {
    let found = json(&["pendulum", "--step", "-pi/500", "--until", "-pi"]);
    assert_eq!((&found["steps"], &found["time"]), (&json!(500), &json!(-std::f64::consts::PI)));
}

#[test]
fn nothing_is_measured_between_with_record_0() {
    assert_snapshot!(shown(&["pendulum", "--record", "0", "--until", "1"]));
}

#[test]
fn what_is_missing_or_makes_no_sense_is_refused() {
    let bare = "coord q\nhamiltonian p_q^2/2\ninitial p_q = 1\n";
    let mut text = String::new();
    for arguments in [&[][..], &["--step", "0.1"]] {
        text += &model(bare, arguments).show();
    }
    for line in ["epsilon = 1/2", "lapse = arclength", "steps = 1/2", "step = log(-1)"] {
        let both = format!("{bare}run {line}, until = 1\n");
        text += &format!("{line}: {}", model(&both, &[]).show());
    }
    text += &model(&format!("{bare}run until = 1, steps = 2, step = 1\n"), &[]).show();
    for arguments in [
        &["--step", "0"][..],
        &["--step", "-0.1"],
        &["--step", "1e-300"],
        &["--step", "x"],
        &["--steps", "1/2"],
        &["--steps", "2", "--until", "3"],
        &["--solver-tol", "0"],
        &["--record", "5", "--until", "0.05"],
        &["--checkpoint", "1"],
        &["--checkpoint", "-1", "--out", "a.csv"],
    ] {
        text += &format!("{}: {}", arguments.join(" "), shown(&[&["pendulum"], arguments].concat()));
    }
    assert_snapshot!(text);
}

#[test]
fn methods_that_do_not_fit_are_refused_with_those_that_do() {
    let mut text = String::new();
    for arguments in [
        &["pendulum", "--method", "stormer-verlet"][..],
        &["pendulum", "--method", "gauss"],
        &["chain", "--method", "rk4"],
        &["pendulum", "--formulation", "standard", "--method", "rattle"],
        &["pendulum", "--formulation", "penalty", "--method", "stormer-verlet"],
        &["rigid-body", "--method", "rattle"],
        &["rigid-body", "--project", "both"],
        &["pendulum", "--method", "ratle"],
        &["pendulum", "--formulation", "standart"],
        &["pendulum", "--project", "bot"],
        &["pendulum", "--compose", "yoshida-5"],
        &["kepler", "--method", "rk4", "--compose", "yoshida-4"],
        &["pendulum", "--project-above", "1e-6"],
        &["pendulum", "--project", "symmetric", "--project-above", "1e-6"],
        &["pendulum", "--stages", "2"],
        &["kepler", "--method", "gauss", "--stages", "33"],
        &["kepler", "--method", "gauss", "--stages", "0"],
        &["kepler", "--method", "gauss", "--stages", "9007199254740991"],
        &["bicycle", "--formulation", "multipliers"],
        &["landau", "--formulation", "multipliers"],
        &["heisenberg-form", "--formulation", "multipliers"],
    ] {
        text += &format!("{}: {}", arguments.join(" "), shown(arguments));
    }
    assert_snapshot!(text);
}

#[test]
fn steps_are_composed() {
    let error = |more: &[&str]| {
        let found = json(&[&["pendulum", "--step", "0.05", "--until", "10"], more].concat());
        (found["energy"]["max_abs_error"].as_f64().unwrap(), found["compose"].clone())
    };
    let (plain, composed) = (error(&[]), error(&["--compose", "kahan-li-8"]));
    assert!(plain.0 > 1e-3 && composed.0 < 1e-9, "{plain:?} {composed:?}");
    assert_eq!(composed.1, "kahan-li-8");
    let text = "coord q\nhamiltonian p_q^2/2 + q^2/2\ninitial q = 1\n\
                run method = stormer-verlet, compose = yoshida-6, step = 0.1, until = 1\n";
    assert_eq!(model(text, &["--json"]).json()["compose"], "yoshida-6");
}

#[test]
fn inconsistent_data_are_refused_or_projected() {
    assert_snapshot!("inconsistent", shown(&["pendulum", "--set", "x=0.8", "--set", "p_x=1"]));
    let arguments = ["pendulum", "--set", "x=0.8", "--set", "p_x=1", "--project-initial", "--steps", "10"];
    assert_snapshot!("projected", shown(&arguments));
    let found = json(&arguments);
    close(&found["moved"]["positions"], 0.2, 1e-9);
    let found = json(&["pendulum", "--set", "x=1.000000001", "--steps", "10"]);
    close(&found["moved"]["positions"], 1e-9, 1e-3);
    assert!(found["notes"][0].as_str().unwrap().contains("rounding"), "{found}");
    // What is rounding of the positions is not said beside what was moved.
    let start = ["x=0.7071067811865475", "y=-0.7071067811865475", "p_y=1"].map(|value| ["--set", value]).concat();
    let found = json(&[&["pendulum", "--project-initial", "--steps", "10"], &start[..]].concat());
    assert!(found["moved"]["positions"].as_f64().is_some_and(|by| by > 0.0 && by < 2e-16), "{found}");
    assert_eq!(found["notes"][0], "the initial data were moved onto the constraints: momenta by up to 0.5");
}

/// x² + y² = −1 has no real point, and x² + y² = r has none where r is negative: no other start is proposed there.
#[test]
fn constraints_without_a_real_point_are_said_to_have_none() {
    let text = |right: &str| {
        format!(
            "param r = 1\ncoord x, y\nhamiltonian (p_x^2 + p_y^2)/2\nconstraint rod: x^2 + y^2 = {right}\ninitial x = 2\nrun step = 0.1, until = 1\n"
        )
    };
    for (right, options) in [
        ("-r", &[][..]),
        ("-r", &["--project-initial"]),
        ("r", &["--set", "r=-0.5"]),
        ("r", &["--set", "r=-0.5", "--project-initial"]),
    ] {
        let ran = model(&text(right), options);
        assert!(
            ran.status != 0 && ran.stderr.contains("correct the model: no initial data satisfy `rod`"),
            "{}",
            ran.show()
        );
    }
    // With x = 2 the circle has no real point either.
    let cut = model(&text("r").replace("\ninitial", ", cut: x = 2\ninitial y = 1,"), &[]);
    assert!(cut.stderr.contains("together with its other constraints\n"), "{}", cut.show());
    // 3/3 − 1 and cos(π/2) are zero, though a rounded third and a rounded π/2 are beside them: the point x = y = 0 is there.
    for (value, right) in [("1/3", "3*a - 1"), ("cos(pi/2)", "-a")] {
        let rounded = text(right).replace("param r = 1", &format!("param a = {value}"));
        let ran = model(&rounded, &[]);
        assert!(ran.status != 0 && !ran.stderr.contains("correct the model"), "{}", ran.show());
    }
    let possible = model(&text("r"), &[]);
    assert!(possible.stderr.contains("--project-initial moves the data onto the constraints"), "{}", possible.show());
    assert_eq!(model(&text("r"), &["--project-initial"]).status, 0);
}

const TWICE: &str = "coord x, y\nhamiltonian (p_x^2 + p_y^2)/2 + y\nconstraint rod: x^2 + y^2 = 1\n\
                     constraint again: 2*x^2 + 2*y^2 = ";

#[test]
fn redundant_constraints_are_refused_or_dropped() {
    let text = format!("{TWICE}2\ninitial x = 1\nrun step = 0.01, until = 1\n");
    assert_snapshot!("redundant", show(&model(&text, &[])));
    assert_snapshot!("dropped", show(&model(&text, &["--drop-redundant"])));
    let found = model(&text, &["--drop-redundant", "--json"]).json();
    assert_eq!(found["dropped"], json!(["again"]));
}

#[test]
fn contradictory_and_singular_constraints_are_refused() {
    let text = format!("{TWICE}3\ninitial x = 1\nrun step = 0.01, until = 1\n");
    assert_snapshot!("contradictory", show(&model(&text, &[])));
    let text = "coord x, y\nhamiltonian (p_x^2 + p_y^2)/2\nconstraint a: x*y = 0\ninitial x = 0\n\
                run step = 0.01, until = 1\n";
    assert_snapshot!("singular_start", show(&model(text, &[])));
}

#[test]
fn a_step_that_cannot_be_made_ends_the_run_with_its_rows_on_the_disk() {
    let folder = tempfile::tempdir().unwrap();
    let arguments = ["run", "pendulum", "--set", "p_y=0", "--step", "0.8", "--until", "80", "--out", "a.csv"];
    let ran = run_in(folder.path(), &arguments, b"");
    assert_eq!(ran.status, 3);
    assert_snapshot!(show(&ran));
    let rows = std::fs::read_to_string(folder.path().join("a.csv")).unwrap().lines().count() as u64;
    let found = run_in(folder.path(), &[&arguments[..], &["--json"]].concat(), b"");
    assert_eq!(found.status, 3);
    let found = found.json();
    assert_eq!(found["status"], "failed");
    assert_eq!(rows, 2 + found["steps"].as_u64().unwrap(), "a heading, the start and every step");
    assert_eq!(
        (&found["failure"]["code"], &found["failure"]["constraints"]),
        (&json!("not-converged"), &json!(["rod"]))
    );
    assert_eq!(found["failure"]["step"].as_u64().unwrap(), 1 + found["steps"].as_u64().unwrap());
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1, "no checkpoint is left");
}

#[test]
fn values_that_are_not_finite_end_the_run() {
    let text = "coord q\nhamiltonian p_q^2/2 - q^6\ninitial q = 2\nrun method = rk4, step = 1, until = 100\n";
    let ran = model(text, &[]);
    assert_snapshot!(show(&ran));
    let found = model(text, &["--json"]).json();
    assert_eq!((&found["failure"]["code"], &found["status"]), (&json!("not-finite"), &json!("failed")));
}

#[test]
fn tables_are_written_as_text_and_as_arrays() {
    let folder = tempfile::tempdir().unwrap();
    let ran = run_in(folder.path(), &["run", "pendulum", "--steps", "2", "--out", "a.csv"], b"");
    assert_snapshot!(show(&ran));
    assert_snapshot!("table", std::fs::read_to_string(folder.path().join("a.csv")).unwrap());
    let ran = run_in(folder.path(), &["run", "chain", "--steps", "2", "--out", "a.npz"], b"");
    assert_eq!(ran.status, 0, "{}", ran.stderr);
    assert!(std::fs::read(folder.path().join("a.npz")).unwrap().starts_with(b"PK"));
    let ran = run_in(folder.path(), &["run", "pendulum", "--steps", "25000", "--out", "b.csv"], b"");
    assert!(ran.stderr.contains("recording every 3 steps, 8334 rows; --record 1 records every step"), "{}", ran.stderr);
    assert_eq!(std::fs::read_to_string(folder.path().join("b.csv")).unwrap().lines().count(), 8336);
}

/// Runs a script of Python, if there is one with NumPy; what it prints.
fn numpy(folder: &Path, script: &str) -> Option<String> {
    let python = |script: &str| {
        let made = std::process::Command::new("python3").args(["-c", script]).current_dir(folder).output();
        made.ok()
    };
    python("import numpy")?.status.success().then_some(())?;
    let ran = python(script)?;
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
    Some(String::from_utf8_lossy(&ran.stdout).into_owned())
}

#[test]
fn arrays_have_their_names_the_model_and_the_command_inside() {
    let folder = tempfile::tempdir().unwrap();
    let command = ["run", "chain", "--set", "n=2", "--steps", "3", "--columns", "residuals", "--out", "a.npz"];
    assert_eq!(run_in(folder.path(), &command, b"").status, 0);
    let script = "\
import numpy as np
a = np.load('a.npz')
assert a['time'].shape == (4,) and a['x'].shape == (4, 2) and a['residual_link'].shape == (4, 2)
assert list(a['names'][:3]) == ['time', 'x[1]', 'x[2]'] and len(a['names']) == sum(
    a[k][0].size for k in a.files if a[k].dtype.kind == 'f')
assert str(a['model']).startswith('#') and 'coord x[i in 1..n]' in str(a['model'])
assert abs(a['hidden_residual_link']).max() < 1e-12
print(a['command'], '|', a['time_unit'])
";
    let Some(printed) = numpy(folder.path(), script) else { return };
    let expected =
        "cotangent run chain --set n=2 --steps 3 --columns residuals --out a.npz | the unit of time of the model";
    assert!(printed.starts_with(expected), "{printed}");
}

#[test]
fn the_document_has_parameters_the_start_and_on_request_the_rows() {
    let folder = tempfile::tempdir().unwrap();
    let command = ["run", "pendulum", "--set", "g=2", "--steps", "5", "--record", "2", "--json", "--arrays"];
    let found = run_in(folder.path(), &[&command[..], &["--out", "a.csv"]].concat(), b"").json();
    assert_eq!(found["parameters"], json!({"g": 2.0}));
    assert_eq!(found["initial"], json!({"x": 1.0, "y": 0.0, "p_x": 0.0, "p_y": -2.0}));
    let table = std::fs::read_to_string(folder.path().join("a.csv")).unwrap();
    let names: Vec<&str> = table.lines().next().unwrap().split(',').collect();
    assert_eq!(found["arrays"].as_object().unwrap().len(), names.len());
    for (k, name) in names.iter().enumerate() {
        let column: Vec<f64> = table.lines().skip(1).map(|l| l.split(',').nth(k).unwrap().parse().unwrap()).collect();
        assert_eq!(found["arrays"][name], json!(column), "{name}");
    }
    assert_eq!(found["arrays"]["time"], json!([0.0, 0.02, 0.04, 0.05]));
    // Sizes are parameters, and rows need no table.
    let found = run(&["run", "chain", "--set", "n=2", "--steps", "2", "--json", "--arrays"]).json();
    assert_eq!((&found["parameters"]["n"], &found["parameters"]["m[2]"]), (&json!(2.0), &json!(1.0)));
    assert_eq!(found["arrays"]["x[2]"].as_array().unwrap().len(), 3);
    assert!(run(&["run", "pendulum", "--steps", "2", "--json"]).json()["arrays"].is_null());
}

#[test]
fn a_table_that_cannot_be_written_is_refused_before_the_run() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("folder.csv")).unwrap();
    let mut text = String::new();
    for out in ["nowhere/a.csv", "a.txt", "a", "folder.csv"] {
        text += &run_in(folder.path(), &["run", "pendulum", "--out", out], b"").show();
    }
    assert_snapshot!(text);
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
fn what_cannot_be_resumed_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let there = folder.path();
    let resume = |arguments: &[&str]| run_in(there, &[&["run", "--resume", "a.csv"], arguments].concat(), b"").show();
    let mut text = resume(&[]);
    assert_eq!(run_in(there, &["run", "pendulum", "--steps", "3", "--resume", "a.csv"], b"").status, 0);
    text += &resume(&[]);
    text += &resume(&["pendulum"]);
    std::fs::write(there.join("a.csv.checkpoint"), "something else").unwrap();
    text += &resume(&[]);
    assert_snapshot!(text);
}

/// Parts whose flows are not known, and parts that do not add up, are named.
#[test]
fn parts_that_cannot_be_split_are_refused() {
    let at = |text: &str| model(text, &["--method", "splitting-strang", "--step", "0.1", "--until", "1"]);
    let unknown = at("coord q\nhamiltonian p_q^2*q^2/2\nsplit A = p_q^2*q^2/2\ninitial q = 1\n");
    assert_eq!(unknown.status, 2);
    assert!(
        unknown.stderr.contains("error: the flow of the part `A` is not known: the rate of `q`"),
        "{}",
        unknown.stderr
    );
    let apart = at("coord q\nhamiltonian p_q^2/2 + q^2/2\nsplit A = p_q^2/2, B = q^2/3\ninitial q = 1\n");
    assert_eq!(apart.status, 2);
    assert!(apart.stderr.contains("do not add up to the energy"), "{}", apart.stderr);
}

/// The lemniscate (x² + y²)² = x² − y² lies within |x| ≤ 1.
const LEMNISCATE: &str = "coord x, y\nlagrangian 1.39287*x'^2/2 + 2.360285*y'^2/2 - 0.708085*y - 0.2*x^2/2 - 0.24*y^2/2\n\
    constraint c: (x^2 + y^2)^2 = x^2 - y^2\n\
    initial x = 0.7908150287626489, y = 0.3157111905392427, x' = 0.6997287211328876, y' = -0.322002089138475\n";

#[test]
fn a_constraint_that_a_run_leaves_is_said_with_the_time() {
    let folder = tempfile::tempdir().expect("a folder");
    let arguments = ["--method", "radau-2a", "--step", "0.0225", "--until", "5.625", "--project-initial", "--json"];
    let arguments = [&["run", "-", "--formulation", "total", "--out", "left.csv"], &arguments[..]].concat();
    let found = run_in(folder.path(), &arguments, LEMNISCATE.as_bytes()).json();
    assert!(found["constraints"]["c"]["final"].as_f64().unwrap().abs() > 1.0, "{found}");
    let notes: Vec<&str> = found["notes"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
    let note = notes.iter().find(|n| n.starts_with("`c` does not hold") || n.starts_with("`d/dt c` does not hold"));
    let note = note.unwrap_or_else(|| panic!("{notes:?}"));
    assert!(note.contains("--project both") && note.contains("--formulation multipliers"), "{note}");
    // From the table: the first row at which φ, or G q̇, is more than a percent of Σ |G| max |q|, or of Σ |G| max |q̇| and of what
    // the rounding of positions makes of G.
    let table = std::fs::read_to_string(folder.path().join("left.csv")).expect("a table");
    let mut largest = [0.0f64; 2];
    let left = table.lines().skip(1).find_map(|line| {
        let row: Vec<f64> = line.split(',').map(|cell| cell.parse().unwrap()).collect();
        let [t, x, y] = [row[0], row[1], row[2]];
        let [u, v] = [row[3] / 1.39287, row[4] / 2.360285];
        let r = x * x + y * y;
        let gradient = [4.0 * x * r - 2.0 * x, 4.0 * y * r + 2.0 * y];
        let sum = gradient[0].abs() + gradient[1].abs();
        let turned = [
            (12.0 * x * x + 4.0 * y * y - 2.0) * u + 8.0 * x * y * v,
            8.0 * x * y * u + (4.0 * x * x + 12.0 * y * y + 2.0) * v,
        ];
        let rounding = (turned[0].abs() + turned[1].abs()) * x.abs().max(y.abs());
        largest[0] = largest[0].max(sum * x.abs().max(y.abs()));
        largest[1] = largest[1].max(sum * u.abs().max(v.abs())).max(rounding);
        let residuals = [r * r - x * x + y * y, gradient[0] * u + gradient[1] * v];
        (0..2).any(|k| residuals[k].abs() > 0.01 * largest[k]).then_some(t)
    });
    let (_, time) = note.split_once("first at t = ").expect("a time");
    let time: f64 = time.split(',').next().unwrap().parse().unwrap();
    let left = left.expect("it leaves the lemniscate");
    assert!((time - left).abs() <= 3.0 * 0.0225, "{time} and {left}");
}

#[test]
fn a_run_that_keeps_its_constraints_is_not_said_to_leave_them() {
    for formulation in ["standard", "dirac", "hamilton-dirac", "ggl", "baumgarte", "impetus-striction", "penalty"] {
        let found = json(&["pendulum", "--formulation", formulation, "--method", "gauss", "--until", "20"]);
        assert_eq!(found["notes"], json!([]), "{formulation}");
    }
}

/// A mass that is let go on a spring in the place of a rod falls by d with φ²/(2ε) = d for φ = d + d²/2, and Σ|G| max|q| = (1 + d)².
#[test]
fn a_spring_that_is_too_soft_for_a_constraint_is_said() {
    let text = "coord x, y\nhamiltonian (p_x^2 + p_y^2)/2 + y\nconstraint rod: (x^2 + y^2 - 1)/2 = 0\ninitial y = -1\n";
    for epsilon in [0.1, 0.006, 0.004, 1e-4] {
        let fallen = (0..50).fold(0.0, |d: f64, _| 2.0 * epsilon / (1.0 + d / 2.0).powi(2));
        let stretched = fallen + fallen * fallen / 2.0;
        let option = format!("epsilon={epsilon}");
        let penalty = ["--formulation", "penalty", "--opt", &option, "--method", "gauss", "--step", "0.001"];
        let found = model(text, &[&penalty[..], &["--until", "10", "--json"]].concat()).json();
        close(&found["constraints"]["rod"]["max_abs"], stretched, 1e-3);
        let notes: Vec<&str> = found["notes"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
        let note = notes.iter().find(|note| note.starts_with("`rod` does not hold"));
        assert_eq!(note.is_some(), stretched > 0.01 * (1.0 + fallen).powi(2), "{epsilon}: {notes:?}");
        let says = |part| note.is_none_or(|note| note.contains(part));
        assert!(says("--opt epsilon") && says("--formulation multipliers"), "{note:?}");
        assert!(note.is_none_or(|note| !note.contains("--project")), "no projection fits: {note:?}");
    }
}

#[test]
fn a_step_that_is_one_program_is_said_to_be_one_be_it_made_of_loops() {
    let whole = |arguments: &[&str]| json(&[arguments, &["--steps", "3"]].concat())["whole_step"].clone();
    assert_eq!(whole(&["pendulum", "--method", "rattle"]), true);
    for n in ["n=4", "n=100"] {
        assert_eq!(whole(&["chain", "--method", "rattle", "--set", n]), true, "{n}");
    }
    // A method that chooses its own steps is called for each of them.
    assert_eq!(whole(&["kepler", "--method", "dopri5", "--tol", "1e-8"]), false);
}
