//! Models of several trades, written from the book alone, against closed forms and published numbers.

mod common;

use common::{Ran, run, run_in};
use serde_json::Value;

fn with_model(text: &str, arguments: &[&str]) -> Ran {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("m.cot"), text).expect("written");
    run_in(folder.path(), arguments, b"")
}

#[track_caller]
fn close(document: &Value, name: &str, expected: f64, tolerance: f64) {
    let found = document["state"][name].as_f64().expect(name);
    assert!((found - expected).abs() <= tolerance, "{name}: {found} and not {expected}");
}

/// With the lengths of the model closure says cot θ = −cos φ for the angles θ of the crank and φ of the rocker, so that
/// θ′ = −φ′ sin φ/(1 + cos²φ). A uniform rod whose ends move with u and v has the energy m (u·u + u·v + v·v)/6; here
/// u·v = −2 cos θ sin φ θ′φ′, V = 5 sin φ and H = 9. What is left is one quadrature for the period, by the trapezoidal rule.
#[test]
fn a_spatial_four_bar_comes_back_after_the_period_of_its_one_angle() {
    let slowness = |phi: f64| {
        let (sine, cosine) = phi.sin_cos();
        let rate = -sine / (1.0 + cosine * cosine);
        let crank = -cosine / (1.0 + cosine * cosine).sqrt();
        let inertia = rate * rate / 6.0 + 0.5 * (rate * rate - 2.0 * crank * sine * rate + 4.0) + 4.0 / 3.0;
        (inertia / (9.0 - 5.0 * sine)).sqrt()
    };
    let turn = 2.0 * std::f64::consts::PI;
    let period =
        |n: u32| (0..n).map(|k| slowness(turn * f64::from(k) / f64::from(n))).sum::<f64>() * turn / f64::from(n);
    assert!((period(200) - period(300)).abs() < 1e-13);
    let (until, step) = (format!("{:?}", period(200)), format!("{:?}", period(200) / 400.0));
    let ran =
        run(&["run", "spatial-four-bar", "--compose", "kahan-li-8", "--step", &step, "--until", &until, "--json"]);
    let found = ran.json();
    assert!((found["energy"]["initial"].as_f64().expect("the energy") - 9.0).abs() < 1e-12);
    for (name, expected) in [("x1", 0.0), ("y1", 1.0), ("y2", 0.0), ("z2", 2.0)] {
        close(&found, name, expected, 1e-10);
    }
}

/// The atoms of two molecules, 1 and 4 being oxygen: see the gallery of the book.
fn dimer() -> String {
    let page = include_str!("../../../docs/src/gallery.md");
    let start = page.find("model water_dimer").expect("the model");
    page[start..].split("```").next().expect("its text").to_owned()
}

/// W. L. Jorgensen et al., J. Chem. Phys. 79 (1983) 926, table III: the dimer of TIP3P has its least energy, −6.50 kcal/mol,
/// at an O–O distance of 2.74 Å and an angle of 27°. Released there at rest nothing but the total energy, momentum and angular
/// momentum is kept.
#[test]
fn a_water_dimer_has_the_published_energy_and_keeps_its_momenta() {
    let check = with_model(&dimer(), &["run", "m.cot", "--json", "--arrays"]);
    assert_eq!(check.status, 0, "{}", check.show());
    let found = check.json();
    let energy = found["energy"]["initial"].as_f64().expect("the energy");
    assert!((energy / 4.184 + 6.50).abs() < 0.01, "{energy} kJ/mol");
    let states = &found["state"];
    let of = |name: &str, k: usize| states[format!("{name}[{k}]")].as_f64().expect("a value");
    for (a, b) in [("x", "y"), ("y", "z"), ("z", "x")] {
        let total: f64 = (1..=6).map(|k| of(&format!("p_{a}"), k)).sum();
        let turning: f64 =
            (1..=6).map(|k| of(a, k) * of(&format!("p_{b}"), k) - of(b, k) * of(&format!("p_{a}"), k)).sum();
        assert!(total.abs() < 1e-10 && turning.abs() < 1e-10, "{total} and {turning}");
    }
    assert!((1..=6).any(|k| of("p_x", k).abs() > 0.01), "it moves");
    // At the minimum forces on the distance vanish: it stays within the rounding of the published numbers.
    let distance = found["observables"]["distance"].as_f64().expect("the distance");
    assert!((distance - 0.274).abs() < 0.005, "{distance}");
}

/// A ring of six carbon atoms with rigid bonds and angles.
fn cyclohexane(initial: &str) -> String {
    format!(
        "model cyclohexane \"Cyclohexane with rigid bonds and angles\"\n\
         param l > 0 = 0.1526, m > 0 = 14.027, angle = 111*pi/180, omega = 3\n\
         param far = 2*l*sin(angle/2)\nparam r = far/sqrt(3), h = sqrt(l^2 - r^2)\n\
         param next[i in 1..6] : int = mod(i, 6) + 1, third[i in 1..6] : int = mod(i + 1, 6) + 1\n\
         coord x[i in 1..6], y[i in 1..6], z[i in 1..6]\n\
         let d2[i in 1..6, j in 1..6] = (x[i] - x[j])^2 + (y[i] - y[j])^2 + (z[i] - z[j])^2\n\
         lagrangian m*sum(i in 1..6, x[i]'^2 + y[i]'^2 + z[i]'^2)/2\n\
         constraint bond[i in 1..6]: (d2[i, next[i]] - l^2)/2 = 0\n\
         constraint span[i in 1..6]: (d2[i, third[i]] - far^2)/2 = 0\n{initial}\n\
         draw rod ring[i in 1..6]: (x[i], y[i], z[i]) -- (x[next[i]], y[next[i]], z[next[i]]) colour grey\n\
         draw point carbon[i in 1..6]: (x[i], y[i], z[i]) colour black size 1.5\n\
         run method = rattle, step = 0.005, until = 2\n"
    )
}

/// The chair is rigid: spun about its axis it turns as a whole. The boat is not, though there are as many constraints: they
/// depend on each other there (a Bricard octahedron).
#[test]
fn a_chair_turns_as_a_whole_and_a_boat_is_singular() {
    let chair = "initial x[i in 1..6] = r*cos(i*pi/3), y[i in 1..6] = r*sin(i*pi/3), z[i in 1..6] = if(mod(i, 2) = 0, h/2, -h/2)\n\
        initial x[i in 1..6]' = -omega*r*sin(i*pi/3), y[i in 1..6]' = omega*r*cos(i*pi/3)";
    let ran = with_model(&cyclohexane(chair), &["run", "m.cot", "--compose", "kahan-li-8", "--json"]);
    let found = ran.json();
    let far = 2.0 * 0.1526 * (111f64.to_radians() / 2.0).sin();
    let angle = |k: u32| f64::from(k) * std::f64::consts::PI / 3.0 + 6.0;
    for k in 1..=6 {
        close(&found, &format!("x[{k}]"), far / 3f64.sqrt() * angle(k).cos(), 1e-12);
        close(&found, &format!("y[{k}]"), far / 3f64.sqrt() * angle(k).sin(), 1e-12);
    }
    // Two atoms above the plane of the others: (x, 0, z) at the distance l from (l/2, far/2, 0), far from (−l/2, far/2, 0).
    let boat = "initial x = (-l/2, l/2, (far^2 - l^2)/(2*l), l/2, -l/2, -(far^2 - l^2)/(2*l))\n\
        initial y = (far/2, far/2, 0, -far/2, -far/2, 0)\n\
        initial z = (0, 0, sqrt(l^2 - far^2/4 - (far^2/(2*l) - l)^2), 0, 0, sqrt(l^2 - far^2/4 - (far^2/(2*l) - l)^2))";
    let ran = with_model(&cyclohexane(boat), &["run", "m.cot"]);
    assert_eq!(ran.status, 2, "{}", ran.show());
    assert!(
        ran.stderr.contains("the initial configuration is singular") && ran.stderr.contains("`span[6]`"),
        "{}",
        ran.show()
    );
}
