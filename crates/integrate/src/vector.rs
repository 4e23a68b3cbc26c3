//! What steps are written with: operations on whole vectors, in any arithmetic.
//!
//! A step that is recorded may keep such an operation as one loop over a family; a loop over entries that a method
//! writes itself would be taken apart into its operations.

use cotangent_dynamics::{Carried, CarriedMut, carried};
use cotangent_scalar::Scalar;
use cotangent_solve::Pattern;

/// A vector of zeros.
pub(crate) fn zeros<S: Scalar>(len: usize) -> Vec<S> {
    vec![S::from_f64(0.0); len]
}

/// x = 0.
pub(crate) fn clear<S: Scalar>(x: &mut [S]) {
    x.fill(S::from_f64(0.0));
}

/// x = −x.
pub(crate) fn negate<S: Scalar>(x: &mut [S]) {
    S::each([], [x], |[], [x]| [-x]);
}

/// x = a x.
pub(crate) fn scale<S: Scalar>(a: S, x: &mut [S]) {
    S::each([], [x], |[], [x]| [a * x]);
}

/// out = a x.
pub(crate) fn scaled<S: Scalar>(a: S, x: &[S], out: &mut [S]) {
    S::each([x], [out], |[x], _| [a * x]);
}

/// x = x + y.
pub(crate) fn add<S: Scalar>(x: &mut [S], y: &[S]) {
    S::each([y], [x], |[y], [x]| [x + y]);
}

/// x = x + a y.
pub(crate) fn add_scaled<S: Scalar>(x: &mut [S], a: S, y: &[S]) {
    S::each([y], [x], |[y], [x]| [x + a * y]);
}

/// x = x − a y.
pub(crate) fn subtract_scaled<S: Scalar>(x: &mut [S], a: S, y: &[S]) {
    S::each([y], [x], |[y], [x]| [x - a * y]);
}

/// x = x − y.
pub(crate) fn subtract<S: Scalar>(x: &mut [S], y: &[S]) {
    S::each([y], [x], |[y], [x]| [x - y]);
}

/// out = x − y.
pub(crate) fn difference<S: Scalar>(x: &[S], y: &[S], out: &mut [S]) {
    S::each([x, y], [out], |[x, y], _| [x - y]);
}

/// out = x − a y.
pub(crate) fn scaled_difference<S: Scalar>(x: &[S], a: S, y: &[S], out: &mut [S]) {
    S::each([x, y], [out], |[x, y], _| [x - a * y]);
}

/// out = x + a y.
pub(crate) fn scaled_sum<S: Scalar>(x: &[S], a: S, y: &[S], out: &mut [S]) {
    S::each([x, y], [out], |[x, y], _| [x + a * y]);
}

/// out = Σⱼ aⱼ xⱼ, from the first term on; zero if there is none.
pub(crate) fn combination<'x, S: Scalar + 'x>(mut terms: impl Iterator<Item = (S, &'x [S])>, out: &mut [S]) {
    match terms.next() {
        Some((a, x)) => scaled(a, x, out),
        None => clear(out),
    }
    terms.for_each(|(a, x)| add_scaled(out, a, x));
}

/// out = x[places].
pub(crate) fn gathered<S: Scalar>(x: &[S], places: &[usize], out: &mut [S]) {
    out.iter_mut().zip(places).for_each(|(out, &at)| *out = x[at]);
}

/// out = A x.
pub(crate) fn times<S: Scalar>(pattern: &Pattern, a: &[S], x: &[S], out: &mut [S]) {
    for (i, out) in out.iter_mut().enumerate() {
        let mut entries = pattern.positions(i).zip(pattern.row(i)).map(|(k, &j)| a[k] * x[j as usize]);
        let first = entries.next().unwrap_or_else(|| S::from_f64(0.0));
        *out = entries.fold(first, |sum, term| sum + term);
    }
}

/// out = out + Aᵀ x.
pub(crate) fn add_transposed_times<S: Scalar>(pattern: &Pattern, a: &[S], x: &[S], out: &mut [S]) {
    for (i, &x) in x.iter().enumerate() {
        for (k, &j) in pattern.positions(i).zip(pattern.row(i)) {
            let out = &mut out[j as usize];
            *out = *out + a[k] * x;
        }
    }
}

/// out = z + increment, rounded once, where `z` has a value and what rounding has cut off from it.
pub(crate) fn moved<S: Scalar>((values, carry): Carried<'_, S>, increment: &[S], out: &mut [S]) {
    S::each([values, carry, increment], [out], |[z, e, d], _| [carried(z, e, d).0]);
}

/// x = z + x.
pub(crate) fn displace<S: Scalar>((values, carry): Carried<'_, S>, x: &mut [S]) {
    S::each([values, carry], [x], |[z, e], [x]| [carried(z, e, x).0]);
}

/// z + increment with what rounding cuts off now: compensated summation.
pub(crate) fn advanced<S: Scalar>(
    (values, carry): Carried<'_, S>,
    increment: &[S],
    (to_values, to_carry): CarriedMut<'_, S>,
) {
    S::each([values, carry, increment], [to_values, to_carry], |[z, e, d], _| carried(z, e, d).into());
}

/// z = z + increment, in its own place.
pub(crate) fn advance<S: Scalar>((values, carry): CarriedMut<'_, S>, increment: &[S]) {
    S::each([increment], [values, carry], |[d], [z, e]| carried(z, e, d).into());
}

/// z = z + increment, and what rounding cuts off is added to what it has cut off before.
pub(crate) fn accumulate<S: Scalar>((values, carry): CarriedMut<'_, S>, increment: &[S]) {
    S::each([increment], [values, carry], |[d], [z, e]| {
        let sum = z + d;
        [sum, e + (d - (sum - z))]
    });
}

/// z = z + e with what that leaves of e.
pub(crate) fn settle<S: Scalar>((values, carry): CarriedMut<'_, S>) {
    S::each([], [values, carry], |[], [z, e]| {
        let sum = z + e;
        [sum, e - (sum - z)]
    });
}
