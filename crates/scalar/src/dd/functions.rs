//! [`Dd`] as a [`Scalar`] and a [`Real`].

use super::Dd;
use super::sums::{distilled, two_product};
use crate::stumpff::{self, StumpffArithmetic};
use crate::{Real, Scalar};

/// 1/n! for every n at which it is not zero in `f64`.
const RECIPROCAL_FACTORIALS: [Dd; 178] = {
    let mut table = [Dd::ONE; 178];
    let mut n = 1;
    while n < table.len() {
        table[n] = table[n - 1].over(n as f64);
        n += 1;
    }
    table
};

impl Dd {
    /// 1/n!, zero where that underflows.
    pub(crate) fn reciprocal_factorial(n: usize) -> Self {
        RECIPROCAL_FACTORIALS.get(n).copied().unwrap_or(Self::ZERO)
    }

    /// Σ_{j < count} xʲ/(first + 2j)! by Horner's rule.
    pub(super) fn factorial_series(self, first: usize, count: usize) -> Self {
        let coefficient = |j: usize| Self::reciprocal_factorial(first + 2 * j);
        (0..count).rev().fold(Self::ZERO, |sum, j| sum * self + coefficient(j))
    }

    /// Whether this is an integer, and if so whether it is odd.
    fn integer_parity(self) -> Option<bool> {
        let half = self * 0.5;
        (self.floor() == self).then(|| half.floor() != half)
    }

    /// xⁿ by repeated squaring.
    fn integer_power(self, n: u32) -> Self {
        let (mut power, mut square, mut n) = (Self::ONE, self, n);
        while n > 0 {
            if n % 2 == 1 {
                power = power * square;
            }
            square = square * square;
            n /= 2;
        }
        power
    }
}

impl Scalar for Dd {
    fn from_f64(x: f64) -> Self {
        Self::from(x)
    }

    fn ratio(numerator: i64, denominator: i64) -> Self {
        Self::from(numerator) / Self::from(denominator)
    }

    fn pi() -> Self {
        Self { hi: std::f64::consts::PI, lo: 1.2246467991473532e-16 }
    }

    fn is_zero(self) -> bool {
        self.hi == 0.0
    }

    fn known(self) -> Option<f64> {
        Some(self.hi)
    }

    /// One Newton correction of the root of the leading word.
    fn sqrt(self) -> Self {
        if self.hi == 0.0 || !self.hi.is_finite() || self.hi < 0.0 {
            return Self::from(self.hi.sqrt());
        }
        if !(1e-250..=1e250).contains(&self.hi) {
            let shift = if self.hi < 1.0 { 300 } else { -300 };
            return self.scaled(shift).sqrt().scaled(-shift / 2);
        }
        let root = self.hi.sqrt();
        let rest = self - Self::product(root, root);
        Self::renormalised(root, rest.hi / (2.0 * root))
    }

    fn exp(self) -> Self {
        self.exponential()
    }

    fn ln(self) -> Self {
        self.logarithm()
    }

    fn sin(self) -> Self {
        self.sine_cosine().0
    }

    fn cos(self) -> Self {
        self.sine_cosine().1
    }

    fn sin_cos(self) -> (Self, Self) {
        self.sine_cosine()
    }

    fn tan(self) -> Self {
        let (sin, cos) = self.sine_cosine();
        sin / cos
    }

    fn asin(self) -> Self {
        let cosine = ((Self::ONE - self) * (Self::ONE + self)).sqrt();
        self.angle(cosine)
    }

    fn acos(self) -> Self {
        let sine = ((Self::ONE - self) * (Self::ONE + self)).sqrt();
        sine.angle(self)
    }

    fn atan(self) -> Self {
        self.angle(Self::ONE)
    }

    fn atan2(self, x: Self) -> Self {
        self.angle(x)
    }

    fn sinh(self) -> Self {
        self.hyperbolic_sine()
    }

    fn cosh(self) -> Self {
        self.hyperbolic_cosine()
    }

    fn tanh(self) -> Self {
        self.hyperbolic_tangent()
    }

    fn abs(self) -> Self {
        if self.hi.is_sign_negative() { -self } else { self }
    }

    fn sign(self) -> Self {
        Self::from(Scalar::sign(self.hi))
    }

    fn floor(self) -> Self {
        let hi = self.hi.floor();
        if hi == self.hi && hi.is_finite() { Self::renormalised(hi, self.lo.floor()) } else { Self::from(hi) }
    }

    fn min(self, other: Self) -> Self {
        if self.hi == other.hi {
            if self.lo < other.lo { self } else { other }
        } else if Scalar::min(self.hi, other.hi) == self.hi {
            self
        } else {
            // `other` is smaller, or one of the two is NaN.
            if self.hi.is_nan() { self } else { other }
        }
    }

    fn max(self, other: Self) -> Self {
        -Scalar::min(-self, -other)
    }

    fn pow(self, exponent: Self) -> Self {
        let ordinary = |x: f64| x.is_finite() && x != 0.0;
        if !ordinary(self.hi) || !ordinary(exponent.hi) {
            return Self::from(self.hi.powf(exponent.hi));
        }
        let parity = exponent.integer_parity();
        if parity.is_some() && exponent.hi.abs() <= 64.0 {
            let power = self.integer_power(exponent.hi.abs() as u32);
            return if exponent.hi < 0.0 { Self::ONE / power } else { power };
        }
        let size = (exponent * Scalar::abs(self).ln()).exp();
        match parity {
            _ if self.hi > 0.0 => size,
            Some(false) => size,
            Some(true) => -size,
            None => Self::from(f64::NAN),
        }
    }

    fn stumpff(self, k: u32) -> Self {
        stumpff::stumpff(self, k)
    }
}

impl Real for Dd {
    const DERIVATIVE_ORDER: u32 = 0;
    const EPSILON: f64 = f64::EPSILON * f64::EPSILON;

    fn value(self) -> f64 {
        self.hi
    }

    fn is_finite(self) -> bool {
        self.hi.is_finite()
    }

    fn infinitesimal(self) -> Self {
        Self::ZERO
    }
}

impl StumpffArithmetic for Dd {
    fn reciprocal_factorial(k: u32) -> Self {
        Self::reciprocal_factorial(k as usize)
    }

    fn root(self) -> (Self, Self) {
        let root = self.sqrt();
        let (a, b) = two_product(root.hi, root.hi);
        let (c, d) = two_product(root.hi, 2.0 * root.lo);
        let square = root.lo * root.lo;
        let rest = distilled([self.hi, self.lo, -a, -b, -c, -d, -square]);
        (root, Self::from(rest.hi / (2.0 * root.hi)))
    }
}
