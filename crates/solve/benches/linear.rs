//! Nanoseconds for each row to factor and solve, by structure and size; the constants of the
//! choice between factorisations come from here.
#![allow(clippy::print_stdout, missing_docs)]

use std::time::Instant;

use cotangent_scalar::{Dual, Real};
use cotangent_solve::{LinearSolver, Pattern, Structure};

type Entries = Vec<(u32, u32, f64)>;

fn main() {
    println!(
        "{:<14}{:>8}{:>22}{:>12}{:>12}{:>12}{:>12}",
        "shape", "rows", "structure", "plan ns", "factor", "solve", "dual"
    );
    let mut chain_row = f64::NAN;
    for n in [10, 20, 30, 40, 60, 80, 120, 200] {
        table("full", n, &full(n), chain_row);
        table("tree", n, &graph(n, |i| vec![(i - 1) / 2]), chain_row);
        let side = (n as f64).sqrt() as u32;
        table("grid", side * side, &grid(side), chain_row);
    }
    for n in [1_000, 10_000, 100_000] {
        chain_row = table("chain", n, &graph(n, |i| vec![i - 1]), f64::NAN);
        table("tree", n, &graph(n, |i| vec![(i - 1) / 2]), chain_row);
        table("ring", n, &graph(n, |i| if i + 1 == n { vec![i - 1, 0] } else { vec![i - 1] }), chain_row);
        table("stars", n, &graph(n, |i| (i / 4 * 4..i).collect()), chain_row);
        table("strip", n, &graph(n, |i| (i.saturating_sub(4)..i).collect()), chain_row);
        table("arrow", n, &graph(n, |_| vec![0]), chain_row);
        table("chain+arrow", n, &graph(n, |i| vec![i - 1, 0]), chain_row);
        let side = (n as f64).sqrt() as u32;
        table("grid", side * side, &grid(side), chain_row);
        let (size, entries) = rods(n / 3, |i| vec![(i - 1) / 2]);
        table("saddle tree", size, &entries, chain_row);
        let side = (n as f64 / 3.0).sqrt() as u32;
        let (size, entries) = rods(side * side, |i| vec![if !i.is_multiple_of(side) { i - 1 } else { i - side }]);
        table("saddle comb", size, &entries, chain_row);
        let braced = |i: u32| if !i.is_multiple_of(side) && i >= side { vec![i - 1, i - side] } else { vec![] };
        let (size, entries) = rods(side * side, braced);
        table("saddle grid", size, &entries, chain_row);
        let (size, entries) = rods(n / 3, |_| vec![0]);
        table("saddle star", size, &entries, chain_row);
    }
}

fn noise(a: u32, b: u32) -> f64 {
    let mixed = (u64::from(a) << 32 | u64::from(b)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    ((mixed ^ (mixed >> 31)) >> 11) as f64 / (1u64 << 52) as f64 - 1.0
}

fn full(n: u32) -> Entries {
    (0..n).flat_map(|i| (0..n).map(move |j| (i, j, noise(i, j)))).collect()
}

/// A graph in which node i > 0 is joined to some of the nodes before it.
fn graph(n: u32, before: impl Fn(u32) -> Vec<u32>) -> Entries {
    let mut entries: Entries = (0..n).map(|i| (i, i, 4.0)).collect();
    for i in 1..n {
        entries.extend(before(i).into_iter().flat_map(|j| [(i, j, 0.5 * noise(i, j)), (j, i, 0.5 * noise(j, i))]));
    }
    entries
}

fn grid(side: u32) -> Entries {
    let before = |i: u32| [(!i.is_multiple_of(side)).then(|| i - 1), (i >= side).then(|| i - side)];
    graph(side * side, |i| before(i).into_iter().flatten().collect())
}

/// [[M, Gᵀ], [G, 0]] of rods in the plane, each joining node i to one before it.
fn rods(nodes: u32, before: impl Fn(u32) -> Vec<u32>) -> (u32, Entries) {
    let mut entries: Entries = (0..2 * nodes).map(|i| (i, i, 1.5)).collect();
    let mut rod = 2 * nodes;
    for a in 1..nodes {
        for b in before(a) {
            let (sin, cos) = (3.0 * noise(a, b)).sin_cos();
            for (i, value) in [(2 * a, cos), (2 * a + 1, sin), (2 * b, -cos), (2 * b + 1, -sin)] {
                entries.extend([(rod, i, value), (i, rod, value)]);
            }
            rod += 1;
        }
    }
    (rod, entries)
}

fn seconds(mut work: impl FnMut()) -> f64 {
    let mut best = f64::INFINITY;
    let begin = Instant::now();
    for round in 0..1000 {
        let start = Instant::now();
        work();
        best = best.min(start.elapsed().as_secs_f64());
        if round >= 2 && begin.elapsed().as_secs_f64() > 0.05 {
            break;
        }
    }
    best
}

fn factor_and_solve<S: Real>(pattern: &Pattern, values: &[f64]) -> (Structure, f64, f64) {
    let mut solver = LinearSolver::<S>::new(pattern).expect("a solver");
    let values: Vec<_> = values.iter().map(|&value| S::from_f64(value)).collect();
    let factor = seconds(|| solver.factor(&values).expect("regular"));
    let mut x = vec![S::from_f64(1.0); solver.size()];
    let solve = seconds(|| {
        x.fill(S::from_f64(1.0));
        solver.solve(&mut x);
    });
    (solver.structure(), factor, solve)
}

/// Prints a row of the table and returns the time to factor and solve one row of the matrix.
fn table(shape: &str, n: u32, entries: &Entries, chain: f64) -> f64 {
    let addresses: Vec<_> = entries.iter().map(|&(i, j, _)| (i, j)).collect();
    let pattern = Pattern::new(n as usize, n as usize, &addresses).expect("a pattern");
    let mut values = vec![0.0; pattern.len()];
    for &(i, j, value) in entries {
        values[pattern.position(i as usize, j as usize).expect("an entry")] = value;
    }
    let start = Instant::now();
    drop(LinearSolver::<f64>::new(&pattern).expect("a solver"));
    let plan = start.elapsed().as_secs_f64();
    let (structure, factor, solve) = factor_and_solve::<f64>(&pattern, &values);
    let (_, dual, _) = factor_and_solve::<Dual<f64>>(&pattern, &values);
    let structure = match structure {
        Structure::Dense => "dense".to_owned(),
        Structure::Banded { lower, upper } => format!("band {lower}+{upper}"),
        Structure::Sparse { fill } => format!("sparse {:.1}/row", fill as f64 / f64::from(n)),
    };
    let row = |seconds: f64| seconds * 1e9 / f64::from(n);
    print!(
        "{shape:<14}{n:>8}{structure:>22}{:>12.0}{:>12.1}{:>12.1}{:>12.1}",
        row(plan),
        row(factor),
        row(solve),
        row(dual)
    );
    let both = row(factor + solve);
    println!("{}", if chain.is_nan() { String::new() } else { format!("   {:.1} × chain", both / chain) });
    both
}
