//! The nearest solution of fewer equations than unknowns.

use cotangent_scalar::Real;

/// The smallest d with A d = −r: what to add to x so that r + A·d = 0. A is given by its rows; rows
/// that are combinations of others, up to `tolerance`, are left out.
///
/// With Gram–Schmidt, Aᵀ = Q Rᵀ gives d = −Q R⁻¹ r.
pub fn least_change<S: Real>(rows: &[Vec<S>], residual: &[S], tolerance: f64) -> Vec<S> {
    let zero = S::from_f64(0.0);
    let dot = |a: &[S], b: &[S]| a.iter().zip(b).fold(zero, |s, (&x, &y)| s + x * y);
    let width = rows.first().map_or(0, Vec::len);
    let mut basis: Vec<Vec<S>> = vec![];
    // The components of the solution along the basis.
    let mut along: Vec<S> = vec![];
    for (row, &r) in rows.iter().zip(residual) {
        let mut vector = row.clone();
        let size = dot(&vector, &vector).sqrt();
        let mut known = zero;
        for _ in 0..2 {
            for (q, &a) in basis.iter().zip(&along) {
                let c = dot(q, &vector);
                known = known + c * a;
                vector.iter_mut().zip(q).for_each(|(v, &q)| *v = *v - c * q);
            }
        }
        let left = dot(&vector, &vector).sqrt();
        if left.value() <= tolerance * size.value() || left.value() == 0.0 {
            continue;
        }
        vector.iter_mut().for_each(|v| *v = *v / left);
        basis.push(vector);
        along.push((-r - known) / left);
    }
    let mut out = vec![zero; width];
    for (q, a) in basis.iter().zip(along) {
        out.iter_mut().zip(q).for_each(|(o, &q)| *o = *o + a * q);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::least_change;

    #[test]
    fn the_change_is_the_smallest_that_solves_the_equations() {
        // x + y = 2 and its double: the nearest point to the origin is (1, 1).
        let d = least_change(&[vec![1.0, 1.0], vec![2.0, 2.0]], &[-2.0, -4.0], 1e-12);
        assert!(d.iter().all(|x: &f64| (x - 1.0).abs() < 1e-15), "{d:?}");
    }
}
