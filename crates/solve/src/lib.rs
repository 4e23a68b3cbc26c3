//! The only linear algebra and the only iterations of Cotangent.
//!
//! - [`Pattern`]: where a matrix has entries (compressed rows);
//! - [`LinearSolver`]: LU factorisation with partial pivoting, dense, banded or sparse as the
//!   pattern suggests, in any [`Real`](cotangent_scalar::Real) arithmetic, all memory allocated
//!   when it is built;
//! - [`SymmetricFactors`]: L D Lᵀ without exchanges, for the approximate matrices of iterations;
//! - [`newton`]: one loop for every implicit equation f(x) = 0, iterating to round-off unless told
//!   otherwise ([`StoppingRule`]), and [`affine`] for equations that one update solves;
//! - [`fixed_point`]: the same for equations x = F(x) that contract;
//! - [`gauss_newton`]: the nearest solution, roughly, of fewer equations than unknowns;
//! - [`dependent_rows`] and [`null_space`]: which equations repeat others, and what a set of
//!   equations leaves free; [`cancelled_rows`]: the same where entries have units of their own;
//! - [`departure`]: whether a matrix may have become singular on the way to another one;
//! - [`singular_values`] and [`least_change`]: how far a matrix is from a smaller rank, and the
//!   nearest solution of too few equations;
//! - [`eigenvalues`] of a full matrix, and the [`spectrum`] of a symmetric one with its vectors.
//!
//! ```
//! use cotangent_solve::{NewtonOptions, NewtonWorkspace, Pattern, newton};
//!
//! // Where the unit circle meets the diagonal.
//! let pattern = Pattern::dense(2, 2)?;
//! let mut workspace = NewtonWorkspace::new(&pattern)?;
//! let mut x = [1.0, 0.5];
//! newton(&mut workspace, &NewtonOptions::default(), &mut x, |x, residual, jacobian| {
//!     residual.copy_from_slice(&[x[0] * x[0] + x[1] * x[1] - 1.0, x[0] - x[1]]);
//!     jacobian.copy_from_slice(&[2.0 * x[0], 2.0 * x[1], 1.0, -1.0]);
//!     Ok::<(), std::convert::Infallible>(())
//! })?;
//! assert_eq!(x, [0.5f64.sqrt(); 2]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

// Clock, threads, files and the like come from the caller: see clippy.toml.
#![cfg_attr(not(test), deny(clippy::disallowed_types, clippy::disallowed_methods))]

mod banded;
mod choice;
mod degree;
mod dense;
mod departure;
mod eigenvalues;
mod elimination;
mod fixed_point;
mod gauss_newton;
mod graded;
mod least_change;
mod linear;
mod matching;
mod newton;
mod ordering;
mod orthogonal;
mod outcome;
mod pattern;
mod pivoting;
mod planned;
mod rank;
mod reach;
mod singular;
mod sparse;
mod spectrum;
mod stall;
mod stopping;
mod symbolic;
mod symmetric;
mod transversal;
mod workspace;

pub use choice::{LARGEST_UNROLLED, Unsupported, filling};
pub use departure::{departure, excess};
pub use eigenvalues::{EigenvalueError, eigenvalues};
pub use fixed_point::{FixedPointError, FixedPointWork, FixedPointWorkspace, StageRule, UNSETTLED, fixed_point};
pub use gauss_newton::{Descended, Descent, Linearised, gauss_newton};
pub use graded::cancelled_rows;
pub use least_change::least_change;
pub use linear::{LinearSolver, Structure};
pub use newton::{NewtonOptions, affine, newton};
pub use outcome::{NewtonError, NewtonWork, Quantity};
pub use pattern::{Pattern, PatternError};
pub use pivoting::Singular;
pub use rank::{Dependent, RankError, Scales, dependent_rows, null_space};
pub use singular::singular_values;
pub use spectrum::spectrum;
pub use stall::Stall;
pub use stopping::{Bounds, Comparisons, Held, StoppingRule, Verdict};
pub use symmetric::{SymmetricFactors, SymmetricValues};
pub use workspace::NewtonWorkspace;
