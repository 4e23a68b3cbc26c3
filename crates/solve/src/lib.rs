//! The only linear algebra and the only Newton loop of Cotangent.
//!
//! - [`Pattern`]: where a matrix has entries (compressed rows);
//! - [`LinearSolver`]: LU factorisation with partial pivoting, dense or banded as the pattern
//!   suggests, all memory allocated when it is built;
//! - [`newton`]: one loop for every implicit equation, in any [`Real`](cotangent_scalar::Real)
//!   arithmetic, iterating to round-off unless told otherwise ([`StoppingRule`]).
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

mod banded;
mod dense;
mod linear;
mod newton;
mod ordering;
mod pattern;
mod pivoting;
mod stopping;
mod workspace;

pub use linear::{LinearSolver, Structure, Unsupported};
pub use newton::{NewtonError, NewtonOptions, NewtonWork, Quantity, newton};
pub use pattern::{Pattern, PatternError};
pub use pivoting::Singular;
pub use stopping::StoppingRule;
pub use workspace::NewtonWorkspace;
