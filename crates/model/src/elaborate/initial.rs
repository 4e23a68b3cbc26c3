//! Initial values: which member gets which value, and what was not said.

use super::Elaborator;
use super::declare::Declared;
use super::scope::{Loops, Meaning, Purpose};
use crate::diagnostic::{Code, Diagnostic, Span};
use crate::nearest::nearest;
use crate::syntax::ast::{self, StatementKind};
use crate::system::{Constraint, Initial};
use cotangent_expr::{Array, Digest, Domain, Expr, Ix, Layout, Place, Range, Role, Table, Tensor, Term};
use std::collections::{HashMap, HashSet};

/// One assignment to members of one array.
struct Given {
    array: Array,
    loops: Loops,
    index: Vec<Ix>,
    value: Expr,
    span: Span,
    /// A single member, which overrides its family.
    single: bool,
}

impl Elaborator<'_> {
    pub(super) fn initial_values(&mut self, declared: &Declared, constraints: &[Constraint]) -> Vec<Initial> {
        let parsed = self.parsed;
        let mut given: Vec<Given> = vec![];
        let mut multipliers: HashMap<&str, Option<Array>> = HashMap::new();
        for s in &parsed.file.statements {
            if let StatementKind::Constraint(list) | StatementKind::Vakonomic(list) = &s.kind {
                multipliers.extend(list.iter().map(|r| (r.label.name.text.as_str(), None)));
            }
        }
        multipliers.extend(constraints.iter().map(|c| (c.array.name(), Some(c.multiplier.clone()))));
        for s in &parsed.file.statements {
            if let StatementKind::Initial(list) = &s.kind {
                given.extend(list.iter().filter_map(|a| self.assignment(a, &multipliers)).flatten());
            }
        }
        let first = |role: Role| given.iter().find(|g| g.array.role() == role).map(|g| g.span);
        if let (Some(v), Some(p)) = (first(Role::Velocity), first(Role::Momentum)) {
            let d = Diagnostic::new(Code::WrongPlace, v.max(p), "initial values give velocities or momenta, not both");
            let other = if v < p { "a velocity is given here" } else { "a momentum is given here" };
            self.error(d.label(v.min(p), other).help("give all of one kind: the other follows from the energy"));
        }
        let arrays =
            declared.coordinates.iter().chain(&declared.velocities).chain(&declared.momenta).chain(&declared.variables);
        let arrays: Vec<Array> = arrays.chain(constraints.iter().map(|c| &c.multiplier)).cloned().collect();
        let mut by_array: HashMap<Digest, Vec<Given>> = HashMap::new();
        for g in given {
            by_array.entry(g.array.digest()).or_default().push(g);
        }
        arrays.iter().filter_map(|a| self.collect(a, by_array.get(&a.digest())?)).collect()
    }

    fn assignment(&mut self, a: &ast::Assignment, multipliers: &HashMap<&str, Option<Array>>) -> Option<Vec<Given>> {
        let name = &a.place.name;
        let array = match self.names.get(&name.text).cloned() {
            Some(Meaning::Coordinate { velocity, .. }) if a.place.prime.is_some() => velocity,
            Some(Meaning::Broken) => return None,
            Some(m) if a.place.prime.is_some() && !matches!(m, Meaning::Let(_)) => {
                let message = format!("`{}` is {}: it has no velocity", name.text, m.describe());
                let prime = a.place.prime.unwrap_or(a.place.span);
                self.error(
                    Diagnostic::new(Code::MisplacedPrime, prime, message).help("only coordinates have velocities"),
                );
                return None;
            }
            Some(Meaning::Coordinate { position, .. }) => position,
            Some(Meaning::Momentum(p)) => p,
            Some(Meaning::Variable(v)) => v,
            Some(Meaning::Matrix(m)) => m.array,
            Some(m) => {
                let message = format!("initial values belong to variables, and `{}` is {}", name.text, m.describe());
                let help = match m {
                    Meaning::Let(_) => "give initial values to the variables it is made of",
                    _ => "a parameter gets its value where it is declared: `param NAME = …`",
                };
                self.error(Diagnostic::new(Code::WrongPlace, a.place.span, message).help(help));
                return None;
            }
            None => {
                let label = name.text.strip_prefix("lambda_").filter(|_| a.place.prime.is_none());
                match label.and_then(|l| multipliers.get(l)) {
                    Some(multiplier) => multiplier.clone()?,
                    None => {
                        match label {
                            Some(label) => self.no_such_constraint(name, label, multipliers),
                            None => self.unknown(name, &Loops::default()),
                        }
                        return None;
                    }
                }
            }
        };
        let whole = a.place.indices.is_empty() && !array.dims().is_empty();
        // Members of a family over ranges that depend on one another are called by their own indices.
        let numbers = self.numbered.get(&array.digest()).filter(|_| !whole).cloned();
        let dims = numbers.as_ref().map_or(array.dims(), Table::dims).to_vec();
        let (loops, index) = if whole { every_member(&array) } else { self.place_index(&a.place) };
        let counted = if whole { Some(()) } else { self.check_count(name, a.place.indices.len(), &dims, a.place.span) };
        let single = loops.len() == 0;
        let mut given = vec![];
        for piece in self.pieces(&a.value, &loops, &name.text)? {
            // A whole family is given without naming its indices.
            let inner = if whole { Loops::default() } else { piece.loops.clone() };
            let value = self.closed(piece.value, &inner, Purpose::Constant("an initial value"))?;
            given.push((piece.loops, value));
        }
        counted?;
        let index = index?;
        self.check_range(&name.text, &index, &dims, a.place.span, &loops, None)?;
        let index = match numbers {
            Some(numbers) => {
                if let Some(Meaning::Matrix(matrix)) = self.names.get(&name.text).cloned() {
                    self.own_entries(&matrix, &index, &loops, a.place.span)?;
                }
                let number = [Ix::table(numbers, index)];
                self.check_range(&name.text, &number, array.dims(), a.place.span, &loops, None)?;
                number.to_vec()
            }
            None => index,
        };
        let one =
            |(loops, value)| Given { array: array.clone(), loops, index: index.clone(), value, span: a.span, single };
        Some(given.into_iter().map(one).collect())
    }

    fn no_such_constraint(&mut self, name: &ast::Name, label: &str, known: &HashMap<&str, Option<Array>>) {
        if self.skipped.contains(label) {
            return;
        }
        let message = format!("`{}` is the multiplier of a constraint `{label}`, and there is none", name.text);
        let mut labels: Vec<&str> = known.keys().copied().collect();
        labels.sort_unstable();
        let help = match nearest(label, labels.iter().copied()) {
            Some(near) => format!("did you mean `lambda_{near}`?"),
            None if labels.is_empty() => "the model has no constraint".into(),
            None => format!("constraints of this model: {}", labels[..labels.len().min(10)].join(", ")),
        };
        self.error(Diagnostic::new(Code::UnknownName, name.span, message).help(help));
    }

    /// All that is given for one array, as one vector.
    fn collect(&mut self, array: &Array, own: &[Given]) -> Option<Initial> {
        // Which assignment each member takes: a single one before a family.
        let mut owner: Vec<Option<usize>> = vec![None; array.len()];
        for single in [true, false] {
            for (k, g) in own.iter().enumerate().filter(|(_, g)| g.single == single) {
                let place = Place { array: array.clone(), index: g.index.clone() };
                let mut clash = None;
                g.loops.domain().for_each(&mut |vars| {
                    let slot = place.position(vars).and_then(|p| owner.get_mut(p).map(|o| (p, o)));
                    match slot {
                        Some((_, o)) if o.is_none() => *o = Some(k),
                        Some((p, o)) if o.is_some_and(|o| own[o].single == single) => clash = Some((p, *o)),
                        _ => {}
                    }
                    clash.is_none()
                });
                if let Some((p, Some(before))) = clash {
                    let member = array.element_name(&array.multi_index(p));
                    let mut d = Diagnostic::new(
                        Code::DuplicateName,
                        g.span,
                        format!("the initial value of `{member}` is given twice"),
                    );
                    if own[before].span != g.span {
                        d = d.label(own[before].span, "first given here");
                    }
                    self.error(d.help("keep one; only a single member overrides its family"));
                    return None;
                }
            }
        }
        // In the order of the members, whatever that of the text.
        let mut terms = vec![];
        let mut order: Vec<usize> = vec![];
        for k in owner.iter().copied().flatten() {
            if order.last() != Some(&k) {
                order.push(k);
            }
        }
        let mut seen = HashSet::new();
        order.retain(|k| seen.insert(*k));
        for (k, g) in order.into_iter().map(|k| (k, &own[k])) {
            let place = Place { array: array.clone(), index: g.index.clone() };
            let mut points = vec![];
            let mut any = false;
            g.loops.domain().for_each(&mut |vars| {
                if place.position(vars).is_some_and(|p| owner[p] == Some(k)) {
                    points.extend_from_slice(vars);
                    any = true;
                }
                true
            });
            if any {
                let domain = Domain::from_points(g.loops.domain().names(), points);
                terms.push(Term { domain, at: vec![place], value: g.value.clone() });
            }
        }
        let named = owner.iter().filter(|o| o.is_some()).count();
        let shape = vec![Layout::new(vec![array.clone()])];
        match Tensor::new(shape, terms) {
            Ok(value) => Some(Initial { array: array.clone(), value, named }),
            Err(e) => {
                self.refused(&e, own[0].span);
                None
            }
        }
    }
}

/// Loops over all members of an array.
fn every_member(array: &Array) -> (Loops, Option<Vec<Ix>>) {
    let mut loops = Loops::default();
    for (k, d) in array.dims().iter().enumerate() {
        let name = format!("i{k}");
        let range = Range { name: name.as_str().into(), low: Ix::constant(d.first), high: Ix::constant(d.last()) };
        loops.push(range, Span::default());
    }
    let index = (0..loops.len()).map(|v| Ix::var(v as u8)).collect();
    (loops, Some(index))
}
