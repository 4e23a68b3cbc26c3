//! Expressions: from the tree of the text to symbols.

use super::index::MAX_LOOPS;
use super::scope::{Loops, Meaning, Part, Parts, Purpose};
use super::{Elaborator, Energy, poison_advice};
use crate::diagnostic::{Code, Diagnostic, Span};
use crate::syntax::ast::{self, Additive, ExprKind, Fold, Multiplicative, Reference};
use crate::syntax::{Function, Keyword};
use cotangent_expr::{self as expr, Array, Dim, Expr, Ix, Node, Number, Range, Role};

/// The most factors a `product` may have.
const MAX_FACTORS: u64 = 10_000;

/// At most so many values of a divisor made of indices are looked at.
const MAX_DIVISORS: u64 = 10_000;

impl Elaborator<'_> {
    /// An expression as a sum of parts, or `None` after a diagnostic. The tree is as deep as the
    /// parser allows, and `let`s are worked out before, so recursion is safe.
    pub(super) fn parts(&mut self, e: &ast::Expr, loops: &Loops, purpose: Purpose) -> Option<Parts> {
        if self.exhausted() {
            return None;
        }
        let parts = self.parts_of(e, loops, purpose)?;
        if let Some(reason) = parts.0.iter().find_map(|p| p.value.poisoned().or(p.factor.poisoned())) {
            let (code, help) = poison_advice(reason);
            self.error(Diagnostic::new(code, e.span, reason.to_string()).help(help));
            return None;
        }
        let width = |e: &Expr| match e.node() {
            Node::Add(_, terms) => terms.len(),
            Node::Mul(factors) => factors.len(),
            _ => 1,
        };
        let built = parts.0.iter().map(|p| width(&p.value) + width(&p.factor) + 32 * p.loops.len()).sum::<usize>();
        self.spend(built as u64, e.span)?;
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
                if k.as_number().is_some_and(Number::is_negative) {
                    self.check_divisor(&b, base.span, loops)?;
                }
                Some(Parts::plain(b.power(&k)))
            }
            ExprKind::Call { function, arguments, name } => self.call(*function, arguments, *name, loops, purpose),
            ExprKind::Fold { fold: Fold::Sum, binders, body } => {
                let inner = self.bind(binders, loops);
                let span = body.span;
                let mut body = self.parts(body, &inner, purpose)?;
                if inner.broken {
                    return None;
                }
                // Sums put in by `let`s may nest without end: beyond the limit they become arrays.
                if body.0.iter().any(|p| inner.len() + p.loops.len() > MAX_LOOPS) {
                    body = Parts::plain(self.close(body, &inner, span)?);
                }
                let own = &inner.ranges[loops.len()..];
                let part = |p: Part| {
                    let p = p.multiplied();
                    Parts(vec![Part::new(own.iter().cloned().chain(p.loops).collect(), p.value)])
                };
                Some(Parts::sum(body.0.into_iter().map(part).collect()))
            }
            ExprKind::Fold { fold: Fold::Product, binders, body } => {
                let inner = self.bind(binders, loops);
                let body = self.closed(body, &inner, purpose)?;
                if inner.broken {
                    return None;
                }
                self.expanded_product(&body, &inner, loops.len(), e.span).map(Parts::plain)
            }
            ExprKind::Reference(r) => self.reference(r, e.span, loops, purpose),
        }
    }

    pub(super) fn division_by_zero(&mut self, span: Span) {
        let diagnostic = Diagnostic::new(Code::DivisionByZero, span, "division by zero").caption("this is 0");
        self.error(diagnostic.help("a quotient needs a divisor that is not identically zero"));
    }

    /// Refuses a divisor that is zero: identically, or for some value of an index it is made of.
    fn check_divisor(&mut self, divisor: &Expr, span: Span, loops: &Loops) -> Option<()> {
        if divisor.is_zero() {
            self.division_by_zero(span);
            return None;
        }
        let domain = loops.domain();
        let only_indices = divisor.free() != 0 && divisor.leaves().is_empty();
        if !only_indices || loops.broken || domain.count(MAX_DIVISORS + 1) > MAX_DIVISORS {
            return Some(());
        }
        let mut bad = None;
        domain.for_each(&mut |point| {
            let by: Vec<Ix> = point.iter().map(|&k| Ix::constant(k)).collect();
            if divisor.instantiate(&by).is_zero() {
                bad = Some(point.to_vec());
            }
            bad.is_none()
        });
        let Some(point) = bad else { return Some(()) };
        let place: Vec<String> = loops.ranges.iter().zip(&point).map(|(r, v)| format!("{} = {v}", r.name)).collect();
        let message = format!("division by zero at {}", place.join(", "));
        let d = Diagnostic::new(Code::DivisionByZero, span, message).caption("this is 0 there");
        self.error(d.help("leave that point out of the range of the index"));
        None
    }

    fn product(
        &mut self,
        first: &ast::Expr,
        rest: &[(Multiplicative, ast::Expr)],
        loops: &Loops,
        purpose: Purpose,
    ) -> Option<Parts> {
        let mut factors = vec![self.closed(first, loops, purpose)];
        for (how, factor) in rest {
            let value = self.closed(factor, loops, purpose);
            factors.push(match how {
                Multiplicative::Times => value,
                Multiplicative::Over => value.and_then(|divisor| {
                    self.check_divisor(&divisor, factor.span, loops)?;
                    Some(divisor.powi(-1))
                }),
            });
        }
        let factors: Option<Vec<Expr>> = factors.into_iter().collect();
        Some(Parts::plain(Expr::product(factors?)))
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
            let s = self.closed(&arguments[1], loops, purpose);
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
            return Some(Parts::plain(Expr::call(expr::Function::Stumpff(order), vec![s?])));
        }
        let values: Vec<Option<Expr>> = arguments.iter().map(|a| self.closed(a, loops, purpose)).collect();
        let values: Option<Vec<Expr>> = values.into_iter().collect();
        let mut values = values?;
        if function == Function::Sqrt {
            return Some(Parts::plain(values[0].sqrt()));
        }
        if function == Function::Mod {
            self.check_divisor(&values[1], arguments[1].span, loops)?;
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
            let message = "the range of a `product` cannot depend on an index outside it";
            self.error(
                Diagnostic::new(Code::MalformedSum, span, message)
                    .help("use a constant range, or exp(sum(…, log(…))) if all factors are positive"),
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
        let count = own.count(MAX_FACTORS + 1);
        if count > MAX_FACTORS {
            let message = format!("this product has more than {MAX_FACTORS} factors");
            let help = "reduce the range, or write exp(sum(…, log(…))) if all factors are positive";
            self.error(Diagnostic::new(Code::TooLarge, span, message).help(help));
            return None;
        }
        let nodes = self.count_nodes(body);
        self.spend(nodes.saturating_mul(count), span)?;
        let mut factors = vec![];
        own.for_each(&mut |point| {
            let by: Vec<Ix> =
                (0..outer).map(|v| Ix::var(v as u8)).chain(point.iter().map(|&k| Ix::constant(k))).collect();
            factors.push(body.instantiate(&by));
            true
        });
        let mut around = inner.clone();
        around.ranges.truncate(outer);
        around.spans.truncate(outer);
        let factors: Option<Vec<Expr>> = factors.into_iter().map(|f| self.resummed(f, &around, span)).collect();
        Some(Expr::product(factors?))
    }

    /// The indices of a reference, checked against the dimensions over the whole domain.
    pub(super) fn indices(&mut self, r: &Reference, dims: &[Dim], span: Span, loops: &Loops) -> Option<Vec<Ix>> {
        self.check_count(&r.name, r.indices.len(), dims, span)?;
        let found: Vec<Option<Ix>> = r.indices.iter().map(|i| self.index(i, loops)).collect();
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
                let letters: Vec<String> =
                    (0..k).map(|v| ["i", "j", "k"].get(v).map_or(format!("i{v}"), |l| l.to_string())).collect();
                let ranges: Vec<String> =
                    letters.iter().zip(dims).map(|(l, d)| format!("{l} in {}..{}", d.first, d.last())).collect();
                let (letters, ranges) = (letters.join(", "), ranges.join(", "));
                let message = format!("`{n}` is a family: it needs {k} {}", plural(k, "index", "indices"));
                Diagnostic::new(Code::IndexCount, span, message)
                    .help(format!("write `{n}[{letters}]` for one member, `sum({ranges}, {n}[{letters}])` for all"))
            }
            (_, 0) => Diagnostic::new(Code::IndexCount, span, format!("`{n}` is not a family: it takes no index"))
                .help(format!("write `{n}`, or declare it as a family: `{n}[i in 1..n]`")),
            (f, k) => {
                let ranges: Vec<String> = dims.iter().map(|d| format!("{}..{}", d.first, d.last())).collect();
                let message = format!("`{n}` takes {k} {}, not {f}", plural(k, "index", "indices"));
                Diagnostic::new(Code::IndexCount, span, message).help(format!(
                    "its {} in {}",
                    plural(k, "index lies", "indices lie"),
                    ranges.join(" and ")
                ))
            }
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
        if loops.broken {
            return Some(());
        }
        let Some(hull) = domain.hull() else { return Some(()) };
        let inside = |(i, d): (&Ix, &Dim)| i.bounds(&hull).is_some_and(|(a, b)| d.contains(a) && d.contains(b));
        if index.iter().zip(dims).all(inside) {
            return Some(());
        }
        if domain.count(self.limits.points + 1) > self.limits.points {
            let message = format!(
                "the index of `{name}` may leave its family, and takes more than {} values to check",
                self.limits.points
            );
            self.error(Diagnostic::new(Code::TooLarge, span, message).help("reduce the ranges"));
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
        // A boundary that is wrong or did not parse may have extended the family.
        if boundary.is_some_and(|a| self.broken_boundaries.contains(&a.digest()))
            || self.parsed.lacks(Keyword::Boundary) && self.skipped.contains(name)
        {
            return None;
        }
        let shown: Vec<String> = at.iter().map(|k| k.map_or("?".into(), |k| k.to_string())).collect();
        let empty = dims.iter().any(|d| d.len == 0);
        let ranges: Vec<String> = dims.iter().map(|d| format!("{}..{}", d.first, d.last())).collect();
        let ranges = ranges.join(" × ");
        let place: Vec<String> = loops.ranges.iter().zip(&vars).map(|(r, v)| format!("{} = {v}", r.name)).collect();
        let for_point = if place.is_empty() { String::new() } else { format!(" (reached at {})", place.join(", ")) };
        let member = format!("{name}[{}]", shown.join(", "));
        let message = if empty {
            format!("`{member}` does not exist: `{name}` has no members, its range is {ranges}{for_point}")
        } else {
            format!("`{member}` is outside the range of `{name}`, {ranges}{for_point}")
        };
        let mut d = Diagnostic::new(Code::IndexOutOfRange, span, message);
        if let Some(declared) = self.names.span(name) {
            d = d.label(declared, "declared here");
        }
        let change =
            if place.is_empty() { format!("use an index in {ranges}") } else { "change the range of the index".into() };
        let help = match boundary {
            Some(a) if a.role() != Role::Momentum => {
                format!("{change}, or say what it is out there: `boundary {member} = …`").replace('\'', "")
            }
            _ => change,
        };
        self.error(d.help(help));
        None
    }

    /// Refuses a prime on what has no velocity.
    pub(super) fn no_prime(&mut self, r: &Reference, what: &str, help: &str) -> Option<()> {
        let Some(prime) = r.prime else { return Some(()) };
        let message = format!("`{}` is {what}: it has no velocity", r.name.text);
        self.error(Diagnostic::new(Code::MisplacedPrime, prime, message).help(help));
        None
    }

    fn reference(&mut self, r: &Reference, span: Span, loops: &Loops, purpose: Purpose) -> Option<Parts> {
        let name = &r.name.text;
        if let Some(v) = loops.position(name) {
            self.no_prime(r, "an index", "only coordinates have velocities")?;
            if !r.indices.is_empty() {
                let message = format!("`{name}` is an index, a single integer: it has no members");
                self.error(Diagnostic::new(Code::IndexCount, span, message).help(format!("write `{name}`")));
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
        if !matches!(meaning, Meaning::Coordinate { .. } | Meaning::Broken) {
            let help = match meaning {
                Meaning::Variable(_) => "in a Poisson or constant-form model the bracket or form gives the motion",
                Meaning::Momentum(_) => "a momentum's rate of change follows from the energy",
                Meaning::Let(_) => "only coordinates have velocities: write the derivative out by the chain rule",
                _ => "only coordinates have velocities, and a parameter is constant",
            };
            self.no_prime(r, meaning.describe(), help)?;
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
        self.roles.add(array.role());
        self.check_role(array.role(), &r.name.text, span, purpose, None)?;
        self.check_count(&r.name, r.indices.len(), array.dims(), span)?;
        let found: Vec<Option<Ix>> = r.indices.iter().map(|i| self.index(i, loops)).collect();
        let index: Option<Vec<Ix>> = found.into_iter().collect();
        let index = index?;
        self.check_range(&r.name.text, &index, array.dims(), span, loops, Some(array))?;
        Some(Parts::plain(Expr::at(array, index)))
    }

    /// Refuses what does not belong at this place.
    pub(super) fn check_role(
        &mut self,
        role: Role,
        name: &str,
        span: Span,
        purpose: Purpose,
        through: Option<Span>,
    ) -> Option<()> {
        use Purpose as P;
        if matches!(purpose, P::Let) || role == Role::Parameter {
            return Some(());
        }
        let moves = matches!(role, Role::Coordinate | Role::Velocity | Role::Momentum);
        let hamiltonian = self.energy == Some(Energy::Hamiltonian);
        let lagrangian = self.energy == Some(Energy::Lagrangian);
        // What the reader sees at this place: the thing itself, or a `let` made of it.
        let is = |what: &str| match through {
            None => format!("`{name}` is {what}"),
            Some(_) => format!("`{name}` contains {what}"),
        };
        let instead = || match through {
            None => format!("use the momentum `{}`", self.momentum_of(name)),
            Some(_) => "use momenta instead of velocities".into(),
        };
        let velocity = match through {
            None => format!("`{name}'` is a velocity"),
            Some(_) => is("a velocity"),
        };
        let (message, help): (String, String) = match (purpose, role) {
            (P::Constant(what), _) if moves => (
                format!("{what} is fixed before the motion starts, and `{name}` is part of the motion"),
                "use numbers and parameters: a value that several places need can be a `param`".into(),
            ),
            (P::Lagrangian, Role::Momentum) => (
                format!("{}: a Lagrangian is written in positions and velocities", is("a momentum")),
                "write the velocity with a prime (x'), or state the model as a `hamiltonian`".into(),
            ),
            (P::Hamiltonian, Role::Velocity) => (
                format!("{velocity}: a Hamiltonian is written in positions and momenta"),
                format!("{}, or state the model as a `lagrangian`", instead()),
            ),
            (P::Quantity, Role::Velocity) if hamiltonian => (
                format!("{velocity}: this model is given by a Hamiltonian, which has momenta"),
                instead(),
            ),
            (P::Constraint, Role::Velocity) => (
                format!("{velocity}: a plain `constraint` is about positions, and one with velocities must say what it means"),
                "write `vakonomic NAME: …` if the varied paths obey it too (variational: sub-Riemannian geometry, optimal \
                 control). Rolling without slipping is nonholonomic (d'Alembert): another mechanics, which Cotangent does not do"
                    .into(),
            ),
            (P::Gauge, Role::Velocity) => (
                format!("{velocity}: a gauge condition is about positions and momenta"),
                "write it without velocities".into(),
            ),
            (P::Constraint, Role::Momentum) if lagrangian => (
                format!("{}: a Lagrangian model is constrained in positions", is("a momentum")),
                "constrain positions, or state the model as a `hamiltonian`".into(),
            ),
            (P::Vakonomic, Role::Momentum) => (
                format!("{}: a vakonomic constraint is written in positions and velocities", is("a momentum")),
                "write the velocity with a prime (x')".into(),
            ),
            (P::Form, _) if moves => (
                format!("the form must be constant, and {}", is("a variable")),
                "a matrix that depends on the variables is a `bracket`".into(),
            ),
            (P::Boundary, Role::Velocity | Role::Momentum) => (
                format!("{}: a boundary is made of parameters and positions", if role == Role::Velocity { velocity } else { is("a momentum") }),
                "give the position; its velocity follows".into(),
            ),
            _ => return Some(()),
        };
        // One statement with several velocities is one mistake.
        let statements = &self.parsed.file.statements;
        let statement = statements.partition_point(|s| s.span.start <= span.start);
        if !self.misplaced.insert((statement, role)) {
            return None;
        }
        let mut d = Diagnostic::new(Code::WrongPlace, span, message);
        if let Some(at) = through {
            d = d.label(at, "defined here");
        }
        self.error(d.help(help));
        None
    }

    /// The name of the momentum of a coordinate.
    fn momentum_of(&self, coordinate: &str) -> String {
        let statements = self.parsed.file.statements.iter();
        let all =
            statements.filter_map(|s| if let ast::StatementKind::Coord(list) = &s.kind { Some(list) } else { None });
        let own = all.flatten().find(|c| c.head.name.text == coordinate);
        let given = own.and_then(|c| c.momentum.as_ref()).map(|m| m.text.clone());
        given.unwrap_or_else(|| format!("p_{coordinate}"))
    }
}

pub(super) fn plural<'a>(n: usize, one: &'a str, many: &'a str) -> &'a str {
    if n == 1 { one } else { many }
}
