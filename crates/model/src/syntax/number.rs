//! Numbers, exactly as written.

/// A decimal number without rounding: `digits · 10^exponent`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decimal {
    /// The decimal digits, without leading or trailing zeros; `"0"` for zero.
    pub digits: String,
    /// The power of ten.
    pub exponent: i64,
}

impl Decimal {
    /// Reads `digits[.digits][e±digits]`; `None` for anything else.
    pub fn parse(text: &str) -> Option<Decimal> {
        let (mantissa, power) = match text.split_once(['e', 'E']) {
            Some((mantissa, power)) => (mantissa, power.parse::<i32>().ok()?),
            None => (text, 0),
        };
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let digits = format!("{whole}{fraction}");
        if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
            return None;
        }
        let places = i64::try_from(fraction.len()).ok()?;
        let trimmed = digits.trim_start_matches('0');
        let significant = trimmed.trim_end_matches('0');
        if significant.is_empty() {
            return Some(Decimal { digits: "0".into(), exponent: 0 });
        }
        let zeros = i64::try_from(trimmed.len() - significant.len()).ok()?;
        Some(Decimal { digits: significant.to_owned(), exponent: i64::from(power) - places + zeros })
    }
}

#[cfg(test)]
mod tests {
    use super::Decimal;

    fn decimal(text: &str) -> (String, i64) {
        let Decimal { digits, exponent } = Decimal::parse(text).unwrap();
        (digits, exponent)
    }

    #[test]
    fn decimals_are_exact() {
        assert_eq!(decimal("0.01"), ("1".into(), -2));
        assert_eq!(decimal("1200"), ("12".into(), 2));
        assert_eq!(decimal("1.50e-3"), ("15".into(), -4));
        assert_eq!(decimal("6.02214076e+23"), ("602214076".into(), 15));
        assert_eq!(decimal("000.000"), ("0".into(), 0));
        assert_eq!(decimal(".5"), ("5".into(), -1));
        assert_eq!(decimal("1."), ("1".into(), 0));
        assert_eq!(Decimal::parse("1x"), None);
        assert_eq!(Decimal::parse(""), None);
        assert_eq!(Decimal::parse("1e99999999999"), None);
    }
}
