//! Exact linear algebra and polynomials, on fractions.

use crate::error::FieldsError;
use cotangent_expr::Number;

pub(crate) fn minus(a: Number, b: Number) -> Number {
    a + -b
}

/// a/b; without a value where b = 0.
pub(crate) fn quotient(a: Number, b: Number) -> Option<Number> {
    Some(a * b.recip()?)
}

/// The inverse of a matrix by elimination; `None` if it is singular.
pub(crate) fn inverse(matrix: &[Vec<Number>]) -> Result<Option<Vec<Vec<Number>>>, FieldsError> {
    let n = matrix.len();
    let unit = |i: usize, j: usize| if i == j { Number::ONE } else { Number::ZERO };
    let row = |i: usize| matrix[i].iter().copied().chain((0..n).map(|j| unit(i, j))).collect::<Vec<Number>>();
    let mut rows: Vec<Vec<Number>> = (0..n).map(row).collect();
    for k in 0..n {
        let Some(pivot) = (k..n).find(|&i| !rows[i][k].is_zero()) else { return Ok(None) };
        rows.swap(k, pivot);
        let Some(scale) = rows[k][k].recip() else { return Ok(None) };
        rows[k].iter_mut().for_each(|x| *x = *x * scale);
        let own = rows[k].clone();
        for (i, row) in rows.iter_mut().enumerate().filter(|(i, _)| *i != k) {
            let factor = row[k];
            debug_assert_ne!(i, k);
            row.iter_mut().zip(&own).for_each(|(x, &y)| *x = minus(*x, factor * y));
        }
    }
    rows.iter().flatten().try_for_each(|&x| exact(x).map(drop))?;
    Ok(Some(rows.into_iter().map(|row| row[n..].to_vec()).collect()))
}

/// A number that is still a fraction.
pub(crate) fn exact(x: Number) -> Result<Number, FieldsError> {
    x.as_ratio().map(|_| x).ok_or(FieldsError::NotExact)
}

/// The product of polynomials, given by coefficients of growing powers.
pub(crate) fn product(a: &[Number], b: &[Number]) -> Vec<Number> {
    let mut out = vec![Number::ZERO; (a.len() + b.len()).saturating_sub(1)];
    for (i, &x) in a.iter().enumerate() {
        for (j, &y) in b.iter().enumerate() {
            out[i + j] = out[i + j] + x * y;
        }
    }
    out
}

/// The sum of polynomials, the second times a factor.
pub(crate) fn sum(a: &[Number], factor: Number, b: &[Number]) -> Vec<Number> {
    let at = |list: &[Number], k: usize| list.get(k).copied().unwrap_or(Number::ZERO);
    (0..a.len().max(b.len())).map(|k| at(a, k) + factor * at(b, k)).collect()
}

/// The derivative of a polynomial.
pub(crate) fn derivative(a: &[Number]) -> Vec<Number> {
    a.iter().enumerate().skip(1).map(|(k, &x)| x * Number::from(k as i64)).collect()
}

/// The integral of a polynomial from 0 to a length.
pub(crate) fn integral(a: &[Number], length: Number) -> Number {
    let mut power = Number::ONE;
    let mut total = Number::ZERO;
    for (k, &x) in a.iter().enumerate() {
        power = power * length;
        total = total + quotient(x * power, Number::from(k as i64 + 1)).unwrap_or(Number::ZERO);
    }
    total
}

/// A polynomial in x for people.
pub(crate) fn printed(a: &[Number]) -> String {
    let terms = a.iter().enumerate().filter(|(_, x)| !x.is_zero()).map(|(k, x)| match k {
        0 => x.to_string(),
        1 => format!("{x}*x"),
        _ => format!("{x}*x^{k}"),
    });
    terms.collect::<Vec<_>>().join(" + ")
}
