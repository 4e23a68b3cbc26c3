//! Dual numbers.

use std::ops::{Add, Div, Mul, Neg, Sub};

use crate::{Real, Scalar};

/// A value with `N` first-order parts: a + Σ bᵢ εᵢ with εᵢ εⱼ = 0.
///
/// Arithmetic on duals carries exact derivatives along `N` directions at once. Nesting,
/// `Dual<Dual<S>>`, gives second derivatives: the tangent of the tangent. Any scalar may be
/// underneath, also a tracing one, so no function here looks at a value: where a derivative
/// depends on a case it is written with [`Scalar::sign`].
///
/// A tangent that is known to be zero stays zero even where the derivative is infinite.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Dual<S, const N: usize = 1> {
    /// The value.
    pub value: S,
    /// The derivative of the value along each of the `N` directions.
    pub tangent: [S; N],
}

impl<S: Scalar, const N: usize> Dual<S, N> {
    /// A constant: all its derivatives are zero.
    pub fn constant(value: S) -> Self {
        let tangent = [S::from_f64(0.0); N];
        Self { value, tangent }
    }

    /// The independent variable of one direction: derivative 1 along `direction`, 0 along the
    /// others (all others, if `direction` is not below `N`).
    pub fn variable(value: S, direction: usize) -> Self {
        let unit = |i| S::from_f64(if i == direction { 1.0 } else { 0.0 });
        let tangent = std::array::from_fn(unit);
        Self { value, tangent }
    }

    /// f(self), given f and f′ at the value.
    fn chain(self, value: S, derivative: S) -> Self {
        let tangent = self.tangent.map(|t| scaled(derivative, t));
        Self { value, tangent }
    }

    /// f(self, other), given f and its two partial derivatives at the values.
    fn chain2(self, other: Self, value: S, by_self: S, by_other: S) -> Self {
        let part = |i: usize| sum_of_parts(by_self, self.tangent[i], by_other, other.tangent[i]);
        let tangent = std::array::from_fn(part);
        Self { value, tangent }
    }
}

/// derivative · tangent, where a known zero tangent wins over an infinite derivative.
fn scaled<S: Scalar>(derivative: S, tangent: S) -> S {
    if tangent.is_zero() { tangent } else { derivative * tangent }
}

fn sum_of_parts<S: Scalar>(by_a: S, a: S, by_b: S, b: S) -> S {
    if a.is_zero() {
        scaled(by_b, b)
    } else if b.is_zero() {
        by_a * a
    } else {
        by_a * a + by_b * b
    }
}

impl<S: Scalar, const N: usize> Add for Dual<S, N> {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        let tangent = std::array::from_fn(|i| self.tangent[i] + other.tangent[i]);
        Self { value: self.value + other.value, tangent }
    }
}

impl<S: Scalar, const N: usize> Sub for Dual<S, N> {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        let tangent = std::array::from_fn(|i| self.tangent[i] - other.tangent[i]);
        Self { value: self.value - other.value, tangent }
    }
}

impl<S: Scalar, const N: usize> Mul for Dual<S, N> {
    type Output = Self;

    #[expect(clippy::suspicious_arithmetic_impl, reason = "the product rule")]
    fn mul(self, other: Self) -> Self {
        let part = |i: usize| self.tangent[i] * other.value + self.value * other.tangent[i];
        let tangent = std::array::from_fn(part);
        Self { value: self.value * other.value, tangent }
    }
}

impl<S: Scalar, const N: usize> Div for Dual<S, N> {
    type Output = Self;

    #[expect(clippy::suspicious_arithmetic_impl, reason = "the quotient rule")]
    fn div(self, other: Self) -> Self {
        let value = self.value / other.value;
        let part = |i: usize| (self.tangent[i] - value * other.tangent[i]) / other.value;
        let tangent = std::array::from_fn(part);
        Self { value, tangent }
    }
}

impl<S: Scalar, const N: usize> Neg for Dual<S, N> {
    type Output = Self;

    fn neg(self) -> Self {
        Self { value: -self.value, tangent: self.tangent.map(|t| -t) }
    }
}

impl<S: Scalar, const N: usize> Scalar for Dual<S, N> {
    fn from_f64(x: f64) -> Self {
        Self::constant(S::from_f64(x))
    }

    fn ratio(numerator: i64, denominator: i64) -> Self {
        Self::constant(S::ratio(numerator, denominator))
    }

    fn pi() -> Self {
        Self::constant(S::pi())
    }

    fn is_zero(self) -> bool {
        self.value.is_zero() && self.tangent.iter().all(|t| t.is_zero())
    }

    fn known(self) -> Option<f64> {
        self.value.known()
    }

    fn sqrt(self) -> Self {
        let root = self.value.sqrt();
        self.chain(root, S::from_f64(0.5) / root)
    }

    fn exp(self) -> Self {
        let exp = self.value.exp();
        self.chain(exp, exp)
    }

    fn ln(self) -> Self {
        self.chain(self.value.ln(), S::from_f64(1.0) / self.value)
    }

    fn sin(self) -> Self {
        self.sin_cos().0
    }

    fn cos(self) -> Self {
        self.sin_cos().1
    }

    fn sin_cos(self) -> (Self, Self) {
        let (sin, cos) = self.value.sin_cos();
        (self.chain(sin, cos), self.chain(cos, -sin))
    }

    fn tan(self) -> Self {
        let tan = self.value.tan();
        self.chain(tan, S::from_f64(1.0) + tan * tan)
    }

    fn asin(self) -> Self {
        self.chain(self.value.asin(), S::from_f64(1.0) / cosine_from_sine(self.value))
    }

    fn acos(self) -> Self {
        self.chain(self.value.acos(), S::from_f64(-1.0) / cosine_from_sine(self.value))
    }

    fn atan(self) -> Self {
        let one = S::from_f64(1.0);
        self.chain(self.value.atan(), one / (one + self.value * self.value))
    }

    fn atan2(self, x: Self) -> Self {
        // Dividing by the larger coordinate first keeps the squares in range.
        let (y, a) = (self.value, x.value);
        let size = y.abs().max(a.abs());
        let (u, v) = (y / size, a / size);
        let radius = (u * u + v * v) * size;
        self.chain2(x, y.atan2(a), v / radius, -u / radius)
    }

    fn sinh(self) -> Self {
        self.chain(self.value.sinh(), self.value.cosh())
    }

    fn cosh(self) -> Self {
        self.chain(self.value.cosh(), self.value.sinh())
    }

    fn tanh(self) -> Self {
        // 1 - tanh² cancels for large arguments, 1/cosh² does not.
        let sech = S::from_f64(1.0) / self.value.cosh();
        self.chain(self.value.tanh(), sech * sech)
    }

    fn abs(self) -> Self {
        self.chain(self.value.abs(), self.value.sign())
    }

    fn sign(self) -> Self {
        Self::constant(self.value.sign())
    }

    fn floor(self) -> Self {
        Self::constant(self.value.floor())
    }

    fn min(self, other: Self) -> Self {
        let (first, second) = shares(other.value, self.value);
        self.chain2(other, self.value.min(other.value), first, second)
    }

    fn max(self, other: Self) -> Self {
        let (first, second) = shares(self.value, other.value);
        self.chain2(other, self.value.max(other.value), first, second)
    }

    fn pow(self, exponent: Self) -> Self {
        let (x, e) = (self.value, exponent.value);
        let power = x.pow(e);
        // x⁰ = 1 does not depend on x; 0·x⁻¹ would be NaN at x = 0.
        let by_base = if e.is_zero() { e } else { e * x.pow(e - S::from_f64(1.0)) };
        // The logarithm is only taken where the exponent moves: a negative base is fine else.
        let part = |i: usize| {
            let (dx, de) = (self.tangent[i], exponent.tangent[i]);
            if de.is_zero() { scaled(by_base, dx) } else { sum_of_parts(by_base, dx, power * x.ln(), de) }
        };
        Self { value: power, tangent: std::array::from_fn(part) }
    }

    fn stumpff(self, k: u32) -> Self {
        let (next, after) = (k.saturating_add(1), k.saturating_add(2));
        let slope = self.value.stumpff(next) - S::from_f64(f64::from(k)) * self.value.stumpff(after);
        self.chain(self.value.stumpff(k), S::from_f64(-0.5) * slope)
    }
}

/// √(1 − x²), without cancellation near |x| = 1.
fn cosine_from_sine<S: Scalar>(x: S) -> S {
    let one = S::from_f64(1.0);
    ((one - x) * (one + x)).sqrt()
}

/// (1 ± sign(a − b))/2: the weights of a and b in the derivative of max(a, b).
fn shares<S: Scalar>(a: S, b: S) -> (S, S) {
    let (half, one) = (S::from_f64(0.5), S::from_f64(1.0));
    let sign = (a - b).sign();
    (half * (one + sign), half * (one - sign))
}

impl<S: Real, const N: usize> Real for Dual<S, N> {
    const DERIVATIVE_ORDER: u32 = S::DERIVATIVE_ORDER + 1;
    const EPSILON: f64 = S::EPSILON;

    fn value(self) -> f64 {
        self.value.value()
    }

    fn is_finite(self) -> bool {
        self.value.is_finite() && self.tangent.iter().all(|t| t.is_finite())
    }

    fn infinitesimal(self) -> Self {
        Self { value: self.value.infinitesimal(), tangent: self.tangent }
    }
}
