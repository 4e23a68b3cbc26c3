//! Expressions: sums of products of signed powers.

use super::{Failed, Parse, Parser};
use crate::diagnostic::{Code, Diagnostic, Span};
use crate::syntax::ast::{Additive, Expr, ExprKind, Multiplicative};
use crate::syntax::token::{Kind, Token};
use crate::syntax::words::{Function, Keyword, is_unit};

impl Parser<'_, '_> {
    /// `term + term - …`
    pub(super) fn expression(&mut self) -> Parse<Expr> {
        let first = self.product()?;
        let mut rest = Vec::new();
        loop {
            let operator = match self.kind() {
                Kind::Plus => Additive::Plus,
                Kind::Minus => Additive::Minus,
                _ => break,
            };
            self.advance();
            rest.push((operator, self.product()?));
        }
        let Some((_, last)) = rest.last() else {
            return Ok(first);
        };
        let span = first.span.to(last.span);
        Ok(Expr { kind: ExprKind::Sum { first: Box::new(first), rest }, span })
    }

    /// `factor * factor / …`
    fn product(&mut self) -> Parse<Expr> {
        let first = self.factor()?;
        let mut rest = Vec::new();
        let mut reported = false;
        loop {
            let operator = match self.kind() {
                Kind::Star => Multiplicative::Times,
                Kind::Slash => Multiplicative::Over,
                _ if self.starts_operand() => {
                    if self.unit() {
                        continue;
                    }
                    if !reported {
                        self.implicit_multiplication();
                    }
                    reported = true;
                    rest.push((Multiplicative::Times, self.factor()?));
                    continue;
                }
                _ => break,
            };
            self.advance();
            rest.push((operator, self.factor()?));
        }
        let Some((_, last)) = rest.last() else {
            return Ok(first);
        };
        let span = first.span.to(last.span);
        Ok(Expr { kind: ExprKind::Product { first: Box::new(first), rest }, span })
    }

    /// Whether an operand follows where an operator should.
    fn starts_operand(&self) -> bool {
        let token = self.peek();
        match token.kind {
            Kind::Number | Kind::LeftParen => true,
            Kind::Bar => self.bars == 0,
            Kind::Name => {
                let range = self.is_word(token, "in") || self.is_word(self.ahead(1), "in");
                let to = self.lower_bound && self.is_word(token, "to");
                let joins = self.condition && matches!(self.text(token), "and" | "or");
                !range && !to && !joins && !self.item_follows()
            }
            _ => false,
        }
    }

    /// Takes a unit after a number, `5 m`, `9.81 m/s^2`, and says that there are none. A name that the text declares is
    /// no unit.
    #[inline(never)] // Expressions nest: what is seldom needed has no place in every frame.
    fn unit(&mut self) -> bool {
        let (number, first) = (self.previous(), self.peek());
        let declared = |token: Token| {
            let declares = |pair: &[Token]| {
                let before = self.text(pair[0]);
                let named = pair[1].kind == Kind::Name && self.text(pair[1]) == self.text(token);
                named && matches!(before, "," | "param" | "coord" | "let" | "variables" | "momentum")
            };
            self.tokens.list.windows(2).any(declares)
        };
        let is_unit = |token: Token| token.kind == Kind::Name && is_unit(self.text(token)) && !declared(token);
        if number.kind != Kind::Number || !is_unit(first) {
            return false;
        }
        let mut length = 1;
        loop {
            let raised = self.ahead(length).kind == Kind::Caret;
            if raised {
                length += 1 + usize::from(self.ahead(length + 1).kind == Kind::Minus) + 1;
            }
            let joined = matches!(self.ahead(length).kind, Kind::Slash | Kind::Star) && is_unit(self.ahead(length + 1));
            let next = is_unit(self.ahead(length));
            match (joined, next) {
                (true, _) => length += 2,
                (false, true) => length += 1,
                _ => break,
            }
        }
        self.at = (self.at + length).min(self.range.end);
        let span = self.span(number).to(self.span(self.previous()));
        let unit = self.tokens.text_between(first, self.previous());
        let message = format!("`{unit}` looks like a unit, and numbers have none");
        let value = self.text(number);
        let help = match unit {
            "deg" | "degree" | "degrees" => format!("angles are in radians: write `{value}*pi/180`"),
            _ => format!(
                "write `{value}`, and everything else in the same units of length, mass and time; a comment says which: `# in {unit}`"
            ),
        };
        self.report(Diagnostic::new(Code::ImplicitMultiplication, span, message).help(help));
        true
    }

    #[inline(never)]
    fn implicit_multiplication(&mut self) {
        let (left, right) = (self.previous(), self.peek());
        if self.reported_between(left, right) {
            return;
        }
        let span = self.span(left).to(self.span(right));
        let a = match left.kind {
            Kind::RightParen => "(…)",
            Kind::RightBracket => "x[…]",
            Kind::Prime => "x'",
            _ => self.text(left),
        };
        let b = match right.kind {
            Kind::LeftParen => "(…)",
            Kind::Bar => "abs(…)",
            _ => self.text(right),
        };
        self.report(
            Diagnostic::new(Code::ImplicitMultiplication, span, "an operator is missing here")
                .help(format!("there is no implicit multiplication; for a product write `{a}*{b}`")),
        );
    }

    /// `-factor` or a power.
    pub(super) fn factor(&mut self) -> Parse<Expr> {
        let sign = self.peek();
        if !matches!(sign.kind, Kind::Minus | Kind::Plus) {
            return self.power();
        }
        self.advance();
        let operand = self.nested(Self::factor)?;
        let span = self.span(sign).to(operand.span);
        if sign.kind == Kind::Plus {
            return Ok(Expr { span, ..operand });
        }
        Ok(Expr { kind: ExprKind::Negate(Box::new(operand)), span })
    }

    /// `atom ^ factor`
    pub(super) fn power(&mut self) -> Parse<Expr> {
        let base = self.atom()?;
        self.check_no_suffix()?;
        if self.eat(Kind::Caret).is_none() {
            return Ok(base);
        }
        let exponent = self.nested(Self::factor)?;
        let span = base.span.to(exponent.span);
        let (base, exponent) = (Box::new(base), Box::new(exponent));
        Ok(Expr { kind: ExprKind::Power { base, exponent }, span })
    }

    fn atom(&mut self) -> Parse<Expr> {
        let token = self.peek();
        let span = self.span(token);
        match token.kind {
            Kind::Number => {
                self.advance();
                Ok(Expr { kind: ExprKind::Number(self.text(token).to_owned()), span })
            }
            Kind::Name => self.named(),
            Kind::LeftParen => self.group(),
            Kind::LeftBracket | Kind::LeftBrace => {
                if !std::mem::replace(&mut self.unbalanced, true) {
                    let message = format!("`{}` does not group an expression", self.text(token));
                    self.report(
                        Diagnostic::new(Code::MismatchedBracket, span, message).help("group with parentheses: `(…)`"),
                    );
                }
                self.group()
            }
            Kind::Bar => self.absolute_value(),
            _ => self.missing_operand(token),
        }
    }

    fn group(&mut self) -> Parse<Expr> {
        let opening = self.open();
        if Some(self.kind()) == opening.kind.closer() {
            let span = self.span(opening).to(self.span(self.peek()));
            let diagnostic = Diagnostic::new(Code::MissingOperand, span, "nothing stands between these brackets");
            let help = match self.keyword {
                Some(Keyword::Param | Keyword::Initial) => "write an expression, or a list such as `(1, 2, 3)`",
                _ => "write an expression between them, or remove them",
            };
            return self.fail(diagnostic.help(help));
        }
        let outer = std::mem::replace(&mut self.condition, false);
        let inner = self.group_items();
        self.condition = outer;
        let (first, rest) = inner?;
        self.close(opening)?;
        let span = self.span_from(self.span(opening));
        match rest {
            None => Ok(Expr { span: span.to(first.span), ..first }),
            Some(rest) => {
                let items = std::iter::once(first).chain(rest).collect();
                Ok(Expr { kind: ExprKind::List(items), span })
            }
        }
    }

    /// `a`, or the items of a list `a, b, c` in parentheses; a list of one has a comma behind it: `a,`.
    fn group_items(&mut self) -> Parse<(Expr, Option<Vec<Expr>>)> {
        let first = self.nested(Self::expression)?;
        let parentheses = self.open.last() == Some(&Kind::LeftParen);
        if !parentheses || self.eat(Kind::Comma).is_none() {
            return Ok((first, None));
        }
        let mut rest = vec![];
        if self.kind() != Kind::RightParen {
            rest.push(self.nested(Self::expression)?);
            while self.eat(Kind::Comma).is_some() {
                rest.push(self.nested(Self::expression)?);
            }
        }
        Ok((first, Some(rest)))
    }

    /// `|x|`, which is reported and read as `abs(x)`.
    fn absolute_value(&mut self) -> Parse<Expr> {
        let bar = self.advance();
        let name = self.span(bar);
        self.report(
            Diagnostic::new(Code::ForeignOperator, name, "`|` means nothing here")
                .help("the absolute value is `abs(x)`"),
        );
        self.bars += 1;
        let inner = self.nested(Self::expression);
        self.bars -= 1;
        let inner = inner?;
        self.eat(Kind::Bar);
        let span = self.span_from(name);
        let kind = ExprKind::Call { function: Function::Abs, name, arguments: vec![inner] };
        Ok(Expr { kind, span })
    }

    /// After anything but a name: no prime, no index.
    fn check_no_suffix(&mut self) -> Parse<()> {
        let token = self.peek();
        let before = self.text(self.previous());
        match token.kind {
            Kind::Prime => {
                let mut span = self.span(token);
                while let Some(prime) = self.eat(Kind::Prime) {
                    span = span.to(self.span(prime));
                }
                if self.unbalanced {
                    return Ok(());
                }
                let message = format!("a prime cannot follow `{before}`");
                self.report(
                    Diagnostic::new(Code::MisplacedPrime, span, message)
                        .help("a prime makes the velocity of a coordinate and stands directly after it: `x'`, `x[i]'`"),
                );
                Ok(())
            }
            Kind::LeftBracket => {
                let message = format!("an index cannot follow `{before}`");
                let help = match self.previous().kind {
                    Kind::Number => {
                        "if it is a unit, leave it out: numbers have none, and all are in the same units; an index stands after a \
                         name, `x[i]`"
                    }
                    _ => "an index stands directly after the name of a family: `x[i]`",
                };
                self.fail(Diagnostic::new(Code::MalformedIndex, self.span(token), message).help(help))
            }
            _ => Ok(()),
        }
    }

    /// Something else where an operand must stand.
    pub(super) fn missing_operand<T>(&mut self, found: Token) -> Parse<T> {
        let before = self.previous();
        if found.kind.compares() {
            return self.comparison(found);
        }
        if found.kind == Kind::Prime {
            let diagnostic =
                Diagnostic::new(Code::MisplacedPrime, self.span(found), "nothing stands before this prime");
            return self.fail(diagnostic.help("a prime stands directly after a coordinate: `x'`, `x[i]'`"));
        }
        if self.reported_between(before, found) {
            return Err(Failed);
        }
        let at_start = before.kind == Kind::Name || self.at == self.range.start;
        let dangling = matches!(found.kind, Kind::End | Kind::Comma | Kind::Equals) || found.kind.closes();
        let (span, message): (Span, String) = if dangling && !at_start {
            (self.span(before), format!("`{}` has nothing after it", self.text(before)))
        } else if found.kind == Kind::End {
            (self.span(before), "an expression is missing after this".to_owned())
        } else {
            (self.span(found), format!("expected an expression, found {}", self.describe(found)))
        };
        let mut diagnostic = Diagnostic::new(Code::MissingOperand, span, message);
        if found.kind == Kind::End {
            diagnostic = diagnostic.help("write the rest of the expression here, or on an indented line below");
        } else if matches!(found.kind, Kind::Star | Kind::Slash | Kind::Caret) {
            diagnostic = diagnostic.help(format!("`{}` stands between two operands", self.text(found)));
        } else if found.kind == Kind::Text {
            diagnostic = diagnostic.help("quotes are for the title of the model; write names and numbers without them");
        } else if dangling {
            diagnostic = diagnostic.help("an expression belongs after it");
        }
        self.fail(diagnostic)
    }
}
