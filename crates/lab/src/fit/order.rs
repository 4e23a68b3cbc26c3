//! The order of convergence that errors show.

use super::{Fit, FitError, Undecided, fit_line};

/// A point this many times above the floor is off by at most a sixteenth of itself.
const CLEARANCE: f64 = 16.0;

/// Errors on the floor scatter, but not by more than this.
const SCATTER: f64 = 32.0;

/// An order, as observed.
#[derive(Clone, Debug, PartialEq)]
pub struct Order {
    /// The slope of log error over log step.
    pub value: f64,
    /// The half-width of its 95 % interval, and how far the slope drifts to small steps.
    pub uncertainty: f64,
    /// The points it comes from, as positions in the lists given, from the smallest step on.
    pub used: Vec<usize>,
    /// All steps and their errors, as they were given.
    pub points: Vec<[f64; 2]>,
}

/// The order p in error ≈ C·hᵖ, from errors at several steps h, in any sequence.
///
/// Neither end of a convergence plot is straight. The rule, in this order:
///
/// 1. *No information*: errors that are zero, infinite or NaN are left out (an unstable large step
///    overflows, a lucky small one is exact).
/// 2. *The floor*: an error eᵢ is on the floor if some step hₖ of about half hᵢ or less does not
///    improve it even at order ½, eₖ > eᵢ √(hₖ/hᵢ), unless the errors still fall later, to 1/32 of eₖ.
///    The floor is the largest min(eᵢ, eₖ) of these pairs. Errors up to 16 floors are left out.
/// 3. *Large steps*: of the points left, a window of at least three is used that ends at the smallest
///    step, where the leading term is the largest part. Of all windows take the one with
///    the least uncertainty; of those with at most 1.5 times as much, the longest.
///
/// The uncertainty is the half-width of the 95 % interval of the slope by Student's t, so that a
/// window of three must be very straight to win, and the difference between this slope and that of the three
/// smallest steps: where the slope still drifts it will go on to do so. Random errors of the errors
/// are covered in nine cases of ten (the choice of the window costs a little).
///
/// Steps equal to another are used once each: repeated runs are fine if three steps differ.
///
/// # Errors
/// If fewer than three points are left, or the input is no table of steps and errors.
pub fn observed_order(steps: &[f64], errors: &[f64]) -> Result<Order, Undecided> {
    if steps.len() != errors.len() {
        return Err(FitError::Lengths { left: steps.len(), right: errors.len() }.into());
    }
    if let Some(index) = steps.iter().position(|&h| !(h > 0.0 && h.is_finite())) {
        return Err(Undecided::Step { index });
    }
    // From the smallest step on.
    let mut usable: Vec<usize> = (0..steps.len()).filter(|&i| is_informative(errors[i])).collect();
    usable.sort_by(|&a, &b| steps[a].total_cmp(&steps[b]));
    let points: Vec<(f64, f64)> = usable.iter().map(|&i| (steps[i], errors[i].abs())).collect();
    if distinct(points.iter().map(|p| p.0)) < 3 {
        return Err(Undecided::TooFew { usable: points.len() });
    }
    let floor = floor(&points);
    usable.retain(|&i| errors[i].abs() > CLEARANCE * floor);
    let x: Vec<f64> = usable.iter().map(|&i| steps[i].ln()).collect();
    let y: Vec<f64> = usable.iter().map(|&i| errors[i].abs().ln()).collect();
    let windows: Vec<Fit> = (3..=x.len()).filter_map(|n| fit_line(&x[..n], &y[..n]).ok()).collect();
    let end = windows.first().map_or(0.0, |fit| fit.slope);
    let uncertainty = |fit: &Fit| fit.half_width() + (fit.slope - end).abs();
    let least = windows.iter().map(uncertainty).fold(f64::INFINITY, f64::min);
    // Windows that differ by the rounding of the logarithms alone are equally good.
    let allowed = 1.5 * least + 1e-9;
    match windows.iter().rev().find(|fit| uncertainty(fit) <= allowed) {
        Some(fit) => {
            usable.truncate(fit.points);
            let points = steps.iter().zip(errors).map(|(h, error)| [h.abs(), error.abs()]).collect();
            Ok(Order { value: fit.slope, uncertainty: uncertainty(fit), used: usable, points })
        }
        None => Err(Undecided::AtFloor { usable: usable.len(), floor }),
    }
}

fn is_informative(error: f64) -> bool {
    error.is_finite() && error != 0.0
}

fn distinct(sorted: impl Iterator<Item = f64>) -> usize {
    let mut values: Vec<f64> = sorted.collect();
    values.dedup();
    values.len()
}

/// The floor of (step, error) sorted by step, zero if there is none.
fn floor(points: &[(f64, f64)]) -> f64 {
    let mut floor = 0.0f64;
    let mut later = f64::INFINITY;
    for (k, &(step, error)) in points.iter().enumerate() {
        if later >= error / SCATTER {
            let stuck = |&&(h, e): &&(f64, f64)| step <= 0.55 * h && error > e * (step / h).sqrt();
            let pairs = points[k + 1..].iter().filter(stuck);
            floor = pairs.map(|&(_, e)| e.min(error)).fold(floor, f64::max);
        }
        later = later.min(error);
    }
    floor
}

#[cfg(test)]
mod tests {
    use super::*;

    fn halved(count: i32) -> Vec<f64> {
        (0..count).map(|k| 0.5f64.powi(k)).collect()
    }

    fn assert_order(order: &Order, expected: f64, within: f64) {
        let off = (order.value - expected).abs();
        assert!(off <= order.uncertainty && order.uncertainty < within, "{order:?}, expected {expected}");
    }

    #[test]
    fn a_pure_power_is_found_from_all_points() {
        let steps = halved(6);
        let errors: Vec<f64> = steps.iter().map(|h| 0.1 * h.powi(4)).collect();
        let order = observed_order(&steps, &errors).unwrap();
        assert!((order.value - 4.0).abs() < 1e-12);
        assert_eq!(order.used, [5, 4, 3, 2, 1, 0]);
    }

    #[test]
    fn next_terms_of_the_series_are_told_from_the_order() {
        // C hᵖ (1 + a h) and C hᵖ (1 + a h²), of either sign of a.
        for p in [1, 2, 4, 6] {
            for a in [0.5, -0.5, 3.0] {
                for q in [1, 2] {
                    let steps = halved(8);
                    let errors: Vec<f64> = steps.iter().map(|h| h.powi(p) * (1.0 + a * h.powi(q))).collect();
                    assert_order(&observed_order(&steps, &errors).unwrap(), f64::from(p), 0.25);
                }
            }
        }
    }

    #[test]
    fn a_higher_order_at_large_steps_does_not_win() {
        // h² + 1000 h⁴ looks like order 4 down to h = 1/30.
        let steps = halved(12);
        let errors: Vec<f64> = steps.iter().map(|h| h * h + 1000.0 * h.powi(4)).collect();
        let order = observed_order(&steps, &errors).unwrap();
        assert_order(&order, 2.0, 0.5);
        assert!(!order.used.contains(&4));
    }

    #[test]
    fn the_round_off_plateau_is_dropped() {
        // Scatter about 10⁻¹⁴, as it would come from rounding.
        let scatter = [0.3, 2.0, 0.7, 1.4, 0.2, 0.9, 3.0, 0.5, 1.1, 0.8];
        let steps = halved(10);
        for p in [6, 8, 10] {
            let errors: Vec<f64> =
                steps.iter().zip(scatter).map(|(h, s)| (h / 4.0).powi(p) * (1.0 + 0.2 * h * h) + 1e-14 * s).collect();
            let order = observed_order(&steps, &errors).unwrap();
            assert_order(&order, f64::from(p), 0.6);
            assert!(order.used.iter().all(|&i| errors[i] > 1e-13));
        }
    }

    #[test]
    fn round_off_that_grows_is_a_plateau_too() {
        let steps = halved(16);
        let errors: Vec<f64> = steps.iter().map(|h| h.powi(3) + 1e-12 / h).collect();
        assert_order(&observed_order(&steps, &errors).unwrap(), 3.0, 0.1);
    }

    #[test]
    fn errors_that_mean_nothing_are_left_out() {
        let mut errors: Vec<f64> = halved(8).iter().map(|h| -h.powi(2)).collect();
        (errors[0], errors[1], errors[4]) = (f64::NAN, f64::INFINITY, 0.0);
        // A sign change passes close to zero.
        errors[3] = 1e-12;
        let order = observed_order(&halved(8), &errors).unwrap();
        assert!((order.value - 2.0).abs() < 1e-12);
        assert_eq!(order.used, [7, 6, 5, 2]);
    }

    #[test]
    fn what_does_not_converge_has_no_order() {
        let steps = halved(6);
        let constant = observed_order(&steps, &[0.25; 6]);
        assert_eq!(constant, Err(Undecided::AtFloor { usable: 0, floor: 0.25 }));
        let rounding = observed_order(&steps, &[2e-16, 5e-16, 1e-16, 3e-16, 2e-16, 4e-16]);
        assert!(matches!(rounding, Err(Undecided::AtFloor { usable: 0, .. })));
        // Two points above the floor are no order.
        let short = observed_order(&steps, &[1e-2, 1e-6, 1e-14, 2e-14, 1e-14, 3e-14]);
        assert!(matches!(short, Err(Undecided::AtFloor { usable: 2, .. })));
    }

    #[test]
    fn what_is_no_table_is_refused() {
        assert_eq!(observed_order(&[], &[]), Err(Undecided::TooFew { usable: 0 }));
        assert_eq!(observed_order(&[0.5; 4], &[1.0, 2.0, 3.0, 4.0]), Err(Undecided::TooFew { usable: 4 }));
        assert_eq!(observed_order(&halved(3), &[0.0; 3]), Err(Undecided::TooFew { usable: 0 }));
        assert_eq!(observed_order(&[0.1, -0.1, 0.2], &[1.0; 3]), Err(Undecided::Step { index: 1 }));
        assert!(matches!(observed_order(&[0.1], &[]), Err(Undecided::Invalid(FitError::Lengths { .. }))));
    }
}
