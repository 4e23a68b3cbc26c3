//! Dirac's algorithm on the examples of the literature, each with its result derived by hand.

mod common;

use common::{analysis, bracket, constraints, counts, slope, value};
use cotangent_analysis::{Certainty, ConditionOutcome, MultiplierValue, Outcome, analyze};
use cotangent_model::System;
use std::collections::HashMap;

fn multiplier(report: &cotangent_analysis::Analysis, name: &str) -> Option<String> {
    let found = report.multipliers.iter().find(|m| m.name == name).unwrap();
    match &found.value {
        MultiplierValue::Determined(e) => Some(e.to_string()),
        _ => None,
    }
}

/// L = (ẋ² + ẏ²)/2 − g y − λ(x² + y² − 1)/2: p_λ = 0; its derivative is the circle, then x p_x + y p_y, then
/// p² − g y − λ r² = 0, whose derivative −2p·(λq + g e_y) − g p_y − r² u = 0 gives u = −3 g p_y on the surface.
#[test]
fn pendulum_with_its_multiplier_as_a_coordinate() {
    let report =
        analysis("param g = 1\ncoord x, y, lambda\nlagrangian (x'^2 + y'^2)/2 - g*y - lambda*(x^2 + y^2 - 1)/2\n");
    assert_eq!(counts(&report), (0, 4, 1));
    assert_eq!(report.transform.as_ref().map(|t| t.rank), Some(2));
    assert_eq!(
        constraints(&report),
        [
            "phi_lambda (1): p_lambda",
            "phi_lambda' (2): x^2 + y^2 - 1",
            "phi_lambda'' (3): x*p_x + y*p_y",
            "phi_lambda''' (4): g*y + lambda*x^2 + lambda*y^2 - p_x^2 - p_y^2",
        ]
    );
    assert_eq!(multiplier(&report, "u_lambda").as_deref(), Some("-3*g*p_y"));
    assert!(report.held());
}

/// With the rod as a constraint of the model: rod and its derivative, and λ = p² − g y (r = 1).
#[test]
fn pendulum_with_its_constraint() {
    let report = analysis(
        "param g = 1\ncoord x, y\nhamiltonian (p_x^2 + p_y^2)/2 + g*y\nconstraint rod: (x^2 + y^2 - 1)/2 = 0\n",
    );
    assert_eq!(counts(&report), (0, 2, 1));
    assert_eq!(constraints(&report), ["rod (1): (x^2 + y^2 - 1)/2", "rod' (2): x*p_x + y*p_y"]);
    assert_eq!(multiplier(&report, "lambda_rod").as_deref(), Some("p_x^2 - g*y + p_y^2"));
}

/// p_x = −B y/2, p_y = B x/2, {φ_x, φ_y} = B: both second class, and both velocities are determined.
#[test]
fn landau_particle() {
    let report = analysis(
        "param B != 0 = 1, k_x = 1, k_y = 4\ncoord x, y\nlagrangian B*(x*y' - y*x')/2 - (k_x*x^2 + k_y*y^2)/2\n",
    );
    assert_eq!(counts(&report), (0, 2, 1));
    assert_eq!(bracket(&report, "x", "y").to_string(), "-1/B");
    assert_eq!(multiplier(&report, "u_x").as_deref(), Some("-k_y*y/B"));
    assert_eq!(multiplier(&report, "u_y").as_deref(), Some("k_x*x/B"));
    assert!(report.assumptions.is_empty(), "the model states B != 0");
}

/// H_c = p_x²/2 + y p_x; p_y = 0 asks for p_x = 0, which stays. Both are first class: 4 − 2·2 = 0.
#[test]
fn a_square_without_content() {
    let report = analysis("coord x, y\nlagrangian (x' - y)^2/2\n");
    assert_eq!(counts(&report), (2, 0, 0));
    assert_eq!(constraints(&report), ["phi_y (1): p_y", "phi_y' (2): p_x"]);
    assert_eq!(multiplier(&report, "u_y"), None);
    let changes: Vec<String> =
        report.gauge.iter().flat_map(|g| g.changes.iter().map(|(z, e)| format!("{z} {e}"))).collect();
    assert_eq!(changes, ["y 1", "x 1"]);
}

const CHRIST_LEE: &str = "param k = 1\ncoord r, theta, xi\nlagrangian r'^2/2 + r^2*(theta' - xi)^2/2 - k*r^2/2\n";

/// H_c = p_r²/2 + p_θ²/(2r²) + ξ p_θ + V: p_ξ = 0 asks for p_θ = 0. Only r is left.
#[test]
fn christ_lee_model() {
    let report = analysis(CHRIST_LEE);
    assert_eq!(counts(&report), (2, 0, 1));
    assert_eq!(constraints(&report), ["phi_xi (1): p_xi", "phi_xi' (2): p_theta"]);
}

/// θ = 0 is kept only if ξ (with p_θ = 0) vanishes too, which is found; both gauges are kept if u = 0.
#[test]
fn gauges_make_first_class_second() {
    for gauge in ["gauge angle: theta = 0\n", "gauge angle: theta = 0, frame: xi = 0\n"] {
        let report = analysis(&format!("{CHRIST_LEE}{gauge}"));
        assert_eq!(counts(&report), (0, 4, 1));
        let before = report.before_gauge.unwrap();
        assert_eq!((before.first, before.second), (2, 0));
        assert_eq!(multiplier(&report, "u_xi").as_deref(), Some("0"));
    }
}

/// p = 0 and ṗ = ∂L/∂x = 1: nothing can be done.
#[test]
fn a_lagrangian_without_solutions() {
    let report = analysis("coord x\nlagrangian x\n");
    assert_eq!(report.consistent, Some(false));
    assert_eq!(report.conditions[0].outcome, ConditionOutcome::Contradiction);
    assert!(!report.held());
}

/// Cawley's example: p_y = 0 asks for z² = 0. The gradient of z² vanishes there; z = 0 says the same. Then
/// ż = p_x = 0, which stays. All three commute.
#[test]
fn an_irregular_constraint() {
    let report = analysis("coord x, y, z\nlagrangian x'*z' + y*z^2/2\n");
    assert_eq!(report.irregular.len(), 1);
    let (name, old, new) = &report.irregular[0];
    let new: Vec<String> = new.iter().map(ToString::to_string).collect();
    assert_eq!((name.as_str(), old.to_string(), new), ("phi_y'", "z^2/2".into(), vec!["z".to_string()]));
    assert_eq!(counts(&report), (3, 0, 0));
    assert_eq!(constraints(&report), ["phi_y (1): p_y", "phi_y' (2): z", "phi_y'' (3): p_x"]);
}

/// x² + (y² + z²)² vanishes with x and y² + z², and that with y and z: three forces, each
/// with a name of its own.
#[test]
fn parts_of_parts_have_multipliers_of_their_own() {
    let hamiltonian = "coord x, y, z\nhamiltonian (p_x^2 + p_y^2 + p_z^2)/2 + z\n";
    let report = analysis(&format!("{hamiltonian}constraint c: x^2 + (y^2 + z^2)^2 = 0\n"));
    let found: Vec<[&str; 2]> = report.multipliers.iter().map(|m| [m.name.as_str(), m.constraint.as_str()]).collect();
    assert_eq!(found, [["lambda_c_1", "c_1"], ["lambda_c_2_1", "c_2_1"], ["lambda_c_2_2", "c_2_2"]]);
    // ṗ_z = −1 − λ stays zero.
    assert_eq!(
        ["lambda_c_1", "lambda_c_2_1", "lambda_c_2_2"].map(|name| multiplier(&report, name).unwrap()),
        ["0", "0", "-1"]
    );
}

/// H_c = e(p_x² − p_t² + m²)/2: p_e = 0 asks for the mass shell, which stays.
#[test]
fn particle_with_an_einbein() {
    let report = analysis("param m > 0 = 1\ncoord t, x, e\nlagrangian (x'^2 - t'^2)/(2*e) - e*m^2/2\n");
    assert_eq!(counts(&report), (2, 0, 1));
    assert_eq!(constraints(&report)[1], "phi_e' (2): m^2 - p_t^2 + p_x^2");
}

/// L = −m√(ṫ² − ẋ²) is homogeneous: H_c = 0 and the mass shell alone, with the Hessian of rank 1.
#[test]
fn relativistic_particle() {
    let report = analysis("param m > 0 = 1\ncoord t, x\nlagrangian -m*sqrt(t'^2 - x'^2)\n");
    assert_eq!(counts(&report), (1, 0, 1));
    assert_eq!(constraints(&report), ["phi_t (1): p_t^2 - m^2 - p_x^2"]);
    assert_eq!(report.transform.as_ref().map(|t| t.rank), Some(1));
    assert!(report.hamiltonian.as_ref().is_some_and(|h| h.is_zero()));
}

/// In a field A with a charge q, p − qA takes the place of p: the charge moves the constraint only.
#[test]
fn relativistic_particle_in_a_field() {
    let report = analysis("param m > 0 = 1, E = 1\ncoord t, x\nlagrangian -m*sqrt(t'^2 - x'^2) + E*x*t'\n");
    assert_eq!(counts(&report), (1, 0, 1));
    assert_eq!(constraints(&report), ["phi_t (1): E^2*x^2 - 2*E*x*p_t - m^2 + p_t^2 - p_x^2"]);
}

/// S = {ψ, ψ} ≠ 0: two rods on one another; 8 − 4 = 2·2.
#[test]
fn double_pendulum() {
    let report = analysis(include_str!("../../../models/double-pendulum.cot"));
    assert_eq!(counts(&report), (0, 4, 2));
    // {ψ₁, ψ₂} at an arbitrary point, from the derivatives of the constraints found.
    let (a, b) = (&report.constraint("upper'").unwrap().expression, &report.constraint("lower'").unwrap().expression);
    let d = |e, name| value(&slope(&report, e, name), &HashMap::new());
    let twist: f64 = ["x1", "y1", "x2", "y2"]
        .map(|q| (q, format!("p_{q}")))
        .iter()
        .map(|(q, p)| d(a, q) * d(b, p) - d(a, p) * d(b, q))
        .sum();
    assert!(twist.abs() > 1e-3, "{twist}");
}

/// x y′ makes p_x = 0, p_y = x second class; (z′ − w)²/2 makes p_w = 0, p_z = 0 first class: 8 − 2·2 − 2 = 2.
#[test]
fn both_classes_at_once() {
    let report = analysis("coord x, y, z, w\nlagrangian x*y' - (x^2 + y^2)/2 + (z' - w)^2/2\n");
    assert_eq!(counts(&report), (2, 2, 1));
}

/// a: p_x, b: x, c: p_y + x z + p_x. {a, b} = −1, {c, a} = z, {c, b} = −1: c − a − z b = p_y is first class.
#[test]
fn a_first_class_combination_is_found() {
    let report = analysis(
        "coord x, y, z\nhamiltonian p_z^2/2\nconstraint a: p_x = 0\nconstraint b: x = 0\nconstraint c: p_y + x*z + p_x = 0\n",
    );
    assert_eq!(counts(&report), (1, 2, 1));
    let c = report.constraint("c").unwrap();
    let combination: Vec<String> = c.combination.iter().map(|(n, e)| format!("{n} {e}")).collect();
    assert_eq!(combination, ["a -1", "b -z"]);
    assert_eq!(report.gauge[0].expression.to_string(), "p_y");
}

/// p_a asks for x = 0, p_b for x y = 0, which says nothing new. The tower of x goes on: p_x, a + b y, and
/// u_a + y u_b = −b p_y. p_b − y p_a is first class.
#[test]
fn dependent_secondary_constraints() {
    let report = analysis("coord x, y, a, b\nlagrangian (x'^2 + y'^2)/2 - a*x - b*x*y\n");
    assert_eq!(counts(&report), (1, 4, 1));
    assert_eq!(multiplier(&report, "u_a").as_deref(), Some("-b*p_y - y*u_b"));
    assert_eq!(multiplier(&report, "u_b"), None);
    // Proportional ones are seen too.
    let report = analysis("coord x, y, a, b\nlagrangian (x'^2 + y'^2)/2 - a*(x - y) - b*(2*x - 2*y)\n");
    assert_eq!(counts(&report), (1, 4, 1));
    assert_eq!(report.conditions[1].outcome, ConditionOutcome::Dependent(Certainty::Proved));
}

/// A redundant constraint of the model is found, and said to be.
#[test]
fn dependent_constraints_of_the_model() {
    let report =
        analysis("coord x, y\nhamiltonian (p_x^2 + p_y^2)/2\nconstraint a: x + y = 0\nconstraint b: x^2 - y^2 = 0\n");
    // b = (x + y)(x − y) vanishes with a.
    assert!(
        report
            .conditions
            .iter()
            .any(|s| s.constraint == "b" && s.outcome == ConditionOutcome::Dependent(Certainty::Proved))
    );
    assert_eq!(counts(&report), (0, 2, 1));
}

/// Proca: p_0 = 0, m²A₀ = p₁; second class, with {A₀, A₁}* = −1/m².
#[test]
fn a_massive_field() {
    let report = analysis("param m > 0 = 1\ncoord A0, A1\nlagrangian (A1' - A0)^2/2 + m^2*(A0^2 - A1^2)/2\n");
    assert_eq!(counts(&report), (0, 2, 1));
    assert_eq!(bracket(&report, "A0", "A1").to_string(), "-1/m^2");
}

/// A sum of squares vanishes where each does.
#[test]
fn a_sum_of_squares() {
    let report = analysis("coord x, y\nhamiltonian (p_x^2 + p_y^2)/2\nconstraint origin: x^2 + y^2 = 0\n");
    assert_eq!(report.irregular.len(), 1);
    assert_eq!(counts(&report), (0, 4, 0));
}

/// Vakonomic: λ becomes a coordinate, p_λ = 0 and the constraint are second class.
#[test]
fn velocity_constraints() {
    let report = analysis(include_str!("../../../models/heisenberg.cot"));
    assert_eq!(counts(&report), (0, 2, 3));
    assert_eq!(report.added, ["lambda_contact"]);
    assert!(report.claims.iter().all(|c| c.outcome == Outcome::Holds(Certainty::Proved)));
    let form = analysis(include_str!("../../../models/heisenberg-form.cot"));
    assert_eq!(form.degrees_of_freedom, Some(3));
}

/// 50 links: 100 coordinates, 50 rods and their derivatives; 200 − 100 = 2·50.
#[test]
fn a_chain_of_fifty_links() {
    let text = include_str!("../../../models/chain.cot");
    let options = cotangent_model::Options { integers: vec![("n".into(), 50)] };
    let report = analyze(&System::parse_with(text, &options).unwrap()).unwrap();
    assert_eq!(counts(&report), (0, 100, 50));
    assert!(report.multipliers.iter().all(|m| matches!(m.value, MultiplierValue::Implicit)));
    assert!(
        report.verdicts.iter().all(|v| matches!(v.outcome, Outcome::Holds(Certainty::Sampled(_)))),
        "no proof is claimed"
    );
}

/// What a special value of a parameter does is seen when it is set: without a field B nothing is second class.
#[test]
fn a_parameter_may_be_set() {
    let system = System::parse("param B = 1\ncoord x, y\nlagrangian B*(x*y' - y*x')/2\n").unwrap();
    let set = |value| [cotangent_compile::values::Setting { name: "B".into(), index: None, value }];
    let generic = analyze(&system).unwrap();
    assert_eq!(counts(&generic), (0, 2, 1));
    assert_eq!(generic.assumptions.iter().map(ToString::to_string).collect::<Vec<_>>(), ["B"]);
    let special = analyze(&cotangent_analysis::specialise(&system, &set(0.0)).unwrap()).unwrap();
    assert_eq!(counts(&special), (2, 0, 0));
}

/// The circle by an angle: λ = (p_θ² cos θ, p_θ² sin θ), without a division by sin θ.
#[test]
fn sines_and_cosines_are_no_obstacle() {
    let report = analysis(
        "coord x, y, th\nhamiltonian (p_x^2 + p_y^2 + p_th^2)/2\nconstraint a: x - cos(th) = 0\n\
         constraint b: y - sin(th) = 0\nconstraint c: x^2 + y^2 = 1\n",
    );
    assert_eq!(counts(&report), (0, 4, 1));
    assert_eq!(multiplier(&report, "lambda_a").as_deref(), Some("p_th^2*cos(th)"));
    assert_eq!(multiplier(&report, "lambda_b").as_deref(), Some("p_th^2*sin(th)"));
    assert_eq!(bracket(&report, "th", "p_x").to_string(), "-sin(th)/2");
    assert!(
        report.conditions.iter().any(|s| s.constraint == "c" && matches!(s.outcome, ConditionOutcome::Dependent(_)))
    );
}

/// A velocity in a claim is {q, H_T}.
#[test]
fn claims_may_use_velocities() {
    let report = analysis("coord x\nlagrangian x'^2/2 - x^2/2\ninvariant E = x'^2/2 + x^2/2\n");
    assert_eq!(report.claims[0].outcome, Outcome::Holds(Certainty::Proved));
}
