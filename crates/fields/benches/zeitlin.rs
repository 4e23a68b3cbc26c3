//! Zeitlin's matrices: what a step costs beside the products of matrices in it, and how far eigenvalues and energy go.
//!
//! It ends with status 1 if a step costs more than 1.5 times its products, or eigenvalues change by more than 1e-12.
//!
//! `cargo bench -p cotangent-fields --bench zeitlin`, with numbers N:STEPS after `--` for others than 65:10000 257:20; a
//! folder in the variable VORTICITY gets pictures of the first and the last field.

#![allow(clippy::print_stdout)]

#[path = "../tests/spectra/mod.rs"]
#[allow(unreachable_pub)]
mod spectra;

use cotangent_dynamics::Advance;
use cotangent_fields::zeitlin::{Isospectral, Products, Torus};
use cotangent_plot::{Axis, Figure, HeatMap, Panel};
use ndarray::Array2;
use spectra::{drift, eigenvalues, swirls};
use std::f64::consts::TAU;
use std::process::ExitCode;

/// The step times N: frequencies grow with N, and the iteration contracts by this much.
const STEP: f64 = 3.25;

/// A step may cost so many times its products.
const MOST: f64 = 1.5;
/// Eigenvalues may change by so much of the largest.
const KEPT: f64 = 1e-12;
/// In so many parts a run is measured.
const PARTS: u64 = 20;

/// Seconds that this thread was on a processor for some work, which other processes do not change much.
#[cfg(unix)]
fn seconds(work: impl FnOnce()) -> f64 {
    let spent = || {
        let spent = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
        spent.tv_sec as f64 + spent.tv_nsec as f64 * 1e-9
    };
    let before = spent();
    work();
    spent() - before
}

/// Seconds of the clock.
#[cfg(not(unix))]
fn seconds(work: impl FnOnce()) -> f64 {
    let begin = std::time::Instant::now();
    work();
    begin.elapsed().as_secs_f64()
}

fn main() -> ExitCode {
    let given: Vec<(usize, u64)> = std::env::args()
        .filter_map(|word| {
            let (n, steps) = word.split_once(':')?;
            Some((n.parse().ok()?, steps.parse().ok()?))
        })
        .collect();
    let all = if given.is_empty() { vec![(65, 10_000), (257, 20)] } else { given };
    let good = all.into_iter().filter(|&(n, steps)| !measure(n, steps)).count() == 0;
    if good { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Whether a step costs no more than it may.
fn measure(n: usize, steps: u64) -> bool {
    let torus = Torus::new(n).expect("an odd number");
    let start = torus.state(swirls);
    let before = eigenvalues(&torus, &start);
    let measured = |z: &[f64]| (torus.energy(z).expect("a state"), torus.enstrophy(z).expect("a state"));
    let (energy, enstrophy) = measured(&start);
    let mut method = Isospectral::new(&torus);
    let mut state = method.state(start.clone());
    let mut product = Product::new(n);
    let step = STEP / n as f64;
    // Steps and products are timed in turn, so that what slows down one slows down the other; the best of each counts.
    let (mut worst, mut made) = (0.0f64, 0);
    let (mut of_products, mut of_product) = (f64::INFINITY, f64::INFINITY);
    let mut a_step = f64::INFINITY;
    while made < steps {
        let count = steps.div_ceil(PARTS).min(steps - made);
        let products = method.products();
        let time = seconds(|| method.advance(&mut state, step, count).unwrap_or_else(|(_, e)| panic!("{e:?}")));
        of_products = of_products.min(time / (method.products() - products) as f64);
        a_step = a_step.min(time / count as f64);
        of_product = of_product.min(product.seconds());
        made += count;
        worst = worst.max((measured(&state.values).0 / energy - 1.0).abs());
    }
    let ratio = of_products / of_product;
    let products = method.products() as f64;
    println!("N = {n}: {steps} steps of {step}, {:.1} products of complex matrices a step", products / steps as f64);
    println!(
        "  {:.3} ms a step, {:.3} ms a product: {ratio:.2} times its products (at most {MOST})",
        a_step * 1e3,
        of_product * 1e3,
    );
    println!("  10,000 steps at this rate: {:.0} s", a_step * 1e4);
    let lost = drift(&before, &eigenvalues(&torus, &state.values));
    println!(
        "  eigenvalues changed by {lost:.1e} of the largest, energy by at most {worst:.1e}, enstrophy by {:.1e}",
        (measured(&state.values).1 / enstrophy - 1.0).abs()
    );
    if let Ok(folder) = std::env::var("VORTICITY") {
        for (name, values) in [("first", &start), ("last", &state.values)] {
            let field = torus.vorticity(values).expect("a state");
            draw(n, field, &format!("{folder}/vorticity-{n}-{name}.png"));
        }
    }
    ratio <= MOST && lost <= KEPT
}

/// Products to compare with.
struct Product {
    factors: [[Array2<f64>; 2]; 2],
    out: [Array2<f64>; 2],
    products: Products,
}

impl Product {
    fn new(n: usize) -> Product {
        let part = |seed: f64| Array2::from_shape_fn((n, n), |(i, j)| (seed + (i * n + j) as f64).sin());
        Product {
            factors: [[part(0.1), part(0.7)], [part(0.3), part(0.9)]],
            out: [part(0.0), part(0.0)],
            products: Products::new(n),
        }
    }

    /// The time of one.
    fn seconds(&mut self) -> f64 {
        let n = self.out[0].nrows();
        let count = 30_000_000 / (n * n * n) + 3;
        let [a, b] = &self.factors;
        seconds(|| (0..count).for_each(|_| self.products.product(a, b, &mut self.out))) / count as f64
    }
}

/// The vorticity over the torus, x to the right.
fn draw(n: usize, values: Vec<f64>, path: &str) {
    let rows: Vec<f64> = (0..n * n).map(|k| values[(k % n) * n + k / n]).collect();
    let map = HeatMap::new(n, n, rows, Axis::linear("vorticity")).over((0.0, TAU), (0.0, TAU));
    let figure = Figure::new("").with(Panel::heat_map("x", "y", map)).sized(560.0, 480.0);
    figure.write(path).unwrap_or_else(|e| panic!("{path}: {e}"));
}
