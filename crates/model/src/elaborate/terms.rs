//! From parts to tensors: domains, boundaries, and sums that become arrays of their own.

use super::Elaborator;
use super::index::MAX_LOOPS;
use super::scope::{Loops, Part, Parts, Roles};
use crate::diagnostic::{Code, Diagnostic, Span};
use cotangent_expr::{
    Array, Definition, Digest, Dim, Domain, Expr, Ix, Layout, Node, Number, Place, Range, Role, Table, Tensor, Term,
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
        let terms = self.collected(parts, loops, at, span)?;
        match Tensor::new(shape, terms) {
            Ok(t) => Some(t),
            Err(e) => {
                self.refused(&e, span);
                None
            }
        }
    }

    /// The terms of `parts` at the given places.
    pub(super) fn collected(&mut self, parts: Parts, loops: &Loops, at: &[Place], span: Span) -> Option<Vec<Term>> {
        let mut terms = vec![];
        let parts = parts.0.into_iter().map(Part::multiplied).collect();
        for part in self.lifted(parts, loops, span)?.0 {
            terms.extend(self.terms(&loops.ranges, part, at, span)?);
        }
        Some(terms)
    }

    /// The index of the member of `array` that belongs to the current point of `loops`.
    pub(super) fn member(&self, array: &Array, loops: &Loops) -> Vec<Ix> {
        match self.numbered.get(&array.digest()) {
            Some(table) => vec![Ix::table(table.clone(), (0..loops.len()).map(|v| Ix::var(v as u8)).collect())],
            None => (0..loops.len()).map(|v| Ix::var(v as u8)).collect(),
        }
    }

    /// The array of a labelled family: its binders as dimensions, or its members one by one where the
    /// ranges depend on one another.
    pub(super) fn labelled(&mut self, name: &str, role: Role, loops: &Loops, span: Span) -> Option<Array> {
        let limit = self.limits.members;
        if let Some(dims) = loops.dims() {
            let dims = self.fits(name, dims, span)?;
            return Some(Array::given(name, role, dims));
        }
        let count = loops.domain().count(limit + 1);
        if count > limit {
            self.too_large(name, span);
            return None;
        }
        let hull = loops.domain().hull().unwrap_or_default();
        let dims = self.fits(name, hull.iter().map(dim).collect(), span)?;
        let mut values = vec![0; dims.iter().map(|d| d.len).product()];
        let mut members: Vec<Vec<i64>> = Vec::with_capacity(count as usize);
        loops.domain().for_each(&mut |point| {
            members.push(point.to_vec());
            if let Some(k) = cotangent_expr::flat_position(&dims, point) {
                values[k] = members.len() as i64;
            }
            true
        });
        let array = Array::listed(name, role, members);
        let table = Table::new(name, dims, values)?;
        self.numbered.insert(array.digest(), table);
        Some(array)
    }

    /// The dimensions, if a family may have them.
    pub(super) fn fits(&mut self, name: &str, dims: Vec<Dim>, span: Span) -> Option<Vec<Dim>> {
        // An empty dimension does not make up for another that is too long.
        let cells = dims.iter().map(|d| (d.len as u64).max(1)).fold(1, u64::saturating_mul);
        if cells > self.limits.members {
            self.too_large(name, span);
            return None;
        }
        Some(dims)
    }

    /// What an expression is made of, also inside defined arrays.
    pub(super) fn roles_of(&mut self, e: &Expr) -> Roles {
        let mut roles = Roles::default();
        for leaf in e.leaves() {
            let Node::At(a, _) = leaf.node() else { continue };
            if self.orbit.as_ref().is_some_and(|o| o.position == *a) {
                continue;
            }
            roles.add(a.role());
            let Definition::Defined(t) = a.definition() else { continue };
            if let Some(known) = self.array_roles.get(&a.digest()) {
                roles.join(*known);
                continue;
            }
            let mut own = Roles::default();
            t.terms().iter().for_each(|t| own.join(self.roles_of(&t.value)));
            self.array_roles.insert(a.digest(), own);
            roles.join(own);
        }
        roles
    }

    pub(super) fn too_large(&mut self, name: &str, span: Span) {
        let message = format!("`{name}` has more than {} members", self.limits.members);
        let help = "reduce the range: a run takes some 3 kB of memory for each coordinate";
        self.error(Diagnostic::new(Code::TooLarge, span, message).help(help));
    }

    pub(super) fn rectangular_error(&mut self, span: Span) {
        let message = "the ranges of a declared family must not depend on one another";
        self.error(
            Diagnostic::new(Code::MalformedBinder, span, message)
                .help("declare the full rectangle; sums and constraints may use part of it"),
        );
    }

    /// A sum of parts as one scalar expression: each part that is summed becomes a defined array.
    pub(super) fn close(&mut self, parts: Parts, loops: &Loops, span: Span) -> Option<Expr> {
        if let Some(plain) = parts.as_plain() {
            return Some(plain.clone());
        }
        let mut total = vec![];
        for part in parts.0 {
            if part.loops.is_empty() {
                total.push(part.value);
                continue;
            }
            let factor = part.factor;
            for part in self.lifted(vec![Part::new(part.loops, part.value)], loops, span)?.0 {
                let sum = if part.loops.is_empty() { part.value } else { self.closed_part(part, loops, span)? };
                total.push(&factor * sum);
            }
        }
        Some(Expr::sum(total))
    }

    fn closed_part(&mut self, part: Part, loops: &Loops, span: Span) -> Option<Expr> {
        // The outer indices the sum depends on, and those that their ranges depend on.
        let mut free = part.loops.iter().fold(part.value.free(), |f, r| f | r.low.free() | r.high.free());
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
        let Some(hull) = Domain::Ranges(outer.clone()).hull() else { return Some(Expr::zero()) };
        let dims = self.fits("sum", hull.iter().map(dim).collect(), span)?;
        let space = Array::given("sum", Role::Auxiliary, dims.clone());
        let place = Place { array: space.clone(), index: (0..used.len()).map(|v| Ix::var(v as u8)).collect() };
        let mut own = vec![];
        for r in &part.loops {
            own.push(moved(r, &by));
            by.push(Ix::var((outer.len() + own.len() - 1) as u8));
        }
        let nodes = self.count_nodes(&part.value);
        self.spend(nodes, span)?;
        let part = Part::new(own, part.value.instantiate(&by));
        let written = Written {
            outer: outer.len(),
            ranges: outer.iter().chain(&part.loops).cloned().collect(),
            value: part.value.clone(),
        };
        let terms = self.terms(&outer, part, std::slice::from_ref(&place), span)?;
        match Tensor::new(vec![Layout::new(vec![space])], terms) {
            Ok(t) if t.is_zero() => Some(Expr::zero()),
            Ok(t) => {
                let array = Array::defined("sum", dims, t);
                self.written.entry(array.digest()).or_insert(written);
                Some(Expr::at(&array, used.iter().map(|&v| Ix::var(v as u8)).collect()))
            }
            Err(e) => {
                self.refused(&e, span);
                None
            }
        }
    }

    /// The same sum with inner sums that occur linearly (`3*a*sum(…)`, `x + sum(…)`) as parts of
    /// their own, however they were written: the one form that families take in a tensor.
    fn lifted(&mut self, parts: Vec<Part>, loops: &Loops, span: Span) -> Option<Parts> {
        let mut memo = HashMap::new();
        let mut open = parts;
        open.reverse();
        let mut done: Vec<Part> = vec![];
        while let Some(part) = open.pop() {
            let (constant, terms) = match part.value.node() {
                Node::Add(constant, terms) => (*constant, terms.clone()),
                _ => (Number::ZERO, vec![(Number::ONE, part.value.clone())]),
            };
            let mut kept = vec![];
            let mut found = vec![];
            for (c, t) in terms {
                match self.opened(&t, loops.len() + part.loops.len(), &mut memo) {
                    Some((loops, value)) => {
                        let all = part.loops.iter().cloned().chain(loops).collect();
                        found.push(Part::new(all, value.scale(c)));
                    }
                    None => kept.push((c, t)),
                }
            }
            if found.is_empty() {
                done.push(part);
                continue;
            }
            let nodes = found.iter().map(|p| self.count_nodes(&p.value)).sum();
            self.spend(nodes, span)?;
            let rest = Expr::linear(constant, kept);
            if !rest.is_zero() {
                done.push(Part::new(part.loops, rest));
            }
            for p in found.into_iter().rev() {
                let value = self.resummed(p.value, &loops.with(&p.loops), span)?;
                open.push(Part::new(p.loops, value));
            }
        }
        Some(Parts::merged(done))
    }

    /// The same expression with each sum inside it as it would be written here: a sum that came with
    /// a `let` or a `product` may be a member of a family of sums.
    pub(super) fn resummed(&mut self, e: Expr, loops: &Loops, span: Span) -> Option<Expr> {
        let mut new: HashMap<Digest, Expr> = HashMap::new();
        let here = loops.domain().digest();
        for leaf in e.leaves() {
            let Some((ranges, value)) = self.summand(&leaf, loops.len()) else { continue };
            let key = (leaf.digest(), here);
            if let Some(known) = self.sums.get(&key) {
                new.insert(leaf.digest(), known.clone());
                continue;
            }
            let value = self.resummed(value, &loops.with(&ranges), span)?;
            let sum = self.closed_part(Part::new(ranges, value), loops, span)?;
            self.sums.insert(key, sum.clone());
            new.insert(leaf.digest(), sum);
        }
        if new.is_empty() {
            return Some(e);
        }
        let nodes = self.count_nodes(&e);
        self.spend(nodes, span)?;
        Some(e.rewrite(&mut |leaf| new.get(&leaf.digest()).cloned()))
    }

    /// The terms of one part over a domain: where an index reaches a boundary, that value is put in.
    fn terms(&mut self, outer: &[Range], part: Part, at: &[Place], span: Span) -> Option<Vec<Term>> {
        let domain = Domain::Ranges(outer.iter().cloned().chain(part.loops).collect());
        let Some(hull) = domain.hull() else { return Some(vec![]) };
        let nodes = self.count_nodes(&part.value);
        self.spend(nodes, span)?;
        let limit = self.limits.points;
        if domain.count(limit + 1) > limit {
            let message = format!("there are more than {limit} terms here");
            self.error(Diagnostic::new(Code::TooLarge, span, message).help("reduce the ranges"));
            return None;
        }
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
        self.spend(nodes.saturating_mul(classes.len() as u64), span)?;
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
            if points.len() == domain.arity() {
                // A single point is no family.
                let by: Vec<Ix> = points.iter().map(|&k| Ix::constant(k)).collect();
                let there = |p: &Place| Place {
                    array: p.array.clone(),
                    index: p.index.iter().map(|i| i.substitute(&by)).collect(),
                };
                terms.push(Term::plain(at.iter().map(there).collect(), value.instantiate(&by)));
                continue;
            }
            let domain = Domain::from_points(domain.names(), points);
            terms.push(Term { domain, at: at.to_vec(), value });
        }
        Some(terms)
    }
}

/// A sum as it was written, before boundaries were put in.
pub(super) struct Written {
    /// How many of the ranges are the indices of the array it became.
    outer: usize,
    ranges: Vec<Range>,
    value: Expr,
}

impl Elaborator<'_> {
    /// A product with exactly one sum among its factors, opened up: the ranges and the summand, as
    /// seen with `outer` loop variables in scope. The factor may also be a polynomial that contains
    /// such a sum: then there are no ranges, and the product is multiplied out.
    fn opened(&self, product: &Expr, outer: usize, memo: &mut HashMap<Digest, bool>) -> Option<(Vec<Range>, Expr)> {
        let one = [(product.clone(), Number::ONE)];
        let factors = if let Node::Mul(factors) = product.node() { factors.as_slice() } else { &one };
        let mut sums = factors.iter().filter(|(e, k)| k.is_one() && self.holds_sum(e, memo));
        let (Some((sum, _)), None) = (sums.next(), sums.next()) else { return None };
        let others = Expr::product(factors.iter().filter(|f| f.0 != *sum).map(|(e, k)| e.pow(*k)));
        match sum.node() {
            Node::Add(..) if factors.len() == 1 => None,
            Node::Add(constant, terms) => {
                let terms = terms.iter().map(|(c, t)| (*c, &others * t));
                let all: Vec<_> = terms.chain([(*constant, others.clone())]).collect();
                Some((vec![], Expr::linear(Number::ZERO, all)))
            }
            _ => {
                let (ranges, value) = self.summand(sum, outer)?;
                Some((ranges, others * value))
            }
        }
    }

    /// Whether a factor is a sum over loops, or a polynomial with a term that has one such factor.
    fn holds_sum(&self, factor: &Expr, memo: &mut HashMap<Digest, bool>) -> bool {
        let Node::Add(_, terms) = factor.node() else { return self.as_written(factor).is_some() };
        if let Some(&known) = memo.get(&factor.digest()) {
            return known;
        }
        let found = terms.iter().any(|(_, t)| match t.node() {
            Node::Mul(factors) => factors.iter().filter(|(e, k)| k.is_one() && self.holds_sum(e, memo)).count() == 1,
            _ => self.holds_sum(t, memo),
        });
        memo.insert(factor.digest(), found);
        found
    }

    fn as_written(&self, e: &Expr) -> Option<&Written> {
        let Node::At(array, _) = e.node() else { return None };
        self.written.get(&array.digest())
    }

    /// The ranges and the summand of a sum that became an array, as seen with `outer` loop variables
    /// in scope.
    pub(super) fn summand(&self, sum: &Expr, outer: usize) -> Option<(Vec<Range>, Expr)> {
        let (Node::At(_, index), Some(written)) = (sum.node(), self.as_written(sum)) else { return None };
        let mut by = index.clone();
        let mut own = vec![];
        if outer + written.ranges.len() - written.outer > MAX_LOOPS {
            return None;
        }
        for r in &written.ranges[written.outer..] {
            own.push(Range { name: r.name.clone(), low: r.low.substitute(&by), high: r.high.substitute(&by) });
            by.push(Ix::var((outer + own.len() - 1) as u8));
        }
        Some((own, written.value.instantiate(&by)))
    }
}

fn dim(&(first, last): &(i64, i64)) -> Dim {
    Dim { first, len: usize::try_from(last.saturating_sub(first).saturating_add(1)).unwrap_or(0) }
}
