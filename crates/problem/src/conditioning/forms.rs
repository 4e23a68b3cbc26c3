//! Branches through a configuration where several constraints depend on the others, by their directions.
//!
//! Where the gradients of r constraints depend on the others the tangent space has 1 + r dimensions for one degree of freedom. The
//! second derivatives of the r combinations whose gradients vanish are forms A_k on it, and branches leave along their common zeros,
//!
//! ```text
//! xᵀA_k x = 0,   k = 1 … r.
//! ```
//!
//! Where the A_k x are independent the branch along x is smooth, and no other has its direction: with σ the least singular value of
//! the A_k x, where all |A_k| = 1, a zero x + e with e ⟂ x has |e| ≥ 2σ/√r.

use super::face::dot;
use cotangent_solve::{least_change, singular_values};

/// The least σ of a branch that no other touches.
const APART: f64 = 1e-3;
/// Newton's method for a common zero: so many iterations, until a correction is this small.
const NEWTON: (usize, f64) = (12, 1e-10);

/// The forms A_k, by their rows.
pub(super) struct Forms(Vec<Vec<Vec<f64>>>);

/// The direction of a branch, and by how much others differ from it at least.
pub(super) struct Ray {
    pub(super) direction: Vec<f64>,
    apart: f64,
}

impl Forms {
    /// All of the same size; none if one of them is zero.
    pub(super) fn new(mut forms: Vec<Vec<Vec<f64>>>) -> Option<Forms> {
        for form in &mut forms {
            let size = form.iter().map(|row| dot(row, row)).sum::<f64>().sqrt();
            if !(size.is_finite() && size > 0.0) {
                return None;
            }
            form.iter_mut().flatten().for_each(|entry| *entry /= size);
        }
        Some(Forms(forms))
    }

    /// The rows A_k x, and xᵀA_k x.
    fn at(&self, x: &[f64]) -> (Vec<Vec<f64>>, Vec<f64>) {
        let rows: Vec<Vec<f64>> = self.0.iter().map(|form| form.iter().map(|row| dot(row, x)).collect()).collect();
        let values = rows.iter().map(|row| dot(row, x)).collect();
        (rows, values)
    }

    /// The branch that has a direction but for what a step turns by; none if that is not known.
    pub(super) fn branch(&self, direction: &[f64]) -> Option<Ray> {
        let size = dot(direction, direction).sqrt();
        let start: Vec<f64> = direction.iter().map(|x| x / size).collect();
        let mut x = start.clone();
        for _ in 0..NEWTON.0 {
            let (mut rows, values) = self.at(&x);
            let mut residual: Vec<f64> = values.iter().map(|value| value / 2.0).collect();
            rows.push(start.clone());
            residual.push(0.0);
            let change = least_change(&rows, &residual, f64::EPSILON);
            x.iter_mut().zip(&change).for_each(|(x, change)| *x += change);
            let moved = dot(&change, &change).sqrt();
            if moved.is_nan() || moved > 1.0 {
                return None;
            }
            if moved <= NEWTON.1 {
                break;
            }
        }
        let size = dot(&x, &x).sqrt();
        let direction: Vec<f64> = x.iter().map(|x| x / size).collect();
        let (rows, values) = self.at(&direction);
        let least = singular_values(&rows).into_iter().fold(f64::INFINITY, f64::min);
        let ray = Ray { direction, apart: 2.0 * least / (rows.len() as f64).sqrt() };
        let is_zero = values.iter().all(|value| value.abs() <= APART * APART);
        (is_zero && least > APART && ray.leads(&start) == Some(true)).then_some(ray)
    }
}

impl Ray {
    /// Whether a direction is that of this branch rather than of another one, forth or back along it; none if it may be either.
    fn leads(&self, x: &[f64]) -> Option<bool> {
        let along = dot(&self.direction, x);
        let aside = (dot(x, x) - along * along).max(0.0).sqrt();
        (2.0 * aside < self.apart * along.abs()).then_some(along > 0.0)
    }

    /// Whether another branch is this one: forth, or back; none if it is another.
    pub(super) fn is_along(&self, other: &Ray) -> Option<bool> {
        self.leads(&other.direction)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// x y = 0 and z (x + y) = 0: the axes, along the last of which branches touch.
    fn lines() -> Forms {
        let xy = vec![vec![0.0, 1.0, 0.0], vec![1.0, 0.0, 0.0], vec![0.0; 3]];
        let zs = vec![vec![0.0, 0.0, 1.0], vec![0.0, 0.0, 1.0], vec![1.0, 1.0, 0.0]];
        Forms::new(vec![xy, zs]).unwrap()
    }

    #[test]
    fn a_direction_leads_to_the_branch_next_to_it() {
        for (near, exact) in [([1.0, 0.05, -0.03], [1.0, 0.0, 0.0]), ([0.04, -2.0, 0.1], [0.0, -1.0, 0.0])] {
            let ray = lines().branch(&near).unwrap();
            let off = ray.direction.iter().zip(exact).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            assert!(off < 1e-9, "{:?}", ray.direction);
        }
    }

    #[test]
    fn of_a_branch_that_others_touch_nothing_is_told() {
        // Along z both gradients are (1, 1, 0), or zero: x y = 0 and z (x + y) = 0 touch there.
        assert!(lines().branch(&[0.01, 0.0, 1.0]).is_none());
    }

    #[test]
    fn forth_back_and_aside_are_told_apart() {
        let forms = lines();
        let ray = |x: [f64; 3]| forms.branch(&x).unwrap();
        let (x, back, y) = (ray([1.0, 0.02, 0.0]), ray([-1.0, 0.0, 0.03]), ray([0.0, 1.0, 0.01]));
        assert_eq!(x.is_along(&ray([3.0, 0.0, 0.1])), Some(true));
        assert_eq!(x.is_along(&back), Some(false));
        assert_eq!(x.is_along(&y), None);
    }
}
