//! Runs with a lapse: what is time in files, documents and messages.

mod common;

use common::{run, run_in};

/// Kepler's problem with a lapse.
const ORBIT: &str = "model orbit\ncoord x, y\nhamiltonian (p_x^2 + p_y^2)/2 - 1/sqrt(x^2 + y^2)\n\
    initial x = 0.4, p_y = 2\nrun method = hamilton-pontryagin-2, lapse = sqrt(x^2 + y^2), step = 0.01, until = 10\n";

const PENDULUM: &str =
    "model swing\ncoord q\nhamiltonian p_q^2/2 + 1 - cos(q)\ninitial p_q = 1\nrun step = 0.01, until = 10\n";

fn folder(text: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("m.cot"), text).unwrap();
    folder
}

/// The columns of a table by name.
fn column(table: &str, name: &str) -> Vec<f64> {
    let k = table.lines().next().unwrap().split(',').position(|n| n == name).unwrap_or_else(|| panic!("{name}"));
    table.lines().skip(1).map(|l| l.split(',').nth(k).unwrap().parse().unwrap()).collect()
}

#[test]
fn time_is_physical_time_and_the_parameter_is_beside_it() {
    let folder = folder(ORBIT);
    let ran = run_in(folder.path(), &["run", "m.cot", "--json", "--out", "a.csv", "--record", "1"], b"");
    let document = ran.json();
    assert_eq!((&document["time"], &document["formulation"]), (&10.0.into(), &"lapse".into()));
    let table = std::fs::read_to_string(folder.path().join("a.csv")).unwrap();
    let [time, lapse, parameter] = ["time", "lapse", "parameter_time"].map(|name| column(&table, name));
    assert_eq!(time.last(), Some(&10.0));
    assert_eq!(*parameter.last().unwrap(), document["parameter_time"].as_f64().unwrap());
    let extreme = |of: fn(f64, f64) -> f64| lapse.iter().copied().reduce(of).unwrap();
    assert_eq!(document["lapse"]["min"].as_f64(), Some(extreme(f64::min)));
    assert_eq!(document["lapse"]["max"].as_f64(), Some(extreme(f64::max)));
    // t′ = Γ, by the trapezoidal rule of the method.
    for k in 1..time.len() {
        let (dt, h) = (time[k] - time[k - 1], parameter[k] - parameter[k - 1]);
        assert!((dt - h * (lapse[k] + lapse[k - 1]) / 2.0).abs() < 1e-14, "row {k}");
    }
    // Spacing, divided by the step.
    let (x, y, spacing) = (column(&table, "x"), column(&table, "y"), column(&table, "pose_spacing"));
    let far = |k: usize| (x[k + 1] - x[k]).hypot(y[k + 1] - y[k]) / 0.01;
    assert!((0..500).all(|k| (far(k) / spacing[k] - 1.0).abs() < 0.05));
}

#[test]
fn extended_runs_and_resumed_ones_are_the_same_to_the_byte() {
    let folder = folder(ORBIT);
    for more in [&["--record", "3"][..], &["--every", "0.125"]] {
        let to = |until: &str, out: &str| {
            let arguments = [&["run", "m.cot", "--until", until, "--out", out][..], more].concat();
            assert_eq!(run_in(folder.path(), &arguments, b"").status, 0);
        };
        to("20", "whole.csv");
        to("9.3", "part.csv");
        assert_eq!(run_in(folder.path(), &["run", "--resume", "part.csv", "--until", "20"], b"").status, 0);
        let read = |name: &str| std::fs::read_to_string(folder.path().join(name)).unwrap();
        assert!(read("whole.csv") == read("part.csv"), "{more:?}");
        for name in ["whole.csv", "part.csv", "whole.csv.checkpoint", "part.csv.checkpoint"] {
            std::fs::remove_file(folder.path().join(name)).unwrap();
        }
    }
}

#[test]
fn rows_at_even_times_are_on_the_constraints_and_change_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let bead = |more: &[&str]| {
        let ran = run_in(folder.path(), &[&["run", "charged-bead", "--until", "20", "--json"], more].concat(), b"");
        assert_eq!(ran.status, 0, "{}", ran.stdout);
        ran.json()
    };
    let (plain, even) = (bead(&[]), bead(&["--every", "0.25", "--out", "a.csv", "--columns", "residuals"]));
    assert_eq!(plain["state"], even["state"]);
    assert_eq!(plain["energy"], even["energy"]);
    let table = std::fs::read_to_string(folder.path().join("a.csv")).unwrap();
    let time = column(&table, "time");
    assert_eq!(time, (0..=80).map(|k| 0.25 * f64::from(k)).collect::<Vec<_>>());
    for name in ["residual_sphere", "hidden_residual_sphere"] {
        let residuals = column(&table, name);
        assert!(residuals.iter().all(|r| r.abs() < 1e-15), "{name}");
    }
    // The energy at a row between steps is as good as at the others.
    let energy = column(&table, "energy");
    let bound = even["energy"]["max_abs_error"].as_f64().unwrap();
    assert!(energy.iter().all(|e| (e - energy[0]).abs() <= 1.5 * bound));
    // Without a lapse a row is a step to there as well.
    let ran = run_in(folder.path(), &["run", "pendulum", "--until", "1", "--every", "0.125", "--out", "b.csv"], b"");
    assert_eq!(ran.status, 0, "{}", ran.stderr);
    let table = std::fs::read_to_string(folder.path().join("b.csv")).unwrap();
    assert_eq!(column(&table, "time"), (0..=8).map(|k| 0.125 * f64::from(k)).collect::<Vec<_>>());
}

#[test]
fn what_cannot_be_run_with_a_lapse_says_why_and_what_would_help() {
    let folder = folder(PENDULUM);
    let said = |arguments: &[&str]| {
        let ran = run_in(folder.path(), &[&["run", "m.cot"], arguments].concat(), b"");
        let errors = ran.stderr.lines().filter(|l| !l.starts_with("note:")).collect::<Vec<_>>().join("\n");
        format!("{}: exit status {}\n{errors}\n\n", arguments.join(" "), ran.status)
    };
    let text = [
        said(&["--method", "hamilton-pontryagin"]),
        said(&["--formulation", "lapse"]),
        said(&["--lapse", "q - 1"]),
        said(&["--lapse", "q + s"]),
        said(&["--lapse", "arc-lenght"]),
        said(&["--lapse", "1", "--formulation", "multipliers"]),
        said(&["--lapse", "equispaced-poses", "--method", "hamilton-pontryagin", "--step", "0.015", "--until", "100"]),
        said(&["--lapse", "1/2 - q", "--method", "symplectic-euler", "--step", "0.3", "--until", "100"]),
        said(&["--lapse", "1", "--every", "0.1"]),
    ];
    insta::assert_snapshot!(text.concat());
}

#[test]
fn a_lapse_is_compared_with_equal_steps_of_the_same_work() {
    let arguments =
        ["compare", "eccentric-kepler", "--formulations", "lapse,multipliers", "--methods", "stormer-verlet"];
    let ran = run(&[&arguments[..], &["--until", "20*pi", "--json"]].concat());
    let rows = ran.json()["rows"].clone();
    let of = |formulation: &str| {
        let row = rows.as_array().unwrap().iter().find(|r| r["formulation"] == formulation).unwrap();
        [&row["steps"], &row["energy"]["value"]].map(|value| value.as_f64().unwrap_or_else(|| panic!("{row}")))
    };
    let [lapse, equal] = ["lapse", "multipliers"].map(of);
    assert!((lapse[0] / equal[0] - 1.0).abs() < 0.02, "{lapse:?} {equal:?}");
    assert!(lapse[1] < 3e-4 && equal[1] > 1.0, "{lapse:?} {equal:?}");
}

/// The motion goes through q = 1/2 at t ≈ 0.52, and q = 0: a lapse that vanishes there never lets time pass it, and what rounding
/// makes of that is no motion.
#[test]
fn a_lapse_that_vanishes_on_the_way_stops_the_run() {
    let folder = folder(PENDULUM);
    let crossing = [("0.5 - q", 0.52f64), ("abs(0.5 - q)", 0.52)];
    for (lapse, at) in crossing {
        for method in [&["gauss", "0.01"][..], &["rk4", "0.3"], &["rk4", "1.5"], &["hamilton-pontryagin-2", "0.05"]] {
            let arguments = [
                "run", "m.cot", "--json", "--until", "5", "--lapse", lapse, "--method", method[0], "--step", method[1],
            ];
            let ran = run_in(folder.path(), &arguments, b"");
            assert_eq!(ran.status, 3, "{lapse} {method:?}");
            let time = ran.json()["time"].as_f64().unwrap();
            assert!((0.0..=at + 0.01).contains(&time), "{lapse} {method:?}: {time}");
        }
    }
    let arguments = ["run", "m.cot", "--json", "--until", "5", "--lapse", "kepler", "--set", "q=1", "--set", "p_q=0"];
    assert_eq!(run_in(folder.path(), &[&arguments[..], &["--method", "gauss"]].concat(), b"").status, 3);
}

#[test]
fn compare_knows_the_exact_motion_whatever_comes_first() {
    let folder = folder(PENDULUM);
    for formulations in ["lapse,multipliers", "multipliers,lapse"] {
        let lapse =
            ["--formulations", formulations, "--lapse", "equispaced-phase", "--methods", "rattle", "--until", "10"];
        let document = run_in(folder.path(), &[&["compare", "m.cot", "--json"][..], &lapse].concat(), b"").json();
        let text = document.to_string();
        assert!(!text.contains("no exact motion") && !text.contains("is not an input"), "{formulations}: {text}");
    }
}

/// With B the momenta of a charge at rest do not vanish.
#[test]
fn a_lapse_made_of_the_potential_is_refused_where_there_is_none() {
    let text = "param B = 1\ncoord x, y\nlagrangian (x'^2 + y'^2)/2 + B*(x*y' - y*x')/2\ninitial x = 1, x' = 1\n\
        run step = 0.02, until = 1\n";
    let folder = folder(text);
    let ran = run_in(folder.path(), &["run", "m.cot", "--json", "--lapse", "arc-length"], b"");
    assert_eq!(ran.status, 2);
    let document = ran.json().to_string();
    assert!(document.contains("momenta do not vanish with the velocities"), "{document}");
    assert_eq!(run_in(folder.path(), &["run", "m.cot", "--lapse", "1 + x^2"], b"").status, 0);
}

/// The longer bar of a slider-crank stays on its side of the shorter one; where both are stretched they pass each other in a gap of
/// 10⁻⁶, in a part of a step. What moves freely keeps its energy, and the crank turns by 1.5 in the time that ∫ √M(u) du says.
#[test]
fn rows_and_ends_inside_a_step_that_is_made_in_parts_are_on_the_branch() {
    let (s, c) = 0.7f64.sin_cos();
    let rod = 1.0 + 1e-6;
    let slope = |s: f64, c: f64| -s - s * c / (rod * rod - s * s).sqrt();
    let text = format!(
        "coord x, y, z\nlagrangian (x'^2 + y'^2 + z'^2)/2\nconstraint crank: (x^2 + y^2 - 1)/2 = 0\n\
         constraint rod: ((z - x)^2 + y^2 - {rod:?}^2)/2 = 0\ninitial x = {c:?}, y = {s:?}, z = {:?}\n\
         initial x' = {:?}, y' = {:?}, z' = {:?}\n",
        c + (rod * rod - s * s).sqrt(),
        -2.0 * s,
        2.0 * c,
        2.0 * slope(s, c)
    );
    let folder = folder(&text);
    // The energy is that of two u′²(1 + (dz/du)²)/2: the time to u = π/2, by the midpoint rule.
    let inertia = |u: f64| 1.0 + slope(u.sin(), u.cos()).powi(2);
    let (from, parts) = (0.7, 1 << 20);
    let width = (std::f64::consts::FRAC_PI_2 - from) / f64::from(parts);
    let sum: f64 = (0..parts).map(|k| inertia(from + (f64::from(k) + 0.5) * width).sqrt()).sum();
    let passage = sum * width / (2.0 * inertia(from).sqrt());
    for more in [&[][..], &["--lapse", "1", "--method", "hamilton-pontryagin-2"]] {
        for (until, step) in [(passage + 0.004, "0.03"), (passage + 0.1, "0.03"), (passage + 0.01, "0.05")] {
            let until = until.to_string();
            let arguments = [
                &["run", "m.cot", "--json", "--step", step, "--until", &until, "--every", "0.004", "--out", "a.csv"],
                more,
            ]
            .concat();
            let ran = run_in(folder.path(), &arguments, b"");
            assert_eq!(ran.status, 0, "{more:?} {until}: {}", ran.stdout);
            let table = std::fs::read_to_string(folder.path().join("a.csv")).unwrap();
            let [time, x, y, z, energy] = ["time", "x", "y", "z", "energy"].map(|name| column(&table, name));
            let until: f64 = until.parse().unwrap();
            assert_eq!(time.len(), (until / 0.004) as usize + 2);
            assert!(time[..time.len() - 1].iter().enumerate().all(|(k, t)| *t == 0.004 * k as f64));
            assert_eq!(time.last(), Some(&until));
            for k in 0..time.len() {
                let apart = (z[k] - x[k] - (rod * rod - y[k] * y[k]).sqrt()).abs();
                assert!(apart < 1e-8, "{more:?} {until}: {apart} at {}", time[k]);
                assert!((energy[k] / energy[0] - 1.0).abs() < 0.02, "{more:?} {until}: {} at {}", energy[k], time[k]);
            }
            // It has passed, and has turned back nowhere.
            assert!(
                x.windows(2).all(|pair| pair[1] < pair[0]) && (x.last() < Some(&0.0)) == (until > passage),
                "{more:?}"
            );
        }
    }
}
