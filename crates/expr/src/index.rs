//! Integer index expressions: affine in loop variables, in entries of integer tables, and in
//! `mod` and `floor` of such.

use crate::digest::{Digest, Hasher};
use std::sync::Arc;

/// One dimension of an array or table: its first index and its length.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct Dim {
    /// The smallest index.
    pub first: i64,
    /// How many indices there are.
    pub len: usize,
}

impl Dim {
    /// The largest index (less than `first` if empty).
    pub fn last(self) -> i64 {
        self.first.saturating_add(i64::try_from(self.len).unwrap_or(i64::MAX)).saturating_sub(1)
    }

    /// Whether `i` is one of the indices.
    pub fn contains(self, i: i64) -> bool {
        i >= self.first && i <= self.last()
    }
}

/// The position of a multi-index in row-major order, or `None` outside.
pub fn flat_position(dims: &[Dim], index: &[i64]) -> Option<usize> {
    let mut at = 0usize;
    for (d, &i) in dims.iter().zip(index) {
        if !d.contains(i) {
            return None;
        }
        at = at * d.len + (i - d.first) as usize;
    }
    (dims.len() == index.len()).then_some(at)
}

/// A family of integers, known when the model is read: `param parent[i in 2..n] : int = …`.
#[derive(Clone, Debug)]
pub struct Table(Arc<TableData>);

#[derive(Debug)]
struct TableData {
    name: String,
    dims: Vec<Dim>,
    values: Vec<i64>,
    digest: Digest,
}

impl Table {
    /// A table with one value per point of `dims`, row-major.
    ///
    /// Returns `None` if the number of values does not fit the dimensions.
    pub fn new(name: &str, dims: Vec<Dim>, values: Vec<i64>) -> Option<Table> {
        if dims.iter().map(|d| d.len).product::<usize>() != values.len() {
            return None;
        }
        let mut h = Hasher::new(0x7461).text(name);
        for d in &dims {
            h = h.word(d.first as u64).word(d.len as u64);
        }
        for &v in &values {
            h = h.word(v as u64);
        }
        Some(Table(Arc::new(TableData { name: name.into(), dims, values, digest: h.finish() })))
    }

    /// The name it was declared with.
    pub fn name(&self) -> &str {
        &self.0.name
    }

    /// The dimensions.
    pub fn dims(&self) -> &[Dim] {
        &self.0.dims
    }

    /// The values, row-major.
    pub fn values(&self) -> &[i64] {
        &self.0.values
    }

    /// The value at a multi-index, or `None` outside.
    pub fn get(&self, index: &[i64]) -> Option<i64> {
        flat_position(&self.0.dims, index).and_then(|k| self.0.values.get(k).copied())
    }
}

impl PartialEq for Table {
    fn eq(&self, other: &Self) -> bool {
        self.0.digest == other.0.digest
    }
}
impl Eq for Table {}
impl PartialOrd for Table {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}
impl Ord for Table {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.0.name.cmp(&other.0.name).then(self.0.digest.cmp(&other.0.digest))
    }
}

/// The deepest nesting of tables, `mod` and `floor` in an index.
const MAX_DEPTH: u16 = 200;

/// What an index is affine in.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Atom {
    /// A loop variable of the enclosing [`Domain`](crate::Domain), by position.
    Var(u8),
    /// An entry of an integer table.
    Table(Table, Vec<Ix>),
    /// The remainder in `0..modulus` (the modulus is positive).
    Mod(Box<Ix>, i64),
    /// The quotient by a positive integer, rounded down.
    Floor(Box<Ix>, i64),
}

/// An index: `offset + Σ coefficient · atom`.
///
/// Closed under substitution of indices for variables, so families can be nested and shifted.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub struct Ix {
    terms: Vec<(Atom, i64)>,
    offset: i64,
    /// How deeply tables, `mod` and `floor` are nested.
    depth: u16,
}

impl From<i64> for Ix {
    fn from(k: i64) -> Ix {
        Ix::constant(k)
    }
}

impl From<&Ix> for Ix {
    fn from(i: &Ix) -> Ix {
        i.clone()
    }
}

/// `i + 1`, saturating.
impl std::ops::Add<i64> for &Ix {
    type Output = Ix;
    fn add(self, shift: i64) -> Ix {
        self.shifted(shift)
    }
}

/// `i - 1`, saturating.
impl std::ops::Sub<i64> for &Ix {
    type Output = Ix;
    fn sub(self, shift: i64) -> Ix {
        self.shifted(shift.saturating_neg())
    }
}

impl From<Atom> for Ix {
    fn from(atom: Atom) -> Ix {
        Ix::atom(atom)
    }
}

impl Ix {
    /// A constant index.
    pub fn constant(offset: i64) -> Ix {
        Ix { terms: vec![], offset, depth: 0 }
    }

    /// What an index nested deeper than [`MAX_DEPTH`] becomes: outside every array, and no number.
    fn undefined() -> Ix {
        Ix::constant(i64::MIN)
    }

    /// Whether this is the result of an overflow or of too deep a nesting.
    pub fn is_undefined(&self) -> bool {
        self.as_constant().is_some_and(|c| c.unsigned_abs() > 1 << 62)
    }

    /// The loop variable at position `v`.
    pub fn var(v: u8) -> Ix {
        Ix::atom(Atom::Var(v))
    }

    /// An entry of a table.
    pub fn table(table: Table, at: Vec<Ix>) -> Ix {
        let constant: Option<Vec<i64>> = at.iter().map(Ix::as_constant).collect();
        match constant.and_then(|at| table.get(&at)) {
            Some(value) => Ix::constant(value),
            None => Ix::atom(Atom::Table(table, at)),
        }
    }

    /// The remainder by a positive modulus; `None` if it is not positive.
    pub fn modulo(self, modulus: i64) -> Option<Ix> {
        (modulus > 0).then(|| match self.as_constant() {
            Some(_) if self.is_undefined() => self,
            Some(c) => Ix::constant(c.rem_euclid(modulus)),
            None => Ix::atom(Atom::Mod(Box::new(self), modulus)),
        })
    }

    /// The quotient by a positive divisor, rounded down; `None` if it is not positive.
    pub fn floor_div(self, divisor: i64) -> Option<Ix> {
        (divisor > 0).then(|| match self.as_constant() {
            Some(_) if self.is_undefined() => self,
            Some(c) => Ix::constant(c.div_euclid(divisor)),
            None if divisor == 1 => self,
            None => Ix::atom(Atom::Floor(Box::new(self), divisor)),
        })
    }

    fn atom(a: Atom) -> Ix {
        let depth = match &a {
            Atom::Var(_) => 0,
            Atom::Table(_, at) => at.iter().map(|i| i.depth).max().unwrap_or(0),
            Atom::Mod(i, _) | Atom::Floor(i, _) => i.depth,
        };
        if depth >= MAX_DEPTH { Ix::undefined() } else { Ix { terms: vec![(a, 1)], offset: 0, depth: depth + 1 } }
    }

    /// `self + other`, saturating.
    pub fn plus(&self, other: &Ix) -> Ix {
        let mut terms = self.terms.clone();
        for (atom, c) in &other.terms {
            match terms.binary_search_by(|(a, _)| a.cmp(atom)) {
                Ok(k) => terms[k].1 = terms[k].1.saturating_add(*c),
                Err(k) => terms.insert(k, (atom.clone(), *c)),
            }
        }
        terms.retain(|&(_, c)| c != 0);
        Ix { terms, offset: self.offset.saturating_add(other.offset), depth: self.depth.max(other.depth) }
    }

    /// `factor · self`, saturating.
    pub fn times(&self, factor: i64) -> Ix {
        if factor == 0 {
            return Ix::constant(0);
        }
        let terms = self.terms.iter().map(|(a, c)| (a.clone(), c.saturating_mul(factor))).collect();
        Ix { terms, offset: self.offset.saturating_mul(factor), depth: self.depth }
    }

    /// `self + shift`, saturating.
    pub fn shifted(&self, shift: i64) -> Ix {
        Ix { terms: self.terms.clone(), offset: self.offset.saturating_add(shift), depth: self.depth }
    }

    /// The constant part.
    pub fn offset(&self) -> i64 {
        self.offset
    }

    /// The atoms with their coefficients, in canonical order.
    pub fn terms(&self) -> &[(Atom, i64)] {
        &self.terms
    }

    /// The value, if it does not depend on anything.
    pub fn as_constant(&self) -> Option<i64> {
        self.terms.is_empty().then_some(self.offset)
    }

    /// The variable and the shift, if this is `variable + shift`.
    pub fn as_shifted_var(&self) -> Option<(u8, i64)> {
        match self.terms.as_slice() {
            [(Atom::Var(v), 1)] => Some((*v, self.offset)),
            _ => None,
        }
    }

    /// The value for given loop variables; `None` where a table is left, a variable is missing or the
    /// value overflows.
    pub fn eval(&self, vars: &[i64]) -> Option<i64> {
        let mut sum = self.offset;
        for (atom, c) in &self.terms {
            let value = match atom {
                Atom::Var(v) => *vars.get(*v as usize)?,
                Atom::Table(t, at) => {
                    let mut flat = 0;
                    for (i, d) in at.iter().zip(t.dims()) {
                        let k = i.eval(vars)?;
                        d.contains(k).then_some(())?;
                        flat = flat * d.len + (k - d.first) as usize;
                    }
                    *t.values().get(flat)?
                }
                Atom::Mod(i, m) => i.eval(vars)?.checked_rem_euclid(*m)?,
                Atom::Floor(i, d) => i.eval(vars)?.checked_div_euclid(*d)?,
            };
            sum = sum.checked_add(c.checked_mul(value)?)?;
        }
        Some(sum)
    }

    /// Bounds of the value when variable `v` lies in `hull[v]`; `None` if a table may be left.
    pub fn bounds(&self, hull: &[(i64, i64)]) -> Option<(i64, i64)> {
        self.bounds_where(hull, true)
    }

    /// Bounds of the value at those points of the hull where it has one: a table that may be left
    /// counts with all its values. `None` if a table is empty or a variable is missing.
    pub(crate) fn loose_bounds(&self, hull: &[(i64, i64)]) -> Option<(i64, i64)> {
        self.bounds_where(hull, false)
    }

    fn bounds_where(&self, hull: &[(i64, i64)], strict: bool) -> Option<(i64, i64)> {
        let (mut low, mut high) = (self.offset, self.offset);
        for (atom, c) in &self.terms {
            let (a, b) = match atom {
                Atom::Var(v) => *hull.get(*v as usize)?,
                Atom::Table(t, at) => {
                    for (i, d) in at.iter().zip(t.dims()).filter(|_| strict) {
                        let (a, b) = i.bounds(hull)?;
                        (d.contains(a) && d.contains(b)).then_some(())?;
                    }
                    (*t.values().iter().min()?, *t.values().iter().max()?)
                }
                Atom::Mod(i, m) => {
                    let (a, b) = i.bounds_where(hull, strict)?;
                    (*m > 0).then_some(())?;
                    if a.div_euclid(*m) == b.div_euclid(*m) { (a.rem_euclid(*m), b.rem_euclid(*m)) } else { (0, m - 1) }
                }
                Atom::Floor(i, d) => {
                    let (a, b) = i.bounds_where(hull, strict)?;
                    (*d > 0).then_some(())?;
                    (a.div_euclid(*d), b.div_euclid(*d))
                }
            };
            let times = |x: i64| x.checked_mul(*c).or((!strict).then_some(x.saturating_mul(*c)));
            let plus = |x: i64, y: i64| x.checked_add(y).or((!strict).then_some(x.saturating_add(y)));
            let (a, b) = (times(a)?, times(b)?);
            low = plus(low, a.min(b))?;
            high = plus(high, a.max(b))?;
        }
        Some((low, high))
    }

    /// Replaces variable `v` by `by[v]`; variables beyond the list stay.
    pub fn substitute(&self, by: &[Ix]) -> Ix {
        let mut sum = Ix::constant(self.offset);
        for (atom, c) in &self.terms {
            let value = match atom {
                Atom::Var(v) => by.get(*v as usize).cloned().unwrap_or_else(|| Ix::var(*v)),
                Atom::Table(t, at) => Ix::table(t.clone(), at.iter().map(|i| i.substitute(by)).collect()),
                Atom::Mod(i, m) => i.substitute(by).modulo(*m).unwrap_or_else(Ix::undefined),
                Atom::Floor(i, d) => i.substitute(by).floor_div(*d).unwrap_or_else(Ix::undefined),
            };
            sum = sum.plus(&value.times(*c));
        }
        sum
    }

    /// The set of variables it depends on, as bits.
    pub fn free(&self) -> u64 {
        self.terms.iter().fold(0, |set, (atom, _)| {
            set | match atom {
                Atom::Var(v) => 1u64.checked_shl(*v as u32).unwrap_or(0),
                Atom::Table(_, at) => at.iter().fold(0, |s, i| s | i.free()),
                Atom::Mod(i, _) | Atom::Floor(i, _) => i.free(),
            }
        })
    }

    pub(crate) fn feed(&self, mut h: Hasher) -> Hasher {
        h = h.word(self.terms.len() as u64).word(self.offset as u64);
        for (atom, c) in &self.terms {
            h = h.word(*c as u64);
            h = match atom {
                Atom::Var(v) => h.word(1).word(*v as u64),
                Atom::Table(t, at) => at.iter().fold(h.word(2).digest(t.0.digest), |h, i| i.feed(h)),
                Atom::Mod(i, m) => i.feed(h.word(3).word(*m as u64)),
                Atom::Floor(i, d) => i.feed(h.word(4).word(*d as u64)),
            };
        }
        h
    }
}
