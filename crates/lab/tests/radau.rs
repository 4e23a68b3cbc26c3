//! Radau IIA collocation: orders of positions and momenta on both levels of the constraints, what is
//! kept, and damping.

mod problems;

use cotangent_compile::{Engine, Tape};
use cotangent_dynamics::{Advance, Dynamics, Measure};
use cotangent_integrate::{Method, Prepared, Projection, Target};
use cotangent_lab::Pendulum;
use cotangent_lab::certificate::{Subject, order_against};
use cotangent_problem::Integrator;
use cotangent_scalar::{Dd, Dual, Real, Scalar};
use cotangent_solve::NewtonOptions;
use cotangent_theory::Formulation;
use problems::{Case, DOUBLE, FREE, PENDULUM, RELATIVISTIC, SPEEDY, shipped};

/// Of index 2 and 3.
const INDICES: [Formulation; 2] = [Formulation::IndexReduced, Formulation::Multipliers];

fn integrator(case: &Case, method: Method) -> Integrator {
    let (p, prepared) = (&case.problem, case.prepared(method, None));
    Integrator::new(&p.equations, &prepared, &p.parameters, NewtonOptions::default(), Engine::Best).unwrap()
}

/// The pendulum of the suite in closed form, at a time.
fn closed_form(time: f64) -> Vec<Dd> {
    let number = Dd::from;
    let start = Pendulum::new(number(1.0), [number(1.0), number(0.0)], [number(0.0), number(-2.0)]).unwrap();
    let motion = start.at(number(time));
    [motion.position, motion.velocity].concat()
}

#[test]
fn the_order_is_2s_minus_1_on_ordinary_differential_equations() {
    let (step, case) = (0.05, Case::new(PENDULUM, Formulation::Standard));
    let exact = closed_form(16.0 * step);
    for stages in 1..=5 {
        let prepared = case.prepared(Method::Radau2A { stages }, None);
        let order = order_against(&Subject::new(&case.problem, &prepared), step, &exact, 1e-30).unwrap();
        assert_eq!(prepared.claims(true).order as usize, 2 * stages - 1);
        assert!((order.value - (2 * stages - 1) as f64).abs() < 0.1, "{stages} stages: {order:?}");
    }
}

/// The observed orders of positions and momenta between two step sizes.
fn orders(case: &Case, prepared: &Prepared, exact: &[Dd], time: f64, steps: u64) -> [f64; 2] {
    let subject = Subject::new(&case.problem, prepared);
    let n = exact.len() / 2;
    let errors = [steps, 2 * steps].map(|steps| {
        let end = subject.walk(&subject.start::<Dd>().unwrap(), time / steps as f64, steps).unwrap();
        let error = |k: std::ops::Range<usize>| k.map(|k| (end[k] - exact[k]).value().abs()).fold(0.0, f64::max);
        [error(0..n), error(n..2 * n)]
    });
    [0, 1].map(|k| (errors[0][k] / errors[1][k]).log2())
}

#[test]
fn orders_with_constraints_are_those_of_hairer_lubich_and_roche() {
    let time = 0.8;
    for text in [PENDULUM, DOUBLE, RELATIVISTIC] {
        let case = Case::new(text, Formulation::Multipliers);
        // A method of order 14 with other equations.
        let lobatto = case.prepared(Method::Lobatto3A3B { stages: 8 }, None);
        let subject = Subject::new(&case.problem, &lobatto);
        let exact = subject.walk(&subject.start::<Dd>().unwrap(), time / 32.0, 32).unwrap();
        for (stages, index) in (1..=4).flat_map(|s| INDICES.map(|index| (s, index))) {
            let case = Case::new(text, index);
            let prepared = case.prepared(Method::Radau2A { stages }, None);
            let found = orders(&case, &prepared, &exact, time, 128);
            let expected = match index {
                Formulation::IndexReduced => [2 * stages - 1; 2],
                _ => [2 * stages - 1, stages],
            };
            let apart = (0..2).map(|k| (found[k] - expected[k] as f64).abs()).fold(0.0, f64::max);
            assert!(apart < 0.1, "{stages} stages, {index:?} on {text}: {found:?}");
            assert_eq!(prepared.claims(true).order as usize, expected[1]);
        }
    }
}

#[test]
fn a_projection_of_the_momenta_restores_the_order_of_index_3() {
    let (step, case) = (0.05, Case::new(PENDULUM, Formulation::Multipliers));
    let exact = closed_form(16.0 * step);
    for target in [Target::Momentum, Target::Both] {
        let projection = Projection { target, above: None };
        let prepared = case.prepared(Method::Radau2A { stages: 3 }, Some(projection));
        let order = order_against(&Subject::new(&case.problem, &prepared), step, &exact, 1e-30).unwrap();
        assert_eq!(prepared.claims(true).order, 5);
        assert!((order.value - 5.0).abs() < 0.1, "{target:?}: {order:?}");
    }
}

/// The largest residuals of constraints and hidden constraints along a run.
fn residuals(case: &Case, method: Method, step: f64, steps: usize) -> [f64; 2] {
    let p = &case.problem;
    let mut diagnostics = p.diagnostics().unwrap();
    let mut run = integrator(case, method);
    let mut state = run.state(p.start.clone());
    let mut largest = [0.0f64; 2];
    for _ in 0..steps {
        run.advance(&mut state, step, 1).unwrap_or_else(|e| panic!("{method:?}: {e:?}"));
        let kept = diagnostics.kept(&state.values).unwrap();
        for (largest, residuals) in largest.iter_mut().zip([&kept.constraints, &kept.hidden_constraints]) {
            *largest = residuals.iter().fold(*largest, |m, r| m.max(r.abs()));
        }
    }
    largest
}

#[test]
fn each_index_keeps_its_constraints_to_round_off_and_the_others_to_its_order() {
    for (text, step) in [(PENDULUM, 0.02), (DOUBLE, 0.02), (RELATIVISTIC, 0.02), (SPEEDY, 0.02)] {
        let [two, three] = INDICES.map(|index| Case::new(text, index));
        for stages in [1, 2, 3] {
            let [phi, psi] = residuals(&three, Method::Radau2A { stages }, step, 500);
            assert!(phi < 1e-14 && psi > 1e-7, "index 3, {stages} stages: {phi:e} {psi:e} on {text}");
            let [phi, psi] = residuals(&two, Method::Radau2A { stages }, step, 500);
            assert!(psi < 1e-13 && phi > 1e-11, "index 2, {stages} stages: {phi:e} {psi:e} on {text}");
            let bound = [1.0, 1e-2, 1e-6][stages - 1];
            assert!(phi < bound && psi < bound, "{stages} stages: {phi:e} on {text}");
        }
    }
}

#[test]
fn the_drift_of_index_2_has_the_order_of_the_method() {
    let case = Case::new(DOUBLE, Formulation::IndexReduced);
    let method = Method::Radau2A { stages: 2 };
    let [coarse, _] = residuals(&case, method, 0.02, 100);
    let [fine, _] = residuals(&case, method, 0.01, 200);
    assert!(((coarse / fine).log2() - 3.0).abs() < 0.1, "{coarse:e} {fine:e}");
}

#[test]
fn linear_equations_are_multiplied_by_the_pade_approximant() {
    // x′ = −1000 x; the stability function is the Padé approximant of eᶻ with degrees s − 1 and s.
    let case = Case::new("coord x\nhamiltonian -1000*x*p_x\ninitial x = 1\n", Formulation::Multipliers);
    let pade: [fn(f64) -> f64; 3] = [
        |z| 1.0 / (1.0 - z),
        |z| (1.0 + z / 3.0) / (1.0 - 2.0 * z / 3.0 + z * z / 6.0),
        |z| {
            let below = 1.0 - 3.0 * z / 5.0 + 3.0 * z * z / 20.0 - z * z * z / 60.0;
            (1.0 + 2.0 * z / 5.0 + z * z / 20.0) / below
        },
    ];
    for (stages, factor) in (1..).zip(pade) {
        for h in [2e-3, 0.02, 1.0] {
            let mut run = integrator(&case, Method::Radau2A { stages });
            let mut state = run.state(case.problem.start.clone());
            run.advance(&mut state, h, 3).unwrap();
            let expected = factor(-1000.0 * h).powi(3);
            // The end is z + (Y − z), so it is known to a rounding of each start.
            let known = 1e-14 * factor(-1000.0 * h).powi(2).max(expected.abs());
            assert!((state.values[0] - expected).abs() < known, "{stages} stages, h = {h}: {:e}", state.values[0]);
            run.advance(&mut state, h, 100).unwrap();
            assert!(state.values[0].abs() < expected.abs());
        }
    }
}

#[test]
fn newtons_method_converges_quadratically_with_the_right_jacobians() {
    // One iteration more on index 3, where the multipliers are known to round-off/h² only.
    for (text, n) in [
        (DOUBLE.to_string(), None),
        (RELATIVISTIC.into(), None),
        (shipped("four-bar-angles"), None),
        (SPEEDY.into(), None),
        (shipped("chain"), Some(50)),
    ] {
        for (index, most) in INDICES.into_iter().zip([5.0, 6.0]) {
            let case = Case::sized(&text, n, index);
            let mut run = integrator(&case, Method::Radau2A { stages: 3 });
            let mut state = run.state(case.problem.start.clone());
            run.advance(&mut state, 0.02, 100).unwrap();
            let updates = run.iterations() as f64 / 100.0;
            assert!(updates < most, "{index:?} on {text}: {updates} updates");
        }
    }
    let case = Case::new(FREE, Formulation::Multipliers);
    let mut run = integrator(&case, Method::Radau2A { stages: 3 });
    let mut state = run.state(case.problem.start.clone());
    run.advance(&mut state, 0.02, 100).unwrap();
    assert!(run.iterations() < 400, "{}", run.iterations());
}

#[test]
fn the_most_stages_and_tiny_steps_converge() {
    let given = Case::new(RELATIVISTIC, Formulation::Multipliers);
    for (index, stages, step) in INDICES.into_iter().flat_map(|i| [(i, 32, 0.1), (i, 3, 1e-6)]) {
        let case = Case::new(RELATIVISTIC, index);
        let mut run = integrator(&case, Method::Radau2A { stages });
        let mut state = run.state(case.problem.start.clone());
        run.advance(&mut state, step, 4).unwrap_or_else(|e| panic!("{index:?}, {stages} stages: {e:?}"));
        // So many stages are as good as the exact solution.
        let mut reference = integrator(&given, Method::Lobatto3A3B { stages: 8 });
        let mut expected = reference.state(case.problem.start.clone());
        reference.advance(&mut expected, step / 2.0, 8).unwrap();
        for k in 0..4 {
            // Momenta of index 3 are difference quotients of positions.
            let known = if index == Formulation::Multipliers { 1e-14 / step } else { 1e-13 };
            assert!((state.values[k] - expected.values[k]).abs() < known.max(1e-12), "{index:?}, {stages} stages");
        }
    }
}

#[test]
fn the_curvature_along_a_vector_is_the_derivative_of_the_jacobian_times_it() {
    for (text, n) in [(RELATIVISTIC.to_string(), None), (shipped("four-bar-angles"), None), (shipped("chain"), Some(4))]
    {
        let case = Case::sized(&text, n, Formulation::Multipliers);
        let p = &case.problem;
        let mut system = p.equations.compiled.view(Tape, p.parameters.clone()).manifold().unwrap().unwrap();
        let shape = system.shape().clone();
        let q: Vec<f64> = (0..shape.coordinates).map(|k| 0.3 + (k as f64).sin()).collect();
        let v: Vec<f64> = (0..shape.coordinates).map(|k| (k as f64).cos()).collect();
        let mut found = vec![0.0; shape.curvature_along.len()];
        system.curvature_along(&q, &v, &mut found).unwrap();
        let parameters = p.parameters.iter().map(|&x| Dual::<f64>::from_f64(x)).collect();
        let mut dual = p.equations.compiled.view(Tape, parameters).manifold().unwrap().unwrap();
        let mut g = vec![Dual::from_f64(0.0); shape.jacobian.len()];
        for column in 0..shape.coordinates {
            let mut seeded: Vec<Dual<f64>> = q.iter().map(|&x| Dual::from_f64(x)).collect();
            seeded[column].tangent[0] = 1.0;
            dual.jacobian(&seeded, &mut g).unwrap();
            for row in 0..shape.constraints {
                let entries = shape.jacobian.positions(row).zip(shape.jacobian.row(row));
                let expected: f64 = entries.map(|(at, &j)| g[at].tangent[0] * v[j as usize]).sum();
                let at = shape.curvature_along.position(row, column);
                let entry = at.map_or(0.0, |at| found[at]);
                assert!((entry - expected).abs() < 1e-13, "{text} ({row}, {column}): {entry} {expected}");
            }
        }
    }
}
