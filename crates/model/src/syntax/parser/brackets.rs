//! Closing brackets, and what can go wrong with them.

use super::{Failed, Parse, Parser};
use crate::diagnostic::{Code, Diagnostic};
use crate::syntax::token::{Kind, Token};

impl Parser<'_, '_> {
    /// Takes an opening bracket and remembers it.
    pub(super) fn open(&mut self) -> Token {
        let token = self.advance();
        self.open.push(token.kind);
        token
    }

    /// Takes the bracket that closes `opening`, or says why it is not there.
    pub(super) fn close(&mut self, opening: Token) -> Parse<()> {
        let wanted = opening.kind.closer().unwrap_or(Kind::End);
        // A failure inside an item may have left brackets open.
        while self.open.pop().is_some_and(|kind| kind != opening.kind) {}
        let found = self.peek();
        if found.kind == wanted {
            self.advance();
            return Ok(());
        }
        if found.kind == Kind::Range || self.is_word(found, "in") {
            return self.stray_range(found);
        }
        if found.kind.compares() {
            return self.comparison(found);
        }
        self.not_closed(opening, wanted, found)
    }

    fn not_closed(&mut self, opening: Token, wanted: Kind, found: Token) -> Parse<()> {
        let at = self.span(opening);
        let open = self.text(opening);
        let close = match wanted {
            Kind::RightParen => ")",
            Kind::RightBracket => "]",
            _ => "}",
        };
        let outer = self.open.iter().any(|kind| kind.closer() == Some(found.kind));
        let first = !std::mem::replace(&mut self.unbalanced, true);
        if found.kind.closes() && !outer {
            self.advance();
            let message = format!("`{open}` is closed by {}", self.describe(found));
            if first {
                self.report(
                    Diagnostic::new(Code::MismatchedBracket, self.span(found), message)
                        .label(at, format!("opened by `{open}`"))
                        .help(format!("write `{close}`")),
                );
            }
            return Ok(());
        }
        if first {
            let mut diagnostic = Diagnostic::new(Code::UnclosedBracket, at, format!("this `{open}` is never closed"));
            if found.kind == Kind::End {
                diagnostic = diagnostic.help(format!("add `{close}` to the statement"));
            } else {
                let place = format!("expected `{close}` before this");
                diagnostic = diagnostic.label(self.span(found), place);
            }
            self.report(diagnostic);
        }
        let goes_on = found.kind.closes() || matches!(found.kind, Kind::Comma | Kind::Equals);
        if goes_on { Ok(()) } else { Err(Failed) }
    }

    /// `i in 1..n` or `1..n` where no range can stand.
    fn stray_range<T>(&mut self, found: Token) -> Parse<T> {
        let span = self.span(self.previous()).to(self.span(found));
        self.fail(
            Diagnostic::new(Code::MalformedBinder, span, "a range cannot stand here").help(
                "ranges `i in 1..n` stand in `sum(…)` and `product(…)`, before the summand, and in brackets on the left side of an item",
            ),
        )
    }

    /// `<` and its like inside an expression.
    pub(super) fn comparison<T>(&mut self, found: Token) -> Parse<T> {
        let message = format!("`{}` cannot stand in an expression", self.text(found));
        self.fail(Diagnostic::new(Code::Comparison, self.span(found), message).help(
            "comparisons stand in `if(i < n, a, b)` alone, and there are no inequality constraints; `param m > 0` states the sign of a parameter",
        ))
    }

    /// The index in the token list after the bracket that closes the one at `from`.
    pub(super) fn after_bracket(&self, from: usize) -> usize {
        let mut depth = 0usize;
        for i in from..self.range.end {
            let kind = self.tokens.list[i].kind;
            if kind.closer().is_some() {
                depth += 1;
            } else if kind.closes() {
                depth = depth.saturating_sub(1);
            }
            if depth == 0 {
                return i + 1;
            }
        }
        self.range.end
    }
}
