//! Whether numbers were rounded: where terms cancel, what is left of rounded ones shows nothing.

use crate::number::Number;
use std::cell::Cell;

thread_local! {
    static COUNT: Cell<u64> = const { Cell::new(0) };
}

/// How often arithmetic of [`Number`]s had to round a result so far, in this thread.
pub fn roundings() -> u64 {
    COUNT.get()
}

/// Counts a rounding.
pub(crate) fn count() {
    COUNT.set(COUNT.get().wrapping_add(1));
}

/// numerator/denominator · 10^exponent, where a float is its shortest decimal.
#[derive(Clone, Copy)]
pub(crate) struct Exact {
    numerator: i128,
    denominator: i128,
    exponent: i32,
}

impl Exact {
    pub(crate) fn fraction(numerator: i128, denominator: i128) -> Exact {
        Exact { numerator, denominator, exponent: 0 }
    }

    pub(crate) fn of(x: Number) -> Option<Exact> {
        if let Some((n, d)) = x.as_ratio() {
            return Some(Exact::fraction(n as i128, d as i128));
        }
        let text = format!("{:e}", x.to_f64());
        let (mantissa, exponent) = text.split_once('e')?;
        let behind = mantissa.split_once('.').map_or(0, |(_, fraction)| fraction.len() as i32);
        let numerator = mantissa.replace('.', "").parse().ok()?;
        Some(Exact { numerator, denominator: 1, exponent: exponent.parse::<i32>().ok()? - behind })
    }

    pub(crate) fn times(self, other: Exact) -> Option<Exact> {
        Some(Exact {
            numerator: self.numerator.checked_mul(other.numerator)?,
            denominator: self.denominator.checked_mul(other.denominator)?,
            exponent: self.exponent + other.exponent,
        })
    }

    pub(crate) fn plus(self, other: Exact) -> Option<Exact> {
        let (a, b) = self.aligned(other)?;
        let denominator = self.denominator.checked_mul(other.denominator)?;
        let exponent = self.exponent.min(other.exponent);
        Some(Exact { numerator: a.checked_add(b)?, denominator, exponent })
    }

    /// The numerators of both over the same denominator and power of ten.
    fn aligned(self, other: Exact) -> Option<(i128, i128)> {
        let least = self.exponent.min(other.exponent);
        let lifted = |x: Exact, denominator: i128| {
            let power = 10i128.checked_pow(u32::try_from(x.exponent - least).ok()?)?;
            x.numerator.checked_mul(denominator)?.checked_mul(power)
        };
        Some((lifted(self, other.denominator)?, lifted(other, self.denominator)?))
    }
}

/// A result, which is counted as rounded unless it is seen to be exact.
pub(crate) fn counted(result: Number, exact: Option<Exact>) -> Number {
    let pair = exact.and_then(|exact| exact.aligned(Exact::of(result)?));
    if pair.is_none_or(|(a, b)| a != b) {
        count();
    }
    result
}

#[cfg(test)]
mod tests {
    use super::roundings;
    use crate::number::Number;

    fn rounds(run: impl FnOnce() -> Number) -> bool {
        let before = roundings();
        run();
        roundings() > before
    }

    #[test]
    fn what_is_rounded_is_counted() {
        let n = |x: f64| Number::from(x);
        let third = Number::ratio(1, 3).unwrap();
        // Twice 10²⁵, 10²⁵ · 0.3 and 10²⁵ − 10²⁵ have few digits; 10²⁵/3 and 10²⁵ + 1 do not.
        assert!(!rounds(|| n(1e25) * n(2.0)) && !rounds(|| n(1e25) * n(0.3)) && !rounds(|| n(1e25) + n(-1e25)));
        assert!(rounds(|| n(1e25) * third) && rounds(|| n(1e25) + n(1.0)));
        // (2⁶² + 1)·3 has more digits than a float, 2·10¹⁹ does not.
        assert!(rounds(|| Number::from((1i64 << 62) + 1) * n(3.0)));
        assert!(!rounds(|| Number::from(10i64.pow(18)) * n(20.0)));
        assert!(!rounds(|| n(1e20).pow(n(2.0)).unwrap()) && rounds(|| n(3.0).pow(n(50.0)).unwrap()));
    }
}
