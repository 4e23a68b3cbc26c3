//! Adaptive steps by a lapse: the pendulum of Tyranowski's paper, Kepler's problem, constraints.
//!
//! The states and energy errors of the pendulum were computed independently, in the closed form of the scheme; the reference for
//! orders is the solution in high precision.

use cotangent_compile::Engine;
use cotangent_dynamics::Advance;
use cotangent_integrate::{Composition, Method, Recipe};
use cotangent_lab::certificate::{Certificate, Options};
use cotangent_lab::Run;
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
    for (lapse, at_first, bound) in [("equispaced-poses", 5.984034e-3, 5.989e-3), ("equispaced-phase", 2.858778e-3, 2.860e-3)] {
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
    assert!((min - 0.9929).abs() < 1e-3 && (max - 0.9966).abs() < 1e-3 && variation <= 0.004, "{min} {max} {variation}");
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
