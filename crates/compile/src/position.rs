//! Where each term of a tensor is written: dense positions by formula, sparse ones by pattern.

use crate::error::CompileError;
use cotangent_expr::{Dim, Domain, Error, Ix, Layout, MAX_POINTS, Place, Table, Tensor, Term};
use cotangent_scalar::Limits;
use cotangent_solve::Pattern;

/// Terms with the position each writes to, in a vector of length `len`.
pub(crate) struct Positions {
    pub(crate) len: usize,
    pub(crate) terms: Vec<(Term, Ix)>,
}

impl Positions {
    /// The positions that no term writes, if none is written twice.
    pub(crate) fn unwritten(&self) -> Option<Vec<usize>> {
        let points = self.terms.iter().map(|(t, _)| t.domain.count(MAX_POINTS + 1)).fold(0, u64::saturating_add);
        if points > self.len as u64 {
            return None;
        }
        let mut seen = vec![false; self.len];
        let once = self.terms.iter().all(|(t, at)| {
            t.domain.for_each(&mut |vars| {
                let slot = at.eval(vars).and_then(|k| usize::try_from(k).ok()).and_then(|k| seen.get_mut(k));
                slot.is_some_and(|s| !std::mem::replace(s, true))
            })
        });
        once.then(|| (0..self.len).filter(|&k| !seen[k]).collect())
    }
}

/// The row-major position of a term's entry.
pub(crate) fn dense_position(t: &Tensor, term: &Term) -> Result<Ix, Error> {
    t.shape().iter().zip(&term.at).try_fold(Ix::constant(0), |flat, (layout, place)| {
        let own = layout.flat_index(&place.array, &place.index)?;
        Ok(flat.times(layout.len() as i64).plus(&own))
    })
}

/// A matrix's pattern and the position of each term in its values.
pub(crate) struct Sparse {
    pub(crate) pattern: Pattern,
    pub(crate) positions: Positions,
}

pub(crate) fn sparse_positions(t: &Tensor, limits: &Limits) -> Result<Sparse, CompileError> {
    if t.rank() != 2 {
        return Err(Error::Rank { what: "a sparse matrix", expected: 2, found: t.rank() }.into());
    }
    let total: u64 = t.terms().iter().map(|t| t.domain.count(MAX_POINTS + 1)).fold(0, u64::saturating_add);
    if total > MAX_POINTS {
        return Err(Error::TooLarge { what: "a sparsity pattern", limit: MAX_POINTS, unit: "points" }.into());
    }
    let (rows, columns) = (&t.shape()[0], &t.shape()[1]);
    let mut entries: Vec<(u32, u32)> = Vec::with_capacity(total as usize);
    for term in t.terms() {
        let (r, c) = (offset(rows, &term.at[0])?, offset(columns, &term.at[1])?);
        let inside = term.domain.for_each(&mut |vars| {
            let (Some(i), Some(j)) = (term.at[0].position(vars), term.at[1].position(vars)) else { return false };
            entries.push(((r + i) as u32, (c + j) as u32));
            !entries.len().is_multiple_of(1 << 16) || limits.check().is_ok()
        });
        limits.check()?;
        if !inside {
            return Err(Error::OutOfRange { array: term.at[0].array.name().into(), index: vec![] }.into());
        }
    }
    let pattern = Pattern::new(rows.len(), columns.len(), &entries).map_err(|e| system_error(rows, e))?;
    let mut terms = vec![];
    let mut next = entries.iter();
    for term in t.terms() {
        let mut positions = vec![];
        // One entry was pushed for each point, and each is in the pattern.
        term.domain.for_each(&mut |_| {
            let at = next.next().and_then(|&(i, j)| pattern.position(i as usize, j as usize));
            positions.extend(at.map(|at| at as i64));
            at.is_some()
        });
        terms.push(indexed(term, positions));
    }
    let len = pattern.len();
    Ok(Sparse { pattern, positions: Positions { len, terms } })
}

fn system_error(rows: &Layout, cause: impl std::error::Error + Send + Sync + 'static) -> CompileError {
    let name = rows.arrays().iter().map(|a| a.name()).collect::<Vec<_>>().join(", ");
    CompileError::system(name, cause)
}

fn offset(layout: &Layout, place: &Place) -> Result<usize, Error> {
    layout.offset(&place.array).ok_or_else(|| Error::Foreign { array: place.array.name().into() })
}

/// The positions of a term, one for each point of its domain, as an index: affine if they are,
/// otherwise from a table.
fn indexed(term: &Term, positions: Vec<i64>) -> (Term, Ix) {
    if let Some(ix) = affine(&term.domain, &positions) {
        return (term.clone(), ix);
    }
    if let Domain::Ranges(ranges) = &term.domain
        && let [r] = ranges.as_slice()
        && let Some(first) = r.low.as_constant()
        && let Some(table) = Table::new("position", vec![Dim { first, len: positions.len() }], positions.clone())
    {
        return (term.clone(), Ix::table(table, vec![Ix::var(0)]));
    }
    // Any other domain: as points, with the position as one more variable.
    let arity = term.domain.arity();
    let mut values = Vec::with_capacity(positions.len() * (arity + 1));
    let mut next = positions.iter();
    term.domain.for_each(&mut |vars| {
        values.extend_from_slice(vars);
        values.extend(next.next());
        true
    });
    let names = term.domain.names().into_iter().chain(["position".into()]).collect();
    let domain = Domain::from_points(names, values);
    (Term { domain, ..term.clone() }, Ix::var(arity as u8))
}

/// An affine index with these values at the points of a domain, if there is one.
fn affine(domain: &Domain, positions: &[i64]) -> Option<Ix> {
    let arity = domain.arity();
    let mut points: Vec<Vec<i64>> = vec![];
    let mut first: Option<(Vec<i64>, i64)> = None;
    let mut slope: Vec<Option<i64>> = vec![None; arity];
    let mut k = 0;
    // Slopes from the first pair of points that differ in one variable only.
    domain.for_each(&mut |vars| {
        let value = positions[k];
        k += 1;
        if first.is_none() {
            first = Some((vars.to_vec(), value));
        }
        for (base, base_value) in points.iter().map(|p| (&p[..arity], p[arity])) {
            let moved: Vec<usize> = (0..arity).filter(|&v| base[v] != vars[v]).collect();
            if let [v] = moved[..]
                && slope[v].is_none()
            {
                let (rise, run) = (value - base_value, vars[v] - base[v]);
                slope[v] = (rise % run == 0).then(|| rise / run).or(Some(0));
            }
        }
        if points.len() < 4 {
            points.push(vars.iter().copied().chain([value]).collect());
        }
        k < 4096 && slope.iter().any(Option::is_none)
    });
    let (base, value) = first?;
    let mut ix = Ix::constant(value);
    for v in 0..arity {
        let s = slope[v].unwrap_or(0);
        ix = ix.plus(&Ix::var(v as u8).shifted(-base[v]).times(s));
    }
    let mut k = 0;
    let all = domain.for_each(&mut |vars| {
        k += 1;
        ix.eval(vars) == Some(positions[k - 1])
    });
    all.then_some(ix)
}
