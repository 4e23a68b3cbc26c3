//! Systems written in Rust are run, measured and certified like models, without a symbol.

use cotangent_dynamics::{AnySystem, Canonical, Dynamics, Failure, Family, Field, Mechanics};
use cotangent_integrate::{Handwritten, Method, Refusal};
use cotangent_lab::Pendulum;
use cotangent_lab::certificate::{Certificate, Finding, Options};
use cotangent_observe::{End, Run, Schedule};
use cotangent_scalar::{Limits, Scalar};
use cotangent_solve::Pattern;

/// The pendulum in Cartesian coordinates: unit mass, length and gravity.
#[derive(Debug)]
struct Rod;

impl Mechanics for Rod {
    fn coordinates(&self) -> usize {
        2
    }

    fn hamiltonian<S: Scalar>(&self, q: &[S], p: &[S]) -> S {
        (p[0] * p[0] + p[1] * p[1]) / S::from_f64(2.0) + q[1]
    }

    fn constraint_count(&self) -> usize {
        1
    }

    fn constraints<S: Scalar>(&self, q: &[S], out: &mut [S]) {
        out[0] = (q[0] * q[0] + q[1] * q[1] - S::from_f64(1.0)) / S::from_f64(2.0);
    }
}

fn rod() -> Handwritten<Rod> {
    Handwritten::new(Rod, vec![1.0, 0.0, 0.0, -2.0]).unwrap()
}

#[test]
fn a_run_with_constraints_converges_to_the_closed_form() {
    let system = rod();
    let prepared = system.prepare(Method::Rattle).unwrap();
    let exact = Pendulum::new(1.0, [1.0, 0.0], [0.0, -2.0]).unwrap().at(5.0).position;
    let error = |steps: u64| {
        let schedule = Schedule::count(5.0 / steps as f64, steps, 1).unwrap();
        let (integrator, quantities) = (system.integrator(&prepared).unwrap(), system.quantities().unwrap());
        let mut run = Run::new(integrator, quantities, schedule, system.start().to_vec()).unwrap();
        assert!(matches!(run.go(&Limits::default(), &mut []).unwrap(), End::Finished));
        assert!(run.constraints()[0].max_abs < 1e-15 && run.hidden_constraints()[0].max_abs < 1e-14);
        assert!(run.energy().initial == 2.0 && run.energy().max_deviation < 500.0 / (steps as f64).powi(2));
        let [x, y, ..] = run.state().values[..] else { panic!("two coordinates") };
        (x - exact[0]).hypot(y - exact[1])
    };
    let (coarse, fine) = (error(1000), error(2000));
    assert!(fine < 1e-4, "{fine:e}");
    assert!((coarse / fine - 4.0).abs() < 0.1, "{}", coarse / fine);
}

#[test]
fn what_a_card_claims_is_certified_and_what_it_does_not_is_seen() {
    let system = rod();
    let options = Options { step: 0.02, steps: 4000 };
    let certified = |method: Method| Certificate::new(&system, &system.prepare(method).unwrap(), options).unwrap();
    let rattle = certified(Method::Rattle);
    assert_eq!(rattle.certified(), Some(true), "{rattle:#?}");
    let Finding::Measured(order) = &rattle.order.found else { panic!("{:?}", rattle.order) };
    assert!((order.value - 2.0).abs() < 0.05, "{order:?}");
    assert!(rattle.energy_drift.held == Some(true) && rattle.symplectic_defect.held == Some(true));
    let lobatto = certified(Method::Lobatto3A3B { stages: 3 });
    assert_eq!(lobatto.certified(), Some(true), "{lobatto:#?}");
    // BDF keeps the constraints and is not symplectic.
    let bdf = certified(Method::Bdf2);
    assert_eq!((bdf.symplectic_defect.claimed, bdf.symplectic_defect.held), (false, Some(false)));
    assert_eq!(bdf.constraint_defect.held, Some(true));
}

#[test]
fn a_start_off_the_constraints_and_a_method_that_ignores_them_are_refused() {
    let off = |start: [f64; 4]| Handwritten::new(Rod, start.to_vec()).unwrap_err();
    assert!(matches!(off([1.1, 0.0, 0.0, 0.0]), Failure::Unsatisfied { .. }));
    assert!(matches!(off([1.0, 0.0, 0.5, 0.0]), Failure::Unsatisfied { .. }));
    // Data with nine digits hold, and are polished.
    let polished = Handwritten::new(Rod, vec![0.6, -0.8000000001, 0.0, 0.0]).unwrap();
    let [x, y, ..] = polished.start()[..] else { panic!("two coordinates") };
    assert!((x * x + y * y - 1.0).abs() < 1e-15);
    assert!(matches!(rod().prepare(Method::StormerVerlet), Err(Refusal::IgnoresConstraints { .. })));
}

/// A symmetric top that moves freely: Euler's equations with I = (2, 2, 1), as a vector field of its own.
struct Top;

impl AnySystem for Top {
    fn view<'s, S: Scalar + 's>(&'s self) -> Box<dyn Dynamics<'s, S> + 's> {
        Box::new(Top)
    }

    fn energy<S: Scalar>(&self, w: &[S]) -> S {
        let two = S::from_f64(2.0);
        w[0] * w[0] + w[1] * w[1] + w[2] * w[2] / two
    }

    fn is_canonical(&self) -> bool {
        false
    }

    fn names(&self) -> Vec<Family> {
        vec![Family::indexed("w", [(1, 3)])]
    }
}

impl<'s, S: Scalar + 's> Dynamics<'s, S> for Top {
    fn canonical(&self) -> Result<Option<Box<dyn Canonical<S> + 's>>, Failure> {
        Ok(None)
    }

    fn field(&self) -> Result<Option<Box<dyn Field<S> + 's>>, Failure> {
        Ok(Some(Box::new(Top)))
    }

    fn manifold(&self) -> Result<Option<Box<dyn Canonical<S> + 's>>, Failure> {
        Ok(None)
    }
}

impl<S: Scalar> Field<S> for Top {
    fn dimension(&self) -> usize {
        3
    }

    fn jacobian_pattern(&mut self) -> Result<Pattern, Failure> {
        Pattern::dense(3, 3).map_err(Failure::of)
    }

    fn rate(&mut self, w: &[S], out: &mut [S]) -> Result<(), Failure> {
        let half = S::from_f64(0.5);
        out.copy_from_slice(&[half * w[1] * w[2], -(half * w[0] * w[2]), S::from_f64(0.0)]);
        Ok(())
    }

    fn jacobian(&mut self, w: &[S], out: &mut [S]) -> Result<(), Failure> {
        let (half, zero) = (S::from_f64(0.5), S::from_f64(0.0));
        let [a, b, c] = [0, 1, 2].map(|k| half * w[k]);
        out.copy_from_slice(&[zero, c, b, -c, zero, -a, zero, zero, zero]);
        Ok(())
    }
}

#[test]
fn a_vector_field_given_once_is_run_and_certified_in_every_arithmetic() {
    let system = Handwritten::new(Top, vec![1.0, 0.5, 2.0]).unwrap();
    let gauss = system.prepare(Method::Gauss { stages: 2 }).unwrap();
    let schedule = Schedule::until(0.05, 10.0, 10).unwrap();
    let (integrator, quantities) = (system.integrator(&gauss).unwrap(), system.quantities().unwrap());
    let mut run = Run::new(integrator, quantities, schedule, system.start().to_vec()).unwrap();
    run.go(&Limits::default(), &mut []).unwrap();
    // (w₁, w₂) turns by −w₃/2 per time, and w₃ stays.
    let (sin, cos) = (10.0f64).sin_cos();
    let exact = [cos + 0.5 * sin, 0.5 * cos - sin, 2.0];
    let error = run.state().values.iter().zip(exact).fold(0.0f64, |m, (a, b)| m.max((a - b).abs()));
    assert!(error < 1e-7, "{error:e}");
    // A quadratic invariant, which Gauss methods keep.
    assert!(run.energy().max_deviation < 1e-14);
    let certificate = Certificate::new(&system, &gauss, Options { step: 0.05, steps: 2000 }).unwrap();
    let Finding::Measured(order) = &certificate.order.found else { panic!("{:?}", certificate.order) };
    assert!((order.value - 4.0).abs() < 0.05, "{order:?}");
    assert_eq!((certificate.order.held, certificate.symmetry_defect.held), (Some(true), Some(true)));
    assert!(matches!(certificate.symplectic_defect.found, Finding::Absent));
    let rk4 = Certificate::new(&system, &system.prepare(Method::Rk4).unwrap(), Options { step: 0.05, steps: 2000 });
    assert_eq!(rk4.unwrap().energy_defect.held, Some(false));
}
