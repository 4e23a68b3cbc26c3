//! Polynomials with integer coefficients in many unknowns, sparse.
//!
//! Everything here answers `None` where a coefficient or the number of terms outgrows its limit:
//! what cannot be computed exactly is not computed at all. The same where the [work](super::work) is spent.

use super::work::Work;
use std::cmp::Ordering;
use std::collections::BTreeMap;

/// Larger polynomials are given up.
const MAX_TERMS: usize = 800;

/// A product of powers: (unknown, exponent), by ascending unknown, exponents positive.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Monomial(pub(crate) Vec<(u32, u32)>);

impl Ord for Monomial {
    /// Lexicographic, the first unknown the most significant: x₀ > x₁ᵏ.
    fn cmp(&self, other: &Self) -> Ordering {
        for (a, b) in self.0.iter().zip(&other.0) {
            let order = b.0.cmp(&a.0).then(a.1.cmp(&b.1));
            if order != Ordering::Equal {
                return order;
            }
        }
        self.0.len().cmp(&other.0.len())
    }
}
impl PartialOrd for Monomial {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Monomial {
    pub(crate) fn times(&self, other: &Monomial) -> Monomial {
        let (mut a, mut b) = (self.0.iter().peekable(), other.0.iter().peekable());
        let mut out = Vec::with_capacity(self.0.len() + other.0.len());
        while let (Some(&&x), Some(&&y)) = (a.peek(), b.peek()) {
            match x.0.cmp(&y.0) {
                Ordering::Less => out.extend(a.next()),
                Ordering::Greater => out.extend(b.next()),
                Ordering::Equal => {
                    out.push((x.0, x.1 + y.1));
                    a.next();
                    b.next();
                }
            }
        }
        out.extend(a);
        out.extend(b);
        Monomial(out)
    }

    /// `self/other`, if it is a monomial.
    pub(crate) fn over(&self, other: &Monomial) -> Option<Monomial> {
        let mut out = Vec::with_capacity(self.0.len());
        let mut divisor = other.0.iter().peekable();
        for &(v, k) in &self.0 {
            match divisor.peek() {
                Some(&&(w, l)) if w == v => {
                    divisor.next();
                    match k.checked_sub(l)? {
                        0 => {}
                        rest => out.push((v, rest)),
                    }
                }
                _ => out.push((v, k)),
            }
        }
        divisor.next().is_none().then_some(Monomial(out))
    }

    pub(crate) fn degree(&self, v: u32) -> u32 {
        self.0.iter().find(|f| f.0 == v).map_or(0, |f| f.1)
    }

    /// The sum of the exponents.
    pub(crate) fn total(&self) -> usize {
        self.0.iter().map(|f| f.1 as usize).sum()
    }

    pub(crate) fn without(&self, v: u32) -> Monomial {
        Monomial(self.0.iter().filter(|f| f.0 != v).copied().collect())
    }
}

/// Σ coefficient·monomial, no coefficient zero.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Polynomial(pub(crate) BTreeMap<Monomial, i128>);

impl Polynomial {
    pub(crate) fn constant(c: i128) -> Polynomial {
        Polynomial::monomial(Monomial::default(), c)
    }

    pub(crate) fn one() -> Polynomial {
        Polynomial::constant(1)
    }

    pub(crate) fn unknown(v: u32) -> Polynomial {
        Polynomial::monomial(Monomial(vec![(v, 1)]), 1)
    }

    pub(crate) fn monomial(m: Monomial, c: i128) -> Polynomial {
        Polynomial(if c == 0 { BTreeMap::new() } else { BTreeMap::from([(m, c)]) })
    }

    pub(crate) fn is_zero(&self) -> bool {
        self.0.is_empty()
    }

    /// The number it is, if it is one.
    pub(crate) fn as_constant(&self) -> Option<i128> {
        match self.0.len() {
            0 => Some(0),
            1 => self.0.get(&Monomial::default()).copied(),
            _ => None,
        }
    }

    pub(crate) fn is_one(&self) -> bool {
        self.as_constant() == Some(1)
    }

    pub(crate) fn plus(&self, other: &Polynomial, work: &Work) -> Option<Polynomial> {
        self.plus_scaled(other, 1, work)
    }

    pub(crate) fn minus(&self, other: &Polynomial, work: &Work) -> Option<Polynomial> {
        self.plus_scaled(other, -1, work)
    }

    fn plus_scaled(&self, other: &Polynomial, factor: i128, work: &Work) -> Option<Polynomial> {
        work.spend(self.0.len() + other.0.len())?;
        let mut out = self.0.clone();
        for (m, &c) in &other.0 {
            let entry = out.entry(m.clone()).or_insert(0);
            *entry = entry.checked_add(c.checked_mul(factor)?)?;
            if *entry == 0 {
                out.remove(m);
            }
        }
        (out.len() <= MAX_TERMS).then_some(Polynomial(out))
    }

    pub(crate) fn times(&self, other: &Polynomial, work: &Work) -> Option<Polynomial> {
        if self.0.len().saturating_mul(other.0.len()) > 40 * MAX_TERMS {
            return None;
        }
        work.spend(self.0.len() * other.0.len())?;
        let mut out: BTreeMap<Monomial, i128> = BTreeMap::new();
        for (m, &c) in &self.0 {
            for (n, &d) in &other.0 {
                let entry = out.entry(m.times(n)).or_insert(0);
                *entry = entry.checked_add(c.checked_mul(d)?)?;
            }
        }
        out.retain(|_, c| *c != 0);
        (out.len() <= MAX_TERMS).then_some(Polynomial(out))
    }

    pub(crate) fn negated(&self) -> Polynomial {
        Polynomial(self.0.iter().map(|(m, c)| (m.clone(), -c)).collect())
    }

    pub(crate) fn power(&self, exponent: u32, work: &Work) -> Option<Polynomial> {
        (0..exponent).try_fold(Polynomial::one(), |product, _| product.times(self, work))
    }

    /// The quotient, if the division leaves no rest.
    pub(crate) fn over(&self, divisor: &Polynomial, work: &Work) -> Option<Polynomial> {
        self.quotient(divisor, work).flatten()
    }

    /// The same, where `Some(None)` says that there is a rest: nothing was given up.
    pub(crate) fn quotient(&self, divisor: &Polynomial, work: &Work) -> Option<Option<Polynomial>> {
        let (lead, factor) = divisor.0.last_key_value()?;
        let mut rest = self.clone();
        let mut quotient = Polynomial::default();
        while let Some((m, c)) = rest.0.last_key_value() {
            let Some(m) = m.over(lead).filter(|_| c % factor == 0) else { return Some(None) };
            let term = Polynomial::monomial(m, c / factor);
            rest = rest.minus(&term.times(divisor, work)?, work)?;
            quotient = quotient.plus(&term, work)?;
        }
        Some(Some(quotient))
    }

    /// The degree in all unknowns together.
    pub(crate) fn total_degree(&self) -> usize {
        self.0.keys().map(Monomial::total).max().unwrap_or(0)
    }

    /// The highest power of an unknown.
    pub(crate) fn degree(&self, v: u32) -> u32 {
        self.0.keys().map(|m| m.degree(v)).max().unwrap_or(0)
    }

    /// The unknowns that occur, ascending.
    pub(crate) fn unknowns(&self) -> Vec<u32> {
        let mut all: Vec<u32> = self.0.keys().flat_map(|m| m.0.iter().map(|f| f.0)).collect();
        all.sort_unstable();
        all.dedup();
        all
    }

    /// The coefficients by powers of one unknown, the constant first.
    pub(crate) fn coefficients(&self, v: u32) -> Vec<Polynomial> {
        let mut out = vec![Polynomial::default(); self.degree(v) as usize + 1];
        for (m, &c) in &self.0 {
            out[m.degree(v) as usize].0.insert(m.without(v), c);
        }
        out
    }

    /// The sign of the leading coefficient is made positive; says whether it was.
    pub(crate) fn positive(self) -> (Polynomial, bool) {
        match self.0.last_key_value() {
            Some((_, &c)) if c < 0 => (self.negated(), false),
            _ => (self, true),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Polynomial;
    use crate::algebra::work::Work;

    #[test]
    fn division_is_exact_or_refused() {
        let work = &Work::default();
        let (x, y) = (Polynomial::unknown(0), Polynomial::unknown(1));
        let (sum, difference) = (x.plus(&y, work).unwrap(), x.minus(&y, work).unwrap());
        let product = sum.times(&difference, work).unwrap();
        assert_eq!(product.over(&sum, work), Some(difference));
        assert_eq!(product.over(&x, work), None);
        assert_eq!(product.plus(&Polynomial::one(), work).unwrap().over(&sum, work), None);
    }

    #[test]
    fn coefficients_that_do_not_fit_are_given_up() {
        let work = &Work::default();
        let large = Polynomial::constant(i128::MAX);
        assert_eq!(large.plus(&large, work), None);
        assert_eq!(large.times(&large, work), None);
    }
}
