//! From parts to tensors: domains, boundaries, and sums that become arrays of their own.

use super::Elaborator;
use super::scope::{Loops, Part, Parts};
use crate::diagnostic::{Code, Diagnostic, Span};
use cotangent_expr::{
    Array, Digest, Dim, Domain, Expr, Ix, Layout, MAX_POINTS, Node, Place, Range, Role, Table, Tensor, Term,
};
use std::collections::HashMap;

impl Elaborator<'_> {
    /// A tensor of rank 0 from the parts of an energy.
    pub(super) fn scalar(&mut self, parts: Parts, span: Span) -> Option<Tensor> {
        self.tensor(parts, &Loops::default(), &[], vec![], span)
    }

    /// A vector over `array`, whose members are the points of `loops`.
    pub(super) fn vector(&mut self, array: &Array, parts: Parts, loops: &Loops, span: Span) -> Option<Tensor> {
        let place = Place { array: array.clone(), index: self.member(array, loops) };
        self.tensor(parts, loops, &[place], vec![Layout::new(vec![array.clone()])], span)
    }

    /// A tensor with the terms of `parts` at the given places.
    pub(super) fn tensor(
        &mut self,
        parts: Parts,
        loops: &Loops,
        at: &[Place],
        shape: Vec<Layout>,
        span: Span,
    ) -> Option<Tensor> {
        let mut terms = vec![];
        for part in parts.0 {
            terms.extend(self.terms(&loops.ranges, part, at, span)?);
        }
        match Tensor::new(shape, terms) {
            Ok(t) => Some(t),
            Err(e) => {
                self.error(Diagnostic::new(Code::TooLarge, span, e.to_string()));
                None
            }
        }
    }

    /// The index of the member of `array` that belongs to the current point of `loops`.
    pub(super) fn member(&self, array: &Array, loops: &Loops) -> Vec<Ix> {
        match self.numbered.get(&array.digest()) {
            Some(table) => vec![Ix::table(table.clone(), (0..loops.len()).map(|v| Ix::var(v as u8)).collect())],
            None => (0..loops.len()).map(|v| Ix::var(v as u8)).collect(),
        }
    }

    /// The array of a labelled family: its binders as dimensions, or its members numbered from 1
    /// where the ranges depend on one another.
    pub(super) fn labelled(&mut self, name: &str, role: Role, loops: &Loops, span: Span) -> Option<Array> {
        let count = loops.domain().count(MAX_FAMILY + 1);
        if count > MAX_FAMILY {
            self.too_large(name, span);
            return None;
        }
        if let Some(dims) = loops.dims() {
            return Some(Array::given(name, role, dims));
        }
        let array = Array::given(name, role, vec![Dim { first: 1, len: count as usize }]);
        let hull = loops.domain().hull().unwrap_or_default();
        let dims: Vec<Dim> = hull.iter().map(|&(a, b)| Dim { first: a, len: (b - a + 1) as usize }).collect();
        let cells = dims.iter().map(|d| d.len as u64).fold(1, u64::saturating_mul);
        if cells > MAX_FAMILY {
            self.too_large(name, span);
            return None;
        }
        let mut values = vec![0; cells as usize];
        let mut next = 0;
        loops.domain().for_each(&mut |point| {
            next += 1;
            if let Some(k) = cotangent_expr::flat_position(&dims, point) {
                values[k] = next;
            }
            true
        });
        let table = Table::new(name, dims, values)?;
        self.numbered.insert(array.digest(), table);
        Some(array)
    }

    pub(super) fn too_large(&mut self, name: &str, span: Span) {
        let message = format!("`{name}` has more than {MAX_FAMILY} members");
        self.error(Diagnostic::new(Code::TooLarge, span, message).help("reduce the range"));
    }

    pub(super) fn rectangular_error(&mut self, span: Span) {
        let message = "the ranges of a declared family must not depend on one another";
        self.error(
            Diagnostic::new(Code::MalformedBinder, span, message)
                .help("declare the full rectangle; sums and constraints may use part of it"),
        );
    }

    /// A sum of parts as one scalar expression: what is summed over becomes a defined array.
    pub(super) fn close(&mut self, parts: Parts, loops: &Loops, span: Span) -> Option<Expr> {
        if let Some(plain) = parts.as_plain() {
            return Some(plain.clone());
        }
        let (summed, plain): (Vec<Part>, Vec<Part>) = parts.0.into_iter().partition(|p| !p.loops.is_empty());
        let mut total: Vec<Expr> = plain.into_iter().map(|p| p.value).collect();
        // The outer indices the sum depends on, and those that their ranges depend on.
        let mut free = summed
            .iter()
            .fold(0u64, |f, p| p.loops.iter().fold(f | p.value.free(), |f, r| f | r.low.free() | r.high.free()));
        for (v, r) in loops.ranges.iter().enumerate().rev() {
            if free >> v & 1 == 1 {
                free |= r.low.free() | r.high.free();
            }
        }
        let used: Vec<usize> = (0..loops.len()).filter(|v| free >> v & 1 == 1).collect();
        // The new positions: used outer indices first, then the sum's own.
        let mut by: Vec<Ix> = vec![Ix::constant(0); loops.len()];
        for (new, &old) in used.iter().enumerate() {
            by[old] = Ix::var(new as u8);
        }
        let moved = |r: &Range, by: &[Ix]| Range {
            name: r.name.clone(),
            low: r.low.substitute(by),
            high: r.high.substitute(by),
        };
        let outer: Vec<Range> = used.iter().map(|&v| moved(&loops.ranges[v], &by)).collect();
        let hull = Domain::Ranges(outer.clone()).hull();
        let Some(hull) = hull else { return Some(Expr::sum(total)) };
        let dims: Vec<Dim> = hull.iter().map(|&(a, b)| Dim { first: a, len: (b - a + 1) as usize }).collect();
        if dims.iter().map(|d| d.len as u64).fold(1, u64::saturating_mul) > MAX_FAMILY {
            self.too_large("sum", span);
            return None;
        }
        let space = Array::given("sum", Role::Auxiliary, dims.clone());
        let place = Place { array: space.clone(), index: (0..used.len()).map(|v| Ix::var(v as u8)).collect() };
        let mut terms = vec![];
        for part in summed {
            let mut by = by.clone();
            let mut own = vec![];
            for r in &part.loops {
                own.push(moved(r, &by));
                by.push(Ix::var((outer.len() + own.len() - 1) as u8));
            }
            let part = Part { loops: own, value: part.value.instantiate(&by) };
            terms.extend(self.terms(&outer, part, std::slice::from_ref(&place), span)?);
        }
        match Tensor::new(vec![Layout::new(vec![space])], terms) {
            Ok(t) if t.is_zero() => {}
            Ok(t) => {
                let array = Array::defined("sum", dims, t);
                total.push(Expr::at(&array, used.iter().map(|&v| Ix::var(v as u8)).collect()));
            }
            Err(e) => {
                self.error(Diagnostic::new(Code::TooLarge, span, e.to_string()));
                return None;
            }
        }
        Some(Expr::sum(total))
    }

    /// The terms of one part over a domain: where an index reaches a boundary, that value is put in.
    fn terms(&mut self, outer: &[Range], part: Part, at: &[Place], span: Span) -> Option<Vec<Term>> {
        let domain = Domain::Ranges(outer.iter().cloned().chain(part.loops).collect());
        let Some(hull) = domain.hull() else { return Some(vec![]) };
        let whole = |value: Expr| Term { domain: domain.clone(), at: at.to_vec(), value };
        // Elements that may leave their family.
        let reaching: Vec<(Expr, Place)> = part
            .value
            .leaves()
            .into_iter()
            .filter_map(|leaf| match leaf.node() {
                Node::At(a, index) => {
                    let place = Place { array: a.clone(), index: index.clone() };
                    let inside =
                        |(i, d): (&Ix, &Dim)| i.bounds(&hull).is_some_and(|(a, b)| d.contains(a) && d.contains(b));
                    (!index.iter().zip(a.dims()).all(inside)).then_some((leaf.clone(), place))
                }
                _ => None,
            })
            .collect();
        if reaching.is_empty() || !reaching.iter().any(|(_, p)| self.boundaries.contains_key(&p.array.digest())) {
            return Some(vec![whole(part.value)]);
        }
        if domain.count(MAX_POINTS + 1) > MAX_POINTS {
            self.error(Diagnostic::new(Code::TooLarge, span, format!("more than {MAX_POINTS} points")));
            return None;
        }
        // Points with the same boundary values form one term each.
        type Signature = Vec<Option<Vec<i64>>>;
        let mut classes: Vec<(Signature, Vec<i64>)> = vec![];
        let mut known: HashMap<Signature, usize> = HashMap::new();
        domain.for_each(&mut |vars| {
            let signature: Signature = reaching
                .iter()
                .map(
                    |(_, p)| {
                        if p.position(vars).is_some() { None } else { p.index.iter().map(|i| i.eval(vars)).collect() }
                    },
                )
                .collect();
            let k = *known.entry(signature.clone()).or_insert_with(|| {
                classes.push((signature, vec![]));
                classes.len() - 1
            });
            classes[k].1.extend_from_slice(vars);
            true
        });
        let mut terms = vec![];
        for (signature, points) in classes {
            let mut values: HashMap<Digest, Expr> = HashMap::new();
            for ((leaf, place), reached) in reaching.iter().zip(&signature) {
                let value = reached.as_ref().and_then(|at| self.boundaries.get(&place.array.digest())?.get(at));
                if let Some(v) = value {
                    values.insert(leaf.digest(), v.clone());
                }
            }
            let value = part.value.rewrite(&mut |leaf| values.get(&leaf.digest()).cloned());
            let domain = if domain.is_point() { domain.clone() } else { Domain::from_points(domain.names(), points) };
            terms.push(Term { domain, at: at.to_vec(), value });
        }
        Some(terms)
    }
}

/// The most members of a family.
pub(super) const MAX_FAMILY: u64 = 20_000_000;
