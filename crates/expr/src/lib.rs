//! Symbolic expressions that carry families: the mathematics of a model as data.
//!
//! Three levels, each immutable and identified by content:
//!
//! - [`Expr`], a scalar expression, canonical by construction. Its leaves are numbers, indices and
//!   elements of arrays.
//! - [`Array`], a scalar or a family of n members: *given* from outside, *defined* by formulas, the
//!   solution of linear equations, or the root of nonlinear ones.
//! - [`Tensor`], a sum of [`Term`]s, each repeated over a [`Domain`] of integer points. A chain of
//!   100,000 links has the same few terms as a chain of 2.
//!
//! [`Tensor::gradient`], [`Tensor::jacobian`] and [`Tensor::hessian`] keep families as families;
//! [`Tensor::expand`] is the reference form without them.

// Clock, threads, files and the like come from the caller: see clippy.toml.
#![cfg_attr(not(test), deny(clippy::disallowed_types, clippy::disallowed_methods))]

mod array;
mod build;
mod compose;
mod contract;
mod derive;
mod digest;
mod domain;
mod error;
mod expr;
mod function;
mod index;
mod latex;
mod layout;
mod magnitude;
mod number;
mod ops;
mod order;
mod partials;
mod print;
mod rounding;
mod substitute;
mod symbol;
mod tensor;
mod typeset;

pub use array::{Array, Definition, Role};
pub use derive::{dependencies, solve, solve_transposed};
pub use digest::Digest;
pub use domain::{Domain, Points, Range};
pub use error::{Error, MAX_NODES, MAX_POINTS};
pub use expr::{Expr, MAX_DEPTH, MAX_WIDTH, Node, Poison};
pub use function::Function;
pub use index::{Atom, Dim, Ix, Table, flat_position};
pub use layout::Layout;
pub use number::Number;
pub use rounding::roundings;
pub use symbol::{latex_member, latex_name, latex_velocity};
pub use tensor::{Place, Tensor, Term, check_range, rows};
pub use typeset::{latex_lines, latex_width};
