//! The items of statements.

use super::statement::example;
use super::{Failed, Parse, Parser};
use crate::diagnostic::{Code, Diagnostic, Span};
use crate::nearest::nearest;
use crate::syntax::ast::{
    Assignment, Coordinate, Definition, Expr, Head, Name, Pairing, Parameter, Place, Relation, Setting, SettingValue,
    Sign,
};
use crate::syntax::number::Decimal;
use crate::syntax::token::{Kind, Tokens};
use crate::syntax::words::{BuiltInLapse, Function, Keyword, RunKey, RunValueKind};

impl Parser<'_, '_> {
    /// `= value`
    fn value(&mut self) -> Parse<Expr> {
        self.equals()?;
        self.expression()
    }

    /// Takes `=`; if it is missing before a value, or `:` stands in its place, goes on.
    fn equals(&mut self) -> Parse<()> {
        if self.eat(Kind::Equals).is_some() {
            return Ok(());
        }
        let token = self.peek();
        let at = if token.kind == Kind::End { self.span(self.previous()) } else { self.span(token) };
        let message = format!("expected `=`, found {}", self.describe(token));
        let mut diagnostic = Diagnostic::new(Code::MissingEquals, at, message);
        if let Some(keyword) = self.keyword {
            diagnostic = diagnostic.help(format!("for example `{}`", example(keyword)));
        }
        self.report(diagnostic);
        match token.kind {
            Kind::Colon => drop(self.advance()),
            Kind::Name if self.is_word(token, "in") => return Err(Failed),
            Kind::Number | Kind::Name | Kind::LeftParen => {}
            _ => return Err(Failed),
        }
        Ok(())
    }

    pub(super) fn parameter(&mut self) -> Parse<Parameter> {
        let head = self.head("a parameter")?;
        let start = head.span;
        let mut integer = None;
        let mut sign = None;
        loop {
            match self.kind() {
                Kind::Colon => integer = self.integer()?.or(integer),
                Kind::Name if self.is_word(self.peek(), "int") => integer = Some(self.integer_without_colon()),
                kind if kind.compares() => sign = self.sign()?.or(sign),
                _ => break,
            }
        }
        let value = match self.kind() {
            Kind::Comma | Kind::End => None,
            kind if kind.closes() || self.item_follows() => None,
            _ => Some(self.value()?),
        };
        if self.kind().compares() && value.is_some() {
            let diagnostic = Diagnostic::new(
                Code::MalformedSign,
                self.span(self.peek()),
                "the sign of a parameter stands before its value",
            );
            self.report(diagnostic.help(format!("write `param {} > 0 = 1`", head.name.text)));
            sign = self.sign()?.or(sign);
        }
        let span = self.span_from(start);
        Ok(Parameter { head, integer, sign, value, span })
    }

    /// `: int`
    fn integer(&mut self) -> Parse<Option<Span>> {
        let colon = self.advance_span();
        let word = self.peek();
        if self.is_word(word, "int") {
            self.advance();
            return Ok(Some(self.span_from(colon)));
        }
        let diagnostic = Diagnostic::new(
            Code::UnknownType,
            self.span(word),
            format!("expected `int`, found {}", self.describe(word)),
        );
        self.report(diagnostic.help("parameters are real numbers unless they say `: int`; a value is given with `=`"));
        match word.kind {
            Kind::Name => drop(self.advance()),
            _ => return Err(Failed),
        }
        Ok(None)
    }

    fn integer_without_colon(&mut self) -> Span {
        let span = self.advance_span();
        let diagnostic = Diagnostic::new(Code::MissingColon, span, "expected `:` before `int`");
        self.report(diagnostic.help("write `param n : int = 10`"));
        span
    }

    /// `> 0`
    fn sign(&mut self) -> Parse<Option<(Sign, Span)>> {
        let operator = self.advance();
        let start = self.span(operator);
        let zero = self.peek();
        let is_zero = Decimal::parse(self.text(zero)).is_some_and(|d| d.digits == "0");
        if zero.kind != Kind::Number || !is_zero {
            let diagnostic =
                Diagnostic::new(Code::MalformedSign, self.span(zero), "a parameter can only be compared with 0");
            self.report(
                diagnostic.help("write `> 0`, `>= 0`, `< 0`, `<= 0` or `!= 0`: it states a sign the analysis may use"),
            );
            self.expression()?;
            return Ok(None);
        }
        self.advance();
        let sign = match operator.kind {
            Kind::Greater => Sign::Positive,
            Kind::GreaterEqual => Sign::NonNegative,
            Kind::Less => Sign::Negative,
            Kind::LessEqual => Sign::NonPositive,
            _ => Sign::NonZero,
        };
        Ok(Some((sign, self.span_from(start))))
    }

    pub(super) fn coordinate(&mut self) -> Parse<Coordinate> {
        let comma = self.is_word(self.peek(), "momentum")
            && self.ahead(1).kind == Kind::Name
            && !self.is_word(self.ahead(1), "momentum");
        if comma {
            let diagnostic = Diagnostic::new(
                Code::MalformedMomentum,
                self.span(self.peek()),
                "`momentum` follows its coordinate without a comma",
            );
            return self.fail(diagnostic.help("write `coord q momentum p`"));
        }
        let head = self.head("a coordinate")?;
        let start = head.span;
        let mut momentum = None;
        if self.is_word(self.peek(), "momentum") {
            self.advance();
            momentum = Some(self.name("a momentum")?);
            if self.kind() == Kind::LeftBracket {
                let diagnostic = Diagnostic::new(
                    Code::MalformedMomentum,
                    self.span(self.peek()),
                    "a momentum has the indices of its coordinate",
                );
                self.report(diagnostic.help("write its name without indices: `coord q[i in 1..n] momentum p`"));
                self.at = self.after_bracket(self.at);
            }
        }
        let span = self.span_from(start);
        Ok(Coordinate { head, momentum, span })
    }

    pub(super) fn variable(&mut self) -> Parse<Head> {
        self.head("a variable")
    }

    pub(super) fn definition(&mut self) -> Parse<Definition> {
        let what = match self.keyword {
            Some(Keyword::Casimir) => "a Casimir",
            Some(Keyword::Invariant) => "an invariant",
            Some(Keyword::Observe) => "an observable",
            Some(Keyword::Split) => "a part of the energy",
            _ => "a definition",
        };
        let head = self.head(what)?;
        let value = self.value()?;
        let span = self.span_from(head.span);
        Ok(Definition { head, value, span })
    }

    pub(super) fn assignment(&mut self) -> Parse<Assignment> {
        let place = self.place()?;
        let value = self.value()?;
        let span = self.span_from(place.span);
        Ok(Assignment { place, value, span })
    }

    /// `{a, b} = value` after `bracket`, `(a, b) = value` after `form`.
    pub(super) fn pairing(&mut self) -> Parse<Pairing> {
        let keyword = self.keyword.unwrap_or(Keyword::Bracket);
        let opening = self.peek();
        let start = self.span(opening);
        let wanted = if keyword == Keyword::Form { Kind::LeftParen } else { Kind::LeftBrace };
        let help = format!("write `{}`", example(keyword));
        if opening.kind != wanted {
            let message = match opening.kind.closer() {
                Some(_) => format!(
                    "the variables of a `{keyword}` stand between `{}`",
                    if keyword == Keyword::Form { "(…)" } else { "{…}" }
                ),
                None => format!("expected a pair of variables, found {}", self.describe(opening)),
            };
            self.report(Diagnostic::new(Code::MalformedPair, start, message).help(&help));
            if opening.kind.closer().is_none() {
                self.at = self.range.end;
                return Err(Failed);
            }
        }
        self.open();
        let first = self.paired()?;
        if self.eat(Kind::Comma).is_none() {
            let token = self.peek();
            let message = format!("expected `,` and a second variable, found {}", self.describe(token));
            let diagnostic = Diagnostic::new(Code::MalformedPair, self.span(token), message);
            return self.fail(diagnostic.help(help));
        }
        let second = self.paired()?;
        self.close(opening)?;
        let value = self.value()?;
        let span = self.span_from(start);
        Ok(Pairing { first, second, value, span })
    }

    fn paired(&mut self) -> Parse<Place> {
        let token = self.peek();
        if token.kind != Kind::Name || Function::from_name(self.text(token)).is_some() {
            let message = format!("expected a variable, found {}", self.describe(token));
            let diagnostic = Diagnostic::new(Code::MalformedPair, self.span(token), message);
            return self.fail(
                diagnostic.help("only pairs of variables are given; what holds for expressions of them follows"),
            );
        }
        self.place()
    }

    /// `label: left = right`
    pub(super) fn relation(&mut self) -> Parse<Relation> {
        let Some(label) = self.label()? else {
            // Whatever else is wrong with it is reported, too.
            self.sides(None)?;
            return Err(Failed);
        };
        let (left, right) = self.sides(Some(&label))?;
        let span = self.span_from(label.span);
        Ok(Relation { label, left, right, span })
    }

    fn label(&mut self) -> Parse<Option<Head>> {
        let keyword = self.keyword.unwrap_or(Keyword::Constraint);
        let first = self.peek();
        let bracketed = self.ahead(1).kind == Kind::LeftBracket;
        let after = if bracketed { self.after_bracket(self.at + 1) } else { self.at + 1 };
        let next = self.ahead(after - self.at);
        let split = !Tokens::touch(self.previous_of(after), next);
        let operand = matches!(next.kind, Kind::Name | Kind::Number) || (next.kind == Kind::LeftParen && split);
        let family = bracketed && self.is_word(self.ahead(3), "in");
        if first.kind == Kind::Name && (next.kind == Kind::Colon || operand || family) {
            let reserved = Function::from_name(self.text(first)).is_some();
            if !(operand && reserved) {
                let label = self.head("a constraint")?;
                if self.eat(Kind::Colon).is_none() {
                    let message = format!("expected `:` after the name `{}`", label.name.text);
                    let diagnostic = Diagnostic::new(Code::MissingColon, label.span, message);
                    self.report(diagnostic.help(format!("write `{keyword} {label}: … = 0`")));
                }
                return Ok(Some(label));
            }
        }
        let last = self.previous_of(self.item_end(self.at));
        let all = self.tokens.text_between(first, last);
        let shown = if all.len() <= 60 && !all.contains(['\n', '\r', '#']) { all } else { "… = 0" };
        let (message, help) = if first.kind == Kind::Colon {
            self.advance();
            (format!("the name of this `{keyword}` is missing"), format!("write `{keyword} NAME: …`"))
        } else {
            (
                format!("this `{keyword}` has no name"),
                format!("write `{keyword} NAME: {shown}` with a name of your choice"),
            )
        };
        self.report(Diagnostic::new(Code::MissingLabel, self.span(first), message).help(help));
        Ok(None)
    }

    fn previous_of(&self, at: usize) -> crate::syntax::token::Token {
        self.tokens.list[at.min(self.range.end).saturating_sub(1)]
    }

    /// `left = right`
    fn sides(&mut self, label: Option<&Head>) -> Parse<(Expr, Expr)> {
        let left = self.expression()?;
        let token = self.peek();
        if token.kind.compares() {
            let diagnostic = Diagnostic::new(Code::Comparison, self.span(token), "a constraint is an equation");
            return self
                .fail(diagnostic.help("inequality constraints (contact) are not supported; write `left = right`"));
        }
        if self.eat(Kind::Equals).is_none() {
            if self.unbalanced || !matches!(token.kind, Kind::End | Kind::Comma) {
                self.trailing();
                return Err(Failed);
            }
            let name = label.map_or(String::new(), |l| format!(" `{}`", l.name.text));
            let keyword = self.keyword.unwrap_or(Keyword::Constraint);
            let message = format!("the {keyword}{name} has no `=`");
            let diagnostic = Diagnostic::new(Code::MissingEquals, left.span, message);
            return self.fail(diagnostic.help("say what it equals: write `= 0` after it"));
        }
        let right = self.expression()?;
        Ok((left, right))
    }

    /// The settings of `run`; a repeated key is reported and left out.
    pub(super) fn settings(&mut self) -> Option<Vec<Setting>> {
        let settings = self.items(Self::setting)?;
        let mut kept: Vec<Setting> = Vec::new();
        for setting in settings {
            if let Some(first) = kept.iter().find(|s| s.key == setting.key) {
                let message = format!("`{}` is given twice", setting.key);
                let diagnostic = Diagnostic::new(Code::DuplicateRunKey, setting.key_span, message)
                    .label(first.key_span, "first given here")
                    .help("keep one of them");
                self.report(diagnostic);
            } else {
                kept.push(setting);
            }
        }
        Some(kept)
    }

    fn setting(&mut self) -> Parse<Setting> {
        let token = self.peek();
        let key_span = self.span(token);
        let Some(key) = RunKey::from_name(self.text(token)) else {
            return self.unknown_key();
        };
        self.advance();
        self.equals()?;
        let value = match key.value_kind() {
            RunValueKind::Word => SettingValue::Word(self.word(key)?),
            RunValueKind::Expression if key == RunKey::Lapse && self.is_built_in_lapse() => {
                SettingValue::Word(self.word(key)?)
            }
            RunValueKind::Expression => SettingValue::Expression(self.expression()?),
        };
        let span = self.span_from(key_span);
        Ok(Setting { key, key_span, value, span })
    }

    /// Whether a built-in lapse of several words follows, such as `arc-length`, with nothing between them: one word alone
    /// may be a name of the model.
    fn is_built_in_lapse(&self) -> bool {
        let mut last = self.peek();
        let mut distance = 1;
        while matches!(self.ahead(distance).kind, Kind::Name | Kind::Minus) && Tokens::touch(last, self.ahead(distance))
        {
            last = self.ahead(distance);
            distance += 1;
        }
        distance > 1 && BuiltInLapse::from_name(self.tokens.text_between(self.peek(), last)).is_some()
    }

    fn unknown_key<T>(&mut self) -> Parse<T> {
        let token = self.peek();
        let keys = RunKey::ALL.iter().map(|k| k.name());
        let help = match nearest(self.text(token), keys.clone()) {
            Some(key) => format!("did you mean `{key}`?"),
            None => format!("the keys are: {}", keys.collect::<Vec<_>>().join(", ")),
        };
        let message = format!("{} is not a key of `run`", self.describe(token));
        self.fail(Diagnostic::new(Code::UnknownRunKey, self.span(token), message).help(help))
    }

    /// A word such as `kahan-li-8`: names, numbers and `-` with nothing between them.
    fn word(&mut self, key: RunKey) -> Parse<Name> {
        let first = self.peek();
        if first.kind != Kind::Name {
            let at = if first.kind == Kind::End { self.span(self.previous()) } else { self.span(first) };
            let message = format!("`{key}` takes a word, found {}", self.describe(first));
            let help = match first.kind {
                Kind::Text => format!("write `{key} = {}`, without quotes", self.text(first).trim_matches('"')),
                _ => format!("for example `{key} = {}`", example_word(key)),
            };
            return self.fail(Diagnostic::new(Code::MalformedRunValue, at, message).help(help));
        }
        let mut last = self.advance();
        while matches!(self.kind(), Kind::Name | Kind::Number | Kind::Minus) && Tokens::touch(last, self.peek()) {
            last = self.advance();
        }
        let span = self.span(first).to(self.span(last));
        let text = self.tokens.text_between(first, last).to_owned();
        if last.kind == Kind::Minus || self.kind() == Kind::Minus {
            let diagnostic = Diagnostic::new(Code::MalformedRunValue, span, format!("`{key}` takes one word"));
            return self.fail(diagnostic.help("write it without spaces around `-`: `kahan-li-8`"));
        }
        Ok(Name { text, span })
    }
}

fn example_word(key: RunKey) -> &'static str {
    match key {
        RunKey::Formulation => "multipliers",
        RunKey::Compose => "kahan-li-8",
        RunKey::Project => "both",
        RunKey::Inner => "splitting-strang",
        _ => "rattle",
    }
}
