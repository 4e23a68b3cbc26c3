//! Stability on families of models: random linkages in which something stays at rest, angles that grow, steady
//! motions and constant matrices, against closed forms and an integration of its own.

mod problems;

use cotangent_lab::stability::{Path, Stability, Time, Verdict};
use cotangent_scalar::Limits;
use cotangent_theory::Formulation;
use problems::Case;
use proptest::prelude::*;

const DIRAC: Formulation = Formulation::Dirac { alpha: 0.0 };

fn stability(text: &str, formulation: Formulation, until: f64) -> Stability {
    let case = Case::new(text, formulation);
    let mut path = Path::new(&case.problem, until, &Limits::default()).unwrap_or_else(|e| panic!("{e}\n{text}"));
    Stability::along(&case.problem, &mut path).unwrap_or_else(|e| panic!("{e}\n{text}"))
}

/// By construction the manifold is one of solutions for all of these, and they say what errors do.
fn are_invariant(text: &str, until: f64) {
    let verdict = |formulation| stability(text, formulation, until).verdict;
    assert_eq!(verdict(Formulation::Standard), Verdict::Drift, "{text}");
    assert_eq!(verdict(Formulation::HamiltonDirac), Verdict::Integrals { identical: false }, "{text}");
    assert_eq!(verdict(Formulation::Ggl), Verdict::Integrals { identical: false }, "{text}");
    assert_eq!(verdict(Formulation::ImpetusStriction), Verdict::Integrals { identical: true }, "{text}");
    assert_eq!(verdict(Formulation::Baumgarte { alpha: 2.0, beta: 2.0 }).name(), "damped", "{text}");
}

/// A chain of bobs in space whose links begin in a plane, with z = 0 for ever: lengths, masses and angles.
fn chain(links: &[(f64, f64, f64)], spin: f64) -> String {
    let n = links.len();
    let list = |of: &dyn Fn(usize) -> String| (1..=n).map(of).collect::<Vec<_>>();
    let mut text = format!("coord {}\n", list(&|k| format!("x{k}, y{k}, z{k}")).join(", "));
    let mass = |k: usize| links[k - 1].1;
    let term = |k: usize| format!("{m}*((x{k}'^2 + y{k}'^2 + z{k}'^2)/2 - y{k})", m = mass(k));
    text += &format!("lagrangian {}\n", list(&term).join(" + "));
    let (mut at, mut start) = ([0.0, 0.0], vec![]);
    for (k, (length, _, angle)) in links.iter().enumerate().map(|(k, link)| (k + 1, link)) {
        let before = if k == 1 {
            ["0".into(), "0".into(), "0".into()]
        } else {
            ["x", "y", "z"].map(|c| format!("{c}{}", k - 1))
        };
        let [x, y, z] = before;
        text += &format!("constraint l{k}: ((x{k} - {x})^2 + (y{k} - {y})^2 + (z{k} - {z})^2 - {length}^2)/2 = 0\n");
        at = [at[0] + length * angle.sin(), at[1] - length * angle.cos()];
        // A rotation about the origin is consistent.
        start.push(format!("x{k} = {}, y{k} = {}, x{k}' = {}, y{k}' = {}", at[0], at[1], -spin * at[1], spin * at[0]));
    }
    text + &format!("initial {}\n", start.join(", "))
}

proptest! {
    #![proptest_config(problems::cases(6))]

    /// A plane of motion, from rest and with a spin.
    #[test]
    fn what_stays_at_rest_leaves_nothing(
        links in prop::collection::vec((0.5..2.0f64, 0.2..5.0f64, -2.0..2.0f64), 1..=3),
        spin in prop::option::of(-1.0..1.0f64),
    ) {
        are_invariant(&chain(&links, spin.unwrap_or(0.0)), 3.0);
    }

    /// Links that hang straight down stay there, whatever masses they have; some beside them swing or do not.
    #[test]
    fn a_part_that_hangs_still_leaves_nothing(
        masses in prop::array::uniform3(0.2..5.0f64),
        lengths in prop::array::uniform3(0.3..3.0f64),
        angle in prop::option::of(0.3..2.0f64),
    ) {
        let [m1, m2, m3] = masses;
        let [a, b, c] = lengths;
        let angle = angle.unwrap_or(0.0);
        let text = format!(
            "coord x1, y1, x2, y2, x3, y3\n\
             lagrangian {m1}*((x1'^2 + y1'^2)/2 - y1) + {m2}*((x2'^2 + y2'^2)/2 - y2) + {m3}*((x3'^2 + y3'^2)/2 - y3)\n\
             constraint first: (x1^2 + y1^2 - {a}^2)/2 = 0\n\
             constraint second: ((x2 - x1)^2 + (y2 - y1)^2 - {b}^2)/2 = 0\n\
             constraint other: ((x3 - 5)^2 + y3^2 - {c}^2)/2 = 0\n\
             initial y1 = -{a}, y2 = -{a} - {b}, x3 = 5 + {c}*sin({angle}), y3 = -{c}*cos({angle})\n"
        );
        are_invariant(&text, 3.0);
    }

    /// A pendulum at rest at the bottom or the top, with gravity, mass and length: b = ± g/l.
    #[test]
    fn an_equilibrium_is_judged_by_its_eigenvalues(
        g in 0.1..20.0f64, m in 0.01..100.0f64, l in 0.1..10.0f64, top in any::<bool>(),
    ) {
        let y = if top { l } else { -l };
        let text = format!(
            "coord x, y\nhamiltonian (p_x^2 + p_y^2)/(2*{m}) + {m}*{g}*y\nconstraint rod: (x^2 + y^2 - {l}^2)/2 = 0\n\
             initial y = {y}\n"
        );
        let rate = (g / l).sqrt();
        let (total, dirac) = (stability(&text, Formulation::Total, 2.0), stability(&text, DIRAC, 2.0));
        let (saddle, centre) = if top { (dirac, total) } else { (total, dirac) };
        let is = |r: f64| (r - rate).abs() < 1e-6 * rate;
        prop_assert!(matches!(saddle.verdict, Verdict::Saddle { rate, time: Time::Steady } if is(rate)), "{text}{saddle:?}");
        prop_assert!(matches!(centre.verdict, Verdict::Centre { frequency, time: Time::Steady } if is(frequency)), "{text}{centre:?}");
        are_invariant(&text, 2.0);
    }

    /// Baumgarte's equations φ̈ = −2αφ̇ − β²φ have constant coefficients along any motion.
    #[test]
    fn constant_coefficients_decay_at_the_rate_of_their_slowest_eigenvalue(
        alpha in 0.5..6.0f64, part in 0.2..1.8f64, p in -3.0..3.0f64,
    ) {
        let beta = alpha * part;
        let text = problems::PENDULUM.replace("p_y = -2", &format!("p_y = {p}"));
        let found = stability(&text, Formulation::Baumgarte { alpha, beta }, 5.0);
        let slowest = alpha - (alpha * alpha - beta * beta).max(0.0).sqrt();
        // Near a double eigenvalue half of the digits are lost.
        let within = 2e-3 * alpha + if (part - 1.0).abs() < 0.01 { 0.1 * alpha } else { 0.0 };
        prop_assert!(
            matches!(found.verdict, Verdict::Damped { rate, .. } if (rate - slowest).abs() < within),
            "{} {slowest} {}", found.verdict, alpha
        );
        let Verdict::Damped { rate, .. } = found.verdict else { return Err(TestCaseError::fail("not damped")) };
        prop_assert_eq!(rate, -found.exponent);
    }
}

/// The trace of Φ after a rotation of a gear in gravity, and the time of one: θ̈ = −ω² sin θ with θ̇ = v at θ = 0,
/// and φ̈ = σ b cos θ φ.
fn rotation(omega2: f64, v: f64, b: f64) -> (f64, f64) {
    let rate = |z: [f64; 6]| {
        let [theta, omega, p, q, r, s] = z;
        let k = b * theta.cos();
        [omega, -omega2 * theta.sin(), q, k * p, s, k * r]
    };
    let plus = |z: [f64; 6], k: [f64; 6], h: f64| -> [f64; 6] { std::array::from_fn(|i| z[i] + h * k[i]) };
    let step = |z: [f64; 6], h: f64| {
        let k1 = rate(z);
        let k2 = rate(plus(z, k1, h / 2.0));
        let k3 = rate(plus(z, k2, h / 2.0));
        let k4 = rate(plus(z, k3, h));
        std::array::from_fn(|i| z[i] + h / 6.0 * (k1[i] + 2.0 * k2[i] + 2.0 * k3[i] + k4[i]))
    };
    let mut z = [0.0, v, 1.0, 0.0, 0.0, 1.0];
    let (mut t, h) = (0.0, 1e-4);
    while step(z, h)[0] < std::f64::consts::TAU {
        z = step(z, h);
        t += h;
    }
    // The rest of the rotation, by Newton's method.
    let mut rest = 0.0;
    for _ in 0..5 {
        let end: [f64; 6] = step(z, rest);
        rest += (std::f64::consts::TAU - end[0]) / end[1];
    }
    let end: [f64; 6] = step(z, rest);
    (end[2] + end[5], t + rest)
}

proptest! {
    #![proptest_config(problems::cases(10))]

    /// Two gears, θ = kχ, of which the first has a weight: A is [[0, ±1], [b cos θ, 0]] with b = g/(1 + k²), as the
    /// constraint is linear, and the motion grows by 2π and 2π/k in a period.
    #[test]
    fn an_angle_that_grows_is_periodic(g in 0.5..6.0f64, k in 0.3..3.0f64, over in 1.02..2.5f64) {
        // θ̈ (1 + 1/k²) = −g sin θ; it turns over with θ̇² > 4ω² at the bottom.
        let omega2 = g / (1.0 + 1.0 / (k * k));
        let v = over * 2.0 * omega2.sqrt();
        let text = format!(
            "coord theta, chi\nhamiltonian (p_theta^2 + p_chi^2)/2 - {g}*cos(theta)\n\
             constraint gear: theta - {k}*chi = 0\ninitial p_theta = {v}, p_chi = {}\n", v / k
        );
        for (formulation, sign) in [(Formulation::Total, 1.0), (DIRAC, -1.0)] {
            let (trace, period) = rotation(omega2, v, sign * g / (1.0 + k * k));
            let found = stability(&text, formulation, 3.0);
            let time = match found.verdict {
                Verdict::Saddle { time, .. } | Verdict::Centre { time, .. } => Some(time),
                _ => None,
            };
            if trace.abs() > 2.01 {
                let rate = (0.5 * trace.abs()).acosh() / period;
                prop_assert!(
                    matches!(found.verdict, Verdict::Saddle { rate: r, .. } if (r - rate).abs() < 1e-3 * (1.0 + rate)),
                    "{}, {rate}: {text}", found.verdict
                );
            } else if trace.abs() < 1.99 {
                prop_assert_eq!(found.verdict.name(), "centre", "{}: {}", &found.verdict, text);
            }
            if (trace.abs() - 2.0).abs() > 0.01 {
                prop_assert!(
                    matches!(time, Some(Time::Period(t)) if (t - period).abs() < 1e-6 * period),
                    "{} {period}", found.verdict
                );
            }
        }
    }
}

#[test]
fn beside_something_that_turns_freely_a_pendulum_is_what_it_is() {
    let own = stability(problems::PENDULUM, Formulation::Total, 5.0);
    let text =
        problems::PENDULUM.replace("coord x, y", "coord x, y, theta").replace("p_y^2)/2", "p_y^2 + p_theta^2)/2");
    let text = text.replace("p_y = -2", "p_y = -2, p_theta = 0.7");
    let found = stability(&text, Formulation::Total, 5.0);
    assert!((found.exponent - own.exponent).abs() < 1e-4 * own.exponent, "{} {}", found.exponent, own.exponent);
    assert!((found.until - own.until).abs() < 1e-6 * own.until, "{} {}", found.until, own.until);
    // Not where the place matters: a hill that falls off.
    let text = text.replace("+ g*y", "+ g*y + exp(-theta)*y/2");
    let found = stability(&text, Formulation::Total, 5.0);
    assert!(!matches!(found.verdict, Verdict::Saddle { time: Time::Period(_), .. }), "{}", found.verdict);
}

#[test]
fn two_parallelograms_are_followed_through_the_position_in_which_they_are_singular() {
    // All bars lie on one line when θ = 0, where the constraints depend on each other.
    let text = "coord x1, y1, x2, y2, x3, y3\n\
        lagrangian (x1'^2 + y1'^2 + x2'^2 + y2'^2 + x3'^2 + y3'^2)/2 - y1 - y2 - y3\n\
        constraint c1: (x1^2 + y1^2 - 1)/2 = 0\nconstraint c2: ((x2 - 1)^2 + y2^2 - 1)/2 = 0\n\
        constraint c3: ((x3 - 2)^2 + y3^2 - 1)/2 = 0\n\
        constraint c4: ((x2 - x1)^2 + (y2 - y1)^2 - 1)/2 = 0\nconstraint c5: ((x3 - x2)^2 + (y3 - y2)^2 - 1)/2 = 0\n\
        initial y1 = 1, x2 = 1, y2 = 1, x3 = 2, y3 = 1, x1' = 1, x2' = 1, x3' = 1\n";
    assert_eq!(stability(text, Formulation::HamiltonDirac, 3.0).verdict, Verdict::Integrals { identical: false });
}
