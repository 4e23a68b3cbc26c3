//! What is known of the signs of unknowns, and of polynomials term by term.

use super::field::Field;
use super::polynomial::{Monomial, Polynomial};
use cotangent_expr::{Expr, Function, Node, Number, Role};
use cotangent_model::Sign;

impl Field {
    /// Whether an unknown is a constant: π, a rounded number, a parameter, or a function of these.
    pub(crate) fn is_parameter(&self, v: u32) -> bool {
        match self.symbol(v).node() {
            Node::Pi | Node::Number(_) => true,
            Node::At(a, _) => a.role() == Role::Parameter,
            _ => {
                let leaves = self.symbol(v).leaves();
                leaves.iter().all(|l| matches!(l.node(), Node::At(a, _) if a.role() == Role::Parameter))
            }
        }
    }

    /// Whether an unknown is made of numbers alone.
    pub(crate) fn is_number(&self, v: u32) -> bool {
        self.symbol(v).leaves().iter().all(|l| !matches!(l.node(), Node::At(..)))
    }

    /// Whether a polynomial is made of constants alone, and is not zero.
    pub(crate) fn only_parameters(&self, p: &Polynomial) -> bool {
        !p.is_zero() && p.unknowns().into_iter().all(|v| self.is_parameter(v))
    }

    /// Whether it is a polynomial in variables and parameters, but for a common factor that does not vanish everywhere: then it
    /// does so only if it is zero. Roots and functions may hide relations.
    pub(crate) fn is_polynomial(&self, p: &Polynomial) -> bool {
        let is_plain = |v: u32| matches!(self.symbol(v).node(), Node::At(a, _) if a.is_given());
        let is_other = |v: u32| !is_plain(v) && !self.is_unit(v);
        let others = p.unknowns().into_iter().filter(|&v| is_other(v));
        self.is_homogeneous(p, is_other) && others.into_iter().all(|v| self.is_something(v))
    }

    /// Whether an unknown that is no symbol of the model surely does not vanish everywhere: π, a number, an exponential, or the root
    /// of a polynomial that is not zero.
    fn is_something(&self, v: u32) -> bool {
        match self.symbol(v).node() {
            Node::Pi => true,
            Node::Number(n) => !n.is_zero(),
            Node::Call(Function::Exp | Function::Cosh, _) => true,
            Node::Mul(_) => self.relations().iter().any(|relation| {
                let radicand = relation.polynomial.coefficients(v).into_iter().next().unwrap_or_default();
                relation.unknown == v && !radicand.is_zero() && self.is_polynomial(&radicand)
            }),
            _ => false,
        }
    }

    /// Whether numbers that are symbols are at most a common factor: otherwise these may add up to nothing.
    pub(crate) fn is_exact(&self, p: &Polynomial) -> bool {
        self.is_homogeneous(p, |v| matches!(self.symbol(v).node(), Node::Number(_)) && !self.is_unit(v))
    }

    /// Whether all terms have the same powers of some unknowns.
    fn is_homogeneous(&self, p: &Polynomial, is_one: impl Fn(u32) -> bool) -> bool {
        let powers = |m: &Monomial| m.0.iter().filter(|(v, _)| is_one(*v)).copied().collect::<Vec<_>>();
        let mut all = p.0.keys().map(powers);
        all.next().is_some_and(|first| all.all(|other| other == first))
    }

    /// The sign of an unknown, as far as it is known.
    pub(crate) fn sign(&self, v: u32) -> Option<Sign> {
        let symbol = self.symbol(v);
        match symbol.node() {
            Node::Pi => Some(Sign::Positive),
            Node::Number(n) => Some(if n.is_negative() { Sign::Negative } else { Sign::Positive }),
            // A root and an exponential are not negative.
            Node::Mul(f) if f.len() == 1 && f[0].1 == Number::HALF => Some(match self.sign_of(&f[0].0) {
                Some(Sign::Positive) => Sign::Positive,
                _ => Sign::NonNegative,
            }),
            Node::Mul(f) if f.len() == 1 && self.sign_of(&f[0].0) == Some(Sign::Positive) => Some(Sign::Positive),
            Node::Call(Function::Exp | Function::Cosh, _) => Some(Sign::Positive),
            _ => self.signs.iter().find(|(e, _)| e == symbol).map(|s| s.1),
        }
    }

    /// The sign of a number, or of a parameter that the model gives one.
    fn sign_of(&self, e: &Expr) -> Option<Sign> {
        match e.node() {
            Node::Pi => Some(Sign::Positive),
            Node::Number(n) => Some(if n.is_negative() { Sign::Negative } else { Sign::Positive }),
            _ => self.signs.iter().find(|(known, _)| known == e).map(|s| s.1),
        }
    }

    /// Whether a polynomial is a sum of terms of one sign, each made of squares and of factors with
    /// known signs: `Some(true)` if one of them never vanishes, `Some(false)` if all may.
    pub(crate) fn definite(&self, p: &Polynomial) -> Option<bool> {
        let (mut positive, mut negative, mut strict) = (false, false, false);
        for (m, &c) in &p.0 {
            let (mut sign, mut safe) = (c > 0, true);
            for &(v, k) in &m.0 {
                match (self.sign(v), k % 2 == 0) {
                    (Some(Sign::Positive), _) | (Some(Sign::Negative | Sign::NonZero), true) => {}
                    (Some(Sign::Negative), false) => sign = !sign,
                    (Some(Sign::NonNegative), _) | (_, true) => safe = false,
                    (Some(Sign::NonPositive), false) => (sign, safe) = (!sign, false),
                    _ => return None,
                }
            }
            (positive, negative) = (positive || sign, negative || !sign);
            strict = strict || safe;
        }
        (positive != negative).then_some(strict)
    }
}
