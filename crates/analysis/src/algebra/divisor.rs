//! Greatest common divisors of polynomials.
//!
//! The divisor of a and b is found one unknown at a time, by the primitive remainder sequence. It is
//! tried first on images modulo a prime, where the other unknowns have numbers: a divisor of the
//! polynomials has an image that divides the images, so images without a common divisor decide.

use super::modular;
use super::polynomial::{Monomial, Polynomial};
use super::univariate::Univariate;
use super::work::Work;

/// gcd of integers, not negative.
pub(crate) fn gcd(a: i128, b: i128) -> i128 {
    let (mut a, mut b) = (a.unsigned_abs(), b.unsigned_abs());
    while b != 0 {
        (a, b) = (b, a % b);
    }
    i128::try_from(a).unwrap_or(1)
}

/// The gcd of all coefficients.
pub(crate) fn content(p: &Polynomial) -> i128 {
    p.0.values().fold(0, |g, &c| gcd(g, c))
}

/// The monomial that divides every term.
pub(crate) fn common_monomial(p: &Polynomial) -> Monomial {
    let mut terms = p.0.keys();
    let Some(first) = terms.next() else { return Monomial::default() };
    let mut common = first.0.clone();
    for m in terms {
        common = common.into_iter().map(|(v, k)| (v, k.min(m.degree(v)))).filter(|f| f.1 > 0).collect();
    }
    Monomial(common)
}

/// The greatest common divisor with a positive leading coefficient.
pub(crate) fn greatest_common_divisor(a: &Polynomial, b: &Polynomial, work: &Work) -> Option<Polynomial> {
    if a.is_zero() || b.is_zero() {
        return Some(if a.is_zero() { b } else { a }.clone().positive().0);
    }
    let number = gcd(content(a), content(b));
    let (ma, mb) = (common_monomial(a), common_monomial(b));
    let strip = |p: &Polynomial, m: &Monomial| p.over(&Polynomial::monomial(m.clone(), content(p).max(1)), work);
    let (pa, pb) = (strip(a, &ma)?, strip(b, &mb)?);
    let shared = ma.0.iter().map(|&(v, k)| (v, k.min(mb.degree(v)))).filter(|f| f.1 > 0).collect();
    let core = primitive_divisor(&pa, &pb, work)?;
    core.times(&Polynomial::monomial(Monomial(shared), number), work).map(|p| p.positive().0)
}

/// For polynomials without numeric or monomial content.
fn primitive_divisor(a: &Polynomial, b: &Polynomial, work: &Work) -> Option<Polynomial> {
    if a.as_constant().is_some() || b.as_constant().is_some() {
        return Some(Polynomial::one());
    }
    if a == b || a.negated() == *b {
        return Some(a.clone());
    }
    let (ua, ub) = (a.unknowns(), b.unknowns());
    // An unknown of one alone is not in the divisor: go on with the coefficients.
    if let Some(&v) = ua.iter().find(|v| !ub.contains(v)) {
        return a.coefficients(v).iter().filter(|c| !c.is_zero()).try_fold(b.clone(), |g, c| divisor_of(&g, c, work));
    }
    if let Some(&v) = ub.iter().find(|v| !ua.contains(v)) {
        return b.coefficients(v).iter().filter(|c| !c.is_zero()).try_fold(a.clone(), |g, c| divisor_of(&g, c, work));
    }
    if ua.iter().all(|&v| image_degree(a, b, v, work) == Some(0)) {
        return Some(Polynomial::one());
    }
    for (large, small) in [(a, b), (b, a)] {
        if large.over(small, work).is_some() {
            return Some(small.clone().positive().0);
        }
    }
    let v = ua.into_iter().min_by_key(|&v| a.degree(v).min(b.degree(v)))?;
    remainder_sequence(a, b, v, work)
}

fn divisor_of(a: &Polynomial, b: &Polynomial, work: &Work) -> Option<Polynomial> {
    if a.is_one() { Some(a.clone()) } else { greatest_common_divisor(a, b, work) }
}

/// What the coefficients of the powers of an unknown have in common.
pub(crate) fn content_in(p: &Polynomial, v: u32, work: &Work) -> Option<Polynomial> {
    let coefficients = p.coefficients(v);
    coefficients.iter().filter(|c| !c.is_zero()).try_fold(Polynomial::default(), |g, c| divisor_of(&g, c, work))
}

fn remainder_sequence(a: &Polynomial, b: &Polynomial, v: u32, work: &Work) -> Option<Polynomial> {
    let contents = |p: &Polynomial| content_in(p, v, work);
    let (ca, cb) = (contents(a)?, contents(b)?);
    let (mut f, mut g) = (a.over(&ca, work)?, b.over(&cb, work)?);
    if f.degree(v) < g.degree(v) {
        (f, g) = (g, f);
    }
    while g.degree(v) > 0 {
        let rest = pseudo_remainder(&f, &g, v, work)?.0;
        if rest.is_zero() {
            let core = g.over(&contents(&g)?, work)?;
            return core.times(&greatest_common_divisor(&ca, &cb, work)?, work).map(|p| p.positive().0);
        }
        f = g;
        g = rest.over(&contents(&rest)?, work)?;
    }
    greatest_common_divisor(&ca, &cb, work)
}

/// (r, m) with m·f = q·g + r, of smaller degree in v than g; m a product of factors of g's leading
/// coefficient.
pub(crate) fn pseudo_remainder(
    f: &Polynomial,
    g: &Polynomial,
    v: u32,
    work: &Work,
) -> Option<(Polynomial, Polynomial)> {
    let degree = g.degree(v);
    let coefficients = g.coefficients(v);
    let lead = coefficients.last()?;
    let (mut rest, mut multiplier) = (f.clone(), Polynomial::one());
    while !rest.is_zero() && rest.degree(v) >= degree && degree > 0 {
        let k = rest.degree(v);
        let top = rest.coefficients(v).pop()?;
        let common = greatest_common_divisor(lead, &top, work)?;
        let (by, factor) = (lead.over(&common, work)?, top.over(&common, work)?);
        let shift = match k - degree {
            0 => Polynomial::one(),
            rise => Polynomial::monomial(Monomial(vec![(v, rise)]), 1),
        };
        rest = rest.times(&by, work)?.minus(&factor.times(&shift, work)?.times(g, work)?, work)?;
        multiplier = multiplier.times(&by, work)?;
    }
    Some((rest, multiplier))
}

/// A bound on the degree of the divisor in v, from images modulo a prime; `None` if the images say
/// nothing.
fn image_degree(a: &Polynomial, b: &Polynomial, v: u32, work: &Work) -> Option<usize> {
    let (f, g) = (image(a, v), image(b, v));
    let same = |image: &Univariate, p: &Polynomial| image.degree() == p.degree(v) as usize;
    if !same(&f, a) || !same(&g, b) {
        return None;
    }
    Some(f.common(&g, work)?.degree())
}

/// The coefficients in v, with every other unknown replaced by a fixed large number.
fn image(p: &Polynomial, v: u32) -> Univariate {
    let mut out = vec![0; p.degree(v) as usize + 1];
    for (m, &c) in &p.0 {
        let point = |w: u32| modular::power(u128::from(w) + 7, 59);
        let others = m.0.iter().filter(|f| f.0 != v);
        let value = others
            .fold(modular::residue(c), |value, &(w, k)| modular::times(value, modular::power(point(w), u128::from(k))));
        let slot = &mut out[m.degree(v) as usize];
        *slot = modular::plus(*slot, value);
    }
    Univariate::new(out)
}

#[cfg(test)]
mod tests {
    use super::greatest_common_divisor;
    use crate::algebra::polynomial::Polynomial;
    use crate::algebra::work::Work;

    fn unknown(v: u32) -> Polynomial {
        Polynomial::unknown(v)
    }

    /// x² + 2y, x y − 3, x + y + z: no two have a common divisor.
    fn parts() -> [Polynomial; 3] {
        let work = &Work::default();
        let (x, y, z) = (unknown(0), unknown(1), unknown(2));
        let two = |p: &Polynomial| p.plus(p, work).unwrap();
        [
            x.times(&x, work).unwrap().plus(&two(&y), work).unwrap(),
            x.times(&y, work).unwrap().minus(&Polynomial::constant(3), work).unwrap(),
            x.plus(&y, work).unwrap().plus(&z, work).unwrap(),
        ]
    }

    #[test]
    fn the_common_divisor_of_products_is_the_common_factor() {
        let work = &Work::default();
        let [a, b, c] = parts();
        let divisor = greatest_common_divisor(&a.times(&b, work).unwrap(), &b.times(&c, work).unwrap(), work);
        assert_eq!(divisor, Some(b.clone()));
        assert_eq!(greatest_common_divisor(&a, &c, work), Some(Polynomial::one()));
        let square = b.times(&b, work).unwrap();
        assert_eq!(greatest_common_divisor(&square, &b.times(&a, work).unwrap(), work), Some(b));
    }
}
