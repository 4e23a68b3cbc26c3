//! Damped Gauss–Newton steps onto the solutions of fewer equations than unknowns.
//!
//! Each step is the smallest d with r + A d = 0, A = ∂r/∂x ([`least_change`]), halved until the residual becomes
//! smaller. The slope is used in `f64`, whatever the arithmetic of x: the residual is in full precision, so that the
//! steps are an iterative refinement. The point reached solves the equations in the precision of x; that it is the
//! nearest one is true to first order only.

use crate::least_change;
use cotangent_scalar::Real;

/// The equations at a point.
#[derive(Clone, PartialEq, Debug)]
pub struct Linearised<S> {
    /// r(x).
    pub residual: Vec<S>,
    /// ∂r/∂x, by rows; a column of zeros leaves its unknown where it is.
    pub rows: Vec<Vec<S>>,
    /// How large the residual is, in the measure of whoever asks.
    pub size: f64,
}

/// When the steps end.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Descent {
    /// The largest number of steps.
    pub steps: usize,
    /// The size of a residual that is small enough; without one, steps are taken for as long as they help.
    pub enough: Option<f64>,
    /// The shortest part of a step that is tried.
    pub shortest: f64,
    /// Rows of the slope that are combinations of others, up to this, are left out.
    pub dependent: f64,
}

/// Where the steps ended.
#[derive(Clone, PartialEq, Debug)]
pub struct Descended<S> {
    /// The point.
    pub x: Vec<S>,
    /// The last step that was computed: where no part of it helps it was not taken.
    pub change: Vec<f64>,
    /// How many steps were taken.
    pub steps: usize,
    /// Whether the residual is small enough.
    pub arrived: bool,
}

/// Takes Gauss–Newton steps from x. A point where the equations cannot be evaluated is stepped back from; that is an
/// error at the start only.
pub fn gauss_newton<S: Real, E>(
    descent: &Descent,
    mut x: Vec<S>,
    mut equations: impl FnMut(&[S]) -> Result<Linearised<S>, E>,
) -> Result<Descended<S>, E> {
    let mut at = equations(&x)?;
    let mut change = vec![];
    let plain = |v: &[S]| v.iter().map(|x| x.value()).collect::<Vec<f64>>();
    'steps: for steps in 0..descent.steps {
        if descent.enough.is_some_and(|enough| at.size <= enough) {
            return Ok(Descended { x, change, steps, arrived: true });
        }
        let slope: Vec<Vec<f64>> = at.rows.iter().map(|row| plain(row)).collect();
        change = least_change(&slope, &plain(&at.residual), descent.dependent);
        let mut part = 1.0;
        while part >= descent.shortest {
            let next: Vec<S> = x.iter().zip(&change).map(|(&x, &d)| x + S::from_f64(part * d)).collect();
            if let Ok(there) = equations(&next)
                && there.size < at.size
            {
                (x, at) = (next, there);
                continue 'steps;
            }
            part /= 2.0;
        }
        return Ok(Descended { x, change, steps, arrived: false });
    }
    Ok(Descended { x, change, steps: descent.steps, arrived: false })
}

#[cfg(test)]
mod tests {
    use super::{Descended, Descent, Linearised, gauss_newton};
    use cotangent_scalar::{Dd, Real, Scalar};
    use std::convert::Infallible;

    const DESCENT: Descent = Descent { steps: 60, enough: Some(1e-30), shortest: 1e-4, dependent: 1e-9 };

    /// x² + y² = 1.
    fn circle<S: Real>(x: &[S]) -> Result<Linearised<S>, Infallible> {
        let residual = vec![x[0] * x[0] + x[1] * x[1] - S::from_f64(1.0)];
        let size = residual[0].value().abs();
        Ok(Linearised { residual, rows: vec![x.iter().map(|&x| S::from_f64(2.0) * x).collect()], size })
    }

    #[test]
    fn a_point_is_on_the_circle_in_double_double_and_near_its_ray_in_f64() {
        let start = vec![Dd::from_f64(3.0), Dd::from_f64(4.0)];
        let Ok(Descended { x, arrived, steps, .. }) = gauss_newton(&DESCENT, start, circle);
        assert!(arrived && steps < 12, "{steps}");
        let defect = x[0] * x[0] + x[1] * x[1] - Dd::from_f64(1.0);
        assert!(defect.value().abs() <= 1e-30, "{defect:?}");
        // The directions of the steps have 16 digits: the nearest point is (3, 4)/5.
        assert!((x[0].value() - 0.6).abs() < 1e-15 && (x[1].value() - 0.8).abs() < 1e-15, "{x:?}");
    }

    #[test]
    fn an_unknown_without_a_slope_stays() {
        let on_the_line = |x: &[f64]| {
            let mut all = circle(x)?;
            all.rows[0][1] = 0.0;
            Ok::<_, Infallible>(all)
        };
        let descent = Descent { enough: Some(1e-15), ..DESCENT };
        let Ok(Descended { x, arrived, .. }) = gauss_newton(&descent, vec![2.0, 0.6], on_the_line);
        assert!(arrived && x[1] == 0.6 && (x[0] - 0.8f64).abs() < 1e-15, "{x:?}");
    }

    #[test]
    fn steps_that_do_not_help_are_not_taken() {
        // x² + 1 has no root; from its minimum no step leads down.
        let above = |x: &[f64]| {
            let residual = vec![x[0] * x[0] + 1.0];
            let size = residual[0];
            Ok::<_, Infallible>(Linearised { residual, rows: vec![vec![2.0 * x[0]]], size })
        };
        let Ok(Descended { x, arrived, .. }) = gauss_newton(&DESCENT, vec![0.5], above);
        assert!(!arrived && x[0].abs() < 0.5, "{x:?}");
    }

    #[test]
    fn a_step_stops_short_of_where_the_equations_end() {
        // ln x = 0 from x = 4: the full step leads to 4 − 4 ln 4 < 0.
        let logarithm = |x: &[f64]| match x[0] > 0.0 {
            true => Ok(Linearised { residual: vec![x[0].ln()], rows: vec![vec![1.0 / x[0]]], size: x[0].ln().abs() }),
            false => Err("outside"),
        };
        let descent = Descent { enough: Some(1e-15), ..DESCENT };
        let found = gauss_newton(&descent, vec![4.0], logarithm).map(|d| (d.arrived, (d.x[0] - 1.0).abs() < 1e-14));
        assert_eq!(found, Ok((true, true)));
        assert_eq!(gauss_newton(&descent, vec![-1.0], logarithm).map(|d| d.arrived), Err("outside"));
    }
}
