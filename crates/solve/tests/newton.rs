//! Newton's method: roots known in closed form, derivatives of roots, and honest failure.

use std::convert::Infallible;

use cotangent_scalar::{Dd, Dual, Real, Scalar};
use cotangent_solve::{
    NewtonError, NewtonOptions, NewtonWork, NewtonWorkspace, Pattern, Quantity, StoppingRule, newton,
};
use proptest::prelude::*;

/// Solves f(x) = 0 in one unknown, `f` giving value and derivative.
fn root<S: Real>(
    options: &NewtonOptions,
    start: S,
    mut f: impl FnMut(S) -> (S, S),
) -> Result<(S, NewtonWork), NewtonError<Infallible>> {
    let mut workspace = NewtonWorkspace::new(&Pattern::dense(1, 1).unwrap()).unwrap();
    let mut x = [start];
    let work = newton(&mut workspace, options, &mut x, |x, residual, jacobian| {
        (residual[0], jacobian[0]) = f(x[0]);
        Ok(())
    })?;
    Ok((x[0], work))
}

fn plain<S: Real>(start: S, f: impl FnMut(S) -> (S, S)) -> Result<(S, NewtonWork), NewtonError<Infallible>> {
    root(&NewtonOptions::default(), start, f)
}

fn damped() -> NewtonOptions {
    NewtonOptions { max_halvings: 20, ..NewtonOptions::default() }
}

fn square_minus<S: Real>(a: S) -> impl Fn(S) -> (S, S) {
    move |x| (x * x - a, x + x)
}

#[test]
fn the_square_root_of_two_takes_five_iterations_from_one() {
    // Errors 4e-1, 9e-2, 2e-3, 2e-6, 2e-12; the fifth update leaves less than 1e-24.
    let (x, work) = plain(1.0, square_minus(2.0)).unwrap();
    assert_eq!(x, 2f64.sqrt());
    assert_eq!((work.iterations, work.evaluations, work.halvings), (5, 5, 0));
    assert_eq!(work.rcond, 1.0);
    // From a good guess: one to get there, one for the last digit.
    let (x, work) = plain(2f64.sqrt() - 6e-8, square_minus(2.0)).unwrap();
    // Two neighbours solve x·x = 2 equally well in doubles.
    assert!((x - 2f64.sqrt()).abs() <= 2.0 * f64::EPSILON);
    assert_eq!(work.iterations, 2);
}

#[test]
fn the_error_is_squared_in_every_iteration() {
    let mut iterates = Vec::new();
    plain(Dd::from(1.0), |x| {
        iterates.push((x - Dd::from(2.0).sqrt()).abs().hi());
        (x * x - Dd::from(2.0), x + x)
    })
    .unwrap();
    for pair in iterates.windows(2) {
        assert!(pair[1] <= pair[0] * pair[0] + 1e-31, "{pair:?}");
    }
}

#[test]
fn double_doubles_are_iterated_to_their_own_round_off() {
    let (x, work) = plain(Dd::from(1.0), square_minus(Dd::from(2.0))).unwrap();
    assert!((x - Dd::from(2.0).sqrt()).abs().hi() < 1e-31);
    assert_eq!(work.iterations, 6);
}

#[test]
fn a_solved_system_is_left_alone() {
    let (x, work) = plain(3.0, square_minus(9.0)).unwrap();
    assert_eq!((x, work.iterations, work.evaluations, work.residual), (3.0, 0, 1, 0.0));
}

#[test]
fn a_tolerance_ends_the_iteration_early() {
    let rule = StoppingRule { tolerance: Some(1e-3), ..StoppingRule::default() };
    let options = NewtonOptions { stopping: rule, ..NewtonOptions::default() };
    let (x, work) = root(&options, 1.0, square_minus(2.0)).unwrap();
    assert_eq!(work.iterations, 4);
    assert!((x - 2f64.sqrt()).abs() < 1e-5);
}

#[test]
fn a_tolerance_below_round_off_ends_at_round_off() {
    let rule = StoppingRule { tolerance: Some(1e-30), ..StoppingRule::default() };
    let options = NewtonOptions { stopping: rule, ..NewtonOptions::default() };
    let (x, _) = root(&options, 1.0, square_minus(2.0)).unwrap();
    assert_eq!(x, root(&NewtonOptions::default(), 1.0, square_minus(2.0)).unwrap().0);
}

#[test]
fn the_want_of_a_solution_is_reported() {
    // Near-misses included: the residual gets small, but no solution is near.
    for (gap, centre) in [(1.0, 0.0), (1e-3, 0.0), (1e-10, 0.0), (1e-10, 1.0), (1e-6, 100.0)] {
        let f = |x: f64| ((x - centre) * (x - centre) + gap, 2.0 * (x - centre));
        for options in [NewtonOptions::default(), damped()] {
            let error = root(&options, centre + 0.7, f).unwrap_err();
            let NewtonError::NotConverged { residual, iterations, worst } = error else {
                panic!("{gap} at {centre}: {error}");
            };
            assert!(residual >= gap && iterations == 50 && worst == 0);
        }
    }
    let text = plain(0.7, |x: f64| (x * x + 1.0, 2.0 * x)).unwrap_err().to_string();
    assert!(text.starts_with("Newton's method did not converge in 50 iterations: equation 0 is off by"), "{text}");
}

#[test]
fn a_wrong_jacobian_that_oscillates_is_not_taken_for_round_off() {
    // Half the derivative: x - a changes sign for ever.
    let error = plain(0.5, |x: f64| (x - 0.3, 0.5)).unwrap_err();
    assert!(matches!(error, NewtonError::NotConverged { .. }));
}

#[test]
fn steps_that_make_the_residual_grow_are_halved() {
    let f = |x: f64| (x.atan(), 1.0 / (1.0 + x * x));
    assert!(plain(3.0, f).is_err());
    let (x, work) = root(&damped(), 3.0, f).unwrap();
    assert_eq!(x, 0.0);
    assert!(work.halvings > 0 && work.evaluations == work.iterations + work.halvings + 1);
    // A step out of the domain, where the residual is NaN, is one of those.
    let f = |x: f64| (x.ln() - 1.0, 1.0 / x);
    let error = plain(30.0, f).unwrap_err();
    assert_eq!(error, NewtonError::NotFinite { quantity: Quantity::Residual, index: 0, iteration: 1 });
    let (x, _) = root(&damped(), 30.0, f).unwrap();
    assert!((x - 1f64.exp()).abs() < 1e-15);
}

#[test]
fn what_is_not_finite_is_named() {
    let at = |quantity, index, iteration| NewtonError::NotFinite { quantity, index, iteration };
    assert_eq!(plain(f64::NAN, |x| (x, 1.0)).unwrap_err(), at(Quantity::Unknown, 0, 0));
    assert_eq!(plain(1.0, |x| (x, f64::INFINITY)).unwrap_err(), at(Quantity::Jacobian, 0, 0));
    let dual = Dual { value: 1.0, tangent: [0.0] };
    let broken = |x: Dual<f64>| (Dual { value: x.value, tangent: [f64::NAN] }, Dual::from_f64(1.0));
    assert_eq!(plain(dual, broken).unwrap_err(), at(Quantity::Residual, 0, 0));
    let text = at(Quantity::Jacobian, 3, 2).to_string();
    assert_eq!(text, "in iteration 2 of Newton's method a value is not finite: Jacobian 3");
}

#[test]
fn a_singular_jacobian_is_named() {
    let pattern = Pattern::dense(2, 2).unwrap();
    let mut workspace = NewtonWorkspace::new(&pattern).unwrap();
    let mut x = [1.0, 1.0];
    let result = newton(&mut workspace, &NewtonOptions::default(), &mut x, |x, residual, jacobian| {
        // The second constraint repeats the first.
        let circle = x[0] * x[0] + x[1] * x[1] - 1.0;
        residual.copy_from_slice(&[circle, 3.0 * circle]);
        jacobian.copy_from_slice(&[2.0 * x[0], 2.0 * x[1], 6.0 * x[0], 6.0 * x[1]]);
        Ok::<(), Infallible>(())
    });
    let Err(NewtonError::Singular { singular, iteration: 0 }) = result else { panic!("{result:?}") };
    assert_eq!((singular.row, singular.column), (1, 1));
}

#[test]
fn an_error_of_the_system_comes_through() {
    let mut workspace = NewtonWorkspace::<f64>::new(&Pattern::dense(1, 1).unwrap()).unwrap();
    let result = newton(&mut workspace, &NewtonOptions::default(), &mut [1.0], |_, _, _| Err("out of domain"));
    assert_eq!(result, Err(NewtonError::Callback("out of domain")));
}

#[test]
fn a_system_without_unknowns_is_solved_without_a_call() {
    let mut workspace = NewtonWorkspace::<f64>::new(&Pattern::new(0, 0, &[]).unwrap()).unwrap();
    let work = newton(&mut workspace, &NewtonOptions::default(), &mut [], |_, _, _| Err::<(), _>("called")).unwrap();
    assert_eq!((work.iterations, work.evaluations), (0, 0));
}

#[test]
fn a_multiple_root_is_found_as_well_as_it_can_be() {
    let (x, _) = plain(2.0, |x: f64| (x * x - 2.0 * x + 1.0, 2.0 * x - 2.0)).unwrap();
    assert!((x - 1.0).abs() < 1e-7);
}

#[test]
fn a_linear_system_takes_an_update_and_corrections_of_its_round_off() {
    let mut workspace = NewtonWorkspace::new(&Pattern::dense(2, 2).unwrap()).unwrap();
    let mut x = [10.0, -3.0];
    let work = newton(&mut workspace, &NewtonOptions::default(), &mut x, |x, residual, jacobian| {
        residual.copy_from_slice(&[3.0 * x[0] + x[1] - 0.3, x[0] - x[1] - 0.1]);
        jacobian.copy_from_slice(&[3.0, 1.0, 1.0, -1.0]);
        Ok::<(), Infallible>(())
    });
    assert!(work.unwrap().iterations <= 3);
    assert!((x[0] - 0.1).abs() < 1e-16 && x[1].abs() < 1e-16);
}

/// A position on the unit sphere is pulled back along its own direction: the multiplier is zero
/// but for round-off of order one, divided by the square of the step.
#[test]
fn a_multiplier_that_is_zero_is_found_at_round_off() {
    for h in [1.0, 1e-1, 1e-3, 1e-5] {
        for i in 0..200 {
            let angle = f64::from(i) * 0.37;
            let (y, x) = angle.sin_cos();
            let f = |lambda: f64| {
                let s = 1.0 - h * h * lambda;
                ((x * s) * (x * s) + (y * s) * (y * s) - 1.0, -2.0 * h * h * (x * x * s + y * y * s))
            };
            let (lambda, work) = plain(0.0, f).unwrap_or_else(|error| panic!("h = {h}, angle {angle}: {error}"));
            assert!((lambda * h * h).abs() < 1e-15 && work.iterations <= 6);
            let (lambda, _) = plain(0.5, f).unwrap_or_else(|error| panic!("h = {h}, angle {angle}: {error}"));
            assert!((lambda * h * h).abs() < 1e-15);
        }
    }
}

/// Implicit midpoint keeps quadratic invariants. Over many steps the error of the invariants of a
/// free rigid body must be that of a random walk; a bias of a tenth of a unit in each step would
/// show.
#[test]
fn round_off_of_a_long_run_is_unbiased() {
    let inertia = [2.0, 1.0, 2.0 / 3.0];
    let mut workspace = NewtonWorkspace::new(&Pattern::dense(3, 3).unwrap()).unwrap();
    let mut y = [1.1f64.cos(), 0.0, 1.1f64.sin()];
    let (steps, h) = (100_000, 0.1);
    let mut iterations = 0;
    for _ in 0..steps {
        let start = y;
        // The unknown is the midpoint m: m = y + h/2 m × (m/I).
        let work = newton(&mut workspace, &NewtonOptions::default(), &mut y, |m, residual, jacobian| {
            for i in 0..3 {
                let (j, k) = ((i + 1) % 3, (i + 2) % 3);
                let c = 0.5 * h * (1.0 / inertia[k] - 1.0 / inertia[j]);
                residual[i] = m[i] - start[i] - c * m[j] * m[k];
                jacobian[3 * i + i] = 1.0;
                jacobian[3 * i + j] = -c * m[k];
                jacobian[3 * i + k] = -c * m[j];
            }
            Ok::<(), Infallible>(())
        });
        iterations += work.unwrap().iterations;
        for i in 0..3 {
            y[i] += y[i] - start[i];
        }
    }
    let casimir = y.iter().map(|y| y * y).sum::<f64>() - 1.0;
    let random_walk = f64::EPSILON * f64::from(steps).sqrt();
    assert!(casimir.abs() < 4.0 * random_walk, "{casimir:e} against {random_walk:e}");
    assert!(iterations <= 3 * steps as u32 + steps as u32 / 2, "{iterations} iterations");
}

/// x(p) = √p: x′ = 1/(2x), x″ = −1/(4x³).
#[test]
fn derivatives_of_a_root_are_exact() {
    let p: Dual<Dual<f64>> = Dual::variable(Dual::variable(2.0, 0), 0);
    let (x, work) = plain(Dual::from_f64(1.0), square_minus(p)).unwrap();
    let exact = 2f64.sqrt();
    assert!((x.value.tangent[0] - 0.5 / exact).abs() < 1e-16);
    assert!((x.tangent[0].value - 0.5 / exact).abs() < 1e-16);
    assert!((x.tangent[0].tangent[0] + 0.25 / (2.0 * exact)).abs() < 1e-15);
    assert_eq!((work.iterations, work.evaluations), (5, 7));
    // The value took the path of plain numbers.
    assert_eq!(x.value(), plain(1.0, square_minus(2.0)).unwrap().0);
    // Started at the root, where no value is updated at all.
    let p: Dual<Dual<f64>> = Dual::variable(Dual::variable(4.0, 0), 0);
    let (x, _) = plain(Dual::from_f64(2.0), square_minus(p)).unwrap();
    assert_eq!((x.tangent[0].value, x.tangent[0].tangent[0]), (0.25, -1.0 / 32.0));
}

/// Kepler's equation E − e sin E = M: ∂E/∂M = 1/(1 − e cos E), ∂E/∂e = sin E/(1 − e cos E).
fn kepler<S: Real>(mean: S, eccentricity: S) -> Result<(S, NewtonWork), NewtonError<Infallible>> {
    plain(mean, |anomaly: S| {
        let (sin, cos) = anomaly.sin_cos();
        (anomaly - eccentricity * sin - mean, S::from_f64(1.0) - eccentricity * cos)
    })
}

proptest! {
    #[test]
    fn derivatives_agree_with_implicit_differentiation(mean in 0.1f64..6.0, e in 0.0f64..0.7) {
        let (anomaly, work) = kepler(Dual::<f64, 2>::variable(mean, 0), Dual::variable(e, 1)).unwrap();
        let (sin, cos) = anomaly.value.sin_cos();
        let slope = 1.0 / (1.0 - e * cos);
        prop_assert!((anomaly.tangent[0] - slope).abs() < 1e-14 * slope);
        prop_assert!((anomaly.tangent[1] - sin * slope).abs() < 1e-13);
        let (value, plain_work) = kepler(mean, e).unwrap();
        prop_assert_eq!(value.to_bits(), anomaly.value.to_bits());
        prop_assert_eq!(work.iterations, plain_work.iterations);
        let (exact, _) = kepler(Dd::from(mean), Dd::from(e)).unwrap();
        prop_assert!((exact - Dd::from(value)).abs().hi() < 1e-15 * (1.0 + slope) * value.max(1.0));
    }

    /// A ring of coupled cubic equations: banded Jacobian, known root, any size of the unknowns.
    #[test]
    fn large_systems_are_solved_to_round_off(
        solution in prop::collection::vec(-2.0f64..2.0, 20..60), exponent in -30i32..30, zeros: bool
    ) {
        let n = solution.len();
        let unit = 2f64.powi(exponent);
        let solution: Vec<_> =
            solution.iter().enumerate().map(|(i, s)| if zeros && i % 3 == 0 { 0.0 } else { s * unit }).collect();
        let f = |x: &[f64], i: usize| {
            let (before, after) = (x[(i + n - 1) % n], x[(i + 1) % n]);
            4.0 * x[i] + x[i] * x[i] * x[i] / (unit * unit) - before - 0.5 * after
        };
        let data: Vec<_> = (0..n).map(|i| f(&solution, i)).collect();
        let addresses: Vec<_> =
            (0..n).flat_map(|i| [i, (i + 1) % n, (i + n - 1) % n].map(|j| (i as u32, j as u32))).collect();
        let pattern = Pattern::new(n, n, &addresses).unwrap();
        let mut workspace = NewtonWorkspace::new(&pattern).unwrap();
        let mut x: Vec<_> = solution.iter().map(|s| s + 0.3 * unit).collect();
        let work = newton(&mut workspace, &NewtonOptions::default(), &mut x, |x, residual, jacobian| {
            for i in 0..n {
                residual[i] = f(x, i) - data[i];
                for (position, &j) in pattern.positions(i).zip(pattern.row(i)) {
                    jacobian[position] = match j as usize {
                        j if j == i => 4.0 + 3.0 * x[i] * x[i] / (unit * unit),
                        j if j == (i + 1) % n => -0.5,
                        _ => -1.0,
                    };
                }
            }
            Ok::<(), Infallible>(())
        }).unwrap();
        prop_assert!(work.iterations <= 9, "{} iterations", work.iterations);
        for (x, s) in x.iter().zip(&solution) {
            prop_assert!((x - s).abs() < 5e-15 * unit);
        }
    }
}
