//! How far a matrix has gone from another one.

use crate::{LinearSolver, Pattern, Scales};
use cotangent_scalar::Random;

/// Iterations: each multiplies the lead of the largest eigenvalue by its ratio to the next.
const ITERATIONS: usize = 6;

/// The spectral radius of A⁻¹B − I, by power iteration; A is factored in the solver, and B has its pattern. Infinite where it
/// is not known.
///
/// While it is below one, no matrix on the line from A to B is singular: det((1 − s) A + s B) = det A · det(I + s (A⁻¹B − I)).
///
/// ```
/// use cotangent_solve::{LinearSolver, Pattern, departure};
///
/// let mut solver = LinearSolver::new(&Pattern::dense(1, 1)?)?;
/// solver.factor(&[2.0])?;
/// // From 2 to −1 there is zero.
/// assert_eq!(departure(&mut solver, &[-1.0]), 1.5);
/// assert_eq!(departure(&mut solver, &[3.0]), 0.5);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn departure(solver: &mut LinearSolver<f64>, values: &[f64]) -> f64 {
    let mut random = Random::default();
    // Vectors are measured in the units of the unknowns.
    let unit: Vec<f64> =
        Scales::new(solver.pattern(), values, |_| true).columns.into_iter().map(|c| c.unwrap_or(1.0)).collect();
    let size = |x: &[f64]| x.iter().zip(&unit).fold(0.0f64, |m, (x, u)| if x.is_nan() { f64::NAN } else { m.max(x.abs() / u) });
    let mut x: Vec<f64> = unit.iter().map(|u| u * (1.0 + 0.5 * random.signed())).collect();
    let mut radius = 0.0f64;
    for _ in 0..ITERATIONS {
        let before = size(&x);
        let mut y = product(solver.pattern(), values, &x);
        solver.solve(&mut y);
        x.iter_mut().zip(&y).for_each(|(x, y)| *x = y - *x);
        let after = size(&x);
        if !after.is_finite() {
            return f64::INFINITY;
        }
        radius = after / before;
        if after == 0.0 {
            return 0.0;
        }
        x.iter_mut().for_each(|x| *x /= after);
    }
    radius
}

fn product(pattern: &Pattern, values: &[f64], x: &[f64]) -> Vec<f64> {
    let mut out = vec![0.0; pattern.rows()];
    pattern.addresses().zip(values).for_each(|((i, j), value)| out[i as usize] += value * x[j as usize]);
    out
}
