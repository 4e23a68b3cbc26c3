//! Values that differ from member to member: lists, and `if`.
//!
//! The members of a family are cut into pieces, on each of which one formula holds: a list has a piece for each member, an
//! `if` one for each run of neighbours with the same answers. What an `if` asks is known when the model is read, so that no
//! condition is left in an expression, and everything stays differentiable.

use super::Elaborator;
use super::expression::plural;
use super::scope::{Loops, Meaning, Parts, Purpose};
use crate::diagnostic::{Code, Diagnostic, Span};
use crate::syntax::Function;
use crate::syntax::ast::{self, Condition, ExprKind, Multiplicative};
use cotangent_expr::{Array, Dim, Ix, Layout, Place, Range, Tensor, Term};

/// Members of a family with one formula for their values.
pub(super) struct Piece<'e> {
    pub(super) loops: Loops,
    pub(super) value: &'e ast::Expr,
}

/// What a branch of an `if` is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Integer,
    Real,
    List,
}

impl Elaborator<'_> {
    /// The members at `loops`, cut so that each piece has one formula.
    pub(super) fn pieces<'e>(&mut self, value: &'e ast::Expr, loops: &Loops, name: &str) -> Option<Vec<Piece<'e>>> {
        if let ExprKind::List(_) = &value.kind {
            let Some(dims) = loops.dims() else {
                self.rectangular_error(value.span);
                return None;
            };
            if dims.is_empty() {
                self.misplaced_list(value.span);
                return None;
            }
            let mut items = vec![];
            self.items(value, &dims, name, &mut items)?;
            let mut items = items.into_iter();
            let mut pieces = vec![];
            loops.domain().for_each(&mut |point| {
                pieces.extend(items.next().map(|value| Piece { loops: at_point(loops, point, None), value }));
                true
            });
            return Some(pieces);
        }
        if !asks(value) {
            return Some(vec![Piece { loops: loops.clone(), value }]);
        }
        self.known_names(value, loops)?;
        let mut points: Vec<Vec<i64>> = vec![];
        let limit = self.limits.members;
        loops.domain().for_each(&mut |point| {
            points.push(point.to_vec());
            points.len() as u64 <= limit
        });
        self.spend(points.len() as u64, value.span)?;
        let mut runs: Vec<(Vec<i64>, i64, Vec<bool>)> = vec![];
        for point in points {
            let mut answers = vec![];
            self.answers(value, &at_point(loops, &point, None), &point, &mut answers)?;
            let last = point.last().copied().unwrap_or_default();
            match runs.last_mut() {
                Some((first, to, same))
                    if *same == answers
                        && *to == last - 1
                        && first.split_last().map(|f| f.1) == point.split_last().map(|p| p.1) =>
                {
                    *to = last;
                }
                _ => runs.push((point, last, answers)),
            }
        }
        let same = runs.windows(2).all(|pair| pair[0].2 == pair[1].2);
        if same {
            return Some(vec![Piece { loops: loops.clone(), value }]);
        }
        Some(runs.into_iter().map(|(first, to, _)| Piece { loops: at_point(loops, &first, Some(to)), value }).collect())
    }

    /// The items of a list, in the order of the members.
    fn items<'e>(
        &mut self,
        value: &'e ast::Expr,
        dims: &[Dim],
        name: &str,
        found: &mut Vec<&'e ast::Expr>,
    ) -> Option<()> {
        let (list, dim) = match (&value.kind, dims.split_first()) {
            (ExprKind::List(list), Some((dim, rest))) => (list, (dim, rest)),
            (ExprKind::List(_), None) => {
                let message = format!("this is a list in a list, and `{name}` has no further index");
                let d = Diagnostic::new(Code::MalformedList, value.span, message);
                let d = match self.names.span(name) {
                    Some(at) => d.label(at, "declared here"),
                    None => d,
                };
                let help = format!(
                    "give a number for each member, or declare an index for each level of lists: `{name}[i in 1..2, j in 1..2]`"
                );
                self.error(d.help(help));
                return None;
            }
            (_, None) => {
                found.push(value);
                return Some(());
            }
            (_, Some((dim, _))) => {
                let message = format!("a list of {} {} is needed here", dim.len, plural(dim.len, "value", "values"));
                let d = Diagnostic::new(Code::MalformedList, value.span, message);
                let help = match dim.len {
                    1 => "a list of one value has a comma at its end: `(1,)`".to_owned(),
                    _ => format!("`{name}` has several indices: write a list of lists, `((1, 2), (3, 4))`"),
                };
                self.error(d.help(help));
                return None;
            }
        };
        let (dim, rest) = dim;
        if list.len() != dim.len {
            let (n, given) = (dim.len, list.len());
            let members = plural(n, "member", "members");
            let message = match rest.is_empty() {
                true => format!(
                    "this list has {given} values, and `{name}` has {n} {members}: {}..{}",
                    dim.first,
                    dim.last()
                ),
                false => format!("this list has {given} rows, and `{name}` has {n}: {}..{}", dim.first, dim.last()),
            };
            let mut d = Diagnostic::new(Code::MalformedList, value.span, message);
            if let Some(at) = self.names.span(name) {
                d = d.label(at, "declared here");
            }
            self.error(d.help(match (n, rest.is_empty()) {
                (1, false) => "a list of one row has a comma at its end, `((1, 2),)`; or change the range",
                _ => "give one value for each member, or change the range",
            }));
            return None;
        }
        list.iter().try_for_each(|item| self.items(item, rest, name, found))
    }

    /// A list where a single number is needed.
    pub(super) fn misplaced_list(&mut self, span: Span) {
        let message = "a list gives the members of a family their values, and here stands a single number";
        let help = "a list is the whole value of a family: `param m[i in 1..3] = (1, 2, 3)`, `initial x = (1, 2, 3)`";
        self.error(Diagnostic::new(Code::MalformedList, span, message).help(help));
    }

    /// The vector over `array` that pieces make up.
    pub(super) fn vector_of_pieces(
        &mut self,
        array: &Array,
        pieces: Vec<Piece<'_>>,
        purpose: Purpose,
        span: Span,
    ) -> Option<Tensor> {
        let mut terms = vec![];
        for Piece { loops, value } in pieces {
            let parts: Parts = self.parts(value, &loops, purpose)?;
            let place = Place { array: array.clone(), index: self.member(array, &loops) };
            let own = self.collected(parts, &loops, &[place], value.span)?;
            terms.extend(own.into_iter().map(|t| single_point(t, &loops)));
        }
        match Tensor::new(vec![Layout::new(vec![array.clone()])], terms) {
            Ok(t) => Some(t),
            Err(e) => {
                self.refused(&e, span);
                None
            }
        }
    }

    /// The branch of an `if` that holds everywhere in `loops`.
    pub(super) fn branch<'e>(
        &mut self,
        condition: &Condition,
        branches: (&'e ast::Expr, &'e ast::Expr),
        span: Span,
        loops: &Loops,
    ) -> Option<&'e ast::Expr> {
        let (then, otherwise) = branches;
        let kinds = (self.kind(then), self.kind(otherwise));
        if kinds.0 == Kind::List || kinds.1 == Kind::List {
            let (message, help) = if kinds.0 == kinds.1 {
                (
                    "an `if` chooses the value of one member, and a list has those of all",
                    "put the `if` into the list: `(if(n > 1, 2, 1), 3)`",
                )
            } else {
                (
                    "the branches of this `if` are of different kinds: a list and a number",
                    "an `if` chooses between two numbers",
                )
            };
            let mut d = Diagnostic::new(Code::MalformedCondition, span, message);
            for (kind, branch) in [(kinds.0, then), (kinds.1, otherwise)] {
                d = d.label(branch.span, if kind == Kind::List { "a list" } else { "a number" });
            }
            self.error(d.help(help));
            return None;
        }
        let mut answer: Option<bool> = None;
        let mut points: Vec<Vec<i64>> = vec![];
        let limit = self.limits.members;
        loops.domain().for_each(&mut |point| {
            points.push(point.to_vec());
            points.len() as u64 <= limit
        });
        for point in &points {
            let here = self.holds(condition, &at_point(loops, point, None), point)?;
            if answer.is_some_and(|before| before != here) {
                let names: Vec<String> = loops.ranges.iter().map(|r| format!("`{}`", r.name)).collect();
                let message = format!("this `if` has no single answer here: it depends on {}", names.join(" and "));
                let d = Diagnostic::new(Code::MalformedCondition, span, message);
                self.error(d.help(
                    "put the values into a family first, `param w[i in 1..n] = if(i = 1, a, b)` (with `: int` for indices), and use `w[i]` here",
                ));
                return None;
            }
            answer = Some(here);
        }
        Some(if answer.unwrap_or(true) { then } else { otherwise })
    }

    /// The same for an integer: both branches must be integers.
    pub(super) fn integer_branch<'e>(
        &mut self,
        condition: &Condition,
        branches: (&'e ast::Expr, &'e ast::Expr),
        span: Span,
        loops: &Loops,
    ) -> Option<&'e ast::Expr> {
        let (then, otherwise) = branches;
        let kinds = (self.kind(then), self.kind(otherwise));
        if kinds.0 != kinds.1 && kinds.0 != Kind::List && kinds.1 != Kind::List {
            let word = |kind: Kind| if kind == Kind::Integer { "an integer" } else { "a real number" };
            let message =
                format!("the branches of this `if` are of different kinds: {} and {}", word(kinds.0), word(kinds.1));
            let d = Diagnostic::new(Code::MalformedCondition, span, message)
                .label(then.span, word(kinds.0))
                .label(otherwise.span, word(kinds.1));
            self.error(d.help("sizes, tables and indices are integers: give two integers, or drop `: int`"));
            return None;
        }
        self.branch(condition, branches, span, loops)
    }

    /// The answers to all that is asked on the way to the value at one point.
    fn answers(&mut self, e: &ast::Expr, loops: &Loops, point: &[i64], found: &mut Vec<bool>) -> Option<()> {
        match &e.kind {
            // A sum has indices of its own, and asks for itself.
            ExprKind::Fold { .. } => Some(()),
            ExprKind::If { condition, then, otherwise } => {
                let answer = self.holds(condition, loops, point)?;
                found.push(answer);
                self.answers(if answer { then } else { otherwise }, loops, point, found)
            }
            kind => kind.operands().into_iter().try_for_each(|e| self.answers(e, loops, point, found)),
        }
    }

    /// Whether a condition holds at a point.
    pub(super) fn holds(&mut self, condition: &Condition, loops: &Loops, point: &[i64]) -> Option<bool> {
        match condition {
            Condition::Compare { left, comparison, right } => {
                let (a, b) = (self.compared(left, loops, point), self.compared(right, loops, point));
                Some(comparison.holds(a?, b?))
            }
            Condition::Not(inner) => Some(!self.holds(inner, loops, point)?),
            // What stands behind the first answer may have none: `i = 1 or t[i-1] = 0`.
            Condition::All(all) => {
                for c in all {
                    if !self.holds(c, loops, point)? {
                        return Some(false);
                    }
                }
                Some(true)
            }
            Condition::Any(all) => {
                for c in all {
                    if self.holds(c, loops, point)? {
                        return Some(true);
                    }
                }
                Some(false)
            }
        }
    }

    /// One side of a comparison.
    fn compared(&mut self, e: &ast::Expr, loops: &Loops, point: &[i64]) -> Option<i64> {
        if self.kind(e) != Kind::Integer {
            let message = "a condition compares integers, which are known when the model is read";
            let d = Diagnostic::new(Code::MalformedCondition, e.span, message).caption("this is not an integer");
            self.error(d.help("compare indices, whole numbers and `int` parameters: other parameters get their values later, and `--set` changes them; a size or a switch is declared `param n : int = 3`"));
            return None;
        }
        self.index(e, loops)?.eval(point)
    }

    /// What an expression is, from how it is written.
    fn kind(&self, e: &ast::Expr) -> Kind {
        let of_operands = || {
            let integers = e.kind.operands().into_iter().all(|e| self.kind(e) == Kind::Integer);
            if integers { Kind::Integer } else { Kind::Real }
        };
        match &e.kind {
            ExprKind::Number(text) if text.bytes().all(|b| b.is_ascii_digit()) => Kind::Integer,
            ExprKind::Number(_) | ExprKind::Pi | ExprKind::Fold { .. } => Kind::Real,
            ExprKind::List(_) => Kind::List,
            // What is not known is reported where it is used; an index is an integer.
            ExprKind::Reference(r) => match self.names.get(&r.name.text) {
                None | Some(Meaning::Integer(_) | Meaning::Table(_) | Meaning::Broken) => Kind::Integer,
                Some(_) => Kind::Real,
            },
            ExprKind::Negate(inner) => self.kind(inner),
            ExprKind::Product { rest, .. } if rest.iter().any(|(how, _)| *how == Multiplicative::Over) => Kind::Real,
            ExprKind::Sum { .. } | ExprKind::Product { .. } | ExprKind::Power { .. } => of_operands(),
            ExprKind::Call { function: Function::Floor, .. } => Kind::Integer,
            ExprKind::Call { function: Function::Mod | Function::Min | Function::Max | Function::Abs, .. } => {
                of_operands()
            }
            ExprKind::Call { .. } => Kind::Real,
            ExprKind::If { then, otherwise, .. } => match (self.kind(then), self.kind(otherwise)) {
                (Kind::List, _) | (_, Kind::List) => Kind::List,
                (Kind::Integer, Kind::Integer) => Kind::Integer,
                _ => Kind::Real,
            },
        }
    }

    /// Reports names that mean nothing, also in branches that are not taken.
    fn known_names(&mut self, value: &ast::Expr, loops: &Loops) -> Option<()> {
        let before = self.diagnostics.count();
        for r in value.references() {
            let bound = loops.position(&r.name.text).is_some() || bound_inside(value, &r.name.text);
            if self.names.get(&r.name.text).is_some() {
                self.used.insert(r.name.text.clone());
            } else if !bound {
                self.unknown(&r.name, loops);
            }
        }
        (self.diagnostics.count() == before).then_some(())
    }
}

/// Whether an `if` stands in an expression, outside of sums.
fn asks(e: &ast::Expr) -> bool {
    match &e.kind {
        ExprKind::If { .. } => true,
        ExprKind::Fold { .. } => false,
        kind => kind.operands().into_iter().any(asks),
    }
}

/// Whether a sum inside binds this index.
fn bound_inside(e: &ast::Expr, name: &str) -> bool {
    let here = matches!(&e.kind, ExprKind::Fold { binders, .. } if binders.iter().any(|b| b.index.text == name));
    here || e.kind.operands().into_iter().any(|e| bound_inside(e, name))
}

/// The same loops at one point, or from there to a last value of the innermost index.
fn at_point(loops: &Loops, point: &[i64], to: Option<i64>) -> Loops {
    let mut there = loops.clone();
    let innermost = there.ranges.len().wrapping_sub(1);
    for (v, (range, &k)) in there.ranges.iter_mut().zip(point).enumerate() {
        let high = if v == innermost { to.unwrap_or(k) } else { k };
        *range = Range { name: range.name.clone(), low: Ix::constant(k), high: Ix::constant(high) };
    }
    there
}

/// A term over one member as a term without loops.
fn single_point(term: Term, loops: &Loops) -> Term {
    let one = |r: &Range| r.low.as_constant().filter(|k| r.high.as_constant() == Some(*k)).map(Ix::constant);
    let by: Option<Vec<Ix>> = loops.ranges.iter().map(one).collect();
    match by {
        Some(by) if !by.is_empty() && term.domain.arity() == by.len() => {
            let there = |p: &Place| Place {
                array: p.array.clone(),
                index: p.index.iter().map(|i| i.substitute(&by)).collect(),
            };
            Term::plain(term.at.iter().map(there).collect(), term.value.instantiate(&by))
        }
        _ => term,
    }
}
