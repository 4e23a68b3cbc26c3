//! Properties of steps that a result alone does not show: convergence of the iterations,
//! compensated summation, the metric of the projection.

mod problems;

use cotangent_compile::{Engine, Native};
use cotangent_dynamics::{Advance, Dynamics, State};
use cotangent_integrate::{Inner, Method, Prepared, Projection, Recipe, StageSolver, Target, project_onto};
use cotangent_problem::Integrator;
use cotangent_solve::NewtonOptions;
use cotangent_theory::Formulation;
use problems::{Case, DOUBLE, FREE, PENDULUM, RELATIVISTIC, shipped};

fn integrator(case: &Case, prepared: &Prepared) -> Integrator {
    let p = &case.problem;
    Integrator::new(&p.equations, prepared, &p.parameters, NewtonOptions::default(), Engine::Best).unwrap()
}

#[test]
fn newtons_method_converges_quadratically_with_the_right_jacobians() {
    // Updates for each of its iterations; a wrong Jacobian converges too, but slowly.
    let cases: [(String, Method, f64); 6] = [
        (PENDULUM.into(), Method::Rattle, 2.0),
        (RELATIVISTIC.into(), Method::Rattle, 2.0),
        (shipped("four-bar-angles"), Method::Rattle, 2.0),
        (DOUBLE.into(), Method::Lobatto3A3B { stages: 3 }, 2.0),
        (RELATIVISTIC.into(), Method::Lobatto3A3B { stages: 4 }, 2.0),
        (FREE.into(), Method::Gauss { stages: 3 }, 1.0),
    ];
    for (text, method, systems) in cases {
        let case = Case::new(&text, Formulation::Multipliers);
        let recipe = Recipe::from(method).solved_by(method.is_iterated().map(|_| StageSolver::Newton));
        let mut run = integrator(&case, &case.problem.prepare(recipe).unwrap());
        let mut state = run.state(case.problem.start.clone());
        run.advance(&mut state, 0.02, 200).unwrap();
        let updates = run.iterations() as f64 / 200.0 / systems;
        assert!(0.5 < updates && updates < 4.5, "{method:?} on {text}: {updates} updates");
    }
}

#[test]
fn compensated_summation_keeps_what_rounding_cuts_off() {
    // A free particle: x = n h p, summed up from a million increments.
    let case = Case::new("coord x\nhamiltonian p_x^2/2\ninitial p_x = 0.1\n", Formulation::Multipliers);
    let (h, n) = (0.01, 1_000_000);
    let end = |prepared: &Prepared| {
        let mut run = integrator(&case, prepared);
        let mut state = run.state(case.problem.start.clone());
        run.advance(&mut state, h, n).unwrap();
        state.values[0]
    };
    let prepared = case.prepared(Method::StormerVerlet, None);
    // The increment h·p is rounded once; its million-fold multiple is exact to a rounding.
    let exact = n as f64 * (h * 0.1);
    assert!((end(&prepared) - exact).abs() <= 2.0 * f64::EPSILON * exact);
    let plain = case.problem.prepare(Recipe::from(Method::StormerVerlet).uncompensated()).unwrap();
    assert!((end(&plain) - exact).abs() > 1e3 * f64::EPSILON * exact);
}

#[test]
fn the_position_projection_is_orthogonal_in_the_metric_of_the_masses() {
    let text = "param m1 = 3, m2 = 1\ncoord a, b\nhamiltonian p_a^2/(2*m1) + p_b^2/(2*m2)\n\
        constraint apart: b - a = 1\ninitial b = 1\n";
    let case = Case::new(text, Formulation::Multipliers);
    let view = case.problem.equations.compiled.view(Native, case.problem.parameters.clone());
    let mut state = State::new(vec![0.0, 1.4, 0.7, 0.3], 0);
    project_onto(Target::Position, view.manifold().unwrap().unwrap(), &mut state).unwrap();
    // The light body moves three times as far, and the momenta stay.
    let expected = [0.1, 1.1, 0.7, 0.3];
    assert!(state.values.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-15), "{:?}", state.values);
    project_onto(Target::Momentum, view.manifold().unwrap().unwrap(), &mut state).unwrap();
    // p ← p − Gᵀλ with equal velocities: the sum of the momenta stays.
    let expected = [0.75, 0.25];
    assert!(state.values[2..].iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-15), "{:?}", state.values);
}

#[test]
fn an_iteration_that_does_not_converge_is_an_error_in_any_units() {
    let small = "param L = 1e-10, m = 1e-26, g = 1e20\ncoord x, y\nhamiltonian (p_x^2 + p_y^2)/(2*m) + m*g*y\n\
        constraint rod: (x^2 + y^2 - L^2)/2 = 0\ninitial x = L, p_y = -2*m*sqrt(g*L)\n";
    for (text, step) in [(PENDULUM, 1.5), (small, 1.5e-15)] {
        let case = Case::new(text, Formulation::Multipliers);
        for method in [Method::Rattle, Method::Reich { inner: Inner::ImplicitMidpoint }] {
            let mut run = integrator(&case, &case.prepared(method, None));
            let mut state = run.state(case.problem.start.clone());
            assert!(run.advance(&mut state, step, 200).is_err(), "{method:?} at {step:e}");
        }
    }
}

#[test]
fn constraints_hold_also_close_to_a_singular_configuration() {
    // A parallelogram that is carried through its dead point, where the constraints are dependent.
    let text = "coord x1, y1, x2, y2\nhamiltonian (p_x1^2 + p_y1^2 + p_x2^2 + p_y2^2)/2\n\
        constraint left: (x1^2 + y1^2 - 1)/2 = 0\nconstraint mid: ((x2 - x1)^2 + (y2 - y1)^2 - 4)/2 = 0\n\
        constraint right: ((x2 - 2)^2 + y2^2 - 1)/2 = 0\ninitial y1 = 1, x2 = 2, y2 = 1, p_x1 = 1, p_x2 = 1\n";
    let case = Case::new(text, Formulation::Multipliers);
    let mut run = integrator(&case, &case.prepared(Method::Rattle, None));
    let mut state = run.state(case.problem.start.clone());
    for k in 0..1000 {
        // Where it cannot be made, a step says so.
        if run.advance(&mut state, 0.01, 1).is_err() {
            return;
        }
        let [x1, y1, x2, y2] = state.values[..4] else { panic!() };
        let left = (x1 * x1 + y1 * y1 - 1.0) / 2.0;
        let right = ((x2 - 2.0).powi(2) + y2 * y2 - 1.0) / 2.0;
        assert!(left.abs() < 1e-13 && right.abs() < 1e-13, "step {k}: {left:e} {right:e}");
    }
}

#[test]
fn a_chain_at_rest_falls_in_small_steps() {
    // Multipliers and momenta are next to nothing there, and known to a few digits of themselves only.
    for (method, n, step) in [
        (Method::Lobatto3A3B { stages: 4 }, 30, 1e-4),
        (Method::Reich { inner: Inner::ImplicitMidpoint }, 10, 1e-3),
        (Method::Reich { inner: Inner::StormerVerlet }, 100, 1e-4),
    ] {
        let case = Case::sized(&shipped("chain"), Some(n), Formulation::Multipliers);
        let p = &case.problem;
        let prepared = case.prepared(method, None);
        let options = NewtonOptions::default();
        let mut integrator = Integrator::new(&p.equations, &prepared, &p.parameters, options, Engine::Best).unwrap();
        let mut state = integrator.state(p.start.clone());
        integrator.advance(&mut state, step, 12).unwrap_or_else(|e| panic!("{method:?}: {e:?}"));
        // Free fall: y = −t²/2 for every member, as long as the chain is straight.
        let fallen = (12.0 * step).powi(2) / 2.0;
        let members = n as usize;
        let last = state.values[2 * members - 1];
        assert!((last + fallen).abs() < 1e-3 * fallen, "{method:?}: {last:e}");
    }
}

#[test]
fn a_double_pendulum_at_rest_starts_in_small_steps() {
    // One rod vertical: some momenta are nothing but noise.
    let text = "coord x1, y1, x2, y2\n\
        hamiltonian (p_x1^2 + p_y1^2)/4 + (p_x2^2 + p_y2^2)/3 + 2*y1 + 3/2*y2\n\
        constraint a: (x1^2 + y1^2 - 1)/2 = 0\nconstraint b: ((x2 - x1)^2 + (y2 - y1)^2 - 1/2)/2 = 0\n\
        initial x1 = 1, x2 = 1, y2 = -sqrt(1/2)\n";
    let radau = Method::Radau2A { stages: 3 };
    let [given, reduced] = [Formulation::Multipliers, Formulation::IndexReduced];
    let lobatto = Method::Lobatto3A3B { stages: 4 };
    for (method, formulation) in
        [(Method::Bdf2, given), (radau, given), (radau, reduced), (Method::Bdf2, reduced), (lobatto, given)]
    {
        let case = Case::new(text, formulation);
        for steps in [3200.0, 25_600.0, 102_400.0] {
            let mut integrator = integrator(&case, &case.prepared(method, None));
            let mut state = integrator.state(case.problem.start.clone());
            let h = 10.0 / steps;
            integrator.advance(&mut state, h, 20).unwrap_or_else(|e| panic!("{method:?} {h}: {e:?}"));
            // At first both bobs fall freely; backward Euler, the first step of `bdf2`, is off by h/t.
            let fallen = (20.0 * h).powi(2) / 2.0;
            assert!((state.values[1] + fallen).abs() < 0.1 * fallen, "{method:?} {h}: {:?}", state.values);
        }
    }
}

#[test]
fn a_chain_of_springs_at_rest_starts_in_small_steps() {
    // Momenta along the chain arise in higher and higher powers of the step: those of the far members
    // vanish in the iteration.
    for (n, step) in [(2, 1e-4), (5, 1e-3), (8, 1e-3)] {
        let case = Case::sized(&shipped("chain"), Some(n), Formulation::Penalty { epsilon: 1e-4 });
        let mut integrator = integrator(&case, &case.prepared(Method::ImplicitMidpoint, None));
        let mut state = integrator.state(case.problem.start.clone());
        integrator.advance(&mut state, step, 40).unwrap_or_else(|e| panic!("{n} {step}: {e:?}"));
        // The far end falls freely at first.
        let (fallen, last) = ((40.0 * step).powi(2) / 2.0, state.values[2 * n as usize - 1]);
        assert!((last + fallen).abs() < 0.01 * fallen, "{n} {step}: {last:e}");
    }
}

/// A step of RATTLE on the pendulum from the quadratic equation for its multiplier,
/// |a − s q|² = 1 with the free motion a: of the two points on the circle the one nearer to a.
fn rattle_by_formula(q: [f64; 2], p: [f64; 2], h: f64) -> Option<([f64; 2], [f64; 2])> {
    let a = [q[0] + h * p[0], q[1] + h * (p[1] - h / 2.0)];
    let along = a[0] * q[0] + a[1] * q[1];
    let root = (along * along - (a[0] * a[0] + a[1] * a[1] - 1.0)).sqrt();
    let s = along - root.copysign(along);
    (!root.is_nan()).then(|| {
        let q1 = [a[0] - s * q[0], a[1] - s * q[1]];
        let p1 = [(q1[0] - q[0]) / h, (q1[1] - q[1]) / h - h / 2.0];
        let normal = p1[0] * q1[0] + p1[1] * q1[1];
        (q1, [p1[0] - normal * q1[0], p1[1] - normal * q1[1]])
    })
}

/// Steps so large that the last multiplier, as a first guess, leads to the far side of the circle.
#[test]
fn large_steps_find_the_solution_on_the_near_side() {
    let case = Case::new(PENDULUM, Formulation::Multipliers);
    let start = &case.problem.start;
    for method in [Method::Rattle, Method::Lobatto3A3B { stages: 2 }] {
        let mut integrator = case.problem.integrator(&case.prepared(method, None)).unwrap();
        for (speed, h, solvable) in [(-2.0, 0.4, 200), (0.0, 0.7, 200), (-0.5, 0.7, 26), (-1.5, 0.5, 10)] {
            let (mut q, mut p) = ([1.0, 0.0], [0.0, speed]);
            let mut steps = 0;
            while steps < 200
                && let Some((q1, p1)) = rattle_by_formula(q, p, h)
            {
                (q, p) = (q1, p1);
                steps += 1;
            }
            assert_eq!(steps, solvable);
            let mut state = integrator.state(vec![start[0], start[1], 0.0, speed]);
            // Beyond, there is no solution, and none is found.
            let made = integrator.advance(&mut state, h, 200).map_or_else(|(made, _)| made, |()| 200);
            assert_eq!(made, solvable, "{method:?}, h = {h}");
            for (found, wanted) in state.values.iter().zip(q.iter().chain(&p)) {
                assert!((found - wanted).abs() < 1e-10, "{method:?}, h = {h}: {:?}, {q:?} {p:?}", state.values);
            }
        }
    }
}

/// A chain at rest, whose multipliers vanish at first, is the same in metres and in nanometres.
#[test]
fn units_do_not_matter() {
    let projection = Some(Projection { target: Target::Both, above: None });
    for (method, formulation, projection) in [
        (Method::Rattle, Formulation::Multipliers, None),
        (Method::Lobatto3A3B { stages: 3 }, Formulation::Multipliers, None),
        (Method::Radau2A { stages: 2 }, Formulation::Multipliers, None),
        (Method::Rk4, Formulation::Standard, projection),
    ] {
        let end = |unit: &str| {
            let text = shipped("chain").replace("l = 1, g = 1", &format!("l = {unit}, g = {unit}"));
            let case = Case::sized(&text, Some(10), formulation);
            let mut run = case.problem.integrator(&case.prepared(method, projection)).unwrap();
            let mut state = run.state(case.problem.start.clone());
            run.advance(&mut state, 0.01, 50).unwrap_or_else(|(k, e)| panic!("{method:?}, {unit}, step {k}: {e}"));
            let unit: f64 = unit.parse().unwrap();
            state.values.iter().map(|v| v / unit).collect::<Vec<f64>>()
        };
        let one = end("1");
        for unit in ["1e-9", "1e4", "1e9"] {
            for (a, b) in end(unit).iter().zip(&one) {
                assert!((a - b).abs() < 1e-9, "{method:?} in units of {unit}: {a} {b}");
            }
        }
    }
}
