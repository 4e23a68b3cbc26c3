//! Surfaces that fall apart: each part is analysed by itself.

mod common;

use common::{analysis, counts};
use cotangent_analysis::Analysis;

fn parts(report: &Analysis) -> Vec<(String, (usize, usize, usize))> {
    assert_eq!(report.consistent, None);
    assert!(report.stopped.as_ref().is_some_and(|s| s.contains("falls apart")) && !report.held());
    let written =
        |b: &cotangent_analysis::Branch| b.factors.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
    report.branches.iter().map(|b| (written(b), counts(&b.analysis))).collect()
}

#[test]
fn a_cross_is_two_lines() {
    let report = analysis("coord x, y\nhamiltonian (p_x^2 + p_y^2)/2\nconstraint cross: x*y = 0\n");
    assert_eq!(parts(&report), [("x".to_owned(), (0, 2, 1)), ("y".to_owned(), (0, 2, 1))]);
}

/// Not written as products: lines x = ±y, circles of radius 1 and 2.
#[test]
fn factors_are_found() {
    let model = |c: &str| analysis(&format!("coord x, y\nhamiltonian (p_x^2 + p_y^2)/2\nconstraint c: {c} = 0\n"));
    let found = parts(&model("x^2 - y^2"));
    assert_eq!(found, [("x + y".to_owned(), (0, 2, 1)), ("x - y".to_owned(), (0, 2, 1))]);
    let found = parts(&model("(x^2 + y^2)^2 - 5*(x^2 + y^2) + 4"));
    let names: Vec<&str> = found.iter().map(|p| p.0.as_str()).collect();
    assert_eq!(names, ["x^2 + y^2 - 1", "x^2 + y^2 - 4"]);
    // As they are written, where no method finds them.
    let found = parts(&model("(x^2 + y^2 - 1)*(y - x^3)"));
    let names: Vec<&str> = found.iter().map(|p| p.0.as_str()).collect();
    assert_eq!(names, ["x^3 - y", "x^2 + y^2 - 1"]);
    // A factor that cannot vanish with the other constraints is no part.
    let one = analysis("coord x, y\nhamiltonian (p_x^2 + p_y^2)/2\nconstraint a: x = 1\nconstraint b: x*y = 0\n");
    assert_eq!(counts(&one), (0, 4, 0));
}

/// L = q̇²/2 − a x y: p_a = 0 asks for x y = 0. On x = 0, p_x = 0 and then a y = 0. There a = 0 determines u, and
/// a particle moves along y; at x = y = 0 nothing moves, and a is arbitrary. The same with x and y exchanged; the
/// corner is one part.
#[test]
fn parts_of_parts() {
    let report = analysis("coord x, y, a\nlagrangian (x'^2 + y'^2)/2 - a*x*y\n");
    let expected = [("x, a", (0, 4, 1)), ("x, y", (1, 4, 0)), ("y, a", (0, 4, 1))];
    assert_eq!(parts(&report), expected.map(|(n, c)| (n.to_owned(), c)));
}

/// L = q̇²/2 − a x² y²: the force of the constraint vanishes with it, so a is arbitrary, and a particle moves freely along
/// one of the axes.
#[test]
fn a_square_of_a_product_falls_apart() {
    let report = analysis("coord x, y, a\nlagrangian (x'^2 + y'^2)/2 - a*x^2*y^2\n");
    assert_eq!(parts(&report), [("x".to_owned(), (1, 2, 1)), ("y".to_owned(), (1, 2, 1))]);
    // (x y)² + z² = 0
    let report = analysis("coord x, y, z\nhamiltonian (p_x^2 + p_y^2 + p_z^2)/2\nconstraint c: x^2*y^2 + z^2 = 0\n");
    assert_eq!(parts(&report), [("x".to_owned(), (0, 4, 1)), ("y".to_owned(), (0, 4, 1))]);
}

/// x² = 2 y² is two lines, as x² = y² is; where they meet, a is arbitrary and nothing moves. With a parameter k > 0 in the
/// place of 2 it is the same; x² + y² + x y = 0 is a point.
#[test]
fn factors_over_the_real_numbers() {
    let found = |text: &str| -> Vec<(usize, usize, usize)> {
        parts(&analysis(&format!("{text}coord x, y, a\nlagrangian (x'^2 + y'^2)/2 - a*(x^2 - k*y^2)\n")))
            .into_iter()
            .map(|p| p.1)
            .collect()
    };
    let lines = [(0, 4, 1), (1, 4, 0), (0, 4, 1)];
    assert_eq!(found("let k = 1\n"), lines);
    assert_eq!(found("let k = 2\n"), lines);
    assert_eq!(found("let k = 7/3\n"), lines);
    assert_eq!(found("param k > 0 = 2\n"), lines);
    let point = analysis("coord x, y\nhamiltonian (p_x^2 + p_y^2)/2\nconstraint c: x^2 + x*y + y^2 = 0\n");
    assert_eq!(counts(&point), (0, 4, 0));
    let none = analysis("coord x, y\nhamiltonian (p_x^2 + p_y^2)/2\nconstraint c: x^2 + x*y + y^2 + 1 = 0\n");
    assert_eq!(none.consistent, Some(false));
}

/// z = 0 with x y + z eˣ = 0 is x y = 0; found as secondary constraints, too.
#[test]
fn what_falls_apart_where_others_hold() {
    let report = analysis(
        "coord x, y, z\nhamiltonian (p_x^2 + p_y^2 + p_z^2)/2\nconstraint a: z = 0\nconstraint b: x*y + z*exp(x) = 0\n",
    );
    assert_eq!(parts(&report), [("x".to_owned(), (0, 4, 1)), ("y".to_owned(), (0, 4, 1))]);
    let report = analysis("coord x, y, z, l, m\nlagrangian (x'^2 + y'^2 + z'^2)/2 - l*z - m*(x*y + z*exp(x))\n");
    let counted: Vec<_> = parts(&report).into_iter().map(|p| p.1).collect();
    assert_eq!(counted, [(0, 8, 1), (1, 8, 0), (0, 8, 1)]);
}

/// A factor x + 3 does not vanish where |x| ≤ 1, and that is said.
#[test]
fn factors_without_real_points() {
    for (circle, factor) in [
        ("x^2 + y^2 = 1", "x + 3"),
        ("x^2 + 4*y^2 = 1", "x - y + 2"),
        ("x^4 + y^2 = 1", "x^2 + 5 - y"),
        ("x^2 + y^2 = 2", "x*y - 3/2"),
        ("x - sin(y) = 0", "x + 3"),
    ] {
        let text = format!(
            "coord x, y\nhamiltonian (p_x^2 + p_y^2)/2\nconstraint a: {circle}\nconstraint b: y*({factor}) = 0\n"
        );
        let report = analysis(&text);
        assert_eq!(counts(&report), (0, 4, 0), "{text}");
        assert!(report.verdicts.iter().any(|v| v.statement.contains("has no points")), "{text}");
    }
}

/// Multiplied out: two ovals, four lines, a cusp and a circle. Each real part of f = 0 in the plane is a curve on which one
/// degree of freedom is left.
#[test]
fn curves_are_found_in_products_that_are_multiplied_out() {
    for (text, factors) in [
        ("x^4 + 3*x^2*y^2 - 4*x^2 + 2*y^4 - 5*y^2 + 3", vec!["x^2 + 2*y^2 - 3", "x^2 + y^2 - 1"]),
        ("x^3*y + x^2*y^2 - 2*x*y^3", vec!["x", "x + 2*y", "x - y", "y"]),
        ("x^5 + x^3*y^2 - 4*x^3 - x^2*y^2 - y^4 + 4*y^2", vec!["x^2 + y^2 - 4", "x^3 - y^2"]),
    ] {
        let text = format!("coord x, y\nhamiltonian (p_x^2 + p_y^2)/2\nconstraint c: {text} = 0\n");
        let mut found = parts(&analysis(&text));
        found.sort();
        assert_eq!(found, factors.iter().map(|f| ((*f).to_owned(), (0, 2, 1))).collect::<Vec<_>>(), "{text}");
    }
}

/// x³ = 2y³ is the line x = 2^(1/3) y, along which nothing pushes: a = 0 and its multiplier vanishes. The bracket that
/// determines it, 3x⁴ + 12y⁴, reduces to zero by constraints only if it is multiplied by something that vanishes there.
#[test]
fn what_determines_a_multiplier_is_no_zero() {
    let report = analysis("coord x, y, a\nlagrangian (x'^2 + y'^2)/2 - a*(x^3 - 2*y^3)\n");
    assert_eq!(counts(&report), (0, 4, 1));
    assert!(report.assumptions.iter().all(|e| !e.is_zero()), "{:?}", report.assumptions);
}

fn free(constraints: &[&str]) -> Vec<(String, (usize, usize, usize))> {
    let list: String = constraints.iter().zip('a'..).map(|(c, name)| format!("constraint {name}: {c} = 0\n")).collect();
    let mut found = parts(&analysis(&format!("coord x, y, z, u\nhamiltonian (p_x^2+p_y^2+p_z^2+p_u^2)/2\n{list}")));
    found.sort();
    found
}

fn named<const N: usize>(list: [(&str, (usize, usize, usize)); N]) -> Vec<(String, (usize, usize, usize))> {
    list.map(|(name, counts)| (name.to_owned(), counts)).to_vec()
}

/// x z = y², x u = y z: the cone over the twisted cubic, where y u = z², and the plane x = y = 0. With (y u − z²)(u − 1) = 0 it
/// is the cone, and the line x = y = 0, u = 1. By primary decomposition: dimensions 2, 2 and 2, 1.
#[test]
fn a_part_where_something_vanishes_that_was_divided_by() {
    assert_eq!(free(&["x*z - y^2", "x*u - y*z"]), named([("y, x", (0, 4, 2)), ("z^2 - u*y", (0, 4, 2))]));
    let found = free(&["x*z - y^2", "x*u - y*z", "(y*u - z^2)*(u - 1)"]);
    let counted: Vec<_> = found.iter().map(|p| p.1).collect();
    assert_eq!(counted, [(0, 6, 1), (0, 4, 2)], "{found:?}");
}

/// x y = z u, x z = y u: four planes, x = u = 0, y = z = 0, x = u with y = z, x = −u with y = −z.
#[test]
fn binomials_fall_apart() {
    let found = free(&["x*y - z*u", "x*z - y*u"]);
    assert_eq!(found.iter().map(|p| p.1).collect::<Vec<_>>(), [(0, 4, 2); 4], "{found:?}");
}

fn in_space(constraints: &[&str]) -> Vec<(String, (usize, usize, usize))> {
    let list: String = constraints.iter().zip('a'..).map(|(c, name)| format!("constraint {name}: {c} = 0\n")).collect();
    let mut found = parts(&analysis(&format!("coord x, y, z\nhamiltonian (p_x^2 + p_y^2 + p_z^2)/2\n{list}")));
    found.sort();
    found
}

/// Where the second constraint holds the first is a product, in either order: circles on the sphere, also with x² + z² = 0,
/// its two points (0, ±1, 0); a line and a conic; a circle and a point.
#[test]
fn a_constraint_falls_apart_by_those_after_it() {
    let sphere = "x^2 + y^2 + z^2 - 1";
    let circles = format!("x*({sphere}) + (x - y)*(z - 2*x)");
    let points = format!("x*({sphere}) + (x - y)*(x^2 + z^2)");
    for pair in [[sphere, &circles], [&circles, sphere]] {
        assert_eq!(in_space(&pair), named([("2*x - z", (0, 4, 1)), ("x - y", (0, 4, 1))]));
    }
    assert_eq!(in_space(&[&points, sphere]), named([("x - y", (0, 4, 1)), ("y + 1", (0, 6, 0)), ("y - 1", (0, 6, 0))]));
    let (sum, cone) = ("x^2*y + 2*x*y - x*z^2 + 4*y^2 + 2*y", "x*y - z^2");
    for pair in [[sum, cone], [cone, sum]] {
        assert_eq!(in_space(&pair), named([("x + 2*y + 1", (0, 4, 1)), ("y", (0, 4, 1))]));
    }
    let counted: Vec<_> = in_space(&[sphere, "x^2 + y^2 - 1 + z"]).into_iter().map(|p| p.1).collect();
    assert_eq!(counted, [(0, 6, 0), (0, 4, 1)]);
}

/// The circles x = y and z = 2 x on the sphere, and on them x = y or y = 1/2: on the second circle 5 x² = 3/4 leaves two points.
#[test]
fn a_part_is_inside_another_one_only_if_that_is_shown() {
    let (sphere, product) = ("x^2 + y^2 + z^2 - 1", "(x - y)*(2*y - 1)");
    let circles = format!("x*({sphere}) + (x - y)*(z - 2*x)");
    for first in [circles.as_str(), "(x - y)*(z - 2*x)"] {
        let counted: Vec<_> = in_space(&[first, sphere, product]).into_iter().map(|p| p.1).collect();
        assert!(counted.contains(&(0, 4, 1)) && counted.contains(&(0, 6, 0)), "{first}: {counted:?}");
        assert_eq!(counted.len(), 2, "{first}");
    }
}

/// A part on which the constraint or the energy, as it is written, has no value is none.
#[test]
fn no_part_is_outside_of_the_domain() {
    for (constraint, energy, outside) in [
        ("(x^2 - 1)/(x - 1)", "0", "x - 1"),
        ("(x*y - x)/(y - 1)", "0", "y - 1"),
        ("tan(x)*cos(x)", "0", "cos(x)"),
        ("x*sqrt(x - 1)", "0", "x"),
        ("sqrt(x)*(x + 1)", "0", "x + 1"),
        ("log(x)*(x + 1)", "0", "x + 1"),
        ("asin(x)*(x - 2)", "0", "x - 2"),
        ("(y - 1)*(x + 1)", "log(x)", "x + 1"),
    ] {
        let text = format!("coord x, y\nhamiltonian (p_x^2 + p_y^2)/2 + {energy}\nconstraint c: {constraint} = 0\n");
        let report = analysis(&text);
        let known = |a: &Analysis| a.consistent == Some(true);
        let (inside, others): (Vec<_>, Vec<_>) = report.branches.iter().partition(|b| known(&b.analysis));
        assert!(known(&report) && report.branches.is_empty() || inside.len() == 1, "{text}");
        assert!(inside.iter().all(|b| b.factors[0].to_string() != outside), "{text}");
        assert!(others.iter().all(|b| b.factors[0].to_string() == outside), "{text}");
    }
}

/// On a circle p² is the force, whatever is divided by: λ = p²/2 where x² + y² = 1, also at x = 0.
#[test]
fn multipliers_have_values_at_all_regular_points() {
    let model = |c: &str| analysis(&format!("coord x, y\nhamiltonian (p_x^2 + p_y^2)/2\nconstraint c: {c} = 0\n"));
    for report in [model("x^2 + y^2 - 1"), model("(x^2 + y^2 - 1)^3")] {
        let cotangent_analysis::MultiplierValue::Determined(value) = &report.multipliers[0].value else { panic!() };
        let at = [("x", 0.0), ("y", 1.0), ("p_x", 3.0), ("p_y", 0.0)].map(|(name, x)| (name.to_owned(), x)).into();
        assert_eq!(common::value(value, &at), 4.5, "{value}");
    }
}

/// A linear theory in other coordinates, polynomials of these: 0 first and 2 second class, 2 degrees of freedom; its pivot x₁² vanishes nowhere
/// in the domain of the Hamiltonian.
#[test]
fn what_the_hamiltonian_divides_by_is_no_part() {
    let report = analysis(
        "coord x1, x2, x3\nlagrangian x1'*(-x1' + x2' + x3')/2 + x1*(4*x1'*x1 + 2*x3') + (x1^2 + x3)*(-4*x1'*x1 + x1' + 2*x2') \
         + (-2*x1'*x1 + x2')*(x1' - x2' - x3')/2 + (2*x1'*x1 + x3')*(2*x1'*x1 + x1' - x2')/2\n",
    );
    assert_eq!(counts(&report), (0, 2, 2));
}
