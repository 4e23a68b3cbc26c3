//! Whether numbers were rounded: where terms cancel, what is left of rounded ones shows nothing.

use std::cell::Cell;

thread_local! {
    static COUNT: Cell<u64> = const { Cell::new(0) };
}

/// How often arithmetic of [`Number`](crate::Number)s had to round a result so far, in this thread.
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

    pub(crate) fn float(x: f64) -> Option<Exact> {
        let text = format!("{x:e}");
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

/// Counts a result as rounded unless it is seen to be exact.
pub(crate) fn compare(result: Option<Exact>, exact: Option<Exact>) {
    let pair = exact.and_then(|exact| exact.aligned(result?));
    if pair.is_none_or(|(a, b)| a != b) {
        count();
    }
}
