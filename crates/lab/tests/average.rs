//! The average vector field method: how much quadrature the energy needs, and the long run.

mod problems;

use cotangent_compile::{Diagnostics, Engine, Integrator};
use cotangent_integrate::Method;
use cotangent_solve::NewtonOptions;
use cotangent_theory::Formulation;
use problems::{Case, DOUBLE, PENDULUM, RELATIVISTIC};

/// The largest errors of energy, constraints and hidden constraints over many steps.
fn largest(text: &str, stages: usize, step: f64, steps: u64) -> [f64; 3] {
    let case = Case::new(text, Formulation::Multipliers);
    let p = &case.problem;
    let prepared = case.prepared(Method::AverageVectorField { stages }, None);
    let mut diagnostics = Diagnostics::new(&p.motion, &p.parameters, Engine::Best).unwrap();
    let options = NewtonOptions::default();
    let mut integrator = Integrator::new(&p.compiled, &prepared, &p.parameters, options, Engine::Best).unwrap();
    let mut state = integrator.state(p.start.clone());
    let initial = diagnostics.kept(&state.values).unwrap().energy;
    let mut errors = [0.0f64; 3];
    for _ in 0..steps {
        integrator.advance(&mut state, step, 1).unwrap();
        let kept = diagnostics.kept(&state.values).unwrap();
        let size = |list: &[f64]| list.iter().fold(0.0f64, |m, r| m.max(r.abs()));
        let now = [(kept.energy - initial).abs(), size(&kept.constraints), size(&kept.hidden_constraints)];
        errors.iter_mut().zip(now).for_each(|(e, n)| *e = e.max(n));
    }
    errors
}

#[test]
fn a_quartic_energy_needs_two_points_and_no_more() {
    // Degree 4 = 2 s: exact from two points on, whatever the step.
    let [one, two] = [1, 2].map(|s| largest(DOUBLE, s, 0.1, 500)[0]);
    assert!(one > 1e-6, "{one:e}");
    assert!(two < 1e-13, "{two:e}");
}

#[test]
fn other_energies_are_kept_to_the_order_of_the_quadrature() {
    // 2 s for s points: each halving of the step divides the error by 4ˢ.
    for (s, steps) in [(1, [0.04, 0.02]), (2, [0.08, 0.04])] {
        let [coarse, fine] = steps.map(|h| largest(RELATIVISTIC, s, h, (20.0 / h) as u64)[0]);
        let order = (coarse / fine).log2();
        assert!((order - 2.0 * s as f64).abs() < 0.5, "{s} points: {coarse:e}, {fine:e}");
    }
    assert!(largest(RELATIVISTIC, 6, 0.05, 2000)[0] < 1e-12);
}

#[test]
fn a_long_run_keeps_energy_and_constraints_and_stays_near_the_hidden_ones() {
    let [energy, constraints, hidden] = largest(PENDULUM, 6, 0.1, 100_000);
    assert!(energy < 1e-12, "{energy:e}");
    assert!(constraints < 1e-15, "{constraints:e}");
    // O(h²), from the first steps to the last.
    let early = largest(PENDULUM, 6, 0.1, 1000)[2];
    assert!(hidden < 1.2 * early && early < 0.05, "{early:e} {hidden:e}");
}
