//! A certificate that is asked to stop makes no further step.

use cotangent_compile::Engine;
use cotangent_dynamics::Failure;
use cotangent_integrate::Method;
use cotangent_lab::certificate::{Certificate, CertificateError, Options, Subject};
use cotangent_model::System;
use cotangent_problem::{Instance, Repairs};
use cotangent_scalar::{Dd, Interrupted, Limits};
use cotangent_theory::Formulation;

fn pendulum() -> Instance {
    let text = "coord x, y\nhamiltonian (p_x^2 + p_y^2)/2 + y\nconstraint rod: (x^2 + y^2 - 1)/2 = 0\ninitial x = 1\n";
    let system = System::parse(text).unwrap();
    Instance::new(&system, Formulation::Multipliers, &[], Repairs::default(), Engine::Tape).unwrap()
}

#[test]
fn no_step_is_made_after_a_stop() {
    let problem = pendulum();
    let prepared = problem.prepare(Method::Rattle).unwrap();
    let limits = Limits::default();
    let subject = Subject::new(&problem, &prepared).within(&limits);
    let start = subject.start::<Dd>().unwrap();
    assert!(subject.walk(&start, 0.01, 3).is_ok());
    limits.cancel.set();
    assert_eq!(subject.walk(&start, 0.01, 1).err(), Some(Failure::Interrupted));
    // Centuries of steps.
    let options = Options { step: 0.01, steps: u64::MAX };
    let stopped = Certificate::within(&problem, &prepared, options, &limits).err();
    assert_eq!(stopped, Some(CertificateError::Interrupted(Interrupted)));
}

#[test]
fn a_run_without_end_is_stopped_on_its_way() {
    let problem = pendulum();
    let prepared = problem.prepare(Method::Rattle).unwrap();
    let limits = Limits::default();
    let token = limits.cancel.clone();
    let asks = std::thread::spawn(move || {
        std::thread::sleep(std::time::Duration::from_millis(300));
        token.set();
    });
    let options = Options { step: 0.01, steps: u64::MAX };
    let stopped = Certificate::within(&problem, &prepared, options, &limits).err();
    assert_eq!(stopped, Some(CertificateError::Interrupted(Interrupted)));
    asks.join().unwrap();
}
