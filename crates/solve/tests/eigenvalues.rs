//! Eigenvalues against closed forms and against what every matrix satisfies.

use cotangent_solve::{EigenvalueError, eigenvalues, spectrum};
use proptest::prelude::*;

fn sorted(mut values: Vec<[f64; 2]>) -> Vec<[f64; 2]> {
    values.sort_by(|a, b| a[0].total_cmp(&b[0]).then(a[1].total_cmp(&b[1])));
    values
}

fn assert_close(found: Vec<[f64; 2]>, expected: &[[f64; 2]], within: f64) {
    let (found, expected) = (sorted(found), sorted(expected.to_vec()));
    assert_eq!(found.len(), expected.len());
    for (f, e) in found.iter().zip(&expected) {
        assert!((f[0] - e[0]).hypot(f[1] - e[1]) < within, "{found:?}, expected {expected:?}");
    }
}

/// The companion matrix of xⁿ + cₙ₋₁xⁿ⁻¹ + … + c₀.
fn companion(c: &[f64]) -> Vec<Vec<f64>> {
    let n = c.len();
    let entry = |i: usize, j: usize| match j + 1 == n {
        true => -c[i],
        false => f64::from(u8::from(i == j + 1)),
    };
    (0..n).map(|i| (0..n).map(|j| entry(i, j)).collect()).collect()
}

#[test]
fn closed_forms() {
    assert_close(eigenvalues(&[]).unwrap(), &[], 1.0);
    assert_close(eigenvalues(&[vec![3.0]]).unwrap(), &[[3.0, 0.0]], 1e-15);
    assert_close(eigenvalues(&[vec![0.0, 1.0], vec![0.0, 0.0]]).unwrap(), &[[0.0; 2]; 2], 1e-300);
    // A saddle and a centre, with entries of very different size.
    assert_close(eigenvalues(&[vec![0.0, 1e-8], vec![1e8, 0.0]]).unwrap(), &[[1.0, 0.0], [-1.0, 0.0]], 1e-14);
    assert_close(eigenvalues(&[vec![0.0, -1e-8], vec![1e8, 0.0]]).unwrap(), &[[0.0, 1.0], [0.0, -1.0]], 1e-14);
    // (x − 1)(x − 2)(x − 3)(x² + 1) and x⁴ + 4, whose roots are ±1 ± i.
    let product = [-6.0, 11.0, -12.0, 12.0, -6.0];
    let roots = [[1.0, 0.0], [2.0, 0.0], [3.0, 0.0], [0.0, 1.0], [0.0, -1.0]];
    assert_close(eigenvalues(&companion(&product)).unwrap(), &roots, 1e-12);
    let roots = [[1.0, 1.0], [1.0, -1.0], [-1.0, 1.0], [-1.0, -1.0]];
    assert_close(eigenvalues(&companion(&[4.0, 0.0, 0.0, 0.0])).unwrap(), &roots, 1e-13);
    // A cyclic shift, on which QR steps without other shifts go round in a circle.
    let cycle = (0..8).map(|k| f64::from(k) * std::f64::consts::PI / 4.0).map(|a| [a.cos(), a.sin()]);
    let mut powers = vec![0.0; 8];
    powers[0] = -1.0;
    assert_close(eigenvalues(&companion(&powers)).unwrap(), &cycle.collect::<Vec<_>>(), 1e-13);
}

#[test]
fn units_do_not_matter() {
    for unit in [1e-300, 1e-150, 1e150, 1e300] {
        let found = eigenvalues(&[vec![0.0, -2.0 * unit], vec![2.0 * unit, 0.0]]).unwrap();
        assert_close(found.iter().map(|v| [v[0] / unit, v[1] / unit]).collect(), &[[0.0, 2.0], [0.0, -2.0]], 1e-14);
    }
}

#[test]
fn what_is_no_matrix_is_refused() {
    let ragged = eigenvalues(&[vec![1.0, 2.0], vec![1.0]]);
    assert_eq!(ragged, Err(EigenvalueError::NotSquare { row: 1, found: 1, expected: 2 }));
    assert_eq!(eigenvalues(&[vec![f64::NAN]]), Err(EigenvalueError::NotFinite { row: 0 }));
}

#[test]
fn symmetric_matrices_of_two_rows_have_the_eigenvalues_of_the_quadratic_formula() {
    for unit in [1e-200, 1.0, 1e200] {
        for [a, b, c] in [[2.0, 1.0, 2.0], [0.0, 1.0, 0.0], [3.0, 4.0, -3.0], [1.0, 0.0, -2.0], [1.0, 1e-9, 1.0]] {
            let found = spectrum(vec![vec![unit * a, unit * b], vec![unit * b, unit * c]]);
            let (middle, root): (f64, f64) = ((a + c) / 2.0, f64::hypot((a - c) / 2.0, b));
            for ((value, _), exact) in found.iter().zip([middle - root, middle + root]) {
                assert!((value / unit - exact).abs() < 1e-15 * (1.0 + exact.abs()), "{unit} {a} {b} {c}: {value}");
            }
        }
    }
    assert_eq!(spectrum(vec![]), []);
    assert_eq!(spectrum(vec![vec![-3.0]]), [(-3.0, vec![1.0])]);
}

#[test]
fn small_eigenvalues_of_a_positive_matrix_are_found_to_all_digits() {
    // D (1 + 1 1ᵀ) D with D = (1, 10⁻⁶, 10⁻¹²): the pivots 2, 3/2 and 4/3 of 1 + 1 1ᵀ times D², to twelve digits.
    let d = [1.0, 1e-6, 1e-12];
    let entry = |i: usize, j: usize| (1.0 + f64::from(u8::from(i == j))) * d[i] * d[j];
    let found = spectrum((0..3).map(|i| (0..3).map(|j| entry(i, j)).collect()).collect());
    let exact = [4.0 / 3.0 * 1e-24, 1.5e-12, 2.0];
    for ((value, _), exact) in found.iter().zip(exact) {
        assert!((value / exact - 1.0).abs() < 1e-11, "{value:e} {exact:e}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// A v = λ v with orthonormal v, in ascending order; Σλ = tr A.
    #[test]
    fn a_symmetric_matrix_is_diagonal_in_its_vectors(n in 1usize..9, entries in prop::collection::vec(-3.0f64..3.0, 64),
        repeated in any::<bool>()) {
        // x xᵀ, of which all eigenvalues but one are 0, or any symmetric matrix.
        let entry = |i: usize, j: usize| match repeated {
            true => entries[i] * entries[j],
            false => entries[8 * i.min(j) + i.max(j)],
        };
        let a: Vec<Vec<f64>> = (0..n).map(|i| (0..n).map(|j| entry(i, j)).collect()).collect();
        let found = spectrum(a.clone());
        prop_assert_eq!(found.len(), n);
        prop_assert!(found.windows(2).all(|two| two[0].0 <= two[1].0));
        let dot = |u: &[f64], v: &[f64]| u.iter().zip(v).map(|(u, v)| u * v).sum::<f64>();
        let size = 9.0 * n as f64;
        for (k, (value, v)) in found.iter().enumerate() {
            for (row, x) in a.iter().zip(v) {
                prop_assert!((dot(row, v) - value * x).abs() < 1e-14 * size, "{} {:?}", value, a);
            }
            for (l, (_, other)) in found.iter().enumerate() {
                prop_assert!((dot(v, other) - f64::from(u8::from(k == l))).abs() < 1e-14, "{:?} {:?}", v, other);
            }
        }
        let trace: f64 = (0..n).map(|i| a[i][i]).sum();
        prop_assert!((found.iter().map(|(value, _)| value).sum::<f64>() - trace).abs() < 1e-14 * size);
    }

    /// Σλ = tr A and Σλ² = tr A².
    #[test]
    fn sums_of_powers_are_traces(n in 1usize..9, entries in prop::collection::vec(-3.0f64..3.0, 64)) {
        let a: Vec<Vec<f64>> = (0..n).map(|i| entries[8 * i % 56..][..n].to_vec()).collect();
        let found = eigenvalues(&a).unwrap();
        let trace: f64 = (0..n).map(|i| a[i][i]).sum();
        let squares: f64 = (0..n).flat_map(|i| (0..n).map(move |j| (i, j))).map(|(i, j)| a[i][j] * a[j][i]).sum();
        let size = 1.0 + 9.0 * n as f64 * n as f64;
        prop_assert!((found.iter().map(|v| v[0]).sum::<f64>() - trace).abs() < 1e-12 * size);
        prop_assert!(found.iter().map(|v| v[1]).sum::<f64>().abs() < 1e-12 * size);
        let sum: f64 = found.iter().map(|v| v[0] * v[0] - v[1] * v[1]).sum();
        prop_assert!((sum - squares).abs() < 1e-11 * size, "{} {}", sum, squares);
    }

    /// Ten critically damped oscillators, mixed: one eigenvalue, ten Jordan blocks.
    #[test]
    fn a_multiple_eigenvalue_is_found_to_fewer_digits(angles in prop::collection::vec(0.0f64..6.0, 30)) {
        let n = 20;
        let entry = |i: usize, j: usize| match (i < 10, j < 10) {
            (true, false) => f64::from(u8::from(j == i + 10)),
            (false, true) => if i == j + 10 { -25.0 } else { 0.0 },
            (false, false) => if i == j { -10.0 } else { 0.0 },
            (true, true) => 0.0,
        };
        let mut a: Vec<Vec<f64>> = (0..n).map(|i| (0..n).map(|j| entry(i, j)).collect()).collect();
        for (k, angle) in angles.iter().enumerate() {
            let (i, j) = (k % n, (7 * k + 3) % n);
            let (s, c) = angle.sin_cos();
            if i == j {
                continue;
            }
            for row in &mut a {
                (row[i], row[j]) = (c * row[i] - s * row[j], s * row[i] + c * row[j]);
            }
            for col in 0..n {
                (a[i][col], a[j][col]) = (c * a[i][col] - s * a[j][col], s * a[i][col] + c * a[j][col]);
            }
        }
        for [re, im] in eigenvalues(&a).unwrap() {
            prop_assert!((re + 5.0).hypot(im) < 1e-3, "{re} {im}");
        }
    }

    /// The eigenvalues of a block-triangular matrix are those of its blocks.
    #[test]
    fn similar_matrices_have_the_same(re in -2.0f64..2.0, im in 0.1f64..2.0, third in 3.0f64..5.0,
        mix in prop::collection::vec(-1.0f64..1.0, 9)) {
        let b = [[re, im, 0.7], [-im, re, -0.3], [0.0, 0.0, third]];
        // With unit triangular factors the inverse is exact enough.
        let lower = |i: usize, j: usize| if i == j { 1.0 } else if i > j { mix[3 * i + j] } else { 0.0 };
        let mut a = vec![vec![0.0; 3]; 3];
        let mut inverse = [[0.0; 3]; 3];
        for j in 0..3 {
            for i in 0..3 {
                let sum: f64 = (0..i).map(|k| lower(i, k) * inverse[k][j]).sum();
                inverse[i][j] = f64::from(u8::from(i == j)) - sum;
            }
        }
        for i in 0..3 {
            for j in 0..3 {
                for k in 0..3 {
                    for l in 0..3 {
                        a[i][j] += lower(i, k) * b[k][l] * inverse[l][j];
                    }
                }
            }
        }
        assert_close(eigenvalues(&a).unwrap(), &[[re, im], [re, -im], [third, 0.0]], 1e-11);
    }
}

#[test]
fn double_eigenvalues_with_half_as_many_eigenvectors_are_found() {
    // ü + 10 u̇ + 25 u = 0 for each of m unknowns, mixed by reflections and rounded: −5 twice for each.
    for m in [1usize, 4, 12, 20, 40] {
        let n = 2 * m;
        let mut a = vec![vec![0.0; n]; n];
        for k in 0..m {
            (a[k][m + k], a[m + k][k], a[m + k][m + k]) = (1.0, -25.0, -10.0);
        }
        for round in 1..=3 {
            let u: Vec<f64> = (0..n).map(|k| ((k * k + round) as f64 * 1.3).sin()).collect();
            let square: f64 = u.iter().map(|x| x * x).sum();
            let turned = |a: &[Vec<f64>]| -> Vec<Vec<f64>> {
                let along = |j: usize| 2.0 / square * (0..n).map(|i| u[i] * a[i][j]).sum::<f64>();
                (0..n).map(|i| (0..n).map(|j| a[i][j] - u[i] * along(j)).collect()).collect()
            };
            let flipped =
                |a: &[Vec<f64>]| -> Vec<Vec<f64>> { (0..n).map(|i| (0..n).map(|j| a[j][i]).collect()).collect() };
            a = flipped(&turned(&flipped(&turned(&a))));
        }
        let found = eigenvalues(&a).unwrap_or_else(|e| panic!("{m}: {e}"));
        // Known to the root of the rounding.
        assert!(found.iter().all(|v| (v[0] + 5.0).hypot(v[1]) < 1e-5), "{m}: {found:?}");
        let trace: f64 = found.iter().map(|v| v[0]).sum();
        assert!((trace + 10.0 * m as f64).abs() < 1e-10 * m as f64, "{m}: {trace}");
    }
}
