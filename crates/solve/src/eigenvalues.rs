//! Eigenvalues of a full matrix.

/// Why there are no eigenvalues.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EigenvalueError {
    /// The rows do not make a square matrix.
    #[error("row {row} has {found} entries, and a square matrix has {expected}")]
    NotSquare {
        /// The row.
        row: usize,
        /// Its entries.
        found: usize,
        /// The number of rows.
        expected: usize,
    },
    /// An entry is infinite or NaN.
    #[error("row {row} has an entry that is not finite")]
    NotFinite {
        /// The row of the entry.
        row: usize,
    },
    /// The iteration did not arrive.
    #[error("the QR iteration did not separate eigenvalue {index}")]
    NotConverged {
        /// Which one, from the end.
        index: usize,
    },
}

/// The eigenvalues of a real matrix given by its rows, as (real, imaginary) parts; complex ones come in
/// conjugate pairs.
///
/// The matrix is balanced, brought to Hessenberg form by elimination, and then by Francis' QR steps with
/// two shifts at once to blocks of one or two rows (Golub & Van Loan, Matrix Computations, §7.4–7.5). A
/// multiple eigenvalue of multiplicity k is found to ε^(1/k) only, as for every method.
///
/// ```
/// use cotangent_solve::eigenvalues;
///
/// let rotation = eigenvalues(&[vec![0.0, -2.0], vec![2.0, 0.0]])?;
/// assert_eq!(rotation, [[0.0, 2.0], [0.0, -2.0]]);
/// # Ok::<(), cotangent_solve::EigenvalueError>(())
/// ```
pub fn eigenvalues(rows: &[Vec<f64>]) -> Result<Vec<[f64; 2]>, EigenvalueError> {
    let n = rows.len();
    for (row, entries) in rows.iter().enumerate() {
        if entries.len() != n {
            return Err(EigenvalueError::NotSquare { row, found: entries.len(), expected: n });
        }
        if !entries.iter().all(|x| x.is_finite()) {
            return Err(EigenvalueError::NotFinite { row });
        }
    }
    let mut h = rows.to_vec();
    // In units in which no square over- or underflows.
    let size = h.iter().flatten().fold(0.0f64, |m, x| m.max(x.abs()));
    if size == 0.0 {
        return Ok(vec![[0.0; 2]; n]);
    }
    let unit = 2f64.powi((size.log2().floor() as i32).clamp(-1000, 1000));
    h.iter_mut().flatten().for_each(|x| *x /= unit);
    balance(&mut h);
    to_hessenberg(&mut h);
    // Multiple eigenvalues with fewer eigenvectors may leave entries that are rounding errors of the matrix as a
    // whole, and no QR step makes smaller: those are dropped in a second go.
    let again = h.clone();
    let found = by_blocks(&mut h, 0.0).or_else(|_| {
        let mut h = again;
        let norm = h.iter().flatten().map(|x| x * x).sum::<f64>().sqrt();
        by_blocks(&mut h, n as f64 * f64::EPSILON * norm)
    })?;
    Ok(found.into_iter().map(|[re, im]| [re * unit, im * unit]).collect())
}

/// D⁻¹AD with powers of two that make rows and columns about equally large (Parlett & Reinsch).
fn balance(a: &mut [Vec<f64>]) {
    let n = a.len();
    for _ in 0..MOST_SWEEPS {
        let mut changed = false;
        for i in 0..n {
            let column: f64 = (0..n).filter(|&j| j != i).map(|j| a[j][i].abs()).sum();
            let row: f64 = (0..n).filter(|&j| j != i).map(|j| a[i][j].abs()).sum();
            if column == 0.0 || row == 0.0 {
                continue;
            }
            let factor = 2f64.powi(((row / column).log2() / 2.0).round() as i32);
            if column * factor + row / factor < 0.95 * (column + row) {
                changed = true;
                (0..n).for_each(|j| a[i][j] /= factor);
                (0..n).for_each(|j| a[j][i] *= factor);
            }
        }
        if !changed {
            return;
        }
    }
}

/// Sweeps of balancing; a few are enough.
const MOST_SWEEPS: usize = 100;

/// Zeros below the first subdiagonal, by elimination with row exchanges; a similarity.
fn to_hessenberg(a: &mut [Vec<f64>]) {
    let n = a.len();
    for k in 1..n.saturating_sub(1) {
        let pivot = (k..n).max_by(|&i, &j| a[i][k - 1].abs().total_cmp(&a[j][k - 1].abs())).unwrap_or(k);
        if a[pivot][k - 1] == 0.0 {
            continue;
        }
        a.swap(pivot, k);
        a.iter_mut().for_each(|row| row.swap(pivot, k));
        for i in k + 1..n {
            let factor = a[i][k - 1] / a[k][k - 1];
            if factor == 0.0 {
                continue;
            }
            for j in k - 1..n {
                a[i][j] -= factor * a[k][j];
            }
            a.iter_mut().for_each(|row| row[k] += factor * row[i]);
            a[i][k - 1] = 0.0;
        }
    }
}

/// QR steps on the last block that is not separated yet, until nothing is left.
fn by_blocks(h: &mut [Vec<f64>], accepted: f64) -> Result<Vec<[f64; 2]>, EigenvalueError> {
    let mut found = vec![[0.0; 2]; h.len()];
    let mut end = h.len();
    let mut steps = 0;
    while end > 0 {
        let last = end - 1;
        let first = first_row(h, last, accepted);
        if first == last {
            found[last] = [h[last][last], 0.0];
            (end, steps) = (last, 0);
        } else if first + 1 == last {
            let pair = of_two(h[first][first], h[first][last], h[last][first], h[last][last]);
            [found[first], found[last]] = pair;
            (end, steps) = (first, 0);
        } else {
            if steps == MOST_STEPS {
                return Err(EigenvalueError::NotConverged { index: last });
            }
            steps += 1;
            // Shifts from the last two rows; now and then others, against a cycle.
            let (trace, determinant) = match steps % 10 {
                0 => {
                    let size = h[last][last - 1].abs() + h[last - 1][last - 2].abs();
                    let shift = h[last][last] + 0.75 * size;
                    (2.0 * shift, shift * shift + 0.4375 * size * size)
                }
                _ => {
                    let (a, b, c, d) = (h[last - 1][last - 1], h[last - 1][last], h[last][last - 1], h[last][last]);
                    (a + d, a * d - b * c)
                }
            };
            francis(h, first, last, trace, determinant);
        }
    }
    Ok(found)
}

/// Steps for one eigenvalue; two or three are usual, multiple ones take more.
const MOST_STEPS: usize = 100;

/// Where the block that ends with `last` begins: above it a subdiagonal entry is round-off, or
/// as small as is accepted.
fn first_row(h: &mut [Vec<f64>], last: usize, accepted: f64) -> usize {
    for i in (1..=last).rev() {
        let around = h[i - 1][i - 1].abs() + h[i][i].abs();
        let around = if around == 0.0 { 1.0 } else { around };
        if h[i][i - 1].abs() <= accepted.max(f64::EPSILON * around) {
            h[i][i - 1] = 0.0;
            return i;
        }
    }
    0
}

/// One QR step with both roots of x² − t x + d as shifts, on the block from `first` to `last`.
fn francis(h: &mut [Vec<f64>], first: usize, last: usize, t: f64, d: f64) {
    let (f, g) = (first, first + 1);
    let mut v = [
        h[f][f] * h[f][f] + h[f][g] * h[g][f] - t * h[f][f] + d,
        h[g][f] * (h[f][f] + h[g][g] - t),
        h[g][f] * h[g + 1][g],
    ];
    for k in first..last {
        // The last reflection is one of two rows.
        let width = if k + 2 <= last { 3 } else { 2 };
        reflect(h, &v[..width], k, first, last);
        if k + 1 < last {
            v = [h[k + 1][k], h[k + 2][k], if k + 3 <= last { h[k + 3][k] } else { 0.0 }];
        }
    }
}

/// The reflection that takes v to a multiple of the first axis, from both sides, at row and column k.
fn reflect(h: &mut [Vec<f64>], v: &[f64], k: usize, first: usize, last: usize) {
    let largest = v.iter().fold(0.0f64, |m, x| m.max(x.abs()));
    if largest == 0.0 {
        return;
    }
    let mut u: Vec<f64> = v.iter().map(|x| x / largest).collect();
    let norm = u.iter().map(|x| x * x).sum::<f64>().sqrt();
    u[0] += norm.copysign(u[0]);
    let square: f64 = u.iter().map(|x| x * x).sum();
    for column in k.saturating_sub(1).max(first)..=last {
        let along: f64 = 2.0 / square * u.iter().enumerate().map(|(i, u)| u * h[k + i][column]).sum::<f64>();
        u.iter().enumerate().for_each(|(i, u)| h[k + i][column] -= along * u);
    }
    for row in &mut h[first..=last.min(k + 3)] {
        let along: f64 = 2.0 / square * u.iter().enumerate().map(|(i, u)| u * row[k + i]).sum::<f64>();
        u.iter().enumerate().for_each(|(i, u)| row[k + i] -= along * u);
    }
}

/// The eigenvalues of [[a, b], [c, d]].
fn of_two(a: f64, b: f64, c: f64, d: f64) -> [[f64; 2]; 2] {
    let half = (a - d) / 2.0;
    let discriminant = half * half + b * c;
    if discriminant < 0.0 {
        let im = (-discriminant).sqrt();
        return [[d + half, im], [d + half, -im]];
    }
    // The root of larger size first; the other from the product, without cancellation.
    let z = half + discriminant.sqrt().copysign(half);
    let other = if z == 0.0 { d } else { d - b * c / z };
    [[d + z, 0.0], [other, 0.0]]
}
