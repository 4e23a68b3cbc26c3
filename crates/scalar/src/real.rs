//! The [`Real`] trait.

use crate::Scalar;

/// A scalar with a value: what Newton loops and pivot searches may branch on.
///
/// A real may carry infinitesimal parts beside its value ([`Dual`](crate::Dual)). Decisions are
/// taken on the value alone, so that a differentiated run takes the same path as a plain one.
pub trait Real: Scalar {
    /// The highest order of derivative carried: 0 for `f64` and [`Dd`](crate::Dd), one more for
    /// each level of [`Dual`](crate::Dual).
    const DERIVATIVE_ORDER: u32;

    /// The distance from 1 to the next number of this arithmetic: 2⁻⁵² for `f64`.
    const EPSILON: f64;

    /// The value, rounded to `f64`.
    fn value(self) -> f64;

    /// Whether the value and every derivative part are finite.
    fn is_finite(self) -> bool;

    /// `self` with its value replaced by zero: the derivative parts alone.
    ///
    /// Newton's method adds this part of an update, and no more, once the value has converged.
    fn infinitesimal(self) -> Self;

    /// How many Newton updates make every derivative part right once the value is.
    ///
    /// An update squares the error. At the root of the value the error is of first order in the
    /// infinitesimals, after r updates of order 2ʳ; the parts up to order d are right when
    /// 2ʳ > d.
    fn refinements() -> u32 {
        u32::BITS - Self::DERIVATIVE_ORDER.leading_zeros()
    }
}
