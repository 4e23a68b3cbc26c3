//! Integer expressions: indices, bounds of ranges, values of integer parameters.

use super::Elaborator;
use super::scope::{Loops, Meaning};
use crate::diagnostic::{Code, Diagnostic};
use crate::syntax::Function;
use crate::syntax::ast::{self, Additive, ExprKind, Multiplicative};
use cotangent_expr::{Ix, Range};

/// The largest magnitude of an integer in a model: indices stay far from overflow.
const LARGEST: i64 = 1 << 40;

impl Elaborator<'_> {
    /// An integer expression as an index, or `None` after a diagnostic.
    pub(super) fn index(&mut self, e: &ast::Expr, loops: &Loops) -> Option<Ix> {
        let ix = self.index_of(e, loops)?;
        if let Some(k) = ix.as_constant()
            && k.abs() > LARGEST
        {
            self.error(Diagnostic::new(Code::NotAnInteger, e.span, format!("the integer {k} is too large")));
            return None;
        }
        Some(ix)
    }

    /// A constant integer.
    pub(super) fn integer(&mut self, e: &ast::Expr, loops: &Loops) -> Option<i64> {
        let ix = self.index(e, loops)?;
        let value = ix.as_constant();
        if value.is_none() {
            self.error(Diagnostic::new(Code::NotAnInteger, e.span, "this must be a constant integer"));
        }
        value
    }

    fn not_an_integer(&mut self, e: &ast::Expr, why: &str, help: &str) -> Option<Ix> {
        self.error(Diagnostic::new(Code::NotAnInteger, e.span, why.to_string()).help(help));
        None
    }

    fn index_of(&mut self, e: &ast::Expr, loops: &Loops) -> Option<Ix> {
        let allowed =
            "an index is made of integers, integer parameters and loop indices with +, -, *, floor(a/b) and mod(a, b)";
        match &e.kind {
            ExprKind::Number(text) => match text.parse::<i64>() {
                Ok(n) => Some(Ix::constant(n)),
                Err(_) => self.not_an_integer(e, &format!("`{text}` is not an integer that fits"), allowed),
            },
            ExprKind::Negate(inner) => Some(self.index_of(inner, loops)?.times(-1)),
            ExprKind::Sum { first, rest } => {
                let mut sum = self.index_of(first, loops)?;
                for (sign, term) in rest {
                    let term = self.index_of(term, loops)?;
                    sum = sum.plus(&term.times(if *sign == Additive::Plus { 1 } else { -1 }));
                }
                Some(sum)
            }
            ExprKind::Product { first, rest } => {
                let mut product = self.index_of(first, loops)?;
                for (how, factor) in rest {
                    if *how == Multiplicative::Over {
                        return self.not_an_integer(
                            e,
                            "a quotient is not an integer",
                            "write floor(a/b) for the integer quotient",
                        );
                    }
                    let right = self.index_of(factor, loops)?;
                    product = match (product.as_constant(), right.as_constant()) {
                        (Some(c), _) => right.times(c),
                        (_, Some(c)) => product.times(c),
                        _ => {
                            return self.not_an_integer(
                                e,
                                "the product of two indices cannot be an index",
                                "put the values into an integer table: param t[i in 1..n] : int = …",
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
                let (a, m) = (self.index_of(&arguments[0], loops)?, self.integer(&arguments[1], loops)?);
                match a.modulo(m) {
                    Some(ix) => Some(ix),
                    None => self.not_an_integer(e, &format!("mod needs a positive modulus, not {m}"), allowed),
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
            ExprKind::Fold { .. } | ExprKind::Call { .. } | ExprKind::Pi => {
                self.not_an_integer(e, "this is not an integer", allowed)
            }
            ExprKind::Reference(r) => {
                if let Some(v) = loops.position(&r.name.text) {
                    if !r.indices.is_empty() || r.prime.is_some() {
                        return self.not_an_integer(e, &format!("the index `{}` has no members", r.name.text), allowed);
                    }
                    return Some(Ix::var(v));
                }
                match self.names.get(&r.name.text).cloned() {
                    Some(Meaning::Integer(n)) if r.indices.is_empty() && r.prime.is_none() => {
                        self.used.insert(r.name.text.clone());
                        Some(Ix::constant(n))
                    }
                    Some(Meaning::Table(table)) => {
                        self.used.insert(r.name.text.clone());
                        let index = self.indices(r, table.dims(), e.span, loops)?;
                        Some(Ix::table(table, index))
                    }
                    Some(Meaning::Broken) => None,
                    Some(m) => {
                        let what = m.describe();
                        self.not_an_integer(e, &format!("`{}` is {what}, not an integer", r.name.text), allowed)
                    }
                    None => {
                        self.unknown(&r.name, loops);
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
            let mut dividend = self.index_of(first, loops)?;
            for (_, factor) in before {
                let c = self.integer(factor, loops)?;
                dividend = dividend.times(c);
            }
            let d = self.integer(divisor, loops)?;
            return match dividend.floor_div(d) {
                Some(ix) => Some(ix),
                None => self.not_an_integer(
                    divisor,
                    &format!("floor(a/b) needs a positive divisor, not {d}"),
                    "exchange the signs",
                ),
            };
        }
        self.index_of(e, loops)
    }

    /// Adds binders to the loop variables in scope.
    pub(super) fn bind(&mut self, binders: &[ast::Binder], loops: &Loops) -> Option<Loops> {
        let mut inner = loops.clone();
        let mut good = true;
        for b in binders {
            let name = &b.index.text;
            if let Some(v) = inner.position(name) {
                let before = inner.spans[v as usize];
                self.error(
                    Diagnostic::new(
                        Code::DuplicateName,
                        b.index.span,
                        format!("the index `{name}` is already in use here"),
                    )
                    .label(before, "bound here")
                    .help("choose another letter: an index is not shadowed"),
                );
                good = false;
                continue;
            }
            if let Some(before) = self.names.span(name) {
                self.error(
                    Diagnostic::new(
                        Code::DuplicateName,
                        b.index.span,
                        format!("`{name}` is already the name of something else"),
                    )
                    .label(before, "declared here")
                    .help("choose another letter for the index"),
                );
                good = false;
            }
            let (low, high) = (self.index(&b.from, &inner), self.index(&b.to, &inner));
            match (low, high) {
                (Some(low), Some(high)) if inner.len() < 32 => {
                    inner.ranges.push(Range { name: name.as_str().into(), low, high });
                    inner.spans.push(b.index.span);
                }
                _ => {
                    // Keep the name known, so that its uses are not reported as unknown.
                    inner.ranges.push(Range {
                        name: name.as_str().into(),
                        low: Ix::constant(1),
                        high: Ix::constant(1),
                    });
                    inner.spans.push(b.index.span);
                    good = false;
                }
            }
        }
        if good { Some(inner) } else { None }
    }
}
