//! From tree to text: canonical, with the fewest parentheses that give the same tree back.

use std::fmt;

use super::ast::{
    Additive, Assignment, Binder, Condition, Coordinate, Definition, Drawing, Expr, ExprKind, File, Fold, Head, Matrix,
    Multiplicative, Pairing, Parameter, Place, PlaceIndex, Point, Reference, Relation, Requirement, Setting,
    SettingValue, Sign, Statement, StatementKind,
};

/// The canonical text of a model: one statement a line, a blank line after `model`. Comments are
/// not part of the tree and are lost.
pub fn format(file: &File) -> String {
    let mut text = String::new();
    for (i, statement) in file.statements.iter().enumerate() {
        text.push_str(&statement.to_string());
        text.push('\n');
        let more = i + 1 < file.statements.len();
        if more && matches!(statement.kind, StatementKind::Model { .. }) {
            text.push('\n');
        }
    }
    text
}

/// How tightly an expression holds together.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Level {
    Sum,
    Product,
    Factor,
    Atom,
}

/// Whether `+` and `-` stand between spaces: not inside indices and ranges.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Spacing {
    Wide,
    Tight,
}

impl fmt::Display for Expr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        expression(f, self, Level::Sum, Spacing::Wide)
    }
}

fn level(kind: &ExprKind) -> Level {
    match kind {
        ExprKind::Sum { .. } => Level::Sum,
        ExprKind::Product { .. } => Level::Product,
        ExprKind::Negate(_) | ExprKind::Power { .. } => Level::Factor,
        _ => Level::Atom,
    }
}

fn expression(f: &mut fmt::Formatter<'_>, expr: &Expr, least: Level, spacing: Spacing) -> fmt::Result {
    if level(&expr.kind) < least {
        f.write_str("(")?;
        expression(f, expr, Level::Sum, spacing)?;
        return f.write_str(")");
    }
    match &expr.kind {
        ExprKind::Number(text) => f.write_str(text),
        ExprKind::Pi => f.write_str("pi"),
        ExprKind::Reference(reference) => write!(f, "{reference}"),
        ExprKind::Negate(operand) => {
            f.write_str("-")?;
            expression(f, operand, Level::Factor, spacing)
        }
        ExprKind::Sum { first, rest } => {
            expression(f, first, Level::Product, spacing)?;
            for (operator, term) in rest {
                f.write_str(match (operator, spacing) {
                    (Additive::Plus, Spacing::Wide) => " + ",
                    (Additive::Minus, Spacing::Wide) => " - ",
                    (Additive::Plus, Spacing::Tight) => "+",
                    (Additive::Minus, Spacing::Tight) => "-",
                })?;
                expression(f, term, Level::Product, spacing)?;
            }
            Ok(())
        }
        ExprKind::Product { first, rest } => {
            expression(f, first, Level::Factor, spacing)?;
            for (operator, factor) in rest {
                f.write_str(match operator {
                    Multiplicative::Times => "*",
                    Multiplicative::Over => "/",
                })?;
                expression(f, factor, Level::Factor, spacing)?;
            }
            Ok(())
        }
        ExprKind::Power { base, exponent } => {
            expression(f, base, Level::Atom, spacing)?;
            f.write_str("^")?;
            expression(f, exponent, Level::Factor, spacing)
        }
        ExprKind::Call { function, arguments, .. } => {
            write!(f, "{function}(")?;
            list(f, arguments)?;
            f.write_str(")")
        }
        ExprKind::List(items) => {
            f.write_str("(")?;
            list(f, items)?;
            f.write_str(if items.len() == 1 { ",)" } else { ")" })
        }
        ExprKind::If { condition, then, otherwise } => write!(f, "if({condition}, {then}, {otherwise})"),
        ExprKind::Fold { fold, binders, body } => {
            f.write_str(match fold {
                Fold::Sum => "sum(",
                Fold::Product => "product(",
            })?;
            list(f, binders)?;
            write!(f, ", {body})")
        }
    }
}

impl fmt::Display for Condition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let group = |f: &mut fmt::Formatter<'_>, c: &Condition| match c {
            Condition::Compare { .. } | Condition::Not(_) => write!(f, "{c}"),
            _ => write!(f, "({c})"),
        };
        let joined = |f: &mut fmt::Formatter<'_>, all: &[Condition], word: &str| {
            for (i, c) in all.iter().enumerate() {
                f.write_str(if i == 0 { "" } else { word })?;
                group(f, c)?;
            }
            Ok(())
        };
        match self {
            Condition::Compare { left, comparison, right } => write!(f, "{left} {} {right}", comparison.symbol()),
            Condition::Not(inner) => {
                f.write_str("not ")?;
                group(f, inner)
            }
            Condition::All(all) => joined(f, all, " and "),
            Condition::Any(all) => joined(f, all, " or "),
        }
    }
}

fn list<T: fmt::Display>(f: &mut fmt::Formatter<'_>, items: &[T]) -> fmt::Result {
    for (i, item) in items.iter().enumerate() {
        let comma = if i == 0 { "" } else { ", " };
        write!(f, "{comma}{item}")?;
    }
    Ok(())
}

/// `[…]`, or nothing.
fn indices<T: fmt::Display>(f: &mut fmt::Formatter<'_>, items: &[T]) -> fmt::Result {
    if items.is_empty() {
        return Ok(());
    }
    f.write_str("[")?;
    list(f, items)?;
    f.write_str("]")
}

/// An expression inside an index.
struct Index<'a>(&'a Expr);

impl fmt::Display for Index<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        expression(f, self.0, Level::Sum, Spacing::Tight)
    }
}

impl fmt::Display for Reference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name.text)?;
        indices(f, &self.indices.iter().map(Index).collect::<Vec<_>>())?;
        f.write_str(if self.prime.is_some() { "'" } else { "" })
    }
}

impl fmt::Display for Binder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} in {}..{}", self.index.text, Index(&self.from), Index(&self.to))
    }
}

impl fmt::Display for Head {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name.text)?;
        indices(f, &self.binders)
    }
}

impl fmt::Display for PlaceIndex {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PlaceIndex::At(index) => write!(f, "{}", Index(index)),
            PlaceIndex::Each(binder) => write!(f, "{binder}"),
        }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name.text)?;
        indices(f, &self.indices)?;
        f.write_str(if self.prime.is_some() { "'" } else { "" })
    }
}

impl fmt::Display for Requirement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.condition)?;
        match &self.reason {
            Some(reason) => write!(f, " \"{}\"", reason.text),
            None => Ok(()),
        }
    }
}

impl fmt::Display for Sign {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Sign::Positive => "> 0",
            Sign::NonNegative => ">= 0",
            Sign::Negative => "< 0",
            Sign::NonPositive => "<= 0",
            Sign::NonZero => "!= 0",
        })
    }
}

impl fmt::Display for Parameter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.head)?;
        f.write_str(if self.integer.is_some() { " : int" } else { "" })?;
        if let Some((sign, _)) = &self.sign {
            write!(f, " {sign}")?;
        }
        match &self.value {
            Some(value) => write!(f, " = {value}"),
            None => Ok(()),
        }
    }
}

impl fmt::Display for Coordinate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.head)?;
        match &self.momentum {
            Some(momentum) => write!(f, " momentum {}", momentum.text),
            None => Ok(()),
        }
    }
}

impl fmt::Display for Matrix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}({}): {}", self.kind, self.size, self.name.text)
    }
}

impl fmt::Display for Definition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} = {}", self.head, self.value)
    }
}

impl fmt::Display for Relation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {} = {}", self.label, self.left, self.right)
    }
}

impl fmt::Display for Assignment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} = {}", self.place, self.value)
    }
}

impl fmt::Display for Point {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("(")?;
        list(f, &self.components)?;
        f.write_str(")")
    }
}

impl fmt::Display for Drawing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", self.label)?;
        for (i, point) in self.points.iter().enumerate() {
            let join = if i == 0 { "" } else { " -- " };
            write!(f, "{join}{point}")?;
        }
        if let Some(colour) = self.colour {
            write!(f, " colour {colour}")?;
        }
        match &self.size {
            Some(size) => write!(f, " size {}", size.text),
            None => Ok(()),
        }
    }
}

impl fmt::Display for Setting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} = ", self.key)?;
        match &self.value {
            SettingValue::Word(word) => f.write_str(&word.text),
            SettingValue::Expression(value) => write!(f, "{value}"),
        }
    }
}

fn pairings(f: &mut fmt::Formatter<'_>, pairs: &[Pairing], open: char, close: char) -> fmt::Result {
    for (i, pair) in pairs.iter().enumerate() {
        let comma = if i == 0 { "" } else { ", " };
        write!(f, "{comma}{open}{}, {}{close} = {}", pair.first, pair.second, pair.value)?;
    }
    Ok(())
}

impl fmt::Display for Statement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.kind)
    }
}

impl fmt::Display for StatementKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ", self.keyword())?;
        match self {
            StatementKind::Model { name, title } => {
                f.write_str(&name.text)?;
                match title {
                    Some(title) => write!(f, " \"{}\"", title.text),
                    None => Ok(()),
                }
            }
            StatementKind::Param(items) => list(f, items),
            StatementKind::Require(items) => list(f, items),
            StatementKind::Coord(items) => list(f, items),
            StatementKind::Variables(items) => list(f, items),
            StatementKind::Algebra(items) => list(f, items),
            StatementKind::Boundary(items) | StatementKind::Initial(items) => list(f, items),
            StatementKind::Lagrangian(energy) | StatementKind::Hamiltonian(energy) => {
                write!(f, "{energy}")
            }
            StatementKind::Bracket(items) => pairings(f, items, '{', '}'),
            StatementKind::Form(items) => pairings(f, items, '(', ')'),
            StatementKind::Constraint(items) | StatementKind::Vakonomic(items) | StatementKind::Gauge(items) => {
                list(f, items)
            }
            StatementKind::Let(items)
            | StatementKind::Casimir(items)
            | StatementKind::Invariant(items)
            | StatementKind::Observe(items)
            | StatementKind::Split(items) => list(f, items),
            StatementKind::Draw { kind, drawings, .. } => {
                write!(f, "{kind} ")?;
                list(f, drawings)
            }
            StatementKind::Run(items) => list(f, items),
        }
    }
}
