//! Linear systems: residuals in double-double, explicit inverses, one factorisation against another.

use cotangent_scalar::{Dd, Dual, Scalar};
use cotangent_solve::{LinearSolver, Pattern, Structure, Unsupported};
use proptest::prelude::*;

mod matrix;
use matrix::Matrix;

fn numbers(length: usize) -> impl Strategy<Value = Vec<f64>> {
    prop::collection::vec(-1.0f64..1.0, length)
}

fn full_matrix() -> impl Strategy<Value = (Matrix, Vec<f64>)> {
    (1usize..25).prop_flat_map(|n| {
        (numbers(n * n), numbers(n)).prop_map(move |(values, b)| {
            let pattern = Pattern::dense(n, n).unwrap();
            (Matrix { pattern, values }, b)
        })
    })
}

fn band_matrix() -> impl Strategy<Value = (Matrix, Vec<f64>)> {
    (30usize..60, 0usize..4, 0usize..4).prop_flat_map(|(n, lower, upper)| {
        (numbers(n * (lower + upper + 1)), numbers(n)).prop_map(move |(values, b)| {
            let mut next = values.into_iter();
            let inside = |i: usize, j: usize| j + lower >= i && j <= i + upper;
            let addresses = (0..n).flat_map(|i| (0..n).map(move |j| (i, j))).filter(|&(i, j)| inside(i, j));
            let entry = |(i, j): (usize, usize)| {
                // No diagonal dominance: pivots must be exchanged. Not tiny either.
                let value = next.next().unwrap_or(0.5);
                (i as u32, j as u32, if i == j { value + value.signum() * 0.3 } else { value })
            };
            (Matrix::new(n, &addresses.map(entry).collect::<Vec<_>>()), b)
        })
    })
}

fn permutation(n: usize) -> impl Strategy<Value = Vec<u32>> {
    Just((0..n as u32).collect::<Vec<_>>()).prop_shuffle()
}

proptest! {
    #[test]
    fn full_systems_are_solved_to_round_off((matrix, b) in full_matrix()) {
        let mut solver = matrix.solver();
        prop_assert_eq!(solver.structure(), Structure::Dense);
        let mut x = b.clone();
        solver.solve(&mut x);
        prop_assert!(matrix.backward_error(&x, &b, false) < 1e-13);
        let mut x = b.clone();
        solver.solve_transposed(&mut x);
        prop_assert!(matrix.backward_error(&x, &b, true) < 1e-11);
    }

    #[test]
    fn banded_and_dense_factorisations_agree((matrix, b) in band_matrix()) {
        let mut banded = matrix.solver();
        let narrow = matches!(banded.structure(), Structure::Banded { .. });
        prop_assert!(narrow, "{:?}", banded.structure());
        let mut dense = matrix.filled().solver();
        prop_assert_eq!(dense.structure(), Structure::Dense);
        for transposed in [false, true] {
            let (mut x, mut y) = (b.clone(), b.clone());
            if transposed {
                banded.solve_transposed(&mut x);
                dense.solve_transposed(&mut y);
            } else {
                banded.solve(&mut x);
                dense.solve(&mut y);
            }
            prop_assert!(matrix.backward_error(&x, &b, transposed) < 1e-11);
            let size = y.iter().fold(0.0f64, |m, y| m.max(y.abs()));
            let worst = x.iter().zip(&y).fold(0.0f64, |m, (x, y)| m.max((x - y).abs()));
            prop_assert!(worst <= 1e-11 * size / dense.rcond().min(banded.rcond()));
        }
    }

    #[test]
    fn solving_transposed_is_solving_the_transposed_matrix((matrix, b) in band_matrix()) {
        let (pattern, origin) = matrix.pattern.transposed();
        let values = origin.iter().map(|&position| matrix.values[position]).collect();
        let transposed = Matrix { pattern, values };
        let (mut x, mut y) = (b.clone(), b.clone());
        matrix.solver().solve_transposed(&mut x);
        transposed.solver().solve(&mut y);
        let size = y.iter().fold(0.0f64, |m, y| m.max(y.abs()));
        let rcond = transposed.solver().rcond();
        for (x, y) in x.iter().zip(&y) {
            prop_assert!((x - y).abs() <= 1e-11 * size / rcond);
        }
    }

    #[test]
    fn renumbering_changes_neither_band_nor_solution(
        ((matrix, b), rows, columns) in band_matrix().prop_flat_map(|(matrix, b)| {
            let n = b.len();
            (Just((matrix, b)), permutation(n), permutation(n))
        })
    ) {
        let renumbered = matrix.permuted(&rows, &columns);
        let mut solver = renumbered.solver();
        let mut c = vec![0.0; b.len()];
        for (i, &b) in b.iter().enumerate() {
            c[rows[i] as usize] = b;
        }
        let mut y = c.clone();
        solver.solve(&mut y);
        prop_assert!(renumbered.backward_error(&y, &c, false) < 1e-11);
        let mut z = c.clone();
        solver.solve_transposed(&mut z);
        prop_assert!(renumbered.backward_error(&z, &c, true) < 1e-11);
        // Independent numberings of equations and unknowns cost at most a factor in width.
        if let Structure::Banded { lower, upper } = solver.structure() {
            let (l, u) = matrix.pattern.bandwidth();
            prop_assert!(lower + upper <= 3 * (l + u), "({l}, {u}) became ({lower}, {upper})");
        } else if solver.structure() == Structure::Dense {
            prop_assert!(b.len() < 50, "neither a band nor sparsity was found");
        }
    }

    #[test]
    fn units_of_equations_and_unknowns_do_not_matter(
        (matrix, b) in full_matrix(), exponents in prop::collection::vec(-40i32..40, 50)
    ) {
        let mut solver = LinearSolver::new(&matrix.pattern).unwrap();
        prop_assume!(solver.factor(&matrix.values).is_ok() && solver.rcond() > 1e-4);
        let mut x = b.clone();
        solver.solve(&mut x);
        let (of_row, of_column) = (|i: usize| 2f64.powi(exponents[i]), |j: usize| 2f64.powi(exponents[25 + j]));
        let values: Vec<_> = matrix.entries().map(|(i, j, value)| value * of_row(i) * of_column(j)).collect();
        prop_assert_eq!(solver.factor(&values), Ok(()));
        let mut y: Vec<_> = b.iter().enumerate().map(|(i, b)| b * of_row(i)).collect();
        solver.solve(&mut y);
        let size = x.iter().fold(0.0f64, |m, x| m.max(x.abs()));
        for j in 0..x.len() {
            prop_assert!((y[j] * of_column(j) - x[j]).abs() < 1e-7 * size);
        }
    }

    /// Zeros leave only some products to the determinant, and the units of those that matter may be far from
    /// those of the largest entries.
    #[test]
    fn units_do_not_matter_where_entries_are_missing(
        values in prop::collection::vec(prop::option::weighted(0.4, 0.5f64..2.0), 64),
        b in numbers(8),
        exponents in prop::collection::vec(-200i32..200, 16),
    ) {
        let address = |k: usize| (k as u32 / 8, k as u32 % 8);
        let entries: Vec<_> =
            values.iter().enumerate().filter_map(|(k, v)| v.map(|v| (address(k).0, address(k).1, v))).collect();
        let unit = |i: u32, j: u32| 2f64.powi(exponents[i as usize]) * 2f64.powi(exponents[8 + j as usize]);
        let scaled = |entries: &[(u32, u32, f64)]| {
            let all: Vec<_> = entries.iter().map(|&(i, j, v)| (i, j, v * unit(i, j))).collect();
            Matrix::new(8, &all)
        };
        let matrix = Matrix::new(8, &entries);
        let mut solver = LinearSolver::new(&matrix.pattern).unwrap();
        let mut x = b.clone();
        if solver.factor(&matrix.values).is_ok() && solver.rcond() > 1e-4 {
            solver.solve(&mut x);
            let matrix = scaled(&entries);
            let mut solver = LinearSolver::new(&matrix.pattern).unwrap();
            prop_assert_eq!(solver.factor(&matrix.values), Ok(()));
            let mut y: Vec<_> = b.iter().enumerate().map(|(i, b)| b * 2f64.powi(exponents[i])).collect();
            solver.solve(&mut y);
            let size = x.iter().fold(0.0f64, |m, x| m.max(x.abs()));
            for j in 0..8 {
                prop_assert!((y[j] * 2f64.powi(exponents[8 + j]) - x[j]).abs() < 1e-7 * size);
            }
        }
    }
}

#[test]
fn a_step_of_a_pendulum_is_solved_in_any_units() {
    // Rows q₁ − q = h p/m, p₁ − p = −h Gᵀλ and G q₁ = b, with two coordinates: λ = b m/(h² |G|²) and so on.
    for (m, l, h) in [(1.0, 1.0, 1.0), (1e24, 1e8, 0.01), (1e-27, 1e-10, 1e-3), (2e30, 1.5e11, 1e4), (1e15, 1.0, 1e-8)]
    {
        let (g, a) = ([0.6 * l, 0.8 * l], h / m);
        let matrix = Matrix::new(
            5,
            &[
                (0, 0, 1.0),
                (0, 2, -a),
                (1, 1, 1.0),
                (1, 3, -a),
                (2, 2, 1.0),
                (2, 4, h * g[0]),
                (3, 3, 1.0),
                (3, 4, h * g[1]),
                (4, 0, g[0]),
                (4, 1, g[1]),
            ],
        );
        let mut solver = matrix.solver();
        solver.factor(&matrix.values).unwrap();
        let mut x = [0.0, 0.0, 0.0, 0.0, l * l];
        solver.solve(&mut x);
        let exact = [0.6 * l, 0.8 * l, 0.6 * l / a, 0.8 * l / a, -m / h / h];
        for (x, exact) in x.iter().zip(exact) {
            assert!((x / exact - 1.0).abs() < 1e-13, "{m:e} {l:e} {h:e}: {x:e} {exact:e}");
        }
    }
}

/// A chain of n links that closes or not, its members renumbered by a stride.
fn chain(n: u32, closed: bool, stride: u32) -> Matrix {
    let place = |i: u32| (u64::from(i) * u64::from(stride) % u64::from(n)) as u32;
    let links = if closed { n } else { n - 1 };
    let mut entries: Vec<_> = (0..n).map(|i| (place(i), place(i), 2.5)).collect();
    for i in 0..links {
        let (a, b) = (place(i), place((i + 1) % n));
        entries.extend([(a, b, -1.0), (b, a, -1.0)]);
    }
    Matrix::new(n as usize, &entries)
}

#[test]
fn chains_and_rings_have_narrow_bands_however_they_are_numbered() {
    for stride in [1, 7, 389, 1008] {
        let open = chain(1009, false, stride).solver();
        assert_eq!(open.structure(), Structure::Banded { lower: 1, upper: 1 }, "stride {stride}");
        let ring = chain(1009, true, stride).solver();
        assert_eq!(ring.structure(), Structure::Banded { lower: 2, upper: 2 }, "stride {stride}");
    }
}

#[test]
fn a_long_ring_is_solved() {
    let n = 100_003;
    let matrix = chain(n, true, 4567);
    let mut solver = matrix.solver();
    // A constant vector is an eigenvector: 2.5 - 1 - 1.
    let mut x = vec![1.0; n as usize];
    solver.solve(&mut x);
    assert!(x.iter().all(|x| (x - 2.0).abs() < 1e-14));
    assert!(solver.rcond() > 0.1);
}

/// Positions first, multipliers last: the saddle-point matrix of a chain with rigid links.
#[test]
fn a_saddle_point_matrix_of_a_chain_has_a_narrow_band() {
    let n: u32 = 200;
    let mut entries = Vec::new();
    for i in 0..n {
        entries.push((i, i, 1.0));
        for j in [i, i.saturating_sub(1)] {
            let direction = if i == j { 1.0 } else { -1.0 };
            entries.extend([(n + i, j, direction), (j, n + i, direction)]);
        }
    }
    let matrix = Matrix::new(2 * n as usize, &entries);
    let mut solver = matrix.solver();
    let Structure::Banded { lower, upper } = solver.structure() else { panic!("dense") };
    assert!(lower.max(upper) <= 3, "({lower}, {upper})");
    let b: Vec<_> = (0..2 * n).map(|i| f64::from(i % 7) - 2.0).collect();
    let mut x = b.clone();
    solver.solve(&mut x);
    assert!(matrix.backward_error(&x, &b, false) < 1e-13);
}

/// The inverse of the Hilbert matrix is known in integers.
#[test]
fn the_inverse_of_the_hilbert_matrix_is_found() {
    const N: usize = 10;
    let binomial = |n: usize, k: usize| (0..k).fold(1i64, |b, i| b * (n - i) as i64 / (i + 1) as i64);
    let pattern = Pattern::dense(N, N).unwrap();
    let values: Vec<Dd> = pattern.addresses().map(|(i, j)| Dd::ratio(1, i64::from(i + j) + 1)).collect();
    let mut solver = LinearSolver::new(&pattern).unwrap();
    solver.factor(&values).unwrap();
    for j in 0..N {
        let mut column = [Dd::from(0.0); N];
        column[j] = Dd::from(1.0);
        solver.solve(&mut column);
        for (i, &x) in column.iter().enumerate() {
            let sign = if (i + j) % 2 == 0 { 1 } else { -1 };
            let square = binomial(i + j, i) * binomial(i + j, i);
            let exact = sign * (i + j + 1) as i64 * binomial(N + i, N - j - 1) * binomial(N + j, N - i - 1) * square;
            let error = (x / Dd::from(exact) - Dd::from(1.0)).abs().hi();
            assert!(error < 1e-17, "({i}, {j}): {error:e}"); // the condition number is 1e13
        }
    }
    // The true value is about 1e-13.
    assert!(solver.rcond() < 1e-9);
}

#[test]
fn solutions_in_dual_numbers_carry_their_derivative() {
    // (1 + t) x + y = 3, x - y = t at t = 0.5: x = (3 + t)/(2 + t).
    let t = Dual::<f64>::variable(0.5, 0);
    let one = Dual::from_f64(1.0);
    let mut solver = LinearSolver::new(&Pattern::dense(2, 2).unwrap()).unwrap();
    solver.factor(&[one + t, one, one, -one]).unwrap();
    let mut x = [Dual::from_f64(3.0), t];
    solver.solve(&mut x);
    assert!((x[0].value - 1.4).abs() < 1e-15);
    assert!((x[0].tangent[0] + 1.0 / 6.25).abs() < 1e-15);
    assert!((x[1].tangent[0] + 1.0 / 6.25 + 1.0).abs() < 1e-15);
}

#[test]
fn a_singular_matrix_names_row_and_column() {
    let singular = |rows: &[&[f64]]| {
        let matrix = Matrix::full(rows);
        LinearSolver::new(&matrix.pattern).unwrap().factor(&matrix.values).unwrap_err()
    };
    // Row 1 is twice row 0.
    let error = singular(&[&[1.0, 2.0, 3.0], &[2.0, 4.0, 6.0], &[1.0, 0.0, 1.0]]);
    assert_eq!((error.row, error.column), (1, 2));
    let error = singular(&[&[1.0, 2.0], &[0.0, 0.0]]);
    assert_eq!((error.row, error.column), (1, 1));
    let error = singular(&[&[0.0, 2.0], &[0.0, 3.0]]);
    assert_eq!((error.column, error.pivot), (0, 0.0));
    assert_eq!(singular(&[&[0.0]]).pivot, 0.0);
    // Singular but for round-off: a third of a third is not a ninth.
    let third = 1.0 / 3.0;
    let error = singular(&[&[1.0, third, 0.1], &[third, third * third, 0.1 * third], &[0.1, 0.7, 0.3]]);
    assert!(error.pivot < 1e-15);
    assert!(singular(&[&[1.0, 2.0], &[f64::NAN, 1.0]]).pivot.is_nan());
    let text = singular(&[&[1.0, 2.0], &[0.0, 0.0]]).to_string();
    assert_eq!(
        text,
        "the matrix is singular: column 1 depends on the columns before it (row 1 is left over, relative pivot 0.0e0)"
    );
}

#[test]
fn a_singular_band_names_row_and_column_in_the_given_numbering() {
    let mut matrix = chain(101, false, 17);
    let member = 34; // the 2nd of the chain; cut it off and make it vanish
    let entries: Vec<_> = matrix.entries().collect();
    for (value, (i, j, _)) in matrix.values.iter_mut().zip(entries) {
        if i == member || j == member {
            *value = 0.0;
        }
    }
    let mut solver = LinearSolver::new(&matrix.pattern).unwrap();
    assert!(matches!(solver.structure(), Structure::Banded { .. }));
    let error = solver.factor(&matrix.values).unwrap_err();
    assert_eq!((error.row, error.column), (member, member));
    let mut x = vec![1.0; 101];
    solver.solve(&mut x);
    assert!(x.iter().all(|x| x.is_nan()), "no solution without a factorisation");
}

#[test]
fn badly_scaled_is_not_singular() {
    let matrix = Matrix::full(&[&[1e-200, 1e-150], &[1e100, -1e150]]);
    assert!(matrix.solver().rcond() > 0.1);
    let mut x = [2e-150, 0.0];
    matrix.solver().solve(&mut x);
    assert!((x[0] / 1e50 - 1.0).abs() < 1e-15 && (x[1] - 1.0).abs() < 1e-15);
}

#[test]
fn what_cannot_be_solved_is_refused() {
    let tall = Pattern::dense(3, 2).unwrap();
    assert_eq!(LinearSolver::<f64>::new(&tall).unwrap_err(), Unsupported::NotSquare { rows: 3, columns: 2 });
}

#[test]
fn a_system_without_equations_is_solved() {
    let mut solver = LinearSolver::<f64>::new(&Pattern::new(0, 0, &[]).unwrap()).unwrap();
    solver.factor(&[]).unwrap();
    solver.solve(&mut []);
    solver.solve_transposed(&mut []);
    assert_eq!(solver.rcond(), 1.0);
}
