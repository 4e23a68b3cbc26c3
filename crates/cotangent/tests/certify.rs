//! `certify`: verdicts where a run ends early, where a step resolves nothing, and where a property holds on one motion alone.

mod common;

use common::{run, run_in};
use serde_json::{Value, json};
use std::path::Path;

/// The certificate of a model that is given as text.
fn certify(text: &str, arguments: &[&str]) -> Value {
    run_in(Path::new("."), &[&["certify", "-", "--json"], arguments].concat(), text.as_bytes()).json()
}

fn verdict<'a>(found: &'a Value, property: &str) -> &'a str {
    found[property]["verdict"].as_str().expect("a verdict")
}

/// A projection of momenta solves G H_p = 0 to round-off at every step, until a step that is far too large has made the
/// energy 10⁷² and none can be made any more.
#[test]
fn what_is_kept_to_round_off_until_a_run_blows_up_is_not_contradicted() {
    for (method, formulation, step) in [("rk4", "standard", "0.8"), ("gauss", "ggl", "0.6"), ("gauss", "ggl", "1.0")] {
        let chosen = ["--method", method, "--formulation", formulation, "--step", step];
        let ran =
            run(&[&["certify", "double-pendulum", "--json", "--project", "momentum", "--steps", "3000"], &chosen[..]]
                .concat());
        let found = ran.json();
        assert_eq!((ran.status, &found["held"]), (3, &json!(null)), "{chosen:?}: {found}");
        let hidden = &found["hidden_constraint_defect"];
        assert_eq!((&hidden["claimed"], &hidden["held"]), (&json!(true), &json!(null)), "{chosen:?}: {hidden}");
        assert!(hidden["measured"].as_f64().unwrap() < 1e-14, "{chosen:?}: {hidden}");
        assert!(hidden["reason"]["message"].as_str().unwrap().starts_with("the run ended after "), "{hidden}");
    }
}

/// A backward differentiation formula is no Poisson map; at a step that resolves nothing its defect is smaller than at half of
/// it, and at four times this step the images are too small to show one.
#[test]
fn what_does_not_fall_with_a_step_that_resolves_nothing_is_not_incidental() {
    let text = "variables x, y, z\n\
        bracket {x, y} = (-0.503)*x*y, {y, z} = (0.632)*y*z, {x, z} = (1.305)*x*z\n\
        hamiltonian x+y+z - 0.778*log(x) - 1.282*log(y) - 1.094*log(z)\n\
        casimir C = (0.632)*log(x) - (1.305)*log(y) + (-0.503)*log(z)\n\
        initial x = 0.820, y = 0.862, z = 0.709\n";
    for step in ["0.576", "1.152", "2.304"] {
        let found = certify(text, &["--method", "bdf2", "--step", step, "--steps", "3000"]);
        assert_eq!(verdict(&found, "poisson_defect"), "does not hold", "{step}: {found}");
    }
}

/// Along y = 0 the force vanishes, and any method is exact: from starts beside it the Runge–Kutta method has the defects that
/// it has anywhere.
#[test]
fn what_holds_along_an_invariant_line_alone_is_not_incidental() {
    let text = "coord x, y\nhamiltonian (p_x^2 + p_y^2)/2 + y^2*(1 + x^2)/2\ninitial x = 0.3, p_x = 0.5\n";
    let rk4 = ["--method", "rk4", "--step", "0.1", "--steps", "2000"];
    let on_the_line = certify(text, &rk4);
    for property in ["symplectic_defect", "symmetry_defect"] {
        assert_eq!(verdict(&on_the_line, property), "does not hold", "{property}: {on_the_line}");
    }
    for property in ["energy_defect", "energy_drift_exponent"] {
        let found = &on_the_line[property];
        assert_eq!((&found["held"], &found["verdict"]), (&json!(null), &json!("undecided")), "{property}: {found}");
        assert_eq!(found["reason"]["code"], "not-excluded", "{property}: {found}");
    }
    // The same with a constraint, which the Runge–Kutta method keeps along y = 1, z = 0.
    let bead = "coord x, y, z\nhamiltonian (p_x^2 + p_y^2 + p_z^2)/2\n\
        constraint c: (y^2 + z^2*(1 + x^2) - 1)/2 = 0\ninitial y = 1, p_x = 0.5\n";
    let found = certify(bead, &[&rk4[..], &["--formulation", "standard"]].concat());
    for property in ["symplectic_defect", "symmetry_defect"] {
        assert_eq!(verdict(&found, property), "does not hold", "{property}: {found}");
    }
    for property in ["constraint_defect", "hidden_constraint_defect", "energy_defect"] {
        assert_eq!(verdict(&found, property), "undecided", "{property}: {found}");
    }
}

/// The midpoint rule is symmetric in one chart. A step from the last point of a chart and the step back, in another one, do
/// not undo each other.
#[test]
fn symmetry_is_asked_for_where_the_chart_changes() {
    let text = "param a = 0.3\ncoord x, y\nhamiltonian (p_x^2 + p_y^2)/2 + y\nconstraint rod: (x^2 + y^2 - 1)/2 = 0\n\
        initial x = cos(a), y = sin(a), p_x = -2*sin(a), p_y = 2*cos(a)\n";
    let charts = ["--method", "implicit-midpoint", "--formulation", "local-chart", "--step", "0.01", "--steps", "2000"];
    for a in ["a=0.3", "a=1.68", "a=3.72"] {
        let found = certify(text, &[&charts[..], &["--set", a]].concat());
        assert_eq!(verdict(&found, "symmetry_defect"), "does not hold", "{a}: {found}");
    }
    // Near rest no step changes the chart.
    let small = text.replace("p_x = -2*sin(a), p_y = 2*cos(a)", "p_x = 0");
    let found = certify(&small, &[&charts[..], &["--set", "a=-1.4"]].concat());
    assert_eq!(verdict(&found, "symmetry_defect"), "undecided", "{found}");
}

/// On a quadratic energy the average vector field is the implicit midpoint rule, which is symplectic from any start.
#[test]
fn what_holds_from_any_start_is_incidental() {
    let text = "coord x\nhamiltonian (p_x^2 + x^2)/2\ninitial x = 1\n";
    let found = certify(text, &["--method", "average-vector-field", "--step", "0.1", "--steps", "2000"]);
    assert_eq!(verdict(&found, "symplectic_defect"), "incidental", "{found}");
}
