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
