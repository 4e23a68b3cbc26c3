//! What a text model costs beside a loop written by hand for it, in one run: CPU time, the best of several.
//!
//! `cargo bench -p cotangent-lab --bench suite`, with words after `--` for some sections only: `steps`, `chains`, `shapes`,
//! `precision`, `latency`. A folder in the variable SUITE gets the table as Markdown and the picture of the chains.

#![allow(clippy::print_stdout)]

mod chains;
mod plain;
mod precision;
mod steps;
mod table;
mod texts;

use cotangent_compile::Engine;
use cotangent_dynamics::{Advance, State};
use cotangent_integrate::{Prepared, Recipe};
use cotangent_model::{Options, System};
use cotangent_problem::{Instance, Integrator, Repairs};
use cotangent_solve::NewtonOptions;
use cotangent_theory::Formulation;
use table::Table;

/// Its name, and what it measures.
type Section = (&'static str, fn(&mut Table));

fn main() {
    let words: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with('-')).collect();
    let wanted = |name: &str| words.is_empty() || words.iter().any(|word| word == name);
    let mut table = Table::new();
    let sections: [Section; 5] = [
        ("steps", steps::measure),
        ("chains", chains::measure),
        ("shapes", chains::shapes),
        ("precision", precision::measure),
        ("latency", chains::latency),
    ];
    sections.iter().filter(|(name, _)| wanted(name)).for_each(|(_, measure)| measure(&mut table));
    table.write();
}

/// A model in a formulation, with the integer parameter n if it has one.
fn instance(text: &str, n: Option<usize>, formulation: Formulation) -> Instance {
    let options = Options { integers: n.map(|n| ("n".to_string(), n as i64)).into_iter().collect() };
    let system = System::parse_with(text, &options).expect("a model");
    let repairs = Repairs { project_initial: true, drop_redundant: false };
    Instance::new(&system, formulation, &[], repairs, Engine::Best).unwrap_or_else(|e| panic!("{e}"))
}

/// A method on it.
fn integrator(instance: &Instance, recipe: Recipe) -> (Integrator, State<f64>) {
    let prepared: Prepared = instance.prepare(recipe).unwrap_or_else(|e| panic!("{e}"));
    let options = NewtonOptions::default();
    let made = Integrator::new(&instance.equations, &prepared, &instance.parameters, options, Engine::Best)
        .unwrap_or_else(|e| panic!("{e}"));
    let state = made.state(instance.start.clone());
    (made, state)
}
