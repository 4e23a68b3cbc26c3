//! Polynomials in one unknown over the numbers modulo a prime, and their irreducible factors.
//!
//! Square-free parts after Yun; then x^(P^d) − x, whose factors are all irreducible ones whose degree divides d; then
//! those of one degree after Cantor and Zassenhaus: t^((P^d − 1)/2) is 1 modulo about half of them.

use super::modular::{self, PRIME};
use super::work::Work;
use cotangent_scalar::Random;

/// Coefficients from the constant one on, the last not zero.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Univariate(Vec<u128>);

/// So many products of numbers count as one of terms.
const CHEAPER: usize = 8;

impl Univariate {
    pub(crate) fn new(mut coefficients: Vec<u128>) -> Univariate {
        while coefficients.last() == Some(&0) {
            coefficients.pop();
        }
        Univariate(coefficients)
    }

    pub(crate) fn one() -> Univariate {
        Univariate(vec![1])
    }

    fn unknown() -> Univariate {
        Univariate(vec![0, 1])
    }

    pub(crate) fn coefficients(&self) -> &[u128] {
        &self.0
    }

    pub(crate) fn is_zero(&self) -> bool {
        self.0.is_empty()
    }

    /// The degree; 0 for zero, too.
    pub(crate) fn degree(&self) -> usize {
        self.0.len().saturating_sub(1)
    }

    pub(crate) fn scaled(&self, by: u128) -> Univariate {
        Univariate::new(self.0.iter().map(|&c| modular::times(c, by)).collect())
    }

    /// Divided by the leading coefficient.
    pub(crate) fn monic(&self) -> Univariate {
        self.0.last().map_or_else(Univariate::default, |&lead| self.scaled(modular::inverse(lead)))
    }

    pub(crate) fn plus(&self, other: &Univariate) -> Univariate {
        self.combined(other, modular::plus)
    }

    pub(crate) fn minus(&self, other: &Univariate) -> Univariate {
        self.combined(other, modular::minus)
    }

    fn combined(&self, other: &Univariate, rule: impl Fn(u128, u128) -> u128) -> Univariate {
        let at = |p: &Univariate, k: usize| p.0.get(k).copied().unwrap_or(0);
        let length = self.0.len().max(other.0.len());
        Univariate::new((0..length).map(|k| rule(at(self, k), at(other, k))).collect())
    }

    pub(crate) fn times(&self, other: &Univariate, work: &Work) -> Option<Univariate> {
        work.spend(1 + self.0.len() * other.0.len() / CHEAPER)?;
        let mut out = vec![0; (self.0.len() + other.0.len()).saturating_sub(1)];
        for (i, &a) in self.0.iter().enumerate() {
            for (j, &b) in other.0.iter().enumerate() {
                out[i + j] = modular::plus(out[i + j], modular::times(a, b));
            }
        }
        Some(Univariate::new(out))
    }

    /// Quotient and rest; `None` also for a division by zero.
    pub(crate) fn divided(&self, by: &Univariate, work: &Work) -> Option<(Univariate, Univariate)> {
        let inverse = modular::inverse(*by.0.last()?);
        let length = (self.0.len() + 1).saturating_sub(by.0.len());
        work.spend(1 + length * by.0.len() / CHEAPER)?;
        let (mut rest, mut quotient) = (self.0.clone(), vec![0; length]);
        for k in (0..length).rev() {
            let factor = modular::times(rest.pop()?, inverse);
            quotient[k] = factor;
            for (r, &c) in rest[k..].iter_mut().zip(&by.0) {
                *r = modular::minus(*r, modular::times(factor, c));
            }
        }
        Some((Univariate::new(quotient), Univariate::new(rest)))
    }

    fn remainder(&self, by: &Univariate, work: &Work) -> Option<Univariate> {
        Some(self.divided(by, work)?.1)
    }

    fn over(&self, by: &Univariate, work: &Work) -> Option<Univariate> {
        Some(self.divided(by, work)?.0)
    }

    /// The greatest common divisor, monic.
    pub(crate) fn common(&self, other: &Univariate, work: &Work) -> Option<Univariate> {
        let (mut f, mut g) = (self.clone(), other.clone());
        while !g.is_zero() {
            (f, g) = (g.clone(), f.remainder(&g, work)?);
        }
        Some(f.monic())
    }

    /// s with s·self = 1 modulo m, which has no divisor in common.
    pub(crate) fn inverse(&self, m: &Univariate, work: &Work) -> Option<Univariate> {
        let (mut f, mut g) = (m.clone(), self.remainder(m, work)?);
        let (mut s, mut t) = (Univariate::default(), Univariate::one());
        while !g.is_zero() {
            let (quotient, rest) = f.divided(&g, work)?;
            (f, g) = (g, rest);
            (s, t) = (t.clone(), s.minus(&quotient.times(&t, work)?));
        }
        (f.0.len() == 1).then(|| s.scaled(modular::inverse(f.0[0])))
    }

    fn derivative(&self) -> Univariate {
        let slope = |(k, &c): (usize, &u128)| modular::times(c, k as u128);
        Univariate::new(self.0.iter().enumerate().skip(1).map(slope).collect())
    }

    fn power_modulo(&self, mut exponent: u128, m: &Univariate, work: &Work) -> Option<Univariate> {
        let (mut base, mut out) = (self.remainder(m, work)?, Univariate::one());
        while exponent > 0 {
            if exponent & 1 == 1 {
                out = out.times(&base, work)?.remainder(m, work)?;
            }
            base = base.times(&base, work)?.remainder(m, work)?;
            exponent >>= 1;
        }
        Some(out)
    }

    /// The products of those irreducible factors that occur once, twice, …, each with that number.
    pub(crate) fn square_free(&self, work: &Work) -> Option<Vec<(Univariate, u32)>> {
        let slope = self.derivative();
        let repeated = self.common(&slope, work)?;
        let (mut simple, mut slope) = (self.over(&repeated, work)?, slope.over(&repeated, work)?);
        let (mut out, mut k) = (vec![], 1);
        while simple.degree() > 0 {
            slope = slope.minus(&simple.derivative());
            let here = simple.common(&slope, work)?;
            (simple, slope) = (simple.over(&here, work)?, slope.over(&here, work)?);
            if here.degree() > 0 {
                out.push((here, k));
            }
            k += 1;
        }
        Some(out)
    }

    /// The products of the irreducible factors of each degree, with the degree; without repeated factors.
    pub(crate) fn by_degree(&self, work: &Work) -> Option<Vec<(Univariate, usize)>> {
        let (mut rest, mut out, mut power) = (self.monic(), vec![], Univariate::unknown());
        for degree in 1.. {
            if rest.degree() < 2 * degree {
                break;
            }
            power = power.power_modulo(PRIME, &rest, work)?;
            let here = power.minus(&Univariate::unknown()).common(&rest, work)?;
            if here.degree() > 0 {
                rest = rest.over(&here, work)?;
                power = power.remainder(&rest, work)?;
                out.push((here, degree));
            }
        }
        if rest.degree() > 0 {
            let degree = rest.degree();
            out.push((rest, degree));
        }
        Some(out)
    }

    /// The irreducible factors of a product of some of one degree, monic.
    pub(crate) fn of_degree(&self, degree: usize, work: &Work) -> Option<Vec<Univariate>> {
        let mut random = Random::default();
        let (mut open, mut out) = (vec![self.monic()], vec![]);
        while let Some(f) = open.pop() {
            if f.degree() <= degree {
                out.push(f);
                continue;
            }
            let start = Univariate::new((0..f.degree()).map(|_| modular::anywhere(&mut random)).collect());
            // (P^d − 1)/2 = (1 + P + … + P^(d−1))(P − 1)/2
            let (mut conjugate, mut norm) = (start.clone(), start);
            for _ in 1..degree {
                conjugate = conjugate.power_modulo(PRIME, &f, work)?;
                norm = norm.times(&conjugate, work)?.remainder(&f, work)?;
            }
            let sign = norm.power_modulo((PRIME - 1) / 2, &f, work)?;
            let part = sign.minus(&Univariate::one()).common(&f, work)?;
            if part.degree() > 0 && part.degree() < f.degree() {
                open.push(f.over(&part, work)?);
                open.push(part);
            } else {
                open.push(f);
            }
        }
        Some(out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn polynomial(coefficients: &[i128]) -> Univariate {
        Univariate::new(coefficients.iter().map(|&c| modular::residue(c)).collect())
    }

    #[test]
    fn factors_multiply_to_what_they_are_factors_of() {
        let work = &Work::default();
        // (x − 1)(x − 2)²(x² + 1)²(x³ − 2), where −1 is no square as the prime is 3 modulo 4.
        let parts = [
            (polynomial(&[-1, 1]), 1),
            (polynomial(&[-2, 1]), 2),
            (polynomial(&[1, 0, 1]), 2),
            (polynomial(&[-2, 0, 0, 1]), 1),
        ];
        let mut product = Univariate::one();
        for (f, k) in &parts {
            for _ in 0..*k {
                product = product.times(f, work).unwrap();
            }
        }
        let (mut again, mut found) = (Univariate::one(), vec![]);
        for (part, k) in product.square_free(work).unwrap() {
            for (same, degree) in part.by_degree(work).unwrap() {
                for f in same.of_degree(degree, work).unwrap() {
                    assert_eq!(f.degree(), degree);
                    for _ in 0..k {
                        again = again.times(&f, work).unwrap();
                    }
                    found.push((f, k));
                }
            }
        }
        assert_eq!(again, product);
        assert!(parts[..3].iter().all(|p| found.contains(p)), "{found:?}");
    }

    #[test]
    fn inverses_are_inverse() {
        let work = &Work::default();
        let (f, m) = (polynomial(&[3, 1, 4]), polynomial(&[1, 5, 9, 2]));
        let inverse = f.inverse(&m, work).unwrap();
        assert_eq!(inverse.times(&f, work).unwrap().remainder(&m, work), Some(Univariate::one()));
        assert_eq!(polynomial(&[1, 1]).inverse(&polynomial(&[-1, 0, 1]), work), None);
    }
}
