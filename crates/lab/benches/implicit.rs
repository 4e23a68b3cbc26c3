//! Implicit Runge–Kutta methods by fixed-point iteration: the pendulum with its rod, to t = 1,000, beside a plain loop of
//! order 8; and the Hénon–Heiles system at order 8.
//!
//! `cargo bench -p cotangent-lab --bench implicit`

#![allow(clippy::print_stdout)]

use cotangent_compile::Engine;
use cotangent_dynamics::{Advance, Measure, State};
use cotangent_integrate::{Composition, Method, Recipe, StageSolver};
use cotangent_model::System;
use cotangent_problem::{Instance, Integrator, Repairs};
use cotangent_solve::NewtonOptions;
use cotangent_theory::Formulation;
use std::hint::black_box;
use std::time::Instant;

const UNTIL: f64 = 1000.0;
const TRIALS: usize = 5;

/// Seconds of the processor that this thread has had; where the system does not tell, those that have passed.
fn seconds(begin: Instant) -> f64 {
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let nanoseconds = told.and_then(|text| text.split_whitespace().next()?.parse::<f64>().ok());
    nanoseconds.map_or_else(|| begin.elapsed().as_secs_f64(), |n| 1e-9 * n)
}

/// The least time of several trials, in milliseconds; one is repeated until the clock can measure it.
fn best(mut run: impl FnMut()) -> f64 {
    let start = Instant::now();
    let mut trial = || {
        let (begin, mut repeats) = (seconds(start), 0.0);
        loop {
            run();
            repeats += 1.0;
            let taken = seconds(start) - begin;
            if taken > 0.1 {
                return 1e3 * taken / repeats;
            }
        }
    };
    (0..TRIALS).map(|_| trial()).fold(f64::INFINITY, f64::min)
}

/// RATTLE on the pendulum with its own Newton iteration, composed to order 8, no compensation: the plain loop.
fn plain(h: f64) -> (f64, f64) {
    const OUTER: [f64; 8] = [
        0.130_202_483_088_890_08,
        0.561_162_981_775_108_4,
        -0.389_474_962_644_847_3,
        0.158_841_906_555_155_6,
        -0.395_903_894_133_237_6,
        0.184_539_640_978_315_7,
        0.258_374_387_686_322_05,
        0.295_011_723_609_310_3,
    ];
    let middle = 1.0 - 2.0 * OUTER.iter().sum::<f64>();
    let gammas: Vec<f64> = OUTER.iter().chain([&middle]).chain(OUTER.iter().rev()).copied().collect();
    let (mut x, mut y, mut px, mut py) = (1.0, 0.0f64, 0.0, -2.0);
    let (steps, mut worst) = ((UNTIL / h).round() as u64, 0.0f64);
    for _ in 0..steps {
        for gamma in &gammas {
            let h = gamma * h;
            let (mut kx, mut ky, mut l) = (px, py - 0.5 * h, 0.0);
            for _ in 0..20 {
                let (nx, ny) = (x + h * (kx - l * x), y + h * (ky - l * y));
                let g = 0.5 * (nx * nx + ny * ny - 1.0);
                l += g / (h * (nx * x + ny * y));
                if g.abs() < 1e-15 {
                    break;
                }
            }
            kx -= l * x;
            ky -= l * y;
            let (nx, ny) = (x + h * kx, y + h * ky);
            ky -= 0.5 * h;
            let m = (nx * kx + ny * ky) / (nx * nx + ny * ny);
            (px, py, x, y) = (kx - m * nx, ky - m * ny, nx, ny);
        }
        worst = worst.max((0.5 * (px * px + py * py) + y - 2.0).abs());
    }
    (worst, black_box(x))
}

struct Run {
    problem: Instance,
    run: Integrator,
    step: f64,
    steps: u64,
    /// For a step.
    iterations: f64,
}

impl Run {
    fn new(model: &str, formulation: Formulation, recipe: impl Into<Recipe>, step: f64, steps: u64) -> Run {
        let system = System::parse(model).expect("a model");
        let problem = Instance::new(&system, formulation, &[], Repairs::default(), Engine::Best);
        let problem = problem.unwrap_or_else(|e| panic!("{e}"));
        let prepared = problem.prepare(recipe).unwrap_or_else(|e| panic!("{e}"));
        let options = NewtonOptions::default();
        let run = Integrator::new(&problem.equations, &prepared, &problem.parameters, options, Engine::Best);
        Run { run: run.unwrap_or_else(|e| panic!("{e}")), problem, step, steps, iterations: 0.0 }
    }

    fn state(&self) -> State<f64> {
        self.run.state(self.problem.start.clone())
    }

    /// Milliseconds, the largest energy error, the largest residual of constraints, and the end.
    fn measure(&mut self) -> (f64, f64, f64, Vec<f64>) {
        let start = self.state();
        let mut state = start.clone();
        let mut diagnostics = self.problem.diagnostics().expect("diagnostics");
        let initial = diagnostics.kept(&state.values).expect("values").energy;
        let (mut energy, mut residual) = (0.0f64, 0.0f64);
        for _ in 0..self.steps {
            self.run.advance(&mut state, self.step, 1).unwrap_or_else(|(_, e)| panic!("{e}"));
            let kept = diagnostics.kept(&state.values).expect("values");
            energy = energy.max((kept.energy - initial).abs());
            let residuals = kept.constraints.iter().chain(&kept.hidden_constraints);
            residual = residuals.fold(residual, |worst, r| worst.max(r.abs()));
        }
        self.iterations = (self.run.iterations() + self.run.contractions()) as f64 / self.steps as f64;
        let mut timed = start.clone();
        let time = best(|| {
            timed.copy_from(&start);
            self.run.advance(&mut timed, self.step, self.steps).unwrap_or_else(|(_, e)| panic!("{e}"));
        });
        (time, energy, residual, state.values)
    }
}

fn pendulum() {
    let model = include_str!("../../../models/pendulum.cot");
    println!("pendulum to t = {UNTIL}: CPU time, largest energy error, largest residual, error of the last position");
    for h in [0.08, 0.05] {
        let (worst, _) = plain(h);
        let time = best(|| {
            black_box(plain(h));
        });
        println!("  {:<58} {time:7.2} ms  {worst:.1e}", format!("plain loop, order 8, h = {h}"));
    }
    let gauss = |stages: usize| Recipe::from(Method::Gauss { stages });
    let steps = |h: f64| (UNTIL / h).round() as u64;
    let (_, _, _, exact) = Run::new(model, Formulation::HamiltonDirac, gauss(6), 0.05, steps(0.05)).measure();
    let lines: [(&str, Formulation, Recipe, f64); 9] = [
        ("gauss 4", Formulation::HamiltonDirac, gauss(4), 0.4),
        ("gauss 4, Newton", Formulation::HamiltonDirac, gauss(4).solved_by(StageSolver::Newton), 0.4),
        ("gauss 4", Formulation::HamiltonDirac, gauss(4), 0.2),
        ("gauss 6", Formulation::HamiltonDirac, gauss(6), 0.4),
        ("gauss 6", Formulation::HamiltonDirac, gauss(6), 0.25),
        ("gauss 6", Formulation::Standard, gauss(6), 0.25),
        ("gauss 6, Newton", Formulation::Standard, gauss(6).solved_by(StageSolver::Newton), 0.25),
        ("gauss 8", Formulation::Standard, gauss(8), 0.4),
        ("lobatto-3a3b 5", Formulation::Multipliers, Method::Lobatto3A3B { stages: 5 }.into(), 0.25),
    ];
    for (name, formulation, recipe, h) in lines {
        let mut run = Run::new(model, formulation, recipe, h, steps(h));
        let (time, energy, residual, end) = run.measure();
        let off = (end[0] - exact[0]).hypot(end[1] - exact[1]);
        let iterations = run.iterations;
        let name = format!("{name}, {}, h = {h}, {iterations:.1} iterations", formulation.name());
        println!("  {name:<58} {time:7.2} ms  {energy:.1e}  {residual:.1e}  {off:.1e}");
    }
}

fn henon_heiles() {
    let model = include_str!("../../../models/henon-heiles.cot");
    println!("henon-heiles, order 8: a step");
    let composed = Recipe::from(Method::StormerVerlet).composed(Composition::KahanLi8);
    let gauss = Recipe::from(Method::Gauss { stages: 4 });
    for (name, recipe, h) in [
        ("stormer-verlet + kahan-li-8", composed, 0.1),
        ("gauss 4", gauss.clone(), 0.1),
        ("gauss 4, Newton", gauss.solved_by(StageSolver::Newton), 0.1),
    ] {
        let mut run = Run::new(model, Formulation::Multipliers, recipe, h, 10_000);
        let (time, energy, ..) = run.measure();
        println!("  {:<58} {:7.1} ns  {energy:.1e}", format!("{name}, h = {h}"), time * 1e6 / 10_000.0);
    }
}

fn main() {
    pendulum();
    henon_heiles();
}
