//! Names with indices and primes, binders, and the heads of declarations.

use super::{Failed, Parse, Parser};
use crate::diagnostic::{Code, Diagnostic, Span};
use crate::syntax::ast::{Binder, Head, Name, Place, PlaceIndex};
use crate::syntax::token::Kind;

impl Parser<'_, '_> {
    /// The `[…]` and `'` after a name.
    pub(super) fn suffix<T>(
        &mut self,
        name: &Name,
        index: impl Fn(&mut Self) -> Parse<T>,
    ) -> Parse<(Vec<T>, Option<Span>)> {
        let mut indices = self.indices(name, &index)?;
        let mut prime = None;
        while let Some(token) = self.eat(Kind::Prime) {
            let span = self.span(token);
            if let Some(first) = prime {
                self.second_prime(name, span.to(first));
            }
            prime = Some(span);
        }
        if prime.is_some() && self.kind() == Kind::LeftBracket {
            let span = self.span_from(name.span).to(self.span(self.peek()));
            let text = &name.text;
            self.report(
                Diagnostic::new(Code::MisplacedPrime, span, "the prime comes after the index")
                    .help(format!("write `{text}[…]'`")),
            );
            indices.extend(self.indices(name, &index)?);
        }
        Ok((indices, prime))
    }

    fn second_prime(&mut self, name: &Name, mut span: Span) {
        while let Some(token) = self.eat(Kind::Prime) {
            span = span.to(self.span(token));
        }
        self.report(Diagnostic::new(Code::MisplacedPrime, span, "there are no second derivatives in a model").help(
            format!("`{}'` is the velocity; accelerations follow from the lagrangian or hamiltonian", name.text),
        ));
    }

    /// `[a, b]`, or nothing. `[a][b]` is reported and read as `[a, b]`.
    fn indices<T>(&mut self, name: &Name, index: &impl Fn(&mut Self) -> Parse<T>) -> Parse<Vec<T>> {
        let mut indices = Vec::new();
        while self.kind() == Kind::LeftBracket {
            let opening = self.open();
            if !indices.is_empty() {
                let diagnostic = Diagnostic::new(
                    Code::MalformedIndex,
                    self.span(opening),
                    "several indices share one pair of brackets",
                );
                self.report(diagnostic.help(format!("write `{}[i, j]`", name.text)));
            }
            if self.kind() == Kind::RightBracket {
                let span = self.span(opening).to(self.span(self.peek()));
                let diagnostic = Diagnostic::new(Code::MalformedIndex, span, "nothing stands between these brackets");
                return self.fail(diagnostic.help(format!("write `{0}[i]` for a member, or `{0}` alone", name.text)));
            }
            loop {
                indices.push(self.nested(index)?);
                if self.eat(Kind::Comma).is_none() {
                    break;
                }
            }
            self.close(opening)?;
        }
        Ok(indices)
    }

    /// Whether `i in …`, or what was meant to be one, follows.
    pub(super) fn binder_follows(&self) -> bool {
        let next = self.ahead(1);
        let joined = matches!(next.kind, Kind::Equals | Kind::Colon) || self.is_word(next, "in");
        self.kind() == Kind::Name && (joined || self.binder_without_in())
    }

    /// Whether `i 1..n` or `i from 1..n` follows.
    fn binder_without_in(&self) -> bool {
        let range = (1..=4)
            .map(|i| self.ahead(i).kind)
            .find(|kind| matches!(kind, Kind::Range | Kind::Comma | Kind::End) || kind.closes());
        matches!(self.ahead(1).kind, Kind::Name | Kind::Number) && range == Some(Kind::Range)
    }

    /// `i in from..to`
    pub(super) fn binder(&mut self) -> Parse<Binder> {
        let index = self.name("an index")?;
        self.binder_word(&index);
        let outer = std::mem::replace(&mut self.lower_bound, true);
        let from = self.expression();
        self.lower_bound = outer;
        let from = from?;
        if self.eat(Kind::Range).is_none() {
            let token = self.peek();
            let bad = |d: &Diagnostic| {
                d.code == Code::MalformedNumber && from.span.start <= d.span.start && d.span.end <= from.span.end
            };
            if self.diagnostics.iter().any(bad) {
                return Err(Failed);
            }
            let message = format!("expected `..`, found {}", self.describe(token));
            let at = if token.kind == Kind::End { self.span(self.previous()) } else { self.span(token) };
            self.report(
                Diagnostic::new(Code::MalformedBinder, at, message)
                    .help(format!("a range is written `{} in 1..n`, both ends included", index.text)),
            );
            if token.kind != Kind::Colon && !self.is_word(token, "to") {
                return Err(Failed);
            }
            self.advance();
        }
        let to = self.expression()?;
        if self.kind() == Kind::Range {
            let diagnostic = Diagnostic::new(
                Code::MalformedBinder,
                self.span(self.peek()),
                "a range has a first and a last value, and no step",
            );
            return self.fail(diagnostic.help("for every second member write `x[2*i]` with a shorter range"));
        }
        let span = self.span_from(index.span);
        Ok(Binder { index, from, to, span })
    }

    /// Takes `in`, or what stands in its place.
    fn binder_word(&mut self, index: &Name) {
        let word = self.peek();
        if self.is_word(word, "in") {
            self.advance();
            return;
        }
        let message = format!("expected `in`, found {}", self.describe(word));
        self.report(
            Diagnostic::new(Code::MalformedBinder, self.span(word), message)
                .help(format!("a range is written `{} in 1..n`", index.text)),
        );
        let operand = matches!(self.ahead(1).kind, Kind::Name | Kind::Number);
        if word.kind != Kind::Number && (word.kind != Kind::Name || operand) {
            self.advance();
        }
    }

    /// `x` or `x[i in 1..n]`: what a declaration declares.
    pub(super) fn head(&mut self, what: &str) -> Parse<Head> {
        let name = self.name(what)?;
        let start = name.span;
        let family = name.text.clone();
        let (binders, prime) = self.suffix(&name, |parser| {
            if parser.binder_follows() {
                return parser.binder();
            }
            parser.expected_binder(&family)
        })?;
        if let Some(span) = prime {
            let message = format!("a prime cannot be part of the name of {what}");
            self.report(
                Diagnostic::new(Code::MisplacedPrime, span, message).help(format!("write `{}` without it", name.text)),
            );
        }
        let span = self.span_from(start);
        Ok(Head { name, binders, span })
    }

    fn expected_binder<T>(&mut self, family: &str) -> Parse<T> {
        let token = self.peek();
        let (span, size) = match token.kind {
            Kind::Name | Kind::Number => (self.span(token), self.text(token)),
            _ => (self.span(token), "n"),
        };
        self.fail(
            Diagnostic::new(Code::ExpectedBinder, span, "a declaration needs the range of its index here")
                .help(format!("write `{family}[i in 1..{size}]`")),
        )
    }

    /// `dot(x)`, which is reported and read as `x'`.
    fn dotted_place(&mut self) -> Parse<Place> {
        let word = self.advance();
        let start = self.span(word);
        let opening = self.open();
        let inner = self.place()?;
        self.close(opening)?;
        let span = self.span_from(start);
        let place = Place { prime: Some(span), span, ..inner };
        let message = format!("`{}` is not a function: a velocity is written with a prime", self.text(word));
        self.report(Diagnostic::new(Code::UnknownFunction, span, message).help(format!("write `{place}`")));
        Ok(place)
    }

    /// A variable on a left-hand side: `x`, `x[3]`, `x[i in 1..n]'`.
    pub(super) fn place(&mut self) -> Parse<Place> {
        if matches!(self.text(self.peek()), "dot" | "ddt" | "der") && self.ahead(1).kind == Kind::LeftParen {
            return self.dotted_place();
        }
        let name = self.name("a variable")?;
        let start = name.span;
        let (indices, prime) = self.suffix(&name, |parser| {
            Ok(if parser.binder_follows() {
                PlaceIndex::Each(parser.binder()?)
            } else {
                PlaceIndex::At(parser.expression()?)
            })
        })?;
        let span = self.span_from(start);
        Ok(Place { name, indices, prime, span })
    }
}
