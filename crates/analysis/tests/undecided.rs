//! What cannot be done is said, never guessed.

mod common;

use common::analysis;
use cotangent_analysis::{AnalysisError, Outcome, analyze};
use cotangent_model::System;

fn stopped(text: &str) -> String {
    let report = analysis(text);
    assert!(!report.held());
    assert_eq!((report.consistent, report.degrees_of_freedom, report.count.is_some()), (None, None, false));
    report.stopped.unwrap()
}

#[test]
fn a_lagrangian_without_a_legendre_transform() {
    let reason = stopped("coord x, y\nlagrangian (x' + y')^4\n");
    assert!(reason.contains("rank 1 of 2"), "{reason}");
    let report = analysis("coord x, y\nlagrangian (x' + y')^4\n");
    assert_eq!(report.transform.map(|t| (t.rank, t.velocities)), Some((1, 2)));
}

#[test]
fn a_regular_lagrangian_that_is_not_quadratic_is_fine() {
    let report = analysis("coord x, y\nlagrangian x'^4 + x'^2 + y'^2 - x^2\n");
    assert_eq!(common::counts(&report), (0, 0, 2));
}

#[test]
fn an_irregular_constraint_that_cannot_be_mended() {
    let report = analysis("coord x, y\nhamiltonian p_x^2 + p_y^2\nconstraint a: 1 - cos(x) = 0\n");
    assert_eq!(report.irregular[0].0, "a");
    assert!(report.stopped.is_some_and(|s| s.contains("irregular")));
}

#[test]
fn a_surface_that_falls_apart() {
    let reason = stopped("coord x, y\nhamiltonian (p_x^2 + p_y^2)/2\nconstraint cross: x*y = 0\n");
    assert!(reason.contains("x = 0 or y = 0"), "{reason}");
}

#[test]
fn constraints_that_contradict_each_other() {
    let pair = "constraint a: x + y = 0\nconstraint b: x + y = 1\n";
    let report = analysis(&format!("coord x, y\nhamiltonian (p_x^2 + p_y^2)/2\n{pair}"));
    assert_eq!(report.consistent, Some(false));
    let report = analysis("coord x\nhamiltonian p_x^2\nconstraint a: x^2 + 1 = 0\n");
    assert_eq!(report.consistent, Some(false));
    // Circles that do not meet: no proof, and no claim.
    let circles = "constraint a: x^2 + y^2 = 1\nconstraint b: (x - 5)^2 + y^2 = 1\n";
    let reason = stopped(&format!("coord x, y\nhamiltonian (p_x^2 + p_y^2)/2\n{circles}"));
    assert!(reason.contains("no point was found"), "{reason}");
}

/// x′ᵢ = x_{i+1}: every constraint asks for the next one, of 20.
#[test]
fn an_algorithm_that_does_not_close() {
    let text = "param n : int = 20\ncoord x[i in 1..n]\nhamiltonian sum(i in 1..n-1, p_x[i]*x[i+1])\nconstraint first: x[1] = 0\n";
    let reason = stopped(text);
    assert!(reason.contains("does not close"), "{reason}");
    assert!(analysis(text).constraints.len() > 10, "what was found is reported");
}

#[test]
fn claims_that_fail() {
    let report = analysis("coord x, y\nhamiltonian (p_x^2 + p_y^2)/2 + x\ninvariant P_x = p_x, P_y = p_y\n");
    assert_eq!(report.claims[0].outcome, Outcome::Fails);
    assert!(matches!(report.claims[1].outcome, Outcome::Holds(_)));
    assert!(!report.held());
}

/// {a, {b, c}} + … = a for {a, b} = c, {b, c} = a, {c, a} = a·b does not vanish.
#[test]
fn a_bracket_that_is_none() {
    let report = analysis("variables a, b, c\nbracket {a, b} = c, {b, c} = a, {c, a} = a*b\nhamiltonian a^2\n");
    let poisson = report.poisson.as_ref().unwrap();
    assert_eq!(poisson.jacobi, Outcome::Fails);
    assert!(poisson.jacobi_failure.is_some());
    assert!(!report.held());
}

#[test]
fn a_model_that_is_too_large() {
    let text = "param n : int = 1000\ncoord x[i in 1..n]\nhamiltonian sum(i in 1..n, p_x[i]^2)\n";
    let found = analyze(&System::parse(text).unwrap());
    assert!(matches!(found, Err(AnalysisError::TooLarge { variables: 2000, .. })));
}

/// Every shipped Poisson model has the bracket and the Casimirs it claims, proved.
#[test]
fn shipped_brackets_are_brackets() {
    use cotangent_analysis::Certainty::Proved;
    let models = [
        (include_str!("../../../models/rigid-body.cot"), 2),
        (include_str!("../../../models/heavy-top.cot"), 4),
        (include_str!("../../../models/lotka-volterra-3.cot"), 2),
        (include_str!("../../../models/volterra-lattice.cot"), 8),
        (include_str!("../../../models/lorenz-86.cot"), 4),
    ];
    for (text, rank) in models {
        let report = analysis(text);
        let poisson = report.poisson.as_ref().unwrap();
        assert_eq!((poisson.skew, poisson.jacobi), (Outcome::Holds(Proved), Outcome::Holds(Proved)));
        assert_eq!(poisson.rank, Some(rank), "{}", report.name);
        assert!(report.claims.iter().all(|c| c.outcome == Outcome::Holds(Proved)), "{}", report.name);
    }
}
