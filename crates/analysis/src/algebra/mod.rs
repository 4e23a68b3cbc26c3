//! Exact algebra of rational functions in many unknowns.
//!
//! [`Polynomial`]s with integer coefficients, their divisors and factors; a [`Field`] of rational functions whose
//! normal form decides whether an expression vanishes; what is known of signs; elimination in matrices over the field.
//! Nothing here knows of constraints, brackets or reports. Whatever grows too large, or exceeds the
//! [`Work`] granted, is `None`: no result is wrong.

mod definite;
mod divisor;
mod factors;
mod field;
mod lifting;
mod linear;
mod modular;
mod polynomial;
mod quadratic;
mod signs;
mod sturm;
mod turns;
mod univariate;
mod work;

pub(crate) use divisor::pseudo_remainder;
pub(crate) use factors::factors;
pub(crate) use field::{Field, Fraction, Relation, decimal_form};
pub(crate) use linear::{Row, eliminate, inverse, kernel, reduced, size_cost};
pub(crate) use polynomial::{Monomial, Polynomial};
pub(crate) use work::{WORK, Work};
