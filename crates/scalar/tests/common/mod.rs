//! Decimal references.

use cotangent_scalar::{Dd, Scalar};

/// A decimal number of at most 38 digits, with optional sign, point and exponent.
pub(crate) fn decimal(text: &str) -> Dd {
    let (mantissa, exponent) = text.split_once('e').unwrap_or((text, "0"));
    let digits: String = mantissa.chars().filter(char::is_ascii_digit).take(38).collect();
    let behind_point = match mantissa.split_once('.') {
        Some((whole, _)) => digits.len() - whole.trim_start_matches('-').len(),
        None => 0,
    };
    let exponent = exponent.parse::<i32>().unwrap() - behind_point as i32;
    let whole = exact(digits.parse().unwrap());
    let scale = power_of_ten(exponent.unsigned_abs());
    let size = if exponent < 0 { whole / scale } else { whole * scale };
    if text.starts_with('-') { -size } else { size }
}

fn exact(n: u128) -> Dd {
    let hi = n as f64;
    let lo = if hi as u128 > n { -((hi as u128 - n) as f64) } else { (n - hi as u128) as f64 };
    Dd::new(hi, lo)
}

fn power_of_ten(n: u32) -> Dd {
    (0..n).fold(Dd::from(1.0), |power, _| power * Dd::from(10.0))
}

/// |a − b|/|b|, or |a| if b = 0.
pub(crate) fn relative_error(a: Dd, b: Dd) -> f64 {
    let scale = if b.is_zero() { Dd::from(1.0) } else { b };
    ((a - b) / scale).abs().hi()
}
