//! Integer expressions: indices, bounds of ranges, values of integer parameters.

use super::Elaborator;
use super::scope::{Loops, Meaning};
use crate::diagnostic::{Code, Diagnostic};
use crate::syntax::Function;
use crate::syntax::ast::{self, Additive, ExprKind, Multiplicative};
use cotangent_expr::{Ix, Range};

/// The largest magnitude of an integer in a model, about 10^12: indices stay far from overflow.
pub(super) const LARGEST: i64 = 1 << 40;

/// How many indices may be nested: a sum inside a sum, a sum in a family.
pub(super) const MAX_LOOPS: usize = 12;

impl Elaborator<'_> {
    /// An integer expression as an index, or `None` after a diagnostic.
    pub(super) fn index(&mut self, e: &ast::Expr, loops: &Loops) -> Option<Ix> {
        let ix = self.index_of(e, loops)?;
        self.spend(ix.terms().len() as u64, e.span)?;
        // Arithmetic saturates, so what is beyond the limit cannot be trusted further.
        let written = ix.terms().iter().map(|t| t.1).chain([ix.offset()]);
        let largest = written.map(i64::unsigned_abs).max().unwrap_or(0);
        let reached = loops.domain().hull().and_then(|hull| ix.bounds(&hull));
        let reached = reached.map_or(0, |(a, b)| a.unsigned_abs().max(b.unsigned_abs()));
        if largest.max(reached) > LARGEST.unsigned_abs() {
            let message = format!("this integer is too large: at most {LARGEST} in magnitude");
            self.error(Diagnostic::new(Code::TooLarge, e.span, message).help("reduce the numbers or the range"));
            return None;
        }
        Some(ix)
    }

    /// A constant integer.
    pub(super) fn integer(&mut self, e: &ast::Expr, loops: &Loops) -> Option<i64> {
        let ix = self.index(e, loops)?;
        let value = ix.as_constant();
        if value.is_none() {
            let message = "this must be a constant integer";
            let help = "use numbers and integer parameters here, not an index";
            self.error(Diagnostic::new(Code::NotAnInteger, e.span, message).help(help));
        }
        value
    }

    fn not_an_integer(&mut self, e: &ast::Expr, why: &str, help: &str) -> Option<Ix> {
        self.error(Diagnostic::new(Code::NotAnInteger, e.span, why.to_string()).help(help));
        None
    }

    fn index_of(&mut self, e: &ast::Expr, loops: &Loops) -> Option<Ix> {
        let allowed =
            "an integer is made of whole numbers, `int` parameters and indices with +, -, *, floor(a/b) and mod(a, b)";
        match &e.kind {
            ExprKind::Number(text) => match text.parse::<i64>() {
                Ok(n) => Some(Ix::constant(n)),
                Err(_) if text.bytes().all(|b| b.is_ascii_digit()) => {
                    let message = format!("this integer is too large: at most {LARGEST} in magnitude");
                    self.error(Diagnostic::new(Code::TooLarge, e.span, message).help("reduce it"));
                    None
                }
                Err(_) => self.not_an_integer(
                    e,
                    &format!("`{text}` is not written as an integer"),
                    "sizes and indices are whole numbers, written with digits only",
                ),
            },
            ExprKind::Negate(inner) => Some(self.index(inner, loops)?.times(-1)),
            ExprKind::Sum { first, rest } => {
                let mut sum = self.index(first, loops);
                for (sign, term) in rest {
                    let term = self.index(term, loops);
                    let (Some(left), Some(right)) = (sum.take(), term) else { continue };
                    self.spend(left.terms().len() as u64, e.span)?;
                    sum = Some(left.plus(&right.times(if *sign == Additive::Plus { 1 } else { -1 })));
                }
                sum
            }
            ExprKind::Product { first, rest } => {
                let mut product = self.index(first, loops)?;
                for (how, factor) in rest {
                    if *how == Multiplicative::Over {
                        return self.not_an_integer(
                            e,
                            "a quotient is not an integer",
                            "write floor(a/b) for the quotient rounded down",
                        );
                    }
                    let right = self.index(factor, loops)?;
                    product = match (product.as_constant(), right.as_constant()) {
                        (Some(c), _) => right.times(c),
                        (_, Some(c)) => product.times(c),
                        _ => {
                            return self.not_an_integer(
                                e,
                                "the product of two indices cannot be an index",
                                "sum over the product itself, or put the values into an integer table: `param t[i in 1..n] : int = …`",
                            );
                        }
                    };
                }
                Some(product)
            }
            ExprKind::Power { base, exponent } => {
                let (base, exponent) = (self.integer(base, loops)?, self.integer(exponent, loops)?);
                let power = u32::try_from(exponent).ok().and_then(|k| base.checked_pow(k));
                match power {
                    Some(p) => Some(Ix::constant(p)),
                    None => self.not_an_integer(e, "this power is not an integer that fits", allowed),
                }
            }
            ExprKind::Call { function: Function::Mod, arguments, .. } => {
                let (a, m) = (self.index(&arguments[0], loops), self.integer(&arguments[1], loops));
                let (a, m) = (a?, m?);
                match a.modulo(m) {
                    Some(ix) => Some(ix),
                    None if m == 0 => {
                        self.division_by_zero(arguments[1].span);
                        None
                    }
                    None => self.not_an_integer(
                        &arguments[1],
                        &format!("mod needs a positive modulus, not {m}"),
                        "mod(a, b) lies in 0..b-1",
                    ),
                }
            }
            ExprKind::Call { function: Function::Floor, arguments, .. } => self.floor(&arguments[0], loops),
            ExprKind::Call { function: f @ (Function::Min | Function::Max), arguments, .. } => {
                let values: Option<Vec<i64>> = arguments.iter().map(|a| self.integer(a, loops)).collect();
                let values = values?;
                let found = if *f == Function::Min { values.iter().min() } else { values.iter().max() };
                found.map(|&v| Ix::constant(v))
            }
            ExprKind::Call { function: Function::Abs, arguments, .. } => {
                Some(Ix::constant(self.integer(&arguments[0], loops)?.abs()))
            }
            ExprKind::If { condition, then, otherwise } => {
                let branch = self.integer_branch(condition, (then, otherwise), e.span, loops)?;
                self.index(branch, loops)
            }
            ExprKind::List(_) => {
                self.misplaced_list(e.span);
                None
            }
            ExprKind::Fold { .. } | ExprKind::Call { .. } | ExprKind::Pi => {
                self.not_an_integer(e, "this is not an integer", allowed)
            }
            ExprKind::Reference(r) => {
                if let Some(v) = loops.position(&r.name.text) {
                    if !r.indices.is_empty() || r.prime.is_some() {
                        let message = format!(
                            "`{}` is an index, a single integer: it has no members and no velocity",
                            r.name.text
                        );
                        return self.not_an_integer(e, &message, &format!("write `{}`", r.name.text));
                    }
                    return Some(Ix::var(v));
                }
                match self.names.get(&r.name.text).cloned() {
                    Some(Meaning::Integer(n)) => {
                        self.used.insert(r.name.text.clone());
                        self.no_prime(
                            r,
                            "an integer parameter",
                            "only coordinates, and `let`s made of them, have velocities",
                        )?;
                        self.check_count(&r.name, r.indices.len(), &[], e.span)?;
                        Some(Ix::constant(n))
                    }
                    Some(Meaning::Table(table)) => {
                        self.used.insert(r.name.text.clone());
                        self.no_prime(
                            r,
                            "an integer parameter",
                            "only coordinates, and `let`s made of them, have velocities",
                        )?;
                        let index = self.indices(r, table.dims(), e.span, loops)?;
                        Some(Ix::table(table, index))
                    }
                    Some(Meaning::Broken) => None,
                    Some(m) => {
                        self.used.insert(r.name.text.clone());
                        let help = match m {
                            Meaning::Parameter(_) => format!("declare it as one: `param {} : int = …`", r.name.text),
                            _ => allowed.into(),
                        };
                        self.not_an_integer(e, &format!("`{}` is {}, not an integer", r.name.text, m.describe()), &help)
                    }
                    None => {
                        self.unknown_index(&r.name, loops);
                        None
                    }
                }
            }
        }
    }

    /// floor(a/b) with b a positive integer; the floor of an integer is that integer.
    fn floor(&mut self, e: &ast::Expr, loops: &Loops) -> Option<Ix> {
        if let ExprKind::Product { first, rest } = &e.kind
            && let Some(((Multiplicative::Over, divisor), before)) = rest.split_last().map(|(l, b)| ((l.0, &l.1), b))
            && before.iter().all(|(how, _)| *how == Multiplicative::Times)
        {
            let mut dividend = self.index(first, loops)?;
            for (_, factor) in before {
                let c = self.integer(factor, loops)?;
                dividend = dividend.times(c);
            }
            let d = self.integer(divisor, loops)?;
            return match dividend.floor_div(d) {
                Some(ix) => Some(ix),
                None if d == 0 => {
                    self.division_by_zero(divisor.span);
                    None
                }
                None => self.not_an_integer(
                    divisor,
                    &format!("floor(a/b) needs a positive divisor, not {d}"),
                    "exchange the signs",
                ),
            };
        }
        self.index(e, loops)
    }

    /// Adds binders to the loop variables in scope. Wrong ones are reported and leave the result
    /// broken, with their names known.
    pub(super) fn bind(&mut self, binders: &[ast::Binder], loops: &Loops) -> Loops {
        let mut inner = loops.clone();
        for (k, b) in binders.iter().enumerate() {
            let name = &b.index.text;
            if inner.len() >= MAX_LOOPS {
                let message = format!("more than {MAX_LOOPS} indices are nested here");
                self.error(
                    Diagnostic::new(Code::TooDeep, b.span, message)
                        .help("name an inner sum with `let`, which starts counting anew"),
                );
                inner.broken = true;
                inner.lost.extend(binders[k..].iter().map(|b| b.index.text.clone()));
                return inner;
            }
            let taken = match inner.position(name) {
                Some(v) => {
                    Some((inner.spans[v as usize], format!("the index `{name}` is already in use here"), "bound here"))
                }
                None => (self.names.span(name))
                    .map(|at| (at, format!("the index `{name}` has the name of something else"), "declared here")),
            };
            let free = taken.is_none();
            if let Some((at, message, caption)) = taken {
                let d = Diagnostic::new(Code::DuplicateName, b.index.span, message).label(at, caption);
                self.error(d.help("choose another letter for the index: names are not shadowed"));
                inner.broken = true;
            }
            let (low, high) = (self.index(&b.from, &inner), self.index(&b.to, &inner));
            if inner.position(name).is_some() {
                continue;
            }
            match (low, high) {
                (Some(low), Some(high)) if free => {
                    inner.push(Range { name: name.as_str().into(), low, high }, b.index.span);
                }
                _ => {
                    // Keep the name known, so that its uses are not reported as unknown.
                    let one = Ix::constant(1);
                    inner.push(Range { name: name.as_str().into(), low: one.clone(), high: one }, b.index.span);
                    inner.broken = true;
                }
            }
        }
        inner
    }
}
