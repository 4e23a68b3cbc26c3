//! No certificate says "holds" of what does not, nor "does not hold" of what does: on systems where the theory of
//! the methods says what is true.

mod problems;

use cotangent_integrate::{Inner, Method};
use cotangent_lab::certificate::{Certificate, Finding, LargerSteps, Options, Property, Reason};
use cotangent_theory::Formulation;
use problems::{Case, PENDULUM, RELATIVISTIC, shipped};
use proptest::prelude::*;

fn certify(text: &str, formulation: Formulation, method: Method, step: f64, steps: u64) -> Option<Certificate> {
    let case = Case::new(text, formulation);
    let prepared = case.prepare(method, None).ok()?;
    Some(Certificate::new(&case.problem, &prepared, Options { step, steps }).unwrap())
}

fn free(text: &str, method: Method, step: f64, steps: u64) -> Certificate {
    certify(text, Formulation::Multipliers, method, step, steps).unwrap()
}

const SPRING: &str = "coord x\nhamiltonian p_x^2/2 + x^2/2\ninitial x = 1\n";

#[test]
fn a_small_step_does_not_make_a_method_symplectic() {
    // The defect of rk4 at 0.002 is 10⁻¹⁵ or so, and 10⁻¹⁹ at 0.0002: both far above the round-off of double-double.
    for step in [0.002, 0.0002] {
        let c = free(&shipped("kepler"), Method::Rk4, step, 500);
        assert_eq!((c.symplectic_defect.held, c.symmetry_defect.held), (Some(false), Some(false)), "{c:#?}");
        assert!(c.held());
    }
    // At 10⁻⁷ it is below any round-off, and a larger step shows it.
    let c = free(&shipped("kepler"), Method::Rk4, 1e-7, 500);
    for p in [&c.symplectic_defect, &c.symmetry_defect, &c.energy_defect] {
        assert_eq!(p.held, None, "{p:?}");
        assert!(matches!(p.reason, Some(Reason::DefectAbove { .. })), "{p:?}");
    }
}

#[test]
fn what_holds_on_a_model_only_is_incidental() {
    // On a quadratic energy the average vector field is the implicit midpoint rule.
    let c = free(SPRING, Method::AverageVectorField { stages: 3 }, 0.1, 2000);
    assert!(!c.symplectic_defect.claimed && c.symplectic_defect.held == Some(true), "{c:#?}");
    // Which keeps quadratic invariants, such as this energy.
    let c = free(SPRING, Method::ImplicitMidpoint, 0.1, 2000);
    assert!(!c.energy_defect.claimed && c.energy_defect.held == Some(true), "{c:#?}");
    let c = free(&shipped("henon-heiles"), Method::AverageVectorField { stages: 3 }, 0.01, 2000);
    assert_eq!(c.symplectic_defect.held, Some(false), "{c:#?}");
}

#[test]
fn boundedness_is_judged_where_the_step_is_stable() {
    for steps in [300, 20_000] {
        for step in [2.0, 2.001, 2.1, 3.0] {
            let c = free(SPRING, Method::StormerVerlet, step, steps);
            assert_ne!(c.energy_drift.held, Some(true), "{step}: {:?}", c.energy_drift);
            assert_ne!(c.certified(), Some(true));
        }
        for step in [0.01, 0.1, 0.5, 1.0] {
            let c = free(SPRING, Method::StormerVerlet, step, steps);
            assert_ne!(c.energy_drift.held, Some(false), "{step}: {:?}", c.energy_drift);
        }
    }
    let c = free(SPRING, Method::StormerVerlet, 0.5, 20_000);
    assert_eq!(c.certified(), Some(true), "{c:#?}");
    // A fast oscillation that is not excited grows from the smallest perturbation.
    let hidden = "coord x, y\nhamiltonian (p_x^2 + p_y^2)/2 + x^2/2 + 450*y^2\ninitial x = 1\n";
    let c = free(hidden, Method::StormerVerlet, 0.07, 4000);
    assert_eq!(c.energy_drift.held, None, "{:?}", c.energy_drift);
    assert!(matches!(c.energy_drift.reason, Some(Reason::Unstable { .. })), "{:?}", c.energy_drift);
    assert_eq!(free(hidden, Method::StormerVerlet, 0.05, 4000).energy_drift.held, Some(true));
}

#[test]
fn an_energy_that_is_zero_is_measured_by_what_is_exchanged() {
    // From rest, with the zero of the energy where it starts; a parabolic orbit.
    let rest = "coord x\nhamiltonian p_x^2/2 + x^2/2 - 1/2\ninitial x = 1\n";
    let parabola = "coord x, y\nhamiltonian (p_x^2 + p_y^2)/2 - 1/sqrt(x^2 + y^2)\ninitial x = 1, p_y = sqrt(2)\n";
    for (text, step, steps) in [(rest, 0.1, 4000), (parabola, 0.01, 4000)] {
        let c = free(text, Method::StormerVerlet, step, steps);
        let Finding::Measured(error) = c.energy_defect.found else { panic!("{c:#?}") };
        // O(h²) of the energy that is exchanged, at most.
        assert!(error < step * step, "{c:#?}");
        assert_ne!(c.energy_drift.held, Some(false), "{c:#?}");
    }
    let c = free(rest, Method::StormerVerlet, 0.1, 4000);
    assert_eq!(c.energy_drift.held, Some(true), "{c:#?}");
    assert_eq!(free(rest, Method::ImplicitMidpoint, 0.1, 4000).energy_defect.held, Some(true));
}

/// Squares of 1e-162 are zero, of 1e-160 numbers of four digits; the motion is that of any other size.
#[test]
fn an_energy_that_underflows_has_no_error() {
    for size in ["1e-155", "1e-160", "1e-162"] {
        let text = format!("coord x\nhamiltonian p_x^2/2 + x^2/2\ninitial x = {size}\n");
        for method in [Method::StormerVerlet, Method::Rk4] {
            let c = free(&text, method, 0.1, 1000);
            assert!(matches!(c.energy_defect.found, Finding::Undecided(Reason::Underflow { .. })), "{size} {method:?}");
            assert!(matches!(c.energy_drift.found, Finding::Undecided(Reason::Underflow { .. })), "{size} {method:?}");
            assert_eq!((c.energy_defect.held, c.energy_drift.held, c.order.held), (None, None, Some(true)));
        }
    }
    // At rest nothing is lost.
    let c = free("coord x\nhamiltonian p_x^2/2 + x^2/2\ninitial x = 0\n", Method::StormerVerlet, 0.1, 100);
    assert!(!matches!(c.energy_defect.found, Finding::Undecided(Reason::Underflow { .. })));
}

/// The averages of `average-vector-field` are sums over six Gauss points. In Kepler's problem of eccentricity 0.6 from its
/// perihelion a step of 0.3 changes the energy by 3.13e-5 of it with six points, by 4.0e-7 with eight and by 3.4e-11 with
/// twelve (computed by another program): that is the quadrature, and not the method.
#[test]
fn a_step_that_is_too_large_for_a_quadrature_does_not_contradict_what_it_keeps() {
    let average = Method::AverageVectorField { stages: 6 };
    let c = free(&shipped("kepler"), average, 0.3, 300);
    let Some(Reason::Quadrature { step, defect }) = &c.energy_defect.reason else { panic!("{:?}", c.energy_defect) };
    assert!(c.energy_defect.held.is_none() && *step < 0.3 && *defect <= f64::EPSILON);
    let Finding::Measured(error) = c.energy_defect.found else { panic!() };
    // In 300 steps by 3.35e-5 |H(0)|, in that program; here relative to the kinetic scale p·q̇ = 4.
    assert!((error / (3.35e-5 * 0.5 / 4.0) - 1.0).abs() < 0.01, "{error:e}");
    assert_eq!(free(&shipped("kepler"), average, 0.03, 300).energy_defect.held, Some(true));
    // With twelve points it is kept at larger steps.
    assert_eq!(
        free(&shipped("kepler"), Method::AverageVectorField { stages: 12 }, 0.1, 300).energy_defect.held,
        Some(true)
    );
}

/// The same at steps of which some show next to nothing at the place where they are looked at, and with an error that adds
/// up: sqrt(1 + p²) is no polynomial, and its period is 6.6.
#[test]
fn a_quadrature_is_told_from_the_method_at_any_step_and_no_drift_of_it() {
    let root = "coord x\nhamiltonian sqrt(1 + p_x^2) + x^2/2\ninitial x = 1\n";
    for stages in [4, 5, 6] {
        for step in [1.0, 1.3, 1.5, 1.7, 2.0, 2.3] {
            let c = free(root, Method::AverageVectorField { stages }, step, 1000);
            assert_ne!((c.energy_defect.held, c.energy_drift.held), (Some(false), Some(false)));
            assert!(c.held(), "{stages} points, step {step}: {:?} {:?}", c.energy_defect, c.energy_drift);
        }
    }
    // A step of 0.4 cannot be made from all of the places where it is tried. What the reason names shows that the energy is kept.
    for step in [0.3, 0.4, 0.5, 0.6] {
        let average = Method::AverageVectorField { stages: 4 };
        let c = free(RELATIVISTIC, average, step, 1000);
        let Some(Reason::Quadrature { step, .. }) = c.energy_defect.reason else { panic!("{:?}", c.energy_defect) };
        let there = free(RELATIVISTIC, average, step, 1000);
        assert_eq!(there.energy_defect.held, Some(true), "{step}: {:?} {:?}", there.energy_defect, there.ended);
    }
    // Two points are no quadrature to speak of, and nothing is claimed of them.
    assert_eq!(free(root, Method::AverageVectorField { stages: 2 }, 1.0, 1000).energy_defect.held, Some(false));
}

/// Three species, of which a large step makes negative numbers: the step back takes another solution of its equations.
#[test]
fn a_step_back_to_another_solution_does_not_contradict_symmetry() {
    let text = shipped("lotka-volterra-3");
    for step in [0.5, 0.6, 0.7, 0.8, 1.0, 1.2] {
        for method in [Method::Gauss { stages: 2 }, Method::Gauss { stages: 3 }, Method::ImplicitMidpoint] {
            let c = free(&text, method, step, 50);
            assert_ne!(c.symmetry_defect.held, Some(false), "{method:?} {step}: {:?}", c.symmetry_defect);
        }
    }
    let c = free(&text, Method::Gauss { stages: 2 }, 0.8, 50);
    assert!(matches!(c.symmetry_defect.reason, Some(Reason::OtherSolution { .. })), "{:?}", c.symmetry_defect);
    // What is not symmetric is seen as ever.
    assert_eq!(free(&text, Method::Rk4, 0.05, 50).symmetry_defect.held, Some(false));
}

#[test]
fn a_short_series_contradicts_nothing() {
    for steps in [20, 100, 300, 1000] {
        for (name, step) in [("double-pendulum", 0.01), ("chain", 0.01)] {
            let text = shipped(name);
            let c = certify(&text, Formulation::Multipliers, Method::Rattle, step, steps).unwrap();
            assert_ne!(c.energy_drift.held, Some(false), "{name}, {steps} steps: {:?}", c.energy_drift);
        }
    }
}

#[test]
fn a_run_that_failed_is_never_certified() {
    // The bob slows down near the top, where a step of 0.8 cannot be made.
    let text = PENDULUM.replace("p_y = -2", "p_y = 0");
    let c = certify(&text, Formulation::Multipliers, Method::Rattle, 0.8, 2000).unwrap();
    assert!(c.ended.is_some(), "{c:#?}");
    assert_ne!(c.certified(), Some(true));
    assert_eq!((c.energy_drift.held, c.constraint_defect.held), (None, None));
    // Nor one that could not make its first step.
    let c = certify(PENDULUM, Formulation::Multipliers, Method::Rattle, 3.0, 2000).unwrap();
    assert!(c.ended.as_ref().is_some_and(|e| e.steps == 0));
    assert_eq!((c.certified(), c.symplectic_defect.held, c.order.held), (None, None, None), "{c:#?}");
}

#[test]
fn a_step_that_is_too_large_does_not_contradict_an_order() {
    for step in [0.2, 0.5] {
        let c = free(&shipped("kepler"), Method::Gauss { stages: 3 }, step, 200);
        assert_ne!(c.order.held, Some(false), "{step}: {:?}", c.order);
    }
    // Errors of 10⁻⁴⁰ have no order; larger steps show it.
    let c = free(&shipped("kepler"), Method::Gauss { stages: 6 }, 1e-4, 200);
    assert_eq!(c.order.held, None);
    assert!(matches!(&c.order.found, Finding::Undecided(Reason::OrderAbove(_))), "{:?}", c.order);
}

/// 1 − cos q at q = 10⁻³ is known to ε/(q²/2) = 2e-10 and no better; two springs against each other of an energy 10⁸ times
/// theirs; heights of 10⁻⁷ as differences from 10⁶. In 40 digits the average vector field keeps the first to 2.3e-35.
#[test]
fn terms_that_cancel_in_an_energy_are_no_error_of_the_method() {
    let small = "coord q\nhamiltonian p_q^2/2 - cos(q) + 1\ninitial q = 1e-3\n";
    let springs = "param k = 1e4\ncoord q\nhamiltonian p_q^2/2 + k*(q - 1)^2/2 + k*(q + 1)^2/2 - k + q^4\n\
        initial q = 1e-4\n";
    let far = "param g = 9.81, y0 = 1e6, a = 1e-3\ncoord x, y\nhamiltonian (p_x^2 + p_y^2)/2 + g*(y - y0)\n\
        constraint rod: (x^2 + (y - y0 - 1)^2 - 1)/2 = 0\ninitial x = a, y = y0 + 1 - sqrt(1 - a^2)\n";
    let average = Method::AverageVectorField { stages: 6 };
    for (text, step) in [(small, 0.1), (springs, 0.001), (far, 0.01)] {
        let c = free(text, average, step, 5000);
        assert_ne!(c.energy_defect.held, Some(false), "{text}: {:?}", c.energy_defect);
        assert_ne!(c.energy_drift.held, Some(false), "{text}: {:?}", c.energy_drift);
    }
    let c = free(small, average, 0.1, 5000);
    let Finding::Measured(seen) = c.energy_defect.found else { panic!() };
    assert!(seen > 1e-11, "{seen:e}: what is seen is rounding");
    assert_eq!((c.energy_defect.held, c.energy_drift.held), (Some(true), Some(true)), "{c:#?}");
    // What is an error is seen as ever: rk4 loses (h⁶/72)/h of the energy in a unit of time.
    let c = free(small, Method::Rk4, 0.1, 5000);
    assert_eq!((c.energy_defect.held, c.energy_drift.held), (Some(false), Some(false)), "{c:#?}");
}

/// A velocity of 10⁻⁵ is known to ε h F, where the impulses h F = 0.1 of the weight and of the rod cancel.
#[test]
fn what_is_left_of_forces_that_cancel_is_no_velocity_off_the_constraints() {
    let slow = "param g = 9.81, v = 1e-5\ncoord x, y\nhamiltonian (p_x^2 + p_y^2)/2 + g*y\n\
        constraint rod: (x^2 + y^2 - 1)/2 = 0\ninitial y = -1, p_x = v\n";
    let methods = [
        Method::Rattle,
        Method::Lobatto3A3B { stages: 3 },
        Method::Reich { inner: Inner::ImplicitMidpoint },
        Method::AverageVectorField { stages: 6 },
    ];
    for method in methods {
        let c = free(slow, method, 0.01, 2000);
        assert_eq!(c.hidden_constraint_defect.held, Some(true), "{method:?}: {:?}", c.hidden_constraint_defect);
    }
    // What leaves the constraints is seen as ever.
    let c = certify(PENDULUM, Formulation::Standard, Method::Rk4, 0.01, 2000).unwrap();
    assert_eq!((c.constraint_defect.held, c.hidden_constraint_defect.held), (Some(false), Some(false)), "{c:#?}");
}

/// x turns 10 times a unit of time, while x + z = 0.3.
#[test]
fn a_casimir_is_measured_by_terms_as_they_are_on_the_way() {
    let text = "variables x, y, z\nbracket {x, y} = 1, {y, z} = 1\nhamiltonian y^2/2 + cos(x)\ncasimir c = x + z\n\
        initial x = 0, y = 10, z = 0.3\n";
    let c = free(text, Method::Gauss { stages: 2 }, 0.1, 20_000);
    assert_eq!(c.casimir_defect.held, Some(true), "{:?}", c.casimir_defect);
    // A run that leaves for 10¹⁴⁸ says nothing of a Casimir that each step keeps.
    let runs_off = "variables x, y, z\nbracket {x, y} = 2, {y, z} = 1\nhamiltonian x^2/2 + y^4/4 + z^2/2 + x*z/4\n\
        casimir c = x + 2*z\ninitial x = 1, y = 0.4, z = 0.3\n";
    let c = free(runs_off, Method::SplittingStrang, 0.5, 2000);
    assert!(c.ended.is_some() && c.casimir_defect.claimed);
    assert_eq!(c.casimir_defect.held, None, "{:?}", c.casimir_defect);
    // x² + y² + z² of a free rigid body is quadratic, and rk4 keeps no such thing.
    assert_eq!(free(&shipped("rigid-body"), Method::Rk4, 0.05, 2000).casimir_defect.held, Some(false));
}

/// At 0.05 the penalty's frequency is far above 1/h, and rk4 multiplies vectors; at 0.02 its defect is 3.1e-7.
#[test]
fn a_step_that_explodes_shows_no_symplecticity() {
    let text = PENDULUM.replace("p_y = -2", "p_y = -0.4");
    for step in [0.02, 0.05, 0.1, 0.3] {
        for epsilon in [1e-2, 1e-3, 1e-4] {
            let c = certify(&text, Formulation::Penalty { epsilon }, Method::Rk4, step, 300).unwrap();
            assert_ne!(c.symplectic_defect.held, Some(true), "{step} {epsilon}: {:?}", c.symplectic_defect);
            assert_ne!(c.symmetry_defect.held, Some(true), "{step} {epsilon}: {:?}", c.symmetry_defect);
        }
    }
}

/// Of a spring of frequency 100 the order of `radau-2a` is 5 where the step resolves it, and 3 or nothing above.
#[test]
fn an_order_is_contradicted_by_what_is_certain_and_resolved_alone() {
    for (k, steps) in [("1e4", &[0.001, 0.1, 0.5, 1.0, 2.0][..]), ("1e6", &[1.0])] {
        let text = format!(
            "param k = {k}\ncoord x, y\nhamiltonian (p_x^2 + p_y^2)/2 + k*(sqrt(x^2 + y^2) - 1)^2/2 + y\n\
             initial x = 1, p_y = 0.3\n"
        );
        for &step in steps {
            let c = free(&text, Method::Radau2A { stages: 3 }, step, 20);
            assert_ne!(c.order.held, Some(false), "{k} {step}: {:?}", c.order);
        }
    }
}

/// On the top and at the bottom, with a coordinate and with a rod.
#[test]
fn where_nothing_moves_nothing_is_shown_to_be_kept_or_not() {
    let rest = |reason: &Option<Reason>| reason == &Some(Reason::RoundOff(LargerSteps::AtRest));
    for sign in ["", "-"] {
        let text = format!("coord q\nhamiltonian p_q^2/2 + {sign}cos(q)\ninitial q = 0\n");
        for method in [Method::Rk4, Method::ImplicitMidpoint, Method::StormerVerlet] {
            let c = free(&text, method, 0.05, 1000);
            for p in [&c.symmetry_defect, &c.energy_defect] {
                assert!(p.held.is_none() && rest(&p.reason), "{method:?}: {p:?}");
            }
            assert!(c.energy_drift.held.is_none() && rest(&c.energy_drift.reason), "{:?}", c.energy_drift);
            // The linear part moves: q̈ = ±q is kept symplectic, or is not.
            let symplectic = method.card().symplectic;
            assert_eq!(c.symplectic_defect.held, Some(symplectic), "{method:?}: {:?}", c.symplectic_defect);
        }
        let text = format!(
            "coord x, y\nhamiltonian (p_x^2 + p_y^2)/2 + y\nconstraint rod: (x^2 + y^2 - 1)/2 = 0\ninitial y = {sign}1\n"
        );
        for method in [Method::Rattle, Method::Lobatto3A3B { stages: 3 }, Method::AverageVectorField { stages: 6 }] {
            let c = free(&text, method, 0.05, 1000);
            let rows = [&c.symmetry_defect, &c.constraint_defect, &c.hidden_constraint_defect, &c.energy_defect];
            for p in rows {
                assert!(p.held.is_none() && rest(&p.reason), "{method:?}: {p:?}");
            }
        }
    }
    // A slider-crank at its dead centre.
    let slider = "coord x, y, s\nhamiltonian (p_x^2 + p_y^2)/2 + p_s^2/2 + y\nconstraint crank: (x^2 + y^2 - 1)/2 = 0\n\
        constraint rod: ((s - x)^2 + y^2 - 4)/2 = 0\ninitial x = 0, y = 1, s = sqrt(3)\n";
    let c = free(slider, Method::Rattle, 0.02, 1000);
    assert_ne!(c.hidden_constraint_defect.held, Some(false), "{:?}", c.hidden_constraint_defect);
    assert_ne!(c.symmetry_defect.held, Some(false), "{:?}", c.symmetry_defect);
}

/// What is true of a method on a system with one degree of freedom.
struct Truth {
    symplectic: bool,
    symmetric: bool,
    /// Whether the energy is kept.
    energy: bool,
    /// Whether the step is stable, or that is not known.
    stable: Option<bool>,
}

fn linear(method: Method, frequency: f64) -> Truth {
    let card = method.card();
    // R(z) = P(z)/P(−z) on the diagonal: both |R(iy)| = 1 and det = 1.
    let averages = matches!(method, Method::AverageVectorField { .. });
    let diagonal = averages || matches!(method, Method::ImplicitMidpoint | Method::Gauss { .. });
    let stable = match method {
        Method::StormerVerlet | Method::Rattle | Method::Shake | Method::SymplecticEuler => Some(frequency < 2.0),
        _ if diagonal => Some(true),
        // Symplectic, and stable for small steps.
        _ if card.symplectic => {
            if frequency < 1.0 {
                Some(true)
            } else {
                None
            }
        }
        _ => Some(false),
    };
    Truth { symplectic: card.symplectic || averages, symmetric: card.symmetric, energy: diagonal, stable }
}

/// Verdicts may be open, and never false.
fn check(c: &Certificate, truth: &Truth) -> Result<(), TestCaseError> {
    let right = |p: &Property<f64>, truth: bool| p.held.is_none_or(|held| held == truth);
    prop_assert_ne!(c.order.held, Some(false), "{:?}", c.order);
    prop_assert!(right(&c.symplectic_defect, truth.symplectic), "{:?}", c.symplectic_defect);
    prop_assert!(right(&c.symmetry_defect, truth.symmetric), "{:?}", c.symmetry_defect);
    prop_assert!(right(&c.energy_defect, truth.energy), "{:?}", c.energy_defect);
    let bounded = if truth.symplectic || truth.energy { truth.stable } else { Some(false) };
    if let (Some(held), Some(bounded)) = (c.energy_drift.held, bounded) {
        prop_assert_eq!(held, bounded, "{:?}", c.energy_drift);
    }
    Ok(())
}

fn method() -> impl Strategy<Value = Method> {
    let all: Vec<Method> = Method::ALL.into_iter().chain([Method::Gauss { stages: 3 }]).collect();
    proptest::sample::select(all)
}

proptest! {
    #![proptest_config(problems::cases(40))]

    #[test]
    fn verdicts_on_random_springs_are_right(
        method in method(), m in -3.0..3.0f64, k in -3.0..3.0f64, angle in -3.1..3.1f64, power in -3.2..0.6f64,
        offset in prop_oneof![Just(0.0), -2.0..2.0f64], steps in 100u64..4000,
    ) {
        let (m, k) = (10f64.powf(m), 10f64.powf(k));
        let omega = (k / m).sqrt();
        let step = 10f64.powf(power) / omega;
        let (x, p) = (angle.cos(), angle.sin() * (k * m).sqrt());
        let text = format!(
            "coord x\nhamiltonian p_x^2/(2*{m:e}) + {k:e}*x^2/2 + {:e}\ninitial x = {x:e}, p_x = {p:e}\n", offset * k
        );
        if let Some(c) = certify(&text, Formulation::Multipliers, method, step, steps) {
            let truth = linear(method, omega * step);
            check(&c, &truth)?;
            // What can be decided is.
            if (0.01..0.5).contains(&(omega * step)) && method.card().order <= 6 {
                prop_assert!(c.symplectic_defect.held.is_some(), "{:?}", c.symplectic_defect);
                prop_assert!(c.symmetry_defect.held.is_some(), "{:?}", c.symmetry_defect);
            }
        }
    }

    #[test]
    fn verdicts_on_random_wells_are_right(
        method in method(), well in any::<bool>(), a in 0.3..3.0f64, b in 0.3..3.0f64, x in 0.2..2.0f64, p in -1.0..1.0f64,
        power in -3.2..-0.4f64, steps in 100u64..4000,
    ) {
        let text = match well {
            true => format!("coord x\nhamiltonian p_x^2/2 - {a}*x^2/2 + {b}*x^4/4\ninitial x = {x}, p_x = {p}\n"),
            false => format!("coord x\nhamiltonian p_x^2/(2*{a}) - {b}*cos(x)\ninitial x = {x}, p_x = {p}\n"),
        };
        let fastest = if well { (a + 3.0 * b * (x * x + 2.0 * a / b + p.abs())).sqrt() } else { (b / a).sqrt() };
        let step = 10f64.powf(power) / fastest;
        if let Some(c) = certify(&text, Formulation::Multipliers, method, step, steps) {
            let card = method.card();
            check(&c, &Truth {
                symplectic: card.symplectic, symmetric: card.symmetric, energy: card.energy, stable: Some(true),
            })?;
        }
    }

    #[test]
    fn verdicts_on_random_rods_are_right(
        method in method(), which in 0..3usize, units in [-4.0..4.0f64, -4.0..4.0, -4.0..4.0], angle in -3.0..3.0f64,
        speed in -1.5..1.5f64, power in -3.2..-0.9f64, steps in 100u64..2000,
    ) {
        let formulation = [Formulation::Multipliers, Formulation::Standard, Formulation::HamiltonDirac][which];
        let [l, m, g] = units.map(|u| 10f64.powf(u));
        let pace = (g / l).sqrt();
        let (x, y, v) = (l * angle.sin(), -l * angle.cos(), speed * l * pace);
        let (p_x, p_y) = (m * v * angle.cos(), m * v * angle.sin());
        let text = format!(
            "coord x, y\nhamiltonian (p_x^2 + p_y^2)/(2*{m:e}) + {m:e}*{g:e}*y\nconstraint rod: (x^2 + y^2 - {l:e}^2)/2 = 0\n\
             initial x = {x:e}, y = {y:e}, p_x = {p_x:e}, p_y = {p_y:e}\n"
        );
        let case = Case::new(&text, formulation);
        // So large a step is the motion's at most a quarter radian.
        let step = 10f64.powf(power) / (pace * (1.0 + speed * speed + 2.0).sqrt());
        if let Ok(prepared) = case.prepare(method, None) {
            let c = Certificate::new(&case.problem, &prepared, Options { step, steps }).unwrap();
            let claims = prepared.claims(case.problem.equations.motion.is_canonical());
            // The energy, the constraint and its rate are quadratic, as is what the standard equations keep: the rate.
            let quadratic = matches!(method, Method::ImplicitMidpoint | Method::Gauss { .. });
            let dirac = quadratic && formulation == Formulation::HamiltonDirac;
            let right = |p: &Property<f64>, truth: bool| p.held.is_none_or(|held| held == truth);
            prop_assert_ne!(c.order.held, Some(false), "{:?}", c.order);
            prop_assert!(right(&c.symplectic_defect, claims.symplectic), "{:?}", c.symplectic_defect);
            prop_assert!(right(&c.symmetry_defect, claims.symmetric), "{:?}", c.symmetry_defect);
            prop_assert!(right(&c.constraint_defect, claims.constraints || dirac), "{:?}", c.constraint_defect);
            let hidden = claims.hidden_constraints || dirac || (quadratic && formulation == Formulation::Standard);
            prop_assert!(right(&c.hidden_constraint_defect, hidden), "{:?}", c.hidden_constraint_defect);
            prop_assert!(right(&c.energy_defect, claims.energy || dirac), "{:?}", c.energy_defect);
            let bounded = claims.symplectic || claims.energy || dirac;
            prop_assert!(c.energy_drift.held.is_none_or(|held| held == bounded), "{:?}", c.energy_drift);
        }
    }
}
