//! Claims that hold for the parameters of a model, and not for all.

mod common;

use common::analysis;
use cotangent_analysis::{Analysis, Certainty, Outcome, analyze, specialise};
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
