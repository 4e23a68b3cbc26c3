//! Linkages with centres of mass as `let`s: written from the book, without expanding anything by hand.

mod common;

use common::run_in;
use serde_json::Value;

fn ran(text: &str) -> Value {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("m.cot"), text).expect("written");
    let ran = run_in(folder.path(), &["run", "m.cot", "--json"], b"");
    assert_eq!(ran.status, 0, "{}", ran.show());
    ran.json()
}

fn value(document: &Value, name: &str) -> f64 {
    document["state"][name].as_f64().unwrap_or_else(|| panic!("{name}: {}", document["state"]))
}

/// A crank at the angle a, a rod at the angle b, a slider at x.
fn slider_crank(lets: &str, kinetic: &str) -> String {
    format!(
        "param r = 1, l = 3, m[i in 1..3] = (1, 2, 1/2), g = 9.81\ncoord a, b, x\n{lets}\n\
         lagrangian {kinetic} + m[1]*r^2*a'^2/24 + m[2]*l^2*b'^2/24 + m[3]*x'^2/2 - g*(m[1]*r*sin(a)/2 + m[2]*(r*sin(a) + l*sin(b)/2))\n\
         constraint along: r*cos(a) + l*cos(b) = x\nconstraint across: r*sin(a) + l*sin(b) = 0\n\
         initial x = r + l, a' = 2, b' = -2*r/l\nrun method = rattle, step = 0.01, until = 2\n"
    )
}

#[test]
fn a_slider_crank_with_centres_of_mass_moves_like_the_one_written_out() {
    let lets = "let x1 = r*cos(a)/2, y1 = r*sin(a)/2, x2 = 2*x1 + l*cos(b)/2, y2 = 2*y1 + l*sin(b)/2";
    let short = ran(&slider_crank(lets, "m[1]*(x1'^2 + y1'^2)/2 + m[2]*(x2'^2 + y2'^2)/2"));
    // |c1'|² = r²a'²/4 and |c2'|² = r²a'² + l²b'²/4 + r l a' b' cos(a − b).
    let long = ran(&slider_crank("", "m[1]*r^2*a'^2/8 + m[2]*(r^2*a'^2 + l^2*b'^2/4 + r*l*a'*b'*cos(a - b))/2"));
    for name in ["a", "b", "x", "p_a", "p_b", "p_x"] {
        let (short, long) = (value(&short, name), value(&long, name));
        assert!((short - long).abs() <= 1e-9 * long.abs().max(1.0), "{name}: {short} and {long}");
    }
}

#[test]
fn a_double_four_bar_has_the_energy_of_its_one_angle() {
    // Three uniform cranks of length and mass 1 and two couplers between their ends: with the angle θ of the cranks,
    // T = (3·1/3 + 2)θ'²/2 = 3θ'²/2 and V = (3/2 + 2) g cos θ. The ends move at the speed θ'.
    let text = "param g = 9.81\ncoord x[i in 1..3], y[i in 1..3]\n\
        let cx[i in 1..3] = (x[i] + i - 1)/2, cy[i in 1..3] = y[i]/2\n\
        let kx[i in 1..2] = (x[i] + x[i+1])/2, ky[i in 1..2] = (y[i] + y[i+1])/2\n\
        let dx[i in 1..2] = x[i+1] - x[i], dy[i in 1..2] = y[i+1] - y[i]\n\
        lagrangian sum(i in 1..3, (cx[i]'^2 + cy[i]'^2)/2 + (x[i]'^2 + y[i]'^2)/24 - g*cy[i])\n  \
        + sum(i in 1..2, (kx[i]'^2 + ky[i]'^2)/2 + (dx[i]'^2 + dy[i]'^2)/24 - g*ky[i])\n\
        constraint crank[i in 1..3]: ((x[i] - i + 1)^2 + y[i]^2 - 1)/2 = 0\n\
        constraint coupler[i in 1..2]: (dx[i]^2 + dy[i]^2 - 1)/2 = 0\n\
        observe speed = sqrt(x[2]'^2 + y[2]'^2)\n\
        initial x = (0, 1, 2), y = 1, x' = 1\nrun method = rattle, step = 0.0005, until = 0.4\n";
    let found = ran(text);
    let speed = found["observables"]["speed"].as_f64().expect("the speed");
    let height = value(&found, "y[2]");
    assert!(height < 0.9, "the cranks have turned: {height}");
    // 3/2 + 7/2 g at the start.
    let expected = (1.0 + 7.0 / 3.0 * 9.81 * (1.0 - height)).sqrt();
    assert!((speed - expected).abs() < 1e-5, "{speed} and {expected}");
    assert!((value(&found, "x[1]") + 1.0 - value(&found, "x[2]")).abs() < 1e-9);
}
