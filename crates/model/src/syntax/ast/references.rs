//! The names that an expression mentions.

use super::{Binder, Condition, Expr, ExprKind, Reference};

impl Expr {
    /// Every reference in it, also in indices, ranges and conditions.
    pub fn references(&self) -> Vec<&Reference> {
        let mut found = vec![];
        in_expression(self, &mut found);
        found
    }
}

impl Condition {
    /// Every reference in it.
    pub fn references(&self) -> Vec<&Reference> {
        let mut found = vec![];
        in_condition(self, &mut found);
        found
    }
}

fn in_binder<'e>(b: &'e Binder, found: &mut Vec<&'e Reference>) {
    in_expression(&b.from, found);
    in_expression(&b.to, found);
}

/// Every reference in an expression.
fn in_expression<'e>(e: &'e Expr, found: &mut Vec<&'e Reference>) {
    match &e.kind {
        ExprKind::Number(_) | ExprKind::Pi => {}
        ExprKind::Reference(r) => {
            found.push(r);
            r.indices.iter().for_each(|i| in_expression(i, found));
        }
        ExprKind::Negate(inner) => in_expression(inner, found),
        ExprKind::Sum { first, rest } => {
            in_expression(first, found);
            rest.iter().for_each(|(_, e)| in_expression(e, found));
        }
        ExprKind::Product { first, rest } => {
            in_expression(first, found);
            rest.iter().for_each(|(_, e)| in_expression(e, found));
        }
        ExprKind::Power { base, exponent } => {
            in_expression(base, found);
            in_expression(exponent, found);
        }
        ExprKind::Call { arguments, .. } => arguments.iter().for_each(|a| in_expression(a, found)),
        ExprKind::Fold { binders, body, .. } => {
            binders.iter().for_each(|b| in_binder(b, found));
            in_expression(body, found);
        }
        ExprKind::List(items) => items.iter().for_each(|i| in_expression(i, found)),
        ExprKind::If { condition, then, otherwise } => {
            in_condition(condition, found);
            in_expression(then, found);
            in_expression(otherwise, found);
        }
    }
}

fn in_condition<'e>(c: &'e Condition, found: &mut Vec<&'e Reference>) {
    match c {
        Condition::Compare { left, right, .. } => {
            in_expression(left, found);
            in_expression(right, found);
        }
        Condition::Not(inner) => in_condition(inner, found),
        Condition::All(all) | Condition::Any(all) => all.iter().for_each(|c| in_condition(c, found)),
    }
}
