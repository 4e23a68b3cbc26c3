//! Surfaces that fall apart though none of their constraints does.
//!
//! Where x z = y² and x u = y z, so does z (x u) = u (x z), that is y (u y − z²) = 0: remainders of divisions vanish on the whole
//! surface, and may be products. A factor belongs to a part of its own if it vanishes all around a regular point where
//! the others do not.

use crate::algebra::{Polynomial, factors, pseudo_remainder};
use crate::error::AnalysisError;
use crate::rank::{Rank, rank};
use crate::surface::KnownSurface;
use crate::weighed::Weighed;
use cotangent_expr::Expr;

/// With more constraints remainders are not formed; the largest number of them, and the work granted for that.
const MAX_CONSTRAINTS: usize = 16;
const MAX_REMAINDERS: usize = 60;
const PRODUCTS: u64 = 1_000_000;
/// Only so many products are looked at.
const MAX_PRODUCTS: usize = 4;
/// How many points of a part are looked for, and how often beside each.
const POINTS: usize = 4;
const BESIDE: usize = 2;

impl KnownSurface {
    /// The factors that vanish somewhere on the surface, if two of them at least do on parts of their own; and whether each
    /// of the others is shown to vanish nowhere.
    pub(crate) fn pieces(&mut self) -> Result<Option<(Vec<Expr>, bool)>, AnalysisError> {
        if !self.is_symbolic() || self.polynomials.len() < 2 || self.polynomials.len() > MAX_CONSTRAINTS {
            return Ok(None);
        }
        let products = self.field.work().within(PRODUCTS, || self.products());
        for product in products {
            let Some(all) = product.iter().map(|p| self.field.sum(p)).collect::<Option<Vec<Expr>>>() else { continue };
            let (mut parts, mut sure, mut complete) = (vec![], 0, true);
            for k in 0..all.len() {
                // Two parts at least are needed.
                if sure + all.len() - k < 2 {
                    break;
                }
                match self.is_part(k, &all)? {
                    Some(own) => {
                        parts.push(all[k].clone());
                        sure += usize::from(own);
                    }
                    None => complete = complete && self.is_empty(&product[k]),
                }
            }
            // Sheets that do not meet are regular together.
            let sheets = complete && sure == parts.len() && self.are_disjoint(&parts);
            if sure > 1 && !sheets {
                return Ok(Some((parts, complete)));
            }
        }
        Ok(None)
    }

    /// Products that vanish on the surface, as the factors that may vanish: the shortest first.
    fn products(&self) -> Vec<Vec<Polynomial>> {
        let work = &self.field.work();
        let mut known = self.polynomials.clone();
        let (mut looked, mut k, mut out) = (0, 0, vec![]);
        while k < known.len() && looked < MAX_REMAINDERS {
            for j in 0..k {
                let (f, g) = (known[j].clone(), known[k].clone());
                let shared = f.unknowns().into_iter().filter(|&v| !self.field.is_parameter(v) && g.degree(v) > 0);
                for v in shared {
                    looked += 1;
                    let (high, low) = if f.degree(v) >= g.degree(v) { (&f, &g) } else { (&g, &f) };
                    let rest = pseudo_remainder(high, low, v, work).and_then(|r| self.field.reduce_with(r.0, &[]));
                    let Some((rest, _)) = rest.filter(|(rest, _)| !rest.is_zero()) else { continue };
                    let Some(all) = factors(&rest, work) else { continue };
                    let all: Vec<_> = all.into_iter().map(|f| f.0).filter(|f| !self.cannot_vanish(f)).collect();
                    if all.len() > 1 {
                        out.push(all);
                    } else if looked < MAX_REMAINDERS && !known.contains(&rest) {
                        known.push(rest);
                    }
                }
            }
            k += 1;
        }
        out.sort_by_key(|all| all.iter().map(|f| f.0.len()).sum::<usize>());
        out.dedup();
        out.truncate(MAX_PRODUCTS);
        out
    }

    /// Whether one of the factors vanishes all around a regular point of the surface where the others do not; `None` if no
    /// point was found where it does.
    fn is_part(&mut self, k: usize, all: &[Expr]) -> Result<Option<bool>, AnalysisError> {
        let (constraints, gradients) = self.sampled.clone();
        let points = self.sampler.surface_where(&all[k], &constraints, &gradients, POINTS)?;
        if points.is_empty() {
            return Ok(None);
        }
        let rows = self.sampler.rows(&gradients, self.sampler.width(), &points)?;
        for (point, rows) in points.into_iter().zip(rows) {
            if rank(&rows) != Rank::Clear(rows.len()) {
                continue;
            }
            let near = self.sampler.near(&vec![point; BESIDE], &constraints, &gradients)?;
            let values = self.sampler.values(all, &near)?;
            let own = |v: &Vec<Weighed>| (0..all.len()).all(|j| Weighed::vanishes(v[j]) == Some(j == k));
            if near.len() == BESIDE && values.iter().all(own) {
                return Ok(Some(true));
            }
        }
        Ok(Some(false))
    }
}
