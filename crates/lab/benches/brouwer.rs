//! Brouwer's law: how the energy error of round-off grows, with and without compensated summation.
//!
//! `rattle` + `kahan-li-8` on the pendulum from many starts, with a step at which truncation is below
//! round-off and which no period is a multiple of. The root of the mean square over the starts is
//! fitted by C tᵖ: p = ½ is a random walk, the best there is; p = 1 a bias in every step.
//!
//! The same for `gauss` with 6 stages on `hamilton-dirac`, whose stages are iterated.
//!
//! And `rattle` by itself, with equal steps and so with first guesses from the steps before. Its energy oscillates by far
//! more than round-off: smoothly weighted means are compared, 10⁷ steps apart, in units of rounding for each step. A random
//! walk leaves 3·10⁻⁴ of such a unit; a bias would be a part of one.
//!
//! `cargo bench -p cotangent-lab --bench brouwer`, with `rattle`, `gauss` or `equal` after `--` for one of them.

#![allow(clippy::print_stdout)]

use cotangent_compile::{Engine, values::Setting};
use cotangent_dynamics::{Advance, State};
use cotangent_integrate::{Composition, Method, Recipe};
use cotangent_lab::fit_line;
use cotangent_model::System;
use cotangent_problem::{Instance, Integrator, Repairs};
use cotangent_scalar::{Dd, Scalar};
use cotangent_solve::NewtonOptions;
use cotangent_theory::Formulation;

const STARTS: usize = 32;
const STEPS: f64 = 1e6;
const SAMPLES: usize = 20;
/// Steps over which energies are averaged.
const BLOCK: u64 = 400_000;

/// H, the carry being part of the state, without a rounding error of its own.
fn energy(s: &State<f64>) -> Dd {
    let z: Vec<Dd> = s.values.iter().zip(&s.carry).map(|(&v, &e)| Dd::new(v, e)).collect();
    (z[2] * z[2] + z[3] * z[3]) * Dd::from_f64(0.5) + z[1]
}

/// A method with its formulation, and the step.
struct Tested {
    formulation: Formulation,
    recipe: Recipe,
    step: f64,
    steps: f64,
}

/// A run from the k-th start.
fn start(system: &System, k: usize, tested: &Tested, compensated: bool) -> (Integrator, State<f64>) {
    let angle = 0.1 + 6.0 * (k as f64 * 0.618_033_988_749_895).fract();
    let speed = 1.2 + 1.5 * (k as f64 * 0.754_877_666_246_693).fract();
    let set = |name: &str, value: f64| Setting { name: name.into(), index: None, value };
    let settings = [
        set("x", angle.sin()),
        set("y", -angle.cos()),
        set("p_x", speed * angle.cos()),
        set("p_y", speed * angle.sin()),
    ];
    let repairs = Repairs { project_initial: true, drop_redundant: false };
    let problem =
        Instance::new(system, tested.formulation, &settings, repairs, Engine::Best).unwrap_or_else(|e| panic!("{e}"));
    let recipe = Recipe { compensated, ..tested.recipe.clone() };
    let prepared = problem.prepare(recipe).expect("fits");
    let options = NewtonOptions::default();
    let run = Integrator::new(&problem.equations, &prepared, &problem.parameters, options, Engine::Best)
        .unwrap_or_else(|e| panic!("{e}"));
    let state = run.state(problem.start.clone());
    (run, state)
}

fn main() {
    let system = System::parse(include_str!("../../../models/pendulum.cot")).expect("a model");
    // Truncation: an error of order 8 at this step is far below round-off.
    let rattle = Recipe::from(Method::Rattle).composed(Composition::KahanLi8);
    let step = 0.01 * 2f64.sqrt();
    let names: Vec<String> = std::env::args().collect();
    let all = !names.iter().any(|n| ["rattle", "gauss", "equal"].contains(&n.as_str()));
    let asked = |name: &str| all || names.iter().any(|n| n == name);
    if asked("rattle") {
        println!("{STARTS} starts, {STEPS:.0} steps of {step:.6}, rattle + kahan-li-8 on the pendulum");
        grow(&system, &Tested { formulation: Formulation::Multipliers, recipe: rattle, step, steps: STEPS });
    }
    if asked("equal") {
        let recipe = Recipe::from(Method::Rattle);
        drift(&system, &Tested { formulation: Formulation::Multipliers, recipe, step, steps: 1e7 });
    }
    // The energy is quadratic, and kept but for round-off.
    let (gauss, step, steps) = (Recipe::from(Method::Gauss { stages: 6 }), 0.2 * 2f64.sqrt(), STEPS / 10.0);
    if asked("gauss") {
        println!("{STARTS} starts, {steps:.0} steps of {step:.6}, gauss with 6 stages on hamilton-dirac");
        grow(&system, &Tested { formulation: Formulation::HamiltonDirac, recipe: gauss, step, steps });
    }
}

/// How the mean of the energy changes in a step, in units of its rounding.
fn drift(system: &System, tested: &Tested) {
    let Tested { step, steps, .. } = *tested;
    let mut drifts = vec![];
    for k in 0..STARTS / 2 {
        let (mut run, mut state) = start(system, k, tested, true);
        let mut mean = || {
            // Weights that vanish with all derivatives at both ends: what is periodic averages out.
            let weight = |k: u64| {
                let part = (k + 1) as f64 / (BLOCK + 1) as f64;
                Dd::from((-1.0 / (part * (1.0 - part))).exp())
            };
            let (mut sum, mut weights) = (Dd::from(0.0), Dd::from(0.0));
            for k in 0..BLOCK {
                run.advance(&mut state, step, 1).unwrap_or_else(|(_, e)| panic!("{e}"));
                (sum, weights) = (sum + weight(k) * energy(&state), weights + weight(k));
            }
            let mean = sum / weights;
            run.advance(&mut state, step, steps as u64).unwrap_or_else(|(_, e)| panic!("{e}"));
            mean
        };
        let (first, last) = (mean(), mean());
        drifts.push((last - first).hi() / ((steps + BLOCK as f64) * f64::EPSILON * first.hi().abs().max(1.0)));
    }
    let n = drifts.len() as f64;
    let mean = drifts.iter().sum::<f64>() / n;
    let spread = (drifts.iter().map(|d| (d - mean).powi(2)).sum::<f64>() / (n - 1.0)).sqrt();
    println!(
        "{n} starts, {steps:.0} steps of {step:.6}, rattle: the mean energy changes by ({mean:+.1e} ± {:.1e}) u a step",
        2.0 * spread / n.sqrt()
    );
}

/// How the energy error grows.
fn grow(system: &System, tested: &Tested) {
    let Tested { step, steps, .. } = *tested;
    for compensated in [true, false] {
        let (mut squares, mut means) = (vec![0.0f64; SAMPLES], vec![0.0f64; SAMPLES]);
        for k in 0..STARTS {
            let (mut run, mut state) = start(system, k, tested, compensated);
            let initial = energy(&state);
            let mut done = 0;
            for sample in 0..SAMPLES {
                // Logarithmically spaced, from 10³ on.
                let part = sample as f64 / (SAMPLES - 1) as f64;
                let until = (1e3 * (steps / 1e3).powf(part)).round() as u64;
                run.advance(&mut state, step, until - done).unwrap_or_else(|(_, e)| panic!("{e}"));
                done = until;
                let error = (energy(&state) - initial).hi();
                squares[sample] += error * error / STARTS as f64;
                means[sample] += error / STARTS as f64;
            }
        }
        let times: Vec<f64> = (0..SAMPLES).map(|s| (steps / 1e3).log10() * s as f64 / (SAMPLES - 1) as f64).collect();
        let logs: Vec<f64> = squares.iter().map(|s| 0.5 * s.log10()).collect();
        let fit = fit_line(&times, &logs).expect("a line");
        println!(
            "  {} compensation: rms ΔH ~ t^({:.2} ± {:.2}); after 10³ steps {:.2e}, at the end {:.2e} (mean {:+.1e})",
            if compensated { "with   " } else { "without" },
            fit.slope,
            fit.half_width(),
            squares[0].sqrt(),
            squares[SAMPLES - 1].sqrt(),
            means[SAMPLES - 1],
        );
    }
}
