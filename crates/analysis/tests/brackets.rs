//! Dirac brackets as formulas, and what makes them brackets.

mod common;

use common::{analysis, bracket, number, slope, value};
use cotangent_analysis::{Analysis, Certainty, Outcome, latex};
use std::collections::HashMap;

fn at(report: &Analysis, a: &str, b: &str) -> f64 {
    value(&bracket(report, a, b), &HashMap::new())
}

fn close(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-12 * (1.0 + a.abs().max(b.abs()))
}

const PENDULUM: &str =
    "param g = 1\ncoord x, y\nhamiltonian (p_x^2 + p_y^2)/2 + g*y\nconstraint rod: (x^2 + y^2 - 1)/2 = 0\n";

/// C = {rod, rod′} = r². {x, p_x}* = 1 − x²/r², {p_x, p_y}* = −(x p_y − y p_x)/r².
#[test]
fn pendulum() {
    let report = analysis(PENDULUM);
    let printed = |a, b| bracket(&report, a, b).to_string();
    assert_eq!(printed("x", "y"), "0");
    assert_eq!(printed("x", "p_x"), "y^2/(x^2 + y^2)");
    assert_eq!(printed("x", "p_y"), "-x*y/(x^2 + y^2)");
    assert_eq!(printed("y", "p_y"), "x^2/(x^2 + y^2)");
    assert_eq!(printed("p_x", "p_y"), "-(x*p_y - y*p_x)/(x^2 + y^2)");
    let [x, y, px, py] = ["x", "y", "p_x", "p_y"].map(number);
    let r2 = x * x + y * y;
    assert!(close(at(&report, "x", "p_x"), 1.0 - x * x / r2));
    assert!(close(at(&report, "x", "p_y"), -x * y / r2));
    assert!(close(at(&report, "p_x", "p_y"), -(x * py - y * px) / r2));
}

/// {x, y}* = −1/B, {x, p_x}* = 1/2, {p_x, p_y}* = −B/4: consistent with p_x = −B y/2, p_y = B x/2.
#[test]
fn landau_particle() {
    let report = analysis(include_str!("../../../models/landau.cot"));
    for (a, b, text) in [("x", "y", "-1/B"), ("x", "p_x", "1/2"), ("y", "p_y", "1/2"), ("p_x", "p_y", "-B/4")] {
        assert_eq!(bracket(&report, a, b).to_string(), text);
    }
    assert_eq!(bracket(&report, "x", "p_y").to_string(), "0");
}

/// {χ, z}* = Σ ∂ᵢχ {zᵢ, z}* = 0 for every second-class χ, everywhere.
#[test]
fn second_class_constraints_commute_with_everything() {
    for text in MODELS {
        let report = analysis(text);
        for c in &report.constraints {
            for z in &report.variables {
                let sum: f64 = report
                    .variables
                    .iter()
                    .map(|i| value(&slope(&report, &c.expression, i), &HashMap::new()) * at(&report, i, z))
                    .sum();
                assert!(sum.abs() < 1e-11, "{}: {{{}, {z}}}* = {sum}", report.name, c.name);
            }
        }
    }
}

/// Σ_l ({i, l}* ∂_l {j, k}* + cyclic) = 0.
#[test]
fn jacobis_identity_holds() {
    for text in MODELS {
        let report = analysis(text);
        let z = &report.variables;
        let term = |i: &str, j: &str, k: &str| -> f64 {
            let inner = bracket(&report, j, k);
            z.iter().map(|l| at(&report, i, l) * value(&slope(&report, &inner, l), &HashMap::new())).sum()
        };
        for i in 0..z.len() {
            for j in i + 1..z.len() {
                for k in j + 1..z.len() {
                    let sum = term(&z[i], &z[j], &z[k]) + term(&z[j], &z[k], &z[i]) + term(&z[k], &z[i], &z[j]);
                    assert!(sum.abs() < 1e-9, "{} {} {} {}: {sum}", report.name, z[i], z[j], z[k]);
                }
            }
        }
    }
}

const MODELS: [&str; 5] = [
    PENDULUM,
    "param g = 1\ncoord x, y, lambda\nlagrangian (x'^2 + y'^2)/2 - g*y - lambda*(x^2 + y^2 - 1)/2\n",
    include_str!("../../../models/landau.cot"),
    include_str!("../../../models/spherical-pendulum.cot"),
    include_str!("../../../models/heisenberg.cot"),
];

/// The Dirac bracket of a Poisson model: on the dual of so(3) with y₃ = 0 and {y₃, ·} needs a partner, y₁ = 0:
/// {y₁, y₃} = y₂, so nothing is left but y₂, which is a Casimir of the new bracket.
#[test]
fn constraints_on_a_poisson_model() {
    let report = analysis(
        "variables y1, y2, y3\nbracket {y1, y2} = -y3, {y2, y3} = -y1, {y3, y1} = -y2\nhamiltonian y2^2\n\
         constraint a: y1 = 0\nconstraint b: y3 = 0\n",
    );
    assert_eq!(common::counts(&report), (0, 2, 0));
    assert!(report.variables.iter().all(|z| bracket(&report, "y2", z).is_zero()));
}

/// {y, d} = −z/10⁹ does not vanish, however small it is beside what was added up to it.
#[test]
fn a_claim_that_is_wrong_by_little_is_wrong() {
    let text = "variables x, y, z\nbracket {x, y} = z, {y, z} = x, {z, x} = y\nhamiltonian x^2 + y^2/2 + z^2/3\n\
        casimir c = x^2 + y^2 + z^2, d = x^2 + y^2 + z^2 + 1e-9*x\ninitial x = 1, y = 0.5\n";
    let report = analysis(text);
    let outcome = |name: &str| report.claims.iter().find(|c| c.name == name).map(|c| c.outcome);
    assert_eq!(outcome("c"), Some(Outcome::Holds(Certainty::Proved)));
    assert_eq!(outcome("d"), Some(Outcome::Fails));
}

/// √(x − 10) has values near the start x = 12 alone.
#[test]
fn a_bracket_that_is_defined_near_the_start_alone_is_judged_there() {
    let text = |extra: &str| {
        format!(
            "variables x, y, z\nbracket {{x, y}} = sqrt(x - 10)*z, {{y, z}} = sqrt(x - 10)*x, {{z, x}} = sqrt(x - 10)*y{extra}\n\
             hamiltonian x + y^2\ninitial x = 12, y = 0.5, z = 0.2\n"
        )
    };
    let good = analysis(&text("")).poisson.unwrap();
    assert!(matches!(good.jacobi, Outcome::Holds(_)), "{:?}", good.jacobi);
    assert_eq!(good.rank, Some(2));
    // The sum is −y z (x − 20)/(2√(x − 10)).
    assert_eq!(analysis(&text(" + x*y")).poisson.unwrap().jacobi, Outcome::Fails);
}

/// so(3), whose Casimir is |y|²; {y1, y1²} = 0, {y1, y2²} = 2 y2 y3.
#[test]
fn a_poisson_model_in_latex_has_its_bracket_and_its_claims() {
    let text = "param a = 1\nvariables y1, y2, y3\nbracket {y1, y2} = y3, {y2, y3} = a*y1, {y3, y1} = y2\n\
        hamiltonian (y1^2 + y2^2)/2\ncasimir spin = a*y1^2 + y2^2 + y3^2\ninvariant E = y1^2 + y2^2\ninvariant w = y1\n";
    let page = latex(&analysis(text));
    for part in [
        "The brackets that do not vanish are\n\\begin{align*}\n  \\{y_{1}, y_{2}\\} &= y_{3} \\\\\n  \\{y_{1}, y_{3}\\} &= -y_{2} \\\\\n  \
         \\{y_{2}, y_{3}\\} &= a y_{1}\n\\end{align*}\n",
        "The model claims as Casimirs of its bracket\n\\begin{align*}\n  \\mathrm{spin} &= a y_{1}^{2} + y_{2}^{2} + y_{3}^{2} \
         \\quad\\text{(proved)}\n\\end{align*}\n",
        "E &= y_{1}^{2} + y_{2}^{2} \\quad\\text{(proved)} \\\\",
        "w &= y_{1} \\quad\\text{(does not hold)} \\\\\n  &\\quad\\text{where this should vanish: } y_{2} y_{3}\n",
    ] {
        assert!(page.contains(part), "{part}\n{page}");
    }
    // Claims of other models are written, too; nothing is said where there are none.
    let plain = "coord q\nhamiltonian p_q^2/2\n";
    assert!(latex(&analysis(&format!("{plain}invariant P = p_q\n"))).contains("P &= p_{q} \\quad\\text{(proved)}"));
    assert!(!latex(&analysis(plain)).contains("claims") && !latex(&analysis(plain)).contains("brackets"));
}
