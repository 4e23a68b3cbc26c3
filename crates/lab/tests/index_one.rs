//! Velocity constraints as systems of index one, and J ż = ∇H with a singular J, against closed forms and solutions in
//! higher precision.

use cotangent_compile::{Engine, Tape};
use cotangent_dynamics::{Advance, FailureKind, Measure, Numeric, State};
use cotangent_integrate::{Composition, Inner, Method, Recipe, Refusal};
use cotangent_lab::{Pendulum, SymplecticDefect};
use cotangent_model::System;
use cotangent_observe::{End, Run, Schedule};
use cotangent_problem::{Instance, Model, PoseError, ProblemError, Repairs, pose};
use cotangent_scalar::{Dual, Limits, Scalar};
use cotangent_solve::NewtonOptions;
use cotangent_theory::{Formulation, Law};
use std::f64::consts::PI;

const BICYCLE: &str = include_str!("../../../models/bicycle.cot");
const HEISENBERG: &str = include_str!("../../../models/heisenberg.cot");
const HEISENBERG_FORM: &str = include_str!("../../../models/heisenberg-form.cot");

fn posed_as(text: &str, formulation: Formulation) -> Result<Instance, PoseError> {
    pose(&System::parse(text).unwrap(), formulation, &[], Repairs::default(), Engine::Best)
}

fn posed(text: &str) -> Instance {
    posed_as(text, Formulation::IndexOne).unwrap()
}

/// The state after some steps, and the largest energy error on the way.
fn walked(problem: &Instance, recipe: impl Into<Recipe>, h: f64, steps: u64) -> (Vec<f64>, f64) {
    let prepared = problem.prepare(recipe).unwrap();
    let mut integrator = problem.integrator(&prepared).unwrap();
    let mut state = integrator.state(problem.start.clone());
    let mut diagnostics = problem.diagnostics().unwrap();
    let initial = diagnostics.kept(&state.values).unwrap().energy;
    let mut worst = 0.0f64;
    for _ in 0..steps {
        integrator.advance(&mut state, h, 1).unwrap();
        worst = worst.max((diagnostics.kept(&state.values).unwrap().energy - initial).abs());
    }
    (state.values, worst)
}

fn gauss(stages: usize) -> Method {
    Method::Gauss { stages }
}

fn distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt()
}

/// The bicycle in the bowl at t = 10, by collocation in 34 digits on the Hamiltonian in closed form,
/// H = N²/(2D) + p_φ²/2 − cos r with N = ℓ (p_x cos φ + p_y sin φ) + p_θ sin(φ − θ), D = ℓ² + sin²(φ − θ).
const BOWL: [f64; 8] = [
    0.22041471251273087,
    0.01524846443700334,
    -0.02486270287409167,
    2.087221083021868,
    -1.2510357634832163,
    0.4264985667299731,
    -0.17478692940589477,
    0.21170399608412283,
];

#[test]
fn the_bicycle_in_the_bowl_reaches_its_reference() {
    let bicycle = posed(BICYCLE);
    let (state, _) = walked(&bicycle, gauss(6), 0.05, 200);
    assert!(distance(&state, &BOWL) < 1e-12, "{:e}", distance(&state, &BOWL));
}

#[test]
fn gauss_methods_have_their_orders_on_the_bicycle() {
    let bicycle = posed(BICYCLE);
    let error =
        |stages: usize, steps: u64| distance(&walked(&bicycle, gauss(stages), 10.0 / steps as f64, steps).0, &BOWL);
    // By the same independent measurement.
    assert!((error(1, 100) / 9.91508237e-4 - 1.0).abs() < 1e-6);
    for (stages, steps) in [(1, 200), (2, 100), (3, 40)] {
        let order = (error(stages, steps) / error(stages, 2 * steps)).log2();
        assert!((order - 2.0 * stages as f64).abs() < 0.05, "{stages} stages: {order}");
    }
}

#[test]
fn the_midpoint_rule_on_a_circle_is_off_by_its_closed_form() {
    // Without the bowl the frame may turn on a circle of radius ℓ with the angular velocity a = 1. The midpoint rule keeps
    // angles and momenta and puts (x, y) on a circle of radius R = ℓ (a h/2)/sin(a h/2): it is off by 2 (R − ℓ)|sin(a t/2)|.
    let circle = BICYCLE
        .replace("depth = 1", "depth = 0")
        .replace("initial x = 0.15, phi = pi/4, p_y = 1", "initial x = 0.3, phi = pi/2, p_theta = 1.09, p_phi = 1");
    let circle = posed(&circle);
    for (h, steps) in [(0.5, 20), (0.1, 100)] {
        let (state, _) = walked(&circle, Method::ImplicitMidpoint, h, steps);
        let t = 10.0f64;
        let exact = [0.3 * t.cos(), 0.3 * t.sin(), t, t + PI / 2.0, 0.0, 0.0, 1.09, 1.0];
        let radius = 0.3 * (h / 2.0) / f64::sin(h / 2.0);
        let expected = 2.0 * (radius - 0.3) * f64::sin(t / 2.0).abs();
        let error = distance(&state, &exact);
        assert!((error / expected - 1.0).abs() < 1e-9, "h = {h}: {error:e} instead of {expected:e}");
    }
}

#[test]
fn the_energy_error_of_the_midpoint_rule_is_known() {
    let (_, error) = walked(&posed(BICYCLE), Method::ImplicitMidpoint, 0.01, 1000);
    assert!((error / 7.060366e-8 - 1.0).abs() < 1e-4, "{error:e}");
}

/// ∫ f from 0 to b by Gauss–Legendre quadrature with five points on many pieces.
fn integral(f: impl Fn(f64) -> f64, b: f64) -> f64 {
    let nodes = [
        (0.0, 128.0 / 225.0),
        ((5.0 - 2.0 * (10.0f64 / 7.0).sqrt()).sqrt() / 3.0, (322.0 + 13.0 * 70f64.sqrt()) / 900.0),
        ((5.0 + 2.0 * (10.0f64 / 7.0).sqrt()).sqrt() / 3.0, (322.0 - 13.0 * 70f64.sqrt()) / 900.0),
    ];
    let pieces = 400;
    let h = b / f64::from(pieces);
    let piece = |k: i32| {
        let middle = (f64::from(k) + 0.5) * h;
        let pair = |(x, w): (f64, f64)| match x {
            0.0 => w * f(middle),
            x => w * (f(middle - x * h / 2.0) + f(middle + x * h / 2.0)),
        };
        nodes.map(pair).iter().sum::<f64>() * h / 2.0
    };
    (0..pieces).map(piece).sum()
}

/// The Heisenberg particle from the origin with p = (0.1, 0.3, 1) at time t: r = (v₀/ω) sin u with E(u | m) = ω t,
/// φ = φ₀ − (p_z/ω) F(u | m), z = p_z t + φ − φ₀, with v₀² = p_x² + p_y², ω² = p_z² − v₀², m = −v₀²/ω².
fn heisenberg(t: f64) -> [f64; 3] {
    let (speed, omega) = (0.1f64.sqrt(), 0.9f64.sqrt());
    let m = -0.1 / 0.9;
    let root = |u: f64| (1.0 - m * u.sin().powi(2)).sqrt();
    let mut u = omega * t;
    for _ in 0..50 {
        u -= (integral(root, u) - omega * t) / root(u);
    }
    let turned = -integral(|u| 1.0 / root(u), u) / omega;
    let (r, angle) = (speed / omega * u.sin(), 0.3f64.atan2(0.1) + turned);
    [r * angle.cos(), r * angle.sin(), t + turned]
}

#[test]
fn the_heisenberg_particle_follows_its_elliptic_closed_form() {
    for text in [HEISENBERG, HEISENBERG_FORM] {
        let problem = posed(text);
        let (state, _) = walked(&problem, gauss(4), 0.05, 1000);
        let error = distance(&state[..3], &heisenberg(50.0));
        assert!(error < 1e-10, "{error:e}");
        let momentum = state[0] * state[4] - state[1] * state[3];
        assert!((state[5] - 1.0).abs() < 1e-14 && momentum.abs() < 1e-14, "{state:?}");
    }
}

/// The largest change of ω on all tangent vectors after some steps, not relative to anything.
fn two_form(problem: &Instance, method: Method, h: f64, steps: u64) -> f64 {
    let prepared = problem.prepare(method).unwrap();
    let parameters = |p: &[f64]| p.iter().map(|&p| Dual::constant(p)).collect::<Vec<Dual<f64>>>();
    let n = problem.start.len();
    let mut images = vec![];
    for k in 0..n {
        let view = problem.equations.compiled.view(Tape, parameters(&problem.parameters));
        let mut stepper = prepared.stepper(&view).unwrap();
        let mut machine = Numeric::new(prepared.plan(), NewtonOptions::default()).unwrap();
        let value = |(j, &z): (usize, &f64)| Dual { value: z, tangent: [f64::from(u8::from(j == k))] };
        let mut state = State::new(problem.start.iter().enumerate().map(value).collect(), stepper.memory());
        let mut next = state.clone();
        for _ in 0..steps {
            stepper.step(&mut machine, Dual::from_f64(h), &state, &mut next).unwrap();
            std::mem::swap(&mut state, &mut next);
        }
        images.push(state.values.iter().map(|d| d.tangent[0]).collect::<Vec<f64>>());
    }
    let unit = |k: usize| (0..n).map(|j| f64::from(u8::from(j == k))).collect::<Vec<f64>>();
    let vectors: Vec<Vec<f64>> = (0..n).map(unit).collect();
    SymplecticDefect::canonical(n / 2).measure(&vectors, &images).unwrap().absolute
}

#[test]
fn the_two_form_is_kept_by_gauss_methods_alone() {
    let bicycle = posed(BICYCLE);
    for stages in 1..=3 {
        let defect = two_form(&bicycle, gauss(stages), 0.1, 100);
        assert!(defect < 1e-13, "{stages} stages: {defect:e}");
    }
    assert!(two_form(&bicycle, Method::Rk4, 0.1, 100) > 1e-7);
}

/// Pairs of Runge–Kutta methods, one for q and one for p, with λ where each of them evaluates H.
#[test]
fn partitioned_methods_keep_the_two_form_and_their_orders() {
    let bicycle = posed(BICYCLE);
    let error = |method: Method, steps: u64| distance(&walked(&bicycle, method, 10.0 / steps as f64, steps).0, &BOWL);
    for (method, order) in [
        (Method::SymplecticEuler, 1.0),
        (Method::StormerVerlet, 2.0),
        (Method::Lobatto3A3B { stages: 2 }, 2.0),
        (Method::Lobatto3A3B { stages: 3 }, 4.0),
    ] {
        let defect = two_form(&bicycle, method, 0.1, 100);
        assert!(defect < 2e-13, "{method:?}: {defect:e}");
        let found = (error(method, 400) / error(method, 800)).log2();
        assert!((found - order).abs() < 0.05, "{method:?}: order {found}");
    }
}

/// Unit speed: L = ½ |q̇|² − a x with ½ (|q̇|² − 1) = 0. Then p = (1 − λ) q̇ and H = |p| + a x − ½ on the branch λ < 1, so that
/// from p = (0, c), with s = a t/c, x = (c/a)(1 − √(1 + s²)), y = (c/a) asinh s.
const UNIT_SPEED: &str = "param a = 0.8\ncoord x, y\nlagrangian (x'^2 + y'^2)/2 - a*x\n\
    vakonomic speed: (x'^2 + y'^2 - 1)/2 = 0\n";

fn unit_speed(c: f64, t: f64) -> [f64; 4] {
    let (a, s) = (0.8, 0.8 * t / c);
    [c / a * (1.0 - f64::hypot(1.0, s)), c / a * s.asinh(), -a * t, c]
}

#[test]
fn a_constraint_nonlinear_in_the_velocities_keeps_its_branch() {
    for initial in ["initial p_y = 1.5", "initial y' = 1, lambda_speed = -0.5"] {
        let problem = posed(&format!("{UNIT_SPEED}{initial}\n"));
        assert!(matches!(problem.equations.motion.law, Law::Form(_)));
        // x, y, p_x, p_y, x', y', λ.
        assert!(distance(&problem.start, &[0.0, 0.0, 0.0, 1.5, 0.0, 1.0, -0.5]) < 1e-15, "{:?}", problem.start);
        let error = |steps: u64| {
            let (state, _) = walked(&problem, gauss(2), 3.0 / steps as f64, steps);
            distance(&state[..4], &unit_speed(1.5, 3.0))
        };
        let (coarse, fine) = (error(30), error(60));
        assert!(fine < 1e-7 && ((coarse / fine).log2() - 4.0).abs() < 0.1, "{coarse:e} {fine:e}");
    }
    // The other branch: the particle goes against its momentum.
    let other = posed(&format!("{UNIT_SPEED}initial y' = -1, lambda_speed = 2.5\n"));
    let (state, _) = walked(&other, gauss(3), 0.05, 60);
    let mirrored = unit_speed(1.5, 3.0);
    assert!(distance(&state[..4], &[-mirrored[0], -mirrored[1], mirrored[2], 1.5]) < 1e-8, "{state:?}");
}

/// The momentum passes near zero, where the branches ±|p| of 1 − λ meet: with steps that are too large the particle would
/// go on along the other one.
#[test]
fn a_jump_to_another_branch_of_the_multiplier_is_an_error() {
    let problem = posed(&format!("{UNIT_SPEED}initial p_x = 0.4, p_y = 0.001\n"));
    let run = |h: f64, steps: u64| {
        let prepared = problem.prepare(gauss(2)).unwrap();
        let (integrator, diagnostics) = (problem.integrator(&prepared).unwrap(), problem.diagnostics().unwrap());
        let schedule = Schedule::count(h, steps, 1).unwrap();
        let mut run = Run::new(integrator, diagnostics, schedule, problem.start.clone()).unwrap();
        let end = run.go(&Limits::default(), &mut []).unwrap();
        (end, run.state().values.clone(), run.time())
    };
    let (end, state, time) = run(0.07, 10);
    let End::Failed(failure) = end else { panic!("it went on: {state:?}") };
    assert!(matches!(failure.kind(), FailureKind::Ended | FailureKind::Torn), "{failure}");
    assert!((0.42..0.5).contains(&time) && state[6] < 1.0, "{time} {state:?}");
    // Steps that resolve the turn, which takes about p_y/a.
    let (end, state, _) = run(1e-4, 7000);
    assert!(matches!(end, End::Finished));
    let exact = |t: f64| {
        let p = 0.4 - 0.8 * t;
        let x = (f64::hypot(0.4, 0.001) - f64::hypot(p, 0.001)) / 0.8;
        [x, 0.001 / 0.8 * (f64::asinh(400.0) - f64::asinh(p / 0.001)), p, 0.001]
    };
    assert!(distance(&state[..4], &exact(0.7)) < 1e-8, "{state:?}");
}

/// Geodesics of the Heisenberg group with L = ½ (ẋ² + ẏ²), which is singular: circles in the plane.
#[test]
fn a_singular_lagrangian_with_a_velocity_constraint_is_of_index_one() {
    let (c, lambda, t) = (0.8, 1.3, 2.0f64);
    let text = format!(
        "coord x, y, z\nlagrangian (x'^2 + y'^2)/2\nvakonomic contact: z' + (y*x' - x*y')/2 = 0\n\
         initial x' = {c}, lambda_contact = {lambda}\n"
    );
    let problem = posed(&text);
    let (sin, cos) = f64::sin_cos(lambda * t);
    let exact = [c * sin / lambda, -c * (1.0 - cos) / lambda, c * c / (2.0 * lambda) * (sin / lambda - t)];
    let error = |steps: u64| distance(&walked(&problem, gauss(2), t / steps as f64, steps).0[..3], &exact);
    let (coarse, fine) = (error(20), error(40));
    assert!(fine < 1e-6 && ((coarse / fine).log2() - 4.0).abs() < 0.05, "{coarse:e} {fine:e}");
    let (state, _) = walked(&problem, gauss(5), 0.05, 40);
    assert!(distance(&state[..3], &exact) < 1e-13);
}

/// The Heisenberg particle under gravity on the cylinder x² + y² = 1: there ż = −ȧ, and 2ä = γ.
const CYLINDER: &str = "param gamma = 0.7\ncoord x, y, z\nlagrangian (x'^2 + y'^2 + z'^2)/2 - gamma*z\n\
    vakonomic contact: z' - y*x' + x*y' = 0\nconstraint wall: (x^2 + y^2 - 1)/2 = 0\n\
    initial x = 1, y' = 0.5, z' = -0.5, lambda_contact = 0.2\n";

#[test]
fn velocity_and_holonomic_constraints_hold_together() {
    let problem = posed(CYLINDER);
    let t = 3.0;
    let a = 0.5 * t + 0.7 * t * t / 4.0;
    let exact = [f64::cos(a), f64::sin(a), -a];
    let reich = Recipe::from(Method::Reich { inner: Inner::ImplicitMidpoint });
    let order = |recipe: &Recipe, steps: u64| {
        let error = |steps: u64| distance(&walked(&problem, recipe.clone(), t / steps as f64, steps).0[..3], &exact);
        (error(2 * steps), (error(steps) / error(2 * steps)).log2())
    };
    for recipe in [&reich, &Method::Rattle.into()] {
        let (error, order) = order(recipe, 60);
        assert!(error < 1e-3 && (order - 2.0).abs() < 0.05, "{recipe:?}: {error:e}, order {order}");
    }
    let (error, fourth) = order(&reich.clone().composed(Composition::Suzuki4), 30);
    assert!(error < 1e-6 && (fourth - 4.0).abs() < 0.15, "{error:e}, order {fourth}");
    let (state, _) = walked(&problem, reich, 0.02, 150);
    let velocity = [-state[1], state[0]];
    assert!((f64::hypot(state[0], state[1]) - 1.0).abs() < 1e-15);
    assert!(velocity.iter().all(|v| v.is_finite()));
}

/// On the unit sphere ż = y ẋ − x ẏ leaves the direction of the curves z = −tanh(a − c), a the angle about the axis. With
/// z = −sin w the kinetic energy is ẇ², and 2ẅ = −k sin w cos w: θ = 2w is the angle of a pendulum with g = k/2.
#[test]
fn a_velocity_constraint_on_a_sphere_is_a_pendulum() {
    let problem = posed(include_str!("../../../models/heisenberg-sphere.cot"));
    let pendulum = Pendulum::from_angle(1.0, 0.0, 1.0).unwrap();
    let exact = |t: f64| {
        let [x, y] = pendulum.at(t).position;
        let w = x.atan2(-y) / 2.0;
        let angle = 0.8f64.atan2(0.6) + w.sin().atanh();
        [w.cos() * angle.cos(), w.cos() * angle.sin(), -w.sin()]
    };
    let error = |recipe: &Recipe, steps: u64| {
        let (state, _) = walked(&problem, recipe.clone(), 6.0 / steps as f64, steps);
        assert!((state[..3].iter().map(|x| x * x).sum::<f64>() - 1.0).abs() < 4e-15);
        distance(&state[..3], &exact(6.0))
    };
    let reich = Recipe::from(Method::Reich { inner: Inner::ImplicitMidpoint });
    for (recipe, order, steps) in [
        (reich.clone(), 2.0, 200),
        (Method::Rattle.into(), 2.0, 200),
        (reich.clone().composed(Composition::Suzuki4), 4.0, 60),
        (reich.composed(Composition::KahanLi6), 6.0, 60),
    ] {
        let (coarse, fine) = (error(&recipe, steps), error(&recipe, 2 * steps));
        let found = (coarse / fine).log2();
        assert!((found - order).abs() < 0.1 && fine < 1e-3, "{recipe:?}: {coarse:e}, {fine:e}, order {found}");
    }
}

/// With a full mass matrix, where nothing is known in closed form: the equations of Dirac's analysis, by another method.
#[test]
fn index_one_and_the_analysis_agree_on_a_sphere() {
    let text = "coord x, y, z\nlagrangian (x'^2 + y'^2 + 2*z'^2 + x'*z')/2 - x*y\nvakonomic contact: z' - y*x' + x*y' = 0\n\
        constraint ball: (x^2 + y^2 + z^2 - 1)/2 = 0\ninitial x = 0.6, y = 0.8, x' = -0.4, y' = 0.3, z' = -0.5, \
        lambda_contact = 0.3\n";
    let (own, dirac) = (posed(text), posed_as(text, Formulation::HamiltonDirac).unwrap());
    let recipe = Recipe::from(Method::Reich { inner: Inner::Gauss { stages: 2 } }).composed(Composition::KahanLi8);
    let (state, _) = walked(&own, recipe, 0.02, 50);
    let (reference, _) = walked(&dirac, Method::Dop853 { tolerance: Some(1e-14) }, 0.02, 50);
    assert!(distance(&state[..3], &reference[..3]) < 1e-10, "{state:?} {reference:?}");
}

#[test]
fn the_analysis_leads_to_the_same_motions() {
    for text in [BICYCLE, HEISENBERG] {
        let n = posed(text).start.len() / 2;
        let (own, _) = walked(&posed(text), gauss(4), 0.05, 40);
        let dirac = posed_as(text, Formulation::HamiltonDirac).unwrap();
        let (reference, _) = walked(&dirac, Method::Dop853 { tolerance: Some(1e-14) }, 0.05, 40);
        assert!(distance(&own[..n], &reference[..n]) < 1e-11);
    }
}

/// A rod p = q̇ of length one as J ż = ∇H with H = ½|p|² + λ φ: momenta would not converge (`velocity_branches.rs`).
#[test]
fn a_holonomic_constraint_in_disguise_is_refused() {
    let text = "variables x, y, u, v, lambda\nform (u, x) = 1, (v, y) = 1\n\
        hamiltonian (u^2 + v^2)/2 + lambda*(x^2 + y^2 - 1)/2\ninitial x = 1, v = 1, lambda = 1\n";
    let refused = posed_as(text, Formulation::IndexOne).unwrap_err();
    let expected = ProblemError::NotIndexOne { variables: vec!["lambda".into()] };
    assert!(matches!(&refused, PoseError::Problem(e) if *e == expected), "{refused}");
    // The analysis takes it for what it is, and so does `run`.
    let model = Model::new(&System::parse(text).unwrap(), &Limits::default());
    assert_eq!(model.preferred(&[]).unwrap().formulation, Formulation::HamiltonDirac);
}

#[test]
fn velocity_constraints_that_say_the_same_are_named() {
    let text = "coord x, y, z\nlagrangian (x'^2 + y'^2 + z'^2)/2\nvakonomic a: x' - y*z' = 0, b: 2*x' - 2*y*z' = 0\n\
        initial y = 1, p_z = 1\n";
    let refused = posed_as(text, Formulation::IndexOne).unwrap_err();
    let expected = ProblemError::DependentVelocities { name: "b".into() };
    assert!(matches!(&refused, PoseError::Problem(e) if *e == expected), "{refused}");
}

#[test]
fn a_multiplier_that_contradicts_the_momenta_is_refused_and_one_that_is_not_given_is_found() {
    let wrong = HEISENBERG_FORM.replace("lambda = -1 ", "lambda = -2 ");
    let refused = posed_as(&wrong, Formulation::IndexOne).unwrap_err();
    let expected = ProblemError::Contradicted { name: "lambda".into(), given: -2.0, found: -1.0 };
    assert!(matches!(&refused, PoseError::Problem(e) if *e == expected), "{refused}");
    let open = posed(&HEISENBERG_FORM.replace(", lambda = -1 ", " "));
    assert_eq!(open.determined, [("lambda".to_owned(), -1.0)]);
}

#[test]
fn methods_that_solve_for_rates_refuse_variables_without_any() {
    let problem = posed(HEISENBERG_FORM);
    let method = Method::Rk4;
    assert_eq!(problem.prepare(method).unwrap_err(), Refusal::UnknownMultipliers { method });
}
