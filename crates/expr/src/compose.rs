//! The chain rule for families: a term that reads an array, joined with the array's derivative.

use crate::domain::{Domain, Range};
use crate::error::{Error, MAX_POINTS};
use crate::expr::Expr;
use crate::index::Ix;
use crate::partials::Budget;
use crate::tensor::Term;
use std::collections::HashMap;

/// The points of `domain` combined with further constant or dependent ranges.
pub(crate) fn product(domain: &Domain, more: Vec<Range>) -> Result<Domain, Error> {
    Ok(match domain {
        Domain::Ranges(ranges) => Domain::Ranges(ranges.iter().cloned().chain(more).collect()),
        Domain::Points(points) => {
            let mut values = vec![];
            for point in points.values.chunks_exact(points.names.len()) {
                // The bounds of the further ranges may refer to this point.
                let own = (0..more.len()).map(|k| Ix::var(k as u8));
                let by: Vec<Ix> = point.iter().map(|&v| Ix::constant(v)).chain(own).collect();
                let here = |r: &Range| Range {
                    name: r.name.clone(),
                    low: r.low.substitute(&by),
                    high: r.high.substitute(&by),
                };
                Domain::Ranges(more.iter().map(here).collect()).for_each(&mut |extra| {
                    values.extend_from_slice(point);
                    values.extend_from_slice(extra);
                    values.len() as u64 <= MAX_POINTS
                });
                if values.len() as u64 > MAX_POINTS {
                    return Err(Error::TooLarge { what: "differentiation", limit: MAX_POINTS, unit: "points" });
                }
            }
            let names = points.names.iter().cloned().chain(more.into_iter().map(|r| r.name)).collect();
            match values.is_empty() {
                true => Domain::range("i", 1, 0),
                false => Domain::from_points(names, values),
            }
        }
    })
}

/// Terms whose slot 0 is one array, found by the element they address.
pub(crate) struct Partners {
    terms: Vec<Term>,
    /// Those that address one element.
    fixed: HashMap<Vec<i64>, Vec<usize>>,
    /// Those whose element depends on the point.
    moving: Vec<usize>,
}

impl Partners {
    pub(crate) fn new(terms: Vec<Term>) -> Partners {
        let (mut fixed, mut moving) = (HashMap::<_, Vec<usize>>::new(), vec![]);
        for (k, term) in terms.iter().enumerate() {
            match constant(&term.at[0].index) {
                Some(at) => fixed.entry(at).or_default().push(k),
                None => moving.push(k),
            }
        }
        Partners { terms, fixed, moving }
    }

    /// The terms that may address the element with an index, in their order.
    fn of(&self, index: &[Ix]) -> impl Iterator<Item = &Term> {
        let wanted: Vec<usize> = match constant(index) {
            None => (0..self.terms.len()).collect(),
            Some(at) => {
                let own = self.fixed.get(&at).into_iter().flatten();
                let mut all: Vec<usize> = own.chain(&self.moving).copied().collect();
                all.sort_unstable();
                all
            }
        };
        wanted.into_iter().map(|k| &self.terms[k])
    }
}

fn constant(index: &[Ix]) -> Option<Vec<i64>> {
    index.iter().map(Ix::as_constant).collect()
}

/// Σ over `inner`'s entries: outer.value · ∂array[index]/∂by, where slot 0 of `inner` is the array.
///
/// For each point of the outer domain and each point of an inner term that addresses the same
/// element, one product. Solved symbolically where the inner place is a list of distinct loop
/// variables (shifted), otherwise by matching points.
pub(crate) fn compose(outer: &Term, index: &[Ix], inner: &Partners, budget: &mut Budget) -> Result<Vec<Term>, Error> {
    let mut out = vec![];
    for term in inner.of(index) {
        budget.spend(1)?;
        match substitution(outer, index, term) {
            Some(Join::Never) => {}
            Some(Join::Always(domain, free, by)) => {
                let domain = product(&domain, free)?;
                let at = outer.at.iter().cloned().chain(term.at[1..].iter().map(|p| p.substitute(&by))).collect();
                out.push(Term { domain, at, value: &outer.value * term.value.instantiate(&by) });
            }
            None => out.extend(matched(outer, index, term)?),
        }
    }
    Ok(out)
}

enum Join {
    Never,
    /// The outer points that have partners, further ranges, and the inner variables.
    Always(Domain, Vec<Range>, Vec<Ix>),
}

/// Expresses the inner loop variables by the outer ones, if that is possible for every point.
fn substitution(outer: &Term, index: &[Ix], inner: &Term) -> Option<Join> {
    let Domain::Ranges(ranges) = &inner.domain else { return None };
    let mut domain = outer.domain.clone();
    let mut hull = domain.hull()?;
    let mut bound: Vec<Option<Ix>> = vec![None; ranges.len()];
    for (own, wanted) in inner.at[0].index.iter().zip(index) {
        match (own.as_constant(), own.as_shifted_var()) {
            (Some(a), _) => match wanted.as_constant() {
                Some(b) if a == b => {}
                Some(_) => return Some(Join::Never),
                None => return None,
            },
            (None, Some((v, shift))) => {
                let slot = bound.get_mut(v as usize)?;
                if slot.is_some() {
                    return None;
                }
                *slot = Some(wanted.shifted(-shift));
            }
            _ => return None,
        }
    }
    let arity = outer.domain.arity();
    let mut free = vec![];
    let mut by: Vec<Ix> = vec![];
    for (r, b) in ranges.iter().zip(&bound) {
        match b {
            Some(ix) => {
                // The bound variable must stay in its range at every outer point.
                let (low, high) = (r.low.as_constant()?, r.high.as_constant()?);
                let (a, b) = ix.bounds(&hull)?;
                if b < low || a > high {
                    return Some(Join::Never);
                }
                if a < low || b > high {
                    // Some points have no partner: shorten the outer range to those that have.
                    let (v, shift) = ix.as_shifted_var()?;
                    domain = restricted(&domain, v as usize, low.checked_sub(shift)?, high.checked_sub(shift)?)?;
                    match domain.hull() {
                        Some(smaller) => hull = smaller,
                        None => return Some(Join::Never),
                    }
                }
                by.push(ix.clone());
            }
            None => {
                let (low, high) = (r.low.substitute(&by), r.high.substitute(&by));
                by.push(Ix::var(u8::try_from(arity + free.len()).ok()?));
                free.push(Range { name: r.name.clone(), low, high });
            }
        }
    }
    Some(Join::Always(domain, free, by))
}

/// The points with variable `v` in a range, if `v` has constant bounds and no other bound depends
/// on it.
fn restricted(domain: &Domain, v: usize, low: i64, high: i64) -> Option<Domain> {
    let Domain::Ranges(ranges) = domain else { return None };
    let mut ranges = ranges.clone();
    if ranges.iter().any(|r| (r.low.free() | r.high.free()) >> v & 1 == 1) {
        return None;
    }
    let r = ranges.get_mut(v)?;
    r.low = Ix::constant(r.low.as_constant()?.max(low));
    r.high = Ix::constant(r.high.as_constant()?.min(high));
    Some(Domain::Ranges(ranges))
}

/// Joins point by point: the general case, at the cost of a list of points.
fn matched(outer: &Term, index: &[Ix], inner: &Term) -> Result<Vec<Term>, Error> {
    let too_large = || Error::TooLarge { what: "differentiation", limit: MAX_POINTS, unit: "points" };
    if outer.domain.count(MAX_POINTS + 1) > MAX_POINTS || inner.domain.count(MAX_POINTS + 1) > MAX_POINTS {
        return Err(too_large());
    }
    let mut addressed: HashMap<Vec<i64>, Vec<Vec<i64>>> = HashMap::new();
    inner.domain.for_each(&mut |vars| {
        if let Some(at) = inner.at[0].index.iter().map(|i| i.eval(vars)).collect::<Option<Vec<i64>>>() {
            addressed.entry(at).or_default().push(vars.to_vec());
        }
        true
    });
    let mut values = vec![];
    let arity = outer.domain.arity() + inner.domain.arity();
    let mut pairs = 0u64;
    outer.domain.for_each(&mut |vars| {
        let at = index.iter().map(|i| i.eval(vars)).collect::<Option<Vec<i64>>>();
        for partner in at.and_then(|at| addressed.get(&at)).into_iter().flatten() {
            values.extend_from_slice(vars);
            values.extend_from_slice(partner);
            pairs += 1;
        }
        pairs <= MAX_POINTS
    });
    if pairs > MAX_POINTS {
        return Err(too_large());
    }
    if pairs == 0 {
        return Ok(vec![]);
    }
    let shift = outer.domain.arity();
    let by: Option<Vec<Ix>> = (0..inner.domain.arity()).map(|v| u8::try_from(shift + v).ok().map(Ix::var)).collect();
    let by = by.ok_or_else(too_large)?;
    let at = outer.at.iter().cloned().chain(inner.at[1..].iter().map(|p| p.substitute(&by))).collect();
    let value: Expr = &outer.value * inner.value.instantiate(&by);
    let names = outer.domain.names().into_iter().chain(inner.domain.names()).collect();
    let domain = if arity == 0 { Domain::point() } else { Domain::from_points(names, values) };
    Ok(vec![Term { domain, at, value }])
}
