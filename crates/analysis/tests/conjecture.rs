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
