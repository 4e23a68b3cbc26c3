//! The second backward differentiation formula: order, start, changing steps, damping.

mod problems;

use cotangent_compile::Engine;
use cotangent_dynamics::{Advance, Measure};
use cotangent_integrate::{Method, Projection, Target};
use cotangent_lab::Pendulum;
use cotangent_lab::certificate::{Subject, order_against};
use cotangent_problem::Integrator;
use cotangent_scalar::Dd;
use cotangent_solve::NewtonOptions;
use cotangent_theory::Formulation;
use problems::{Case, DOUBLE, FREE, PENDULUM, RELATIVISTIC, SPEEDY, shipped};

const EULER: Method = Method::Radau2A { stages: 1 };

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
fn the_order_is_2_for_the_whole_state_with_constraints_and_without_and_projected() {
    let step = 0.02;
    let exact = closed_form(16.0 * step);
    let others = [Formulation::LinearProjected, Formulation::IndexOne];
    let pendular = |f: &Formulation| f.card().exact && !others.contains(f) && !f.is_for_brackets() && !f.has_time();
    for formulation in Formulation::ALL.into_iter().filter(pendular) {
        let case = Case::new(PENDULUM, formulation);
        let targets = [None, Some(Target::Position), Some(Target::Momentum), Some(Target::Both)];
        for projection in targets.map(|t| t.map(|target| Projection { target, above: None })) {
            // A reset of the striction, which the step before it knows nothing of.
            if formulation == Formulation::ImpetusStriction && projection.is_some_and(|p| p.target.momenta()) {
                continue;
            }
            let prepared = case.prepared(Method::Bdf2, projection);
            let order = order_against(&Subject::new(&case.problem, &prepared), step, &exact, 1e-30).unwrap();
            assert!((order.value - 2.0).abs() < 0.1, "{formulation:?} {projection:?}: {order:?}");
        }
    }
}

#[test]
fn the_first_step_is_one_of_the_backward_euler_method() {
    for (text, formulation) in [
        (PENDULUM, Formulation::Multipliers),
        (DOUBLE, Formulation::Multipliers),
        (RELATIVISTIC, Formulation::Multipliers),
        (DOUBLE, Formulation::Standard),
        (FREE, Formulation::Multipliers),
    ] {
        let case = Case::new(text, formulation);
        let ends = [Method::Bdf2, EULER].map(|method| {
            let mut run = integrator(&case, method);
            let mut state = run.state(case.problem.start.clone());
            run.advance(&mut state, 0.02, 1).unwrap();
            state.values
        });
        let apart = ends[0].iter().zip(&ends[1]).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(apart < 1e-15, "{apart:e} on {text}");
    }
}

/// The pendulum with unit mass, length and gravity: q₁ = a/|a|, since q₁ (1 + β²λ) = a is known.
fn by_hand(h: f64, steps: usize) -> [[f64; 2]; 2] {
    let (mut q, mut p) = ([1.0, 0.0], [0.0, -1.0]);
    let (mut dq, mut dp) = ([0.0; 2], [0.0; 2]);
    for k in 0..steps {
        // z₁ = z + γ (z − z₋₁) + β f(z₁).
        let (beta, gamma) = if k == 0 { (h, 0.0) } else { (2.0 * h / 3.0, 1.0 / 3.0) };
        let known = |z: [f64; 2], dz: [f64; 2]| [0, 1].map(|i| z[i] + gamma * dz[i]);
        let (kq, kp) = (known(q, dq), known(p, dp));
        let a = [kq[0] + beta * kp[0], kq[1] + beta * (kp[1] - beta)];
        let next = a.map(|x| x / a[0].hypot(a[1]));
        let momentum = [0, 1].map(|i| (next[i] - kq[i]) / beta);
        (dq, dp) = ([0, 1].map(|i| next[i] - q[i]), [0, 1].map(|i| momentum[i] - p[i]));
        (q, p) = (next, momentum);
    }
    [q, p]
}

#[test]
fn the_pendulum_loses_the_energy_that_it_loses_by_hand() {
    let text = PENDULUM.replace("p_y = -2", "p_y = -1");
    let case = Case::new(&text, Formulation::Multipliers);
    let p = &case.problem;
    let mut diagnostics = p.diagnostics().unwrap();
    let mut run = integrator(&case, Method::Bdf2);
    let mut state = run.state(p.start.clone());
    let energies = [(1, 0.47930683), (5, 0.48040113), (10, 0.47124087), (50, 0.44680367), (200, 0.31523875)];
    let mut time = 0;
    for (end, expected) in energies {
        run.advance(&mut state, 0.05, 20 * (end - time)).unwrap();
        time = end;
        let kept = diagnostics.kept(&state.values).unwrap();
        assert!((kept.energy - expected).abs() < 1e-8, "t = {end}: {}", kept.energy);
        assert!(kept.constraints[0].abs() < 1e-15);
        let hand = by_hand(0.05, 20 * end as usize).concat();
        let apart = state.values.iter().zip(&hand).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(apart < 1e-11, "t = {end}: {apart:e}");
    }
}

#[test]
fn the_order_stays_2_when_the_step_size_changes() {
    for formulation in [Formulation::Multipliers, Formulation::Standard] {
        let case = Case::new(PENDULUM, formulation);
        let exact = closed_form(0.75);
        let error = |pairs: u32| {
            let mut run = integrator(&case, Method::Bdf2);
            let mut state = run.state(case.problem.start.clone());
            for _ in 0..pairs {
                run.advance(&mut state, 0.5 / f64::from(pairs), 1).unwrap();
                run.advance(&mut state, 0.25 / f64::from(pairs), 1).unwrap();
            }
            let apart = state.values.iter().zip(&exact).map(|(a, b)| (a - b.hi()).abs());
            apart.fold(0.0, f64::max)
        };
        let order = (error(200) / error(400)).log2();
        assert!((order - 2.0).abs() < 0.1, "{formulation:?}: {order}");
    }
}

#[test]
fn a_step_back_starts_anew() {
    let case = Case::new(DOUBLE, Formulation::Multipliers);
    let mut run = integrator(&case, Method::Bdf2);
    let mut state = run.state(case.problem.start.clone());
    run.advance(&mut state, 0.01, 3).unwrap();
    let mut euler = integrator(&case, EULER);
    let mut anew = euler.state(state.values.clone());
    anew.carry.clone_from(&state.carry);
    run.advance(&mut state, -0.01, 1).unwrap();
    euler.advance(&mut anew, -0.01, 1).unwrap();
    let apart = state.values.iter().zip(&anew.values).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    assert!(apart < 1e-13, "{apart:e}");
}

#[test]
fn stiff_equations_are_damped() {
    // x′ = −1000 x at h = 1: x₁ = x₀/1001, then x₁ (3/2 + 1000) = 2 x − x₋₁/2.
    let case = Case::new("coord x\nhamiltonian -1000*x*p_x\ninitial x = 1\n", Formulation::Multipliers);
    let mut run = integrator(&case, Method::Bdf2);
    let mut state = run.state(case.problem.start.clone());
    let (mut before, mut x) = (1.0, 1.0 / 1001.0);
    run.advance(&mut state, 1.0, 1).unwrap();
    assert!((state.values[0] - x).abs() < 1e-15);
    for _ in 0..10 {
        (before, x) = (x, (2.0 * x - 0.5 * before) / 1001.5);
        run.advance(&mut state, 1.0, 1).unwrap();
        assert!((state.values[0] - x).abs() < 1e-15 * before.abs(), "{:e} {x:e}", state.values[0]);
    }
}

#[test]
fn newtons_method_converges_quadratically_on_small_and_large_systems() {
    for (text, n, most) in [
        (DOUBLE.to_string(), None, 5.0),
        (RELATIVISTIC.into(), None, 5.0),
        (SPEEDY.into(), None, 5.0),
        (shipped("four-bar-angles"), None, 5.0),
        (shipped("chain"), Some(50), 6.0),
    ] {
        let case = Case::sized(&text, n, Formulation::Multipliers);
        let mut run = integrator(&case, Method::Bdf2);
        let mut state = run.state(case.problem.start.clone());
        run.advance(&mut state, 0.02, 200).unwrap();
        let updates = run.iterations() as f64 / 200.0;
        assert!(updates < most, "{updates} updates on {text}");
    }
}
