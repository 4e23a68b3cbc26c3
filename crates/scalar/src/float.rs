//! `f64` as a [`Scalar`] and a [`Real`]: the standard library's functions.

use crate::dd::Dd;
use crate::stumpff::{self, StumpffArithmetic};
use crate::{Real, Scalar};

impl Scalar for f64 {
    #[inline]
    fn from_f64(x: f64) -> Self {
        x
    }

    fn ratio(numerator: i64, denominator: i64) -> Self {
        nearest(numerator, denominator)
    }

    fn pi() -> Self {
        std::f64::consts::PI
    }

    #[inline]
    fn is_zero(self) -> bool {
        self == 0.0
    }

    fn known(self) -> Option<f64> {
        Some(self)
    }

    #[inline]
    fn sqrt(self) -> Self {
        f64::sqrt(self)
    }

    fn exp(self) -> Self {
        f64::exp(self)
    }

    fn ln(self) -> Self {
        f64::ln(self)
    }

    fn sin(self) -> Self {
        f64::sin(self)
    }

    fn cos(self) -> Self {
        f64::cos(self)
    }

    fn tan(self) -> Self {
        f64::tan(self)
    }

    fn asin(self) -> Self {
        f64::asin(self)
    }

    fn acos(self) -> Self {
        f64::acos(self)
    }

    fn atan(self) -> Self {
        f64::atan(self)
    }

    fn atan2(self, x: Self) -> Self {
        f64::atan2(self, x)
    }

    fn sinh(self) -> Self {
        f64::sinh(self)
    }

    fn cosh(self) -> Self {
        f64::cosh(self)
    }

    fn tanh(self) -> Self {
        f64::tanh(self)
    }

    #[inline]
    fn abs(self) -> Self {
        f64::abs(self)
    }

    fn sign(self) -> Self {
        if self > 0.0 {
            1.0
        } else if self < 0.0 {
            -1.0
        } else if self == 0.0 {
            0.0
        } else {
            self
        }
    }

    fn floor(self) -> Self {
        f64::floor(self)
    }

    fn min(self, other: Self) -> Self {
        if self < other || self.is_nan() {
            self
        } else if other < self || other.is_nan() {
            other
        } else if self.is_sign_negative() {
            self
        } else {
            other
        }
    }

    fn max(self, other: Self) -> Self {
        if self > other || self.is_nan() {
            self
        } else if other > self || other.is_nan() {
            other
        } else if self.is_sign_positive() {
            self
        } else {
            other
        }
    }

    fn pow(self, exponent: Self) -> Self {
        f64::powf(self, exponent)
    }

    fn stumpff(self, k: u32) -> Self {
        stumpff::stumpff(self, k)
    }
}

/// 1/((n + 1)(n + 2)).
const INVERSES: [f64; 32] = {
    let (mut table, mut n) = ([0.0; 32], 0);
    while n < table.len() {
        table[n] = 1.0 / ((n as f64 + 1.0) * (n as f64 + 2.0));
        n += 1;
    }
    table
};

impl StumpffArithmetic for f64 {
    fn reciprocal_factorial(k: u32) -> Self {
        Dd::reciprocal_factorial(k as usize).hi()
    }

    #[inline]
    fn over_next_two(self, n: u32) -> Self {
        // Several times as fast as a division.
        match INVERSES.get(n as usize) {
            Some(inverse) => self * inverse,
            None => self / ((f64::from(n) + 1.0) * (f64::from(n) + 2.0)),
        }
    }

    fn root(self) -> (Self, Self) {
        let z = f64::sqrt(self);
        (z, -z.mul_add(z, -self) / (2.0 * z))
    }
}

impl Real for f64 {
    const DERIVATIVE_ORDER: u32 = 0;
    const EPSILON: f64 = f64::EPSILON;

    #[inline]
    fn value(self) -> f64 {
        self
    }

    #[inline]
    fn is_finite(self) -> bool {
        f64::is_finite(self)
    }

    #[inline]
    fn infinitesimal(self) -> Self {
        0.0
    }
}

/// The `f64` nearest to a rational number, ties to even.
fn nearest(numerator: i64, denominator: i64) -> f64 {
    const EXACT: u64 = 1 << 53;
    let (n, d) = (numerator.unsigned_abs(), denominator.unsigned_abs());
    let magnitude = if d == 0 || (n <= EXACT && d <= EXACT) {
        n as f64 / d as f64
    } else if n == 0 {
        0.0
    } else {
        // A quotient of at least 64 bits whose last bit also stands for all that follow it is
        // rounded once, by the conversion; the scaling is by a power of two and exact.
        let shift = u128::from(n).leading_zeros();
        let shifted = u128::from(n) << shift;
        let (quotient, rest) = (shifted / u128::from(d), shifted % u128::from(d));
        let sticky = quotient | u128::from(rest != 0);
        sticky as f64 * f64::powi(0.5, shift as i32)
    };
    if (numerator < 0) != (denominator < 0) { -magnitude } else { magnitude }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_ratio_is_rounded_once() {
        assert_eq!(f64::ratio(1, 3), 1.0 / 3.0);
        assert_eq!(f64::ratio(-7, 2), -3.5);
        assert_eq!(f64::ratio(0, 5), 0.0);
        assert_eq!(f64::ratio(0, i64::MIN), 0.0);
        assert_eq!(f64::ratio(i64::MIN, i64::MIN), 1.0);
        assert_eq!(f64::ratio(i64::MIN, 1), -(2f64.powi(63)));
        assert_eq!(f64::ratio(1, 0), f64::INFINITY);
        assert_eq!(f64::ratio(-1, 0), f64::NEG_INFINITY);
        assert!(f64::ratio(0, 0).is_nan());
        // Here rounding the parts first gives 1 - 2^-51: 2^53 + 1 goes down to even, 2^53 + 3 up.
        let d = (1i64 << 53) + 3;
        assert_eq!(f64::ratio(d - 2, d), 1.0 - 2f64.powi(-52));
        let n = (1i64 << 54) + 3;
        assert_eq!(f64::ratio(n, 1), 18014398509481988.0);
    }

    proptest! {
        /// n/d lies within half an ulp of the result, decided in exact integers.
        #[test]
        fn no_double_is_nearer_to_a_ratio(n in 1i64.., d in 1i64..) {
            let x = f64::ratio(n, d);
            // x = m·2^e with 2^52 ≤ m < 2^53; the claim is (2m − 1)·d·2^e ≤ 2n ≤ (2m + 1)·d·2^e.
            let bits = x.to_bits();
            let m = (bits & ((1 << 52) - 1)) | (1 << 52);
            let e = ((bits >> 52) & 0x7ff) as i32 - 1075;
            let twice = |odd: u64| u128::from(odd) * d as u128; // < 2^54 * 2^63
            let n2 = n as u128 * 2;
            let compare = |odd: u64| {
                // n2 against odd*d*2^e, exact through splitting off shifted-out bits.
                let right = twice(odd);
                if e >= 0 {
                    n2.cmp(&(right << e))
                } else {
                    let (high, low) = if -e >= 128 { (0, right) } else { (right >> -e, right & ((1u128 << -e) - 1)) };
                    n2.cmp(&high).then(0.cmp(&low))
                }
            };
            prop_assert!(compare(2 * m - 1).is_ge());
            prop_assert!(compare(2 * m + 1).is_le());
        }
    }

    #[test]
    fn minimum_and_maximum_propagate_nan_and_order_zeros() {
        assert!(Scalar::min(f64::NAN, 1.0).is_nan() && Scalar::max(1.0, f64::NAN).is_nan());
        assert!(Scalar::min(0.0, -0.0).is_sign_negative());
        assert!(Scalar::max(-0.0, 0.0).is_sign_positive());
        assert_eq!(Scalar::min(1.0, 2.0), 1.0);
        assert_eq!(Scalar::max(1.0, 2.0), 2.0);
    }

    #[test]
    fn modulo_has_the_sign_of_the_modulus() {
        assert_eq!(Scalar::modulo(7.0, 3.0), 1.0);
        assert_eq!(Scalar::modulo(-7.0, 3.0), 2.0);
        assert_eq!(Scalar::modulo(7.0, -3.0), -2.0);
        assert_eq!((Scalar::sign(-2.0), Scalar::sign(0.0), Scalar::sign(3.0)), (-1.0, 0.0, 1.0));
        assert!(Scalar::sign(f64::NAN).is_nan());
    }
}
