//! Certificates on systems from text: what holds holds, and what does not is found out.

mod problems;

use cotangent_dynamics::{Failure, Value};
use cotangent_integrate::{Method, Projection, Target};
use cotangent_lab::certificate::{Certificate, Finding, Options, Reason};
use cotangent_theory::Formulation;
use problems::{Case, PENDULUM};

fn certify(case: &Case, method: Method, projection: Option<Projection>, step: f64) -> Certificate {
    let prepared = case.prepared(method, projection);
    Certificate::new(&case.problem, &prepared, Options { step, steps: 4000 }).unwrap()
}

fn measured(finding: &Finding<f64>) -> f64 {
    match finding {
        Finding::Measured(value) => *value,
        other => panic!("{other:?}"),
    }
}

#[test]
fn rattle_holds_what_it_claims_on_the_pendulum() {
    let case = Case::new(PENDULUM, Formulation::Multipliers);
    let c = certify(&case, Method::Rattle, None, 0.1);
    assert!(c.held());
    assert!(measured(&c.symplectic_defect.found) < 1e-13);
    assert!(measured(&c.symmetry_defect.found) < 1e-14);
    assert!(measured(&c.constraint_defect.found) < 1e-15);
}

#[test]
fn the_certificate_can_fail() {
    let case = Case::new(PENDULUM, Formulation::Standard);
    let c = certify(&case, Method::Rk4, None, 0.1);
    assert!(measured(&c.symplectic_defect.found) > 1e-6);
    assert!(measured(&c.symmetry_defect.found) > 1e-6);
    assert!(measured(&c.constraint_defect.found) > 1e-3);
    assert!(c.held(), "rk4 claims none of this");
    // At so large a step the run ends early; at a smaller one the drift is seen.
    let drift = certify(&case, Method::Rk4, None, 0.02).energy_drift;
    assert_eq!(drift.held, Some(false), "{drift:?}");
    // If it did, the certificate would say so.
    let mut claimed = c.clone();
    claimed.symplectic_defect.claimed = true;
    assert!(!claimed.held());
    claimed = c.clone();
    claimed.energy_drift = drift;
    claimed.energy_drift.claimed = true;
    assert!(!claimed.held());
    claimed = c.clone();
    claimed.order.held = Some(false);
    assert!(!claimed.held());
    claimed = c;
    claimed.constraint_defect.claimed = true;
    claimed.constraint_defect.held = None;
    assert!(claimed.held());
    assert_eq!(claimed.undecided(), ["constraints"]);
}

/// A pendulum of 10⁻¹⁰ m and 10⁻²⁶ kg that turns in 10⁻¹⁵ s.
const SMALL: &str = "param L = 1e-10, m = 1e-26, g = 1e20\ncoord x, y\n\
    hamiltonian (p_x^2 + p_y^2)/(2*m) + m*g*y\nconstraint rod: (x^2 + y^2 - L^2)/2 = 0\n\
    initial x = L, p_y = -2*m*sqrt(g*L)\n";

#[test]
fn verdicts_do_not_depend_on_units() {
    let (one, small) = (Case::new(PENDULUM, Formulation::Standard), Case::new(SMALL, Formulation::Standard));
    let defects = [(&one, 0.1), (&small, 1e-16)].map(|(case, step)| {
        let c = certify(case, Method::Rk4, None, step);
        [measured(&c.symplectic_defect.found), measured(&c.symmetry_defect.found)]
    });
    for (a, b) in defects[0].iter().zip(defects[1]) {
        assert!((a / b - 1.0).abs() < 0.5 && b > 1e-6, "{defects:?}");
    }
    let c = certify(&Case::new(SMALL, Formulation::Multipliers), Method::Rattle, None, 1e-16);
    assert!(c.held() && c.undecided().is_empty(), "{c:#?}");
}

#[test]
fn symmetric_projection_is_symmetric_and_keeps_the_constraints() {
    let case = Case::new(PENDULUM, Formulation::Standard);
    let projection = Some(Projection { target: Target::Symmetric, above: None });
    let c = certify(&case, Method::ImplicitMidpoint, projection, 0.1);
    assert!(measured(&c.symmetry_defect.found) < 1e-13);
    assert!(measured(&c.constraint_defect.found) < 1e-14);
}

/// Where c < 0 the bracket of r and s has no value. Nothing depends on them, so that all steps can be made.
#[test]
fn where_a_bracket_has_no_value_no_step_is_a_poisson_map() {
    let text = "variables q, p, r, s, c\nbracket {q, p} = 1, {r, s} = sqrt(c)\nhamiltonian p^2/2 - cos(q)\n\
        split A = p^2/2, B = -cos(q)\ninitial q = 1, p = 0.5, c = -1\n";
    let found =
        |text: &str, method| certify(&Case::new(text, Formulation::Multipliers), method, None, 0.1).poisson_defect;
    for method in [Method::SplittingStrang, Method::Rk4] {
        let found = found(text, method);
        assert_eq!(found.claimed, method == Method::SplittingStrang);
        let reason = Reason::Value(Failure::NotFinite(Value::Residual));
        assert!(matches!(&found.found, Finding::Undecided(why) if *why == reason), "{method:?} {found:?}");
        assert_eq!(found.held, None, "{method:?}");
    }
    let regular = text.replace("c = -1", "c = 1");
    assert_eq!(found(&regular, Method::SplittingStrang).held, Some(true));
    assert_eq!(found(&regular, Method::Rk4).held, Some(false));
}

/// The midpoint rule on a rod that swings by half a radian: its coordinate is the same all along, and in that the rule is symmetric.
#[test]
fn what_holds_in_the_one_chart_of_a_run_is_not_said_to_hold_in_several() {
    let text = "coord x, y\nhamiltonian (p_x^2 + p_y^2)/2 + y\nconstraint rod: (x^2 + y^2 - 1)/2 = 0\n\
        initial x = sin(0.5), y = -cos(0.5)\n";
    let case = Case::new(text, Formulation::LocalChart { threshold: 1.0 });
    let found = certify(&case, Method::ImplicitMidpoint, None, 0.01).symmetry_defect;
    assert!(!found.claimed && measured(&found.found) < 1e-26, "{found:?}");
    assert_eq!((found.held, found.reason), (None, Some(Reason::OneChart)));
}

/// An oscillator and a clock z, which stops where 1 − z < 0; beside y = 0 the root has no value. So there is one motion, and that
/// ends: on it the average vector field is the midpoint rule, which is symplectic.
#[test]
fn what_holds_from_a_start_beside_which_there_is_nothing_is_not_said_to_hold() {
    let text = "coord x, y, z\nhamiltonian (p_x^2 + p_y^2 + p_z^2 + x^2)/2 - sqrt(1 - 1e8*y^2)/1e8 + y^4*sqrt(1 - z)\n\
        initial x = 1, p_z = 0.01\n";
    let case = Case::new(text, Formulation::Multipliers);
    let found = certify(&case, Method::AverageVectorField { stages: 3 }, None, 0.1);
    assert!(found.ended.is_some(), "{:?}", found.ended);
    let symplectic = found.symplectic_defect;
    assert!(!symplectic.claimed && measured(&symplectic.found) < 1e-26, "{symplectic:?}");
    assert_eq!((symplectic.held, symplectic.reason), (None, Some(Reason::NowhereElse)));
}

/// H = p²/2 − x²/2 = −(p + x)(p − x)/2, and a step of rk4 multiplies p + x by R(h) and p − x by R(−h): H changes by the part
/// R(h) R(−h) − 1 = h⁶/72 + h⁸/576 of itself, while its terms grow like e²ᵗ.
#[test]
fn the_energy_of_a_motion_that_grows_is_not_kept_because_its_terms_are_large_later() {
    let text = "coord x\nhamiltonian p_x^2/2 - x^2/2\ninitial x = 1, p_x = 0.3\n";
    let case = Case::new(text, Formulation::Multipliers);
    let found = |method, steps| {
        let prepared = case.prepared(method, None);
        let found = Certificate::new(&case.problem, &prepared, Options { step: 0.1, steps }).unwrap();
        (found.energy_defect, found.energy_drift)
    };
    for method in [Method::Rk4, Method::Dopri5 { tolerance: None }, Method::Radau2A { stages: 2 }] {
        let (short, _) = found(method, 30);
        assert_eq!((short.claimed, short.held), (false, Some(false)), "{method:?} {short:?}");
        let (long, drift) = found(method, 300);
        assert!(measured(&long.found) < 1e-12, "{method:?} {long:?}");
        assert_eq!((long.held, &long.reason), (None, &Some(Reason::InSteps)), "{method:?}");
        assert_ne!(drift.held, Some(true), "{method:?} {drift:?}");
    }
    // Gauss's methods keep quadratic energies.
    let (kept, _) = found(Method::ImplicitMidpoint, 300);
    assert_eq!(kept.held, Some(true), "{kept:?}");
}
