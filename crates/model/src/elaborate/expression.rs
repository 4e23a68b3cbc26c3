//! Expressions: from the tree of the text to symbols.

use super::Elaborator;
use super::scope::{LetState, Loops, Meaning, Part, Parts, Purpose};
use crate::diagnostic::{Code, Diagnostic, Span};
use crate::syntax::Function;
use crate::syntax::ast::{self, Additive, ExprKind, Fold, Multiplicative, Reference};
use cotangent_expr::{self as expr, Array, Dim, Expr, Ix, MAX_POINTS, Number, Range, Role};

/// The most factors a `product` may have.
const MAX_FACTORS: u64 = 10_000;

impl Elaborator<'_> {
    /// An expression as a sum of parts, or `None` after a diagnostic.
    pub(super) fn parts(&mut self, e: &ast::Expr, loops: &Loops, purpose: Purpose) -> Option<Parts> {
        self.depth += 1;
        let parts = if self.depth > MAX_DEPTH {
            let message = "this refers through too many expressions inside one another";
            self.error(
                Diagnostic::new(Code::TooDeep, e.span, message).help("define a `let` before the one that uses it"),
            );
            None
        } else {
            self.parts_of(e, loops, purpose)
        };
        self.depth -= 1;
        let parts = parts?;
        if let Some(reason) = parts.0.iter().find_map(|p| p.value.poisoned()) {
            self.error(
                Diagnostic::new(Code::NoValue, e.span, reason.to_string()).help("check the numbers in this expression"),
            );
            return None;
        }
        Some(parts)
    }

    /// An expression as one scalar: sums over loops become arrays of their own.
    pub(super) fn closed(&mut self, e: &ast::Expr, loops: &Loops, purpose: Purpose) -> Option<Expr> {
        let parts = self.parts(e, loops, purpose)?;
        self.close(parts, loops, e.span)
    }

    fn parts_of(&mut self, e: &ast::Expr, loops: &Loops, purpose: Purpose) -> Option<Parts> {
        match &e.kind {
            ExprKind::Number(text) => {
                let number = e.kind.decimal().and_then(|d| Number::decimal(&d.digits, d.exponent));
                if number.is_none() {
                    let message = format!("the number {text} is too large");
                    self.error(
                        Diagnostic::new(Code::NoValue, e.span, message).help("the largest number is about 1.8e308"),
                    );
                }
                Some(Parts::plain(Expr::number(number?)))
            }
            ExprKind::Pi => Some(Parts::plain(Expr::pi())),
            ExprKind::Negate(inner) => Some(self.parts(inner, loops, purpose)?.map(|v| -v)),
            ExprKind::Sum { first, rest } => {
                let mut all = vec![self.parts(first, loops, purpose)];
                for (sign, term) in rest {
                    let parts = self.parts(term, loops, purpose);
                    all.push(if *sign == Additive::Plus { parts } else { parts.map(|p| p.map(|v| -v)) });
                }
                let all: Option<Vec<Parts>> = all.into_iter().collect();
                Some(Parts::sum(all?))
            }
            ExprKind::Product { first, rest } => self.product(first, rest, loops, purpose),
            ExprKind::Power { base, exponent } => {
                let (b, k) = (self.closed(base, loops, purpose), self.closed(exponent, loops, purpose));
                let (b, k) = (b?, k?);
                if b.is_zero() && k.as_number().is_some_and(Number::is_negative) {
                    return self.division_by_zero(base.span);
                }
                Some(Parts::plain(b.power(&k)))
            }
            ExprKind::Call { function, arguments, name } => self.call(*function, arguments, *name, loops, purpose),
            ExprKind::Fold { fold: Fold::Sum, binders, body } => {
                let inner = self.bind(binders, loops);
                let Some(inner) = inner else {
                    return None;
                };
                let body = self.parts(body, &inner, purpose)?;
                let own = &inner.ranges[loops.len()..];
                let part = |p: Part| Part { loops: own.iter().cloned().chain(p.loops).collect(), value: p.value };
                Some(Parts(body.0.into_iter().map(part).collect()))
            }
            ExprKind::Fold { fold: Fold::Product, binders, body } => {
                let inner = self.bind(binders, loops)?;
                let body = self.closed(body, &inner, purpose)?;
                self.expanded_product(&body, &inner, loops.len(), e.span).map(Parts::plain)
            }
            ExprKind::Reference(r) => self.reference(r, e.span, loops, purpose),
        }
    }

    fn division_by_zero(&mut self, span: Span) -> Option<Parts> {
        let diagnostic = Diagnostic::new(Code::DivisionByZero, span, "division by zero").caption("this is 0");
        self.error(diagnostic.help("a quotient needs a divisor that is not identically zero"));
        None
    }

    fn product(
        &mut self,
        first: &ast::Expr,
        rest: &[(Multiplicative, ast::Expr)],
        loops: &Loops,
        purpose: Purpose,
    ) -> Option<Parts> {
        let mut product = self.parts(first, loops, purpose);
        for (how, factor) in rest {
            match how {
                Multiplicative::Times => {
                    let right = self.parts(factor, loops, purpose);
                    let (Some(left), Some(right)) = (product.take(), right) else { continue };
                    product = match (left.as_plain().cloned(), right.as_plain().cloned()) {
                        (Some(a), _) => Some(right.map(|v| &a * v)),
                        (_, Some(b)) => Some(left.map(|v| v * &b)),
                        // Two sums: each becomes an array, so that their product is one term.
                        _ => {
                            let a = self.close(left, loops, first.span)?;
                            Some(Parts::plain(a * self.close(right, loops, factor.span)?))
                        }
                    };
                }
                Multiplicative::Over => {
                    let divisor = self.closed(factor, loops, purpose);
                    let (Some(left), Some(divisor)) = (product.take(), divisor) else { continue };
                    if divisor.is_zero() {
                        return self.division_by_zero(factor.span);
                    }
                    product = Some(left.map(|v| v / &divisor));
                }
            }
        }
        product
    }

    fn call(
        &mut self,
        function: Function,
        arguments: &[ast::Expr],
        name: Span,
        loops: &Loops,
        purpose: Purpose,
    ) -> Option<Parts> {
        if function == Function::Stumpff {
            let order = match &arguments[0].kind {
                ExprKind::Number(text) => text.parse::<u32>().ok().filter(|&k| k <= 1000),
                _ => None,
            };
            let Some(order) = order else {
                let message = "the order of `stumpff` must be an integer from 0 to 1000, written out";
                self.error(
                    Diagnostic::new(Code::NotAnInteger, arguments[0].span, message)
                        .help("stumpff(0, s) is cos(sqrt(s)), stumpff(1, s) is sin(sqrt(s))/sqrt(s)"),
                );
                return None;
            };
            let s = self.closed(&arguments[1], loops, purpose)?;
            return Some(Parts::plain(Expr::call(expr::Function::Stumpff(order), vec![s])));
        }
        let values: Vec<Option<Expr>> = arguments.iter().map(|a| self.closed(a, loops, purpose)).collect();
        let values: Option<Vec<Expr>> = values.into_iter().collect();
        let mut values = values?;
        if function == Function::Sqrt {
            return Some(Parts::plain(values[0].sqrt()));
        }
        if function == Function::Mod && values[1].is_zero() {
            return self.division_by_zero(arguments[1].span);
        }
        let Some(f) = expr::Function::NAMED.iter().find(|f| f.name() == function.name()) else {
            self.error(Diagnostic::new(Code::UnknownFunction, name, format!("`{function}` cannot be used here")));
            return None;
        };
        if f.arity() == 1 {
            return Some(Parts::plain(Expr::call(*f, values)));
        }
        // min and max of several, from the left.
        let mut value = values.remove(0);
        for next in values {
            value = Expr::call(*f, vec![value, next]);
        }
        Some(Parts::plain(value))
    }

    /// A product over constant ranges, written out.
    fn expanded_product(&mut self, body: &Expr, inner: &Loops, outer: usize, span: Span) -> Option<Expr> {
        let own = expr::Domain::Ranges(inner.ranges[outer..].to_vec());
        let depends = inner.ranges[outer..].iter().any(|r| (r.low.free() | r.high.free()) & ((1u64 << outer) - 1) != 0);
        if depends {
            let message = "the range of a `product` must not depend on an index outside it";
            self.error(
                Diagnostic::new(Code::MalformedSum, span, message)
                    .help("write exp(sum(…, log(…))) if the factors are positive"),
            );
            return None;
        }
        // Bounds refer to positions counted from the outermost loop.
        let shifted: Vec<Range> = inner.ranges[outer..]
            .iter()
            .map(|r| {
                let back: Vec<Ix> = (0..inner.len()).map(|v| Ix::var(v.saturating_sub(outer) as u8)).collect();
                Range { name: r.name.clone(), low: r.low.substitute(&back), high: r.high.substitute(&back) }
            })
            .collect();
        let own = if outer == 0 { own } else { expr::Domain::Ranges(shifted) };
        if own.count(MAX_FACTORS + 1) > MAX_FACTORS {
            self.error(Diagnostic::new(
                Code::TooLarge,
                span,
                format!("this product has more than {MAX_FACTORS} factors"),
            ));
            return None;
        }
        let mut factors = vec![];
        own.for_each(&mut |point| {
            let by: Vec<Ix> =
                (0..outer).map(|v| Ix::var(v as u8)).chain(point.iter().map(|&k| Ix::constant(k))).collect();
            factors.push(body.instantiate(&by));
            true
        });
        Some(Expr::product(factors))
    }

    /// The indices of a reference, checked against the dimensions over the whole domain.
    pub(super) fn indices(&mut self, r: &Reference, dims: &[Dim], span: Span, loops: &Loops) -> Option<Vec<Ix>> {
        let found: Vec<Option<Ix>> = r.indices.iter().map(|i| self.index(i, loops)).collect();
        self.check_count(&r.name, found.len(), dims, span)?;
        let index: Option<Vec<Ix>> = found.into_iter().collect();
        let index = index?;
        self.check_range(&r.name.text, &index, dims, span, loops, None)?;
        Some(index)
    }

    pub(super) fn check_count(&mut self, name: &ast::Name, found: usize, dims: &[Dim], span: Span) -> Option<()> {
        if found == dims.len() {
            return Some(());
        }
        let n = &name.text;
        let diagnostic = match (found, dims.len()) {
            (0, k) => {
                let ranges: Vec<String> = dims.iter().map(|d| format!("{}..{}", d.first, d.last())).collect();
                Diagnostic::new(
                    Code::IndexCount,
                    span,
                    format!("`{n}` is a family: it needs {k} {}", plural(k, "index", "indices")),
                )
                .help(format!("write `{n}[i]` with i in {}, or sum over it", ranges.join(", ")))
            }
            (_, 0) => Diagnostic::new(Code::IndexCount, span, format!("`{n}` is not a family: it has no index"))
                .help(format!("write `{n}`")),
            (f, k) => Diagnostic::new(
                Code::IndexCount,
                span,
                format!("`{n}` takes {k} {}, not {f}", plural(k, "index", "indices")),
            ),
        };
        let declared = self.names.span(n);
        self.error(match declared {
            Some(at) => diagnostic.label(at, "declared here"),
            None => diagnostic,
        });
        None
    }

    /// Checks that an index stays inside (or on a boundary) for every point of the loops.
    pub(super) fn check_range(
        &mut self,
        name: &str,
        index: &[Ix],
        dims: &[Dim],
        span: Span,
        loops: &Loops,
        boundary: Option<&Array>,
    ) -> Option<()> {
        let domain = loops.domain();
        let Some(hull) = domain.hull() else { return Some(()) };
        let inside = |(i, d): (&Ix, &Dim)| i.bounds(&hull).is_some_and(|(a, b)| d.contains(a) && d.contains(b));
        if index.iter().zip(dims).all(inside) {
            return Some(());
        }
        if domain.count(MAX_POINTS + 1) > MAX_POINTS {
            self.error(Diagnostic::new(Code::TooLarge, span, format!("more than {MAX_POINTS} points to check")));
            return None;
        }
        let mut bad: Option<(Vec<i64>, Vec<Option<i64>>)> = None;
        domain.for_each(&mut |vars| {
            let at: Vec<Option<i64>> = index.iter().map(|i| i.eval(vars)).collect();
            let all: Option<Vec<i64>> = at.iter().copied().collect();
            let good = all.is_some_and(|at| {
                at.iter().zip(dims).all(|(&k, d)| d.contains(k))
                    || boundary.is_some_and(|a| self.boundaries.get(&a.digest()).is_some_and(|b| b.contains_key(&at)))
            });
            if !good {
                bad = Some((vars.to_vec(), at));
            }
            bad.is_none()
        });
        let Some((vars, at)) = bad else { return Some(()) };
        let shown: Vec<String> = at.iter().map(|k| k.map_or("?".into(), |k| k.to_string())).collect();
        let ranges: Vec<String> = dims
            .iter()
            .map(|d| if d.len == 0 { "no index at all".into() } else { format!("{}..{}", d.first, d.last()) })
            .collect();
        let place: Vec<String> = loops.ranges.iter().zip(&vars).map(|(r, v)| format!("{} = {v}", r.name)).collect();
        let for_point = if place.is_empty() { String::new() } else { format!(" (at {})", place.join(", ")) };
        let message = format!(
            "`{name}[{}]` is outside the range of `{name}`, {}{for_point}",
            shown.join(", "),
            ranges.join(" × ")
        );
        let mut d = Diagnostic::new(Code::IndexOutOfRange, span, message);
        if let Some(declared) = self.names.span(name) {
            d = d.label(declared, "declared here");
        }
        let help = match boundary {
            Some(_) if place.is_empty() => format!("use an index in {}", ranges.join(" × ")),
            Some(_) => format!(
                "change the range of the index, or extend the family: boundary {name}[{}] = …",
                shown.join(", ")
            ),
            None => "change the range of the index".into(),
        };
        self.error(d.help(help));
        None
    }

    fn reference(&mut self, r: &Reference, span: Span, loops: &Loops, purpose: Purpose) -> Option<Parts> {
        let name = &r.name.text;
        if let Some(v) = loops.position(name) {
            if let Some(prime) = r.prime {
                self.error(Diagnostic::new(Code::MisplacedPrime, prime, format!("the index `{name}` has no velocity")));
                return None;
            }
            if !r.indices.is_empty() {
                self.error(Diagnostic::new(Code::IndexCount, span, format!("the index `{name}` has no members")));
                return None;
            }
            return Some(Parts::plain(Expr::index(Ix::var(v))));
        }
        let Some(meaning) = self.names.get(name).cloned() else {
            // Still look at the indices: their mistakes are the user's too.
            r.indices.iter().for_each(|i| drop(self.index(i, loops)));
            self.unknown(&r.name, loops);
            return None;
        };
        self.used.insert(name.clone());
        if let Some(prime) = r.prime
            && !matches!(meaning, Meaning::Coordinate { .. } | Meaning::Broken)
        {
            let what = meaning.describe();
            let help = match meaning {
                Meaning::Variable(_) => "in a Poisson or constant-form model the bracket gives the motion",
                Meaning::Momentum(_) => "a momentum's rate of change follows from the energy",
                _ => "only coordinates have velocities; write the derivative out",
            };
            self.error(
                Diagnostic::new(Code::MisplacedPrime, prime, format!("`{name}` is {what}: it has no velocity"))
                    .help(help),
            );
            return None;
        }
        match meaning {
            Meaning::Broken => None,
            Meaning::Integer(n) => {
                self.check_count(&r.name, r.indices.len(), &[], span)?;
                Some(Parts::plain(Expr::number(n)))
            }
            Meaning::Table(table) => {
                let index = self.indices(r, table.dims(), span, loops)?;
                Some(Parts::plain(Expr::index(Ix::table(table, index))))
            }
            Meaning::Parameter(array) => {
                let index = self.indices(r, array.dims(), span, loops)?;
                Some(Parts::plain(Expr::at(&array, index)))
            }
            Meaning::Coordinate { position, velocity } => {
                let array = if r.prime.is_some() { velocity } else { position };
                self.element(r, &array, span, loops, purpose)
            }
            Meaning::Momentum(array) | Meaning::Variable(array) => self.element(r, &array, span, loops, purpose),
            Meaning::Let(k) => self.let_value(k, r, span, loops, purpose),
        }
    }

    fn element(&mut self, r: &Reference, array: &Array, span: Span, loops: &Loops, purpose: Purpose) -> Option<Parts> {
        let allowed = self.check_role(array.role(), &r.name.text, span, purpose, None);
        let found: Vec<Option<Ix>> = r.indices.iter().map(|i| self.index(i, loops)).collect();
        self.check_count(&r.name, found.len(), array.dims(), span)?;
        let index: Option<Vec<Ix>> = found.into_iter().collect();
        let index = index?;
        self.check_range(&r.name.text, &index, array.dims(), span, loops, Some(array))?;
        allowed?;
        Some(Parts::plain(Expr::at(array, index)))
    }

    /// A `let`, worked out once and put in with the indices of this use.
    fn let_value(&mut self, k: usize, r: &Reference, span: Span, loops: &Loops, purpose: Purpose) -> Option<Parts> {
        self.work_out(k, span)?;
        let LetState::Done { loops: own, parts } = &self.lets[k].state else { return None };
        let (own, parts) = (own.clone(), parts.clone());
        for role in [Role::Velocity, Role::Momentum, Role::Coordinate] {
            if parts.uses(role) {
                let declared = self.lets[k].definition.span;
                self.check_role(role, &r.name.text, span, purpose, Some(declared))?;
            }
        }
        let dims = own.dims()?;
        let by = self.indices(r, &dims, span, loops)?;
        let put = |p: Part| {
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
            Part { loops: inner, value: p.value.instantiate(&by) }
        };
        Some(Parts(parts.0.into_iter().map(put).collect()))
    }

    fn work_out(&mut self, k: usize, used_at: Span) -> Option<()> {
        match &self.lets[k].state {
            LetState::Done { .. } => return Some(()),
            LetState::Failed => return None,
            LetState::UnderWay => {
                let name = self.lets[k].definition.head.name.clone();
                self.lets[k].state = LetState::Failed;
                self.error(
                    Diagnostic::new(Code::CyclicLet, used_at, format!("`{}` is defined in terms of itself", name.text))
                        .label(name.span, "defined here")
                        .help("a `let` is a name for an expression, not an equation"),
                );
                return None;
            }
            LetState::Waiting => {}
        }
        self.lets[k].state = LetState::UnderWay;
        let definition = self.lets[k].definition.clone();
        let result = self.bind(&definition.head.binders, &Loops::default()).and_then(|own| {
            if own.dims().is_none() {
                self.rectangular_error(definition.head.span);
                return None;
            }
            let parts = self.parts(&definition.value, &own, Purpose::Let)?;
            Some((own, parts))
        });
        let failed = matches!(self.lets[k].state, LetState::Failed);
        self.lets[k].state = match result {
            Some((loops, parts)) if !failed => LetState::Done { loops, parts },
            _ => LetState::Failed,
        };
        matches!(self.lets[k].state, LetState::Done { .. }).then_some(())
    }

    /// Works out a `let` that nothing uses, for its mistakes.
    pub(super) fn check_let(&mut self, k: usize) {
        let span = self.lets[k].definition.span;
        self.work_out(k, span);
    }

    /// Refuses what does not belong at this place.
    fn check_role(
        &mut self,
        role: Role,
        name: &str,
        span: Span,
        purpose: Purpose,
        through: Option<Span>,
    ) -> Option<()> {
        use Purpose as P;
        let momentum_name = format!("p_{name}");
        let (message, help): (String, String) = match (purpose, role) {
            (P::Let | P::Quantity, _) => return Some(()),
            (P::Constant(what), Role::Coordinate | Role::Velocity | Role::Momentum) => {
                (format!("{what} cannot depend on the motion, and `{name}` changes with it"), "use numbers and parameters".into())
            }
            (P::Lagrangian, Role::Momentum) => (
                format!("`{name}` is a momentum: a Lagrangian is written in positions and velocities"),
                "write the velocity with a prime (x'), or state the model as a `hamiltonian`".into(),
            ),
            (P::Hamiltonian, Role::Velocity) => (
                format!("a velocity (`{name}'`) cannot stand in a Hamiltonian"),
                format!("use the momentum `{momentum_name}`, or state the model as a `lagrangian`"),
            ),
            (P::Constraint, Role::Velocity) => (
                "a plain `constraint` cannot contain velocities: it must say what it means".into(),
                "write `vakonomic NAME: …` to impose it on the varied paths (sub-Riemannian geometry, optimal control); \
                 nonholonomic constraints (rolling in the sense of d'Alembert) are another mechanics, which Cotangent does not do"
                    .into(),
            ),
            (P::Constraint, Role::Momentum) if self.is_lagrangian => (
                format!("`{name}` is a momentum: a Lagrangian model is constrained in positions"),
                "constrain positions, or state the model as a `hamiltonian`".into(),
            ),
            (P::Vakonomic, Role::Momentum) => (
                format!("`{name}` is a momentum: a vakonomic constraint is written in positions and velocities"),
                "write the velocity with a prime (x')".into(),
            ),
            (P::Form, Role::Coordinate | Role::Velocity | Role::Momentum) => (
                format!("the form must be constant, and `{name}` is not"),
                "a matrix that depends on the variables is a `bracket`".into(),
            ),
            (P::Boundary, Role::Velocity | Role::Momentum) => {
                ("a boundary is a position".into(), "give the position; its velocity follows".into())
            }
            _ => return Some(()),
        };
        let mut d = Diagnostic::new(Code::WrongPlace, span, message);
        if let Some(at) = through {
            d = d.label(at, "through this `let`");
        }
        self.error(d.help(help));
        None
    }
}

/// How deep expressions and the `let`s they refer to may be nested: `let`s are worked out in the
/// order of the text, so only references to later ones add up.
const MAX_DEPTH: usize = 400;

pub(super) fn plural<'a>(n: usize, one: &'a str, many: &'a str) -> &'a str {
    if n == 1 { one } else { many }
}
