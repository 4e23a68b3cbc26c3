//! Fixed points: closed forms, derivatives of fixed points, and honest failure.

use std::convert::Infallible;

use cotangent_scalar::{Dd, Dual, Real, Scalar};
use cotangent_solve::{FixedPointError, FixedPointWork, FixedPointWorkspace, StoppingRule, fixed_point};
use proptest::prelude::*;

fn patient() -> StoppingRule {
    StoppingRule { max_iterations: 400, ..StoppingRule::default() }
}

/// The fixed point of a map of one number.
fn of<S: Real>(start: S, f: impl Fn(S) -> S) -> Result<(S, FixedPointWork), FixedPointError<Infallible>> {
    let mut x = [start];
    let work = fixed_point(&mut FixedPointWorkspace::new(1), &patient(), &mut x, |x, next| {
        next[0] = f(x[0]);
        Ok(())
    })?;
    Ok((x[0], work))
}

/// Kepler's equation E = M + e sin E: ∂E/∂M = 1/(1 − e cos E), ∂E/∂e = sin E/(1 − e cos E).
fn kepler<S: Real>(mean: S, e: S) -> Result<(S, FixedPointWork), FixedPointError<Infallible>> {
    of(mean, |anomaly| mean + e * anomaly.sin())
}

#[test]
fn an_affine_map_arrives_at_its_fixed_point() {
    let (x, work) = of(0.0, |x| 0.25 * x + 3.0).unwrap();
    assert_eq!(x, 4.0);
    assert!(work.iterations <= 29 && (work.contraction - 0.25).abs() < 0.02, "{work:?}");
    let (x, _) = of(Dd::from(0.0), |x| Dd::ratio(1, 7) * x + Dd::from(1.0)).unwrap();
    assert!((x - Dd::ratio(7, 6)).abs().hi() < 1e-31);
    // At the fixed point already.
    let (x, work) = of(4.0, |x| 0.25 * x + 3.0).unwrap();
    assert_eq!((x, work.iterations, work.evaluations), (4.0, 1, 1));
}

#[test]
fn the_golden_ratio_is_found_to_the_last_digit() {
    let (x, _) = of(1.0, |x: f64| 1.0 + 1.0 / x).unwrap();
    assert!((x - 0.5 * (1.0 + 5f64.sqrt())).abs() <= f64::EPSILON);
    let (x, _) = of(Dd::from(1.0), |x| Dd::from(1.0) + Dd::from(1.0) / x).unwrap();
    let exact = Dd::from(0.5) * (Dd::from(1.0) + Dd::from(5.0).sqrt());
    assert!((x - exact).abs().hi() < 1e-31);
}

#[test]
fn a_fixed_point_at_zero_is_one() {
    for unit in [1e-150, 1.0, 1e150] {
        let (x, _) = of(unit, |x: f64| 0.5 * x * (x / unit).cos()).unwrap();
        assert!(x.abs() <= 1e-15 * unit);
    }
}

/// x = √p from x = ½(x + p/x) + c (x − p/x) with rate 2c: x′ = 1/(2x), x″ = −1/(4x³).
#[test]
fn second_derivatives_are_exact_from_any_guess() {
    for start in [1.0, 1.5, 2f64.sqrt(), 2f64.sqrt() + 1e-11] {
        let p: Dual<Dual<f64>> = Dual::variable(Dual::variable(2.0, 0), 0);
        let (half, c) = (Dual::from_f64(0.5), Dual::from_f64(0.2));
        let (x, _) = of(Dual::from_f64(start), |x| half * (x + p / x) + c * (x - p / x)).unwrap();
        let root = 2f64.sqrt();
        assert!((x.value() - root).abs() < 1e-15);
        assert!((x.tangent[0].value - 0.5 / root).abs() < 1e-14, "from {start}");
        assert!((x.value.tangent[0] - 0.5 / root).abs() < 1e-14);
        assert!((x.tangent[0].tangent[0] + 0.25 / (2.0 * root)).abs() < 1e-13, "from {start}");
    }
}

#[test]
fn a_guess_that_is_exact_still_gets_its_derivative() {
    // x = x/2 + p at p = 2: x = 2p.
    let p = Dual::<f64>::variable(2.0, 0);
    let (x, work) = of(Dual::from_f64(4.0), |x| Dual::from_f64(0.5) * x + p).unwrap();
    assert_eq!((x.value, work.iterations), (4.0, 1));
    assert!((x.tangent[0] - 2.0).abs() < 1e-15);
}

#[test]
fn a_divergence_is_reported() {
    let error = of(1.0, |x| 2.0 * x + 1.0).unwrap_err();
    let FixedPointError::NotConverged { worst: 0, ratio, .. } = error else { panic!("{error}") };
    assert!(ratio > 0.9);
    // An oscillation between two values is none of round-off.
    assert!(matches!(of(0.3, |x| 1.0 - x), Err(FixedPointError::NotConverged { iterations: 400, .. })));
    // Of several unknowns the one is named that does not settle.
    let mut x = [1.0, 1.0, 1.0];
    let result = fixed_point(&mut FixedPointWorkspace::new(3), &patient(), &mut x, |x, next| {
        next.copy_from_slice(&[0.1 * x[0] + 1.0, -1.5 * x[1] + 0.3, 0.5 * x[2]]);
        Ok::<(), Infallible>(())
    });
    assert!(matches!(result, Err(FixedPointError::NotConverged { worst: 1, .. })), "{result:?}");
}

#[test]
fn a_contraction_that_is_too_slow_is_reported() {
    let slow = |x: f64| 0.999 * x + 1.0;
    let error = of(0.0, slow).unwrap_err();
    let FixedPointError::NotConverged { ratio, iterations: 400, .. } = &error else { panic!("{error}") };
    assert!((ratio - 0.999).abs() < 1e-2);
    assert!(error.to_string().contains("did not converge in 400 iterations: unknown 0 still changes by"));
    // Close enough for the values, not for the derivatives.
    let p = Dual::<f64>::variable(1.0, 0);
    let mut x = [Dual::from_f64(1000.0 + 1e-9)];
    let result = fixed_point(&mut FixedPointWorkspace::new(1), &patient(), &mut x, |x, next| {
        next[0] = Dual::from_f64(0.999) * x[0] + p;
        Ok::<(), Infallible>(())
    });
    assert!(matches!(result, Err(FixedPointError::NotConverged { .. })), "{result:?} {x:?}");
}

#[test]
fn what_is_not_finite_is_named() {
    let at = |index, iteration| FixedPointError::<Infallible>::NotFinite { index, iteration };
    assert_eq!(of(f64::NAN, |x| x).unwrap_err(), at(0, 0));
    assert_eq!(of(1.0, |_| f64::INFINITY).unwrap_err(), at(0, 0));
    assert_eq!(of(1.0, |x: f64| (x - 1.5).sqrt()).unwrap_err(), at(0, 0));
    let broken = |x: Dual<f64>| Dual { value: x.value, tangent: [f64::NAN] };
    assert_eq!(of(Dual::from_f64(1.0), broken).unwrap_err(), at(0, 0));
}

#[test]
fn errors_tolerances_and_emptiness_are_respected() {
    let mut workspace = FixedPointWorkspace::<f64>::new(1);
    let result = fixed_point(&mut workspace, &patient(), &mut [1.0], |_, _| Err("out of domain"));
    assert_eq!(result, Err(FixedPointError::Callback("out of domain")));
    let rule = StoppingRule { tolerance: Some(1e-3), ..StoppingRule::default() };
    let mut x = [0.0];
    let work = fixed_point(&mut workspace, &rule, &mut x, |x, next| {
        next[0] = 0.5 * x[0] + 1.0;
        Ok::<(), Infallible>(())
    });
    // Updates 1, 1/2, …: the first below 2/1000 is 1/512.
    assert_eq!(work.unwrap().iterations, 10);
    let work = fixed_point(&mut FixedPointWorkspace::<f64>::new(0), &rule, &mut [], |_, _| Err("called"));
    assert_eq!(work.unwrap().evaluations, 0);
}

proptest! {
    #[test]
    fn derivatives_agree_with_implicit_differentiation(mean in 0.1f64..6.0, e in 0.0f64..0.8) {
        let (anomaly, work) = kepler(Dual::<f64, 2>::variable(mean, 0), Dual::variable(e, 1)).unwrap();
        let (sin, cos) = anomaly.value.sin_cos();
        let slope = 1.0 / (1.0 - e * cos);
        prop_assert!((anomaly.tangent[0] - slope).abs() < 1e-13 * slope * slope);
        prop_assert!((anomaly.tangent[1] - sin * slope).abs() < 1e-13 * slope * slope);
        let (value, plain) = kepler(mean, e).unwrap();
        prop_assert_eq!(value.to_bits(), anomaly.value.to_bits());
        prop_assert_eq!(work.iterations, plain.iterations);
        let (exact, _) = kepler(Dd::from(mean), Dd::from(e)).unwrap();
        prop_assert!((exact - Dd::from(value)).abs().hi() < 1e-15 * (1.0 + slope) * value.max(1.0));
    }

    #[test]
    fn units_do_not_matter(exponent in -60i32..60, slope in -0.7f64..0.7) {
        let unit = 2f64.powi(exponent);
        let (x, work) = of(unit, |x: f64| unit * (slope * (x / unit)).cos()).unwrap();
        let (y, plain) = of(1.0, |y: f64| (slope * y).cos()).unwrap();
        prop_assert_eq!((x, work.iterations), (unit * y, plain.iterations));
    }
}

#[test]
fn small_entries_of_a_matrix_are_not_waited_for() {
    // x ← x/2 + 1 from 0, beside an entry of 1e-20 that changes its sign for ever.
    let map = |x: &[f64], next: &mut [f64]| -> Result<(), Infallible> {
        next.copy_from_slice(&[x[0] / 2.0 + 1.0, -x[1]]);
        Ok(())
    };
    let rule = StoppingRule { max_iterations: 200, ..StoppingRule::default() };
    let mut x = [0.0, 1e-20];
    let work = fixed_point(&mut FixedPointWorkspace::normed(2), &rule, &mut x, map).unwrap();
    assert!((x[0] - 2.0).abs() <= 2.0 * f64::EPSILON, "{x:?}");
    assert!(work.iterations < 60, "{work:?}");
    // Each by its own size: the iteration stops for the small one before the large one has all its digits.
    let mut y = [0.0, 1e-20];
    fixed_point(&mut FixedPointWorkspace::grouped(&[2]), &rule, &mut y, map).unwrap();
    assert!((y[0] - 2.0).abs() > 1e-9, "{y:?}");
}

/// Two stages of a vector of two entries: y ← a + b y′, where y′ is the other stage.
fn stages(b: f64, a: [f64; 4]) -> Result<([f64; 4], FixedPointWork), FixedPointError<Infallible>> {
    let mut x = [0.0; 4];
    let map = |x: &[f64], next: &mut [f64]| {
        for k in 0..4 {
            next[k] = a[k] + b * x[(k + 2) % 4];
        }
        Ok(())
    };
    let rule = StoppingRule { max_iterations: 100, ..StoppingRule::default() };
    fixed_point(&mut FixedPointWorkspace::stages(2, false, &[2]), &rule, &mut x, map).map(|work| (x, work))
}

#[test]
fn stages_arrive_at_round_off_and_one_that_passes_through_zero_is_not_waited_for() {
    // y₁ = (a₁ + b a₂)/(1 − b²): the first entry is zero at the first stage.
    let (x, work) = stages(0.125, [-0.125, 1.0, 1.0, 3.0]).unwrap();
    let exact = |a: f64, b: f64| (a + 0.125 * b) / (1.0 - 0.125 * 0.125);
    for (x, exact) in x.iter().zip([0.0, exact(1.0, 3.0), exact(1.0, -0.125), exact(3.0, 1.0)]) {
        assert!((x - exact).abs() <= 2.0 * f64::EPSILON, "{x} {exact}");
    }
    // 16 digits at three bits each, and one that shows that nothing changes.
    assert!((17..=20).contains(&work.iterations), "{work:?}");
}

#[test]
fn stages_that_do_not_contract_are_an_error() {
    let error = stages(1.25, [1.0; 4]).unwrap_err();
    assert!(matches!(error, FixedPointError::NotConverged { iterations: 100, .. }), "{error}");
}

#[test]
fn stages_of_an_entry_that_is_rounding_alone_arrive() {
    // The second entry is what rounding leaves of a cancellation, of another sign each time.
    let (mut x, mut sign) = ([0.0; 4], 1e-17);
    let map = |x: &[f64], next: &mut [f64]| -> Result<(), Infallible> {
        sign = -sign;
        next.copy_from_slice(&[1.0 + x[2] / 8.0, sign, 2.0 + x[0] / 8.0, -sign]);
        Ok(())
    };
    let workspace = &mut FixedPointWorkspace::stages(2, false, &[2]);
    let work = fixed_point(workspace, &StoppingRule::default(), &mut x, map).unwrap();
    assert!((x[0] - 10.0 / 63.0 * 8.0).abs() <= 4.0 * f64::EPSILON, "{x:?} {work:?}");
}

/// xᵢ = r (xᵢ₋₁ + xᵢ₊₁) with b added in the middle: xᵢ = b λ^|i|/√(1 − 4r²), λ = (1 − √(1 − 4r²))/(2r), far from the ends.
#[test]
fn a_wave_that_has_all_but_gone_is_not_waited_for() {
    let (n, middle) = (2001, 1000);
    for (rate, limit) in [(2e-4, 16), (0.01, 25), (0.06, 45)] {
        for b in [1e-20, 1.0, 1e20] {
            let mut x = vec![0.0; n];
            let mut workspace = FixedPointWorkspace::stages(1, false, &[n]);
            let work = fixed_point::<_, Infallible>(&mut workspace, &StoppingRule::default(), &mut x, |x, next| {
                for i in 0..n {
                    let beside = |k: usize| x.get(k).copied().unwrap_or(0.0);
                    next[i] = rate * (beside(i.wrapping_sub(1)) + beside(i + 1)) + if i == middle { b } else { 0.0 };
                }
                Ok(())
            })
            .unwrap();
            assert!(work.iterations <= limit, "{rate}: {work:?}");
            let root = (1.0 - 4.0 * rate * rate).sqrt();
            let ratio = 2.0 * rate / (1.0 + root);
            for (k, x) in x[middle..].iter().enumerate() {
                let exact = b / root * ratio.powi(k as i32);
                // An entry below the round-off of the largest one is noise beside it.
                let bound = 1e-14 * exact + 1e-3 * f64::EPSILON * b;
                assert!((x - exact).abs() <= bound, "{rate}, {k}: {x:e} against {exact:e}");
            }
        }
    }
}
