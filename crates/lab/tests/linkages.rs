//! Closed loops and a rigid molecule, from their texts, with `rattle`.

mod problems;

use cotangent_compile::Engine;
use cotangent_dynamics::{Advance, Measure};
use cotangent_integrate::Method;
use cotangent_problem::Integrator;
use cotangent_solve::NewtonOptions;
use cotangent_theory::Formulation;
use problems::{Case, shipped};

/// The observables at the end, and the largest residuals of constraints and hidden constraints.
fn run(name: &str, step: f64, steps: u64) -> (Vec<f64>, Vec<f64>, [f64; 2]) {
    let case = Case::new(&shipped(name), Formulation::Multipliers);
    let p = &case.problem;
    let prepared = case.prepared(Method::Rattle, None);
    let options = NewtonOptions::default();
    let mut integrator = Integrator::new(&p.equations, &prepared, &p.parameters, options, Engine::Best).unwrap();
    let mut diagnostics = p.diagnostics().unwrap();
    let mut state = integrator.state(p.start.clone());
    let mut residuals = [0.0f64; 2];
    for _ in 0..steps {
        integrator.advance(&mut state, step, 1).unwrap();
        let kept = diagnostics.kept(&state.values).unwrap();
        for (largest, list) in residuals.iter_mut().zip([&kept.constraints, &kept.hidden_constraints]) {
            *largest = list.iter().fold(*largest, |m, r| m.max(r.abs()));
        }
    }
    let mut observed = vec![0.0; diagnostics.observables.len()];
    diagnostics.observe(&state.values, &mut observed).unwrap();
    (state.values, observed, residuals)
}

/// How far apart the joints of the two descriptions of the linkage are after t = 4, and the largest
/// constraint residual of both.
fn joints_apart(step: f64, steps: u64) -> (f64, f64) {
    let (points, _, a) = run("four-bar", step, steps);
    let (_, joints, b) = run("four-bar-angles", step, steps);
    let apart = (0..4).map(|k| (points[k] - joints[k]).abs()).fold(0.0, f64::max);
    (apart, a[0].max(b[0]))
}

#[test]
fn the_linkage_in_angles_and_in_points_is_the_same_to_the_accuracy_of_the_method() {
    let (coarse, residual) = joints_apart(0.02, 200);
    let (fine, _) = joints_apart(0.01, 400);
    let (finest, small) = joints_apart(0.0025, 1600);
    assert!(residual <= 1e-14 && small <= 1e-14, "{residual:e} {small:e}");
    assert!(finest < 1e-4 && finest > 0.0, "{finest:e}");
    // Two different methods of second order: the difference falls with the square of the step.
    assert!((coarse / fine - 4.0).abs() < 0.2, "{coarse:e} {fine:e}");
    assert!((fine / finest - 16.0).abs() < 1.0, "{fine:e} {finest:e}");
}

#[test]
fn a_rigid_molecule_keeps_its_bonds_over_a_long_run() {
    let (_, _, residuals) = run("water", 0.002, 20_000);
    // In nm² and nm²/ps: bonds of 0.1 nm, velocities of 1 nm/ps. The largest of 60,000 residuals is some six units of
    // ½ (0.15 nm)², 2.5e-18 nm² each, with any step and first guess.
    assert!(residuals[0] <= 2e-17 && residuals[1] <= 1e-15, "{residuals:?}");
}
