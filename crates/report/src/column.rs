//! Columns of numbers as text.
//!
//! A number is an offset of 64 bits plus a deviation of 32 bits, so a quantity that changes in
//! its tenth digit keeps seven digits of the change. The offset is zero unless the values are
//! close to each other, so signs, zeros and orders of magnitude are exact. Deviations that 32
//! bits cannot hold take 64.

use crate::base64;
use serde_json::{Value, json};

/// A column that is ready to be put into a page.
pub(crate) struct Column {
    pub(crate) json: Value,
    /// Its length in the page, nearly.
    pub(crate) length: usize,
}

/// Encodes the values; neighbours that differ still do if `distinct` is asked for.
pub(crate) fn encode(values: &[f64], distinct: bool) -> Column {
    let offset = offset(values);
    let narrow = narrow(values, offset, distinct);
    let bytes: Vec<u8> = if narrow {
        values.iter().flat_map(|v| ((v - offset) as f32).to_le_bytes()).collect()
    } else {
        values.iter().flat_map(|v| (v - offset).to_le_bytes()).collect()
    };
    let text = base64::encode(&bytes);
    let length = text.len() + 60;
    Column { json: json!({ "w": if narrow { 4 } else { 8 }, "o": offset, "d": text }), length }
}

/// The lowest value if all are within a thousandth of it, otherwise zero.
fn offset(values: &[f64]) -> f64 {
    let (low, high) = values
        .iter()
        .filter(|v| v.is_finite())
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), v| (low.min(*v), high.max(*v)));
    let close = low <= high && high - low < 1e-3 * low.abs().min(high.abs());
    if close { low } else { 0.0 }
}

fn narrow(values: &[f64], offset: f64, distinct: bool) -> bool {
    let fits = |v: &f64| {
        let deviation = (v - offset).abs();
        !deviation.is_finite() || deviation == 0.0 || (1e-37..1e38).contains(&deviation)
    };
    let single = |v: f64| (v - offset) as f32;
    values.iter().all(fits)
        && !(distinct && values.windows(2).any(|pair| pair[0] != pair[1] && single(pair[0]) == single(pair[1])))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_changes_of_a_large_value_keep_their_digits() {
        let values: Vec<f64> = (0..10).map(|k| -9.81 + 1e-12 * f64::from(k)).collect();
        assert_eq!(offset(&values), -9.81);
        assert!(narrow(&values, -9.81, true));
    }

    #[test]
    fn orders_of_magnitude_are_kept() {
        assert_eq!(offset(&[1e-16, 0.0, 1.0]), 0.0);
        assert!(!narrow(&[1e-300], 0.0, false));
        assert!(!narrow(&[1e9, 1e9 + 1.0, 0.0], 0.0, true));
        assert!(narrow(&[f64::NAN, f64::INFINITY, 0.0], 0.0, false));
        assert_eq!(offset(&[]), 0.0);
    }
}
