//! Steps of Burgers' equation on up to 100,000 cells: seconds a step, and the exponent p of n^p. It ends with status 1 if an
//! exponent is not 1.0 ± 0.1.
//!
//! `cargo bench -p cotangent-fields --bench burgers`

#![allow(clippy::print_stdout)]

use cotangent_compile::Engine;
use cotangent_dynamics::Advance;
use cotangent_expr::{Expr, Function};
use cotangent_fields::burgers::{Galerkin, Midpoint, Reduced, Splitting, averaged, zabusky_kruskal};
use cotangent_integrate::{Handwritten, Method, Recipe, StageSolver};
use cotangent_model::System;
use cotangent_problem::{Instance, Repairs};
use cotangent_theory::Formulation;
use std::f64::consts::TAU;
use std::process::ExitCode;

/// Twice an odd number each, so that Dirac's bracket is regular for the sine.
const CELLS: [usize; 4] = [1_002, 10_002, 30_002, 100_002];
const REPEATS: u32 = 5;
/// How far an exponent may be from 1.
const ALLOWED: f64 = 0.1;

fn main() -> ExitCode {
    let sine = |x: &Expr| Expr::call(Function::Sin, vec![x.clone()]);
    let exponents = [
        table("Zabusky and Kruskal, implicit-midpoint", |n| {
            symbols(&zabusky_kruskal(n, sine).expect("a system"), Method::ImplicitMidpoint, n)
        }),
        table("bracket of averages, implicit-midpoint", |n| {
            symbols(&averaged(n, sine).expect("a system"), Method::ImplicitMidpoint, n)
        }),
        table("bracket of averages, average-vector-field", |n| {
            symbols(&averaged(n, sine).expect("a system"), Method::AverageVectorField { stages: 2 }, n)
        }),
        table("Galerkin, midpoint", |n| {
            let mut midpoint = Midpoint::new(&Galerkin::new(n, TAU / n as f64).expect("cells")).expect("a method");
            Timed { step: 0.02 * TAU / n as f64, start: sines(n) }.seconds(&mut midpoint)
        }),
        table("Dirac's bracket, midpoint", |n| {
            let mut midpoint = Midpoint::new(&Reduced::new(n, TAU / n as f64).expect("cells")).expect("a method");
            Timed::slow(n).seconds(&mut midpoint)
        }),
        table("Dirac's bracket, splitting-strang in two parts", |n| {
            let law = Reduced::new(n, TAU / n as f64).expect("cells").split(Splitting::Sublattices);
            let law = Handwritten::new(law, sines(n)).expect("a start");
            let mut strang = law.integrator(&law.prepare(Method::SplittingStrang).expect("it fits")).expect("a method");
            Timed::slow(n).seconds(&mut strang)
        }),
    ];
    let linear = exponents.iter().all(|p| (p - 1.0).abs() <= ALLOWED);
    println!("{}", if linear { "all O(n)" } else { "NOT all O(n)" });
    if linear { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn sines(n: usize) -> Vec<f64> {
    (0..n).map(|i| (TAU * (i as f64 + 1.0) / n as f64).sin()).collect()
}

fn symbols(system: &System, method: Method, n: usize) -> f64 {
    let problem = Instance::new(system, Formulation::Multipliers, &[], Repairs::default(), Engine::Best);
    let problem = problem.unwrap_or_else(|e| panic!("{e}"));
    // One way to the stages at all sizes: an iteration would settle on few cells only.
    let recipe = match method {
        Method::ImplicitMidpoint => Recipe::from(method).solved_by(StageSolver::Newton),
        _ => Recipe::from(method),
    };
    let prepared = problem.prepare(recipe).expect("it fits");
    let mut integrator = problem.integrator(&prepared).expect("a method");
    Timed { step: 0.02 * TAU / n as f64, start: problem.start.clone() }.seconds(&mut integrator)
}

/// Seconds that this thread was on a processor, which other processes do not change much.
#[cfg(unix)]
fn spent() -> f64 {
    let spent = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    spent.tv_sec as f64 + spent.tv_nsec as f64 * 1e-9
}

/// Seconds of the clock.
#[cfg(not(unix))]
fn spent() -> f64 {
    thread_local!(static BEGIN: std::time::Instant = std::time::Instant::now());
    BEGIN.with(|begin| begin.elapsed().as_secs_f64())
}

/// What is integrated.
struct Timed {
    start: Vec<f64>,
    step: f64,
}

impl Timed {
    /// For Dirac's bracket, whose field grows as n²: so short a time that no two neighbouring sums reach zero together.
    fn slow(n: usize) -> Timed {
        Timed { start: sines(n), step: 1e-7 * (TAU / n as f64).powi(2) }
    }

    /// The least time of a step.
    fn seconds(&self, integrator: &mut dyn Advance) -> f64 {
        // As many steps at once as make a time that can be measured.
        let steps = (300_000 / self.start.len() as u64).max(1);
        let mut state = integrator.state(self.start.clone());
        let mut once = || {
            let before = spent();
            integrator.advance(&mut state, self.step, steps).unwrap_or_else(|(_, e)| panic!("{e:?}"));
            (spent() - before) / steps as f64
        };
        once();
        (0..REPEATS).map(|_| once()).fold(f64::INFINITY, f64::min)
    }
}

/// The exponent of times over n.
fn table(title: &str, step: impl Fn(usize) -> f64) -> f64 {
    println!("{title}");
    let found: Vec<(f64, f64)> = CELLS.iter().map(|&n| (n as f64, step(n))).collect();
    for (n, time) in &found {
        println!("  {n:>7} cells  {:>9.3} ms a step, {:.1} ns a cell", time * 1e3, time / n * 1e9);
    }
    // The slope of log time over log n by least squares.
    let logs: Vec<(f64, f64)> = found.iter().map(|(n, time)| (n.ln(), time.ln())).collect();
    let count = logs.len() as f64;
    let mean = |f: &dyn Fn(&(f64, f64)) -> f64| logs.iter().map(f).sum::<f64>() / count;
    let (x, y) = (mean(&|l| l.0), mean(&|l| l.1));
    let exponent = mean(&|l| (l.0 - x) * (l.1 - y)) / mean(&|l| (l.0 - x).powi(2));
    println!("  exponent {exponent:.2}");
    exponent
}
