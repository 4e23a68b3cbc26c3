//! Signs of numbers and of polynomials in one unknown.
//!
//! In the sequence of Sturm p₀ = p, p₁ = p′, p_{k+1} = −(p_{k−1} mod p_k) the changes of sign at −∞, less those at ∞, are the
//! number of distinct real zeros of p.

use super::divisor::{content, pseudo_remainder};
use super::field::Field;
use super::polynomial::{Monomial, Polynomial};
use crate::weighed::Weighed;
use cotangent_expr::{Expr, Function, Node};
use cotangent_scalar::{Real, Scalar};

impl Field {
    /// The sign of a polynomial in one unknown without real zeros.
    pub(super) fn without_zeros(&self, p: &Polynomial) -> Option<bool> {
        let &[v] = p.unknowns().as_slice() else { return None };
        let work = &self.work();
        let mut sequence = vec![p.clone(), derivative(p, v)?];
        while let [.., before, last] = sequence.as_slice()
            && last.degree(v) > 0
        {
            let (rest, multiplier) = pseudo_remainder(before, last, v, work)?;
            if rest.is_zero() {
                break;
            }
            let rest = if multiplier.as_constant()? > 0 { rest.negated() } else { rest };
            sequence.push(rest.over(&Polynomial::constant(content(&rest)), work)?);
        }
        let leads: Vec<(bool, bool)> = sequence.iter().map(|q| leading(q, v)).collect::<Option<_>>()?;
        let changes = |sign: fn(&(bool, bool)) -> bool| leads.windows(2).filter(|w| sign(&w[0]) != sign(&w[1])).count();
        (changes(|s| s.0) == changes(|s| s.1)).then_some(leads[0].1)
    }

    /// The sign of what is made of numbers alone, 2√3/9 − 3.
    pub(super) fn sign_of_number(&self, p: &Polynomial) -> Option<bool> {
        let term = |(m, &c): (&Monomial, &i128)| {
            let start = Weighed::from_f64(c as f64);
            m.0.iter().try_fold(start, |t, &(v, k)| {
                let x = number(self.symbol(v))?;
                Some((0..k).fold(t, |t, _| t * x))
            })
        };
        let sum = p.0.iter().try_fold(Weighed::from_f64(0.0), |sum, t| Some(sum + term(t)?))?;
        (sum.vanishes() == Some(false)).then(|| Real::value(sum) > 0.0)
    }
}

/// The value of what is made of numbers alone.
fn number(e: &Expr) -> Option<Weighed> {
    let constant = |x: f64| Weighed::from_f64(x);
    match e.node() {
        Node::Pi => Some(constant(std::f64::consts::PI)),
        Node::Number(n) => Some(constant(n.to_f64())),
        Node::Add(rest, terms) => {
            terms.iter().try_fold(constant(rest.to_f64()), |sum, (k, t)| Some(sum + constant(k.to_f64()) * number(t)?))
        }
        Node::Mul(factors) => factors
            .iter()
            .try_fold(constant(1.0), |product, (base, k)| Some(product * number(base)?.pow(constant(k.to_f64())))),
        Node::Call(f, arguments) => {
            let x = number(arguments.first()?)?;
            match f {
                Function::Exp => Some(x.exp()),
                Function::Sin => Some(x.sin()),
                Function::Cos => Some(x.cos()),
                _ => None,
            }
        }
        _ => None,
    }
}

/// `None` where numbers become too large.
fn derivative(p: &Polynomial, v: u32) -> Option<Polynomial> {
    let slope = |(m, &c): (&Monomial, &i128)| {
        let k = m.degree(v);
        let below = if k > 1 { Monomial(vec![(v, k - 1)]) } else { Monomial::default() };
        Some((below, c.checked_mul(i128::from(k))?))
    };
    let terms = p.0.iter().filter(|(m, _)| m.degree(v) > 0).map(slope);
    terms.collect::<Option<_>>().map(Polynomial)
}

/// Whether a polynomial in one unknown is positive near −∞ and near ∞.
fn leading(p: &Polynomial, v: u32) -> Option<(bool, bool)> {
    let degree = p.degree(v);
    let lead = p.coefficients(v).pop()?.as_constant()?;
    Some(((lead > 0) == degree.is_multiple_of(2), lead > 0))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sign(coefficients: &[i128]) -> Option<bool> {
        let mut field = Field::default();
        let x = field.unknown(&Expr::from(&cotangent_expr::Array::scalar("x", cotangent_expr::Role::Coordinate)));
        let power = |k: usize| if k == 0 { Monomial::default() } else { Monomial(vec![(x, k as u32)]) };
        let terms = coefficients.iter().enumerate().filter(|(_, c)| **c != 0).map(|(k, &c)| (power(k), c));
        field.without_zeros(&Polynomial(terms.collect()))
    }

    #[test]
    fn zeros_are_counted() {
        // x⁴ − x + 2 > 0, as its minimum at 4x³ = 1 is 2 − 3/4·4^(−1/3).
        assert_eq!(sign(&[2, -1, 0, 0, 1]), Some(true));
        assert_eq!(sign(&[-2, 1, 0, 0, -1]), Some(false));
        // (x² + 1)² is without zeros, and (x² − 2)², (x − 1)²(x² + 1) and every cubic are not.
        assert_eq!(sign(&[1, 0, 2, 0, 1]), Some(true));
        assert_eq!(sign(&[4, 0, -4, 0, 1]), None);
        assert_eq!(sign(&[1, -2, 2, -2, 1]), None);
        assert_eq!(sign(&[-3, -1, 0, 1]), None);
        // By SymPy's count_roots: 2 and 0, 2 and 0.
        assert_eq!([5, 20].map(|c| sign(&[c, 0, 5, 0, 0, -3, 1])), [None, Some(true)]);
        assert_eq!([6, 7].map(|c| sign(&[c, -3, 4, 1, -7, 2, 3])), [None, Some(true)]);
    }
}
