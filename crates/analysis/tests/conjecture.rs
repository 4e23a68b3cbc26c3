//! Dirac's conjecture, that all first-class constraints generate gauge transformations, and where it fails.

mod common;

use common::{analysis, counts};
use cotangent_analysis::{Outcome, latex};

/// (not gauge, dimension of what is left)
fn failing(text: &str) -> (Vec<String>, Option<usize>) {
    let report = analysis(text);
    assert!(report.held(), "it is no failure of the model");
    let c = report.conjecture.unwrap();
    assert_eq!(c.outcome, Outcome::Fails);
    (c.not_gauge, c.dimension)
}

/// Cawley, Phys. Rev. Lett. 42 (1979) 413: y is arbitrary; x and p_z, which p_x and z would move, are not: ẋ = p_z,
/// ż = p_x = 0, ṗ_z = y z = 0. Of six variables three constraints and one arbitrary function leave two.
#[test]
fn cawley() {
    let (names, dimension) = failing("coord x, y, z\nlagrangian x'*z' + y*z^2/2\n");
    assert_eq!((names, dimension), (vec!["phi_y'".to_owned(), "phi_y''".to_owned()], Some(2)));
}

/// Henneaux and Teitelboim 1.2.2: p_y = 0 and p_x = 0, but ẋ = p_x e⁻ʸ = 0: x is what it was.
#[test]
fn henneaux_and_teitelboim() {
    let text = "coord x, y\nlagrangian exp(y)*x'^2/2\n";
    assert_eq!(failing(text), (vec!["phi_y'".to_owned()], Some(1)));
    let page = latex(&analysis(text));
    assert!(page.contains("First class, but no gauge transformations"), "{page}");
    // With other powers and functions in the place of e^y.
    assert_eq!(failing("coord x, y\nlagrangian (1 + y^2)*y*x'^2/2\n").0, ["phi_y'"]);
    assert_eq!(failing("coord x, y, z\nlagrangian exp(y)*x'^2/2 + z'^2/2\n"), (vec!["phi_y'".to_owned()], Some(3)));
}

/// Where constraints are regular it holds: electrodynamics, an einbein, three generations, combinations with second-class ones.
#[test]
fn regular_constraints_generate_gauge_transformations() {
    for text in [
        "coord x, y\nlagrangian (x' - y)^2/2\n",
        "param m > 0 = 1\ncoord t, x, e\nlagrangian (x'^2 - t'^2)/(2*e) - e*m^2/2\n",
        "coord a, b, c\nlagrangian (b' - exp(a))^2/2 + (c' - b)^2/2\n",
        "coord p, q, l\nlagrangian p*q' - l*(p^2+q^2-1)/2\n",
        "coord a, b, c, d, u\nlagrangian ((a'+u*b)^2+(b'-u*a)^2+(c'+u*d)^2+(d'-u*c)^2)/2\nconstraint s: a^2+b^2+c^2+d^2 = 1\n",
        "coord x, y, z, a, b, c\nlagrangian ((x'-b*z+c*y)^2+(y'-c*x+a*z)^2+(z'-a*y+b*x)^2)/2 - (x^2+y^2+z^2)/2\n",
        "coord t, x\nlagrangian x'^2/(2*t') - t'*x^2/2\n",
    ] {
        let report = analysis(text);
        assert!(counts(&report).0 > 0);
        let c = report.conjecture.unwrap();
        assert!(matches!(c.outcome, Outcome::Holds(_)), "{text}{c:?}");
        let left = 2 * report.degrees_of_freedom.unwrap();
        assert_eq!(c.dimension, Some(left), "{text}");
    }
    assert!(analysis("coord x\nlagrangian x'^2/2\n").conjecture.is_none());
}

/// A condition that fixes a part of the gauge determines multipliers, but the conjecture is about the theory without it: an
/// einbein, Christ & Lee's model in the frame ξ = 0, lattice electrodynamics in temporal gauge.
#[test]
fn a_gauge_that_is_partly_fixed_refutes_nothing() {
    for (text, partly) in [
        ("param m > 0 = 1\ncoord t, x, e\nlagrangian (x'^2 - t'^2)/(2*e) - e*m^2/2\ngauge fixed: e = 1\n", true),
        (
            "param k > 0 = 1\ncoord r, theta, xi\nlagrangian r'^2/2 + r^2*(theta' - xi)^2/2 - k*r^2/2\ngauge frame: xi = 0\n",
            true,
        ),
        (
            "coord A[i in 1..3], A0[i in 1..3]\nlagrangian sum(i in 1..3, (A[i]' - (A0[mod(i,3)+1]-A0[i]))^2)/2\n\
             gauge temporal[i in 1..3]: A0[i] = 0\n",
            true,
        ),
        ("coord x, y, z\nlagrangian (x'-y)^2/2 + z'^2/2\ngauge g: y = 0\n", true),
        ("coord x, y, z\nlagrangian (x'-y)^2/2 + z'^2/2\ngauge g: x = 0\n", false),
    ] {
        let report = analysis(text);
        let (conjecture, before) = (report.conjecture.clone().unwrap(), report.before_gauge.unwrap());
        assert!(matches!(conjecture.outcome, Outcome::Holds(_)), "{text}{conjecture:?}");
        assert_eq!(report.count.unwrap().first > 0, partly, "{text}");
        // What is left is the reduced phase space of the theory: all first-class constraints take two dimensions away.
        let left = report.variables.len() - 2 * before.first - before.second;
        assert_eq!(conjecture.dimension, Some(left), "{text}");
        assert!(!latex(&report).contains("conjecture"));
    }
}

/// With y fixed, Cawley's p_x and z move as little as without: x and p_z are observable. x′ = p_z, p_z′ = y z = 0.
#[test]
fn a_gauge_mends_no_conjecture() {
    let fixed = |gauge: &str| failing(&format!("coord x, y, z\nlagrangian x'*z' + y*z^2/2\ngauge g: {gauge} = 0\n"));
    assert_eq!(fixed("y"), (vec!["phi_y'".to_owned(), "phi_y''".to_owned()], Some(2)));
}
