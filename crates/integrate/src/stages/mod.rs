//! Stage equations as data: a method declares them once, and residual, Jacobian, first guess and the names of the
//! equations follow.
//!
//! A declaration ([`StageEquations`]) says which vectors are unknown, at which points the equations of motion are
//! evaluated, and which [`Term`] stands in which row with which
//! [`Coefficient`](crate::coefficients::Coefficient):
//!
//! ```text
//! Σₖ dᵢₖ xₖ − ρᵢ ± h Σⱼ aᵢⱼ T(zⱼ) = 0     or     T(zⱼ) = 0
//! ```
//!
//! [`Stages`] is the declaration planned for a system of one [`Shape`], and [`Work`] solves it in one arithmetic for a
//! [`Evaluator`] of that shape. What equations of motion can stand in a row is the vocabulary of [`terms`]: a further one
//! (the projection of a bracket, a velocity constraint) is a further term there, with its derivatives.

mod declaration;
mod evaluator;
mod kernel;
mod numbers;
mod planned;
mod shape;
mod terms;
mod work;

pub(crate) use declaration::{Point, Row, StageEquations, Sum, Unknown};
pub(crate) use evaluator::Evaluator;
pub(crate) use planned::Stages;
pub(crate) use shape::Shape;
pub(crate) use terms::Term;
pub(crate) use work::{Input, Work};
