//! The arithmetic of Cotangent.
//!
//! A step, a tape or a formula is written once over [`Scalar`] and then *run* (`f64`),
//! *differentiated* ([`Dual`]), run in *extended precision* ([`Dd`]) or *recorded* (by a tracing
//! scalar that lives elsewhere). [`Real`] adds what only a number with a value can answer; Newton
//! loops and pivot searches ask for it.
//!
//! ```
//! use cotangent_scalar::{Dual, Real, Scalar};
//!
//! fn kepler<S: Scalar>(anomaly: S, eccentricity: S) -> S {
//!     anomaly - eccentricity * anomaly.sin()
//! }
//! let anomaly: Dual<f64> = Dual::variable(1.0, 0);
//! let mean = kepler(anomaly, Dual::from_f64(0.5));
//! assert!((mean.tangent[0] - (1.0 - 0.5 * 1f64.cos())).abs() < 1e-15);
//! assert_eq!(mean.value(), kepler(1.0, 0.5));
//! ```

// Clock, threads, files and the like come from the caller: see clippy.toml.
#![cfg_attr(not(test), deny(clippy::disallowed_types, clippy::disallowed_methods))]

mod dd;
mod dual;
pub mod figures;
mod float;
mod largest;
mod limits;
mod random;
mod real;
mod scalar;
mod stumpff;
mod sums;

pub use dd::Dd;
pub use dual::Dual;
pub use largest::{larger, largest};
pub use limits::{Cancel, Clock, Interrupted, Limits};
pub use random::Random;
pub use real::Real;
pub use scalar::Scalar;
pub use sums::{Place, SumLoop, Sums, SumsBuilder};
