//! Double-double numbers: an unevaluated sum of two `f64`, about 31 decimal digits.

mod exponential;
mod functions;
mod reduction;
mod sums;
mod trigonometric;

use std::ops::{Add, Div, Mul, Neg, Sub};

use sums::{quick_two_sum, two_product, two_sum};

/// A double-double number `hi + lo` with |lo| at most half an ulp of `hi`.
///
/// Sums, products and quotients are good to a few units of 2⁻¹⁰⁶ ≈ 1.2·10⁻³², functions to about
/// 10⁻³⁰, relative, as long as nothing comes near the ends of the range: below about 10⁻²⁹⁰ the
/// low word is subnormal and digits are lost. [`pow`](crate::Scalar::pow) with a general exponent
/// e loses in proportion to |e ln x|, as any rounding of e would.
///
/// Infinities and NaN behave as in `f64`; their low word is zero. The algorithms are those of
/// Dekker (Numer. Math. 18, 1971) and Joldes, Muller & Popescu (ACM TOMS 44, 2017).
#[derive(Clone, Copy, Debug, Default, PartialEq, PartialOrd)]
pub struct Dd {
    hi: f64,
    lo: f64,
}

impl Dd {
    pub(crate) const ZERO: Self = Self { hi: 0.0, lo: 0.0 };
    pub(crate) const ONE: Self = Self { hi: 1.0, lo: 0.0 };

    /// The sum of two doubles, exactly.
    pub const fn new(a: f64, b: f64) -> Self {
        let (hi, lo) = two_sum(a, b);
        Self::guarded(hi, lo)
    }

    /// The leading word: the value rounded to `f64`.
    pub const fn hi(self) -> f64 {
        self.hi
    }

    /// The trailing word.
    pub const fn lo(self) -> f64 {
        self.lo
    }

    /// `hi + lo` for |hi| ≥ |lo|, renormalised.
    pub(crate) const fn renormalised(hi: f64, lo: f64) -> Self {
        let (hi, lo) = quick_two_sum(hi, lo);
        Self::guarded(hi, lo)
    }

    /// The product of two doubles, exactly.
    pub(crate) const fn product(a: f64, b: f64) -> Self {
        let (hi, lo) = two_product(a, b);
        Self::guarded(hi, lo)
    }

    /// An error term makes no sense beside a value that is not finite.
    const fn guarded(hi: f64, lo: f64) -> Self {
        let lo = if hi.is_finite() { lo } else { 0.0 };
        Self { hi, lo }
    }

    /// The product with 2ⁿ, exact within the range.
    pub(crate) fn scaled(self, n: i32) -> Self {
        // In three factors, each of them a normal number.
        let third = n / 3;
        let (a, b) = (2f64.powi(third), 2f64.powi(n - 2 * third));
        let (hi, lo) = (self.hi * a * a * b, self.lo * a * a * b);
        // A zero keeps its sign.
        if hi == 0.0 { Self::from(hi) } else { Self::renormalised(hi, lo) }
    }

    /// The quotient by a double.
    pub(crate) const fn over(self, divisor: f64) -> Self {
        let q = self.hi / divisor;
        if !q.is_finite() || divisor.is_infinite() {
            return Self { hi: q, lo: 0.0 };
        }
        let (p, e) = two_product(q, divisor);
        Self::renormalised(q, ((self.hi - p) - e + self.lo) / divisor)
    }
}

impl From<f64> for Dd {
    fn from(x: f64) -> Self {
        Self { hi: x, lo: 0.0 }
    }
}

impl From<i64> for Dd {
    fn from(n: i64) -> Self {
        let hi = n as f64;
        let lo = (i128::from(n) - hi as i128) as f64;
        Self { hi, lo }
    }
}

impl Add for Dd {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        let (s, e) = two_sum(self.hi, other.hi);
        if !s.is_finite() {
            return Self { hi: s, lo: 0.0 };
        }
        let (t, f) = two_sum(self.lo, other.lo);
        let (s, e) = quick_two_sum(s, e + t);
        Self::renormalised(s, e + f)
    }
}

impl Sub for Dd {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        self + -other
    }
}

impl Neg for Dd {
    type Output = Self;

    fn neg(self) -> Self {
        Self { hi: -self.hi, lo: -self.lo }
    }
}

impl Mul for Dd {
    type Output = Self;

    fn mul(self, other: Self) -> Self {
        let (p, e) = two_product(self.hi, other.hi);
        if !p.is_finite() {
            return Self { hi: p, lo: 0.0 };
        }
        Self::renormalised(p, e + (self.hi * other.lo + self.lo * other.hi))
    }
}

impl Mul<f64> for Dd {
    type Output = Self;

    fn mul(self, other: f64) -> Self {
        self * Self::from(other)
    }
}

impl Div for Dd {
    type Output = Self;

    /// Long division in three digits of 53 bits.
    fn div(self, other: Self) -> Self {
        let first = self.hi / other.hi;
        if !first.is_finite() || first == 0.0 {
            return Self { hi: first, lo: 0.0 };
        }
        let rest = self - other * first;
        let second = rest.hi / other.hi;
        let rest = rest - other * second;
        let third = rest.hi / other.hi;
        let quotient = Self::renormalised(first, second) + Self::from(third);
        // The products overflow only where the quotient is within an ulp of doing so.
        if quotient.hi.is_finite() { quotient } else { Self::from(first) }
    }
}
