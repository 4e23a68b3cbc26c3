//! Certificates on systems from text: what holds holds, and what does not is found out.

mod problems;

use cotangent_integrate::{Method, Projection, Target};
use cotangent_lab::certificate::{Certificate, Finding, Options};
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
}

#[test]
fn symmetric_projection_is_symmetric_and_keeps_the_constraints() {
    let case = Case::new(PENDULUM, Formulation::Standard);
    let projection = Some(Projection { target: Target::Symmetric, above: None });
    let c = certify(&case, Method::ImplicitMidpoint, projection, 0.1);
    assert!(measured(&c.symmetry_defect.found) < 1e-13);
    assert!(measured(&c.constraint_defect.found) < 1e-14);
}
