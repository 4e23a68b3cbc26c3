//! Named sub-expressions: worked out once, in the order they depend on one another.

use super::Elaborator;
use super::scope::{Let, LetState, Loops, Meaning, Part, Parts, Purpose, Roles};
use crate::diagnostic::{Code, Diagnostic, Span};
use crate::syntax::ast::{self, ExprKind, Reference};
use cotangent_expr::{Ix, Range, Role};

/// A `let` on the way to being worked out: its position, what it refers to, and how many of those
/// have been looked at.
struct Pending {
    own: usize,
    needs: Vec<(usize, Span)>,
    next: usize,
}

impl Elaborator<'_> {
    /// Works out every `let`, also those that nothing uses, for their mistakes.
    pub(super) fn all_lets(&mut self) {
        for k in 0..self.lets.len() {
            self.work_out(k);
        }
    }

    /// A `let` put in with the indices of this use.
    pub(super) fn let_value(
        &mut self,
        k: usize,
        r: &Reference,
        span: Span,
        loops: &Loops,
        purpose: Purpose,
    ) -> Option<Parts> {
        self.work_out(k);
        let LetState::Done { loops: own, parts, roles, nodes } = &self.lets[k].state else { return None };
        let (own, mut parts, mut roles, mut nodes) = (own.clone(), parts.clone(), *roles, *nodes);
        let mut name = r.name.text.clone();
        if let Some(prime) = r.prime {
            parts = self.velocity_of_let(k, prime)?;
            roles.add(Role::Velocity);
            nodes = parts.0.iter().map(|p| self.count_nodes(&p.value) + self.count_nodes(&p.factor)).sum();
            name.push('\'');
        }
        self.roles.join(roles);
        for role in [Role::Velocity, Role::Momentum, Role::Coordinate] {
            if roles.has(role) {
                let declared = self.lets[k].definition.head.span;
                self.check_role(role, &name, span, purpose, Some(declared))?;
            }
        }
        let dims = own.dims()?;
        let by = self.indices(r, &dims, span, loops)?;
        if parts.0.iter().all(|p| p.loops.is_empty() && p.value.free() == 0) {
            return Some(parts);
        }
        // New nodes, and the work of finding them.
        self.spend(2 * nodes, span)?;
        let mut put = vec![];
        for p in parts.0 {
            let mut by = by.clone();
            let mut inner = vec![];
            for range in p.loops {
                inner.push(Range {
                    name: range.name.clone(),
                    low: range.low.substitute(&by),
                    high: range.high.substitute(&by),
                });
                by.push(Ix::var((loops.len() + inner.len() - 1) as u8));
            }
            let factor = self.resummed(p.factor.instantiate(&by), loops, span)?;
            let value = self.resummed(p.value.instantiate(&by), &loops.with(&inner), span)?;
            put.push(Part { loops: inner, factor, value });
        }
        Some(Parts(put))
    }

    /// Works out a `let` and all it refers to, those first. A loop over a list, not recursion: a
    /// chain of `let`s may be as long as the text.
    fn work_out(&mut self, k: usize) {
        let mut path = vec![];
        self.enter(k, &mut path);
        while let Some(step) = path.last_mut() {
            if let Some(&(need, used_at)) = step.needs.get(step.next) {
                step.next += 1;
                if matches!(self.lets[need].state, LetState::UnderWay) {
                    self.cycle(&path, need, used_at);
                } else {
                    self.enter(need, &mut path);
                }
            } else {
                let own = step.own;
                path.pop();
                if matches!(self.lets[own].state, LetState::UnderWay) {
                    self.lets[own].state = self.evaluated(own).unwrap_or(LetState::Failed);
                }
            }
        }
    }

    fn enter(&mut self, k: usize, path: &mut Vec<Pending>) {
        if !matches!(self.lets[k].state, LetState::Waiting) {
            return;
        }
        self.lets[k].state = LetState::UnderWay;
        let mut references = vec![];
        let definition = self.lets[k].definition;
        definition.head.binders.iter().for_each(|b| in_binder(b, &mut references));
        in_expression(&definition.value, &mut references);
        let need = |r: &Reference| match self.names.get(&r.name.text) {
            Some(Meaning::Let(need)) => Some((*need, r.name.span)),
            _ => None,
        };
        path.push(Pending { own: k, needs: references.into_iter().filter_map(need).collect(), next: 0 });
    }

    /// Reports that the last `let` of the path refers back to `first`.
    fn cycle(&mut self, path: &[Pending], first: usize, used_at: Span) {
        let from = path.iter().position(|s| s.own == first).unwrap_or(0);
        let around: Vec<usize> = path[from..].iter().map(|s| s.own).collect();
        let name = |k: usize| self.lets[k].definition.head.name.clone();
        let names: Vec<String> = around.iter().chain([&first]).map(|&k| format!("`{}`", name(k).text)).collect();
        let message = match around.len() {
            1 => format!("{} is defined in terms of itself", names[0]),
            _ => format!("{} is defined in terms of itself: {}", names[0], shortened(&names).join(" uses ")),
        };
        let mut d = Diagnostic::new(Code::CyclicLet, used_at, message);
        for &k in around.iter().take(4) {
            d = d.label(name(k).span, "defined here");
        }
        self.error(d.help("a `let` is a name for an expression, not an equation: use a `constraint` for an equation"));
        for k in around {
            self.lets[k].state = LetState::Failed;
        }
    }

    fn evaluated(&mut self, k: usize) -> Option<LetState> {
        let definition = self.lets[k].definition;
        let loops = self.bind(&definition.head.binders, &Loops::default());
        if !loops.broken && loops.dims().is_none() {
            self.rectangular_error(definition.head.span);
            return None;
        }
        let before = std::mem::take(&mut self.roles);
        let parts = self.parts(&definition.value, &loops, Purpose::Let);
        let roles: Roles = std::mem::replace(&mut self.roles, before);
        let parts = parts?;
        if loops.broken {
            return None;
        }
        let mut nodes = 1;
        for p in &parts.0 {
            nodes += self.count_nodes(&p.value) + self.count_nodes(&p.factor);
        }
        self.spend(nodes, definition.span)?;
        Some(LetState::Done { loops, parts, roles, nodes })
    }
}

impl<'a> Let<'a> {
    pub(super) fn new(definition: &'a ast::Definition) -> Let<'a> {
        Let { definition, state: LetState::Waiting }
    }
}

/// At most six names, the middle left out.
fn shortened(names: &[String]) -> Vec<String> {
    match names.len() {
        ..=6 => names.to_vec(),
        n => names[..4].iter().cloned().chain(["…".into(), names[n - 1].clone()]).collect(),
    }
}

fn in_binder<'e>(b: &'e ast::Binder, found: &mut Vec<&'e Reference>) {
    in_expression(&b.from, found);
    in_expression(&b.to, found);
}

/// Every reference in an expression.
pub(super) fn in_expression<'e>(e: &'e ast::Expr, found: &mut Vec<&'e Reference>) {
    match &e.kind {
        ExprKind::Number(_) | ExprKind::Pi => {}
        ExprKind::Reference(r) => {
            found.push(r);
            r.indices.iter().for_each(|i| in_expression(i, found));
        }
        ExprKind::Negate(inner) => in_expression(inner, found),
        ExprKind::Sum { first, rest } => {
            in_expression(first, found);
            rest.iter().for_each(|(_, e)| in_expression(e, found));
        }
        ExprKind::Product { first, rest } => {
            in_expression(first, found);
            rest.iter().for_each(|(_, e)| in_expression(e, found));
        }
        ExprKind::Power { base, exponent } => {
            in_expression(base, found);
            in_expression(exponent, found);
        }
        ExprKind::Call { arguments, .. } => arguments.iter().for_each(|a| in_expression(a, found)),
        ExprKind::Fold { binders, body, .. } => {
            binders.iter().for_each(|b| in_binder(b, found));
            in_expression(body, found);
        }
        ExprKind::List(items) => items.iter().for_each(|i| in_expression(i, found)),
        ExprKind::If { condition, then, otherwise } => {
            in_condition(condition, found);
            in_expression(then, found);
            in_expression(otherwise, found);
        }
    }
}

fn in_condition<'e>(c: &'e ast::Condition, found: &mut Vec<&'e Reference>) {
    match c {
        ast::Condition::Compare { left, right, .. } => {
            in_expression(left, found);
            in_expression(right, found);
        }
        ast::Condition::Not(inner) => in_condition(inner, found),
        ast::Condition::All(all) | ast::Condition::Any(all) => all.iter().for_each(|c| in_condition(c, found)),
    }
}
