//! What the residual of a constraint is small against.
//!
//! A residual has no natural size: the same error of a molecule's bond is 1e-3 in nanometres and 1e-21 in metres.
//! There are three questions, and each has its scale:
//!
//! - *Do data satisfy χ?* Compare with Σⱼ |∂χ/∂zⱼ| |z|, where |z| is the largest number of its kind ([`of_kind`],
//!   [`by_data`]): the quotient is, to first order, the relative change of the data that would satisfy χ. Where no
//!   derivatives are at hand, trial changes of the data measure the same ([`measure`](crate::consistency::measure)).
//! - *Has Newton's method arrived, where the multipliers vanish?* Compare with the terms Σⱼ |∂χ/∂zⱼ zⱼ| of χ at the
//!   start ([`by_terms`]).
//! - *Is a value only rounding?* Compare with its magnitude, which bounds what rounding can do
//!   ([`magnitude`](cotangent_expr::Tensor::magnitude)).

/// The largest of numbers of one kind (positions, momenta); 1 where all vanish.
pub(crate) fn of_kind(values: &[f64]) -> f64 {
    let largest = values.iter().fold(0.0f64, |m, x| m.max(x.abs()));
    if largest > 0.0 { largest } else { 1.0 }
}

/// Σⱼ |∂χ/∂zⱼ| |z| from a gradient and the sizes of the data.
pub(crate) fn by_data(gradient: &[f64], sizes: &[f64]) -> f64 {
    gradient.iter().zip(sizes).map(|(slope, size)| slope.abs() * size).sum()
}

/// Σⱼ |∂χ/∂zⱼ zⱼ| from the entries (slope, value) of a gradient.
pub(crate) fn by_terms(entries: impl Iterator<Item = (f64, f64)>) -> f64 {
    entries.map(|(slope, value)| (slope * value).abs()).sum()
}

/// A residual in units of its scale: zero is small against anything, what is no number against nothing.
pub(crate) fn relative(residual: f64, scale: f64) -> f64 {
    match (residual == 0.0, residual.abs() / scale) {
        (true, _) => 0.0,
        (false, r) if r.is_nan() => f64::INFINITY,
        (false, r) => r,
    }
}

#[cfg(test)]
mod tests {
    use super::{by_data, by_terms, of_kind, relative};

    #[test]
    fn the_quotient_is_the_relative_change_that_removes_a_residual_in_any_unit() {
        // χ = x² − l² with x = l (1 + 1e-6): a relative change of x by 1e-6 removes it.
        for unit in [1e-9, 1.0, 1e9] {
            let (x, l) = (unit * (1.0 + 1e-6), unit);
            let scale = by_data(&[2.0 * x], &[of_kind(&[x])]);
            let change = relative(x * x - l * l, scale);
            assert!((change / 1e-6 - 1.0).abs() < 1e-5, "{unit:e}: {change:e}");
        }
    }

    #[test]
    fn what_is_no_number_is_not_small() {
        assert_eq!(relative(0.0, 0.0), 0.0);
        assert_eq!(relative(1.0, 0.0), f64::INFINITY);
        assert_eq!(relative(f64::NAN, 1.0), f64::INFINITY);
        assert_eq!(relative(f64::INFINITY, f64::INFINITY), f64::INFINITY);
        assert_eq!((of_kind(&[]), of_kind(&[0.0, -3.0])), (1.0, 3.0));
        assert_eq!(by_terms([(2.0, -3.0), (-1.0, 0.5)].into_iter()), 6.5);
    }
}
