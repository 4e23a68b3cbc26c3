//! Eigenvalues and eigenvectors of a symmetric matrix.

/// Sweeps after which entries beside the diagonal are rounding: the method converges quadratically.
const SWEEPS: usize = 30;

/// The eigenvalues of a symmetric matrix given by its rows, in ascending order, each with its unit vector: Jacobi's rotations,
/// whose vectors are orthogonal however close the eigenvalues are. It is for small matrices, as many as the constraints of a
/// model.
///
/// ```
/// use cotangent_solve::spectrum;
///
/// let found = spectrum(vec![vec![0.0, 2.0], vec![2.0, 0.0]]);
/// assert!((found[0].0 + 2.0).abs() < 1e-15 && (found[1].0 - 2.0).abs() < 1e-15);
/// ```
pub fn spectrum(mut a: Vec<Vec<f64>>) -> Vec<(f64, Vec<f64>)> {
    let n = a.len();
    let mut vectors: Vec<Vec<f64>> = (0..n).map(|i| (0..n).map(|j| f64::from(u8::from(i == j))).collect()).collect();
    for _ in 0..SWEEPS {
        let mut is_diagonal = true;
        for i in 0..n {
            for j in i + 1..n {
                if a[i][j].abs() > f64::EPSILON / 16.0 * a[i][i].abs().sqrt() * a[j][j].abs().sqrt() {
                    is_diagonal = false;
                    rotate(&mut a, &mut vectors, i, j);
                }
            }
        }
        if is_diagonal {
            break;
        }
    }
    let mut all: Vec<_> = vectors.into_iter().enumerate().map(|(k, vector)| (a[k][k], vector)).collect();
    all.sort_by(|a, b| a.0.total_cmp(&b.0));
    all
}

/// The rotation in the plane (i, j) that makes aᵢⱼ zero.
fn rotate(a: &mut [Vec<f64>], vectors: &mut [Vec<f64>], i: usize, j: usize) {
    let theta = (a[j][j] - a[i][i]) / (2.0 * a[i][j]);
    let t = theta.signum() / (theta.abs() + theta.hypot(1.0));
    let c = 1.0 / t.hypot(1.0);
    let s = c * t;
    for row in a.iter_mut() {
        (row[i], row[j]) = (c * row[i] - s * row[j], s * row[i] + c * row[j]);
    }
    for rows in [a, vectors] {
        let (head, tail) = rows.split_at_mut(j);
        for (x, y) in head[i].iter_mut().zip(&mut tail[0]) {
            (*x, *y) = (c * *x - s * *y, s * *x + c * *y);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_second_difference_has_the_eigenvalues_of_a_string() {
        let n = 7;
        let entry = |i: usize, j: usize| if i == j { 2.0 } else { -f64::from(u8::from(i.abs_diff(j) == 1)) };
        let matrix: Vec<Vec<f64>> = (0..n).map(|i| (0..n).map(|j| entry(i, j)).collect()).collect();
        for (k, (value, vector)) in spectrum(matrix.clone()).into_iter().enumerate() {
            let exact = 2.0 - 2.0 * (std::f64::consts::PI * (k as f64 + 1.0) / (n as f64 + 1.0)).cos();
            assert!((value - exact).abs() < 1e-14, "{k}: {value}");
            for (row, x) in matrix.iter().zip(&vector) {
                let image: f64 = row.iter().zip(&vector).map(|(a, x)| a * x).sum();
                assert!((image - exact * x).abs() < 1e-14);
            }
        }
    }

    #[test]
    fn the_kernel_of_a_singular_matrix_is_found() {
        // (1, 1, 1) (1, 1, 1)ᵀ: twice 0, and 3.
        let values: Vec<f64> = spectrum(vec![vec![1.0; 3]; 3]).into_iter().map(|(value, _)| value).collect();
        assert!(values[0].abs() < 1e-15 && values[1].abs() < 1e-15 && (values[2] - 3.0).abs() < 1e-15, "{values:?}");
    }
}
