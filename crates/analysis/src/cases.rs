//! Proofs by cases: F vanishes on a surface if it does where what is divided by does not vanish, and where it does.
//!
//! On x z = y², x u = y z, eliminating z and u shows that x (y u − z²) vanishes. Where x does not, y u − z² does; x = 0 is a
//! case of its own, in which y = 0 and z is free.

use crate::algebra::{Polynomial, Relation, factors};
use crate::error::AnalysisError;
use crate::rank::{Rank, rank};
use crate::surface::KnownSurface;
use cotangent_expr::Expr;
use std::cell::Cell;

/// The largest number of cases, and the work granted for all of them.
const MAX_CASES: usize = 60;
const CASES: u64 = 1_000_000;
/// How deep cases in which a divisor vanishes are followed.
const MAX_DIVISORS: usize = 4;
/// At so many divisors is looked, and at so many points of each.
const MAX_SPECIAL: usize = 4;
const SPECIAL: usize = 4;

impl KnownSurface {
    /// Whether it is shown that a polynomial vanishes on the whole surface.
    pub(crate) fn vanishes_in_all_cases(&self, f: &Polynomial) -> bool {
        let left = Cell::new(MAX_CASES);
        self.field.work().within(CASES, || self.shown_where(f, &[], &left)).is_some()
    }

    /// The same where divisors vanish.
    fn shown_where(&self, f: &Polynomial, divisors: &[Polynomial], left: &Cell<usize>) -> Option<()> {
        let open: Vec<Polynomial> = divisors.iter().chain(&self.polynomials).cloned().collect();
        self.shown(f, divisors, vec![], &open, left)
    }

    /// The same where relations hold and these vanish, too. Each is taken in turn as it is by the relations before it.
    fn shown(
        &self,
        f: &Polynomial,
        divisors: &[Polynomial],
        relations: Vec<Relation>,
        open: &[Polynomial],
        left: &Cell<usize>,
    ) -> Option<()> {
        left.set(left.get().checked_sub(1)?);
        let Some((first, others)) = open.split_first() else {
            let (rest, multiplier) = self.field.reduce_with(f.clone(), &relations)?;
            if !rest.is_zero() || divisors.len() == MAX_DIVISORS {
                return (rest.is_zero() && self.vanishing(&multiplier).is_empty()).then_some(());
            }
            return self.vanishing(&multiplier).into_iter().try_for_each(|p| {
                let again = divisors.contains(&p);
                if again { None } else { self.shown_where(f, &[divisors, &[p]].concat(), left) }
            });
        };
        let (rest, _) = self.field.reduce_with(first.clone(), &relations)?;
        if rest.is_zero() {
            return self.shown(f, divisors, relations, others, left);
        }
        self.vanishing(&rest).into_iter().try_for_each(|p| match self.field.semidefinite(&p) {
            Some(found) => self.shown(f, divisors, relations.clone(), &[&found.zeros, others].concat(), left),
            None => {
                let relation = Relation { unknown: self.main_unknown(&p)?, polynomial: p };
                self.shown(f, divisors, [relations.clone(), vec![relation]].concat(), others, left)
            }
        })
    }

    /// The factors of a polynomial that may vanish.
    pub(crate) fn vanishing(&self, p: &Polynomial) -> Vec<Polynomial> {
        let all = factors(p, &self.field.work()).unwrap_or_else(|| vec![(p.clone(), 1)]);
        all.into_iter().map(|f| f.0).filter(|f| !self.cannot_vanish(f)).collect()
    }

    /// Whether a factor surely does not vanish where the model is defined: one that is made of parameters, has a sign, or
    /// is divided by.
    pub(crate) fn cannot_vanish(&self, p: &Polynomial) -> bool {
        let below_root = |r: &Relation| r.polynomial.coefficients(r.unknown).last().is_some_and(|lead| lead == p);
        self.field.only_parameters(p)
            || self.field.strict_sign(p).is_some()
            || self.is_excluded(p)
            || self.field.relations().iter().any(below_root)
    }

    /// Whether an expression is not zero at a regular point of the surface where a factor of a multiplier vanishes.
    pub(crate) fn lasts_beside(&mut self, e: &Expr, multiplier: &Polynomial) -> Result<bool, AnalysisError> {
        for p in self.vanishing(multiplier).into_iter().take(MAX_SPECIAL) {
            let Some(divisor) = self.field.sum(&p) else { continue };
            if self.special.iter().all(|known| known.0 != divisor) {
                let (constraints, gradients) = &self.sampled;
                let points = self.sampler.surface_where(&divisor, constraints, gradients, SPECIAL)?;
                // Where gradients depend on each other parts meet, and what is so there is so on none of them.
                let rows = self.sampler.rows(gradients, self.sampler.width(), &points)?;
                let regular = points.into_iter().zip(rows).filter(|(_, rows)| rank(rows) == Rank::Clear(rows.len()));
                self.special.push((divisor.clone(), regular.map(|r| r.0).collect()));
            }
            let Some((_, points)) = self.special.iter().find(|known| known.0 == divisor) else { continue };
            let values = self.sampler.values(std::slice::from_ref(e), points)?;
            if values.iter().flatten().any(|x| x.vanishes() == Some(false)) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Whether a denominator vanishes nowhere but where another one does.
    pub(crate) fn divides_safely(&self, new: &Polynomial, old: &Polynomial) -> bool {
        let work = &self.field.work();
        self.vanishing(new).into_iter().all(|p| old.over(&p, work).is_some())
    }
}
