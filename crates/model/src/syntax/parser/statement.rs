//! Statements: the word they start with, their items, and where to go on after a mistake.

use super::{Failed, Parse, Parser};
use crate::diagnostic::{Code, Diagnostic, Span};
use crate::nearest::nearest;
use crate::syntax::ast::{Expr, ExprKind, Name, Statement, StatementKind, Title};
use crate::syntax::token::Kind;
use crate::syntax::words::{Keyword, foreign_statement};

impl Parser<'_, '_> {
    /// Parses the statement; `None` if nothing of it could be understood.
    pub(in crate::syntax) fn statement(&mut self) -> Option<Statement> {
        let first = self.peek();
        let keyword = self.span(first);
        self.keyword = match first.kind {
            Kind::Name => Keyword::from_name(self.text(first)),
            _ => None,
        };
        let Some(word) = self.keyword else {
            self.unknown_statement();
            return None;
        };
        self.advance();
        let kind = self.body(word)?;
        let span = self.span_from(keyword);
        Some(Statement { kind, keyword, span })
    }

    fn body(&mut self, word: Keyword) -> Option<StatementKind> {
        match word {
            Keyword::Model => self.model(),
            Keyword::Param => self.items(Self::parameter).map(StatementKind::Param),
            Keyword::Require => self.items(Self::requirement).map(StatementKind::Require),
            Keyword::Coord => self.items(Self::coordinate).map(StatementKind::Coord),
            Keyword::Variables => self.items(Self::variable).map(StatementKind::Variables),
            Keyword::Algebra => self.items(Self::matrix).map(StatementKind::Algebra),
            Keyword::Boundary => self.items(Self::assignment).map(StatementKind::Boundary),
            Keyword::Initial => self.items(Self::assignment).map(StatementKind::Initial),
            Keyword::Let => self.items(Self::definition).map(StatementKind::Let),
            Keyword::Casimir => self.items(Self::definition).map(StatementKind::Casimir),
            Keyword::Invariant => self.items(Self::definition).map(StatementKind::Invariant),
            Keyword::Observe => self.items(Self::definition).map(StatementKind::Observe),
            Keyword::Split => self.items(Self::definition).map(StatementKind::Split),
            Keyword::Lagrangian => self.energy(word).map(StatementKind::Lagrangian),
            Keyword::Hamiltonian => self.energy(word).map(StatementKind::Hamiltonian),
            Keyword::Bracket => self.items(Self::pairing).map(StatementKind::Bracket),
            Keyword::Form => self.items(Self::pairing).map(StatementKind::Form),
            Keyword::Constraint => self.items(Self::relation).map(StatementKind::Constraint),
            Keyword::Vakonomic => self.items(Self::relation).map(StatementKind::Vakonomic),
            Keyword::Gauge => self.items(Self::relation).map(StatementKind::Gauge),
            Keyword::Run => self.settings().map(StatementKind::Run),
            Keyword::Draw => self.drawings(),
        }
    }

    fn unknown_statement(&mut self) {
        let first = self.peek();
        let span = self.span(first);
        let text = self.text(first);
        let words = Keyword::ALL.iter().map(|k| k.name());
        let meant = foreign_statement(text).map(Keyword::name);
        let meant = meant.or_else(|| nearest(text, words.clone()));
        let (message, help) = match meant {
            _ if first.kind != Kind::Name => (
                format!("a statement cannot start with {}", self.describe(first)),
                "a line that continues the statement above must be indented".to_owned(),
            ),
            Some(word) if word.eq_ignore_ascii_case(text) => {
                (format!("statement words are lower case: `{text}`"), format!("write `{word}`"))
            }
            Some(word) => (format!("`{text}` does not start a statement"), format!("did you mean `{word}`?")),
            None => {
                let help = match self.ahead(1).kind {
                    _ if out_of_scope(text).is_some() => out_of_scope(text).unwrap_or_default().to_owned(),
                    Kind::Equals | Kind::LeftBracket => {
                        format!("to name an expression write `let {text} = …`, for a number `param {text} = …`")
                    }
                    _ => {
                        let words = words.collect::<Vec<_>>().join(", ");
                        format!("a statement starts with one of: {words}")
                    }
                };
                (format!("`{text}` does not start a statement"), help)
            }
        };
        self.report(Diagnostic::new(Code::UnknownStatement, span, message).help(help));
        self.at = self.range.end;
        self.skip(self.range.start);
    }

    /// Items separated by commas. An item that fails is left out.
    pub(super) fn items<T>(&mut self, parse: impl Fn(&mut Self) -> Parse<T>) -> Option<Vec<T>> {
        let mut items = Vec::new();
        if self.kind() == Kind::End {
            self.incomplete();
            return None;
        }
        loop {
            let start = self.at;
            if matches!(self.kind(), Kind::End | Kind::Comma) {
                let at = if self.kind() == Kind::End { self.previous() } else { self.peek() };
                let diagnostic =
                    Diagnostic::new(Code::DanglingComma, self.span(at), "an item is missing at this comma");
                self.report(diagnostic.help("commas stand between items; remove this one or add an item"));
            } else {
                match parse(self) {
                    Ok(item) => {
                        items.push(item);
                        if self.item_follows() {
                            self.missing_comma_between_items();
                            continue;
                        }
                        if !matches!(self.kind(), Kind::End | Kind::Comma) {
                            let start = self.at;
                            self.trailing();
                            self.recover(start);
                        }
                    }
                    Err(Failed) => self.recover(start),
                }
            }
            if self.eat(Kind::Comma).is_none() {
                break;
            }
        }
        (!items.is_empty()).then_some(items)
    }

    /// Whether the next item of the statement starts here, where a comma should stand.
    pub(super) fn item_follows(&self) -> bool {
        let token = self.peek();
        let Some(keyword) = self.keyword.filter(|_| self.open.is_empty() && token.kind != Kind::End) else {
            return false;
        };
        let mut after = self.at + 1;
        if self.ahead(1).kind == Kind::LeftBracket {
            after = self.after_bracket(after);
        }
        let next = self.ahead(after - self.at).kind;
        let named = token.kind == Kind::Name;
        match keyword {
            Keyword::Model | Keyword::Lagrangian | Keyword::Hamiltonian | Keyword::Form => false,
            Keyword::Bracket => token.kind == Kind::LeftBrace,
            Keyword::Param => named && (matches!(next, Kind::Equals | Kind::Colon) || next.compares()),
            Keyword::Coord | Keyword::Variables => named && !matches!(self.text(token), "in" | "momentum"),
            Keyword::Algebra => named && next == Kind::LeftParen,
            Keyword::Constraint | Keyword::Vakonomic | Keyword::Gauge | Keyword::Draw => named && next == Kind::Colon,
            Keyword::Initial | Keyword::Boundary => named && matches!(next, Kind::Equals | Kind::Prime),
            _ => named && next == Kind::Equals,
        }
    }

    fn missing_comma_between_items(&mut self) {
        let token = self.peek();
        let message = format!("expected `,` before {}", self.describe(token));
        self.report(
            Diagnostic::new(Code::MissingComma, self.span(token), message)
                .help("items of one statement are separated by commas"),
        );
    }

    /// Skips the rest of an item that started at token `start`.
    fn recover(&mut self, start: usize) {
        self.open.clear();
        self.nesting = 0;
        self.bars = 0;
        self.lower_bound = false;
        self.at = self.item_end(start);
        self.skip(start);
    }

    /// The first comma from here on that is in no bracket opened since `start`, or the end.
    pub(super) fn item_end(&self, start: usize) -> usize {
        let mut depth = 0usize;
        for i in start..self.range.end {
            let kind = self.tokens.list[i].kind;
            if kind.closer().is_some() {
                depth += 1;
            } else if kind.closes() {
                depth = depth.saturating_sub(1);
            } else if kind == Kind::Comma && depth == 0 && i >= self.at {
                return i;
            }
        }
        self.range.end
    }

    pub(super) fn incomplete(&mut self) {
        let Some(keyword) = self.keyword else { return };
        let span = self.span(self.previous());
        self.report(
            Diagnostic::new(Code::IncompleteStatement, span, format!("this `{keyword}` statement is empty"))
                .help(format!("for example `{}`", example(keyword))),
        );
        self.skip(self.range.start);
    }

    /// Something after the end of an item.
    pub(super) fn trailing(&mut self) {
        let token = self.peek();
        let span = self.span(token);
        let text = self.describe(token);
        let diagnostic = match token.kind {
            _ if self.unbalanced => return,
            kind if kind.closes() => Diagnostic::new(Code::UnmatchedBracket, span, format!("{text} closes nothing"))
                .help("remove it, or open a bracket before it"),
            kind if kind.compares() => return drop(self.comparison::<()>(token)),
            Kind::Equals => self.stray_equals(span),
            _ => {
                let message = format!("{text} does not belong to this statement");
                let help = match self.keyword {
                    Some(keyword) => format!(
                        "the statement looks like `{}`; each statement is on a line of its own",
                        example(keyword)
                    ),
                    None => "an expression ends before it".to_owned(),
                };
                Diagnostic::new(Code::TrailingText, span, message).help(help)
            }
        };
        self.report(diagnostic);
    }

    fn stray_equals(&self, span: Span) -> Diagnostic {
        let (message, help) = match self.keyword {
            Some(Keyword::Coord | Keyword::Variables | Keyword::Algebra) => {
                ("a value cannot be given here", "give initial values in a statement of their own: `initial x = 1`")
            }
            Some(Keyword::Lagrangian | Keyword::Hamiltonian) => {
                ("the energy is an expression, not an equation", "remove the `=` and what is on one side of it")
            }
            _ => ("a second `=` cannot stand here", "separate two items by a comma"),
        };
        Diagnostic::new(Code::UnexpectedEquals, span, message).help(help)
    }

    fn model(&mut self) -> Option<StatementKind> {
        if self.kind() == Kind::End {
            self.incomplete();
            return None;
        }
        let Ok(name) = self.name("a model") else {
            self.at = self.range.end;
            self.skip(self.range.start);
            return None;
        };
        let title = self.quoted();
        if self.kind() != Kind::End {
            self.malformed_title(&name);
        }
        Some(StatementKind::Model { name, title })
    }

    /// A text in double quotes, if one stands here.
    pub(super) fn quoted(&mut self) -> Option<Title> {
        let token = self.eat(Kind::Text)?;
        Some(Title { text: self.text(token).trim_matches('"').to_owned(), span: self.span(token) })
    }

    fn malformed_title(&mut self, name: &Name) {
        let token = self.peek();
        let span = self.span(token);
        self.at = self.range.end;
        let all = name.span.to(self.span(self.end()));
        let quote =
            |d: &Diagnostic| d.code == Code::UnclosedString && all.start <= d.span.start && d.span.end <= all.end;
        if self.diagnostics.iter().any(quote) {
            return;
        }
        let name = &name.text;
        let help = match token.kind {
            Kind::Minus => format!("the name is one word, with `_` instead of `-`: `model {name}_…`"),
            _ => format!("write `model {name} \"Title\"`"),
        };
        let message = "a model has a name of one word and then perhaps a title in double quotes";
        self.report(Diagnostic::new(Code::MalformedTitle, span, message).help(help));
    }

    fn energy(&mut self, word: Keyword) -> Option<Expr> {
        if self.kind() == Kind::End {
            self.incomplete();
            return None;
        }
        let start = self.at;
        let energy = self.energy_expression(word);
        if energy.is_err() {
            self.at = self.range.end;
            self.skip(start);
        } else if self.kind() != Kind::End {
            let start = self.at;
            self.trailing();
            self.at = self.range.end;
            self.skip(start);
        }
        energy.ok()
    }

    fn energy_expression(&mut self, word: Keyword) -> Parse<Expr> {
        let help = format!("write `{word}` and then the expression: `{}`", example(word));
        let token = self.peek();
        if matches!(token.kind, Kind::Equals | Kind::Colon) {
            self.advance();
            let message = format!("`{}` does not belong after `{word}`", self.text(token));
            self.report(Diagnostic::new(Code::UnexpectedEquals, self.span(token), message).help(&help));
            return self.expression();
        }
        let energy = self.expression()?;
        let named = matches!(&energy.kind, ExprKind::Reference(r) if r.indices.is_empty());
        if named && matches!(self.kind(), Kind::Equals | Kind::Colon) {
            self.advance();
            let span = self.span_from(energy.span);
            self.report(Diagnostic::new(Code::UnexpectedEquals, span, "the energy gets no name here").help(help));
            return self.expression();
        }
        Ok(energy)
    }
}

/// What is refused by name.
fn out_of_scope(word: &str) -> Option<&'static str> {
    match word.to_ascii_lowercase().as_str() {
        "friction" | "damping" | "dissipation" | "force" | "forcing" | "drive" | "noise" | "contact" => {
            Some("damping, drives, noise and contact are not supported: systems are conservative")
        }
        "nonholonomic" => Some(
            "nonholonomic (Lagrange–d'Alembert) constraints are not supported; `vakonomic` states a velocity constraint of variational kind",
        ),
        _ => None,
    }
}

/// How a statement looks.
pub(super) fn example(keyword: Keyword) -> &'static str {
    match keyword {
        Keyword::Model => "model pendulum \"Planar pendulum\"",
        Keyword::Param => "param g = 9.81",
        Keyword::Require => "require mod(n, 2) = 0 \"n is even\"",
        Keyword::Coord => "coord x, y",
        Keyword::Variables => "variables y1, y2, y3",
        Keyword::Algebra => "algebra so(3): W",
        Keyword::Boundary => "boundary x[0] = 0",
        Keyword::Let => "let r2 = x^2 + y^2",
        Keyword::Lagrangian => "lagrangian x'^2/2 - x^2/2",
        Keyword::Hamiltonian => "hamiltonian p_x^2/2 + x^2/2",
        Keyword::Bracket => "bracket {y1, y2} = -y3",
        Keyword::Form => "form (p, q) = 1",
        Keyword::Constraint => "constraint rod: x^2 + y^2 = 1",
        Keyword::Vakonomic => "vakonomic roll: x'*sin(phi) - y'*cos(phi) = 0",
        Keyword::Gauge => "gauge fixed: x = 0",
        Keyword::Casimir => "casimir spin = y1^2 + y2^2 + y3^2",
        Keyword::Invariant => "invariant L = x*p_y - y*p_x",
        Keyword::Initial => "initial x = 1, p_y = -2",
        Keyword::Observe => "observe angle = atan2(x, -y)",
        Keyword::Split => "split A = p_x^2/2, B = x^2/2",
        Keyword::Run => "run method = rattle, step = 0.01, until = 100",
        Keyword::Draw => "draw rod arm: (0, 0) -- (x, y)",
    }
}
