//! Sparse systems: residuals in double-double, closed forms, the dense factorisation.

use cotangent_scalar::{Dd, Dual, Scalar};
use cotangent_solve::{LinearSolver, Singular, Structure};
use proptest::prelude::*;

mod matrix;
use matrix::Matrix;

/// A number in −1 … 1 that looks random, made of two others.
fn noise(a: u32, b: u32) -> f64 {
    let mixed = (u64::from(a) << 32 | u64::from(b)).wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    ((mixed ^ (mixed >> 31)) >> 11) as f64 / (1u64 << 52) as f64 - 1.0
}

/// The edges of a square grid of so many nodes on a side.
fn grid(side: u32) -> Vec<(u32, u32)> {
    let right = (0..side * side).filter(|i| i % side + 1 < side).map(|i| (i, i + 1));
    right.chain((0..side * (side - 1)).map(|i| (i, i + side))).collect()
}

/// The edges of a tree in which node i hangs on node (i − 1)/2.
fn tree(nodes: u32) -> Vec<(u32, u32)> {
    (1..nodes).map(|i| (i, (i - 1) / 2)).collect()
}

/// The edges of a star.
fn star(nodes: u32) -> Vec<(u32, u32)> {
    (1..nodes).map(|i| (i, 0)).collect()
}

/// A matrix with the graph's edges on both sides of the diagonal, values not symmetric.
fn of_graph(nodes: u32, edges: &[(u32, u32)]) -> Matrix {
    let mut entries: Vec<_> = (0..nodes).map(|i| (i, i, 4.0 + noise(i, i))).collect();
    entries.extend(edges.iter().flat_map(|&(i, j)| [(i, j, noise(i, j)), (j, i, noise(j, i))]));
    Matrix::new(nodes as usize, &entries)
}

/// [[M, Gᵀ], [G', 0]] for rods in the plane along the edges: multipliers have no diagonal. Some
/// rods are parallel to an axis. The two ends of a rod are never at the same place.
fn rods(nodes: u32, edges: &[(u32, u32)]) -> Matrix {
    let coordinates = 2 * nodes;
    let mut entries: Vec<_> = (0..coordinates).map(|i| (i, i, 1.5 + noise(i, 0))).collect();
    for (&(a, b), rod) in edges.iter().zip(coordinates..) {
        let (sin, cos) = if rod % 5 == 0 { (1.0, 0.0) } else { noise(rod, 1).mul_add(3.0, 0.0).sin_cos() };
        for (node, sign) in [(a, 1.0), (b, -1.0)] {
            for (coordinate, direction) in [(2 * node, cos), (2 * node + 1, sin)] {
                entries.push((coordinate, rod, sign * direction));
                entries.push((rod, coordinate, sign * (direction + 1e-3 * noise(rod, coordinate))));
            }
        }
    }
    Matrix::new(coordinates as usize + edges.len(), &entries)
}

fn right_side(size: usize) -> Vec<f64> {
    (0..size as u32).map(|i| noise(i, 77)).collect()
}

fn check(name: &str, matrix: &Matrix, accuracy: f64) {
    let mut solver = matrix.solver();
    assert!(matches!(solver.structure(), Structure::Sparse { .. }), "{name}: {:?}", solver.structure());
    let b = right_side(solver.size());
    for transposed in [false, true] {
        let mut x = b.clone();
        if transposed {
            solver.solve_transposed(&mut x);
        } else {
            solver.solve(&mut x);
        }
        let error = matrix.backward_error(&x, &b, transposed);
        assert!(error < accuracy, "{name}, transposed {transposed}: {error:e}");
    }
}

#[test]
fn graphs_of_all_shapes_are_solved_to_round_off() {
    check("grid", &of_graph(60 * 60, &grid(60)), 1e-14);
    check("tree", &of_graph(5000, &tree(5000)), 1e-14);
    check("star", &of_graph(5000, &star(5000)), 1e-14);
    check("a grid and a star", &of_graph(900, &[grid(30), star(900)].concat()), 1e-14);
}

#[test]
fn saddle_points_of_all_shapes_are_solved_to_round_off() {
    // Of a grid's edges only so many that the rods are independent: a comb.
    let comb: Vec<_> = grid(40).into_iter().filter(|&(i, j)| j == i + 1 || i % 40 == 0).collect();
    check("comb", &rods(1600, &comb), 1e-12);
    check("tree", &rods(3000, &tree(3000)), 1e-12);
    check("star", &rods(3000, &star(3000)), 1e-12);
}

#[test]
fn a_hundred_thousand_rods_in_a_tree_are_solved() {
    check("tree", &rods(70_000, &tree(70_000)), 1e-11);
}

#[test]
fn equations_may_be_numbered_independently_of_the_unknowns() {
    let nodes = 900;
    for matrix in [of_graph(nodes, &grid(30)), rods(nodes, &tree(nodes))] {
        let n = matrix.pattern.rows() as u32;
        let shift: Vec<_> = (0..n).map(|i| (i + n / 3) % n).collect();
        let same: Vec<_> = (0..n).collect();
        check("shifted", &matrix.permuted(&shift, &same), 1e-12);
    }
}

/// The arrow with ones on the diagonal and a constant c in its first row and column: with
/// b = e₀, x₀ = 1/(1 − (n − 1) c²) and xᵢ = −c x₀.
#[test]
fn an_arrow_is_solved_in_closed_form() {
    let (n, c) = (200_000u32, 1e-3);
    let mut entries: Vec<_> = (0..n).map(|i| (i, i, 1.0)).collect();
    entries.extend((1..n).flat_map(|i| [(0, i, c), (i, 0, c)]));
    let matrix = Matrix::new(n as usize, &entries);
    let mut solver = matrix.solver();
    assert_eq!(solver.structure(), Structure::Sparse { fill: 3 * n as usize - 2 });
    for transposed in [false, true] {
        let mut x = vec![0.0; n as usize];
        x[0] = 1.0;
        if transposed {
            solver.solve_transposed(&mut x);
        } else {
            solver.solve(&mut x);
        }
        let exact = 1.0 / (1.0 - f64::from(n - 1) * c * c);
        assert!((x[0] / exact - 1.0).abs() < 1e-11);
        assert!(x[1..].iter().all(|x| (x / (-c * exact) - 1.0).abs() < 1e-11));
    }
    assert!(solver.rcond() > 0.0 && solver.rcond() <= 1.0);
}

/// −Δu on a square with u = 0 around it: products of sines are eigenvectors.
#[test]
fn the_eigenvectors_of_the_laplacian_are_found() {
    let side = 50u32;
    let mut entries: Vec<_> = (0..side * side).map(|i| (i, i, 4.0)).collect();
    entries.extend(grid(side).iter().flat_map(|&(i, j)| [(i, j, -1.0), (j, i, -1.0)]));
    let matrix = Matrix::new((side * side) as usize, &entries);
    let pattern = &matrix.pattern;
    let mut solver = LinearSolver::<Dd>::new(pattern).unwrap();
    assert!(matches!(solver.structure(), Structure::Sparse { .. }));
    solver.factor(&matrix.values.iter().map(|&v| Dd::from(v)).collect::<Vec<_>>()).unwrap();
    let angle = |k: i64| Dd::pi() * Dd::ratio(k, i64::from(side) + 1);
    let (p, q) = (3, 7);
    let mode = |i: u32| {
        let (x, y) = (i64::from(i % side) + 1, i64::from(i / side) + 1);
        angle(p * x).sin() * angle(q * y).sin()
    };
    let two = Dd::from(2.0);
    let eigenvalue = Dd::from(4.0) - two * angle(p).cos() - two * angle(q).cos();
    let mut x: Vec<_> = (0..side * side).map(mode).collect();
    solver.solve(&mut x);
    for (x, i) in x.iter().zip(0..) {
        assert!((*x * eigenvalue - mode(i)).abs().hi() < 1e-28);
    }
}

/// A(t) x = b: ẋ = −A⁻¹ Ȧ x, from the same solver in plain numbers.
#[test]
fn dual_numbers_take_the_same_path_and_carry_the_derivative() {
    let matrix = rods(800, &tree(800));
    let n = matrix.pattern.rows();
    let rate: Vec<_> = (0..matrix.values.len() as u32).map(|i| noise(i, 5)).collect();
    let values: Vec<_> =
        matrix.values.iter().zip(&rate).map(|(&value, &rate)| Dual { value, tangent: [rate] }).collect();
    let mut solver = LinearSolver::<Dual<f64>>::new(&matrix.pattern).unwrap();
    solver.factor(&values).unwrap();
    let b = right_side(n);
    let mut x: Vec<_> = b.iter().map(|&b| Dual::from_f64(b)).collect();
    solver.solve(&mut x);
    let mut plain = matrix.solver();
    let mut y = b;
    plain.solve(&mut y);
    let mut derivative = vec![0.0; n];
    for ((i, j, _), rate) in matrix.entries().zip(&rate) {
        derivative[i] -= rate * y[j];
    }
    plain.solve(&mut derivative);
    let size = derivative.iter().fold(0.0f64, |m, d| m.max(d.abs()));
    for ((x, y), d) in x.iter().zip(&y).zip(&derivative) {
        assert_eq!(x.value.to_bits(), y.to_bits());
        assert!((x.tangent[0] - d).abs() < 1e-9 * size);
    }
}

#[test]
fn what_was_factored_before_does_not_matter() {
    let (graph, saddle) = (of_graph(900, &grid(30)), rods(700, &tree(700)));
    for matrix in [graph, saddle] {
        let b = right_side(matrix.pattern.rows());
        let mut fresh = b.clone();
        matrix.solver().solve(&mut fresh);
        // Something else first: values that need other pivots, a singular matrix, an invalid one.
        let mut solver = LinearSolver::new(&matrix.pattern).unwrap();
        let others = (0..matrix.values.len() as u32).map(|i| noise(i, 9)).collect::<Vec<_>>();
        let _ = solver.factor(&others);
        assert!(solver.factor(&vec![0.0; others.len()]).is_err());
        assert!(solver.factor(&vec![f64::NAN; others.len()]).is_err());
        solver.factor(&matrix.values).unwrap();
        let mut used = b;
        solver.solve(&mut used);
        assert_eq!(used, fresh);
    }
}

fn singular(matrix: &Matrix) -> Singular {
    let mut solver = LinearSolver::new(&matrix.pattern).unwrap();
    assert!(matches!(solver.structure(), Structure::Sparse { .. }));
    let singular = solver.factor(&matrix.values).unwrap_err();
    let mut x = vec![1.0; solver.size()];
    solver.solve(&mut x);
    assert!(x.iter().all(|x| x.is_nan()), "no solution without a factorisation");
    singular
}

#[test]
fn of_two_equations_that_say_the_same_the_later_is_named() {
    let nodes = 900;
    let mut edges = tree(nodes);
    // The rod that is there twice, wherever it comes.
    for (place, repeated) in [(0, 300), (450, 11), (899, 640)] {
        edges.insert(place, edges[repeated]);
        let mut matrix = rods(nodes, &edges);
        let (first, second) = {
            let same: Vec<_> = (0..edges.len()).filter(|&k| edges[k] == edges[place]).collect();
            (2 * nodes as usize + same[0], 2 * nodes as usize + same[1])
        };
        for (j, position) in matrix.pattern.row(second).iter().zip(matrix.pattern.positions(second)) {
            matrix.values[position] = -3.0 * matrix.values[matrix.pattern.position(first, *j as usize).unwrap()];
        }
        let found = singular(&matrix);
        assert_eq!(found.row, second, "{found}");
        assert!(found.pivot.abs() < 1e-13);
        edges.remove(place);
    }
}

#[test]
fn a_redundant_ring_of_three_equations_is_named_by_its_last() {
    // Rows 5 and 700 add up to row 250; their entries are added to its pattern.
    let mut matrix = of_graph(900, &grid(30));
    let mut entries: Vec<_> = matrix.entries().filter(|e| e.0 != 250).collect();
    let sum: Vec<_> = entries.iter().filter(|e| e.0 == 5 || e.0 == 700).map(|e| (250, e.1, e.2)).collect();
    entries.extend(sum);
    let entries: Vec<_> = entries.iter().map(|&(i, j, value)| (i as u32, j as u32, value)).collect();
    matrix = Matrix::new(900, &entries);
    assert_eq!(singular(&matrix).row, 700);
}

#[test]
fn an_equation_without_unknowns_is_named() {
    let mut matrix = of_graph(900, &grid(30));
    let rows: Vec<_> = matrix.entries().map(|(i, _, _)| i).collect();
    for (value, i) in matrix.values.iter_mut().zip(rows) {
        if i == 333 {
            *value = 0.0;
        }
    }
    let found = singular(&matrix);
    assert_eq!((found.row, found.pivot), (333, 0.0));
    // Structurally, too.
    let entries: Vec<_> = matrix.entries().filter(|e| e.0 != 333).map(|(i, j, v)| (i as u32, j as u32, v)).collect();
    assert_eq!(singular(&Matrix::new(900, &entries)).row, 333);
}

#[test]
fn what_is_not_finite_is_reported() {
    for broken in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        for position in [0, 1000, 3000] {
            for mut matrix in [of_graph(900, &grid(30)), rods(900, &tree(900))] {
                matrix.values[position] = broken;
                assert!(singular(&matrix).pivot.is_nan());
            }
        }
    }
}

/// A sparse matrix of random pattern, mostly without a diagonal, hidden permutation included so
/// that it is not structurally singular; large enough not to be treated as dense.
fn random_sparse() -> impl Strategy<Value = (Matrix, Vec<f64>)> {
    let n = 120u32;
    let hidden = Just((0..n).collect::<Vec<_>>()).prop_shuffle();
    let others = prop::collection::vec((0..n, 0..n, -1.0f64..1.0), 0..120);
    (hidden, others, prop::collection::vec(-1.0f64..1.0, n as usize)).prop_map(move |(hidden, others, b)| {
        let mut entries = others;
        entries.extend(hidden.iter().zip(0..).map(|(&i, j)| (i, j, 0.5 + b[j as usize].abs())));
        (Matrix::new(n as usize, &entries), b)
    })
}

proptest! {
    #[test]
    fn random_systems_agree_with_the_dense_factorisation((matrix, b) in random_sparse()) {
        let mut dense = LinearSolver::new(&matrix.filled().pattern).unwrap();
        prop_assert_eq!(dense.structure(), Structure::Dense);
        prop_assume!(dense.factor(&matrix.filled().values).is_ok() && dense.rcond() > 1e-6);
        let mut solver = matrix.solver();
        let full = matches!(solver.structure(), Structure::Dense);
        prop_assert!(!full);
        for transposed in [false, true] {
            let (mut x, mut y) = (b.clone(), b.clone());
            if transposed {
                solver.solve_transposed(&mut x);
                dense.solve_transposed(&mut y);
            } else {
                solver.solve(&mut x);
                dense.solve(&mut y);
            }
            let size = y.iter().fold(0.0f64, |m, y| m.max(y.abs()));
            let worst = x.iter().zip(&y).fold(0.0f64, |m, (x, y)| m.max((x - y).abs()));
            prop_assert!(worst <= 1e-10 * size / dense.rcond(), "{worst:e} of {size:e}");
        }
    }

    #[test]
    fn units_of_equations_do_not_matter_and_those_of_unknowns_little(
        exponents in prop::collection::vec(-40i32..40, 2 * 639), saddle: bool
    ) {
        let matrix = if saddle { rods(213, &tree(213)) } else { of_graph(576, &grid(24)) };
        let n = matrix.pattern.rows();
        let (of_row, of_column) = (|i: usize| 2f64.powi(exponents[i]), |j: usize| 2f64.powi(exponents[639 + j] / 10));
        let values = matrix.entries().map(|(i, j, value)| value * of_row(i) * of_column(j)).collect();
        let scaled = Matrix { pattern: matrix.pattern.clone(), values };
        let b: Vec<_> = right_side(n);
        let mut x = b.clone();
        matrix.solver().solve(&mut x);
        let mut y: Vec<_> = b.iter().enumerate().map(|(i, b)| b * of_row(i)).collect();
        scaled.solver().solve(&mut y);
        let size = x.iter().fold(0.0f64, |m, x| m.max(x.abs()));
        for j in 0..n {
            prop_assert!((y[j] * of_column(j) - x[j]).abs() < 1e-9 * size);
        }
    }

    /// Anything at all: no panic, and either an error or a solution of the system.
    #[test]
    fn any_matrix_is_solved_or_refused(
        entries in prop::collection::vec((0u32..60, 0u32..60, prop::num::f64::ANY), 0..200)
    ) {
        let matrix = Matrix::new(60, &entries);
        let mut solver = LinearSolver::new(&matrix.pattern).unwrap();
        if solver.factor(&matrix.values).is_ok() {
            let mut x = vec![1.0; 60];
            solver.solve(&mut x);
            solver.solve_transposed(&mut x);
        }
    }
}
