//! Decimal references.

use cotangent_scalar::Dd;

/// A decimal number of at most 38 digits, with optional sign and point.
pub(crate) fn decimal(text: &str) -> Dd {
    let digits: String = text.chars().filter(char::is_ascii_digit).take(38).collect();
    let point = text.trim_start_matches('-').find('.').unwrap_or(digits.len());
    let n: u128 = digits.parse().unwrap();
    let hi = n as f64;
    let lo = if hi as u128 > n { -((hi as u128 - n) as f64) } else { (n - hi as u128) as f64 };
    let scale = (point..digits.len()).fold(Dd::from(1.0), |power, _| power * Dd::from(10.0));
    let size = Dd::new(hi, lo) / scale;
    if text.starts_with('-') { -size } else { size }
}
