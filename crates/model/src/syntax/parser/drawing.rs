//! Drawings: `draw rod arm: (0, 0) -- (x, y)`.

use super::statement::example;
use super::{Failed, Parse, Parser};
use crate::diagnostic::{Code, Diagnostic, Span};
use crate::nearest::nearest;
use crate::syntax::ast::{Drawing, Head, Name, Point, StatementKind};
use crate::syntax::token::{Kind, Token, Tokens};
use crate::syntax::words::{Colour, DrawingKind, Keyword, foreign_drawing};

/// What can still be seen.
const SMALLEST: f64 = 0.1;
/// What leaves something else to be seen.
const LARGEST: f64 = 10.0;

impl Parser<'_, '_> {
    /// What is drawn, and the drawings.
    pub(super) fn drawings(&mut self) -> Option<StatementKind> {
        if self.kind() == Kind::End {
            self.incomplete();
            return None;
        }
        let kind_span = self.span(self.peek());
        let Ok(kind) = self.drawing_kind() else {
            self.at = self.range.end;
            self.skip(self.range.start);
            return None;
        };
        if self.kind() == Kind::End {
            let message = format!("this `draw {kind}` statement is empty");
            let help = format!("write `draw {kind} NAME: {}` with a name of your choice", outline(kind));
            self.report(Diagnostic::new(Code::IncompleteStatement, kind_span, message).help(help));
            self.skip(self.range.start);
            return None;
        }
        let drawings = self.items(|parser| parser.drawing(kind))?;
        Some(StatementKind::Draw { kind, kind_span, drawings })
    }

    fn drawing_kind(&mut self) -> Parse<DrawingKind> {
        let token = self.peek();
        let text = self.text(token);
        if let Some(kind) = DrawingKind::from_name(text) {
            self.advance();
            return Ok(kind);
        }
        // With a label after it, it is a kind; otherwise it may be the label itself.
        let labelled = token.kind == Kind::Name && self.ahead(1).kind == Kind::Name;
        let names = DrawingKind::ALL.iter().map(|k| k.name());
        let near = nearest(text, names.clone()).and_then(DrawingKind::from_name);
        let meant = near.or_else(|| foreign_drawing(text)).filter(|_| labelled);
        let message = format!("expected what to draw, found {}", self.describe(token));
        let help = match meant {
            Some(kind) => format!("did you mean `draw {kind}`?"),
            None => {
                let kinds: Vec<&str> = names.collect();
                format!("one of {} comes after `draw`: `{}`", kinds.join(", "), example(Keyword::Draw))
            }
        };
        self.report(Diagnostic::new(Code::UnknownDrawing, self.span(token), message).help(help));
        let kind = meant.ok_or(Failed)?;
        self.advance();
        Ok(kind)
    }

    /// `label: point -- point …`
    fn drawing(&mut self, kind: DrawingKind) -> Parse<Drawing> {
        let label = self.drawing_label(kind)?;
        let mut points = vec![self.point()?];
        while self.join(kind) {
            points.push(self.point()?);
        }
        let (colour, size) = self.look()?;
        // What is wrong with the points is reported even if they have no name.
        let label = label.ok_or(Failed)?;
        let span = self.span_from(label.span);
        Ok(Drawing { label, points, colour, size, span })
    }

    /// `colour red size 2`, each of them or none, in any order.
    fn look(&mut self) -> Parse<(Option<Colour>, Option<Name>)> {
        let (mut colour, mut size) = (None, None);
        while self.kind() == Kind::Name {
            let word = self.peek();
            let (span, text) = (self.span(word), self.text(word));
            let is_colour = matches!(text, "colour" | "color");
            if !is_colour && text != "size" {
                let message = format!("expected `colour`, `size` or the next drawing, found `{text}`");
                let help = "write `draw point NAME: (x, y) colour red size 2`; a comma separates drawings";
                return self.fail(Diagnostic::new(Code::MalformedDrawing, span, message).help(help));
            }
            if if is_colour { colour.is_some() } else { size.is_some() } {
                let message = format!("this drawing has two of `{text}`");
                return self.fail(Diagnostic::new(Code::MalformedDrawing, span, message).help("give one"));
            }
            self.advance();
            match is_colour {
                true => colour = Some(self.colour()?),
                false => size = Some(self.size()?),
            }
        }
        Ok((colour, size))
    }

    fn colour(&mut self) -> Parse<Colour> {
        let token = self.peek();
        let text = self.text(token);
        if let Some(colour) = Colour::from_name(text).filter(|_| token.kind == Kind::Name) {
            self.advance();
            return Ok(colour);
        }
        let names = || Colour::ALL.iter().map(|c| c.name());
        let near = if text == "gray" { Some("grey") } else { nearest(text, names()) };
        let message = format!("expected a colour, found {}", self.describe(token));
        let help = match near {
            Some(near) => format!("did you mean `colour {near}`?"),
            None => format!("the colours are {}", names().collect::<Vec<_>>().join(", ")),
        };
        // At the end of a line there is nothing to point at but what is before it.
        let span = if token.kind == Kind::End { self.span(self.previous()) } else { self.span(token) };
        self.fail(Diagnostic::new(Code::MalformedDrawing, span, message).help(help))
    }

    /// A number, 1 being the usual size.
    fn size(&mut self) -> Parse<Name> {
        let token = self.peek();
        let text = self.text(token).to_owned();
        let span = if token.kind == Kind::End { self.span(self.previous()) } else { self.span(token) };
        let fits = |size: f64| (SMALLEST..=LARGEST).contains(&size);
        if token.kind == Kind::Number && text.parse().is_ok_and(fits) {
            self.advance();
            return Ok(Name { text, span });
        }
        let message = format!("expected a size, found {}", self.describe(token));
        let help = format!("write a number from {SMALLEST} to {LARGEST}; 1 is the usual size");
        self.fail(Diagnostic::new(Code::MalformedDrawing, span, message).help(help))
    }

    /// The name of a drawing and its `:`; `None` if it has none, which has been reported.
    fn drawing_label(&mut self, kind: DrawingKind) -> Parse<Option<Head>> {
        let first = self.peek();
        let span = self.span(first);
        if first.kind == Kind::Name
            && self.ahead(1).kind == Kind::Name
            && DrawingKind::from_name(self.text(first)).is_some()
        {
            let message = format!("a statement draws one kind of thing, this one draws a {kind}");
            let help = format!("put `draw {} …` on a line of its own", self.text(first));
            return self.fail(Diagnostic::new(Code::MalformedDrawing, span, message).help(help));
        }
        if matches!(first.kind, Kind::Colon | Kind::LeftParen) {
            self.eat(Kind::Colon);
            let message = format!("this {kind} has no name");
            let help = format!("write `draw {kind} NAME: …` with a name of your choice");
            self.report(Diagnostic::new(Code::MissingLabel, span, message).help(help));
            return Ok(None);
        }
        let label = self.head("a drawing")?;
        if self.eat(Kind::Colon).is_none() {
            let message = format!("expected `:` and a point after the name `{}`", label.name.text);
            let diagnostic = Diagnostic::new(Code::MissingColon, label.span, message);
            self.report(diagnostic.help(format!("write `draw {kind} {label}: {}`", outline(kind))));
            if self.eat(Kind::Equals).is_none() && self.kind() != Kind::LeftParen {
                return Err(Failed);
            }
        }
        Ok(Some(label))
    }

    /// `(x, y)`
    fn point(&mut self) -> Parse<Point> {
        let opening = self.peek();
        let start = self.span(opening);
        if opening.kind.closer().is_none() {
            return self.missing_point();
        }
        if opening.kind != Kind::LeftParen {
            self.report(
                Diagnostic::new(Code::MalformedDrawing, start, "a point stands between `(…)`")
                    .help("write `(x, y)` or `(x, y, z)`"),
            );
        }
        self.open();
        if Some(self.kind()) == opening.kind.closer() {
            let span = start.to(self.span(self.peek()));
            let diagnostic = Diagnostic::new(Code::MissingOperand, span, "nothing stands between these brackets");
            return self.fail(diagnostic.help("write `(x, y)` or `(x, y, z)`"));
        }
        let unbalanced = self.unbalanced;
        self.check_closed(opening)?;
        let mut components = Vec::new();
        loop {
            components.push(self.expression()?);
            if self.eat(Kind::Comma).is_none() {
                break;
            }
        }
        self.close(opening)?;
        if self.unbalanced && !unbalanced {
            return Err(Failed);
        }
        let span = self.span_from(start);
        Ok(Point { components, span })
    }

    /// Refuses `(0, 0 -- (x, y)`, in which `--` could be two signs: the bracket, just taken, is never
    /// closed, and a `--` before another point stands in no bracket inside it.
    fn check_closed(&mut self, opening: Token) -> Parse<()> {
        let mut depth = 1usize;
        let mut join = None;
        for i in self.at..self.range.end {
            let kind = self.tokens.list[i].kind;
            if kind.closer().is_some() {
                depth += 1;
            } else if kind.closes() {
                depth -= 1;
            }
            if depth == 0 {
                return Ok(());
            }
            let distance = i - self.at;
            if depth == 1
                && join.is_none()
                && self.dash_at(distance)
                && self.ahead(distance + 2).kind == Kind::LeftParen
            {
                join = Some(i);
            }
        }
        let Some(join) = join.filter(|_| !self.unbalanced) else { return Ok(()) };
        self.unbalanced = true;
        let message = format!("this `{}` is never closed", self.text(opening));
        self.fail(
            Diagnostic::new(Code::UnclosedBracket, self.span(opening), message)
                .label(self.span(self.tokens.list[join]), "expected `)` before this")
                .help("write `(0, 0) -- (x, y)`"),
        )
    }

    fn missing_point<T>(&mut self) -> Parse<T> {
        let (before, found) = (self.previous(), self.peek());
        if self.reported_between(before, found) {
            return Err(Failed);
        }
        let (span, message) = match found.kind {
            Kind::End | Kind::Comma => (self.before(), "a point is missing after this".to_owned()),
            _ if self.dash_follows() => {
                let second = self.ahead(1);
                (self.span(found).to(self.span(second)), "a point is missing before this `--`".to_owned())
            }
            _ => (self.span(found), format!("expected a point in parentheses, found {}", self.describe(found))),
        };
        // Components without their parentheses look like items.
        if matches!(found.kind, Kind::Name | Kind::Number | Kind::Minus) {
            self.at = self.range.end;
        }
        self.fail(Diagnostic::new(Code::MalformedDrawing, span, message).help("write `(x, y)` or `(x, y, z)`"))
    }

    /// The token before this one, or the `--` before it.
    fn before(&self) -> Span {
        let last = self.previous();
        let first = self.at.checked_sub(2).filter(|&i| i >= self.range.start).map(|i| self.tokens.list[i]);
        match first {
            Some(first) if first.kind == Kind::Minus && last.kind == Kind::Minus && Tokens::touch(first, last) => {
                self.span(first).to(self.span(last))
            }
            _ => self.span(last),
        }
    }

    /// Whether `--` follows. It is no token of its own: `a--b` in an expression is `a - -b`.
    fn dash_follows(&self) -> bool {
        self.dash_at(0)
    }

    fn dash_at(&self, distance: usize) -> bool {
        let (first, second) = (self.ahead(distance), self.ahead(distance + 1));
        first.kind == Kind::Minus && second.kind == Kind::Minus && Tokens::touch(first, second)
    }

    /// Takes `--`, or what evidently stands in its place; `false` if no other point follows.
    fn join(&mut self, kind: DrawingKind) -> bool {
        if self.dash_follows() && self.ahead(2).kind != Kind::Minus {
            self.advance();
            self.advance();
            return true;
        }
        let start = self.at;
        let joins = |k: Kind| matches!(k, Kind::Minus | Kind::Greater | Kind::Range);
        let foreign = (0..4).take_while(|&i| joins(self.ahead(i).kind)).count();
        let comma = usize::from(foreign == 0 && self.kind() == Kind::Comma && kind == DrawingKind::Rod);
        if self.ahead(foreign + comma).kind != Kind::LeftParen {
            return false;
        }
        self.at += foreign + comma;
        let found = &self.tokens.list[start..=self.at];
        let last = found[found.len().saturating_sub(2)];
        let span = self.span(found[0]).to(self.span(last));
        self.report(
            Diagnostic::new(Code::MalformedDrawing, span, "two points are joined by `--`")
                .help(format!("write `{}`", example(Keyword::Draw))),
        );
        true
    }
}

/// What follows the label.
fn outline(kind: DrawingKind) -> &'static str {
    match kind {
        DrawingKind::Point | DrawingKind::Trail => "(x, y)",
        DrawingKind::Rod => "(0, 0) -- (x, y)",
        DrawingKind::Vehicle => "(x, y, theta)",
    }
}
