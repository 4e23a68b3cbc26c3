//! A number that knows how large the terms were that it is made of.
//!
//! x² + y² − 1 on the circle is about 10⁻³⁰, and so is 10⁻³⁰·x: the first is zero, the second is not. The
//! difference is what was added up on the way. A [`Weighed`] carries it: sums add sizes, and a function passes
//! a size on by its slope, f(x ± s) ≈ f(x) ± |f′(x)| s. A value is judged in units of its size.
//!
//! 10³⁰ x − 10³⁰ x + y is about zero in these units, though it is y. So a [`Weighed`] also knows how much larger it is than the
//! smallest of its terms: where one of them would count as round-off, that the value does shows nothing.

use cotangent_scalar::{Dd, Real, Scalar};
use std::ops::{Add, Div, Mul, Neg, Sub};

/// A value and the size of what it was made of, |value| ≤ size.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Weighed {
    pub(crate) value: Dd,
    pub(crate) size: f64,
    /// The size in units of the smallest term.
    spread: f64,
}

/// Below this part of its size a value is zero: round-off, and the distance of the points from the surface.
const ZERO: f64 = 1e-18;
/// The same at points that need not be on a surface: round-off alone, of a hundred operations or a million.
const ZERO_ANYWHERE: f64 = 1e-25;
/// Above this part of its size a value is not zero; between the two nothing is said.
const NONZERO: f64 = 1e-9;

/// A term that is not this many times as large as what counts as round-off may be taken for it.
const VISIBLE: f64 = 100.0;

/// A phase or an exponent that is known to no more than this is not known.
const COARSE: f64 = 0.01;

/// Products below this have lost digits of the second half of a [`Dd`].
const SMALLEST: f64 = 1e-290;

/// Nothing is known of it.
const UNKNOWN: Weighed = Weighed { value: Dd::new(f64::NAN, f64::NAN), size: f64::NAN, spread: f64::NAN };

impl Weighed {
    /// A value of at least this size, as one term.
    pub(crate) fn new(value: Dd, size: f64) -> Weighed {
        Weighed { value, size: size.max(value.value().abs()), spread: 1.0 }
    }

    /// The same, where nothing is known of its terms.
    pub(crate) fn as_one_term(self) -> Weighed {
        self.spread_over(1.0)
    }

    fn spread_over(self, spread: f64) -> Weighed {
        Weighed { spread, ..self }
    }

    /// The size of its smallest term; infinite if it is nothing.
    fn smallest(self) -> f64 {
        if self.size == 0.0 { f64::INFINITY } else { self.size / self.spread }
    }

    /// A value of this size with terms as small as this.
    fn with_smallest(value: Dd, size: f64, smallest: f64) -> Weighed {
        let all = Weighed::new(value, size);
        all.spread_over((all.size / smallest).max(1.0))
    }

    /// Whether it vanishes: `None` outside the domain, or if that is not clear.
    pub(crate) fn vanishes(self) -> Option<bool> {
        self.vanishes_up_to(ZERO)
    }

    /// The same at a point that is where it is meant to be.
    pub(crate) fn vanishes_anywhere(self) -> Option<bool> {
        self.vanishes_up_to(ZERO_ANYWHERE)
    }

    /// Whether one of its terms is so small that the value would count as zero if it were that term alone.
    pub(crate) fn hides(self) -> bool {
        self.hides_below(ZERO)
    }

    /// The same at a point that is where it is meant to be.
    pub(crate) fn hides_anywhere(self) -> bool {
        self.hides_below(ZERO_ANYWHERE)
    }

    fn hides_below(self, zero: f64) -> bool {
        self.spread * VISIBLE * zero > 1.0
    }

    /// Whether its value, anywhere or on a surface, says something: it exists, and if it vanishes nothing hides in it.
    pub(crate) fn speaks(self, anywhere: bool) -> bool {
        let (vanishes, hides) = match anywhere {
            true => (self.vanishes_anywhere(), self.hides_anywhere()),
            false => (self.vanishes(), self.hides()),
        };
        Real::is_finite(self) && !(vanishes == Some(true) && hides)
    }

    fn vanishes_up_to(self, zero: f64) -> Option<bool> {
        let value = self.value.value().abs();
        match value.is_finite() && self.size.is_finite() {
            true if value <= zero * self.size => Some(true),
            true if value > NONZERO * self.size => Some(false),
            _ => None,
        }
    }

    /// Nothing is known of a function where it is singular.
    fn unless_singular(self, at: Weighed) -> Weighed {
        if at.vanishes() == Some(true) { UNKNOWN } else { self }
    }

    /// Nothing is known of a function that turns, or grows by a factor, within what is not known of its argument.
    fn unless_coarse(self, argument: Weighed) -> Weighed {
        if argument.size * ZERO > COARSE { UNKNOWN } else { self }
    }

    fn chain(self, value: Dd, slope: Dd) -> Weighed {
        // A value that does not vary passes no size on, whatever the slope.
        if self.size == 0.0 {
            return Weighed::new(value, 0.0);
        }
        let passed = slope.value().abs() * self.size;
        // At a zero of its slope, as that of cos x at x = 0, a function varies by less: nothing is small there.
        let is_level = self.vanishes() == Some(true) && passed <= ZERO * value.value().abs();
        // Elsewhere what has lost its slope to rounding, as tanh 1000, hides how it varies.
        let smallest = if is_level { f64::INFINITY } else { passed / self.spread };
        Weighed::with_smallest(value, passed, smallest)
    }
}

impl Add for Weighed {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        let smallest = self.smallest().min(other.smallest());
        Weighed::with_smallest(self.value + other.value, self.size + other.size, smallest)
    }
}

impl Sub for Weighed {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        let smallest = self.smallest().min(other.smallest());
        Weighed::with_smallest(self.value - other.value, self.size + other.size, smallest)
    }
}

impl Mul for Weighed {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        let (a, b) = (self.value.value().abs(), other.value.value().abs());
        let product = self.value * other.value;
        if a > 0.0 && b > 0.0 && a * b < SMALLEST {
            // What is too small for a number is not nothing.
            return UNKNOWN;
        }
        // What is small in both factors is left out, as of the second order.
        Weighed::new(product, a * other.size + b * self.size).spread_over(self.spread.max(other.spread))
    }
}

impl Div for Weighed {
    type Output = Self;
    fn div(self, other: Self) -> Self {
        let value = self.value / other.value;
        let size = (self.size + value.value().abs() * other.size) / other.value.value().abs();
        Weighed::new(value, size).spread_over(self.spread.max(other.spread)).unless_singular(other)
    }
}

impl Neg for Weighed {
    type Output = Self;
    fn neg(self) -> Self {
        Weighed { value: -self.value, ..self }
    }
}

impl Scalar for Weighed {
    fn from_f64(x: f64) -> Self {
        Weighed::new(Dd::from_f64(x), 0.0)
    }
    fn ratio(numerator: i64, denominator: i64) -> Self {
        Weighed::new(Dd::ratio(numerator, denominator), 0.0)
    }
    fn pi() -> Self {
        Weighed::new(Dd::pi(), 0.0)
    }
    fn is_zero(self) -> bool {
        self.size == 0.0 && self.value.is_zero()
    }
    fn sqrt(self) -> Self {
        // What vanishes may be negative by round-off.
        let value = if self.vanishes() == Some(true) { self.value.abs() } else { self.value };
        let root = value.sqrt();
        if root.is_zero() {
            return Weighed::new(root, self.size.sqrt());
        }
        self.chain(root, Dd::from_f64(0.5) / root)
    }
    fn exp(self) -> Self {
        let value = self.value.exp();
        if value.is_zero() { UNKNOWN } else { self.chain(value, value).unless_coarse(self) }
    }
    fn ln(self) -> Self {
        self.chain(self.value.ln(), one() / self.value).unless_singular(self)
    }
    fn sin(self) -> Self {
        self.chain(self.value.sin(), self.value.cos()).unless_coarse(self)
    }
    fn cos(self) -> Self {
        self.chain(self.value.cos(), self.value.sin()).unless_coarse(self)
    }
    fn tan(self) -> Self {
        let tan = self.value.tan();
        self.chain(tan, one() + tan * tan).unless_singular(self.cos()).unless_coarse(self)
    }
    fn asin(self) -> Self {
        let edge = Weighed::from_f64(1.0) - self * self;
        self.chain(self.value.asin(), one() / ((one() - self.value) * (one() + self.value)).sqrt())
            .unless_singular(edge)
    }
    fn acos(self) -> Self {
        let edge = Weighed::from_f64(1.0) - self * self;
        self.chain(self.value.acos(), one() / ((one() - self.value) * (one() + self.value)).sqrt())
            .unless_singular(edge)
    }
    fn atan(self) -> Self {
        self.chain(self.value.atan(), one() / (one() + self.value * self.value))
    }
    fn atan2(self, x: Self) -> Self {
        let radius = (self.value * self.value + x.value * x.value).sqrt().value();
        let (size, smallest) = ((self.size + x.size) / radius, self.smallest().min(x.smallest()) / radius);
        Weighed::with_smallest(self.value.atan2(x.value), size, smallest).unless_singular(self * self + x * x)
    }
    fn sinh(self) -> Self {
        self.chain(self.value.sinh(), self.value.cosh()).unless_coarse(self)
    }
    fn cosh(self) -> Self {
        self.chain(self.value.cosh(), self.value.sinh()).unless_coarse(self)
    }
    fn tanh(self) -> Self {
        let sech = one() / self.value.cosh();
        self.chain(self.value.tanh(), sech * sech)
    }
    fn abs(self) -> Self {
        Weighed { value: self.value.abs(), ..self }
    }
    fn sign(self) -> Self {
        Weighed::new(self.value.sign(), 0.0).unless_singular(self)
    }
    fn floor(self) -> Self {
        let half = Dd::from_f64(0.5);
        let step = Weighed::new(self.value - (self.value + half).floor(), self.size);
        Weighed::new(self.value.floor(), 0.0).unless_singular(step)
    }
    fn min(self, other: Self) -> Self {
        Weighed::new(self.value.min(other.value), self.size.max(other.size)).spread_over(self.spread.max(other.spread))
    }
    fn max(self, other: Self) -> Self {
        Weighed::new(self.value.max(other.value), self.size.max(other.size)).spread_over(self.spread.max(other.spread))
    }
    fn pow(self, exponent: Self) -> Self {
        let (x, e) = (self.value, exponent.value);
        let power = x.pow(e);
        let by_base = self.chain(power, e * x.pow(e - one()));
        // The logarithm of a negative base does not exist; its exponent is an integer, which does not vary.
        let by_exponent = (power * x.ln()).value().abs() * exponent.size;
        let size = by_base.size + if by_exponent.is_finite() { by_exponent } else { 0.0 };
        let out = Weighed::with_smallest(power, size, by_base.smallest());
        if e.value() < 0.0 { out.unless_singular(self) } else { out }
    }
    fn stumpff(self, k: u32) -> Self {
        let (next, after) = (k.saturating_add(1), k.saturating_add(2));
        let slope = self.value.stumpff(next) - Dd::from_f64(f64::from(k)) * self.value.stumpff(after);
        self.chain(self.value.stumpff(k), Dd::from_f64(-0.5) * slope).unless_coarse(self)
    }
}

impl Real for Weighed {
    const DERIVATIVE_ORDER: u32 = 0;
    const EPSILON: f64 = Dd::EPSILON;

    fn value(self) -> f64 {
        self.value.value()
    }
    fn is_finite(self) -> bool {
        self.value.is_finite() && self.size.is_finite()
    }
    fn infinitesimal(self) -> Self {
        Weighed::from_f64(0.0)
    }
}

fn one() -> Dd {
    Dd::from_f64(1.0)
}

#[cfg(test)]
mod tests {
    use super::Weighed;
    use cotangent_scalar::{Dd, Real, Scalar};

    fn number(x: f64) -> Weighed {
        Weighed::from_f64(x)
    }

    #[test]
    fn what_cancels_is_zero_and_what_is_small_is_not() {
        let tiny = number(1e-30);
        assert_eq!((tiny * number(0.7)).vanishes(), Some(false));
        let third = number(1.0) / number(3.0);
        let rest = third + third + third - number(1.0);
        assert_eq!(rest.vanishes(), Some(true));
        assert_eq!((rest * tiny).vanishes(), Some(true));
        let square = number(0.3).sin() * number(0.3).sin() + number(0.3).cos() * number(0.3).cos();
        assert_eq!((square - number(1.0)).vanishes(), Some(true));
        assert_eq!((number(1.0) + number(1e-12) - number(1.0)).vanishes(), None);
        assert_eq!(number(-1.0).sqrt().vanishes(), None);
    }

    #[test]
    fn a_term_of_another_size_may_hide() {
        let (large, small) = (number(1e20), number(1e-9));
        // 10²⁰ − 10²⁰ + 10⁻⁹ is a part of 10⁻²⁹ of its terms.
        let rest = large - large + small;
        assert_eq!((rest.vanishes_anywhere(), rest.hides_anywhere()), (Some(true), true));
        assert!(!(large * small).hides() && !(large * small - small * large).hides());
        assert!((number(1.0) + number(1e-30)).sqrt().hides() && (number(1e-30).exp() - number(1.0)).hides());
        assert!(number(1e-16).cos().hides() && !Weighed::new(Dd::from_f64(1e-28), 1.0).cos().hides());
        assert!(!number(-1e9).exp().is_finite());
        // 10⁻²⁰ shows among round-off, and not beside the distance of points from a surface.
        let among = large * (number(1.0) + number(1e-20));
        assert_eq!((among.hides(), among.hides_anywhere()), (true, false));
    }

    #[test]
    fn what_rounding_has_made_constant_shows_nothing() {
        // 1 − tanh² x is 4 e⁻²ˣ.
        for x in [40.0, 400.0, 1e5] {
            let rest = number(1.0) - number(x).tanh() * number(x).tanh();
            assert!(!rest.speaks(true) && !rest.speaks(false), "{x}");
        }
        assert!((number(1.0) - number(0.5).tanh()).speaks(true));
        // The phase of sin 10²⁷ is not known to half a turn.
        for f in [Weighed::sin, Weighed::cos, Weighed::tan] {
            assert!(!f(number(1e27)).speaks(true) && f(number(1e9)).speaks(true));
        }
        assert!(!number(1e27).stumpff(0).speaks(true));
    }

    #[test]
    fn a_variable_near_zero_is_judged_by_its_range() {
        let momentum = Weighed::new(Dd::from_f64(1e-27), 1.0);
        assert_eq!(momentum.vanishes(), Some(true));
        // 1/p is huge, and unsure.
        assert_eq!((number(1.0) / momentum).vanishes(), None);
        assert_eq!(momentum.cos().vanishes(), Some(false));
        assert_eq!((momentum.ln().vanishes(), momentum.sign().vanishes()), (None, None));
        assert_eq!(momentum.pow(number(-1.0)).vanishes(), None);
        assert_eq!((momentum + number(2.0)).floor().vanishes(), None);
        assert_eq!((momentum + number(2.5)).floor().vanishes(), Some(false));
        assert_eq!((momentum * momentum).vanishes(), Some(true));
        assert_eq!(((-momentum).sqrt().vanishes(), (momentum - momentum).sqrt().vanishes()), (Some(true), Some(true)));
        assert_eq!((momentum.sqrt().vanishes(), momentum.abs().vanishes()), (Some(true), Some(true)));
        assert_eq!((momentum + number(1.0)).asin().vanishes(), None);
        assert_eq!(number(-2.0).pow(number(3.0)).vanishes(), Some(false));
    }
}
