//! Polynomials that change no sign, and what they vanish with.
//!
//! 4 a (a w² + b w + c) = (2 a w + b)² − (b² − 4 a c): where the discriminant is never positive, the left side
//! vanishes only where 2 a w + b and the discriminant do, and nowhere if the discriminant never vanishes. Here w is a
//! power of an unknown and a is made of parameters of known sign. This goes on with the discriminant, which has one
//! unknown less: every positive semidefinite quadratic form is found, whatever it is written as. Polynomials in one unknown
//! are decided by Sturm's theorem.

use super::divisor::content;
use super::factors::factors;
use super::field::Field;
use super::polynomial::{Monomial, Polynomial};
use super::quadratic::Quadratic;
use cotangent_model::Sign;
use cotangent_scalar::Random;
use std::collections::BTreeMap;

/// A polynomial of one sign.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Semidefinite {
    pub(crate) positive: bool,
    /// It vanishes where all of these do; nowhere if there are none.
    pub(crate) zeros: Vec<Polynomial>,
}

/// What it may take: the algebra that comes after needs some, too.
const WORK: u64 = 100_000;
/// At how many places a change of sign is looked for.
const SIGNS: usize = 12;
/// Discriminants of discriminants, up to here.
const MAX_DEPTH: usize = 8;

impl Field {
    /// Whether a polynomial changes no sign, as far as can be seen.
    pub(crate) fn semidefinite(&self, p: &Polynomial) -> Option<Semidefinite> {
        self.work().within(WORK, || self.semidefinite_at(p, 0))
    }

    /// The sign of something that vanishes nowhere.
    pub(crate) fn strict_sign(&self, p: &Polynomial) -> Option<bool> {
        self.semidefinite(p).filter(|s| s.zeros.is_empty()).map(|s| s.positive)
    }

    fn semidefinite_at(&self, p: &Polynomial, depth: usize) -> Option<Semidefinite> {
        let work = &self.work();
        if p.is_zero() || depth > MAX_DEPTH {
            return None;
        }
        if let Some(found) = self.by_terms(p) {
            return Some(found);
        }
        let strict = |positive| Semidefinite { positive, zeros: vec![] };
        if p.unknowns().iter().all(|&v| self.is_number(v)) {
            return self.sign_of_number(p).map(strict);
        }
        if self.changes_sign(p) {
            return None;
        }
        if let Some(positive) = self.without_zeros(p) {
            return Some(strict(positive));
        }
        let parts = factors(p, work)?;
        match parts.as_slice() {
            [(one, 1)] => self.by_square(one, depth).map(|found| {
                // The factor has a leading coefficient of its own sign.
                let kept = p.0.last_key_value().map(|t| *t.1 > 0) == one.0.last_key_value().map(|t| *t.1 > 0);
                Semidefinite { positive: found.positive == kept, ..found }
            }),
            _ => self.by_factors(p, &parts, depth),
        }
    }

    /// Whether it has both signs at some integers that have the signs which are known.
    fn changes_sign(&self, p: &Polynomial) -> bool {
        let mut random = Random::default();
        let mut next = |v: u32| {
            let size = 1 + (5.0 * random.uniform()) as i128;
            match self.sign(v) {
                Some(Sign::Positive | Sign::NonNegative) => size,
                Some(Sign::Negative | Sign::NonPositive) => -size,
                Some(Sign::NonZero) | None if random.uniform() < 0.5 => -size,
                Some(Sign::NonZero) | None => size,
            }
        };
        let unknowns = p.unknowns();
        let (mut positive, mut negative) = (false, false);
        for _ in 0..SIGNS {
            let at: BTreeMap<u32, i128> = unknowns.iter().map(|&v| (v, next(v))).collect();
            let value = p.0.iter().try_fold(0i128, |sum, (m, &c)| {
                let powers = m.0.iter().try_fold(c, |t, (v, k)| t.checked_mul(at.get(v)?.checked_pow(*k)?));
                sum.checked_add(powers?)
            });
            let value = value.unwrap_or(0);
            (positive, negative) = (positive || value > 0, negative || value < 0);
        }
        positive && negative
    }

    /// A sum of terms of one sign, each made of squares and of factors with known signs.
    fn by_terms(&self, p: &Polynomial) -> Option<Semidefinite> {
        let strict = self.definite(p)?;
        let positive = self.leading_sign(p)?;
        let mut zeros = vec![];
        for m in p.0.keys().filter(|_| !strict) {
            let open = m.0.iter().filter(|(v, _)| !self.is_nonzero(*v)).map(|&(v, _)| (v, 1)).collect();
            zeros.push(Polynomial::monomial(Monomial(open), 1));
        }
        Some(Semidefinite { positive, zeros })
    }

    /// A product: the zeros are those of all its factors together, so that only one of them may have several.
    fn by_factors(&self, p: &Polynomial, parts: &[(Polynomial, u32)], depth: usize) -> Option<Semidefinite> {
        let work = &self.work();
        let product = parts.iter().try_fold(Polynomial::one(), |all, (f, k)| all.times(&f.power(*k, work)?, work))?;
        let number = p.over(&product, work)?.as_constant()?;
        let (mut positive, mut either, mut all) = (number > 0, Polynomial::one(), vec![]);
        for (f, k) in parts {
            let own = self.semidefinite_at(f, depth + 1);
            match (own, k % 2 == 0) {
                (Some(own), even) => {
                    positive = positive == (own.positive || even);
                    match own.zeros.as_slice() {
                        [] => {}
                        [one] => either = either.times(one, work)?,
                        several => all.push(several.to_vec()),
                    }
                }
                (None, true) => either = either.times(f, work)?,
                (None, false) => return None,
            }
        }
        let zeros = match (either.is_one(), all.pop()) {
            (true, None) => vec![],
            (false, None) => vec![either],
            (true, Some(several)) if all.is_empty() => several,
            _ => return None,
        };
        Some(Semidefinite { positive, zeros })
    }

    fn by_square(&self, p: &Polynomial, depth: usize) -> Option<Semidefinite> {
        let work = &self.work();
        for v in p.unknowns().into_iter().filter(|&v| !self.is_parameter(v)) {
            let Some(Quadratic { lead, slope, discriminant }) = Quadratic::new(p, v, work) else { continue };
            if !self.only_parameters(&lead) {
                continue;
            }
            let Some(positive) = self.strict_sign(&lead) else { continue };
            if discriminant.is_zero() {
                return Some(Semidefinite { positive, zeros: vec![slope] });
            }
            match self.semidefinite_at(&discriminant, depth + 1) {
                Some(below) if !below.positive => {
                    let mut zeros = below.zeros;
                    if !zeros.is_empty() {
                        let number = content(&slope).max(1);
                        zeros.insert(0, slope.over(&Polynomial::constant(number), work)?);
                    }
                    return Some(Semidefinite { positive, zeros });
                }
                _ => {}
            }
        }
        None
    }

    /// The sign of a term of something whose terms have one sign.
    fn leading_sign(&self, p: &Polynomial) -> Option<bool> {
        use cotangent_model::Sign::{Negative, NonPositive};
        let (m, &c) = p.0.last_key_value()?;
        let turns = |(v, k): &&(u32, u32)| k % 2 == 1 && matches!(self.sign(*v), Some(Negative | NonPositive));
        Some((c > 0) == (m.0.iter().filter(turns).count() % 2 == 0))
    }

    fn is_nonzero(&self, v: u32) -> bool {
        use cotangent_model::Sign::{Negative, NonZero, Positive};
        matches!(self.sign(v), Some(Positive | Negative | NonZero))
    }
}
