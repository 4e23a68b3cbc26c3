//! Tensors: sums of terms, each repeated over a domain of integer points.

use crate::array::Array;
use crate::digest::{Digest, Hasher};
use crate::domain::Domain;
use crate::error::{Error, MAX_POINTS};
use crate::expr::Expr;
use crate::index::{Dim, Ix, flat_position};
use crate::layout::Layout;
use std::collections::HashMap;
use std::sync::Arc;

/// An element of an array, named by index expressions.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Place {
    /// The array.
    pub array: Array,
    /// The multi-index.
    pub index: Vec<Ix>,
}

impl Place {
    /// The place that a leaf expression reads.
    pub(crate) fn of(leaf: &Expr) -> Option<Place> {
        match leaf.node() {
            crate::Node::At(array, index) => Some(Place { array: array.clone(), index: index.clone() }),
            _ => None,
        }
    }

    pub(crate) fn substitute(&self, by: &[Ix]) -> Place {
        Place { array: self.array.clone(), index: self.index.iter().map(|i| i.substitute(by)).collect() }
    }

    /// The flat position inside its array for given loop variables.
    pub fn position(&self, vars: &[i64]) -> Option<usize> {
        let index: Option<Vec<i64>> = self.index.iter().map(|i| i.eval(vars)).collect();
        flat_position(self.array.dims(), &index?)
    }
}

/// For each point of `domain`: add `value` to the entry at `at`.
#[derive(Clone, Debug)]
pub struct Term {
    /// The points.
    pub domain: Domain,
    /// One place per slot of the tensor.
    pub at: Vec<Place>,
    /// What is added, an expression in the variables of the domain.
    pub value: Expr,
}

impl Term {
    /// A term without loop variables.
    pub fn plain(at: Vec<Place>, value: Expr) -> Term {
        Term { domain: Domain::point(), at, value }
    }
}

/// A tensor: rank 0 an energy, 1 constraints or a gradient, 2 a Jacobian, a bracket or a Hessian.
///
/// Entries are sums of terms; an entry that no term addresses is zero, so the set of addresses is
/// the sparsity pattern. Terms with the same domain and places are merged.
#[derive(Clone, Debug)]
pub struct Tensor(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    shape: Vec<Layout>,
    terms: Vec<Term>,
    digest: Digest,
    depth: u32,
}

impl Tensor {
    /// A tensor from its terms. Fails if a value is poisoned, a place is not in its slot's layout
    /// or an index leaves its array.
    pub fn new(shape: Vec<Layout>, terms: Vec<Term>) -> Result<Tensor, Error> {
        for term in &terms {
            if let Some(p) = term.value.poisoned() {
                return Err(p.into());
            }
            if term.at.len() != shape.len() {
                return Err(Error::Rank { what: "a term", expected: shape.len(), found: term.at.len() });
            }
            term.domain.check()?;
            let unbound = |free: u64| free.checked_shr(term.domain.arity() as u32).unwrap_or(0) != 0;
            if unbound(term.value.free()) || term.at.iter().flat_map(|p| &p.index).any(|i| unbound(i.free())) {
                return Err(Error::Unbound);
            }
            for (slot, (place, layout)) in term.at.iter().zip(&shape).enumerate() {
                if layout.offset(&place.array).is_none() {
                    return Err(Error::Misplaced { array: place.array.name().into(), slot });
                }
                check_range(&term.domain, place)?;
            }
            for leaf in term.value.leaves() {
                if let Some(place) = Place::of(&leaf) {
                    check_range(&term.domain, &place)?;
                }
            }
        }
        Ok(Tensor::unchecked(shape, terms))
    }

    /// Merges terms; for terms that are in range because they were derived from such.
    pub(crate) fn unchecked(shape: Vec<Layout>, terms: Vec<Term>) -> Tensor {
        let mut merged: Vec<Term> = vec![];
        let mut values: Vec<Vec<Expr>> = vec![];
        let mut seen: HashMap<Digest, usize> = HashMap::new();
        for term in terms {
            if term.value.is_zero() || term.domain.hull().is_none() {
                continue;
            }
            let mut h = Hasher::new(0x74).digest(term.domain.digest());
            for p in &term.at {
                h = p.index.iter().fold(h.digest(p.array.digest()), |h, i| i.feed(h));
            }
            match seen.entry(h.finish()) {
                std::collections::hash_map::Entry::Occupied(k) => values[*k.get()].push(term.value),
                std::collections::hash_map::Entry::Vacant(slot) => {
                    slot.insert(merged.len());
                    values.push(vec![term.value.clone()]);
                    merged.push(term);
                }
            }
        }
        for (term, values) in merged.iter_mut().zip(values) {
            if values.len() > 1 {
                term.value = Expr::sum(values);
            }
        }
        merged.retain(|t| !t.value.is_zero());
        let mut h = Hasher::new(0x54);
        for layout in &shape {
            h = h.digest(layout.digest());
        }
        for t in &merged {
            h = h.digest(t.domain.digest()).digest(t.value.digest());
            for p in &t.at {
                h = p.index.iter().fold(h.digest(p.array.digest()), |h, i| i.feed(h));
            }
        }
        let depth = merged.iter().map(|t| t.value.depth()).max().unwrap_or(0);
        Tensor(Arc::new(Inner { shape, terms: merged, digest: h.finish(), depth }))
    }

    /// The tensor whose entries are all zero.
    pub fn zero(shape: Vec<Layout>) -> Tensor {
        Tensor::unchecked(shape, vec![])
    }

    /// The tensor of rank 0 with this value.
    pub fn scalar(value: Expr) -> Result<Tensor, Error> {
        Tensor::new(vec![], vec![Term::plain(vec![], value)])
    }

    /// A vector over `0..values.len()`, named for messages.
    pub fn vector(name: &str, values: Vec<Expr>) -> Result<Tensor, Error> {
        let rows = rows(name, values.len());
        let terms = values.into_iter().enumerate().map(|(k, v)| Term::plain(vec![entry(&rows, k)], v)).collect();
        Tensor::new(vec![Layout::new(vec![rows])], terms)
    }

    /// A square matrix over `0..n` × `0..n` from its rows, named for messages.
    pub fn matrix(name: &str, values: Vec<Vec<Expr>>) -> Result<Tensor, Error> {
        let rows = rows(name, values.len());
        let mut terms = vec![];
        for (i, row) in values.into_iter().enumerate() {
            for (j, v) in row.into_iter().enumerate() {
                terms.push(Term::plain(vec![entry(&rows, i), entry(&rows, j)], v));
            }
        }
        let layout = Layout::new(vec![rows]);
        Tensor::new(vec![layout.clone(), layout], terms)
    }

    /// What the slots index.
    pub fn shape(&self) -> &[Layout] {
        &self.0.shape
    }

    /// The number of slots.
    pub fn rank(&self) -> usize {
        self.0.shape.len()
    }

    /// The terms.
    pub fn terms(&self) -> &[Term] {
        &self.0.terms
    }

    /// Whether every entry is zero.
    pub fn is_zero(&self) -> bool {
        self.0.terms.is_empty()
    }

    /// The content hash that identifies it.
    pub fn digest(&self) -> Digest {
        self.0.digest
    }

    pub(crate) fn depth(&self) -> u32 {
        self.0.depth
    }

    /// The sum of two tensors of the same shape.
    pub fn plus(&self, other: &Tensor) -> Result<Tensor, Error> {
        if self.shape() != other.shape() {
            return Err(Error::Rank { what: "a sum", expected: self.rank(), found: other.rank() });
        }
        Ok(Tensor::unchecked(self.0.shape.clone(), self.terms().iter().chain(other.terms()).cloned().collect()))
    }

    /// Every entry multiplied by an expression without loop variables.
    pub fn times(&self, factor: &Expr) -> Tensor {
        self.map(|value| factor * value)
    }

    /// The same places with other values.
    pub(crate) fn map(&self, f: impl Fn(&Expr) -> Expr) -> Tensor {
        let terms = self.terms().iter().map(|t| Term { value: f(&t.value), ..t.clone() }).collect();
        Tensor::unchecked(self.0.shape.clone(), terms)
    }

    /// The value of a tensor of rank 0 without loop variables.
    pub fn as_scalar(&self) -> Option<Expr> {
        match (self.rank(), self.terms()) {
            (0, []) => Some(Expr::zero()),
            (0, [t]) if t.domain.is_point() => Some(t.value.clone()),
            _ => None,
        }
    }

    /// The entry at constant multi-indices, as the sum of the terms that reach it.
    ///
    /// Meant for plain and expanded tensors: a family's term is searched point by point.
    pub fn entry(&self, at: &[(&Array, &[i64])]) -> Expr {
        let mut values = vec![];
        for t in self.terms() {
            if t.at.len() != at.len() || t.at.iter().zip(at).any(|(p, (a, _))| &p.array != *a) {
                continue;
            }
            t.domain.for_each(&mut |vars| {
                let hit = |(p, (_, index)): (&Place, &(&Array, &[i64]))| {
                    p.index.iter().zip(*index).all(|(i, k)| i.eval(vars) == Some(*k))
                };
                if t.at.iter().zip(at).all(hit) {
                    let by: Vec<Ix> = vars.iter().map(|&v| Ix::constant(v)).collect();
                    values.push(t.value.instantiate(&by));
                }
                true
            });
        }
        Expr::sum(values)
    }

    /// All entries, row-major over the slots: one for a scalar, the members of a vector in the order
    /// of its layout, the rows of a matrix one after the other.
    pub fn entries(&self) -> Vec<Expr> {
        let mut values: Vec<Vec<Expr>> = vec![vec![]; self.shape().iter().map(Layout::len).product()];
        for t in self.terms() {
            t.domain.for_each(&mut |vars| {
                let position = t.at.iter().zip(self.shape()).try_fold(0, |flat, (place, layout)| {
                    Some(flat * layout.len() + layout.offset(&place.array)? + place.position(vars)?)
                });
                if let Some(entry) = position.and_then(|k| values.get_mut(k)) {
                    let by: Vec<Ix> = vars.iter().map(|&v| Ix::constant(v)).collect();
                    entry.push(t.value.instantiate(&by));
                }
                true
            });
        }
        values.into_iter().map(Expr::sum).collect()
    }

    /// The same tensor with its slots as plain vectors `0..len`, as [`solve`](crate::solve) wants.
    pub fn flattened(&self, name: &str) -> Result<Tensor, Error> {
        let spaces: Vec<Array> = self.shape().iter().map(|l| rows(name, l.len())).collect();
        let flat = |t: &Term| {
            let at =
                t.at.iter()
                    .zip(self.shape())
                    .zip(&spaces)
                    .map(|((p, l), s)| Ok(Place { array: s.clone(), index: vec![l.flat_index(&p.array, &p.index)?] }));
            Ok(Term { at: at.collect::<Result<_, Error>>()?, ..t.clone() })
        };
        let terms = self.terms().iter().map(flat).collect::<Result<_, Error>>()?;
        Ok(Tensor::unchecked(spaces.into_iter().map(|s| Layout::new(vec![s])).collect(), terms))
    }

    /// A scalar as a vector over an array without dimensions.
    pub(crate) fn lifted(&self, space: &Array) -> Tensor {
        let at = vec![Place { array: space.clone(), index: vec![] }];
        let terms = self.terms().iter().map(|t| Term { at: at.clone(), ..t.clone() }).collect();
        Tensor::unchecked(vec![Layout::new(vec![space.clone()])], terms)
    }

    /// The number of term points, or an error beyond the limit.
    pub(crate) fn count_points(&self, what: &'static str) -> Result<u64, Error> {
        let mut points = 0u64;
        for t in self.terms() {
            points = points.saturating_add(t.domain.count(MAX_POINTS + 1));
            if points > MAX_POINTS {
                return Err(Error::TooLarge { what, limit: MAX_POINTS, unit: "points" });
            }
        }
        Ok(points)
    }
}

impl PartialEq for Tensor {
    fn eq(&self, other: &Self) -> bool {
        self.0.digest == other.0.digest
    }
}
impl Eq for Tensor {}

/// The index space `0..len` of a plain vector.
pub fn rows(name: &str, len: usize) -> Array {
    Array::given(name, crate::Role::Auxiliary, vec![Dim { first: 0, len }])
}

fn entry(rows: &Array, k: usize) -> Place {
    Place { array: rows.clone(), index: vec![Ix::constant(k as i64)] }
}

/// Checks that a place stays inside its array over the whole domain: by bounds, else point by point.
pub fn check_range(domain: &Domain, place: &Place) -> Result<(), Error> {
    let dims = place.array.dims();
    let out = |index: Vec<i64>| Error::OutOfRange { array: place.array.name().into(), index };
    if dims.len() != place.index.len() {
        return Err(out(vec![]));
    }
    let Some(hull) = domain.hull() else { return Ok(()) };
    let inside = |(d, i): (&Dim, &Ix)| i.bounds(&hull).is_some_and(|(a, b)| d.contains(a) && d.contains(b));
    if dims.iter().zip(&place.index).all(inside) {
        return Ok(());
    }
    if domain.count(MAX_POINTS + 1) > MAX_POINTS {
        return Err(Error::TooLarge { what: "checking index ranges", limit: MAX_POINTS, unit: "points" });
    }
    let mut bad = None;
    domain.for_each(&mut |vars| {
        if place.position(vars).is_none() {
            bad = Some(place.index.iter().map(|i| i.eval(vars).unwrap_or(i64::MIN)).collect());
        }
        bad.is_none()
    });
    bad.map_or(Ok(()), |index| Err(out(index)))
}
