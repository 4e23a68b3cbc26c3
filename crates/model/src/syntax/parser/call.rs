//! What starts with a name: references, function calls, `sum` and `product`.

use super::{Failed, Parse, Parser};
use crate::diagnostic::{Code, Diagnostic, Span};
use crate::nearest::nearest;
use crate::syntax::ast::{Expr, ExprKind, Fold, Multiplicative, Name, Reference};
use crate::syntax::token::{Kind, Token};
use crate::syntax::words::{Function, foreign_function};

impl Parser<'_, '_> {
    pub(super) fn named(&mut self) -> Parse<Expr> {
        let token = self.peek();
        let span = self.span(token);
        let text = self.text(token);
        let called = self.ahead(1).kind == Kind::LeftParen;
        match text {
            "pi" => {
                self.advance();
                Ok(Expr { kind: ExprKind::Pi, span })
            }
            "in" => {
                let diagnostic = Diagnostic::new(Code::ReservedName, span, "`in` is reserved for ranges");
                self.fail(diagnostic.help("a range is written `i in 1..n`"))
            }
            "if" => self.conditional(called),
            "sum" if called => self.fold(Fold::Sum),
            "product" if called => self.fold(Fold::Product),
            "sum" | "product" => self.function_alone(text),
            _ => match Function::from_name(text) {
                Some(function) if called => self.call(function),
                Some(function) => self.function_without_parentheses(function),
                None if called => self.unknown_function(text),
                None => self.reference(),
            },
        }
    }

    fn reference(&mut self) -> Parse<Expr> {
        let name = self.name("a variable")?;
        let start = name.span;
        let (indices, prime) = self.suffix(&name, Self::expression)?;
        let kind = ExprKind::Reference(Reference { name, indices, prime });
        Ok(Expr { kind, span: self.span_from(start) })
    }

    fn call(&mut self, function: Function) -> Parse<Expr> {
        let name = self.advance_span();
        let arguments = self.arguments()?;
        let span = self.span_from(name);
        let (least, most) = function.arity();
        let given = arguments.len();
        if given < least || given > most {
            if self.unbalanced {
                return Err(Failed);
            }
            let more = if most > least { "at least " } else { "" };
            let plural = if least == 1 { "argument" } else { "arguments" };
            let verb = if given == 1 { "is" } else { "are" };
            let message = format!("`{function}` takes {more}{least} {plural}, but {given} {verb} given");
            let usage = match function.usage() {
                "f(x)" => format!("{function}(x)"),
                usage => usage.to_owned(),
            };
            return self.fail(Diagnostic::new(Code::ArgumentCount, span, message).help(format!("write `{usage}`")));
        }
        Ok(Expr { kind: ExprKind::Call { function, name, arguments }, span })
    }

    /// `(a, b, …)`, perhaps empty.
    fn arguments(&mut self) -> Parse<Vec<Expr>> {
        let opening = self.open();
        let mut arguments = Vec::new();
        if self.kind() != Kind::RightParen {
            loop {
                arguments.push(self.nested(Self::expression)?);
                if self.eat(Kind::Comma).is_none() {
                    break;
                }
            }
        }
        self.close(opening)?;
        Ok(arguments)
    }

    /// `sum` or `product` without parentheses.
    fn function_alone<T>(&mut self, text: &str) -> Parse<T> {
        let span = self.span(self.peek());
        let message = format!("`{text}` needs a range and a body in parentheses");
        self.fail(
            Diagnostic::new(Code::FunctionWithoutArgument, span, message).help(format!("write `{text}(i in 1..n, …)`")),
        )
    }

    /// `sin x`, `sin^2(x)`, `sin`.
    fn function_without_parentheses(&mut self, function: Function) -> Parse<Expr> {
        let name = self.advance_span();
        let next = self.peek();
        let help = match next.kind {
            Kind::Name | Kind::Number => format!("write `{function}({})`", self.text(next)),
            Kind::Caret => format!("write `{function}(x)^2` for the square of `{function}(x)`"),
            _ => format!("write `{function}(…)`; `{function}` cannot be the name of anything else"),
        };
        let message = format!("`{function}` needs its argument in parentheses");
        self.report(Diagnostic::new(Code::FunctionWithoutArgument, name, message).help(help));
        if !matches!(next.kind, Kind::Name | Kind::Number) || function.arity().0 > 1 {
            return Err(Failed);
        }
        let argument = self.nested(Self::power)?;
        let span = name.to(argument.span);
        Ok(Expr { kind: ExprKind::Call { function, name, arguments: vec![argument] }, span })
    }

    /// `name(…)` where `name` is no function: read as what was probably meant.
    fn unknown_function(&mut self, text: &str) -> Parse<Expr> {
        let token = self.peek();
        let span = self.span(token);
        let known = Function::ALL.iter().map(|f| f.name()).chain(["sum", "product"]);
        let meant = foreign_function(text).or_else(|| nearest(text, known));
        let help = match (meant, text) {
            (Some("log"), "ln") => "the natural logarithm is `log(x)`".to_owned(),
            (Some(meant), _) => format!("did you mean `{meant}`? For a product write `{text}*(…)`"),
            (None, "pow" | "power") => "a power is written `x^n`".to_owned(),
            (None, _) => format!("for a product write `{text}*(…)`; for a member of a family `{text}[…]`"),
        };
        if matches!(text, "ddot" | "dotdot" | "d2dt2") {
            return self.second_derivative(text);
        }
        if matches!(text, "dot" | "ddt" | "diff" | "der" | "deriv" | "derivative" | "dt") {
            return self.foreign_velocity(text);
        }
        if matches!(text, "piecewise" | "ifelse" | "where" | "cases") {
            let diagnostic = Diagnostic::new(Code::UnknownFunction, span, format!("`{text}` is not a function"));
            return self.fail(diagnostic.help(
                "the values of parameters and tables may use `if(i = 1, a, b)`; energies and constraints are smooth, and have \
                 `abs`, `sign`, `min` and `max`",
            ));
        }
        let message = format!("`{text}` is not a function");
        self.report(Diagnostic::new(Code::UnknownFunction, span, message).help(help));
        match meant {
            Some("sum") => return self.fold(Fold::Sum),
            Some("product") => return self.fold(Fold::Product),
            _ => {}
        }
        self.advance();
        let arguments = self.arguments()?;
        let whole = self.span_from(span);
        let kind = match meant.and_then(Function::from_name) {
            Some(function) if (function.arity().0..=function.arity().1).contains(&arguments.len()) => {
                ExprKind::Call { function, name: span, arguments }
            }
            _ => times(self.plain(token, span), arguments),
        };
        Ok(Expr { kind, span: whole })
    }

    /// `dot(x)`, which is reported and read as `x'`.
    #[inline(never)]
    fn foreign_velocity(&mut self, text: &str) -> Parse<Expr> {
        let span = self.advance_span();
        let opening = self.open();
        let inner = self.nested(Self::expression)?;
        // `diff(x, t)`
        while self.eat(Kind::Comma).is_some() {
            self.nested(Self::expression)?;
        }
        self.close(opening)?;
        let whole = self.span_from(span);
        let message = format!("`{text}` is not a function: a velocity is written with a prime");
        let d = Diagnostic::new(Code::UnknownFunction, whole, message);
        match inner.kind {
            ExprKind::Reference(mut r) if r.prime.is_none() => {
                r.prime = Some(inner.span);
                self.report(d.help(format!("write `{r}`")));
                Ok(Expr { kind: ExprKind::Reference(r), span: whole })
            }
            _ => self.fail(d.help("name the expression, `let r = …`, and write its velocity as `r'`")),
        }
    }

    /// `ddot(x)`, of which models have none.
    #[inline(never)]
    fn second_derivative(&mut self, text: &str) -> Parse<Expr> {
        let span = self.advance_span();
        self.arguments()?;
        let whole = self.span_from(span);
        let message = format!("`{text}` is not a function: there are no second derivatives in a model");
        self.fail(
            Diagnostic::new(Code::UnknownFunction, whole, message)
                .help("accelerations follow from the energy; a velocity is written with a prime, `x'`"),
        )
    }

    fn plain(&self, token: Token, span: Span) -> Expr {
        let name = Name { text: self.text(token).to_owned(), span };
        let kind = ExprKind::Reference(Reference { name, indices: Vec::new(), prime: None });
        Expr { kind, span }
    }

    /// `sum(i in 1..n, body)`
    fn fold(&mut self, fold: Fold) -> Parse<Expr> {
        let word = match fold {
            Fold::Sum => "sum",
            Fold::Product => "product",
        };
        let name = self.advance_span();
        let opening = self.open();
        let mut binders = Vec::new();
        while self.binder_follows() {
            binders.push(self.nested(Self::binder)?);
            if self.kind() == Kind::RightParen {
                let message = format!("this `{word}` has a range but nothing after it");
                let span = name.to(self.span(self.peek()));
                return self.fail(
                    Diagnostic::new(Code::MalformedSum, span, message)
                        .help(format!("put the body inside, after a comma: `{word}(i in 1..n, …)`")),
                );
            }
            if self.eat(Kind::Comma).is_none() {
                return self.missing_comma(opening);
            }
        }
        let body = self.nested(Self::expression)?;
        if binders.is_empty() || self.kind() == Kind::Comma {
            return self.malformed_fold(word, name, binders.is_empty());
        }
        self.close(opening)?;
        let kind = ExprKind::Fold { fold, binders, body: Box::new(body) };
        Ok(Expr { kind, span: self.span_from(name) })
    }

    /// A range is followed by neither a comma nor the end of the sum.
    fn missing_comma<T>(&mut self, opening: Token) -> Parse<T> {
        let token = self.peek();
        if !matches!(token.kind, Kind::Name | Kind::Number | Kind::LeftParen) {
            self.close(opening)?;
            return Err(Failed);
        }
        let message = format!("expected `,` after the range, found {}", self.describe(token));
        self.fail(
            Diagnostic::new(Code::MalformedSum, self.span(token), message)
                .help("ranges and the body are separated by commas: `sum(i in 1..n, j in 1..i, …)`"),
        )
    }

    fn malformed_fold<T>(&mut self, word: &str, name: Span, no_range: bool) -> Parse<T> {
        self.eat(Kind::Comma);
        let message = if self.binder_follows() {
            format!("in a `{word}` the ranges come first")
        } else if no_range {
            format!("this `{word}` has no range")
        } else {
            format!("this `{word}` has more than one body")
        };
        self.fail(
            Diagnostic::new(Code::MalformedSum, name, message)
                .help(format!("write `{word}(i in 1..n, …)`; several ranges are separated by commas")),
        )
    }
}

/// The product of all of them.
fn times(first: Expr, rest: Vec<Expr>) -> ExprKind {
    if rest.is_empty() {
        return first.kind;
    }
    let rest = rest.into_iter().map(|factor| (Multiplicative::Times, factor)).collect();
    ExprKind::Product { first: Box::new(first), rest }
}
