//! Paths whose parameter nothing fixes, run in a gauge with the parameter of the orbit, against closed forms.

mod common;

use common::{Ran, run_in};
use insta::assert_snapshot;
use serde_json::Value;

fn with_model(text: &str, arguments: &[&str]) -> Ran {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("m.cot"), text).expect("written");
    run_in(folder.path(), arguments, b"")
}

fn final_state(text: &str, more: &[&str]) -> Value {
    let arguments: Vec<&str> = ["run", "m.cot", "--json"].iter().chain(more).copied().collect();
    let ran = with_model(text, &arguments);
    assert_eq!(ran.status, 0, "{}", ran.show());
    ran.json()
}

#[track_caller]
fn close(document: &Value, name: &str, expected: f64, tolerance: f64) {
    let found = document["state"][name].as_f64().expect(name);
    assert!((found - expected).abs() <= tolerance, "{name}: {found} and not {expected}");
}

/// L = −m √(t′² − x′²) with v = 3/5, so that γ = 5/4.
fn free(gauge: &str, initial: &str) -> String {
    format!(
        "param m > 0 = 2\ncoord t, x\nlagrangian -m*sqrt(t'^2 - x'^2)\n{gauge}\ninitial {initial}\nrun step = 0.1, until = 10\n"
    )
}

#[test]
fn a_free_particle_moves_uniformly_whatever_its_clock() {
    // The clock is t, twice t, x, and the proper time: τ = t/γ.
    for (gauge, initial, [t, x]) in [
        ("gauge clock: t = tau", "t' = 1, x' = 3/5", [10.0, 6.0]),
        ("gauge clock: t = 2*tau", "t' = 1, x' = 3/5", [20.0, 12.0]),
        ("gauge clock: x = tau", "t' = 5, x' = 3", [50.0 / 3.0, 10.0]),
        ("gauge clock: t = 5/4*tau", "p_t = -5/2, p_x = 3/2", [12.5, 7.5]),
        ("gauge clock: t = tau + tau^2", "t' = 1, x' = 3/5", [110.0, 66.0]),
    ] {
        let found = final_state(&free(gauge, initial), &[]);
        close(&found, "t", t, 1e-12 * t);
        close(&found, "x", x, 1e-12 * x);
        close(&found, "p_t", -2.5, 1e-12);
        close(&found, "p_x", 1.5, 1e-12);
        assert_eq!(found["time"].as_f64(), Some(10.0));
    }
}

#[test]
fn a_charge_in_a_constant_field_moves_on_a_hyperbola() {
    let text = "param m > 0 = 1, E > 0 = 1/2\ncoord t, x\nlagrangian -m*sqrt(t'^2 - x'^2) + E*x*t'\ngauge clock: t = tau\n\
        initial t' = 1\nrun until = 4\n";
    // x = (m/E)(√(1 + (Eτ/m)²) − 1) and p_x = Eτ; here E = 1/2 and τ = 4.
    let exact = 2.0 * (5.0f64.sqrt() - 1.0);
    let error = |method: &str, step: &str| {
        let found = final_state(text, &["--method", method, "--step", step]);
        close(&found, "p_x", 2.0, 1e-12);
        close(&found, "t", 4.0, 1e-13);
        (found["state"]["x"].as_f64().expect("x") - exact).abs()
    };
    // The mass shell is quadratic and p_x linear in time: Gauss' method keeps both, and so x is exact at any step.
    assert!(error("gauss", "0.4") < 1e-13);
    let errors = ["0.4", "0.2", "0.1"].map(|step| error("rk4", step));
    let orders = [errors[0] / errors[1], errors[1] / errors[2]].map(f64::log2);
    assert!(orders.iter().all(|p| (3.7..4.7).contains(p)), "{errors:?} {orders:?}");
}

#[test]
fn a_condition_whose_derivative_is_a_new_one_fixes_the_einbein() {
    // t = τ asks for −e p_t = 1, so that e = 1/(γ m) with p_t = −γ m.
    let einbein = "param m > 0 = 1\ncoord t, x, e\nlagrangian (x'^2 - t'^2)/(2*e) - e*m^2/2\ngauge clock: t = tau\n\
        initial e = 4/5, p_t = -5/4, p_x = 3/4\nrun step = 0.1, until = 10\n";
    let found = final_state(einbein, &[]);
    close(&found, "x", 6.0, 1e-12);
    close(&found, "e", 0.8, 1e-13);
}

#[test]
fn the_analysis_has_the_partial_derivative_by_the_parameter() {
    let text = free("gauge clock: t = tau", "t' = 1, x' = 3/5");
    let found = with_model(&text, &["analyze", "m.cot", "--json"]).json();
    assert_eq!(found["orbit_parameter"], "tau");
    assert_eq!(found["degrees_of_freedom"], 1);
    // {t, H_T} − ∂τ/∂τ = 2 u p_t − 1 = 0
    assert_eq!(found["multipliers"]["u_t"], "1/(2*p_t)");
    assert_snapshot!(with_model(&text, &["analyze", "m.cot"]).show());
}

#[test]
fn a_path_without_a_clock_is_refused_with_one() {
    assert_snapshot!(with_model(&free("", "t' = 1, x' = 3/5"), &["run", "m.cot"]).show());
    // At τ = 0 the condition does not hold.
    assert_snapshot!(with_model(&free("gauge clock: t = tau + 1", "t' = 1, x' = 3/5"), &["run", "m.cot"]).show());
}

/// With H = 0 a condition without the parameter of the orbit stops everything.
#[test]
fn a_gauge_that_stops_the_motion_is_said_to() {
    let text = free("gauge fixed_t: t = 0", "t' = 1, x' = 3/5");
    let ran = with_model(&text, &["run", "m.cot"]);
    assert_eq!(ran.status, 0, "{}", ran.show());
    assert!(ran.stderr.contains("nothing moves") && ran.stderr.contains("`gauge clock: t = tau`"), "{}", ran.show());
    let moving = with_model(&free("gauge clock: t = tau", "t' = 1, x' = 3/5"), &["run", "m.cot"]);
    assert!(!moving.stderr.contains("nothing moves"), "{}", moving.show());
}
