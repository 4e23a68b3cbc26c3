//! The reference solver against closed forms: its error, and its estimate of it.

use std::convert::Infallible;

use cotangent_lab::{Pendulum, Reference, ReferenceError, Solved};
use cotangent_scalar::{Dd, Dual, Real, Scalar};
use cotangent_solve::{NewtonOptions, NewtonWorkspace, Pattern, newton};
use proptest::prelude::*;

type Outcome = Result<(), Infallible>;

fn oscillator<S: Real>(z: &[S], rates: &mut [S]) -> Outcome {
    rates.copy_from_slice(&[z[1], -z[0]]);
    Ok(())
}

fn kepler<S: Real>(z: &[S], rates: &mut [S]) -> Outcome {
    let r2 = z[0] * z[0] + z[1] * z[1];
    let pull = S::from_f64(-1.0) / (r2 * r2.sqrt());
    rates.copy_from_slice(&[z[2], z[3], pull * z[0], pull * z[1]]);
    Ok(())
}

/// The pendulum in Cartesian coordinates, g = 1, with its multiplier eliminated.
fn pendulum<S: Real>(z: &[S], rates: &mut [S]) -> Outcome {
    let (r2, v2) = (z[0] * z[0] + z[1] * z[1], z[2] * z[2] + z[3] * z[3]);
    let mu = (v2 - z[1]) / r2;
    rates.copy_from_slice(&[z[2], z[3], -mu * z[0], -mu * z[1] - S::from_f64(1.0)]);
    Ok(())
}

fn on_circle<S: Real>(time: S) -> Vec<S> {
    let (sin, cos) = time.sin_cos();
    vec![cos, -sin]
}

/// Eccentricity 0.6, from the pericentre; Kepler's equation E − e sin E = t by Newton's method.
fn on_ellipse<S: Real>(time: S) -> Vec<S> {
    let (e, one) = (S::ratio(3, 5), S::from_f64(1.0));
    let mut workspace = NewtonWorkspace::new(&Pattern::dense(1, 1).unwrap()).unwrap();
    let mut anomaly = [time];
    newton(&mut workspace, &NewtonOptions { max_halvings: 20, ..Default::default() }, &mut anomaly, |x, f, slope| {
        let (sin, cos) = x[0].sin_cos();
        (f[0], slope[0]) = (x[0] - e * sin - time, one - e * cos);
        Outcome::Ok(())
    })
    .unwrap();
    let (sin, cos) = anomaly[0].sin_cos();
    let (minor, rate) = ((one - e * e).sqrt(), one / (one - e * cos));
    vec![cos - e, minor * sin, -sin * rate, minor * cos * rate]
}

fn turning<S: Real>(time: S) -> Vec<S> {
    let [zero, one, two] = [0.0, 1.0, -2.0].map(S::from_f64);
    let motion = Pendulum::new(one, [one, zero], [zero, two]).unwrap().at(time);
    motion.position.into_iter().chain(motion.velocity).collect()
}

type Instance<S> = (fn(&[S], &mut [S]) -> Outcome, fn(S) -> Vec<S>);

fn problems<S: Real>() -> [(&'static str, Instance<S>); 3] {
    [("oscillator", (oscillator, on_circle)), ("kepler", (kepler, on_ellipse)), ("pendulum", (pendulum, turning))]
}

/// The true error of each component, and what the solver says.
fn errors<S: Real>((rates, exact): Instance<S>, tolerance: f64, time: S) -> (Vec<f64>, Solved) {
    let mut z = exact(S::from_f64(0.0));
    let mut rates = rates;
    let solved = Reference::new(tolerance).solve(&mut rates, &mut z, time).unwrap();
    (z.iter().zip(exact(time)).map(|(&a, b)| (a - b).value().abs()).collect(), solved)
}

fn largest(errors: &[f64]) -> f64 {
    errors.iter().copied().fold(0.0, f64::max)
}

/// (true error, estimate) of the worst component for each problem, tolerance and time.
fn survey<S: Real>(digits: &[i32]) -> Vec<(f64, f64)> {
    let mut cases = Vec::new();
    for (name, problem) in problems::<S>() {
        for time in [0.5, 3.0, 10.0, -10.0] {
            for &digits in digits {
                let (errors, solved) = errors(problem, 0.1f64.powi(digits), S::from_f64(time));
                let (error, estimate) = (largest(&errors), largest(&solved.errors));
                assert!(error <= 8.0 * estimate, "{name}, {time}, {digits} digits: {error:e} {estimate:e}");
                cases.push((error, estimate));
            }
        }
    }
    cases
}

#[test]
fn the_estimate_is_above_the_error() {
    let mut cases = survey::<Dd>(&[3, 5, 6, 8, 9, 11, 12, 14, 15, 17, 18, 20, 21, 23, 24, 26, 27, 28]);
    cases.extend(survey::<f64>(&[3, 5, 6, 8, 9, 11, 12, 13]));
    let below = cases.iter().filter(|(error, estimate)| error <= estimate).count();
    assert!(20 * below >= 19 * cases.len(), "{below} of {}", cases.len());
}

#[test]
fn twenty_five_digits_for_ten_units_of_time() {
    // The pendulum's errors leave the circle and grow; those of the others grow linearly.
    let bounds = [("oscillator", 1e-28, 8000), ("kepler", 1e-26, 20_000), ("pendulum", 1e-25, 30_000)];
    for ((name, problem), (_, bound, work)) in problems::<Dd>().into_iter().zip(bounds) {
        for time in [9.939829021419565, -9.939829021419565] {
            let (errors, solved) = errors(problem, 1e-28, Dd::from(time));
            let error = largest(&errors);
            assert!(error < bound && solved.evaluations < work, "{name}: {error:e}, {solved:?}");
        }
    }
}

#[test]
fn ten_periods_of_the_pendulum_take_a_few_ten_thousand_evaluations() {
    let (_, (mut rates, exact)) = problems::<Dd>()[2];
    let time = Dd::from(33.0);
    let mut z = exact(Dd::from(0.0));
    let solved = Reference::new(1e-28).solve(&mut rates, &mut z, time).unwrap();
    let error = z.iter().zip(exact(time)).map(|(&a, b)| (a - b).abs().hi()).fold(0.0, f64::max);
    assert!(error < 1e-24 && error <= 8.0 * largest(&solved.errors));
    assert!(solved.evaluations < 100_000);
}

#[test]
fn listed_times_are_hit_exactly() {
    let times: Vec<Dd> = (0..=40).map(|k| Dd::ratio(-k, 7)).collect();
    for (name, (mut rates, exact)) in problems::<Dd>() {
        let solution = Reference::new(1e-27).solve_at(&mut rates, &exact(Dd::from(0.0)), &times).unwrap();
        assert_eq!(solution.samples.len(), times.len());
        for (sample, &time) in solution.samples.iter().zip(&times) {
            assert_eq!(sample.time, time);
            for (&a, b) in sample.state.iter().zip(exact(time)) {
                assert!((a - b).abs().hi() < 3e-25, "{name} {time:?}: {:e}", (a - b).hi());
            }
        }
        assert!(solution.solved.error_estimate < 1e-24, "{name}: {:?}", solution.solved);
    }
}

#[test]
fn dual_numbers_carry_derivatives_by_data_and_time() {
    // z = R(t) z₀: ∂z/∂z₀ is the rotation, ∂z/∂t the rates.
    type D = Dual<Dd, 2>;
    let (sin, cos) = Dd::from(2.0).sin_cos();
    let mut z: [D; 2] = [Dual::variable(Dd::from(1.0), 0), Dual::constant(Dd::from(0.0))];
    let rates: fn(&[D], &mut [D]) -> Outcome = oscillator;
    let mut rates = rates;
    Reference::new(1e-27).solve(&mut rates, &mut z, Dual::variable(Dd::from(2.0), 1)).unwrap();
    let expected = [[cos, -sin], [-sin, -cos]];
    for i in 0..2 {
        for k in 0..2 {
            assert!((z[i].tangent[k] - expected[i][k]).abs().hi() < 1e-25);
        }
    }
    // A time that is zero but moves.
    let mut z: [D; 2] = [1.0, 0.0].map(D::from_f64);
    Reference::new(1e-27).solve(&mut rates, &mut z, Dual::variable(Dd::from(0.0), 0)).unwrap();
    assert!((z[1].tangent[0] + Dd::from(1.0)).abs().hi() < 1e-30);
}

#[test]
fn a_component_of_rounding_errors_does_not_stop_it() {
    // u = x − y is zero but for rounding, and is driven by what rounding makes of x − y.
    let third = Dd::ratio(1, 3);
    let mut rates = |z: &[Dd], r: &mut [Dd]| -> Outcome {
        let (x, y) = (z[0], z[1]);
        r.copy_from_slice(&[z[2], third * (Dd::from(3.0) * z[2]), -x, x * x * x - y * y * y + third * x - third * y]);
        Ok(())
    };
    let mut z = [Dd::ratio(7, 10), Dd::ratio(7, 10), Dd::from(0.0), Dd::from(0.0)];
    let solved = Reference::new(1e-28).solve(&mut rates, &mut z, Dd::from(5.0)).unwrap();
    assert!(z[3].abs().hi() < 1e-27 && solved.evaluations < 10_000, "{:?}", solved);
}

#[test]
fn units_do_not_matter() {
    // An oscillator of amplitude 10¹¹ and period 10⁻⁷·2π.
    let mut rates = |z: &[Dd], r: &mut [Dd]| -> Outcome {
        r.copy_from_slice(&[z[1], z[0] * Dd::from(-1e14)]);
        Ok(())
    };
    let mut z = [Dd::from(1e11), Dd::from(0.0)];
    let time = Dd::from(1e-6);
    let solved = Reference::new(1e-27).solve(&mut rates, &mut z, time).unwrap();
    let expected = Dd::from(1e11) * (Dd::from(1e7) * time).cos();
    assert!((z[0] - expected).abs().hi() < 1e11 * 1e-26, "{:e} {solved:?}", (z[0] - expected).hi());
    assert!(solved.evaluations < 6000);
}

fn failure<S: Real>(
    mut rates: impl FnMut(S) -> S,
    start: f64,
    time: f64,
    tolerance: f64,
) -> ReferenceError<Infallible> {
    let mut z = [S::from_f64(start)];
    let mut system = |z: &[S], r: &mut [S]| -> Outcome {
        r[0] = rates(z[0]);
        Ok(())
    };
    let error = Reference::new(tolerance).with_budget(100_000).solve(&mut system, &mut z, S::from_f64(time));
    assert_eq!(z[0].value(), start);
    error.unwrap_err()
}

#[test]
fn a_singularity_is_an_error() {
    // z = 1/(1 − t)
    let error = failure(|z: f64| z * z, 1.0, 2.0, 1e-12);
    assert!(matches!(error, ReferenceError::StepTooSmall { time, .. } if (time - 1.0).abs() < 1e-9), "{error}");
    let error = failure(|z: Dd| z * z, 1.0, 2.0, 1e-20);
    assert!(matches!(error, ReferenceError::StepTooSmall { time, .. } if (time - 1.0).abs() < 1e-12), "{error}");
    // z = √(1 − 2t) ends at t = 1/2.
    let error = failure(|z: f64| -1.0 / z, 1.0, 2.0, 1e-12);
    assert!(!matches!(error, ReferenceError::Tolerance { .. }), "{error}");
}

#[test]
fn rates_that_are_not_finite_are_an_error() {
    let error = failure(|_: f64| f64::NAN, 1.0, 1.0, 1e-9);
    assert_eq!(error, ReferenceError::NotFinite { index: 0, time: 0.0 });
    // The square root has no value once z > 2. A step may end a little beyond.
    let error = failure(|z: f64| 1.0 + 0.0 * (2.0 - z).sqrt(), 1.0, 5.0, 1e-9);
    assert!(matches!(error, ReferenceError::NotFinite { time, .. } if (time - 1.0).abs() < 1e-3), "{error}");
}

#[test]
fn rates_that_fail_are_reported_where_they_do() {
    let mut rates = |z: &[f64], r: &mut [f64]| {
        if z[0] > 2.0 {
            Err("too far")
        } else {
            r[0] = 1.0;
            Ok(())
        }
    };
    let error = Reference::new(1e-9).solve(&mut rates, &mut [1.0], 5.0).unwrap_err();
    assert!(matches!(error, ReferenceError::Rates { time, error: "too far" } if (time - 1.0).abs() < 1e-3));
}

#[test]
fn stiff_equations_and_noisy_rates_end_in_an_error() {
    let error = failure(|z: f64| -1e9 * (z - 1.0), 2.0, 10.0, 1e-9);
    assert!(matches!(error, ReferenceError::Budget { evaluations: 100_000, .. }), "{error}");
    // Rates of sixteen digits are no use for twenty-seven.
    let error = failure(|z: Dd| Dd::from(z.hi().cos()), 0.3, 10.0, 1e-27);
    assert!(matches!(error, ReferenceError::Budget { .. } | ReferenceError::NotConverged { .. }), "{error}");
    let mut coin = 1u64;
    let error = failure(
        |z: f64| {
            coin = coin.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            z * (coin >> 40) as f64
        },
        1.0,
        1.0,
        1e-9,
    );
    assert!(matches!(error, ReferenceError::StepTooSmall { .. } | ReferenceError::NotConverged { .. }), "{error}");
}

#[test]
fn input_without_a_solution_is_refused() {
    let (_, (mut rates, _)) = problems::<f64>()[0];
    for tolerance in [0.0, -1.0, 1e-16, 0.5, f64::NAN] {
        let error = Reference::new(tolerance).solve(&mut rates, &mut [1.0, 0.0], 1.0);
        assert!(matches!(error, Err(ReferenceError::Tolerance { .. })));
    }
    let solver = Reference::new(1e-9);
    assert_eq!(solver.solve(&mut rates, &mut [1.0, f64::NAN], 1.0), Err(ReferenceError::State { index: 1 }));
    assert_eq!(solver.solve(&mut rates, &mut [1.0, 0.0], f64::INFINITY), Err(ReferenceError::Times { index: 0 }));
    for times in [[1.0, 0.5], [-1.0, 1.0], [1.0, -1.0]] {
        assert_eq!(solver.solve_at(&mut rates, &[1.0, 0.0], &times), Err(ReferenceError::Times { index: 1 }));
    }
    let still = solver.solve(&mut rates, &mut [1.0, 0.0], 0.0).unwrap();
    assert_eq!((still.steps, still.evaluations), (0, 0));
    let mut nothing = |_: &[f64], _: &mut [f64]| Outcome::Ok(());
    assert!(solver.solve(&mut nothing, &mut [], 1.0).is_ok());
    let mut fixed = |_: &[f64], r: &mut [f64]| -> Outcome {
        r.fill(0.0);
        Ok(())
    };
    assert!(solver.solve(&mut fixed, &mut [0.0, 1.0], 1e9).is_ok_and(|solved| solved.evaluations < 50));
}

proptest! {
    #[test]
    fn no_equation_panics_or_hangs(
        a in any::<f64>(), b in -10.0..10.0f64, c in any::<f64>(),
        start in any::<f64>(), time in any::<f64>(), digits in 2..13,
    ) {
        for (a, c) in [(a, c), (b, b), (b, 0.0)] {
            let mut rates = |z: &[f64], r: &mut [f64]| -> Outcome {
                r.copy_from_slice(&[a * z[1] + b * z[0] * z[0], c / z[0] - b * z[1]]);
                Ok(())
            };
            for (start, time) in [(start, time), (b + 0.5, 3.0), (b, -0.5), (start, 1.0)] {
                let solver = Reference::new(0.1f64.powi(digits)).with_budget(20_000);
                if let Ok(solved) = solver.solve(&mut rates, &mut [start, 1.0], time) {
                    prop_assert!(solved.evaluations <= 20_000);
                }
            }
        }
    }
}

#[test]
fn what_could_be_reached_is_kept_with_the_reason_for_the_end() {
    let mut rates = |z: &[f64], r: &mut [f64]| -> Result<(), ()> {
        r.copy_from_slice(&[z[1], -z[0]]);
        Ok(())
    };
    let times: Vec<f64> = (1..=1000).map(f64::from).collect();
    let short = Reference::new(1e-10).with_budget(2000);
    let (solution, stopped) = short.solve_as_far(&mut rates, &[1.0, 0.0], &times).unwrap();
    assert!(matches!(stopped, Some(ReferenceError::Budget { .. })), "{stopped:?}");
    assert!((5..1000).contains(&solution.samples.len()));
    let last = solution.samples.last().unwrap();
    assert!((last.state[0] - last.time.cos()).abs() < 1e-6);
    let (whole, stopped) = Reference::new(1e-10).solve_as_far(&mut rates, &[1.0, 0.0], &times[..10]).unwrap();
    assert!(stopped.is_none() && whole.samples.len() == 10);
}
