//! Formulas as they were understood, with every `let` put in and families as families, and as they were written.

use crate::figures::summed;
use cotangent_expr::{Array, Expr, Tensor};
use cotangent_expr::{Domain, Ix, Range, Term};
use cotangent_model::syntax::ast::{Definition, Expr as Tree, File, Relation, StatementKind};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// One case of a quantity: the members it is for, and their value.
pub(super) struct Case {
    /// `rod`, `link[1]`, `link[i], i in 2..10`.
    pub(super) head: String,
    /// The value as text.
    pub(super) value: String,
}

/// The values of a vector over `array`, one case for each part of the family that has a formula
/// of its own. `None` if the terms do not divide the family into such parts.
pub(super) fn cases(array: &Array, tensor: &Tensor) -> Option<Vec<Case>> {
    let mut groups: Vec<Group> = vec![];
    for term in tensor.terms() {
        let Domain::Ranges(ranges) = &term.domain else { return None };
        let members = members(&term.at.first()?.index, ranges)?;
        // A member with constant indices binds none of the variables: they are all summed over.
        let bound = if term.at.first()?.index.iter().all(|i| i.as_constant().is_some()) { 0 } else { members.len() };
        match groups.iter_mut().find(|g| same(&g.members, &members)) {
            Some(group) => group.summands.push(summand(bound, term)),
            None => groups.push(Group { members, summands: vec![summand(bound, term)] }),
        }
    }
    if groups.is_empty() {
        return Some(vec![Case { head: head(array, &whole(array)), value: "0".to_owned() }]);
    }
    if groups.len() > 1 && !disjoint(&groups) || groups.len() > MAX_CASES {
        return None;
    }
    groups.sort_by_key(|g| g.members.first().and_then(|r| r.low.as_constant()));
    let case = |group: &mut Group| {
        group.summands.sort_by_key(|s| s.starts_with('-'));
        Case { head: head(array, &group.members), value: summed(&group.summands) }
    };
    Some(groups.iter_mut().map(case).collect())
}

/// Members of a family with the same formula.
struct Group {
    members: Vec<Range>,
    summands: Vec<String>,
}

/// The members that a term adds to: the leading variables of its domain, or one member.
fn members(index: &[Ix], ranges: &[Range]) -> Option<Vec<Range>> {
    let constants: Option<Vec<i64>> = index.iter().map(Ix::as_constant).collect();
    if let Some(constants) = constants {
        let one = |k: i64| Range { name: "i".into(), low: Ix::constant(k), high: Ix::constant(k) };
        return Some(constants.into_iter().map(one).collect());
    }
    let leading = index.iter().enumerate().all(|(k, i)| i.as_shifted_var() == Some((k as u8, 0)));
    leading.then(|| ranges.get(..index.len()).map(<[Range]>::to_vec)).flatten()
}

/// More cases are not shown one by one.
const MAX_CASES: usize = 8;

fn same(a: &[Range], b: &[Range]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.low == b.low && a.high == b.high)
}

fn bounds(range: &Range) -> Option<(i64, i64)> {
    Some((range.low.as_constant()?, range.high.as_constant()?))
}

/// Whether no member belongs to two groups, decided for families of one index.
fn disjoint(groups: &[Group]) -> bool {
    let span = |g: &Group| match g.members.as_slice() {
        [range] => bounds(range),
        _ => None,
    };
    let spans: Option<Vec<(i64, i64)>> = groups.iter().map(span).collect();
    spans.is_some_and(|mut spans| {
        spans.sort_unstable();
        spans.windows(2).all(|pair| pair[0].1 < pair[1].0)
    })
}

fn whole(array: &Array) -> Vec<Range> {
    let range = |(k, d): (usize, &cotangent_expr::Dim)| Range {
        name: ["i", "j", "k"].get(k).copied().unwrap_or("l").into(),
        low: Ix::constant(d.first),
        high: Ix::constant(d.last()),
    };
    array.dims().iter().enumerate().map(range).collect()
}

fn names(ranges: &[Range]) -> Vec<Arc<str>> {
    ranges.iter().map(|r| r.name.clone()).collect()
}

fn index(ix: &Ix, names: &[Arc<str>]) -> String {
    Expr::index(ix.clone()).text(names)
}

/// The index of a range that is a single number.
fn single(range: &Range) -> Option<i64> {
    bounds(range).and_then(|(low, high)| (low == high).then_some(low))
}

fn head(array: &Array, members: &[Range]) -> String {
    if members.is_empty() {
        return array.name().to_owned();
    }
    let names = names(members);
    let place: Vec<String> =
        members.iter().map(|r| single(r).map_or_else(|| r.name.to_string(), |k| k.to_string())).collect();
    let mut text = format!("{}[{}]", array.name(), place.join(", "));
    for r in members.iter().filter(|r| single(r).is_none()) {
        text += &format!(", {} in {}..{}", r.name, index(&r.low, &names), index(&r.high, &names));
    }
    text
}

/// One term, whose first variables belong to the member: what it adds up is written as a sum, a
/// single member with its number.
fn summand(bound: usize, term: &Term) -> String {
    let Domain::Ranges(ranges) = &term.domain else { return String::new() };
    let by: Vec<Ix> = (ranges.iter().enumerate())
        .map(|(v, r)| match single(r).filter(|_| v < bound) {
            Some(k) => Ix::constant(k),
            None => Ix::var(v as u8),
        })
        .collect();
    let names = names(ranges);
    let value = term.value.instantiate(&by).text(&names);
    let inner = &ranges[bound..];
    if inner.is_empty() {
        return value;
    }
    let binder = |r: &Range| {
        let (low, high) = (r.low.substitute(&by), r.high.substitute(&by));
        format!("{} in {}..{}, ", r.name, index(&low, &names), index(&high, &names))
    };
    format!("sum({}{value})", inner.iter().map(binder).collect::<String>())
}

/// What a text says, by name: formulas that are shown as they were written.
pub(super) struct Written<'f> {
    source: &'f str,
    named: HashMap<&'f str, Named<'f>>,
    lets: HashSet<&'f str>,
}

/// What has a name in a text.
#[derive(Clone, Copy)]
enum Named<'f> {
    Relation(&'f Relation),
    Definition(&'f Definition),
}

impl<'f> Written<'f> {
    pub(super) fn new(file: &'f File, source: &'f str) -> Written<'f> {
        let mut named = HashMap::new();
        for statement in &file.statements {
            match &statement.kind {
                StatementKind::Constraint(list) | StatementKind::Vakonomic(list) | StatementKind::Gauge(list) => {
                    for r in list {
                        named.entry(&*r.label.name.text).or_insert(Named::Relation(r));
                    }
                }
                StatementKind::Casimir(list)
                | StatementKind::Invariant(list)
                | StatementKind::Observe(list)
                | StatementKind::Split(list) => {
                    for d in list {
                        named.entry(&*d.head.name.text).or_insert(Named::Definition(d));
                    }
                }
                _ => {}
            }
        }
        Written { source, named, lets: definitions(file).map(|d| &*d.head.name.text).collect() }
    }

    /// The head and the formula of what has a name.
    pub(super) fn of(&self, name: &str) -> Option<Case> {
        let text = |tree: &Tree| one_line(tree.span.text(self.source));
        let (head, value) = match *self.named.get(name)? {
            Named::Relation(r) => {
                let difference = match text(&r.right).as_str() {
                    "0" => text(&r.left),
                    right if right.contains([' ', '-', '+']) => format!("{} - ({right})", text(&r.left)),
                    right => format!("{} - {right}", text(&r.left)),
                };
                (r.label.span, difference)
            }
            Named::Definition(d) => (d.head.span, text(&d.value)),
        };
        Some(Case { head: one_line(head.text(self.source)), value })
    }

    /// The same, where it mentions a `let`.
    pub(super) fn with_let(&self, name: &str) -> Option<Case> {
        let mentions = |tree: &Tree| tree.references().iter().any(|r| self.lets.contains(&*r.name.text));
        let mentioned = match self.named.get(name)? {
            Named::Relation(r) => mentions(&r.left) || mentions(&r.right),
            Named::Definition(d) => mentions(&d.value),
        };
        if mentioned { self.of(name) } else { None }
    }
}

/// The energy as it is written, where it mentions a `let`.
pub(super) fn written_energy(file: &File, source: &str) -> Option<String> {
    let energy = file.statements.iter().find_map(|s| match &s.kind {
        StatementKind::Lagrangian(e) | StatementKind::Hamiltonian(e) => Some(e),
        _ => None,
    })?;
    mentions_let(file, energy).then(|| one_line(energy.span.text(source)))
}

/// The `let`s of a text.
pub(super) fn lets(file: &File, source: &str) -> Vec<Case> {
    let text =
        |d: &Definition| Case { head: one_line(d.head.span.text(source)), value: one_line(d.value.span.text(source)) };
    definitions(file).map(text).collect()
}

fn definitions(file: &File) -> impl Iterator<Item = &Definition> {
    let lists = file.statements.iter().filter_map(|s| match &s.kind {
        StatementKind::Let(list) => Some(list),
        _ => None,
    });
    lists.flatten()
}

fn mentions_let(file: &File, tree: &Tree) -> bool {
    let references = tree.references();
    definitions(file).any(|d| references.iter().any(|r| r.name.text == d.head.name.text))
}

/// The entries of `bracket` or `form`, as written.
pub(super) fn pairings(file: &File, source: &str) -> Vec<String> {
    let lists = file.statements.iter().filter_map(|s| match &s.kind {
        StatementKind::Bracket(list) | StatementKind::Form(list) => Some(list),
        _ => None,
    });
    lists.flatten().map(|p| one_line(p.span.text(source))).collect()
}

/// Line breaks, comments and runs of blanks as one blank.
fn one_line(text: &str) -> String {
    let lines = text.lines().map(|line| line.split('#').next().unwrap_or(""));
    lines.flat_map(str::split_whitespace).collect::<Vec<_>>().join(" ")
}
