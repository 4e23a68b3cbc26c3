//! The verdicts of certificates for methods × problems × steps: `cargo run -p cotangent-lab --example verdicts`.
//!
//! A letter for each step, from 10⁻⁴ of the shortest period on: `H` holds as claimed, `n` does not hold and is not
//! claimed, `u` undecided, `i` incidental, `-` does not apply; `X` claimed and contradicted.

#![allow(clippy::print_stdout)]

#[path = "../tests/problems/mod.rs"]
mod problems;

use cotangent_integrate::Method;
use cotangent_lab::certificate::{Certificate, Finding, Options, Property};
use cotangent_theory::Formulation;
use problems::{Case, DOUBLE, FREE, OSCILLATOR, PENDULUM, RAIL, RELATIVISTIC, shipped};
use std::collections::BTreeMap;

const PARTS: [f64; 6] = [1e-4, 1e-3, 1e-2, 0.03, 0.1, 0.3];

const PROPERTIES: [&str; 7] = ["order", "symplectic", "symmetric", "constraints", "hidden", "energy", "bounded"];

fn letter<T, C>(property: &Property<T, C>, claimed: bool) -> char {
    match (&property.found, property.held, claimed) {
        (Finding::Absent, _, _) => '-',
        (_, Some(true), true) => 'H',
        (_, Some(true), false) => 'i',
        (_, Some(false), true) => 'X',
        (_, Some(false), false) => 'n',
        (_, None, _) => 'u',
    }
}

fn letters(c: &Certificate) -> [char; 7] {
    let plain = |p: &Property<f64>| letter(p, p.claimed);
    [
        letter(&c.order, true),
        plain(&c.symplectic_defect),
        plain(&c.symmetry_defect),
        plain(&c.constraint_defect),
        plain(&c.hidden_constraint_defect),
        plain(&c.energy_defect),
        letter(&c.energy_drift, c.energy_drift.claimed),
    ]
}

fn main() {
    let steps = std::env::args().nth(1).and_then(|n| n.parse().ok()).unwrap_or(3000);
    let only = std::env::args().nth(2);
    use Formulation::{HamiltonDirac, Multipliers, Standard};
    // The shortest period of each, rounded.
    let problems: [(&str, String, Formulation, f64); 11] = [
        ("oscillator", OSCILLATOR.into(), Multipliers, 4.44),
        ("kepler", shipped("kepler"), Multipliers, 1.0),
        ("henon-heiles", shipped("henon-heiles"), Multipliers, 6.3),
        ("free", FREE.into(), Multipliers, 3.2),
        ("pendulum", PENDULUM.into(), Multipliers, 3.5),
        ("pendulum, standard", PENDULUM.into(), Standard, 3.5),
        ("pendulum, hamilton-dirac", PENDULUM.into(), HamiltonDirac, 3.5),
        ("double", DOUBLE.into(), Multipliers, 2.0),
        ("rail, hamilton-dirac", RAIL.into(), HamiltonDirac, 3.0),
        ("relativistic", RELATIVISTIC.into(), Multipliers, 2.0),
        ("four-bar", shipped("four-bar"), Multipliers, 2.0),
    ];
    let mut counts: BTreeMap<(&str, usize, char), usize> = BTreeMap::new();
    for (name, text, formulation, period) in &problems {
        if only.as_ref().is_some_and(|only| only != name) {
            continue;
        }
        let case = Case::new(text, *formulation);
        for method in Method::ALL {
            let Ok(prepared) = case.prepare(method, None) else { continue };
            let mut rows = vec![String::new(); PROPERTIES.len()];
            for part in PARTS {
                let options = Options { step: part * period, steps };
                let found = match Certificate::new(&case.problem, &prepared, options) {
                    Ok(c) => letters(&c),
                    Err(_) => ['?'; 7],
                };
                for (k, (row, c)) in rows.iter_mut().zip(found).enumerate() {
                    row.push(c);
                    *counts.entry((method.name(), k, c)).or_default() += 1;
                }
            }
            println!("{name:26} {:22} {}", method.name(), rows.join(" "));
        }
    }
    println!("\n{:22} {}", "over all problems", PROPERTIES.join("  "));
    for method in Method::ALL {
        let cell = |k: usize| {
            let of = |c: &char| counts.get(&(method.name(), k, *c)).map(|n| format!("{c}{n}"));
            ['H', 'i', 'n', 'u', 'X', '?'].iter().filter_map(of).collect::<Vec<_>>().join(" ")
        };
        println!("{:22} {}", method.name(), (0..PROPERTIES.len()).map(cell).collect::<Vec<_>>().join(" | "));
    }
}
