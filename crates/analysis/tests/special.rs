//! Claims that hold for the parameters of a model, and not for all.

mod common;

use common::analysis;
use cotangent_analysis::{Analysis, Certainty, MultiplierValue, Outcome, analyze, latex, specialise};
use cotangent_compile::values::Setting;
use cotangent_model::System;

/// Three species (Hairer, Lubich & Wanner, Geometric Numerical Integration, VII.2.3): C is a Casimir if a b c = −1.
fn species(a: &str, b: &str, c: &str) -> String {
    format!(
        "param a = {a}, b = {b}, c = {c}\nvariables x, y, z\nbracket {{x, y}} = c*x*y, {{x, z}} = b*c*x*z, {{y, z}} = -y*z\n\
         hamiltonian a*b*x + y - a*z + log(y) - 2*log(z)\ncasimir C = a*b*log(x) - b*log(y) + log(z)\n"
    )
}

/// (in general, for the parameters of the model).
fn judged(report: &Analysis) -> (Outcome, Outcome) {
    (report.claims[0].outcome, report.claims[0].judgement())
}

const PROVED: Outcome = Outcome::Holds(Certainty::Proved);

#[test]
fn a_casimir_at_special_values() {
    // Exact numbers, also thirds and decimals: a proof.
    for [a, b, c] in [
        ["-2", "-1", "-1/2"],
        ["1/3", "3/7", "-7"],
        ["0.1", "10", "-1"],
        ["sqrt(2)", "1/sqrt(2)", "-1"],
        ["3", "-1/3", "1"],
    ] {
        let report = analysis(&species(a, b, c));
        assert_eq!(judged(&report), (Outcome::Fails, PROVED), "{a} {b} {c}");
        assert!(report.held());
        let values: Vec<&str> =
            report.claims[0].at_values.as_ref().unwrap().values.iter().map(|v| v.0.as_str()).collect();
        assert_eq!(values, ["a", "b", "c"]);
    }
    for [a, b, c] in [["-2", "-1", "-1"], ["1", "1", "1"]] {
        let report = analysis(&species(a, b, c));
        assert_eq!(judged(&report), (Outcome::Fails, Outcome::Fails), "{a} {b} {c}");
        assert!(!report.held());
    }
}

/// 49·(1/49) is rounded to less than 1: what holds but for round-off holds for numbers that are written as fractions, and
/// not for their first sixteen digits.
#[test]
fn round_off_proves_nothing() {
    assert_eq!(judged(&analysis(&species("49", "1/49", "-1"))).1, PROVED);
    assert_ne!(judged(&analysis(&species("49", "0.02040816326530612", "-1"))).1, PROVED);
    assert!(!analysis(&species("3", "0.3333333333333333", "-1")).held());
    // Too many digits for a fraction: nothing is proved.
    let report = analysis(&species("1e-25", "1e25", "-1"));
    assert!(!matches!(judged(&report).1, PROVED), "{:?}", judged(&report));
}

/// Values from outside take the place of those of the model, also in the defaults of other parameters.
#[test]
fn values_that_are_set() {
    let text = species("1", "1", "1").replace("c = 1", "c = -1/(a*b)");
    let system = System::parse(&text).unwrap();
    let with = |name: &str, value: f64| {
        let set = [Setting { name: name.into(), index: None, value }];
        judged(&analyze(&specialise(&system, &set).unwrap()).unwrap())
    };
    assert_eq!(judged(&analyze(&system).unwrap()), (Outcome::Fails, PROVED));
    assert_eq!(with("a", 4.0), (Outcome::Fails, PROVED));
    assert_eq!(with("c", 4.0).1, Outcome::Fails);
}

/// An invariant of a Lagrangian: the angular momentum of an oscillator that is isotropic at these values.
#[test]
fn an_invariant_at_special_values() {
    let model = |k: &str| {
        format!("param k = {k}\ncoord x, y\nlagrangian (x'^2 + y'^2 - x^2 - k*y^2)/2\ninvariant L = x*y' - y*x'\n")
    };
    assert_eq!(judged(&analysis(&model("1"))), (Outcome::Fails, PROVED));
    assert_eq!(judged(&analysis(&model("1.0000000001"))), (Outcome::Fails, Outcome::Fails));
}

/// What is said of the parameters of the model, where that does not hold.
fn differing(text: &str) -> Vec<String> {
    let report = analysis(text);
    assert_eq!(report.consistent, Some(true), "{text}");
    let failing = report.verdicts.iter().filter(|v| v.judgement() == Outcome::Fails);
    let statements: Vec<String> = failing.map(|v| v.statement.clone()).collect();
    assert_eq!(report.held(), statements.is_empty(), "{text}{:?}", report.verdicts);
    statements
}

/// The sign of the discriminant of a quadratic form is that of its parameter: at the value of the model it is definite and
/// vanishes in a point, x = y = 0 and p_x = p_y = 0, where generic parameters leave a cone.
#[test]
fn classes_at_special_values() {
    let plane = |e: &str| {
        format!(
            "param e = {e}\ncoord x, y, z\nhamiltonian (p_x^2+p_y^2+p_z^2)/2 + z\nconstraint c: x^2 + 2*e*x*y + y^2 = 0\n"
        )
    };
    let space = |k: &str| {
        format!(
            "param k = {k}\ncoord x, y, z\nhamiltonian (p_x^2+p_y^2+p_z^2)/2\nconstraint c: x^2 + y^2 - k*z^2 = 0\n"
        )
    };
    // a is arbitrary, and its momentum first class.
    let bound = |f: &str, k: &str| format!("param k = {k}\ncoord x, y, a\nlagrangian (x'^2+y'^2)/2 - a*({f})\n");
    for (text, classes) in [
        (plane("1/2"), "0 first class, 4 second class, 1 degree of freedom"),
        (plane("-0.9"), "0 first class, 4 second class, 1 degree of freedom"),
        (space("-3"), "0 first class, 6 second class, 0 degrees of freedom"),
        (bound("x^2-k*y^2", "-2"), "1 first class, 4 second class, 0 degrees of freedom"),
        (bound("x^2+y^2+2*k*x*y", "1/2"), "1 first class, 4 second class, 0 degrees of freedom"),
        (bound("(x-1)^2-k*(y-2)^2", "-7"), "1 first class, 4 second class, 0 degrees of freedom"),
    ] {
        let found = differing(&text);
        assert_eq!(found.len(), 1, "{text}{found:?}");
        assert!(found[0].starts_with("the classes are the same") && found[0].contains(classes), "{text}{found:?}");
    }
    // A cone of positive dimension has the classes of generic parameters.
    assert!(differing(&space("3")).is_empty());
}

/// x² − 4 y² is two lines, x² − k y² is irreducible for generic k.
#[test]
fn a_surface_that_falls_apart_at_special_values() {
    let found = differing("param k = 4\ncoord x, y, a\nlagrangian (x'^2+y'^2)/2 - a*(x^2-k*y^2)\n");
    assert_eq!(found.len(), 1);
    assert!(["in one piece", "x - 2*y = 0", "x + 2*y = 0"].iter().all(|part| found[0].contains(part)), "{found:?}");
    let found = differing(
        "param e = 2\ncoord x, y, z\nhamiltonian (p_x^2+p_y^2+p_z^2)/2 + z\nconstraint c: x^2 + 2*e*x*y + y^2 = 0\n",
    );
    assert!(found[0].contains("in one piece"), "{found:?}");
}

/// k = −2 asks for x² + 2 = 0, which has no real solution.
#[test]
fn no_solution_at_special_values() {
    let found = differing("param k = -2\ncoord x, y, a\nlagrangian (x'^2+y'^2)/2 - a*(x^2 + y^2 - k)\n");
    assert_eq!(found.len(), 1);
    assert!(found[0].starts_with("the constraints stay zero for the parameters of the model"), "{found:?}");
}

/// {x, y} = z, {y, z} = x + (a − 2) y z, {z, x} = y: the cyclic sum of brackets of brackets is that of {x, (a − 2) y z} =
/// (a − 2)(z² − y²), which vanishes for a = 2 alone. Rounded values prove nothing.
#[test]
fn a_bracket_at_special_values() {
    let model = |a: &str, factor: &str| {
        format!(
            "param a = {a}\nvariables x, y, z\nbracket {{x, y}} = z, {{y, z}} = x + {factor}*y*z, {{z, x}} = y\n\
             hamiltonian x^2 + y^2/2 + z^2/3\n"
        )
    };
    let jacobi = |text: &str| {
        let report = analysis(text);
        let verdict = report.verdicts.iter().find(|v| v.statement == "Jacobi's identity").unwrap();
        let poisson = report.poisson.as_ref().unwrap();
        let own = poisson.jacobi_at_values.clone();
        assert_eq!((verdict.outcome, &verdict.at_values), (poisson.jacobi, &own));
        (verdict.outcome, verdict.judgement(), report.held(), own.map(|v| v.values))
    };
    let a = |x: f64| Some(vec![("a".to_owned(), x)]);
    assert_eq!(jacobi(&model("2", "(a-2)")), (Outcome::Fails, PROVED, true, a(2.0)));
    assert_eq!(jacobi(&model("1/3", "(3*a-1)")), (Outcome::Fails, PROVED, true, a(1.0 / 3.0)));
    assert_eq!(jacobi(&model("3", "(a-2)")), (Outcome::Fails, Outcome::Fails, false, a(3.0)));
    assert_eq!(jacobi(&model("1", "0")).0, PROVED);
    let rounded = jacobi(&model("0.3333333333333333", "(3*a-1)"));
    assert!(!matches!(rounded.1, Outcome::Holds(_)) && !rounded.2, "{rounded:?}");
    let page = latex(&analysis(&model("2", "(a-2)")));
    assert!(page.contains("Jacobi's identity holds at $a = 2$, and not in general"), "{page}");
    assert!(latex(&analysis(&model("3", "(a-2)"))).contains("It is no Poisson bracket"));
}

/// a² = 10⁻⁴⁰⁰ is no number: whether x² + y² + z² + a² x is a Casimir cannot be seen.
#[test]
fn values_that_are_too_small() {
    let report = analysis(
        "param a = 1e-200\nvariables x, y, z\nbracket {x, y} = z, {y, z} = x, {z, x} = y\n\
         hamiltonian x^2 + y^2/2 + z^2/3\ncasimir K = x^2+y^2+z^2 + a^2*x\n",
    );
    assert_eq!(judged(&report), (Outcome::Fails, Outcome::Undecided));
    assert!(!report.held());
}

/// u_y = y′ = x′ = k y + p_x, where p_x = −z/k: what a multiplier is divided by is assumed.
#[test]
fn parameters_that_multipliers_are_divided_by() {
    let report = analysis("param k\ncoord x, y, z\nlagrangian (x'-k*y)^2/2 + z*(x-y)\n");
    let written = report.multipliers.iter().find(|m| m.name == "u_y").unwrap();
    let MultiplierValue::Determined(e) = &written.value else { panic!("{written:?}") };
    assert_eq!(e.to_string(), "k*x - z/k");
    assert!(report.assumptions.iter().any(|e| e.to_string() == "k"), "{:?}", report.assumptions);
}

/// Values that are written as functions of numbers: sin π, cos(π/2), tan(π/4) − 1 and sin(π/6) − 1/2 are zero exactly; so are
/// log e − 1, 2 − 2 and √2 √3 − √6, which symbols do not know. Where they are not zero that is still seen.
#[test]
fn functions_of_numbers_refute_nothing_that_they_make_zero() {
    let force = |values: &str, f: &str| {
        let text = format!("param {values}\ncoord x\nhamiltonian p_x^2/2 + ({f})*x\ninvariant p = p_x\n");
        judged(&analysis(&text))
    };
    for (values, f) in [
        ("a = pi", "sin(a)"),
        ("a = pi", "cos(a/2)"),
        ("a = pi/4", "tan(a) - 1"),
        ("a = pi/6", "sin(a) - 1/2"),
        ("a = pi/3", "sin(a)^2 - 3/4"),
    ] {
        assert_eq!(force(values, f), (Outcome::Fails, PROVED), "{values}: {f}");
    }
    for (values, f) in [
        ("a = exp(1)", "log(a) - 1"),
        ("a = log(2)", "exp(a) - 2"),
        ("a = sqrt(2), b = sqrt(3), c = sqrt(6)", "a*b - c"),
    ] {
        let (general, own) = force(values, f);
        assert!(general == Outcome::Fails && own != Outcome::Fails, "{values}: {f}: {general:?} {own:?}");
    }
    for (values, f) in [
        ("a = pi", "cos(a)"),
        ("a = exp(1)", "log(a) - 2"),
        ("a = sqrt(2), b = sqrt(3), c = sqrt(7)", "a*b - c"),
        ("a = 3.141592653589793", "sin(a)"),
    ] {
        assert_eq!(force(values, f), (Outcome::Fails, Outcome::Fails), "{values}: {f}");
    }
}

/// L/(a − 1) is an invariant, but for a = 1 it has no value.
#[test]
fn what_has_no_value_does_not_hold() {
    let model = |a: &str| {
        let text = "coord x, y\nhamiltonian (p_x^2 + p_y^2 + x^2 + y^2)/2\ninvariant L = (x*p_y - y*p_x)/(a - 1)\n";
        judged(&analysis(&format!("param a = {a}\n{text}")))
    };
    assert_eq!(model("2"), (PROVED, PROVED));
    assert_eq!(model("1"), (PROVED, Outcome::Undecided));
}

/// x⁴ + y⁴ − x²y² + x² = 0 at the origin alone: what takes its place stands beside it in LaTeX.
#[test]
fn what_takes_the_place_of_irregular_constraints_is_written() {
    let report =
        analysis("coord x, y\nhamiltonian (p_x^2 + p_y^2)/2\nconstraint c: (x^2 + y^2 - 1)^2 + (x - y)^2 = 0\n");
    let text = latex(&report);
    let line = text.lines().find(|l| l.contains("&:")).unwrap_or_default();
    assert!(line.contains("\\to") && line.matches("= 0").count() == 2, "{text}");
}
