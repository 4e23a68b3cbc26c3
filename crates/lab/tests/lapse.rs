//! Adaptive steps by a lapse: the pendulum of Tyranowski's paper, Kepler's problem, constraints.
//!
//! The states and energy errors of the pendulum were computed independently, in the closed form of the scheme; the reference for
//! orders is the solution in high precision.

use cotangent_compile::Engine;
use cotangent_dynamics::Advance;
use cotangent_integrate::{Composition, Method, Recipe};
use cotangent_lab::Run;
use cotangent_lab::certificate::{Certificate, Options};
use cotangent_model::System;
use cotangent_observe::{End, Schedule};
use cotangent_problem::{Instance, Repairs};
use cotangent_scalar::Limits;
use cotangent_theory::Formulation;

const PENDULUM: &str = "coord q\nlagrangian q'^2/2 - (1 - cos(q))\ninitial q = 0, q' = 1\n";

/// ε = 0.01 and the paper's factor.
const PAPER: Formulation = Formulation::Lapse { epsilon: 0.01, factor: 1.0, power: 1.5 };
const CORRECTED: Formulation = Formulation::Lapse { epsilon: 0.01, factor: 2.0, power: 1.5 };

fn with_lapse(text: &str, lapse: &str, formulation: Formulation) -> Instance {
    let system = System::parse(&format!("{text}run lapse = {lapse}\n")).unwrap();
    Instance::new(&system, formulation, &[], Repairs::default(), Engine::Best).unwrap()
}

/// The states after so many steps, (q, t, p, p_t) each.
fn states(problem: &Instance, recipe: impl Into<Recipe>, h: f64, steps: u64) -> Vec<Vec<f64>> {
    let prepared = problem.prepare(recipe).unwrap();
    let mut integrator = problem.integrator(&prepared).unwrap();
    let mut state = integrator.state(problem.start.clone());
    let mut list = vec![state.values.clone()];
    for _ in 0..steps {
        integrator.advance(&mut state, h, 1).unwrap();
        list.push(state.values.clone());
    }
    list
}

/// H of the pendulum.
fn energy(z: &[f64]) -> f64 {
    z[2] * z[2] / 2.0 + 1.0 - z[0].cos()
}

#[test]
fn the_scheme_of_the_paper_goes_through_the_states_of_its_closed_form() {
    // (step, t, q, v, λ) from (0, 1) with h = ε = 0.01 and λ = 0.
    let poses = [
        (1, 0.01400280084028, 0.01400280084028, 0.99980392797476, -9.80151893689e-5),
        (10, 0.14041399828821, 0.13995810893570, 0.98918853588633, -9.748611889056e-4),
        (100, 2.50329884675158, 0.75437578973484, -0.68289094679960, 4.470857115235e-3),
        (1000, 21.64708838843105, 1.03130027204106, 0.13922151285193, -4.012373353253e-3),
    ];
    let phase = [
        (1, 0.01400280084028, 0.01400280084028, 0.99980392798523, -9.801517890401e-5),
        (10, 0.13965197815956, 0.13920341979350, 0.98931729518657, -9.524840405022e-4),
        (100, 1.25385799053079, 0.96709515709923, 0.36327448064891, -1.709132024696e-3),
        (1000, 12.21355996945869, -0.97380202640860, 0.35740787571290, 1.710979172577e-3),
    ];
    for (lapse, known) in [("equispaced-poses", poses), ("equispaced-phase", phase)] {
        let problem = with_lapse(PENDULUM, lapse, PAPER);
        let found = states(&problem, Method::HamiltonPontryagin, 0.01, 1000);
        for (step, t, q, v, lambda) in known {
            let z = &found[step];
            let error = [z[1] - t, z[0] - q, z[2] - v, energy(z) - 0.5 - lambda].map(f64::abs);
            // Fourteen digits were written down.
            assert!(error.iter().all(|e| *e < 1e-12), "{lapse} {step}: {error:?}");
            assert_eq!(z[3], -0.5);
        }
    }
}

#[test]
fn its_energy_error_is_that_of_the_paper_and_stays_bounded() {
    for (lapse, at_first, bound) in
        [("equispaced-poses", 5.984034e-3, 5.989e-3), ("equispaced-phase", 2.858778e-3, 2.860e-3)]
    {
        let problem = with_lapse(PENDULUM, lapse, PAPER);
        let largest = |list: &[Vec<f64>]| list.iter().map(|z| (energy(z) - 0.5).abs()).fold(0.0, f64::max);
        let first = largest(&states(&problem, Method::HamiltonPontryagin, 0.01, 4000));
        assert!((first - at_first).abs() < 1e-9, "{lapse}: {first}");
        let prepared = problem.prepare(Method::HamiltonPontryagin).unwrap();
        let integrator = problem.integrator(&prepared).unwrap();
        let schedule = Schedule::count(0.01, 1_000_000, 1_000_000).unwrap();
        let mut run = Run::new(integrator, problem.diagnostics().unwrap(), schedule, problem.start.clone()).unwrap();
        assert!(matches!(run.go(&Limits::default(), &mut []), Ok(End::Finished)));
        let largest = run.energy().max_deviation;
        assert!(largest <= bound && largest >= at_first - 1e-9, "{lapse}: {largest}");
    }
}

#[test]
fn the_points_of_phase_space_are_equally_spaced_with_the_corrected_factor_only() {
    let spacing = |formulation: Formulation| {
        let problem = with_lapse(PENDULUM, "equispaced-phase", formulation);
        let list = states(&problem, Method::HamiltonPontryagin, 0.01, 4000);
        let apart = |w: &[Vec<f64>]| (w[1][0] - w[0][0]).hypot(w[1][2] - w[0][2]) / 0.01;
        let all: Vec<f64> = list.windows(2).map(apart).collect();
        let (min, max) = all.iter().fold((f64::MAX, 0.0f64), |(a, b), s| (a.min(*s), b.max(*s)));
        [min, max, (max - min) / (all.iter().sum::<f64>() / all.len() as f64)]
    };
    let [min, max, variation] = spacing(CORRECTED);
    assert!(
        (min - 0.9929).abs() < 1e-3 && (max - 0.9966).abs() < 1e-3 && variation <= 0.004,
        "{min} {max} {variation}"
    );
    let [min, max, _] = spacing(PAPER);
    assert!((min - 0.9934).abs() < 1e-3 && (max - 1.4005).abs() < 1e-3, "{min} {max}");
}

/// A pendulum, Kepler's problem with e = 0.6 from its pericentre, and one with a full mass matrix.
const KEPLER: &str = "coord x, y\nlagrangian (x'^2 + y'^2)/2 + 1/sqrt(x^2 + y^2)\ninitial x = 0.4, y' = 2\n";
const COUPLED: &str = "coord a, b\nlagrangian (2*a'^2 + 2*a'*b' + 3*b'^2)/2 - (a^2 + b^2)/2 - a^4/4 + cos(b)\n\
    initial a = 0.3, b = 0.8, a' = 0.5, b' = -0.2\n";

#[test]
fn the_symmetric_method_and_its_compositions_have_their_order_and_are_symplectic() {
    let problems = [
        (PENDULUM, "equispaced-phase", 0.02),
        (KEPLER, "sqrt(x^2 + y^2)", 0.05),
        (COUPLED, "1/sqrt(1 + a^2 + b^2)", 0.05),
    ];
    let recipes: [(Recipe, u32); 5] = [
        (Method::HamiltonPontryagin.into(), 1),
        (Method::Rattle.into(), 2),
        (Recipe::from(Method::Rattle).composed(Composition::named("suzuki-4")), 4),
        (Recipe::from(Method::Rattle).composed(Composition::named("kahan-li-6")), 6),
        (Method::Gauss { stages: 2 }.into(), 4),
    ];
    for (text, lapse, step) in problems {
        let problem = with_lapse(text, lapse, CORRECTED);
        for (recipe, order) in &recipes {
            let prepared = problem.prepare(recipe.clone()).unwrap();
            let options = Options { step, steps: 200 };
            let certificate = Certificate::new(&problem, &prepared, options).unwrap();
            assert_eq!((certificate.order.claimed, certificate.order.held), (*order, Some(true)), "{lapse} {recipe:?}");
            let symplectic = &certificate.symplectic_defect;
            assert_eq!((symplectic.claimed, symplectic.held), (true, Some(true)), "{lapse} {recipe:?} {symplectic:?}");
        }
    }
}

/// A run of so many steps, every one measured.
fn run(problem: &Instance, recipe: impl Into<Recipe>, schedule: Schedule) -> (Run, End) {
    let prepared = problem.prepare(recipe).unwrap();
    let integrator = problem.integrator(&prepared).unwrap();
    let schedule = Schedule { record: 1 << 40, ..schedule };
    let mut run = Run::new(integrator, problem.diagnostics().unwrap(), schedule, problem.start.clone()).unwrap();
    let end = run.go(&Limits::default(), &mut []).unwrap();
    (run, end)
}

/// e = 0.99 from the pericentre, in units of the semi-major axis: the period is 2π.
const COMET: &str = "coord x, y\nhamiltonian (p_x^2 + p_y^2)/2 - 1/sqrt(x^2 + y^2)\n\
    initial x = 1/100, p_y = sqrt(199)\n";

#[test]
fn a_thousand_revolutions_of_a_comet_with_two_thousand_steps_each() {
    let revolutions = 1000;
    // ∫dt/r = ∫dE = 2π and ∫dt/r^(3/2) = ∫dE/√(1 − e cos E) with the eccentric anomaly E.
    let points = 100_000;
    let anomaly = |k: u32| std::f64::consts::TAU * (f64::from(k) + 0.5) / f64::from(points);
    let periods = [
        std::f64::consts::TAU,
        (0..points).map(|k| (1.0 - 0.99 * anomaly(k).cos()).sqrt().recip()).sum::<f64>() * std::f64::consts::TAU
            / f64::from(points),
    ];
    for (power, period, bound) in [(1.0, periods[0], 4e-3), (1.5, periods[1], 3e-4)] {
        let formulation = Formulation::Lapse { epsilon: 0.01, factor: 2.0, power };
        let problem = with_lapse(COMET, "kepler", formulation);
        let schedule = Schedule::count(period / 2000.0, 2000 * revolutions, 1).unwrap();
        let (run, end) = run(&problem, Method::Rattle, schedule);
        assert!(matches!(end, End::Finished));
        let error = run.energy().max_deviation;
        assert!(error <= bound && error > bound / 100.0, "{power}: {error:e}");
        // Time has passed as it should, to the accuracy of the period.
        let turns = run.time() / std::f64::consts::TAU;
        assert!((turns / revolutions as f64 - 1.0).abs() < 0.02, "{power}: {turns}");
        let [least, largest] = run.monitor().pace.unwrap();
        assert!((least / 0.01f64.powf(power) - 1.0).abs() < 1e-2 && (largest / 1.99f64.powf(power) - 1.0).abs() < 0.05);
    }
    // As many evaluations of the force, evenly.
    let system = System::parse(COMET).unwrap();
    let plain = Instance::new(&system, Formulation::Multipliers, &[], Repairs::default(), Engine::Best).unwrap();
    let schedule = Schedule::count(std::f64::consts::TAU / 2000.0, 2000 * revolutions, 1).unwrap();
    let (run, _) = run(&plain, Method::StormerVerlet, schedule);
    assert!(run.energy().max_deviation > 1.0, "{}", run.energy().max_deviation);
}

/// The shipped model of a bead on a sphere, which a charge at the pole repels.
const BEAD: &str = "param k = 0.001\ncoord x, y, z\nlagrangian (x'^2 + y'^2 + z'^2)/2 - k/(1 - z)\n\
    constraint sphere: (x^2 + y^2 + z^2 - 1)/2 = 0\ninitial x = 1, z' = 1, y' = 0.02\n";

#[test]
fn steps_on_a_constraint_manifold_vary_and_the_constraints_hold_at_round_off() {
    let problem = with_lapse(BEAD, "sqrt(1 - z)", CORRECTED);
    let (run, end) = run(&problem, Method::Rattle, Schedule::until(0.01, 500.0, 1).unwrap());
    assert!(matches!(end, End::Finished));
    assert_eq!(run.time(), 500.0);
    let [least, largest] = run.monitor().pace.unwrap();
    assert!(largest / least >= 20.0, "{least} {largest}");
    // Energy: bounded by what it is in the first tenth.
    let (first, _) = self::run(&problem, Method::Rattle, Schedule::until(0.01, 50.0, 1).unwrap());
    let [early, all] = [first.energy(), run.energy()].map(|e| e.max_deviation);
    assert!(all < 2e-4 && all < 1.5 * early, "{early:e} {all:e}");
    for residual in run.constraints().iter().chain(run.hidden_constraints()) {
        assert!(residual.max_abs < 1e-15, "{residual:?}");
    }
    // The multiplier is the force in physical time: λ = −(v² − k z/(1 − z)²) at |q| = 1, from q·q̈ = −v².
    let z = problem.start.clone();
    let mut diagnostics = problem.diagnostics().unwrap();
    let mut force = [0.0];
    cotangent_dynamics::Measure::multipliers(&mut diagnostics, &z, &mut force).unwrap();
    let v2 = 1.0 + 0.02 * 0.02;
    assert!((force[0].abs() - v2).abs() < 1e-14, "{force:?} {v2}");
    let prepared = problem.prepare(Method::Rattle).unwrap();
    let certificate = Certificate::new(&problem, &prepared, Options { step: 0.01, steps: 500 }).unwrap();
    assert_eq!((certificate.order.claimed, certificate.order.held), (2, Some(true)));
    assert_eq!(certificate.symplectic_defect.held, Some(true));
    assert_eq!(certificate.constraint_defect.held, Some(true));
}

#[test]
fn a_run_ends_at_the_physical_time_it_is_told_and_the_step_to_there_is_one_of_the_method() {
    let problem = with_lapse(KEPLER, "sqrt(x^2 + y^2)", CORRECTED);
    for (method, step) in
        [(Method::Rattle, 0.01), (Method::Gauss { stages: 2 }, 0.05), (Method::HamiltonPontryagin, -0.01)]
    {
        let until = if step > 0.0 { 10.0 } else { -10.0 };
        let (run, end) = run(&problem, method, Schedule::until(step, until, 1).unwrap());
        assert!(matches!(end, End::Finished));
        assert_eq!(run.time(), until);
        let parameter = run.parameter_time().unwrap();
        let full = run.done() - 1;
        let last = parameter - full as f64 * step;
        assert!(last / step > 0.0 && last / step <= 1.0, "{method:?} {last}");
        // The same steps by hand.
        let prepared = problem.prepare(method).unwrap();
        let mut integrator = problem.integrator(&prepared).unwrap();
        let mut state = integrator.state(problem.start.clone());
        integrator.advance(&mut state, step, full).unwrap();
        integrator.advance(&mut state, last, 1).unwrap();
        let apart = state.values.iter().zip(&run.state().values).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(apart < 1e-13, "{method:?} {apart:e}");
    }
}

#[test]
fn a_step_that_has_no_real_solution_or_no_lapse_ends_the_run_at_the_last_good_state() {
    let text = "coord q\nlagrangian q'^2/2 - (1 - cos(q))\ninitial q = 0, q' = 1\n";
    // hV′/ε > 1 at the turning point.
    let problem = with_lapse(text, "equispaced-poses", PAPER);
    let (failed, end) = run(&problem, Method::HamiltonPontryagin, Schedule::until(0.015, 100.0, 1).unwrap());
    assert!(matches!(end, End::Failed(_)), "{end:?}");
    assert!(failed.time() > 1.0 && failed.state().values.iter().all(|z| z.is_finite()));
    // The symmetric method goes on where that of first order does not.
    let (_, end) = run(&problem, Method::Rattle, Schedule::until(0.015, 20.0, 1).unwrap());
    assert!(matches!(end, End::Finished), "{end:?}");
    // A lapse that falls through zero on the way.
    let problem = with_lapse(text, "0.5 - q", CORRECTED);
    let (failed, end) = run(&problem, Method::SymplecticEuler, Schedule::until(0.3, 100.0, 1).unwrap());
    let End::Failed(failure) = end else {
        // Time may also slow down for ever before it stops.
        panic!("{:?} {}", end, failed.time())
    };
    assert!(failed.state().values[0] < 0.5, "{failure}");
}

#[test]
fn built_in_lapses_are_what_they_say_for_any_mass_matrix() {
    use cotangent_dynamics::Measure;
    // M = [[2, 1], [1, 3]], V = (a² + b²)/2 + a⁴/4 − cos b at (0.3, 0.8) with (0.5, −0.2).
    let (a, b, v, w) = (0.3f64, 0.8f64, 0.5f64, -0.2f64);
    let kinetic = (2.0 * v * v + 2.0 * v * w + 3.0 * w * w) / 2.0;
    let (f, g) = (a + a * a * a, b + b.sin());
    let square = (3.0 * f * f - 2.0 * f * g + 2.0 * g * g) / 5.0;
    let expected = [
        ("equispaced-poses", 1.0 / (kinetic + 0.01f64).sqrt()),
        ("arc-length", 1.0 / (2.0 * kinetic + 0.01f64).sqrt()),
        ("equispaced-phase", 1.0 / (2.0 * kinetic + square + 0.01f64).sqrt()),
        ("kepler", (a * a + b * b).powf(0.75)),
    ];
    for (lapse, expected) in expected {
        let problem = with_lapse(COUPLED, lapse, CORRECTED);
        let pace = problem.diagnostics().unwrap().pace(&problem.start).unwrap();
        assert!((pace / expected - 1.0).abs() < 1e-14, "{lapse}: {pace} {expected}");
    }
}

#[test]
fn a_lapse_may_depend_on_velocities() {
    // Γ = 1/(1 + |v|): K is canonical all the same.
    let problem = with_lapse(KEPLER, "1/(1 + sqrt(x'^2 + y'^2))", CORRECTED);
    let prepared = problem.prepare(Method::Rattle).unwrap();
    let certificate = Certificate::new(&problem, &prepared, Options { step: 0.02, steps: 200 }).unwrap();
    assert_eq!((certificate.order.held, certificate.symplectic_defect.held), (Some(true), Some(true)));
}
