//! From the analysis to an integrator: motions in closed form, and what has none.

mod common;

use common::run_in;
use cotangent::compile::values::Setting;
use cotangent::dynamics::{Advance, Measure};
use cotangent::lab::Pendulum;
use cotangent::problem::pose;
use cotangent::{Engine, Formulation, Instance, Method, Repairs, System};

const NONE: Repairs = Repairs { project_initial: false, drop_redundant: false };
const PROJECT: Repairs = Repairs { project_initial: true, drop_redundant: false };

fn posed(text: &str, set: &[Setting], repairs: Repairs) -> Result<Instance, String> {
    let system = System::parse(text).unwrap_or_else(|d| panic!("{d}"));
    pose(&system, Formulation::HamiltonDirac, set, repairs, Engine::Best).map_err(|e| e.to_string())
}

fn shipped(name: &str) -> &'static str {
    cotangent::models::find(name).unwrap().source
}

/// The state after so many steps.
fn walk(problem: &Instance, method: Method, h: f64, steps: u64) -> Vec<f64> {
    let prepared = problem.prepare(method).unwrap_or_else(|e| panic!("{}: {e}", method.name()));
    let mut integrator = problem.integrator(&prepared).unwrap();
    let mut state = integrator.state(problem.start.clone());
    integrator.advance(&mut state, h, steps).unwrap_or_else(|(_, e)| panic!("{e}"));
    state.values
}

fn close(found: &[f64], expected: &[f64], tolerance: f64) {
    assert_eq!(found.len(), expected.len());
    for (k, (a, b)) in found.iter().zip(expected).enumerate() {
        assert!((a - b).abs() <= tolerance, "entry {k}: {a} and not {b}");
    }
}

const GAUSS: Method = Method::Gauss { stages: 4 };

/// ẋ = −k_y y/B, ẏ = k_x x/B: an ellipse at the frequency √(k_x k_y)/B of the slow drift.
#[test]
fn landau_particle_drifts_around_an_ellipse() {
    let text = "param B != 0 = 3, k_x > 0 = 1, k_y > 0 = 4\ncoord x, y\n\
                lagrangian B*(x*y' - y*x')/2 - (k_x*x^2 + k_y*y^2)/2\ninitial x = 1\n";
    let problem = posed(text, &[], NONE).unwrap();
    // The momenta follow from the Legendre map, whatever the velocities.
    assert_eq!(problem.start, [1.0, 0.0, 0.0, 1.5]);
    let (b, frequency, time) = (3.0, 2.0 / 3.0f64, 10.0);
    let (x, y) = ((frequency * time).cos(), 0.5 * (frequency * time).sin());
    close(&walk(&problem, GAUSS, 0.02, 500), &[x, y, -b * y / 2.0, b * x / 2.0], 1e-12);
    for method in [Method::ImplicitMidpoint, Method::Rk4, Method::named("dopri5").unwrap()] {
        close(&walk(&problem, method, 0.001, 10_000), &[x, y, -b * y / 2.0, b * x / 2.0], 1e-6);
    }
}

const LAMBDA: &str = "param g = 1\ncoord x, y, lambda\n\
    lagrangian (x'^2 + y'^2)/2 - g*y - lambda*(x^2 + y^2 - 1)/2\ninitial x = 1, y' = -2\n";

/// Four generations of constraints, and still the pendulum of the elliptic functions, λ = p² − g y.
#[test]
fn pendulum_with_its_multiplier_as_a_coordinate() {
    let problem = posed(LAMBDA, &[], PROJECT).unwrap();
    assert_eq!(problem.start, [1.0, 0.0, 4.0, 0.0, -2.0, 0.0], "only what nobody gave is moved");
    let found = walk(&problem, GAUSS, 0.01, 1000);
    let exact = Pendulum::new(1.0, [1.0, 0.0], [0.0, -2.0]).unwrap().at(10.0);
    let ([x, y], [vx, vy]) = (exact.position, exact.velocity);
    close(&found, &[x, y, vx * vx + vy * vy - y, vx, vy, 0.0], 1e-11);
}

/// Quadratic constraints stay at round-off with any Gauss method; the cubic one is kept to its order.
#[test]
fn gauss_keeps_quadratic_constraints() {
    let problem = posed(LAMBDA, &[], PROJECT).unwrap();
    let mut diagnostics = problem.diagnostics().unwrap();
    assert_eq!(diagnostics.constraints.entry_names(), ["phi_lambda"]);
    assert_eq!(diagnostics.hidden_constraints.entry_names(), ["phi_lambda'", "phi_lambda''", "phi_lambda'''"]);
    let mut residuals = |h: f64, steps: u64| {
        let state = walk(&problem, Method::Gauss { stages: 1 }, h, steps);
        let kept = diagnostics.kept(&state).unwrap();
        assert_eq!(kept.constraints, [0.0]);
        kept.hidden_constraints.clone()
    };
    let (coarse, fine) = (residuals(0.05, 33), residuals(0.025, 66));
    for kept in [&coarse[..2], &fine[..2]].concat() {
        assert!(kept.abs() < 1e-14, "{kept}");
    }
    let ratio = coarse[2] / fine[2];
    assert!((ratio - 4.0).abs() < 0.1, "of second order: {ratio}");
}

/// The constraint q = y₁ lets k q²/2 turn y about the first axis, by the angle k y₁ t; p = 0 comes along.
/// The bracket alone would leave y as it is.
#[test]
fn a_constraint_on_a_lie_poisson_bracket() {
    let text = "param k = 2\nvariables y1, y2, y3, q, p\n\
        bracket {y1, y2} = -y3, {y2, y3} = -y1, {y3, y1} = -y2, {q, p} = 1\nhamiltonian k*q^2/2\n\
        constraint follow: q - y1 = 0\nconstraint rest: p = 0\ncasimir C = y1^2 + y2^2 + y3^2\n\
        initial y1 = 0.6, y2 = 0.8, q = 0.6\n";
    let problem = posed(text, &[], NONE).unwrap();
    let angle = 2.0 * 0.6 * 5.0f64;
    close(&walk(&problem, GAUSS, 0.02, 250), &[0.6, 0.8 * angle.cos(), -0.8 * angle.sin(), 0.6, 0.0], 1e-13);
}

/// p_x = a y asks for x = −a p_y; on both, (1 + a²) dy∧dp_y and H = ((a² + k) y² + (1 + a²) p_y²)/2.
#[test]
fn a_constraint_on_momenta() {
    let text = "param a = 1/2, k = 3\ncoord x, y\nhamiltonian (p_x^2 + p_y^2)/2 + (x^2 + k*y^2)/2\n\
        constraint tie: p_x - a*y = 0\ninitial y = 1, p_x = a\n";
    let problem = posed(text, &[], NONE).unwrap();
    let (a, frequency) = (0.5, (3.25f64 / 1.25).sqrt());
    let (y, p) = ((frequency * 7.0).cos(), -frequency * (frequency * 7.0).sin());
    close(&walk(&problem, GAUSS, 0.02, 350), &[-a * p, y, a * y, p], 1e-12);
}

/// With the angle and the frame fixed, r'' = −k r.
#[test]
fn a_gauge_makes_the_motion_unique() {
    let text = shipped("christ-lee");
    let problem = posed(text, &[], NONE).unwrap();
    let (t, x): (f64, f64) = (4.0, 0.5);
    let (r, p) = (t.cos() + x * t.sin(), x * t.cos() - t.sin());
    close(&walk(&problem, GAUSS, 0.02, 200), &[r, 0.0, 0.0, p, 0.0, 0.0], 1e-13);
    let without: String = text.lines().filter(|l| !l.starts_with("gauge")).map(|l| format!("{l}\n")).collect();
    let refused = posed(&without, &[], NONE).err().unwrap();
    assert_eq!(refused, "the motion is not determined: `phi_xi`, `phi_xi'` are first class, and `u_xi` is arbitrary");
}

/// A velocity constraint and the same model as a singular constant form: one motion.
#[test]
fn velocity_constraints_and_singular_forms() {
    let [vakonomic, form] = ["heisenberg", "heisenberg-form"].map(|name| {
        let problem = posed(shipped(name), &[], NONE).unwrap();
        (problem.determined.clone(), walk(&problem, GAUSS, 0.02, 500))
    });
    assert_eq!(vakonomic.0, [("lambda_contact".to_owned(), -1.0)]);
    // (x, y, z, λ, p…) and (x, y, z, p, λ, π…)
    let (a, b) = (vakonomic.1, form.1);
    close(&[&a[..3], &a[4..7], &a[3..4]].concat(), &b[..7], 1e-12);
}

#[test]
fn a_start_off_the_constraints_is_refused_or_moved() {
    let refused = posed(LAMBDA, &[], NONE).err().unwrap();
    assert_eq!(refused, "the initial data violate phi_lambda''' (off by -4.000e0)");
    let set = |name: &str, value: f64| Setting { name: name.into(), index: None, value };
    let problem = posed(LAMBDA, &[set("lambda", 3.0), set("y'", -1.5)], PROJECT).unwrap();
    // λ was asked for and cannot stay with the momentum: all of it is moved, by as little as it takes.
    let [x, y, l, px, py, pl] = problem.start[..] else { panic!("{:?}", problem.start) };
    close(&[x * x + y * y, x * px + y * py, l + y - px * px - py * py, pl], &[1.0, 0.0, 0.0, 0.0], 1e-14);
    assert!((l - 3.0).abs() < 0.3 && (py + 1.5).abs() < 0.3, "{l} {py}");
    let landau = shipped("landau");
    let refused = posed(landau, &[set("B", 1e-310)], NONE).err().unwrap();
    assert!(refused.contains("matrix of brackets") || refused.contains("no finite value"), "{refused}");
}

#[test]
fn every_shipped_model_goes_through_or_says_why_not() {
    for model in cotangent::models::all() {
        let problem = posed(model.source, &[], NONE);
        match model.name {
            "einbein" => assert!(problem.err().unwrap().contains("`u_e` is arbitrary")),
            "cawley" => assert!(problem.err().unwrap().contains("irregular")),
            name => assert!(problem.is_ok(), "{name}: {}", problem.err().unwrap()),
        }
    }
}

/// What `run` says where `multipliers` is asked for and cannot be done.
#[test]
fn the_way_out_is_shown() {
    let folder = std::env::temp_dir();
    let help = |model: &str| {
        let ran = run_in(&folder, &["run", model, "--formulation", "multipliers", "--json"], b"");
        ran.json()["error"]["help"].to_string()
    };
    for model in ["landau", "christ-lee", "heisenberg", "heisenberg-form", "bicycle"] {
        assert!(help(model).contains("--formulation hamilton-dirac integrates it"), "{model}: {}", help(model));
    }
    assert!(help("einbein").contains("`gauge fixed_e: e = 1` in the model"), "{}", help("einbein"));
}

#[test]
fn summaries_name_every_constraint_with_its_generation() {
    let folder = std::env::temp_dir();
    let json = |arguments: &[&str]| run_in(&folder, arguments, b"").json();
    let found = json(&["run", "christ-lee", "--formulation", "hamilton-dirac", "--json"]);
    let generation = |kind: &str, name: &str| found[kind][name]["generation"].as_u64();
    assert_eq!(generation("constraints", "phi_xi"), Some(1));
    assert_eq!(generation("constraints", "angle"), Some(0));
    assert_eq!(generation("constraints", "frame"), Some(0));
    assert_eq!(generation("hidden_constraints", "phi_xi'"), Some(2));
    assert_eq!(found["multipliers"]["u_xi"], 0.0);
    let certified = json(&["certify", "landau", "--formulation", "hamilton-dirac", "--json", "--steps", "2000"]);
    assert_eq!(certified["order"]["held"], true);
    assert_eq!(certified["constraint_defect"]["held"], true);
}

/// Runs a text without options.
fn ran(text: &str, arguments: &[&str]) -> common::Ran {
    let folder = tempfile::tempdir().unwrap();
    run_in(folder.path(), &[&["run", "-"], arguments].concat(), text.as_bytes())
}

/// With e = 1 nothing is arbitrary any more, though the mass shell stays first class: x' = p_x, t' = −p_t.
#[test]
fn a_gauge_that_determines_every_multiplier_is_enough() {
    let text = format!("{}gauge parameter: e = 1\n", shipped("einbein"));
    let ran = ran(&text, &["--json"]);
    assert_eq!(ran.status, 0, "{}", ran.stdout);
    let (state, found) = (&ran.json()["state"], &ran.json()["constraints"]);
    for (name, expected) in [("x", 7.5), ("t", 12.5), ("e", 1.0), ("p_x", 0.75), ("p_t", -1.25), ("p_e", 0.0)] {
        assert!((state[name].as_f64().unwrap() - expected).abs() < 1e-12, "{name}: {}", state[name]);
    }
    assert!(found["parameter"]["max_abs"].as_f64().unwrap() < 1e-15, "{found}");
    // An einbein that grows with x: x' = e*p_x = (1 + x)*p_x.
    let text = format!("{}gauge parameter: e = 1 + x\n", shipped("einbein"));
    let x = posed(&text, &[], NONE).map(|p| walk(&p, GAUSS, 0.01, 100)).unwrap();
    assert!((x[1] - (0.75f64.exp() - 1.0)).abs() < 1e-12, "{x:?}");
}

/// The `gauge` statement that a refusal proposes makes the model run.
#[test]
fn a_proposed_gauge_is_one() {
    let without = |name: &str| -> String {
        let lines = shipped(name).lines().filter(|line| !line.starts_with("gauge"));
        lines.map(|line| format!("{line}\n")).collect()
    };
    let two = "coord x, y, u, v\nlagrangian (x' - u)^2/2 + (y' - v)^2/2\ninitial u = 2, v = -1/2, x' = 2, y' = -1/2\n\
               run step = 0.1, until = 1\n";
    for text in [without("einbein"), without("christ-lee"), two.to_owned()] {
        let refused = ran(&text, &[]);
        assert_eq!(refused.status, 2, "{}", refused.stdout);
        let proposed = refused.stderr.split('`').find(|part| part.starts_with("gauge ")).expect("a gauge is proposed");
        let fixed = ran(&format!("{text}{proposed}\n"), &[]);
        assert_eq!(fixed.status, 0, "{proposed}: {}", fixed.stderr);
    }
}

/// What the model states decides on the equations, and that is said.
#[test]
fn models_without_a_formulation_get_the_one_they_need() {
    let run = "run step = 0.1, until = 1\n";
    let (dirac, one) = ("hamilton-dirac", "index-one");
    for (text, why, formulation) in [
        ("coord x, y\nlagrangian (x' + y')^2/2 - (x - y)^2 - x^2\n", "the Lagrangian is singular", dirac),
        (
            "variables a, b, c\nform (a, b) = 1\nhamiltonian a^2 + b^2 + (c - a)^2\n",
            "the form is a singular matrix",
            one,
        ),
        ("variables a, b, c\nform (a, b) = 1\nhamiltonian a^2 + b^2 + c*a\n", "the form is a singular matrix", dirac),
        (
            "coord x, y\nhamiltonian (p_x^2 + p_y^2)/2\nconstraint c: p_x = y\n",
            "`c` restricts more than positions",
            dirac,
        ),
        ("coord x, y\nlagrangian (x'^2 + y'^2)/2\nvakonomic c: x' = y*y'\n", "`c` restricts velocities", one),
        (
            "coord x, y\nhamiltonian p_x^2/2 + x^2 + (y - x)^2\nconstraint c: y = 0\n",
            "no kinetic energy resists",
            dirac,
        ),
    ] {
        let ran = ran(&format!("{text}{run}"), &[]);
        assert!(ran.stderr.contains(why), "{text}: {}", ran.stderr);
        assert!(ran.stderr.contains(&format!("formulation `{formulation}`")), "{}", ran.stderr);
    }
    let plain = ran(&format!("coord x, y\nhamiltonian (p_x^2 + p_y^2)/2\nconstraint c: x = y\n{run}"), &["--json"]);
    assert_eq!((plain.status, &plain.json()["formulation"]), (0, &"multipliers".into()));
}

/// A mass that is set to 0 makes a Lagrangian singular that is none for others.
#[test]
fn parameters_that_make_a_model_singular_are_told_to_be_written_as_numbers() {
    let text = "param m = 1\ncoord x, y\nlagrangian (x'^2 + m*y'^2)/2 - x^2/2 - (y - x)^2/2\n\
                initial x = 1, y = 1\nrun step = 0.1, until = 1\n";
    let refused = ran(text, &["--set", "m=0"]);
    assert_eq!(refused.status, 2);
    assert!(refused.stderr.contains("write them into it as numbers"), "{}", refused.stderr);
    let written = text.replace("m*y'^2", "0*y'^2");
    assert_eq!(ran(&written, &[]).status, 0, "{}", ran(&written, &[]).stderr);
}

/// (x² + y² − 1)² = 0 has a gradient nowhere it holds; no other start would help.
#[test]
fn an_irregular_constraint_is_answered_with_the_regular_one() {
    for text in [
        "coord x, y\nhamiltonian (p_x^2 + p_y^2)/2 + y\nconstraint rod: (x^2 + y^2 - 1)^2 = 0\ninitial x = 1\n",
        "coord x, y, z\nlagrangian (x'^2 + y'^2 + z'^2)/2\nconstraint rod: (x - 2*y)^2 = 0, top: z = 1\ninitial z = 1\n",
    ] {
        for formulation in ["multipliers", "hamilton-dirac"] {
            let refused = ran(&format!("{text}run step = 0.1, until = 1\n"), &["--formulation", formulation]);
            assert_eq!(refused.status, 2);
            assert!(refused.stderr.contains("state "), "{}", refused.stderr);
            assert!(refused.stderr.contains(" instead"), "{}", refused.stderr);
            assert!(!refused.stderr.contains("another configuration"), "{}", refused.stderr);
        }
    }
}
