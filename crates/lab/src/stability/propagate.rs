//! How errors of the residuals grow: the fundamental matrix of ṙ = A(t) r.
//!
//! Frozen eigenvalues do not decide where A changes with time, and for several constraints it does so in
//! ways that do not commute. The fundamental matrix is made of the fourth-order Magnus steps
//!
//! Φ ← exp(h/2 (A₁ + A₂) + √3/12 h² [A₂, A₁]) Φ,  Aᵢ = A(t + cᵢh),  cᵢ = 1/2 ∓ √3/6,
//!
//! and divided by its norm after each, which is kept as a logarithm.
//! (Iserles & Nørsett, Phil. Trans. R. Soc. A 357 (1999) 983.)

/// c₁ and c₂.
pub(super) const NODES: [f64; 2] = [0.211_324_865_405_187_1, 0.788_675_134_594_812_9];

/// log ‖Φ(t)‖ after each step of size h, in the Frobenius norm (that of the identity is 1).
///
/// `commutators` leaves out the last term for a result of order two: their difference is an
/// uncertainty.
pub(super) fn growth(pairs: &[[Vec<Vec<f64>>; 2]], h: f64, commutators: bool) -> Vec<f64> {
    let m = pairs.first().map_or(0, |[a, _]| a.len());
    let mut phi = identity(m);
    let unit = norm(&phi);
    let mut total = 0.0;
    let mut list = vec![];
    for [a, b] in pairs {
        let mut omega = sum(a, b, 0.5 * h, 0.5 * h);
        if commutators {
            let turn = sum(&product(b, a), &product(a, b), 1.0, -1.0);
            omega = sum(&omega, &turn, 1.0, 3f64.sqrt() / 12.0 * h * h);
        }
        phi = product(&exponential(&omega), &phi);
        let size = norm(&phi) / unit;
        if size > 0.0 {
            phi.iter_mut().flatten().for_each(|x| *x /= size);
        }
        total += size.ln();
        list.push(total);
    }
    list
}

/// eᴬ: the series for A/2ᵏ, squared k times.
fn exponential(a: &[Vec<f64>]) -> Vec<Vec<f64>> {
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

fn identity(m: usize) -> Vec<Vec<f64>> {
    (0..m).map(|i| (0..m).map(|j| f64::from(u8::from(i == j))).collect()).collect()
}

fn norm(a: &[Vec<f64>]) -> f64 {
    a.iter().flatten().fold(0.0f64, |s, x| s.hypot(*x))
}

fn sum(a: &[Vec<f64>], b: &[Vec<f64>], alpha: f64, beta: f64) -> Vec<Vec<f64>> {
    let row = |(a, b): (&Vec<f64>, &Vec<f64>)| a.iter().zip(b).map(|(a, b)| alpha * a + beta * b).collect();
    a.iter().zip(b).map(row).collect()
}

fn product(a: &[Vec<f64>], b: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let m = b.first().map_or(0, Vec::len);
    let entry = |row: &Vec<f64>, j: usize| row.iter().zip(b).map(|(x, b)| x * b[j]).sum();
    a.iter().map(|row| (0..m).map(|j| entry(row, j)).collect()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn nodes(a: impl Fn(f64) -> Vec<Vec<f64>>, h: f64, steps: usize) -> Vec<[Vec<Vec<f64>>; 2]> {
        (0..steps).map(|k| NODES.map(|c| a((k as f64 + c) * h))).collect()
    }

    #[test]
    fn constant_matrices_grow_as_their_exponentials() {
        // exp of [[0, 1], [w², 0]] t has the norm √(2 cosh² + (w² + w⁻²) sinh²).
        let w: f64 = 3.0;
        let pairs = nodes(|_| vec![vec![0.0, 1.0], vec![w * w, 0.0]], 0.5, 40);
        let t = 20.0;
        let exact = w * t + 0.5 * (0.5 + (w * w + 1.0 / (w * w)) / 4.0).ln() - 0.5 * 2f64.ln();
        assert!((growth(&pairs, 0.5, true)[39] - exact).abs() < 1e-11);
    }

    #[test]
    fn rotating_matrices_are_not_judged_by_their_eigenvalues() {
        // Markus and Yamabe's example: A(t) has the eigenvalues (−1 ± i√7)/4 for all t, and a solution grows
        // as e^(t/2).
        let a = |t: f64| {
            let (s, c) = t.sin_cos();
            vec![vec![-1.0 + 1.5 * c * c, 1.0 - 1.5 * s * c], vec![-1.0 - 1.5 * s * c, -1.0 + 1.5 * s * s]]
        };
        let error = |steps: usize, commutators: bool| {
            let h = 40.0 / steps as f64;
            let list = growth(&nodes(a, h, steps), h, commutators);
            // ‖Φ‖² = e^t + e^(−2t).
            (list[steps - 1] - (20.0 - 0.5 * 2f64.ln())).abs()
        };
        let (fine, rough) = (error(400, true), error(400, false));
        assert!(fine < 1e-3 && rough < 0.2 && fine < 0.1 * rough, "{fine} {rough}");
        assert!(error(400, true) / error(800, true) > 12.0, "{} {}", error(400, true), error(800, true));
    }
}
