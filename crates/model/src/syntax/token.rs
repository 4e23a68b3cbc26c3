//! Tokens, and the text they came from.

use super::lookalike::Ascii;
use crate::diagnostic::Span;

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Name,
    Number,
    Text,
    Plus,
    Minus,
    Star,
    Slash,
    Caret,
    Prime,
    LeftParen,
    RightParen,
    LeftBracket,
    RightBracket,
    LeftBrace,
    RightBrace,
    Bar,
    Comma,
    Semicolon,
    Colon,
    Equals,
    NotEqual,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    Range,
    /// The end of the statement.
    End,
}

impl Kind {
    /// What closes this opening bracket.
    pub(super) fn closer(self) -> Option<Kind> {
        match self {
            Kind::LeftParen => Some(Kind::RightParen),
            Kind::LeftBracket => Some(Kind::RightBracket),
            Kind::LeftBrace => Some(Kind::RightBrace),
            _ => None,
        }
    }

    /// Whether it closes a bracket.
    pub(super) fn closes(self) -> bool {
        matches!(self, Kind::RightParen | Kind::RightBracket | Kind::RightBrace)
    }

    /// Whether an operand can end with it.
    pub(super) fn ends_operand(self) -> bool {
        matches!(self, Kind::Name | Kind::Number | Kind::Prime | Kind::Text) || self.closes()
    }

    /// Whether it stands between two things, so that neither a statement nor a line can end there.
    pub(super) fn joins(self) -> bool {
        use Kind::{Caret, Comma, Equals, Minus, Plus, Range, Slash, Star};
        matches!(self, Plus | Minus | Star | Slash | Caret | Comma | Equals | Range)
    }

    pub(super) fn compares(self) -> bool {
        use Kind::{Greater, GreaterEqual, Less, LessEqual, NotEqual};
        matches!(self, Greater | GreaterEqual | Less | LessEqual | NotEqual)
    }
}

/// Where on its line a token stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// First on a line, in the first column.
    Margin,
    /// First on an indented line.
    Indented,
    /// After another token of the line.
    Inside,
}

/// A token; its offsets are those of the ASCII text.
#[derive(Clone, Copy, Debug)]
pub(super) struct Token {
    pub(super) kind: Kind,
    pub(super) place: Place,
    pub(super) start: u32,
    pub(super) end: u32,
}

impl Token {
    /// The same characters taken for something else.
    pub(super) fn with_kind(self, kind: Kind) -> Token {
        Token { kind, ..self }
    }
}

/// The tokens of a text.
pub(super) struct Tokens<'a> {
    pub(super) ascii: Ascii<'a>,
    pub(super) list: Vec<Token>,
}

impl Tokens<'_> {
    /// The text of a token, in ASCII.
    pub(super) fn text(&self, token: Token) -> &str {
        &self.ascii.text[token.start as usize..token.end as usize]
    }

    /// Where a token stands in the source.
    pub(super) fn span(&self, token: Token) -> Span {
        self.ascii.original(Span::new(token.start as usize, token.end as usize))
    }

    /// The ASCII text from one token to another, both included.
    pub(super) fn text_between(&self, first: Token, last: Token) -> &str {
        self.ascii.text.get(first.start as usize..last.end as usize).unwrap_or("")
    }

    /// The end of a statement whose last token is this one.
    pub(super) fn end_after(token: Token) -> Token {
        Token { kind: Kind::End, place: Place::Inside, start: token.end, end: token.end }
    }

    /// The end of a text without tokens.
    pub(super) fn nothing() -> Token {
        Token { kind: Kind::End, place: Place::Inside, start: 0, end: 0 }
    }

    /// Whether nothing stands between two tokens.
    pub(super) fn touch(first: Token, second: Token) -> bool {
        first.end == second.start
    }
}
