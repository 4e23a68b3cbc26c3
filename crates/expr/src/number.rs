//! Exact rationals, and floating-point numbers where a rational does not fit.

use std::cmp::Ordering;
use std::fmt;

use crate::rounding::{Exact, compare, count};
use cotangent_scalar::{Dd, Real, Scalar};

/// A numeric coefficient: a reduced fraction of 64-bit integers, or a finite `f64`.
///
/// Arithmetic stays exact while the reduced result fits; then, and as soon as one operand is a
/// float, it continues in `f64`.
#[derive(Clone, Copy, Debug)]
pub struct Number(Repr);

#[derive(Clone, Copy, Debug)]
enum Repr {
    /// Reduced, positive denominator.
    Rational(i64, i64),
    Float(f64),
}
use Repr::{Float, Rational};

fn gcd(mut a: u128, mut b: u128) -> u128 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

/// `numerator/denominator`, reduced, exact if it fits; the denominator is not zero.
fn reduced(numerator: i128, denominator: i128) -> Number {
    let g = gcd(numerator.unsigned_abs(), denominator.unsigned_abs()).max(1) as i128;
    let sign = if denominator < 0 { -1 } else { 1 };
    let (n, d) = (numerator / g * sign, denominator / g * sign);
    match (i64::try_from(n), i64::try_from(d)) {
        (Ok(n), Ok(d)) if n != i64::MIN => Number(Rational(n, d)),
        _ => counted(float(n as f64 / d as f64), Some(Exact::fraction(n, d))),
    }
}

/// A float, written as a fraction if its shortest decimal fits: 0.1 is 1/10. So what is printed
/// and read again is the same number.
fn float(x: f64) -> Number {
    if !x.is_finite() {
        return Number(Float(x));
    }
    let text = format!("{:e}", x.abs());
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let digits: String = mantissa.chars().filter(|&c| c != '.').collect();
    let fraction = mantissa.split_once('.').map_or(0, |(_, f)| f.len() as i64);
    let exact = exact_decimal(&digits, exponent.parse::<i64>().unwrap_or(0) - fraction);
    let magnitude = exact.unwrap_or(Number(Float(x.abs())));
    if x < 0.0 { -magnitude } else { magnitude }
}

/// What a number is exactly, a float as its shortest decimal.
fn exactly(x: Number) -> Option<Exact> {
    match x.0 {
        Rational(n, d) => Some(Exact::fraction(n as i128, d as i128)),
        Float(x) => Exact::float(x),
    }
}

/// A result, which is counted as rounded unless it is seen to be exact.
fn counted(result: Number, exact: Option<Exact>) -> Number {
    compare(exactly(result), exact);
    result
}

/// What a power of a number is exactly, if that is known: an exponent that is not negative.
fn exact_power(x: Number, k: i64) -> Option<Exact> {
    let x = exactly(x)?;
    (0..u32::try_from(k).ok().filter(|k| *k <= 64)?).try_fold(Exact::fraction(1, 1), |power, _| power.times(x))
}

/// x^k rounded once to `f64`, unless it overflows or vanishes. Rounding the base first would cost
/// k/2 units in the last place.
fn rounded(x: Dd, k: i64) -> Option<Number> {
    let y = x.pow(Dd::ratio(k, 1)).value();
    (y.is_finite() && y != 0.0).then(|| float(y))
}

/// digits · 10^exponent as a fraction, if it fits.
fn exact_decimal(digits: &str, exponent: i64) -> Option<Number> {
    let trimmed = digits.trim_end_matches('0');
    let exponent = exponent.checked_add((digits.len() - trimmed.len()) as i64)?;
    let mantissa: i128 = if trimmed.is_empty() { 0 } else { trimmed.parse().ok()? };
    if mantissa == 0 {
        return Some(Number::ZERO);
    }
    let scale = 10i128.checked_pow(u32::try_from(exponent.unsigned_abs()).ok()?)?;
    let (n, d) = if exponent >= 0 { (mantissa.checked_mul(scale)?, 1) } else { (mantissa, scale) };
    let g = gcd(n.unsigned_abs(), d.unsigned_abs()) as i128;
    let (n, d) = (i64::try_from(n / g).ok()?, i64::try_from(d / g).ok()?);
    Some(Number(Rational(n, d)))
}

impl Number {
    /// Zero.
    pub const ZERO: Number = Number(Rational(0, 1));
    /// One.
    pub const ONE: Number = Number(Rational(1, 1));
    /// Minus one.
    pub const MINUS_ONE: Number = Number(Rational(-1, 1));
    /// One half.
    pub const HALF: Number = Number(Rational(1, 2));

    /// The fraction `numerator/denominator`, or `None` if the denominator is zero.
    pub fn ratio(numerator: i64, denominator: i64) -> Option<Number> {
        (denominator != 0).then(|| reduced(numerator as i128, denominator as i128))
    }

    /// The decimal number `digits · 10^exponent`, exact if it fits. `None` if it overflows `f64`
    /// or `digits` is not a string of ASCII digits.
    pub fn decimal(digits: &str, exponent: i64) -> Option<Number> {
        if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
            return None;
        }
        exact_decimal(digits, exponent).or_else(|| {
            let value: f64 = format!("{digits}e{exponent}").parse().ok()?;
            value.is_finite().then_some(float(value))
        })
    }

    /// Numerator and denominator of an exact rational.
    pub fn as_ratio(self) -> Option<(i64, i64)> {
        match self.0 {
            Rational(n, d) => Some((n, d)),
            Float(_) => None,
        }
    }

    /// The integer this number is, if it is one exactly.
    pub fn as_integer(self) -> Option<i64> {
        match self.0 {
            Rational(n, 1) => Some(n),
            _ => None,
        }
    }

    /// The nearest `f64`.
    pub fn to_f64(self) -> f64 {
        match self.0 {
            Rational(n, d) => <f64 as cotangent_scalar::Scalar>::ratio(n, d),
            Float(x) => x,
        }
    }

    /// Whether this is zero.
    pub fn is_zero(self) -> bool {
        match self.0 {
            Rational(n, _) => n == 0,
            Float(x) => x == 0.0,
        }
    }

    /// Whether this is exactly one.
    pub fn is_one(self) -> bool {
        self == Number::ONE
    }

    /// Whether this is less than zero.
    pub fn is_negative(self) -> bool {
        match self.0 {
            Rational(n, _) => n < 0,
            Float(x) => x < 0.0,
        }
    }

    /// Whether this is a rational with denominator one.
    pub fn is_integer(self) -> bool {
        self.as_integer().is_some()
    }

    /// Whether the value is a number at all: an overflow or 0·∞ in `f64` is not.
    pub fn is_finite(self) -> bool {
        match self.0 {
            Rational(..) => true,
            Float(x) => x.is_finite(),
        }
    }

    /// The absolute value.
    pub fn abs(self) -> Number {
        if self.is_negative() { -self } else { self }
    }

    /// `1/self`, or `None` for zero.
    pub fn recip(self) -> Option<Number> {
        match self.0 {
            _ if self.is_zero() => None,
            Rational(n, d) => Some(reduced(d as i128, n as i128)),
            Float(x) => {
                let inverse = float(1.0 / x);
                // 1/x is exact if x times it is one.
                let product = exactly(self).zip(exactly(inverse)).and_then(|(x, y)| x.times(y));
                counted(Number::ONE, product);
                Some(inverse)
            }
        }
    }

    /// The largest integer that is not greater.
    pub fn floor(self) -> Number {
        match self.0 {
            Rational(n, d) => Number(Rational(n.div_euclid(d), 1)),
            Float(x) => float(x.floor()),
        }
    }

    /// `self^exponent` where the result is exact (or both are floats); `None` otherwise,
    /// including zero to a negative power and even roots of negative numbers.
    pub fn pow(self, exponent: Number) -> Option<Number> {
        match (self.0, exponent.0) {
            (_, Rational(k, 1)) => self.powi(k),
            (Rational(n, d), Rational(k, root)) => {
                let root_of = |x: i64| -> Option<i64> {
                    let r = (x as f64).powf(1.0 / root as f64).round() as i64;
                    let power = u32::try_from(root).ok()?;
                    (r.checked_pow(power) == Some(x)).then_some(r)
                };
                (n >= 0).then_some(())?;
                reduced(root_of(n)? as i128, root_of(d)? as i128).powi(k)
            }
            _ => {
                let x = self.to_f64().powf(exponent.to_f64());
                count();
                // An underflow is not zero.
                (x.is_finite() && (x != 0.0 || self.is_zero())).then_some(float(x))
            }
        }
    }

    fn powi(self, k: i64) -> Option<Number> {
        if k < 0 {
            return self.recip()?.powi(k.checked_neg()?);
        }
        let rounded = |x: Dd, k: i64| Some(counted(rounded(x, k)?, exact_power(self, k)));
        match self.0 {
            Rational(n, d) => {
                let exact = u32::try_from(k).ok().and_then(|k| n.checked_pow(k).zip(d.checked_pow(k)));
                exact.map(|(n, d)| reduced(n as i128, d as i128)).or_else(|| rounded(Dd::ratio(n, d), k))
            }
            Float(x) => rounded(Dd::from_f64(x), k),
        }
    }

    /// The positive number c for which every entry of `of` divided by c is an integer and those
    /// integers have no common factor; one if an entry is a float, or an integer does not fit: it would be rounded.
    pub(crate) fn content(of: impl Iterator<Item = Number> + Clone) -> Number {
        let (mut numerators, mut denominators) = (0u128, 1u128);
        for x in of.clone() {
            let Rational(n, d) = x.0 else { return Number::ONE };
            numerators = gcd(numerators, n.unsigned_abs() as u128);
            let g = gcd(denominators, d as u128);
            match (denominators / g).checked_mul(d as u128) {
                Some(lcm) if lcm <= i64::MAX as u128 => denominators = lcm,
                _ => return Number::ONE,
            }
        }
        // Both factors are below 2⁶³.
        let fits = |x: Number| match x.0 {
            Rational(n, d) => n.unsigned_abs() as u128 / numerators * (denominators / d as u128) <= i64::MAX as u128,
            Float(_) => false,
        };
        let is_exact = numerators > 0 && of.clone().all(fits);
        if is_exact { reduced(numerators as i128, denominators as i128) } else { Number::ONE }
    }

    /// The bits that identify the number, for digests.
    pub(crate) fn words(self) -> [u64; 3] {
        match self.0 {
            Rational(n, d) => [0, n as u64, d as u64],
            Float(x) => [1, x.to_bits(), 0],
        }
    }
}

impl From<i64> for Number {
    fn from(n: i64) -> Self {
        reduced(n as i128, 1)
    }
}

/// The fraction that the shortest decimal of `x` is, if it fits: 0.1 becomes 1/10.
impl From<f64> for Number {
    fn from(x: f64) -> Self {
        float(x)
    }
}

impl PartialEq for Number {
    fn eq(&self, other: &Self) -> bool {
        self.words() == other.words()
    }
}
impl Eq for Number {}

/// By value; an exact number comes before a float of the same value.
impl Ord for Number {
    fn cmp(&self, other: &Self) -> Ordering {
        let by_value = match (self.0, other.0) {
            (Rational(a, b), Rational(c, d)) => (a as i128 * d as i128).cmp(&(c as i128 * b as i128)),
            _ => self.to_f64().total_cmp(&other.to_f64()),
        };
        by_value.then(self.words().cmp(&other.words()))
    }
}
impl PartialOrd for Number {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl std::ops::Add for Number {
    type Output = Number;
    fn add(self, other: Number) -> Number {
        match (self.0, other.0) {
            // |a d| and |c b| are below 2^126, so the sum fits.
            (Rational(a, b), Rational(c, d)) => {
                reduced(a as i128 * d as i128 + c as i128 * b as i128, b as i128 * d as i128)
            }
            _ => {
                let exact = exactly(self).zip(exactly(other)).and_then(|(a, b)| a.plus(b));
                counted(float(self.to_f64() + other.to_f64()), exact)
            }
        }
    }
}

impl std::ops::Mul for Number {
    type Output = Number;
    fn mul(self, other: Number) -> Number {
        match (self.0, other.0) {
            (Rational(a, b), Rational(c, d)) => reduced(a as i128 * c as i128, b as i128 * d as i128),
            _ => {
                let exact = exactly(self).zip(exactly(other)).and_then(|(a, b)| a.times(b));
                counted(float(self.to_f64() * other.to_f64()), exact)
            }
        }
    }
}

impl std::ops::Neg for Number {
    type Output = Number;
    fn neg(self) -> Number {
        match self.0 {
            Rational(n, d) => Number(Rational(-n, d)),
            Float(x) => Number(Float(-x)),
        }
    }
}

/// As the model language writes it: `3`, `3/2`, `1.5e-300`.
impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Rational(n, 1) => write!(f, "{n}"),
            Rational(n, d) => write!(f, "{n}/{d}"),
            Float(x) => write!(f, "{x:e}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Number;
    use crate::rounding::roundings;

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
