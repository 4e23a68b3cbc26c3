//! A long run of a chain at high order: 20 links from the horizontal, `rattle` + `kahan-li-8`,
//! 10⁵ steps of 0.005. Prints the largest residuals and energy error.
//!
//! `cargo bench -p cotangent-lab --bench chain`

#![allow(clippy::print_stdout)]

use cotangent_compile::Engine;
use cotangent_dynamics::{Advance, Measure};
use cotangent_integrate::{Composition, Method, Recipe};
use cotangent_model::{Options, System};
use cotangent_problem::{Instance, Integrator, Repairs};
use cotangent_solve::NewtonOptions;
use cotangent_theory::Formulation;
use std::time::Instant;

const STEP: f64 = 0.005;
const STEPS: u64 = 100_000;

fn main() {
    let options = Options { integers: [("n".to_string(), 20)].into_iter().collect() };
    let system = System::parse_with(include_str!("../../../models/chain.cot"), &options).expect("a model");
    let problem = Instance::new(&system, Formulation::Multipliers, &[], Repairs::default(), Engine::Best);
    let problem = problem.unwrap_or_else(|e| panic!("{e}"));
    let prepared = problem.prepare(Recipe::from(Method::Rattle).composed(Composition::KahanLi8)).expect("fits");
    let newton = NewtonOptions::default();
    let mut run = Integrator::new(&problem.equations, &prepared, &problem.parameters, newton, Engine::Best)
        .unwrap_or_else(|e| panic!("{e}"));
    let mut diagnostics = problem.diagnostics().expect("diagnostics");
    let mut state = run.state(problem.start.clone());
    let initial = diagnostics.kept(&state.values).expect("values").energy;
    let (mut constraints, mut hidden, mut energy) = (0.0f64, 0.0f64, 0.0f64);
    let begin = Instant::now();
    for _ in 0..STEPS {
        run.advance(&mut state, STEP, 1).unwrap_or_else(|(_, e)| panic!("{e}"));
        let kept = diagnostics.kept(&state.values).expect("values");
        constraints = kept.constraints.iter().fold(constraints, |m, r| m.max(r.abs()));
        hidden = kept.hidden_constraints.iter().fold(hidden, |m, r| m.max(r.abs()));
        energy = energy.max((kept.energy - initial).abs());
    }
    println!("chain of 20 links, rattle + kahan-li-8, {STEPS} steps of {STEP}:");
    println!("  largest residual {constraints:.1e}, hidden {hidden:.1e}, |ΔH| {energy:.1e}");
    println!("  {:.2} ms per step", begin.elapsed().as_secs_f64() * 1e3 / STEPS as f64);
}
