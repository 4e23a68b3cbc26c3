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
//! Every row has coefficients of its own, so that positions, momenta and multipliers may have different tableaux.
//! [`Stages`] is the declaration planned for equations of motion of one [`Shape`], and [`Work`] solves it in one
//! arithmetic with an [`Evaluator`] for that shape. What can stand in a row is the vocabulary of [`terms`]: something new
//! (a velocity constraint g(q, v), B(z) times an averaged ∇H) is one more [`Term`] there with its matrices, its
//! derivatives in [`shape`], and its evaluation in [`evaluator`].
//!
//! Newton's method solves them, or where all terms are rates of one vector field an iteration ([`Iterated`]).

mod declaration;
mod evaluator;
mod iterated;
mod kernel;
mod numbers;
mod planned;
mod shape;
mod terms;
mod work;

pub(crate) use declaration::{Point, Row, StageEquations, Sum, Unknown};
pub(crate) use evaluator::Evaluator;
pub(crate) use iterated::{Iterated, Terms};
pub(crate) use kernel::Kernel;
pub(crate) use planned::Stages;
pub(crate) use shape::Shape;
pub(crate) use terms::Term;
pub(crate) use work::{Input, Work};
