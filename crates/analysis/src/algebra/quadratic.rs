//! Quadratic polynomials in a power of an unknown: discriminant, and factors over the real numbers.

use super::divisor::{content, gcd};
use super::factors::factors;
use super::field::Field;
use super::polynomial::{Monomial, Polynomial};
use super::work::Work;
use cotangent_expr::Expr;

/// a w² + b w + c with w = v^half.
pub(crate) struct Quadratic {
    pub(crate) lead: Polynomial,
    /// 2 a w + b
    pub(crate) slope: Polynomial,
    /// b² − 4 a c
    pub(crate) discriminant: Polynomial,
}

impl Quadratic {
    /// A polynomial as a quadratic one in a power of an unknown.
    pub(crate) fn new(p: &Polynomial, v: u32, work: &Work) -> Option<Quadratic> {
        let degree = p.degree(v) as usize;
        let half = degree / 2;
        let parts = p.coefficients(v);
        let other = |(k, c): (usize, &Polynomial)| !c.is_zero() && k != 0 && k != half && k != degree;
        if degree < 2 || !degree.is_multiple_of(2) || parts.iter().enumerate().any(other) {
            return None;
        }
        let (a, b, c) = (&parts[degree], &parts[half], &parts[0]);
        let four = Polynomial::constant(4);
        let discriminant = b.times(b, work)?.minus(&four.times(a, work)?.times(c, work)?, work)?;
        let power = Polynomial::monomial(Monomial(vec![(v, half as u32)]), 2);
        Some(Quadratic { lead: a.clone(), slope: a.times(&power, work)?.plus(b, work)?, discriminant })
    }
}

impl Field {
    /// The factors 2 a w + b ± r √s of a w² + b w + c whose discriminant is r² s with s > 0 made of numbers and parameters:
    /// x² − 2 y² is two lines.
    pub(crate) fn over_the_reals(&self, p: &Polynomial) -> Option<Vec<Expr>> {
        let work = &self.work();
        p.unknowns().into_iter().filter(|&v| !self.is_parameter(v)).find_map(|v| {
            let Quadratic { lead, slope, discriminant } = Quadratic::new(p, v, work)?;
            if !self.only_parameters(&lead) || discriminant.is_zero() {
                return None;
            }
            let parts = factors(&discriminant, work)?;
            let product =
                parts.iter().try_fold(Polynomial::one(), |all, (f, k)| all.times(&f.power(*k, work)?, work))?;
            let number = discriminant.over(&product, work)?.as_constant()?;
            let (mut root, rest) = square_part(number)?;
            let mut below = Polynomial::constant(rest);
            let mut outside = Polynomial::one();
            for (f, k) in &parts {
                outside = outside.times(&f.power(k / 2, work)?, work)?;
                if k % 2 == 1 {
                    below = below.times(f, work)?;
                }
            }
            if !self.only_parameters(&below) || self.strict_sign(&below) != Some(true) {
                return None;
            }
            let common = gcd(content(&slope), root).max(1);
            let slope = slope.over(&Polynomial::constant(common), work)?;
            root /= common;
            let outside = outside.times(&Polynomial::constant(root), work)?;
            let (slope, outside) = (self.sum(&slope)?, self.sum(&outside)? * self.sum(&below)?.sqrt());
            Some(vec![&slope + &outside, slope - outside])
        })
    }
}

/// (r, s) with n = r² s, as far as small primes show.
fn square_part(n: i128) -> Option<(i128, i128)> {
    let (mut root, mut rest) = (1i128, n);
    for d in 2..1000 {
        while rest % (d * d) == 0 && rest != 0 {
            rest /= d * d;
            root = root.checked_mul(d)?;
        }
    }
    match rest.checked_isqrt() {
        Some(r) if r * r == rest => Some((root.checked_mul(r)?, 1)),
        _ => Some((root, rest)),
    }
}
