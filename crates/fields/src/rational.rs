//! Exact linear algebra and polynomials, on fractions.

use crate::error::FieldsError;
use cotangent_expr::Number;
use std::ops::{Add, Mul, Neg, Sub};

/// A reduced fraction with a positive denominator. What does not fit, or was no fraction, has no value, and nothing that is
/// made of it has one.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Fraction(Option<(i128, i128)>);

impl Fraction {
    pub(crate) const ZERO: Fraction = Fraction(Some((0, 1)));
    pub(crate) const ONE: Fraction = Fraction(Some((1, 1)));

    pub(crate) fn new(x: Number) -> Fraction {
        Fraction(x.as_ratio().map(|(n, d)| (n.into(), d.into())))
    }

    /// n/d in lowest terms; d is not 0.
    fn reduced(n: i128, d: i128) -> Option<(i128, i128)> {
        let (mut a, mut b) = (n.checked_abs()?, d.checked_abs()?);
        while b != 0 {
            (a, b) = (b, a % b);
        }
        Some((n / a * d.signum(), d.abs() / a))
    }

    /// Whether it is 0.
    pub(crate) fn is_zero(self) -> Result<bool, FieldsError> {
        self.0.map(|(n, _)| n == 0).ok_or(FieldsError::NotExact)
    }

    /// 1/x, for an x that is not 0.
    pub(crate) fn recip(self) -> Fraction {
        Fraction(self.0.filter(|(n, _)| *n != 0).map(|(n, d)| (d * n.signum(), n.abs())))
    }

    /// The same for other crates.
    pub(crate) fn number(self) -> Result<Number, FieldsError> {
        let fits = |(n, d): (i128, i128)| Number::ratio(i64::try_from(n).ok()?, i64::try_from(d).ok()?);
        self.0.and_then(fits).filter(|x| x.as_ratio().is_some()).ok_or(FieldsError::NotExact)
    }
}

impl Add for Fraction {
    type Output = Fraction;

    fn add(self, other: Fraction) -> Fraction {
        let sum = |(a, b): (i128, i128), (c, d): (i128, i128)| {
            let n = a.checked_mul(d)?.checked_add(c.checked_mul(b)?)?;
            Fraction::reduced(n, b.checked_mul(d)?)
        };
        Fraction(self.0.zip(other.0).and_then(|(x, y)| sum(x, y)))
    }
}

impl Mul for Fraction {
    type Output = Fraction;

    fn mul(self, other: Fraction) -> Fraction {
        let product =
            |(a, b): (i128, i128), (c, d): (i128, i128)| Fraction::reduced(a.checked_mul(c)?, b.checked_mul(d)?);
        Fraction(self.0.zip(other.0).and_then(|(x, y)| product(x, y)))
    }
}

impl Neg for Fraction {
    type Output = Fraction;

    fn neg(self) -> Fraction {
        Fraction(self.0.and_then(|(n, d)| Some((n.checked_neg()?, d))))
    }
}

impl Sub for Fraction {
    type Output = Fraction;

    fn sub(self, other: Fraction) -> Fraction {
        self + -other
    }
}

/// The inverse of a matrix by elimination; `None` if it is singular.
pub(crate) fn inverse(matrix: &[Vec<Fraction>]) -> Result<Option<Vec<Vec<Fraction>>>, FieldsError> {
    let n = matrix.len();
    let unit = |i: usize, j: usize| if i == j { Fraction::ONE } else { Fraction::ZERO };
    let row = |i: usize| matrix[i].iter().copied().chain((0..n).map(|j| unit(i, j))).collect::<Vec<Fraction>>();
    let mut rows: Vec<Vec<Fraction>> = (0..n).map(row).collect();
    for k in 0..n {
        let mut pivot = None;
        for (i, row) in rows.iter().enumerate().skip(k) {
            if pivot.is_none() && !row[k].is_zero()? {
                pivot = Some(i);
            }
        }
        let Some(pivot) = pivot else { return Ok(None) };
        rows.swap(k, pivot);
        let scale = rows[k][k].recip();
        rows[k].iter_mut().for_each(|x| *x = *x * scale);
        let own = rows[k].clone();
        for (_, row) in rows.iter_mut().enumerate().filter(|(i, _)| *i != k) {
            let factor = row[k];
            row.iter_mut().zip(&own).for_each(|(x, &y)| *x = *x - factor * y);
        }
    }
    Ok(Some(rows.into_iter().map(|row| row[n..].to_vec()).collect()))
}

/// The product of polynomials, given by coefficients of growing powers.
pub(crate) fn product(a: &[Fraction], b: &[Fraction]) -> Vec<Fraction> {
    let mut out = vec![Fraction::ZERO; (a.len() + b.len()).saturating_sub(1)];
    for (i, &x) in a.iter().enumerate() {
        for (j, &y) in b.iter().enumerate() {
            out[i + j] = out[i + j] + x * y;
        }
    }
    out
}

/// The sum of polynomials, the second times a factor.
pub(crate) fn sum(a: &[Fraction], factor: Fraction, b: &[Fraction]) -> Vec<Fraction> {
    let at = |list: &[Fraction], k: usize| list.get(k).copied().unwrap_or(Fraction::ZERO);
    (0..a.len().max(b.len())).map(|k| at(a, k) + factor * at(b, k)).collect()
}

/// The derivative of a polynomial.
pub(crate) fn derivative(a: &[Fraction]) -> Vec<Fraction> {
    a.iter().enumerate().skip(1).map(|(k, &x)| x * whole(k)).collect()
}

/// The integral of a polynomial from 0 to a length.
pub(crate) fn integral(a: &[Fraction], length: Fraction) -> Fraction {
    let (mut power, mut total) = (Fraction::ONE, Fraction::ZERO);
    for (k, &x) in a.iter().enumerate() {
        power = power * length;
        total = total + x * power * whole(k + 1).recip();
    }
    total
}

fn whole(k: usize) -> Fraction {
    Fraction(i128::try_from(k).ok().map(|k| (k, 1)))
}

/// A polynomial in x for people.
pub(crate) fn printed(a: &[Fraction]) -> Result<String, FieldsError> {
    let mut terms = vec![];
    for (k, x) in a.iter().enumerate() {
        if x.is_zero()? {
            continue;
        }
        let x = x.number()?;
        terms.push(match k {
            0 => x.to_string(),
            1 => format!("{x}*x"),
            _ => format!("{x}*x^{k}"),
        });
    }
    Ok(terms.join(" + "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_fit_stays_without_a_value() {
        let power = |x: Fraction, k: usize| (0..k).fold(Fraction::ONE, |p, _| p * x);
        let large = Fraction::new(Number::from(1_i64 << 62));
        assert_eq!(power(large, 2) * power(large.recip(), 2), Fraction::ONE);
        let lost = power(large, 3);
        assert!(lost.is_zero().is_err() && (lost * Fraction::ZERO).is_zero().is_err());
        assert!((lost - lost).number().is_err() && lost.recip().number().is_err());
        // A float that no fraction of 64 bits is does not become one, whatever comes out.
        let small = Fraction::new(Number::from(1e-30 / 3.0));
        assert!((small - small).number().is_err());
        assert!(Fraction::ZERO.recip().number().is_err());
        assert_eq!((Fraction::ONE - Fraction::new(Number::HALF)).number(), Ok(Number::HALF));
    }
}
