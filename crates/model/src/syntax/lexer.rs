//! From text to tokens.

use std::str::from_utf8;

use super::lookalike::to_ascii;
use super::token::{Kind, Place, Token, Tokens};
use crate::diagnostic::{Code, Diagnostic, Diagnostics, Span};
use crate::limits::MAX_EXPONENT_DIGITS;

/// Splits a text, of at most [`crate::limits::MAX_SOURCE_BYTES`], into tokens.
pub(super) fn lex<'a>(source: &'a str, diagnostics: &mut Diagnostics) -> Tokens<'a> {
    let ascii = to_ascii(source, diagnostics);
    let mut lexer =
        Lexer { bytes: ascii.text.as_bytes(), at: 0, place: Place::Margin, list: Vec::new(), found: Vec::new() };
    lexer.run();
    let Lexer { list, found, .. } = lexer;
    for mut diagnostic in found {
        diagnostic.span = ascii.original(diagnostic.span);
        diagnostics.push(diagnostic);
    }
    Tokens { ascii, list }
}

struct Lexer<'a> {
    bytes: &'a [u8],
    at: usize,
    /// The place of the next token.
    place: Place,
    list: Vec<Token>,
    /// Diagnostics with offsets of the ASCII text.
    found: Vec<Diagnostic>,
}

impl Lexer<'_> {
    fn run(&mut self) {
        while let Some(byte) = self.peek(0) {
            match byte {
                b'\n' | b'\r' => {
                    self.at += 1;
                    self.place = Place::Margin;
                }
                b' ' | b'\t' => {
                    self.at += 1;
                    if self.place == Place::Margin {
                        self.place = Place::Indented;
                    }
                }
                b'#' => self.skip_line(),
                b'"' => self.string(),
                b'0'..=b'9' => self.number(),
                b'.' => self.dots(),
                b'a'..=b'z' | b'A'..=b'Z' | b'_' => {
                    let length = self.count(|b| b.is_ascii_alphanumeric() || b == b'_', 0);
                    self.token(Kind::Name, length);
                }
                _ => self.symbol(byte),
            }
        }
    }

    fn peek(&self, ahead: usize) -> Option<u8> {
        self.bytes.get(self.at + ahead).copied()
    }

    /// How many bytes from `ahead` on are like this.
    fn count(&self, like: impl Fn(u8) -> bool, ahead: usize) -> usize {
        let rest = self.bytes.get(self.at + ahead..).unwrap_or(&[]);
        rest.iter().take_while(|&&b| like(b)).count()
    }

    fn token(&mut self, kind: Kind, length: usize) {
        let offset = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
        self.list.push(Token { kind, place: self.place, start: offset(self.at), end: offset(self.at + length) });
        self.at += length;
        self.place = Place::Inside;
    }

    /// Reports the next `length` bytes.
    fn report(&mut self, code: Code, length: usize, message: impl Into<String>, help: impl Into<String>) {
        let span = Span::new(self.at, self.at + length);
        self.found.push(Diagnostic::new(code, span, message).help(help));
    }

    fn slice(&self, length: usize) -> &str {
        let end = (self.at + length).min(self.bytes.len());
        from_utf8(&self.bytes[self.at..end]).unwrap_or("")
    }

    fn skip_line(&mut self) {
        self.at += self.count(|b| b != b'\n' && b != b'\r', 0);
    }

    fn string(&mut self) {
        let body = self.count(|b| !matches!(b, b'"' | b'\n' | b'\r'), 1);
        if self.peek(1 + body) == Some(b'"') {
            return self.token(Kind::Text, body + 2);
        }
        self.report(
            Code::UnclosedString,
            body + 1,
            "this title has no closing quote",
            "a title stands between two `\"` on one line",
        );
        self.token(Kind::Text, body + 1);
    }

    /// A number that starts with a digit.
    fn number(&mut self) {
        let digit = |b: u8| b.is_ascii_digit();
        let whole = self.count(digit, 0);
        let mut length = whole;
        let dot = self.peek(length) == Some(b'.') && self.peek(length + 1) != Some(b'.');
        let fraction = if dot { self.count(digit, length + 1) } else { 0 };
        if dot {
            length += 1 + fraction;
        }
        length += self.exponent(length);
        let again = self.peek(length) == Some(b'.') && self.peek(length + 1).is_some_and(digit);
        if dot && fraction == 0 {
            let whole = self.slice(whole).to_owned();
            let power = self.slice(length)[whole.len() + 1..].to_owned();
            let range =
                if self.peek(length).is_some_and(|b| b.is_ascii_alphabetic()) { "; a range has two dots" } else { "" };
            let help = format!("write `{whole}{power}` or `{whole}.0{power}`{range}");
            self.report(Code::MalformedNumber, length, "a decimal point needs digits on both sides", help);
        } else if again {
            length += self.count(|b| digit(b) || b == b'.', length);
            self.report(
                Code::MalformedNumber,
                length,
                "this number has two decimal points",
                "numbers look like `12`, `0.5` or `1.5e-3`; a range is `1..n`",
            );
        } else {
            length += self.foreign_suffix(length);
        }
        self.finish_number(length);
    }

    /// A number is too long if its exponent is.
    fn finish_number(&mut self, length: usize) {
        let exponent = self
            .slice(length)
            .rsplit_once(['e', 'E'])
            .map_or(0, |(_, e)| e.trim_start_matches(['+', '-']).trim_start_matches('0').len());
        if exponent > MAX_EXPONENT_DIGITS {
            self.report(
                Code::MalformedNumber,
                length,
                "the exponent of this number is out of range",
                format!("an exponent has at most {MAX_EXPONENT_DIGITS} digits"),
            );
        }
        self.token(Kind::Number, length);
    }

    /// Length of `e±digits` at this distance.
    fn exponent(&self, ahead: usize) -> usize {
        if !matches!(self.peek(ahead), Some(b'e' | b'E')) {
            return 0;
        }
        let sign = usize::from(matches!(self.peek(ahead + 1), Some(b'+' | b'-')));
        match self.count(|b| b.is_ascii_digit(), ahead + 1 + sign) {
            0 => 0,
            digits => 1 + sign + digits,
        }
    }

    /// Reports `1_000` and `1d0`, and gives the length to swallow.
    fn foreign_suffix(&mut self, length: usize) -> usize {
        let digits = |from: usize| self.count(|b| b.is_ascii_digit(), from);
        if self.peek(length) == Some(b'_') && digits(length + 1) > 0 {
            let more = self.count(|b| b.is_ascii_digit() || b == b'_', length);
            let plain = self.slice(length + more).replace('_', "");
            self.report(Code::MalformedNumber, length + more, "digits are not grouped", format!("write `{plain}`"));
            return more;
        }
        if matches!(self.peek(length), Some(b'd' | b'D')) {
            let sign = usize::from(matches!(self.peek(length + 1), Some(b'+' | b'-')));
            let more = 1 + sign + digits(length + 1 + sign);
            let plain = self.slice(length + more).replace(['d', 'D'], "e");
            let ends = !matches!(self.peek(length + more), Some(b) if b.is_ascii_alphanumeric() || b == b'_');
            if more > 1 + sign && ends {
                self.report(
                    Code::MalformedNumber,
                    length + more,
                    "a power of ten is written with `e`",
                    format!("write `{plain}`"),
                );
                return more;
            }
        }
        0
    }

    /// `..`, or a mistake that starts with a dot.
    fn dots(&mut self) {
        let digits = self.count(|b| b.is_ascii_digit(), 1);
        match self.count(|b| b == b'.', 0) {
            2 => self.token(Kind::Range, 2),
            1 if digits > 0 => {
                let length = 1 + digits + self.exponent(1 + digits);
                let help = format!("write `0{}`", self.slice(length));
                self.report(Code::MalformedNumber, length, "a decimal point needs digits on both sides", help);
                self.finish_number(length);
            }
            1 => {
                let help = "an operator is needed here: `*` for a product, `..` for a range";
                self.report(Code::UnexpectedCharacter, 1, "a lone `.` means nothing", help);
                self.at += 1;
            }
            length => {
                self.report(Code::ForeignOperator, length, "a range has two dots", "write `1..n`");
                self.token(Kind::Range, length);
            }
        }
    }

    fn symbol(&mut self, byte: u8) {
        let next = self.peek(1);
        match (byte, next) {
            (b'*', Some(b'*')) => {
                self.foreign(Kind::Caret, 2, "a power is written with `^`", "write `x^2` instead of `x**2`")
            }
            (b'/', Some(b'/' | b'*')) => {
                let length = self.count(|b| b != b'\n' && b != b'\r', 0);
                self.report(Code::ForeignOperator, length, "comments start with `#`", "write `# …`");
                self.at += length;
            }
            (b'=', Some(b'=')) => {
                let length = self.count(|b| b == b'=', 0);
                self.foreign(Kind::Equals, length, "equality is written with a single `=`", "write `=`");
            }
            (b':', Some(b'=')) => {
                self.foreign(Kind::Equals, 2, "definitions are written with a plain `=`", "write `=`")
            }
            (b'<', Some(b'=')) => self.token(Kind::LessEqual, 2),
            (b'>', Some(b'=')) => self.token(Kind::GreaterEqual, 2),
            (b'!', Some(b'=')) => self.token(Kind::NotEqual, 2),
            (b'!', _) => {
                let help = "there is no factorial; write `product(j in 1..n, j)`";
                self.report(Code::ForeignOperator, 1, "`!` means nothing here", help);
                self.at += 1;
            }
            (b'%', _) => self.foreign(
                Kind::Star,
                1,
                "`%` is not an operator",
                "the remainder is `mod(a, b)`; comments start with `#`",
            ),
            (b'+', _) => self.token(Kind::Plus, 1),
            (b'-', _) => self.token(Kind::Minus, 1),
            (b'*', _) => self.token(Kind::Star, 1),
            (b'/', _) => self.token(Kind::Slash, 1),
            (b'^', _) => self.token(Kind::Caret, 1),
            (b'\'', _) => self.token(Kind::Prime, 1),
            (b'(', _) => self.token(Kind::LeftParen, 1),
            (b')', _) => self.token(Kind::RightParen, 1),
            (b'[', _) => self.token(Kind::LeftBracket, 1),
            (b']', _) => self.token(Kind::RightBracket, 1),
            (b'{', _) => self.token(Kind::LeftBrace, 1),
            (b'}', _) => self.token(Kind::RightBrace, 1),
            (b'|', _) => self.token(Kind::Bar, 1),
            (b',', _) => self.token(Kind::Comma, 1),
            (b';', _) => self.token(Kind::Semicolon, 1),
            (b':', _) => self.token(Kind::Colon, 1),
            (b'=', _) => self.token(Kind::Equals, 1),
            (b'<', _) => self.token(Kind::Less, 1),
            (b'>', _) => self.token(Kind::Greater, 1),
            _ => self.unexpected(),
        }
    }

    fn foreign(&mut self, kind: Kind, length: usize, message: &str, help: &str) {
        self.report(Code::ForeignOperator, length, message, help);
        self.token(kind, length);
    }

    /// A run of characters that mean nothing.
    fn unexpected(&mut self) {
        let meaningless =
            |b: u8| matches!(b, b'&' | b'@' | b'$' | b'~' | b'\\' | b'?' | b'`' | 0..9 | 11 | 12 | 14..32 | 127..);
        let length = self.count(meaningless, 0).max(1);
        let shown: String = self.slice(length).chars().take(20).flat_map(char::escape_default).collect();
        let help = if shown.starts_with('\\') && length == 1 && self.peek(0) == Some(b'\\') {
            "to continue a statement on the next line, indent that line"
        } else {
            "comments start with `#`"
        };
        let shown = if self.peek(0) == Some(b'\\') && length == 1 { "\\".to_owned() } else { shown };
        self.report(Code::UnexpectedCharacter, length, format!("`{shown}` means nothing here"), help);
        self.at += length;
    }
}
