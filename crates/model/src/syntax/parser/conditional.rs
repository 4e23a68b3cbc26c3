//! `if(condition, a, b)` and `require condition`: the condition, and what can go wrong with it.

use super::{Failed, Parse, Parser};
use crate::diagnostic::{Code, Diagnostic, Span};
use crate::syntax::ast::{Comparison, Condition, Expr, ExprKind, Requirement};
use crate::syntax::token::Kind;

const USAGE: &str = "write `if(i = 1, a, b)`: a comparison, the value where it holds, the value where it does not";

impl Parser<'_, '_> {
    /// `if(condition, then, otherwise)`
    #[inline(never)]
    pub(super) fn conditional(&mut self, called: bool) -> Parse<Expr> {
        let name = self.advance_span();
        if !called {
            let message = "`if` needs a condition and two values in parentheses";
            return self.fail(Diagnostic::new(Code::MalformedCondition, name, message).help(USAGE));
        }
        let opening = self.open();
        let outer = std::mem::replace(&mut self.condition, true);
        let condition = self.nested(Self::any);
        self.condition = false;
        let values = condition.and_then(|condition| {
            let then = self.branch(name)?;
            let otherwise = self.branch(name)?;
            Ok((condition, then, otherwise))
        });
        self.condition = outer;
        let (condition, then, otherwise) = values?;
        if self.kind() == Kind::Comma {
            let message = "this `if` has more than two values";
            return self.fail(Diagnostic::new(Code::MalformedCondition, name, message).help(USAGE));
        }
        self.close(opening)?;
        let (condition, then, otherwise) = (Box::new(condition), Box::new(then), Box::new(otherwise));
        Ok(Expr { kind: ExprKind::If { condition, then, otherwise }, span: self.span_from(name) })
    }

    /// `n >= 4 "reason"`
    pub(super) fn requirement(&mut self) -> Parse<Requirement> {
        let start = self.span(self.peek());
        let outer = std::mem::replace(&mut self.condition, true);
        let condition = self.any();
        self.condition = outer;
        let condition = condition?;
        let reason = self.quoted();
        Ok(Requirement { condition, reason, span: self.span_from(start) })
    }

    /// `, value`
    fn branch(&mut self, name: Span) -> Parse<Expr> {
        if self.eat(Kind::Comma).is_none() {
            let found = self.peek();
            let at = if found.kind == Kind::RightParen { name } else { self.span(found) };
            let message = match found.kind {
                Kind::RightParen => "this `if` lacks a value".to_owned(),
                _ => format!("expected `,` and a value, found {}", self.describe(found)),
            };
            return self.fail(Diagnostic::new(Code::MalformedCondition, at, message).help(USAGE));
        }
        let value = self.nested(Self::expression)?;
        let found = self.peek();
        if found.kind.compares() || found.kind == Kind::Equals {
            let message = "the branches of an `if` are numbers, and this is a comparison";
            let d = Diagnostic::new(Code::MalformedCondition, value.span.to(self.span(found)), message);
            return self.fail(d.help("join conditions inside the first argument with `and`, `or` and `not`"));
        }
        Ok(value)
    }

    /// `a or b or …`
    fn any(&mut self) -> Parse<Condition> {
        let mut all = vec![self.all()?];
        while self.is_word(self.peek(), "or") {
            self.advance();
            all.push(self.all()?);
        }
        Ok(joined(all, Condition::Any))
    }

    /// `a and b and …`
    fn all(&mut self) -> Parse<Condition> {
        let mut all = vec![self.negated()?];
        while self.is_word(self.peek(), "and") {
            self.advance();
            all.push(self.negated()?);
        }
        Ok(joined(all, Condition::All))
    }

    /// `not a`, `(a or b)` or a comparison.
    fn negated(&mut self) -> Parse<Condition> {
        if self.is_word(self.peek(), "not") && !matches!(self.ahead(1).kind, Kind::Equals | Kind::Comma) {
            self.advance();
            return Ok(Condition::Not(Box::new(self.nested(Self::negated)?)));
        }
        if self.condition_in_parentheses() {
            let opening = self.open();
            let inner = self.nested(Self::any)?;
            self.close(opening)?;
            return Ok(inner);
        }
        self.compared()
    }

    /// Whether the parenthesis that opens here holds a condition, not a number.
    fn condition_in_parentheses(&self) -> bool {
        if self.kind() != Kind::LeftParen {
            return false;
        }
        let end = self.after_bracket(self.at);
        let mut i = self.at + 1;
        while i < end {
            let token = self.tokens.list[i];
            let called = token.kind == Kind::LeftParen && self.tokens.list[i - 1].kind == Kind::Name;
            let word = token.kind == Kind::Name && matches!(self.text(token), "and" | "or" | "not");
            if word || sign_of(token.kind).is_some() {
                return true;
            }
            // What a function or an index contains is a number.
            i = if called || token.kind == Kind::LeftBracket { self.after_bracket(i) } else { i + 1 };
        }
        false
    }

    /// `left < right`
    fn compared(&mut self) -> Parse<Condition> {
        let left = self.expression()?;
        let found = self.peek();
        let Some(comparison) = sign_of(found.kind) else {
            let message = format!("expected a comparison, found {}", self.describe(found));
            let d = Diagnostic::new(Code::MalformedCondition, left.span, message).caption("compared with nothing");
            return self.fail(d.help("a condition compares two integers: <, <=, >, >=, = or !="));
        };
        self.advance();
        let before = self.diagnostics.count();
        let right = self.expression()?;
        if sign_of(self.kind()).is_some() {
            // What was amiss on the right is why, as in `n >= 4 andmod(n, 2) = 0`.
            if self.diagnostics.count() > before {
                return Err(Failed);
            }
            let message = "a comparison has two sides";
            let d = Diagnostic::new(Code::MalformedCondition, self.span(self.peek()), message);
            return self.fail(d.help("write `1 < i and i < n` for `1 < i < n`"));
        }
        Ok(Condition::Compare { left, comparison, right })
    }
}

fn sign_of(kind: Kind) -> Option<Comparison> {
    Some(match kind {
        Kind::Less => Comparison::Less,
        Kind::LessEqual => Comparison::LessEqual,
        Kind::Greater => Comparison::Greater,
        Kind::GreaterEqual => Comparison::GreaterEqual,
        Kind::Equals => Comparison::Equal,
        Kind::NotEqual => Comparison::NotEqual,
        _ => return None,
    })
}

/// One condition, or several joined.
fn joined(mut all: Vec<Condition>, join: fn(Vec<Condition>) -> Condition) -> Condition {
    match all.pop() {
        Some(only) if all.is_empty() => only,
        last => join(all.into_iter().chain(last).collect()),
    }
}
