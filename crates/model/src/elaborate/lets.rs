//! Named sub-expressions: worked out once, in the order they depend on one another.

use super::Elaborator;
use super::scope::{Let, LetState, Loops, Meaning, Part, Parts, Purpose, Roles};
use crate::diagnostic::{Code, Diagnostic, Span};
use crate::syntax::ast::{self, Reference};
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
        let definition = self.lets[k].definition;
        let binders = definition.head.binders.iter().flat_map(|b| [&b.from, &b.to]);
        let references = binders.chain([&definition.value]).flat_map(ast::Expr::references);
        let need = |r: &Reference| match self.names.get(&r.name.text) {
            Some(Meaning::Let(need)) => Some((*need, r.name.span)),
            _ => None,
        };
        path.push(Pending { own: k, needs: references.filter_map(need).collect(), next: 0 });
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
