//! Claims and brackets in units of any size. What is true is known beforehand: a force that depends on the distance alone
//! conserves the angular momentum, any other does not.

mod common;

use common::{analysis, cases};
use cotangent_analysis::Outcome;
use proptest::prelude::*;

fn holds(text: &str) -> bool {
    matches!(analysis(text).claims[0].judgement(), Outcome::Holds(_))
}

const ANGULAR_MOMENTUM: &str = "invariant L = x*p_y - y*p_x\n";

/// A weak force beside a strong one: of the sun on a planet, of an electron in a well, of numbers that are written down.
#[test]
fn a_weak_force_counts() {
    let sun = |w: &str| {
        format!(
            "param mu = 1.327e20, w = 1e-3\ncoord x, y\nhamiltonian (p_x^2 + p_y^2)/2 - mu/sqrt(x^2 + y^2) + {w}*x\n\
             {ANGULAR_MOMENTUM}initial x = 1.5e11, p_y = 3e4\n"
        )
    };
    assert!(holds(&sun("0")) && !holds(&sun("w")) && !holds(&sun("w").replace("mu/", "1.327e20/")));
    let well = |b: &str| {
        format!(
            "param m = 9.109e-31, D = 1.6e-19, a = 1e-10, b = {b}\ncoord x, y\n\
             hamiltonian (p_x^2 + p_y^2)/(2*m) - D*exp(-x^2/a^2 - y^2/b^2)\n{ANGULAR_MOMENTUM}\
             initial x = 5e-11, y = 5e-11, p_x = 1e-25\n"
        )
    };
    assert!(holds(&well("1e-10")) && !holds(&well("2e-10")));
    for [strong, weak] in
        [["1e10", "1e-10"], ["1e18", "1"], ["1e20", "1e-5"], ["1e25", "1e5"], ["1e19", "1e-19"], ["1e16", "1"]]
    {
        let text = format!(
            "param w = 1\ncoord x, y\nhamiltonian (p_x^2 + p_y^2)/2 + {strong}*x^2 + {strong}*y^2 + w*{weak}*x^4\n\
             {ANGULAR_MOMENTUM}initial x = 1, y = 1\n"
        );
        assert!(!holds(&text), "{text}");
        assert!(holds(&text.replace(&format!(" + w*{weak}*x^4"), "")));
    }
}

/// Forces beside those of a function: 10¹⁷/5000 is multiplied by 10¹⁶ where they get a common denominator.
#[test]
fn a_weak_force_beside_a_function_counts() {
    for strong in [
        "1e17*exp(-(x^2 + y^2)/1e4)",
        "1e17/sqrt(1e4 + x^2 + y^2)",
        "1e25*cosh((x^2 + y^2)/300)",
        "3e16*sin(x^2 + y^2)",
    ] {
        for weak in ["1e-16*x*y", "1e-19*x^4", "7e-28*x*p_x", "1e-16*sin(x*y)", "1e-20*log(1 + x^2)*exp(y)"] {
            let model = |more: &str| {
                format!(
                    "coord x, y\nhamiltonian (p_x^2 + p_y^2)/2 + {strong}{more}\n{ANGULAR_MOMENTUM}initial x = 1, p_y = 1\n"
                )
            };
            let claimed = analysis(&model(&format!(" + {weak}"))).claims[0].judgement();
            // 10²⁵/150 is no fraction that fits: beside what is rounded so much nothing so small is known.
            let is_rounded = strong.contains("/300");
            assert!(
                claimed == Outcome::Fails || is_rounded && claimed == Outcome::Undecided,
                "{strong} + {weak}: {claimed:?}"
            );
            assert!(holds(&model("")), "{strong}");
        }
    }
}

/// Sums that are rounded to one of their terms.
#[test]
fn rounding_proves_nothing() {
    for [values, a, b] in [
        ["w = 1e300", "w + 1", "w"],
        ["w = 1e-30", "1 + w", "1"],
        ["w = 1e-300", "1 + w", "1"],
        ["w = 1e16", "w + 1", "w"],
        ["w = 1.4142135623730951, v = 2", "w^2", "v"],
    ] {
        let text = format!(
            "param {values}\ncoord x, y\nhamiltonian (p_x^2 + p_y^2)/2 + ({a})*x^2/2 + ({b})*y^2/2\n{ANGULAR_MOMENTUM}"
        );
        assert!(!holds(&text), "{text}");
        assert!(holds(&text.replace(&format!("({a})"), &format!("({b})"))), "{text}");
    }
}

/// A Casimir of so(3) and one that is none; a bracket of spheres and one that violates Jacobi's identity:
/// J·rot J = −2 μ w x y/r for J = μ z/r + w x² in the place of {x, y}.
#[test]
fn brackets_are_judged_by_all_their_terms() {
    let spin = |rest: &str| {
        format!(
            "param w = 1\nvariables x, y, z\nbracket {{x, y}} = z, {{y, z}} = x, {{z, x}} = y\nhamiltonian x^2 + 2*y^2\n\
             casimir c = 1e20*(x^2 + y^2 + z^2){rest}\n"
        )
    };
    assert!(holds(&spin("")) && !holds(&spin(" + w*x^3")));
    let spheres = |w: &str| {
        let over = "1.327e20/sqrt(x^2 + y^2 + z^2)";
        format!(
            "param w = 1e-3\nvariables x, y, z\nbracket {{x, y}} = z*{over}{w}, {{y, z}} = x*{over}, {{z, x}} = y*{over}\n\
             hamiltonian x^2\n"
        )
    };
    let jacobi = |text: &str| analysis(text).poisson.unwrap().jacobi;
    assert!(matches!(jacobi(&spheres("")), Outcome::Holds(_)));
    assert!(!matches!(jacobi(&spheres(" + w*x^2")), Outcome::Holds(_)));
}

/// Rounding in one of several brackets, in the default of a parameter, beside a constraint that is there for these values alone,
/// and below the smallest number.
#[test]
fn rounding_is_found_wherever_it_is() {
    let two = "param a = 1, w = 1e300\nvariables x, y, u, v\nbracket {x, y} = 1, {u, v} = 1\nhamiltonian x^2 + u^2\n\
        casimir C = (a - 1)*x + (w + 1)*u - w*u\n";
    assert!(!holds(two));
    let well = |values: &str, a: &str, b: &str| {
        format!("param {values}\ncoord x, y\nhamiltonian (p_x^2 + p_y^2)/2 + {a}*x^2/2 + {b}*y^2/2\n{ANGULAR_MOMENTUM}")
    };
    assert!(!holds(&well("w = 1e19, v = w + 1", "v", "w")) && holds(&well("w = 1e19, v = w + 0", "v", "w")));
    assert!(holds(&well("a = 1e23, b = 1e20", "a", "1000*b")));
    assert!(!holds(&well("w = 1e-200, v = 1e-200", "(1 + w*v)", "1")));
    let singular = "param w = 1e300, c = 0\ncoord x, y, z\n\
        lagrangian (x'^2 + y'^2 + c*z'^2 - (w + 1)*x^2 - w*y^2)/2\ninvariant L = x*y' - y*x'\n";
    assert!(!holds(singular));
}

/// A product of functions may vanish everywhere though none of them does.
#[test]
fn what_vanishes_in_pieces_is_not_called_something() {
    let bracket = |e: &str| {
        let text = format!("variables x, y, z\nbracket {{x, y}} = {e}\nhamiltonian x\ncasimir c = y\n");
        analysis(&text).claims[0].judgement()
    };
    for e in ["max(0, z)*max(0, -z)", "min(z^2, 0)", "floor(sin(z)^2/2)", "sqrt(sin(z)^2 + cos(z)^2 - 1)"] {
        assert_ne!(bracket(e), Outcome::Fails, "{e}");
    }
    assert_eq!(bracket("exp(z)*(1e30*z - z)"), Outcome::Fails);
    assert_eq!(bracket("sqrt(1 + z^2)*z"), Outcome::Fails);
}

/// The size of a number: 10 to this.
fn size() -> impl Strategy<Value = i32> {
    -28..=28i32
}

proptest! {
    #![proptest_config(cases(24))]

    #[test]
    fn a_force_of_any_size_counts(
        (mass, strong, weak, length) in (size(), size(), size(), -12..=12i32),
        (shape, written) in (0..4usize, any::<bool>()),
    ) {
        let central = ["A*(x^2 + y^2)/2", "-A/sqrt(x^2 + y^2)", "A*(x^2 + y^2)^2", "A*exp(-(x^2 + y^2)/(l^2))"][shape];
        let values = [("m", mass), ("A", strong), ("B", weak), ("l", length)];
        let model = |potential: &str| {
            let mut energy = format!("(p_x^2 + p_y^2)/(2*m) + {potential}");
            let mut parameters = String::new();
            for (name, k) in values {
                if written {
                    energy = energy.replace(name, &format!("1e{k}"));
                } else {
                    parameters += &format!("param {name} = 1e{k}\n");
                }
            }
            format!("{parameters}coord x, y\nhamiltonian {energy}\n{ANGULAR_MOMENTUM}initial x = 1e{length}, p_y = 1e{mass}\n")
        };
        let (right, wrong) = (model(central), model(&format!("{central} + B*x*y")));
        prop_assert!(holds(&right), "{}", right);
        prop_assert!(!holds(&wrong), "{}", wrong);
    }
}

/// A free rotor keeps |z|², and so every function of it, whatever its moments of inertia are: products of such numbers do not
/// fit and are rounded, and what their difference leaves refutes nothing. That z₁ changes is still seen.
#[test]
fn what_rounding_leaves_refutes_nothing() {
    let outcome = |energy: &str, claim: &str| {
        let text = format!(
            "variables z1, z2, z3\nbracket {{z1, z2}} = z3, {{z2, z3}} = z1, {{z3, z1}} = z2\nhamiltonian {energy}\n\
             invariant Q = {claim}\n"
        );
        analysis(&text).claims[0].judgement()
    };
    for (energy, claim) in [
        ("0.4*z1^2 + 9.29e-8*z2^2 + 2.08e7*z3^2", "0.83*(z1^2 + z2^2 + z3^2)^2"),
        ("5.1e7*z1^2 + 9.37e5*z2^2 + 3.41e-7*z3^2", "log(1 + (7.7*(z1^2 + z2^2 + z3^2))^2)"),
        ("0.78*z1^2 + 4.7e11*z2^2 + 6.4e14*z3^2", "log(1 + (7.8e-4*(z1^2 + z2^2 + z3^2))^2)"),
    ] {
        assert_ne!(outcome(energy, claim), Outcome::Fails, "{energy}: {claim}");
        assert_eq!(outcome(energy, &format!("({claim})*z1")), Outcome::Fails, "{energy}: {claim}");
    }
}

/// sin π is zero: p_y is conserved, and s x is nothing. A parameter that is as small as its rounding would be is not.
#[test]
fn a_parameter_that_is_zero_but_for_rounding_moves_nothing() {
    let outcome = |s: &str| {
        let text = format!("param s = {s}\ncoord x, y\nhamiltonian (p_x^2 + p_y^2)/2\ninvariant C = s*x + p_y\n");
        analysis(&text).claims[0].judgement()
    };
    for zero in [
        "sin(pi)",
        "2*sin(pi)",
        "cos(pi/2)",
        "sin(pi/6) - 1/2",
        "tan(pi)*sin(7*pi/3)",
        "log(exp(1)) - 1",
        "sin(1)^2 + cos(1)^2 - 1",
    ] {
        assert_ne!(outcome(zero), Outcome::Fails, "{zero}");
    }
    for number in ["1e-30", "exp(-70)", "sin(pi/7)"] {
        assert_eq!(outcome(number), Outcome::Fails, "{number}");
    }
}

/// a c = d, so that a b c − d b is zero whatever b is; both products have 22 digits.
#[test]
fn values_that_are_rounded_where_they_are_put_in_refute_nothing() {
    let outcome = |b: i64, d: i64| {
        let text = format!(
            "param a = 12345678901, b = {b}, c = 7, d = {d}\ncoord x, y\n\
             hamiltonian (p_x^2 + p_y^2)/2 + (a*b*c - d*b)*x\ninvariant C = p_x\n"
        );
        analysis(&text).claims[0].judgement()
    };
    for b in [98765432109, 98765432113, 98765432126, 98765432139] {
        assert_ne!(outcome(b, 86419752307), Outcome::Fails, "{b}");
        assert_eq!(outcome(b, 87419752307), Outcome::Fails, "{b}");
    }
}
