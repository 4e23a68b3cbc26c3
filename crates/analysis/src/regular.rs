//! What a condition F = 0 asks for, from the factors of F: those that it is written with, and those that are found.

use crate::divisor::factors;
use crate::polynomial::Polynomial;
use crate::surface::Surface;
use cotangent_expr::{Expr, Node, Number};

/// A condition taken apart.
#[derive(Debug)]
pub(crate) enum Condition {
    /// F vanishes where these do, and their gradients do not vanish with them as far as can be seen.
    Constraints {
        expressions: Vec<Expr>,
        /// Whether the gradient of F itself vanishes there: a power, or a sum of squares.
        irregular: bool,
        /// Whether F is the constraint up to parameters: no other factor was left out.
        whole: bool,
    },
    /// F vanishes everywhere: it asks for nothing.
    Identity,
    /// F vanishes nowhere.
    Contradiction,
    /// F vanishes where one of these does: the surface falls apart.
    Branches(Vec<Expr>),
}

impl Surface {
    /// Takes a condition apart. Factors made of parameters, and those that cannot vanish, are left out.
    pub(crate) fn condition(&mut self, f: &Expr) -> Condition {
        self.as_written(f).or_else(|| self.factors_of(f)).unwrap_or_else(|| Condition::Constraints {
            expressions: vec![f.clone()],
            irregular: false,
            whole: true,
        })
    }

    /// A sum of squares, or a product of which more than one factor may vanish, as it is written.
    fn as_written(&mut self, f: &Expr) -> Option<Condition> {
        if let Some(expressions) = squares(f) {
            return Some(Condition::Constraints { expressions, irregular: true, whole: false });
        }
        // A product with a number before it.
        let product = match f.node() {
            Node::Add(rest, terms) if rest.is_zero() && terms.len() == 1 => &terms[0].1,
            _ => f,
        };
        let Node::Mul(factors) = product.node() else { return None };
        let mut parts: Vec<Expr> = vec![];
        for (base, _) in factors.iter().filter(|(_, k)| !k.is_negative()) {
            match self.condition(base) {
                Condition::Identity => return Some(Condition::Identity),
                Condition::Contradiction => {}
                Condition::Branches(all) => parts.extend(all),
                Condition::Constraints { expressions, .. } => match <[Expr; 1]>::try_from(expressions) {
                    Ok([one]) => parts.push(one),
                    Err(_) => return None,
                },
            }
        }
        (parts.len() > 1).then_some(Condition::Branches(parts))
    }

    fn factors_of(&mut self, f: &Expr) -> Option<Condition> {
        let normal = self.field.normal(f)?;
        if normal.numerator.is_zero() {
            return Some(Condition::Identity);
        }
        let mut left: Vec<(Polynomial, u32)> = vec![];
        let mut whole = self.only_parameters(&normal.denominator);
        for (p, k) in factors(&normal.numerator)? {
            if self.only_parameters(&p) {
                self.assume(&p);
            } else if self.definite(&p) == Some(true) || self.is_excluded(&p) || self.never(&p) {
                whole = false;
            } else {
                left.push((p, k));
            }
        }
        let expressions: Vec<Expr> = left.iter().map(|(p, _)| self.field.sum(p)).collect::<Option<_>>()?;
        Some(match left.as_slice() {
            [] => Condition::Contradiction,
            [(p, k)] => match self.squares(p) {
                Some(expressions) => Condition::Constraints { expressions, irregular: true, whole: false },
                None => Condition::Constraints { expressions, irregular: *k > 1, whole: whole && *k == 1 },
            },
            _ => Condition::Branches(expressions),
        })
    }

    /// Whether a factor was taken not to vanish before, or cannot.
    fn is_excluded(&self, p: &Polynomial) -> bool {
        self.field.sum(p).is_some_and(|e| self.assumptions.contains(&e) || self.excluded.contains(&e))
    }

    /// The unknowns of a sum of squares, which vanishes where all of them do.
    fn squares(&self, p: &Polynomial) -> Option<Vec<Expr>> {
        if self.definite(p)? || p.0.len() < 2 {
            return None;
        }
        let mut out = vec![];
        for m in p.0.keys() {
            let state: Vec<u32> =
                m.0.iter().map(|f| f.0).filter(|&v| !self.only_parameters(&Polynomial::unknown(v))).collect();
            let [v] = state[..] else { return None };
            out.push(self.field.symbol(v).clone());
        }
        Some(out)
    }
}

/// The functions whose squares, with weights of one sign, add up to this as it is written: it vanishes where all of them
/// do, and so does its gradient.
fn squares(f: &Expr) -> Option<Vec<Expr>> {
    let Node::Add(rest, terms) = f.node() else { return None };
    let signs = terms.iter().map(|(weight, _)| weight.is_negative());
    if !rest.is_zero() || signs.clone().any(|s| s) && !signs.clone().all(|s| s) {
        return None;
    }
    let root = |term: &Expr| match term.node() {
        Node::Mul(factors) => {
            let even = |k: &Number| k.as_integer().is_some_and(|k| k > 0 && k % 2 == 0);
            factors.iter().all(|(_, k)| even(k)).then(|| Expr::product(factors.iter().map(|(b, _)| b.clone())))
        }
        _ => None,
    };
    terms.iter().map(|(_, term)| root(term)).collect()
}
