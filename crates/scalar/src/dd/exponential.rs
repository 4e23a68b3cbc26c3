//! The exponential, the logarithm and the hyperbolic functions of [`Dd`].

use super::Dd;
use super::sums::{distilled, two_product};

/// ln 2 in three words.
const LN_2: [f64; 3] = [std::f64::consts::LN_2, 2.3190468138462996e-17, 5.707708438416212e-34];

/// 1/(2n + 1): the coefficients of artanh.
const RECIPROCAL_ODDS: [Dd; 23] = {
    let mut table = [Dd::ONE; 23];
    let mut n = 1;
    while n < table.len() {
        table[n] = Dd::ONE.over((2 * n + 1) as f64);
        n += 1;
    }
    table
};

/// x − k ln 2, or k ln 2 + x for −k, without rounding the products.
fn minus_multiple_of_ln_2(x: Dd, k: f64) -> Dd {
    let (a, b) = two_product(-k, LN_2[0]);
    let (c, d) = two_product(-k, LN_2[1]);
    distilled([x.hi, x.lo, a, b, c, d, -k * LN_2[2]])
}

impl Dd {
    /// eˣ = 2ᵏ (e^r)³², r = (x − k ln 2)/32, with e^r − 1 from its Taylor series and
    /// e^{2r} − 1 = p (p + 2) for p = e^r − 1.
    pub(super) fn exponential(self) -> Self {
        // Beyond these the double result is exact: an infinity, zero or NaN.
        if !(-750.0..=710.0).contains(&self.hi) {
            return Self::from(self.hi.exp());
        }
        let k = (self.hi / LN_2[0]).round();
        let r = minus_multiple_of_ln_2(self, k).scaled(-5);
        let series = (2..16).rev().fold(Self::ZERO, |s, n| s * r + Self::reciprocal_factorial(n));
        let mut p = r + r * r * series;
        for _ in 0..5 {
            p = p * (p + Self::from(2.0));
        }
        (p + Self::ONE).scaled(k as i32)
    }

    /// ln x = k ln 2 + 2 artanh((m − 1)/(m + 1)), where x = 2ᵏ m and 1/√2 ≤ m < √2.
    pub(super) fn logarithm(self) -> Self {
        if !(self.hi > 0.0 && self.hi.is_finite()) {
            return Self::from(self.hi.ln());
        }
        if self.hi < f64::MIN_POSITIVE {
            return minus_multiple_of_ln_2(self.scaled(64).logarithm(), 64.0);
        }
        let mut k = (self.hi.to_bits() >> 52) as i32 - 1023;
        let mut m = self.scaled(-k);
        if m.hi > std::f64::consts::SQRT_2 {
            (k, m) = (k + 1, m.scaled(-1));
        }
        let z = (m - Self::ONE) / (m + Self::ONE);
        let square = z * z;
        let series = |sum: Self, &c: &Self| sum * square + c;
        let tail = RECIPROCAL_ODDS[1..].iter().rev().fold(Self::ZERO, series);
        let ln_m = (z + z * square * tail).scaled(1);
        if k == 0 { ln_m } else { minus_multiple_of_ln_2(ln_m, -f64::from(k)) }
    }

    /// The Taylor series near 0, where the two exponentials would cancel; else (eˣ − e⁻ˣ)/2.
    pub(super) fn hyperbolic_sine(self) -> Self {
        if self.hi.abs() <= 1.0 {
            let square = self * self;
            self + self * square * square.factorial_series(3, 15)
        } else if self.hi.abs() < 600.0 {
            let exp = self.exponential();
            (exp - Self::ONE / exp).scaled(-1)
        } else {
            let half = self.scaled(-1);
            let exp = if self.hi < 0.0 { -half } else { half }.exponential();
            let size = exp.scaled(-1) * exp;
            if self.hi < 0.0 { -size } else { size }
        }
    }

    /// (eˣ + e⁻ˣ)/2.
    pub(super) fn hyperbolic_cosine(self) -> Self {
        if self.hi.abs() < 600.0 {
            let exp = self.exponential();
            (exp + Self::ONE / exp).scaled(-1)
        } else if self.hi < 0.0 {
            -self.hyperbolic_sine()
        } else {
            self.hyperbolic_sine()
        }
    }

    /// sinh/cosh near 0; else (1 − e^{−2|x|})/(1 + e^{−2|x|}) with the sign of x.
    pub(super) fn hyperbolic_tangent(self) -> Self {
        if self.hi.abs() <= 1.0 {
            return self.hyperbolic_sine() / self.hyperbolic_cosine();
        }
        let size = if self.hi < 0.0 { -self } else { self };
        let exp = (size.scaled(1)).exponential();
        // 1 - 2/(e^{2|x|} + 1), which tends to 1 when the exponential overflows.
        let tanh = Self::ONE - Self::from(2.0) / (exp + Self::ONE);
        if self.hi < 0.0 { -tanh } else { tanh }
    }
}
