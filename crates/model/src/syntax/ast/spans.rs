//! Comparing trees without comparing where they came from.

use super::{
    Assignment, Binder, Condition, Coordinate, Definition, Drawing, Expr, ExprKind, File, Head, Matrix, Name, Pairing,
    Parameter, Place, PlaceIndex, Point, Reference, Relation, Requirement, Setting, SettingValue, Statement,
    StatementKind, Title,
};
use crate::diagnostic::Span;

impl File {
    /// The same tree with every span empty: two of them are equal when they say the same.
    #[must_use]
    pub fn without_spans(mut self) -> File {
        self.erase();
        self
    }
}

impl Expr {
    /// The same expression with every span empty.
    #[must_use]
    pub fn without_spans(mut self) -> Expr {
        self.erase();
        self
    }
}

trait Erase {
    fn erase(&mut self);
}

impl<T: Erase> Erase for Vec<T> {
    fn erase(&mut self) {
        self.iter_mut().for_each(Erase::erase);
    }
}

impl<T: Erase> Erase for Option<T> {
    fn erase(&mut self) {
        self.iter_mut().for_each(Erase::erase);
    }
}

impl<O: Copy, T: Erase> Erase for (O, T) {
    fn erase(&mut self) {
        self.1.erase();
    }
}

impl Erase for Span {
    fn erase(&mut self) {
        *self = Span::default();
    }
}

macro_rules! erase_fields {
    ($($type:ident { $($field:ident),+ })+) => {
        $(impl Erase for $type {
            fn erase(&mut self) {
                $(self.$field.erase();)+
            }
        })+
    };
}

erase_fields! {
    File { statements }
    Statement { kind, keyword, span }
    Name { span }
    Title { span }
    Head { name, binders, span }
    Binder { index, from, to, span }
    Parameter { head, integer, sign, value, span }
    Requirement { condition, reason, span }
    Coordinate { head, momentum, span }
    Matrix { size, name, span }
    Definition { head, value, span }
    Relation { label, left, right, span }
    Assignment { place, value, span }
    Pairing { first, second, value, span }
    Place { name, indices, prime, span }
    Drawing { label, points, size, span }
    Point { components, span }
    Setting { key_span, value, span }
    Expr { kind, span }
    Reference { name, indices, prime }
}

impl Erase for PlaceIndex {
    fn erase(&mut self) {
        match self {
            PlaceIndex::At(index) => index.erase(),
            PlaceIndex::Each(binder) => binder.erase(),
        }
    }
}

impl Erase for SettingValue {
    fn erase(&mut self) {
        match self {
            SettingValue::Word(word) => word.erase(),
            SettingValue::Expression(value) => value.erase(),
        }
    }
}

impl Erase for StatementKind {
    fn erase(&mut self) {
        match self {
            StatementKind::Model { name, title } => {
                name.erase();
                title.erase();
            }
            StatementKind::Param(list) => list.erase(),
            StatementKind::Require(list) => list.erase(),
            StatementKind::Coord(list) => list.erase(),
            StatementKind::Variables(list) => list.erase(),
            StatementKind::Algebra(list) => list.erase(),
            StatementKind::Boundary(list) | StatementKind::Initial(list) => list.erase(),
            StatementKind::Lagrangian(energy) | StatementKind::Hamiltonian(energy) => energy.erase(),
            StatementKind::Bracket(list) | StatementKind::Form(list) => list.erase(),
            StatementKind::Constraint(list) | StatementKind::Vakonomic(list) | StatementKind::Gauge(list) => {
                list.erase()
            }
            StatementKind::Let(list)
            | StatementKind::Casimir(list)
            | StatementKind::Invariant(list)
            | StatementKind::Observe(list)
            | StatementKind::Split(list) => list.erase(),
            StatementKind::Draw { kind_span, drawings, .. } => {
                kind_span.erase();
                drawings.erase();
            }
            StatementKind::Run(list) => list.erase(),
        }
    }
}

impl Erase for ExprKind {
    fn erase(&mut self) {
        match self {
            ExprKind::Number(_) | ExprKind::Pi => {}
            ExprKind::Reference(reference) => reference.erase(),
            ExprKind::Negate(operand) => operand.erase(),
            ExprKind::Sum { first, rest } => {
                first.erase();
                rest.erase();
            }
            ExprKind::Product { first, rest } => {
                first.erase();
                rest.erase();
            }
            ExprKind::Power { base, exponent } => {
                base.erase();
                exponent.erase();
            }
            ExprKind::Call { name, arguments, .. } => {
                name.erase();
                arguments.erase();
            }
            ExprKind::Fold { binders, body, .. } => {
                binders.erase();
                body.erase();
            }
            ExprKind::List(items) => items.erase(),
            ExprKind::If { condition, then, otherwise } => {
                condition.erase();
                then.erase();
                otherwise.erase();
            }
        }
    }
}

impl Erase for Condition {
    fn erase(&mut self) {
        match self {
            Condition::Compare { left, right, .. } => {
                left.erase();
                right.erase();
            }
            Condition::Not(inner) => inner.erase(),
            Condition::All(all) | Condition::Any(all) => all.erase(),
        }
    }
}
