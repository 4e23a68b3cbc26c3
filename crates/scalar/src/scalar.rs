//! The [`Scalar`] trait.

use crate::Sums;
use std::ops::{Add, Div, Mul, Neg, Sub};

/// Arithmetic a step or a tape can be written in: it may be run, differentiated or recorded.
///
/// There is no comparison and no way to look at a value, because a tracing scalar has none; code
/// that must branch asks for [`Real`](crate::Real). A scalar may borrow (a tracing scalar borrows
/// its tape), so the trait is not `'static`.
///
/// Outside its domain a function returns what IEEE 754 arithmetic would (NaN or an infinity);
/// nothing panics.
pub trait Scalar:
    Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + Div<Output = Self> + Neg<Output = Self>
{
    /// The constant `x`.
    fn from_f64(x: f64) -> Self;

    /// The rational constant `numerator / denominator`, rounded once to this arithmetic.
    ///
    /// A zero denominator gives an infinity or NaN, as a division would.
    fn ratio(numerator: i64, denominator: i64) -> Self;

    /// The constant π.
    fn pi() -> Self;

    /// Whether this is *known* to be exactly zero, every derivative part included.
    ///
    /// Not a branch on values: it only lets a product with a constant zero be left out where the
    /// other factor may be infinite (the derivative of √x at 0 along a direction that does not
    /// move x). A tracing scalar answers for its literal constants and `false` otherwise.
    fn is_zero(self) -> bool {
        false
    }

    /// The value in double precision, where there is one at hand: a tracing scalar has none.
    ///
    /// For what does not change the result: to choose between equivalent formulas as pivots are chosen, or to refuse.
    fn known(self) -> Option<f64> {
        None
    }

    /// √x.
    fn sqrt(self) -> Self;
    /// eˣ.
    fn exp(self) -> Self;
    /// The natural logarithm.
    fn ln(self) -> Self;
    /// The sine of an angle in radians.
    fn sin(self) -> Self;
    /// The cosine of an angle in radians.
    fn cos(self) -> Self;
    /// Sine and cosine together.
    fn sin_cos(self) -> (Self, Self) {
        (self.sin(), self.cos())
    }
    /// The tangent of an angle in radians.
    fn tan(self) -> Self;
    /// The inverse sine, in [−π/2, π/2].
    fn asin(self) -> Self;
    /// The inverse cosine, in [0, π].
    fn acos(self) -> Self;
    /// The inverse tangent, in [−π/2, π/2].
    fn atan(self) -> Self;
    /// The angle of the point (`x`, `self`) in [−π, π]: `self` is the ordinate y.
    fn atan2(self, x: Self) -> Self;
    /// The hyperbolic sine.
    fn sinh(self) -> Self;
    /// The hyperbolic cosine.
    fn cosh(self) -> Self;
    /// The hyperbolic tangent.
    fn tanh(self) -> Self;

    /// The absolute value; its derivative is [`sign`](Scalar::sign).
    fn abs(self) -> Self;
    /// −1, 0 or 1, and NaN for NaN; its derivative is 0.
    fn sign(self) -> Self;
    /// The greatest integer not above `self`; its derivative is 0.
    fn floor(self) -> Self;
    /// The smaller of two, NaN if either is NaN. On a tie the derivative is the mean of both.
    fn min(self, other: Self) -> Self;
    /// The larger of two, NaN if either is NaN. On a tie the derivative is the mean of both.
    fn max(self, other: Self) -> Self;
    /// `self − modulus·⌊self/modulus⌋`, which has the sign of `modulus`.
    fn modulo(self, modulus: Self) -> Self {
        self - modulus * (self / modulus).floor()
    }
    /// `self` to the power `exponent`; a negative base needs an integer exponent.
    fn pow(self, exponent: Self) -> Self;

    /// The Stumpff function of order `k` at `self` = s,
    ///
    /// $$ c_k(s) = \sum_{j\ge 0} \frac{(-s)^j}{(2j+k)!}, $$
    ///
    /// so that c₀ = cos √s and c₁ = sin √s / √s for s > 0, cosh and sinh for s < 0. It is entire,
    /// c_k = 1/k! − s c_{k+2}, and c_k′ = −½ (c_{k+1} − k c_{k+2}).
    fn stumpff(self, k: u32) -> Self;

    /// Runs `f` on the entries of vectors of one length, one after the other: it gets those of the inputs and what the
    /// outputs hold, and gives what they will hold. A tracing scalar may keep this as one loop.
    fn each<const I: usize, const O: usize>(
        inputs: [&[Self]; I],
        outputs: [&mut [Self]; O],
        f: impl Fn([Self; I], [Self; O]) -> [Self; O],
    ) {
        let lengths = inputs.iter().map(|x| x.len()).chain(outputs.iter().map(|y| y.len()));
        let len = lengths.min().unwrap_or(0);
        let (inputs, outputs) = (inputs.map(|x| &x[..len]), outputs.map(|y| &mut y[..len]));
        for k in 0..len {
            let made = f(std::array::from_fn(|i| inputs[i][k]), std::array::from_fn(|o| outputs[o][k]));
            for o in 0..O {
                outputs[o][k] = made[o];
            }
        }
    }

    /// Makes the planned sums, of what `term` makes of the entries of the inputs, added to what `out` holds or from the
    /// first term on; what `last` makes of a sum goes to its place. A tracing scalar may keep this as loops.
    fn sums<const K: usize>(
        plan: &Sums<K>,
        onto: bool,
        inputs: [&[Self]; K],
        out: &mut [Self],
        term: impl Fn([Self; K]) -> Self,
        last: impl Fn(Self) -> Self,
    ) {
        for l in plan.loops() {
            for round in 0..l.rounds {
                for (to, terms) in &l.sums {
                    let out = &mut out[to.at(round)];
                    let mut terms = terms.iter().map(|at| term(std::array::from_fn(|k| inputs[k][at[k].at(round)])));
                    let first = if onto { Some(*out) } else { terms.next() };
                    *out = last(terms.fold(first.unwrap_or_else(|| Self::from_f64(0.0)), |sum, term| sum + term));
                }
            }
        }
    }

    /// The sum of all entries, from the first on.
    fn total(x: &[Self]) -> Self {
        x.iter().fold(Self::from_f64(0.0), |sum, &x| sum + x)
    }
}
