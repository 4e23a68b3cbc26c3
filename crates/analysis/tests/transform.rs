//! The Legendre transform of Lagrangians of every kind, with the constraints derived by hand.

mod common;

use common::{analysis, constraints, counts, value};
use std::collections::HashMap;

/// L = ẋ²/(2ṫ) − ṫ V: p_x = ẋ/ṫ, p_t = −p_x²/2 − V. The parameter of the path is a gauge.
#[test]
fn a_parametrised_particle() {
    let report = analysis("param k = 1\ncoord t, x\nlagrangian x'^2/(2*t') - k*x^2*t'/2\n");
    assert_eq!(counts(&report), (1, 0, 1));
    let at: HashMap<String, f64> =
        [("k", 0.7), ("x", 1.3), ("p_x", 0.4), ("p_t", -2.1)].map(|(n, v)| (n.into(), v)).into();
    let shell = -2.1 + 0.4f64.powi(2) / 2.0 + 0.7 * 1.3f64.powi(2) / 2.0;
    assert!((value(&report.constraints[0].expression, &at) - shell).abs() < 1e-14);
    assert_eq!(report.constraints[0].name, "phi_t");
    assert!(report.hamiltonian.is_some_and(|h| h.is_zero()));
    assert_eq!(report.transform.map(|t| (t.rank, t.implicit)), Some((1, false)));
}

/// With a velocity that does not occur squared: ℓ(w) = w_x²/2 + y w_y, so p_y = y besides p_t + p_x²/2 = 0; and a
/// potential W(y), which is H_c = W. {φ_y, H_c} = −W′: y = 0 follows, whose derivative is a multiplier.
#[test]
fn a_parametrised_particle_with_more() {
    let report = analysis("coord t, x, y\nlagrangian x'^2/(2*t') + y*y' - y^2/2\n");
    assert_eq!(report.transform.as_ref().map(|t| t.rank), Some(1));
    assert_eq!(constraints(&report)[..2], ["phi_t (1): p_t + p_x^2/2", "phi_y (1): p_y - y"]);
    assert_eq!(report.hamiltonian.as_ref().map(ToString::to_string).as_deref(), Some("y^2/2"));
    assert_eq!(counts(&report), (1, 2, 1));
}

/// L = −m√(1 − ẋ²) + ẋ y − y²/2: p_y = 0 and H = √(m² + (p_x − y)²) + y²/2 by a root; y = v follows.
#[test]
fn regular_in_some_velocities_and_affine_in_others() {
    let report = analysis("param m > 0 = 1\ncoord x, y\nlagrangian -m*sqrt(1 - x'^2) + x'*y - y^2/2\n");
    assert_eq!(counts(&report), (0, 2, 1));
    assert_eq!(report.transform.map(|t| (t.rank, t.velocities, t.implicit)), Some((1, 2, true)));
}

/// Jacobi's principle, L = √(2(E − V) q̇²): p² = 2(E − V).
#[test]
fn jacobis_principle() {
    let report = analysis("param E > 0 = 3\ncoord x, y\nlagrangian sqrt(2*(E - x^2/2)*(x'^2 + y'^2))\n");
    assert_eq!(counts(&report), (1, 0, 1));
    let at: HashMap<String, f64> =
        [("E", 3.0), ("x", 0.5), ("y", 1.0), ("p_x", 2.0), ("p_y", (2.0 * 2.875f64 - 4.0).sqrt())]
            .map(|(n, v)| (n.into(), v))
            .into();
    assert!(value(&report.constraints[0].expression, &at).abs() < 1e-12);
}

/// What cannot be done is refused, with the rank.
#[test]
fn refusals() {
    for (text, rank) in [
        ("coord x, y\nlagrangian (x'^3 + y'^3)^(1/3)\n", 1),
        ("coord x, y, z\nlagrangian sqrt(x'^2 + y'^2) + sqrt(y'^2 + z'^2)\n", 2),
        ("coord x, y\nlagrangian (x' + y')^4\n", 1),
    ] {
        let report = analysis(text);
        assert_eq!((report.consistent, report.transform.map(|t| t.rank)), (None, Some(rank)), "{text}");
        assert!(report.stopped.is_some_and(|s| s.contains("cannot be solved for the velocities")));
    }
    // With |t′| the constraint would depend on the direction of t.
    let report = analysis("coord t, x\nlagrangian x'^2/(2*sqrt(t'^2)) - sqrt(t'^2)\n");
    assert_eq!((report.consistent, report.constraints.len()), (None, 0));
    // √(v²) is |v|: nothing is divided by zero. L = r |θ′| has the radial equation |θ′| = 0, which no path fulfils that runs, and
    // r = 0 is outside of its domain.
    let report = analysis("coord x, y\nlagrangian sqrt((x*y' - y*x')^2/(x^2 + y^2))\n");
    assert_eq!((report.consistent, report.transform.map(|t| t.rank)), (Some(false), Some(0)));
}

/// L = ẋ⁴/4 + ẏ x − y²: the mass vanishes at rest only, v³ = p_x. φ = p_y − x asks for −2 y − v = 0, whose bracket with φ is
/// 2 + v′(p_x) > 0: second class both. The same with two velocities in a quartic, and with sixth and third powers.
#[test]
fn masses_that_vanish_at_rest() {
    for (text, expected) in [
        ("coord x, y\nlagrangian x'^4/4 + y'*x - y^2\n", (0, 2, 1)),
        ("coord x, y, z\nlagrangian (x'^2 + y'^2)^2/4 + z'*x - z^2\n", (0, 2, 2)),
        ("coord x\nlagrangian x'^6/6 - x^2/2\n", (0, 0, 1)),
        ("coord x, y\nlagrangian abs(x')^3/3 + y'*x - y^2\n", (0, 2, 1)),
        ("param m > 0 = 3\ncoord x, y\nlagrangian m*x'^4 + y'*x - y^2\n", (0, 2, 1)),
        ("coord x, y\nlagrangian (1 + x^2)*x'^4/4 + y'^4 - x*y\n", (0, 0, 2)),
    ] {
        assert_eq!(counts(&analysis(text)), expected, "{text}");
    }
}

/// A particle on a circle, with the multiplier as a coordinate: p_l = 0, the circle, its derivative p·q = 0 and l. Velocities
/// are a root of ∂L/∂v = p, and p is not any vector: |p| < 1 for √(1 + v²), |p_x| < 1 for log cosh v. Whatever the unit of mass
/// is, and the speed of light.
#[test]
fn momenta_in_the_range_of_the_transform() {
    let relativistic = |c: f64, m: f64| format!("-{}*sqrt(1 - (x'^2 + y'^2)/{:?})", m * c * c, c * c);
    let masses = [(1.0, 0.5), (3.0, 0.1), (1.0, 1.0), (0.1, 2.0), (10.0, 1e-6)];
    let others = [
        "sqrt(1+x'^2+y'^2)",
        "3*sqrt(1+x'^2+y'^2)",
        "1e-3*sqrt(1+x'^2+y'^2)",
        "-2*sqrt(1-(x'^2+y'^2)/9)",
        "log(cosh(x'))+y'^2/2",
        "sqrt(4+x'^2+x'*y'+y'^2)",
    ];
    for energy in masses.map(|(c, m)| relativistic(c, m)).into_iter().chain(others.map(str::to_owned)) {
        let bound = analysis(&format!("coord x, y, l\nlagrangian {energy} - l*(x^2+y^2-1)\n"));
        assert_eq!(bound.stopped, None, "{energy}");
        assert_eq!(counts(&bound), (0, 4, 1), "{energy}");
        let constrained = analysis(&format!("coord x, y\nlagrangian {energy}\nconstraint c: x^2+y^2 = 1\n"));
        assert_eq!(counts(&constrained), (0, 2, 1), "{energy}");
        assert!(bound.transform.unwrap().implicit && constrained.held());
    }
}

/// |v|, sign v, max, ⌊v⌋ and mod have no second derivative where they have one: W = 0 does not make them affine. With
/// L = |ẋ| y + ẏ²/2 the momentum of x is ± y, so that p_x = 0 is no constraint.
#[test]
fn corners_in_velocities_are_refused() {
    for (text, rank) in [
        ("coord x, y\nlagrangian abs(x')*y + y'^2/2\n", 1),
        ("coord x, y\nlagrangian x'*sign(x') + y'^2/2\n", 1),
        ("coord x, y\nlagrangian sign(x')*y' + y^2*x'^2/2\n", 1),
        ("coord x, y\nlagrangian max(x', y') + y'^2/2\n", 1),
        ("coord x, y\nlagrangian min(x', 2*y') + y'^2/2\n", 1),
        ("coord x, y\nlagrangian floor(y') - x^2\n", 0),
        ("coord x, y\nlagrangian y*mod(y', 1)\n", 0),
        ("coord x, y\nlagrangian sqrt(x'^2 + y'^2) + floor(x')\n", 1),
        ("coord x, y\nlagrangian x'*y - abs(x')\nvakonomic c: abs(y') = 1\n", 0),
    ] {
        let report = analysis(text);
        assert_eq!((report.consistent, report.constraints.len()), (None, 0), "{text}");
        assert_eq!(report.transform.map(|t| t.rank), Some(rank), "{text}");
        assert!(report.stopped.is_some_and(|s| s.contains("corners or jumps")), "{text}");
    }
    // Those of positions are none in velocities.
    let report = analysis("coord x, y\nlagrangian x'*y - abs(x) - floor(y)*y'\n");
    assert_eq!(counts(&report), (0, 2, 1));
    assert_eq!(constraints(&report), ["phi_x (1): p_x - y", "phi_y (1): p_y + floor(y)"]);
}

/// Beside v²/2 a corner is a root: for L = ẋ²/2 + a |ẋ| with p > a that of v + a = p, and H = (p − a)²/2.
#[test]
fn a_corner_beside_a_mass() {
    let report = analysis("param a > 0 = 1\ncoord x\nlagrangian x'^2/2 + a*abs(x') - x^2/2\n");
    assert_eq!(counts(&report), (0, 0, 1));
    assert_eq!(report.transform.map(|t| (t.rank, t.implicit)), Some((1, true)));
}
