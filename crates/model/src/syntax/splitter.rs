//! From tokens to statements.
//!
//! A line in the first column starts a statement; an indented line, or an open bracket, continues
//! the one before. A statement word in the first column always starts a statement, so that a
//! forgotten bracket costs one statement and not the rest of the file.

use std::ops::Range;

use super::token::{Kind, Place, Token, Tokens};
use super::words::Keyword;
use crate::diagnostic::{Code, Diagnostic, Diagnostics, Span};
use crate::limits::MAX_STATEMENTS;

/// Cuts the tokens into statements: ranges of `tokens.list`, which loses its semicolons.
pub(super) fn split(tokens: &mut Tokens<'_>, diagnostics: &mut Diagnostics) -> Vec<Range<usize>> {
    let mut splitter = Splitter {
        tokens,
        kept: Vec::with_capacity(tokens.list.len()),
        statements: Vec::new(),
        start: 0,
        depth: 0,
        indented: Vec::new(),
        semicolons: Vec::new(),
        diagnostics,
    };
    splitter.run();
    splitter.report_repeated();
    let Splitter { kept, mut statements, .. } = splitter;
    if let Some(first) = statements.get(MAX_STATEMENTS) {
        let span = tokens.span(kept[first.start]);
        let message = format!("a model has at most {MAX_STATEMENTS} statements");
        diagnostics.push(
            Diagnostic::new(Code::TooManyStatements, span, message)
                .help("describe repeated parts as a family: `coord x[i in 1..n]`"),
        );
        statements.truncate(MAX_STATEMENTS);
    }
    tokens.list = kept;
    statements
}

struct Splitter<'t, 'a, 'd> {
    tokens: &'t Tokens<'a>,
    /// The tokens so far, without semicolons.
    kept: Vec<Token>,
    statements: Vec<Range<usize>>,
    /// Where the current statement starts in `kept`.
    start: usize,
    /// Brackets open in the current statement.
    depth: usize,
    /// Indented lines that start a statement all the same.
    indented: Vec<Span>,
    semicolons: Vec<Span>,
    diagnostics: &'d mut Diagnostics,
}

/// What a token does to the statement before it.
enum Cut {
    Continue,
    Start,
}

impl Splitter<'_, '_, '_> {
    fn run(&mut self) {
        for i in 0..self.tokens.list.len() {
            let token = self.tokens.list[i];
            if token.kind == Kind::Semicolon {
                self.semicolon(i, token);
                continue;
            }
            if self.kept.len() > self.start && matches!(self.cut(i, token), Cut::Start) {
                self.finish();
            }
            if token.kind.closer().is_some() {
                self.depth += 1;
            } else if token.kind.closes() {
                self.depth = self.depth.saturating_sub(1);
            }
            self.kept.push(token);
        }
        self.finish();
    }

    fn finish(&mut self) {
        if self.kept.len() > self.start {
            self.statements.push(self.start..self.kept.len());
        }
        self.start = self.kept.len();
        self.depth = 0;
    }

    fn cut(&mut self, i: usize, token: Token) -> Cut {
        let last = self.kept[self.kept.len() - 1].kind;
        match token.place {
            Place::Margin if self.keyword(i).is_some() || self.two_words(i) => Cut::Start,
            Place::Margin if self.depth > 0 => Cut::Continue,
            Place::Margin if last.joins() || token.kind.joins() || token.kind.closes() => {
                self.unindented(token);
                Cut::Continue
            }
            Place::Margin => Cut::Start,
            Place::Indented if self.depth == 0 && self.is_statement(i, last) => {
                self.indented.push(self.tokens.span(token));
                Cut::Start
            }
            Place::Inside if self.depth == 0 && self.runs_on(i, last) => {
                self.run_on(i, token);
                Cut::Start
            }
            Place::Indented | Place::Inside => Cut::Continue,
        }
    }

    fn keyword(&self, i: usize) -> Option<Keyword> {
        let token = *self.tokens.list.get(i)?;
        (token.kind == Kind::Name).then(|| Keyword::from_name(self.tokens.text(token)))?
    }

    /// The token after `i` on the same line.
    fn next(&self, i: usize) -> Option<Token> {
        let next = *self.tokens.list.get(i + 1)?;
        (next.place == Place::Inside).then_some(next)
    }

    /// Two names in a row, which only a statement (perhaps a misspelt one) starts with.
    fn two_words(&self, i: usize) -> bool {
        let word = |t: Token| t.kind == Kind::Name && !matches!(self.tokens.text(t), "in" | "momentum");
        self.tokens.list[i].kind == Kind::Name && self.next(i).is_some_and(word)
    }

    /// Whether a statement word is followed by what only a statement has there.
    fn is_statement(&self, i: usize, last: Kind) -> bool {
        let Some(next) = self.next(i) else {
            return false;
        };
        self.keyword(i).is_some()
            && match next.kind {
                Kind::Name => self.two_words(i),
                Kind::LeftBrace => true,
                Kind::LeftParen | Kind::Number => last.ends_operand(),
                _ => false,
            }
    }

    /// Whether a second statement starts inside a line.
    fn runs_on(&self, i: usize, last: Kind) -> bool {
        self.kept.len() > self.start + 1 && last.ends_operand() && self.is_statement(i, last)
    }

    fn unindented(&mut self, token: Token) {
        let span = self.tokens.span(token);
        let last = self.kept[self.kept.len() - 1];
        self.diagnostics.push(
            Diagnostic::new(
                Code::UnindentedContinuation,
                span,
                "this line continues the statement above, but is not indented",
            )
            .label(self.tokens.span(last), "the statement goes on after this")
            .help("indent the line by a space or more"),
        );
    }

    fn run_on(&mut self, i: usize, token: Token) {
        let word = self.keyword(i).map_or("", Keyword::name);
        let message = format!("`{word}` starts a second statement on this line");
        self.diagnostics.push(
            Diagnostic::new(Code::MissingLineBreak, self.tokens.span(token), message)
                .help("put each statement on a line of its own"),
        );
    }

    fn semicolon(&mut self, i: usize, token: Token) {
        self.semicolons.push(self.tokens.span(token));
        match self.next(i) {
            None => {}
            Some(_) if self.depth == 0 && self.keyword(i + 1).is_some() => self.finish(),
            Some(_) => self.kept.push(token.with_kind(Kind::Comma)),
        }
    }

    /// One message for all semicolons and one for all indented statements.
    fn report_repeated(&mut self) {
        let others = |spans: &[Span]| match spans.len() {
            1 => String::new(),
            2 => " (so is one other line)".to_owned(),
            n => format!(" (so are {} other lines)", n - 1),
        };
        if let Some(&span) = self.indented.first() {
            let message = format!(
                "this statement is indented, which would make it part of the one above{}",
                others(&self.indented)
            );
            self.diagnostics.push(
                Diagnostic::new(Code::IndentedStatement, span, message)
                    .help("start statements in the first column; an indented line continues the statement above"),
            );
        }
        if let Some(&span) = self.semicolons.first() {
            let count = match self.semicolons.len() {
                1 => String::new(),
                n => format!(" (there are {n})"),
            };
            self.diagnostics.push(
                Diagnostic::new(Code::Semicolon, span, format!("statements do not end with `;`{count}"))
                    .help("put each statement on a line of its own; separate items of one statement by commas"),
            );
        }
    }
}
