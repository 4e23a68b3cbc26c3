//! The largest of numbers that may have no value.
//!
//! `f64::max` passes over NaN, as if what has no value were as small as the rest. Of errors it is the largest one.

use std::borrow::Borrow;

/// The larger of two numbers; NaN if one of them is.
pub fn larger(a: f64, b: f64) -> f64 {
    if a.is_nan() || a > b { a } else { b }
}

/// The largest magnitude of some numbers, 0 if there are none; NaN if one of them is.
///
/// ```
/// use cotangent_scalar::largest;
///
/// assert_eq!(largest([1.0, -3.0, 2.0]), 3.0);
/// assert!(largest([1.0, f64::NAN, 2.0]).is_nan());
/// ```
pub fn largest<T: Borrow<f64>>(values: impl IntoIterator<Item = T>) -> f64 {
    values.into_iter().map(|value| value.borrow().abs()).fold(0.0, larger)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_without_a_value_is_the_largest_wherever_it_stands() {
        for at in 0..3 {
            let mut values = [1.0, f64::INFINITY, -2.0];
            values[at] = f64::NAN;
            assert!(largest(values).is_nan(), "{at}");
            assert!(values.into_iter().reduce(larger).is_some_and(f64::is_nan), "{at}");
        }
        assert_eq!((largest([0.0; 0]), largest([-0.5]), largest([2.0, f64::NEG_INFINITY])), (0.0, 0.5, f64::INFINITY));
        assert_eq!((larger(-1.0, -2.0), larger(-2.0, -1.0)), (-1.0, -1.0));
    }
}
