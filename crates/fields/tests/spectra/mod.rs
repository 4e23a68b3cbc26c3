//! Eigenvalues of skew-Hermitian matrices by Jacobi's rotations, and a fluid to start from.

use cotangent_fields::zeitlin::Torus;

/// The eigenvalues of −iW, growing.
pub fn eigenvalues(torus: &Torus, state: &[f64]) -> Vec<f64> {
    let n = torus.size();
    let w = torus.unpacked(state).unwrap();
    // −iW = H₀ + iH₁ as the symmetric matrix ((H₀, −H₁), (H₁, H₀)), which has each eigenvalue twice.
    let m = 2 * n;
    let mut a = vec![0.0; m * m];
    for i in 0..n {
        for j in 0..n {
            let (re, im) = (w[i * n + j].im, -w[i * n + j].re);
            (a[i * m + j], a[(n + i) * m + n + j]) = (re, re);
            (a[i * m + n + j], a[(n + i) * m + j]) = (-im, im);
        }
    }
    let off = |a: &[f64]| (0..m * m).filter(|k| k / m != k % m).map(|k| a[k] * a[k]).sum::<f64>();
    let size: f64 = a.iter().map(|x| x * x).sum();
    for _ in 0..60 {
        if off(&a) <= 1e-34 * size {
            break;
        }
        for p in 0..m {
            for q in p + 1..m {
                if a[p * m + q].abs() <= 1e-18 * size.sqrt() {
                    continue;
                }
                let theta = (a[q * m + q] - a[p * m + p]) / (2.0 * a[p * m + q]);
                let t = theta.signum() / (theta.abs() + theta.hypot(1.0));
                let c = 1.0 / t.hypot(1.0);
                let s = t * c;
                for k in 0..m {
                    let (x, y) = (a[k * m + p], a[k * m + q]);
                    (a[k * m + p], a[k * m + q]) = (c * x - s * y, s * x + c * y);
                }
                for k in 0..m {
                    let (x, y) = (a[p * m + k], a[q * m + k]);
                    (a[p * m + k], a[q * m + k]) = (c * x - s * y, s * x + c * y);
                }
            }
        }
    }
    let mut all: Vec<f64> = (0..m).map(|i| a[i * m + i]).collect();
    all.sort_by(f64::total_cmp);
    all.into_iter().step_by(2).collect()
}

/// A vorticity of waves with |k| up to 4 and phases that look random.
pub fn swirls(x: f64, y: f64) -> f64 {
    let mut sum = 0.0;
    for k1 in -4i32..=4 {
        for k2 in 0i32..=4 {
            let square = f64::from(k1 * k1 + k2 * k2);
            if square > 0.0 && square <= 16.0 {
                let phase = f64::from((k1 * 37 + k2 * 101).rem_euclid(64)) / 10.0;
                sum += (f64::from(k1) * x + f64::from(k2) * y + phase).cos() / square.sqrt();
            }
        }
    }
    sum / 3.0
}

/// The largest difference, relative to the largest of the first.
pub fn drift(before: &[f64], after: &[f64]) -> f64 {
    let size = before.iter().fold(0.0f64, |m, x| m.max(x.abs()));
    before.iter().zip(after).fold(0.0f64, |m, (a, b)| m.max((a - b).abs())) / size
}
