//! Singular values, which decide ranks.

use cotangent_scalar::Real;

/// The singular values of a matrix given by its rows, largest first: one-sided Jacobi rotations
/// (Hestenes), which find small ones to high relative accuracy.
///
/// ```
/// use cotangent_solve::singular_values;
///
/// let sigma = singular_values(&[vec![3.0, 0.0], vec![0.0, 4.0], vec![0.0, 0.0]]);
/// assert_eq!(sigma, [4.0, 3.0]);
/// ```
pub fn singular_values<S: Real>(rows: &[Vec<S>]) -> Vec<f64> {
    let columns = rows.first().map_or(0, Vec::len);
    let zero = S::from_f64(0.0);
    // Rotations act on the vectors of the shorter side.
    let mut vectors: Vec<Vec<S>> = match rows.len() <= columns {
        true => rows.to_vec(),
        false => (0..columns).map(|j| rows.iter().map(|r| r[j]).collect()).collect(),
    };
    let dot = |a: &[S], b: &[S]| a.iter().zip(b).fold(zero, |s, (&x, &y)| s + x * y);
    for _ in 0..MAX_SWEEPS {
        let mut rotated = false;
        for i in 0..vectors.len() {
            for j in i + 1..vectors.len() {
                let (left, right) = vectors.split_at_mut(j);
                let (a, b) = (&mut left[i], &mut right[0]);
                let (aa, bb, ab) = (dot(a, a), dot(b, b), dot(a, b));
                let bound = S::EPSILON * (aa.value() * bb.value()).sqrt();
                if ab.value().abs() <= bound || ab.value() == 0.0 {
                    continue;
                }
                rotated = true;
                let half = (bb - aa) / (ab + ab);
                let one = S::from_f64(1.0);
                let root = half.abs() + (one + half * half).sqrt();
                let tangent = if half.value() < 0.0 { -one / root } else { one / root };
                let cosine = one / (one + tangent * tangent).sqrt();
                let sine = cosine * tangent;
                for (x, y) in a.iter_mut().zip(b.iter_mut()) {
                    (*x, *y) = (cosine * *x - sine * *y, sine * *x + cosine * *y);
                }
            }
        }
        if !rotated {
            break;
        }
    }
    let mut sigma: Vec<f64> = vectors.iter().map(|v| dot(v, v).sqrt().value()).collect();
    sigma.sort_by(|a, b| b.total_cmp(a));
    sigma
}

/// Convergence is quadratic: far fewer are needed.
const MAX_SWEEPS: usize = 40;
