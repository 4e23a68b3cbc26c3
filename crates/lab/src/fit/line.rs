//! The straight line through points.

/// y ≈ intercept + slope · x.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fit {
    /// The slope.
    pub slope: f64,
    /// The value at x = 0.
    pub intercept: f64,
    /// The standard error of the slope, from the scatter about the line.
    pub slope_error: f64,
    /// Points the line was fitted to.
    pub points: usize,
}

/// Points without a line.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum FitError {
    /// The two lists do not correspond.
    #[error("{left} abscissae, but {right} ordinates")]
    Lengths {
        /// Length of the first list.
        left: usize,
        /// Length of the second.
        right: usize,
    },
    /// A line through two points says nothing about its own error.
    #[error("a fit needs at least 3 points, not {points}")]
    TooFew {
        /// Points given.
        points: usize,
    },
    /// An infinity or NaN, or values whose squares overflow.
    #[error("point {index} is not finite, or too large to square")]
    NotFinite {
        /// Which point.
        index: usize,
    },
    /// The line would be vertical.
    #[error("all abscissae are the same")]
    SameAbscissa,
}

/// The line of least squares, with the standard error of its slope,
///
/// $$ b = \frac{\sum (x_i - \bar x)(y_i - \bar y)}{\sum (x_i - \bar x)^2}, \qquad
///    \sigma_b^2 = \frac{1}{n-2}\,\frac{\sum r_i^2}{\sum (x_i - \bar x)^2} , $$
///
/// rᵢ being the distances of the points from it.
///
/// # Errors
/// If there are fewer than three points, all have the same x, or a value is not finite.
pub fn fit_line(x: &[f64], y: &[f64]) -> Result<Fit, FitError> {
    if x.len() != y.len() {
        return Err(FitError::Lengths { left: x.len(), right: y.len() });
    }
    let points = x.len();
    if points < 3 {
        return Err(FitError::TooFew { points });
    }
    let fits = |v: &f64| v.abs() < 1e150;
    if let Some(index) = (0..points).find(|&i| !(fits(&x[i]) && fits(&y[i]))) {
        return Err(FitError::NotFinite { index });
    }
    let mean = |v: &[f64]| v.iter().sum::<f64>() / points as f64;
    let (mean_x, mean_y) = (mean(x), mean(y));
    let spread: f64 = x.iter().map(|x| (x - mean_x).powi(2)).sum();
    // Equal abscissae whose mean is rounded are still equal.
    if spread == 0.0 || x.iter().all(|&v| v == x[0]) {
        return Err(FitError::SameAbscissa);
    }
    let slope = x.iter().zip(y).map(|(x, y)| (x - mean_x) * (y - mean_y)).sum::<f64>() / spread;
    let residual = |(x, y): (&f64, &f64)| (y - mean_y - slope * (x - mean_x)).powi(2);
    let scatter: f64 = x.iter().zip(y).map(residual).sum();
    let slope_error = (scatter / (points - 2) as f64 / spread).sqrt();
    Ok(Fit { slope, intercept: mean_y - slope * mean_x, slope_error, points })
}

impl Fit {
    /// Half the width of the interval that holds the slope with probability 95 %, if the points
    /// scatter at random: Student's t times the standard error. Few points tell little: a fit of
    /// three has 12.7 standard errors.
    pub fn half_width(&self) -> f64 {
        const STUDENT: [f64; 10] = [12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228];
        let t = STUDENT.get(self.points.saturating_sub(3)).copied().unwrap_or(2.2);
        t * self.slope_error
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_exact_line_has_no_error() {
        let x = [1.0, 2.0, 4.0, 8.0];
        let fit = fit_line(&x, &x.map(|x| 3.0 - 0.5 * x)).unwrap();
        assert_eq!((fit.slope, fit.intercept, fit.slope_error), (-0.5, 3.0, 0.0));
    }

    #[test]
    fn the_standard_error_is_that_of_the_textbook() {
        // x = 0, 1, 2, 3, y = 1, 3, 2, 5: slope and intercept 11/10, squares of residuals 27/10.
        let fit = fit_line(&[0.0, 1.0, 2.0, 3.0], &[1.0, 3.0, 2.0, 5.0]).unwrap();
        assert!((fit.slope - 1.1).abs() < 1e-15);
        assert!((fit.intercept - 1.1).abs() < 1e-15);
        assert!((fit.slope_error - 0.27f64.sqrt()).abs() < 1e-15);
        assert!((fit.half_width() - 4.303 * 0.27f64.sqrt()).abs() < 1e-14);
    }

    #[test]
    fn points_without_a_line_are_refused() {
        assert_eq!(fit_line(&[1.0, 2.0], &[1.0, 2.0]), Err(FitError::TooFew { points: 2 }));
        assert_eq!(fit_line(&[1.0], &[]), Err(FitError::Lengths { left: 1, right: 0 }));
        assert_eq!(fit_line(&[0.1; 3], &[1.0, 2.0, 3.0]), Err(FitError::SameAbscissa));
        assert_eq!(fit_line(&[1.0, 2.0, 3.0], &[1.0, f64::NAN, 3.0]), Err(FitError::NotFinite { index: 1 }));
        assert_eq!(fit_line(&[1e300, 2.0, 3.0], &[1.0; 3]), Err(FitError::NotFinite { index: 0 }));
    }
}
