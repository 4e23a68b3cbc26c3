//! How errors of the residuals grow: the fundamental matrix of ṙ = A(t) r.
//!
//! Frozen eigenvalues do not decide where A changes with time, and for several constraints it does so in
//! ways that do not commute. The fundamental matrix is made of the fourth-order Magnus steps
//!
//! Φ ← exp(h/6 (A₀ + 4A₁ + A₂) + h²/12 [A₂, A₀]) Φ,  Aᵢ = A(t + ih/2),
//!
//! and divided by its norm after each, which is kept as a logarithm.
//! (Iserles & Nørsett, Phil. Trans. R. Soc. A 357 (1999) 983; the integrals by Simpson's rule.)

use cotangent_solve::{EigenvalueError, eigenvalues};

/// By rows.
pub(super) type Matrix = Vec<Vec<f64>>;

/// A fundamental matrix e^log Φ.
#[derive(Clone)]
pub(super) struct Fundamental {
    /// Of the norm that the identity has.
    phi: Matrix,
    /// log ‖Φ‖ in the Frobenius norm, of which that of the identity is 1.
    pub(super) log: f64,
}

impl Fundamental {
    /// The identity of so many rows.
    pub(super) fn new(rows: usize) -> Fundamental {
        Fundamental { phi: identity(rows), log: 0.0 }
    }

    /// One step more.
    pub(super) fn apply(&mut self, step: &Matrix) {
        self.phi = product(step, &self.phi);
        let size = norm(&self.phi) / (self.phi.len() as f64).sqrt();
        if size > 0.0 {
            self.phi.iter_mut().flatten().for_each(|x| *x /= size);
        }
        self.log += size.ln();
    }

    /// Its eigenvalues λ as (log |λ|, arg λ): those of a period are Floquet's multipliers.
    pub(super) fn multipliers(&self) -> Result<Vec<[f64; 2]>, EigenvalueError> {
        let polar = |[re, im]: [f64; 2]| [self.log + re.hypot(im).ln(), im.atan2(re)];
        Ok(eigenvalues(&self.phi)?.into_iter().map(polar).collect())
    }
}

/// The step of size h with A at its begin, middle and end.
pub(super) fn step([begin, middle, end]: [&Matrix; 3], h: f64) -> Matrix {
    let ends = sum(begin, end, h / 6.0, h / 6.0);
    let turn = sum(&product(end, begin), &product(begin, end), h * h / 12.0, -h * h / 12.0);
    exponential(&sum(&sum(&ends, middle, 1.0, 4.0 * h / 6.0), &turn, 1.0, 1.0))
}

/// ‖B − C‖ by ‖C‖.
pub(super) fn apart(b: &Matrix, c: &Matrix) -> f64 {
    norm(&sum(b, c, 1.0, -1.0)) / norm(c)
}

/// The sum of the diagonal.
pub(super) fn trace(a: &Matrix) -> f64 {
    a.iter().enumerate().filter_map(|(i, row)| row.get(i)).sum()
}

/// eᴬ: the series for A/2ᵏ, squared k times.
fn exponential(a: &[Vec<f64>]) -> Matrix {
    let size = norm(a);
    let halvings = if size > 0.25 && size.is_finite() { (size / 0.25).log2().ceil() as i32 } else { 0 };
    let small = sum(a, a, 0.5f64.powi(halvings + 1), 0.5f64.powi(halvings + 1));
    let mut term = identity(a.len());
    let mut result = term.clone();
    for k in 1..=TERMS {
        term = product(&term, &small);
        term.iter_mut().flatten().for_each(|x| *x /= f64::from(k));
        result = sum(&result, &term, 1.0, 1.0);
    }
    for _ in 0..halvings {
        result = product(&result, &result);
    }
    result
}

/// 0.25¹²/12! is below round-off.
const TERMS: i32 = 12;

fn identity(m: usize) -> Matrix {
    (0..m).map(|i| (0..m).map(|j| f64::from(u8::from(i == j))).collect()).collect()
}

fn norm(a: &[Vec<f64>]) -> f64 {
    a.iter().flatten().fold(0.0f64, |s, x| s.hypot(*x))
}

pub(super) fn sum(a: &[Vec<f64>], b: &[Vec<f64>], alpha: f64, beta: f64) -> Matrix {
    let row = |(a, b): (&Vec<f64>, &Vec<f64>)| a.iter().zip(b).map(|(a, b)| alpha * a + beta * b).collect();
    a.iter().zip(b).map(row).collect()
}

/// Row by row, so that the rows of `b` are read in order.
pub(super) fn product(a: &[Vec<f64>], b: &[Vec<f64>]) -> Matrix {
    let m = b.first().map_or(0, Vec::len);
    let row = |row: &Vec<f64>| {
        let mut out = vec![0.0; m];
        for (x, b) in row.iter().zip(b) {
            out.iter_mut().zip(b).for_each(|(out, b)| *out += x * b);
        }
        out
    };
    a.iter().map(row).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn followed(a: impl Fn(f64) -> Matrix, h: f64, steps: usize) -> Fundamental {
        let mut phi = Fundamental::new(a(0.0).len());
        for k in 0..steps {
            let t = k as f64 * h;
            phi.apply(&step([&a(t), &a(t + 0.5 * h), &a(t + h)], h));
        }
        phi
    }

    #[test]
    fn constant_matrices_grow_as_their_exponentials() {
        // exp of [[0, 1], [w², 0]] t has the norm √(2 cosh² + (w² + w⁻²) sinh²).
        let w: f64 = 3.0;
        let phi = followed(|_| vec![vec![0.0, 1.0], vec![w * w, 0.0]], 0.5, 40);
        let t = 20.0;
        let exact = w * t + 0.5 * (0.5 + (w * w + 1.0 / (w * w)) / 4.0).ln() - 0.5 * 2f64.ln();
        assert!((phi.log - exact).abs() < 1e-11);
        let largest = phi.multipliers().unwrap().iter().fold(f64::NEG_INFINITY, |m, l| m.max(l[0]));
        assert!((largest - w * t).abs() < 1e-9);
    }

    #[test]
    fn rotating_matrices_are_not_judged_by_their_eigenvalues() {
        // Markus and Yamabe's example: A(t) has the eigenvalues (−1 ± i√7)/4 for all t, and a solution grows
        // as e^(t/2).
        let a = |t: f64| {
            let (s, c) = t.sin_cos();
            vec![vec![-1.0 + 1.5 * c * c, 1.0 - 1.5 * s * c], vec![-1.0 - 1.5 * s * c, -1.0 + 1.5 * s * s]]
        };
        // ‖Φ‖² = e^t + e^(−2t).
        let error = |steps: usize| (followed(a, 40.0 / steps as f64, steps).log - (20.0 - 0.5 * 2f64.ln())).abs();
        assert!(error(400) < 1e-3, "{}", error(400));
        assert!(error(400) / error(800) > 12.0, "{} {}", error(400), error(800));
        // After a period 2π the multipliers are e^π and e^(−2π).
        let mut found = followed(a, std::f64::consts::TAU / 400.0, 400).multipliers().unwrap();
        found.sort_by(|a, b| a[0].total_cmp(&b[0]));
        let pi = std::f64::consts::PI;
        assert!((found[0][0] + 2.0 * pi).abs() < 1e-4 && (found[1][0] - pi).abs() < 1e-6, "{found:?}");
    }
}
