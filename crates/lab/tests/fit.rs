//! No table of numbers is too odd to be judged.

use cotangent_lab::{fit_line, growth_exponent, observed_order};
use proptest::collection::vec;
use proptest::prelude::*;

/// Any number, and often one of those that make trouble.
fn number() -> impl Strategy<Value = f64> {
    prop_oneof![any::<f64>(), -2.0..2.0f64, Just(0.0), Just(1.0), Just(f64::NAN), Just(f64::MAX), Just(5e-324)]
}

proptest! {
    #[test]
    fn no_numbers_panic(x in vec(number(), 0..12), y in vec(number(), 0..12)) {
        let same = x.len().min(y.len());
        for (x, y) in [(&x[..], &y[..]), (&x[..same], &y[..same])] {
            let _ = fit_line(x, y).map(|fit| fit.half_width());
            if let Ok(order) = observed_order(x, y) {
                prop_assert!(order.used.len() >= 3 && order.value.is_finite() && order.uncertainty >= 0.0);
            }
            let _ = growth_exponent(x, y);
        }
    }

    #[test]
    fn no_series_panics(mut times in vec(0.0..1e6f64, 0..300), values in vec(-1e3..1e3f64, 300), scale in number()) {
        times.sort_by(f64::total_cmp);
        times.dedup();
        let values: Vec<f64> = values[..times.len()].iter().map(|v| v * scale).collect();
        if let Ok(growth) = growth_exponent(&times, &values) {
            prop_assert!(growth.exponent.is_finite() && growth.uncertainty >= 0.0);
        }
    }
}

#[test]
fn the_order_behind_noise_is_within_the_uncertainty_nine_times_of_ten() {
    let mut bits = 0x1234_5678_9abc_def1u64;
    let mut random = || {
        bits ^= bits << 13;
        bits ^= bits >> 7;
        bits ^= bits << 17;
        (bits >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    };
    for (order, points, ratio, noise) in [(1, 8, 0.7, 0.05), (2, 4, 0.5, 0.05), (2, 12, 0.8, 0.2), (6, 6, 0.5, 0.3)] {
        let steps: Vec<f64> = (0..points).map(|k| 0.5 * f64::powi(ratio, k)).collect();
        let mut covered = 0;
        for _ in 0..1000 {
            let errors: Vec<f64> = steps.iter().map(|h| h.powi(order) * (1.0 + noise * random())).collect();
            let found = observed_order(&steps, &errors);
            covered += usize::from(found.is_ok_and(|o| (o.value - f64::from(order)).abs() <= o.uncertainty));
        }
        assert!(covered >= 900, "order {order}, {points} points: {covered} of 1000");
    }
}
