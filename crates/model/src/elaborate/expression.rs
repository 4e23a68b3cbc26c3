//! Expressions: from the tree of the text to symbols.

use super::index::MAX_LOOPS;
use super::scope::{Loops, Part, Parts, Purpose};
use super::{Elaborator, poison_advice};
use crate::diagnostic::{Code, Diagnostic, Span};
use crate::syntax::Function;
use crate::syntax::ast::{self, Additive, ExprKind, Fold, Multiplicative};
use cotangent_expr::{self as expr, Expr, Ix, Node, Number, Range};

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
                let decimal = e.kind.decimal();
                let number = decimal.as_ref().and_then(|d| Number::decimal(&d.digits, d.exponent));
                let is_zero = decimal.is_some_and(|d| d.digits == "0");
                let refused = match number {
                    None => Some(("large", "the largest number is about 1.8e308")),
                    // It would silently be 0.
                    Some(n) if n.is_zero() && !is_zero => Some(("small", "the smallest number is about 4.9e-324")),
                    Some(_) => None,
                };
                if let Some((size, help)) = refused {
                    let message = format!("the number {text} is too {size}");
                    self.error(Diagnostic::new(Code::NoValue, e.span, message).help(help));
                    return None;
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
            ExprKind::List(_) => {
                self.misplaced_list(e.span);
                None
            }
            ExprKind::If { condition, then, otherwise } => {
                if !matches!(purpose, Purpose::Constant(_)) {
                    let message = "an `if` cannot stand here: what the motion is made of has to be differentiable";
                    self.error(Diagnostic::new(Code::WrongPlace, e.span, message).help(
                        "`if` chooses the values of parameters, tables and initial values: write `param w[i in 1..n] = if(i = 1, a, b)`, and use `w[i]` here",
                    ));
                    return None;
                }
                let branch = self.branch(condition, (then, otherwise), e.span, loops)?;
                self.parts(branch, loops, purpose)
            }
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
}

pub(super) fn plural<'a>(n: usize, one: &'a str, many: &'a str) -> &'a str {
    if n == 1 { one } else { many }
}
