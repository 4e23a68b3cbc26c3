//! Nothing is allocated after construction, whatever the structure and the arithmetic.
#![allow(unsafe_code)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::convert::Infallible;

use cotangent_scalar::{Dual, Real};
use cotangent_solve::{FixedPointWorkspace, LinearSolver, Pattern, StoppingRule, Structure, fixed_point};

/// Counts the allocations of this thread.
struct Counting;

thread_local! {
    static COUNT: Cell<u64> = const { Cell::new(0) };
}

// SAFETY: forwards to the system's allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        COUNT.with(|c| c.set(c.get() + 1));
        // SAFETY: as the caller promises.
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        // SAFETY: as the caller promises.
        unsafe { System.dealloc(at, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn allocations(f: impl FnOnce()) -> u64 {
    let before = COUNT.with(Cell::get);
    f();
    COUNT.with(Cell::get) - before
}

fn factor_and_solve<S: Real>(pattern: &Pattern, value: impl Fn(u32, u32) -> f64) -> (Structure, u64) {
    let mut solver = LinearSolver::<S>::new(pattern).unwrap();
    let values: Vec<_> = pattern.addresses().map(|(i, j)| S::from_f64(value(i, j))).collect();
    let zeros = vec![S::from_f64(0.0); values.len()];
    let mut x = vec![S::from_f64(1.0); solver.size()];
    // The first closer look at a matrix that seems singular makes room for all that follow.
    solver.factor(&zeros).unwrap_err();
    let count = allocations(|| {
        solver.factor(&values).unwrap();
        solver.solve(&mut x);
        solver.solve_transposed(&mut x);
        solver.factor(&zeros).unwrap_err();
        solver.factor(&values).unwrap();
        solver.solve(&mut x);
    });
    (solver.structure(), count)
}

fn check(size: u32, edges: &[(u32, u32)], structure: impl Fn(Structure) -> bool, value: impl Fn(u32, u32) -> f64) {
    let addresses: Vec<_> = edges.iter().flat_map(|&(i, j)| [(i, j), (j, i)]).collect();
    let pattern = Pattern::new(size as usize, size as usize, &addresses).unwrap();
    let (found, count) = factor_and_solve::<f64>(&pattern, &value);
    assert!(structure(found), "{found:?}");
    assert_eq!(count, 0, "{found:?}");
    assert_eq!(factor_and_solve::<Dual<f64>>(&pattern, &value).1, 0, "{found:?}");
}

fn noise(i: u32, j: u32) -> f64 {
    f64::from(i.wrapping_mul(7919).wrapping_add(j.wrapping_mul(104_729)) % 1009) / 1009.0 - 0.5
}

fn dominant(i: u32, j: u32) -> f64 {
    if i == j { 4.0 } else { noise(i, j) }
}

#[test]
fn factoring_and_solving_do_not_allocate() {
    let diagonal = |n: u32| (0..n).map(|i| (i, i)).collect::<Vec<_>>();
    let full: Vec<_> = (0..12).flat_map(|i| (0..12).map(move |j| (i, j))).collect();
    check(12, &full, |s| s == Structure::Dense, dominant);
    let chain = [diagonal(100), (1..100).map(|i| (i - 1, i)).collect()].concat();
    check(100, &chain, |s| matches!(s, Structure::Banded { .. }), dominant);
    let tree = [diagonal(500), (1..500).map(|i| (i / 3, i)).collect()].concat();
    check(500, &tree, |s| matches!(s, Structure::Sparse { .. }), dominant);
    let side = 30;
    let grid: Vec<_> = (0..side * side).filter(|i| i % side > 0).map(|i| (i, i - 1)).collect();
    let grid = [diagonal(side * side), grid, (side..side * side).map(|i| (i, i - side)).collect()].concat();
    check(side * side, &grid, |s| matches!(s, Structure::Sparse { .. }), dominant);
}

/// A tree of rods in the plane, some parallel to an axis: rows must be exchanged.
#[test]
fn exchanging_rows_within_reason_does_not_allocate() {
    let nodes = 300;
    let mut edges: Vec<_> = (0..2 * nodes).map(|i| (i, i)).collect();
    for node in 1..nodes {
        let (rod, other) = (2 * nodes + node - 1, (node - 1) / 2);
        edges.extend([2 * node, 2 * node + 1, 2 * other, 2 * other + 1].map(|i| (rod, i)));
    }
    let value = |i: u32, j: u32| {
        if i == j {
            return 1.0;
        }
        let (rod, coordinate) = (i.max(j), i.min(j));
        let angle = if rod % 4 == 0 { std::f64::consts::FRAC_PI_2 } else { f64::from(rod) };
        let sign = if coordinate / 2 == rod - 2 * nodes + 1 { 1.0 } else { -1.0 };
        sign * if coordinate % 2 == 0 { angle.cos() } else { angle.sin() }
    };
    check(3 * nodes - 1, &edges, |s| matches!(s, Structure::Sparse { .. }), value);
}

#[test]
fn a_fixed_point_does_not_allocate() {
    let mut workspace = FixedPointWorkspace::new(2);
    let mut x = [Dual::<f64>::variable(1.0, 0), Dual::variable(2.0, 0)];
    let quarter = Dual { value: 0.25, tangent: [0.0] };
    let count = allocations(|| {
        let map = |x: &[Dual<f64>], next: &mut [Dual<f64>]| {
            next.copy_from_slice(&[quarter * x[1], quarter * x[0] + quarter]);
            Ok::<(), Infallible>(())
        };
        fixed_point(&mut workspace, &StoppingRule::default(), &mut x, map).unwrap();
    });
    assert_eq!(count, 0);
}
