//! From tokens to the tree, by recursive descent.
//!
//! A mistake with an evident meaning (`2x`, `x**2`) is reported and parsed as what was meant. Any
//! other ends its item, and parsing goes on with the next one: every mistake of a file is reported
//! in one go, and none twice.

mod brackets;
mod call;
mod conditional;
mod declaration;
mod drawing;
mod expression;
mod place;
mod statement;

use std::ops::Range;

use super::ast::{Expr, File, Name};
use super::lexer::lex;
use super::splitter::split;
use super::token::{Kind, Token, Tokens};
use super::words::{Keyword, reserved_name};
use crate::diagnostic::{Code, Diagnostic, Diagnostics, Span};
use crate::limits::{MAX_NESTING, MAX_SOURCE_BYTES};

/// What was understood of a text, and what was wrong with it.
#[derive(Clone, Debug)]
pub struct Parsed {
    /// The statements that could be parsed, without the items that could not.
    pub file: File,
    /// Everything that is wrong, in the order of the text.
    pub diagnostics: Diagnostics,
    /// What is missing from `file`. Later checks should be silent about it.
    pub skipped: Vec<Skipped>,
}

/// A piece of text that could not be parsed. It has been reported.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Skipped {
    /// The statement it belongs to, if it has a known word.
    pub keyword: Option<Keyword>,
    /// The names that occur in it; some of them it may have declared.
    pub names: Vec<String>,
    /// Where it stands.
    pub span: Span,
}

impl Parsed {
    /// The file, if nothing is wrong with it.
    pub fn into_result(self) -> Result<File, Diagnostics> {
        self.diagnostics.into_result(self.file)
    }

    /// Whether a name occurs in skipped text, and so may be declared there.
    pub fn may_declare(&self, name: &str) -> bool {
        self.skipped.iter().any(|s| s.names.iter().any(|n| n == name))
    }

    /// Whether part of such a statement was skipped.
    pub fn lacks(&self, keyword: Keyword) -> bool {
        self.skipped.iter().any(|s| s.keyword.is_none_or(|k| k == keyword))
    }
}

/// Parses a model text.
pub fn parse(source: &str) -> Parsed {
    let mut diagnostics = Diagnostics::new();
    let mut file = File::default();
    let mut skipped = Vec::new();
    if let Err(diagnostic) = check_size(source) {
        diagnostics.push(diagnostic);
        return Parsed { file, diagnostics, skipped };
    }
    let mut tokens = lex(source, &mut diagnostics);
    for range in split(&mut tokens, &mut diagnostics) {
        let mut parser = Parser::new(&tokens, range, &mut diagnostics, &mut skipped);
        file.statements.extend(parser.statement());
    }
    diagnostics.sort();
    Parsed { file, diagnostics, skipped }
}

/// Parses a text that is one expression.
pub fn parse_expression(source: &str) -> Result<Expr, Diagnostics> {
    check_size(source)?;
    let mut diagnostics = Diagnostics::new();
    let mut skipped = Vec::new();
    let tokens = lex(source, &mut diagnostics);
    let all = 0..tokens.list.len();
    let mut parser = Parser::new(&tokens, all, &mut diagnostics, &mut skipped);
    let expression = parser.expression();
    if expression.is_ok() && parser.kind() != Kind::End {
        parser.trailing();
    }
    diagnostics.sort();
    match expression {
        Ok(expression) => diagnostics.into_result(expression),
        Err(Failed) => Err(diagnostics),
    }
}

/// The bytes of a file as text. To render the error, pass [`String::from_utf8_lossy`] of the bytes
/// as the source.
pub fn decode(bytes: &[u8]) -> Result<&str, Diagnostics> {
    std::str::from_utf8(bytes).map_err(|error| {
        let at = error.valid_up_to();
        // In the lossy text, three bytes stand in the place of the bad ones.
        Diagnostic::new(Code::NotUtf8, Span::new(at, at + 3), "the file is not UTF-8 text")
            .caption("the first byte that is not")
            .help("save the file as UTF-8 (models are ASCII; titles and comments may be anything)")
            .into()
    })
}

fn check_size(source: &str) -> Result<(), Diagnostic> {
    if source.len() <= MAX_SOURCE_BYTES {
        return Ok(());
    }
    let limit = MAX_SOURCE_BYTES >> 20;
    let message = format!("a model text has at most {limit} MiB, this one has {} bytes", source.len());
    Err(Diagnostic::new(Code::SourceTooLarge, Span::default(), message)
        .help("describe repeated parts as a family: `coord x[i in 1..n]`"))
}

/// The item cannot be parsed; the reason has been reported.
#[derive(Debug)]
struct Failed;

type Parse<T> = Result<T, Failed>;

/// The parser of one statement.
struct Parser<'t, 'a> {
    tokens: &'t Tokens<'a>,
    at: usize,
    range: Range<usize>,
    keyword: Option<Keyword>,
    /// How deep the expression is nested.
    nesting: usize,
    /// The brackets that are open.
    open: Vec<Kind>,
    /// A bracket is known to be missing: silence about others.
    unbalanced: bool,
    /// Inside `|…|`.
    bars: usize,
    /// Inside the condition of an `if`, where `and` and `or` join.
    condition: bool,
    /// In the first bound of a range, where `to` may stand for `..`.
    lower_bound: bool,
    diagnostics: &'t mut Diagnostics,
    skipped: &'t mut Vec<Skipped>,
}

impl<'t, 'a> Parser<'t, 'a> {
    fn new(
        tokens: &'t Tokens<'a>,
        range: Range<usize>,
        diagnostics: &'t mut Diagnostics,
        skipped: &'t mut Vec<Skipped>,
    ) -> Self {
        Parser {
            tokens,
            at: range.start,
            range,
            keyword: None,
            nesting: 0,
            open: Vec::new(),
            unbalanced: false,
            bars: 0,
            condition: false,
            lower_bound: false,
            diagnostics,
            skipped,
        }
    }

    /// The token some way ahead.
    fn ahead(&self, distance: usize) -> Token {
        let at = self.at + distance;
        if at < self.range.end { self.tokens.list[at] } else { self.end() }
    }

    /// The end of the statement.
    fn end(&self) -> Token {
        match self.range.end.checked_sub(1).and_then(|last| self.tokens.list.get(last)) {
            Some(&last) => Tokens::end_after(last),
            None => Tokens::nothing(),
        }
    }

    fn peek(&self) -> Token {
        self.ahead(0)
    }

    fn kind(&self) -> Kind {
        self.peek().kind
    }

    /// The token before this one.
    fn previous(&self) -> Token {
        match self.at.checked_sub(1) {
            Some(before) if before >= self.range.start => self.tokens.list[before],
            _ => self.peek(),
        }
    }

    fn advance(&mut self) -> Token {
        let token = self.peek();
        self.at = (self.at + 1).min(self.range.end);
        token
    }

    /// Takes the token and gives its span.
    fn advance_span(&mut self) -> Span {
        let token = self.advance();
        self.span(token)
    }

    /// Takes the token if it is of this kind.
    fn eat(&mut self, kind: Kind) -> Option<Token> {
        (self.kind() == kind).then(|| self.advance())
    }

    fn text(&self, token: Token) -> &'t str {
        self.tokens.text(token)
    }

    fn span(&self, token: Token) -> Span {
        self.tokens.span(token)
    }

    /// From the start of something to the last token taken.
    fn span_from(&self, start: Span) -> Span {
        start.to(self.span(self.previous()))
    }

    /// Whether the token is this word.
    fn is_word(&self, token: Token, word: &str) -> bool {
        token.kind == Kind::Name && self.text(token) == word
    }

    /// A token as a message names it.
    fn describe(&self, token: Token) -> String {
        match token.kind {
            Kind::End => "the end of the statement".to_owned(),
            Kind::Text => "a text in quotes".to_owned(),
            _ => format!("`{}`", self.text(token)),
        }
    }

    fn report(&mut self, diagnostic: Diagnostic) {
        self.diagnostics.push(diagnostic);
    }

    fn fail<T>(&mut self, diagnostic: Diagnostic) -> Parse<T> {
        self.report(diagnostic);
        Err(Failed)
    }

    /// Whether a bad character or number between two tokens, or in one of them, has been reported:
    /// then what follows from it is not worth a message.
    fn reported_between(&self, first: Token, second: Token) -> bool {
        let (start, end) = (self.span(first).start, self.span(second).end);
        let bad = |code| matches!(code, Code::UnexpectedCharacter | Code::MalformedNumber);
        let between = |span: Span| start <= span.start && span.end <= end;
        self.diagnostics.iter().any(|d| bad(d.code) && between(d.span))
    }

    /// Goes one level deeper, unless that is too deep.
    fn nested<T>(&mut self, parse: impl FnOnce(&mut Self) -> Parse<T>) -> Parse<T> {
        if self.nesting >= MAX_NESTING {
            let span = self.span(self.peek());
            let message = format!("this expression is nested deeper than {MAX_NESTING} levels");
            let first = !std::mem::replace(&mut self.unbalanced, true);
            self.at = self.range.end;
            if first {
                self.report(Diagnostic::new(Code::TooDeep, span, message).help("name parts of it with `let`"));
            }
            return Err(Failed);
        }
        self.nesting += 1;
        let result = parse(self);
        self.nesting -= 1;
        result
    }

    /// A name that is not reserved. `what` says what it names.
    fn name(&mut self, what: &str) -> Parse<Name> {
        let token = self.peek();
        let span = self.span(token);
        if token.kind != Kind::Name && self.reported_between(self.previous(), token) {
            return Err(Failed);
        }
        if token.kind != Kind::Name || self.is_word(token, "in") {
            let message = format!("expected the name of {what}, found {}", self.describe(token));
            let at = if token.kind == Kind::End { self.span(self.previous()) } else { span };
            return self.fail(
                Diagnostic::new(Code::ExpectedName, at, message)
                    .help("a name is a letter or `_`, followed by letters, digits and `_`"),
            );
        }
        self.advance();
        let text = self.text(token).to_owned();
        if reserved_name(&text) {
            let message = format!("`{text}` is reserved and cannot be the name of {what}");
            self.report(
                Diagnostic::new(Code::ReservedName, span, message)
                    .help(format!("choose another name, for example `{text}_1`")),
            );
        }
        Ok(Name { text, span })
    }

    /// Notes the names of text that could not be parsed: from token `start` up to the current one.
    fn skip(&mut self, start: usize) {
        let taken = &self.tokens.list[start..self.at];
        let (Some(&first), Some(&last)) = (taken.first(), taken.last()) else {
            return;
        };
        let words = taken.iter().filter(|t| t.kind == Kind::Name);
        let mut names: Vec<String> = words.map(|&t| self.text(t).to_owned()).collect();
        names.sort_unstable();
        names.dedup();
        let span = self.span(first).to(self.span(last));
        self.skipped.push(Skipped { keyword: self.keyword, names, span });
    }
}
