//! How far a matrix has gone from another one.

use crate::{LinearSolver, Pattern, Scales};
use cotangent_scalar::Random;

/// Iterations: each multiplies the lead of the largest eigenvalue by its ratio to the next.
const ITERATIONS: usize = 8;

/// A change that two iterations take for less than this part is little.
const LITTLE: f64 = 0.01;

/// The spectral radius of A⁻¹B − I, by power iteration; A is factored in the solver, and given as B by its entries. Infinite
/// where it is not known.
///
/// While it is below one, no matrix on the line from A to B is singular: det((1 − s) A + s B) = det A · det(I + s (A⁻¹B − I)).
///
/// Velocities and multipliers have different units, and A⁻¹B − I may lead from one to the other and back, so that one step is
/// large and the next one small: two of them are looked at together.
///
/// ```
/// use cotangent_solve::{LinearSolver, Pattern, departure};
///
/// let mut solver = LinearSolver::new(&Pattern::dense(1, 1)?)?;
/// solver.factor(&[2.0])?;
/// // From 2 to −1 there is zero.
/// let far = departure(&mut solver, &[2.0], &[-1.0]);
/// let near = departure(&mut solver, &[2.0], &[3.0]);
/// assert!((far - 1.5).abs() < 1e-15 && (near - 0.5).abs() < 1e-15);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn departure(solver: &mut LinearSolver<f64>, from: &[f64], to: &[f64]) -> f64 {
    // B − A itself: what does not change makes no round-off.
    let change: Vec<f64> = to.iter().zip(from).map(|(to, from)| to - from).collect();
    radius(solver, &change, to)
}

/// The spectral radius of A⁻¹B, A being factored in the solver: by how much B is larger than A where A is smallest. Infinite
/// where it is not known.
pub fn excess(solver: &mut LinearSolver<f64>, matrix: &[f64]) -> f64 {
    radius(solver, matrix, matrix)
}

/// The spectral radius of A⁻¹B; units are those of a third matrix.
fn radius(solver: &mut LinearSolver<f64>, matrix: &[f64], sizes: &[f64]) -> f64 {
    let mut random = Random::default();
    if matrix.iter().all(|d| *d == 0.0) {
        return 0.0;
    }
    let scales = Scales::new(solver.pattern(), sizes, |_| true);
    let unit: Vec<f64> = scales.columns.into_iter().map(|c| c.unwrap_or(1.0)).collect();
    let size = |x: &[f64]| {
        let larger = |m: f64, (x, u): (&f64, &f64)| if x.is_nan() { f64::NAN } else { m.max(x.abs() / u) };
        x.iter().zip(&unit).fold(0.0, larger)
    };
    let mut x: Vec<f64> = unit.iter().map(|u| u * (1.0 + 0.5 * random.signed())).collect();
    // The last two factors by which x has grown.
    let mut factors = [1.0f64; 2];
    for step in 0..ITERATIONS {
        let before = size(&x);
        x.iter_mut().for_each(|x| *x /= before);
        x = product(solver.pattern(), matrix, &x);
        solver.solve(&mut x);
        let after = size(&x);
        if !after.is_finite() {
            return f64::INFINITY;
        }
        if after == 0.0 {
            return 0.0;
        }
        factors = [factors[1], after];
        // More iterations would not make it large.
        if step > 0 && factors[0] * factors[1] < LITTLE * LITTLE {
            break;
        }
    }
    factors[0].sqrt() * factors[1].sqrt()
}

fn product(pattern: &Pattern, values: &[f64], x: &[f64]) -> Vec<f64> {
    let mut out = vec![0.0; pattern.rows()];
    pattern.addresses().zip(values).for_each(|((i, j), value)| out[i as usize] += value * x[j as usize]);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    /// [[m I, G], [Gᵀ, 0]] for G = (a, b, 1), as its gradient turns.
    #[test]
    fn units_do_not_matter() {
        let pattern = Pattern::dense(4, 4).unwrap();
        let kkt = |m: f64, a: f64, b: f64| vec![m, 0.0, 0.0, a, 0.0, m, 0.0, b, 0.0, 0.0, m, 1.0, a, b, 1.0, 0.0];
        let mut solver = LinearSolver::new(&pattern).unwrap();
        for m in [1e-27, 1e-9, 1.0, 1e9, 1e24] {
            let (from, to) = (kkt(m, 0.0, 0.0), kkt(m, 0.005, 0.015));
            solver.factor(&from).unwrap();
            let small = departure(&mut solver, &from, &to);
            assert!(small < 0.1, "{m}: {small}");
        }
    }

    /// [[m, 0, 1], [0, s m, 1], [1, 1, 0]] is singular at s = −1.
    #[test]
    fn what_is_singular_on_the_way_is_seen() {
        let mut solver = LinearSolver::new(&Pattern::dense(3, 3).unwrap()).unwrap();
        for m in [1e-20, 1.0, 1e20] {
            let kkt = |s: f64| vec![m, 0.0, 1.0, 0.0, s * m, 1.0, 1.0, 1.0, 0.0];
            solver.factor(&kkt(1.0)).unwrap();
            let mut to = |s: f64| departure(&mut solver, &kkt(1.0), &kkt(s));
            assert!(to(-1.5) > 1.0 && to(-20.0) > 1.0 && to(-0.5) < 1.0 && to(1.5) < 0.5 && to(1.0) == 0.0, "{m}");
        }
    }
}
