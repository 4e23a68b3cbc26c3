//! Numerical tools that judge a method from outside.
//!
//! A certificate compares what a method does with something that owes nothing to it. This crate
//! holds those things, in any [`Real`](cotangent_scalar::Real) arithmetic:
//!
//! - [`Reference`]: solutions to some 25 digits by extrapolation, with an estimate of their error;
//! - [`Elliptic`] and [`Pendulum`]: Jacobi's functions, and the pendulum in closed form;
//! - [`fit_line`], [`observed_order`], [`growth_exponent`]: what a table of errors says, how surely,
//!   or why it says nothing;
//! - [`SymplecticDefect`]: how far the derivative of a step is from symplectic;
//! - [`no_casimirs`]: functions that a model claims to be Casimirs and are none;
//! - [`Stability`]: what a formulation does to errors of the constraints;
//! - [`Departures`]: constraints that a run leaves;
//! - [`comparison`]: formulations and methods of one model side by side;
//! - [`measure`]: named measurements of the tables of runs.
//!
//! ```
//! use cotangent_lab::{Pendulum, Reference};
//! use cotangent_scalar::{Dd, Scalar};
//!
//! // The pendulum as an angle and its rate, against the closed form.
//! let (angle, rate, time) = (Dd::from(1.0), Dd::from(0.5), Dd::from(2.0));
//! let mut z = [angle, rate];
//! let solved = Reference::new(1e-28).solve(
//!     &mut |z: &[Dd], rates: &mut [Dd]| {
//!         rates.copy_from_slice(&[z[1], -z[0].sin()]);
//!         Ok::<(), std::convert::Infallible>(())
//!     },
//!     &mut z,
//!     time,
//! )?;
//! let motion = Pendulum::from_angle(Dd::from(1.0), angle, rate)?.at(time);
//! assert!((z[0].sin() - motion.position[0]).abs().hi() < 1e-26);
//! assert!(solved.error_estimate < 1e-25);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

// Clock, threads, files and the like come from the caller: see clippy.toml.
#![cfg_attr(not(test), deny(clippy::disallowed_types, clippy::disallowed_methods))]

pub mod certificate;
pub mod comparison;
mod departure;
mod elliptic;
mod fit;
mod forces;
pub mod measure;
mod pendulum;
mod reference;
pub mod stability;
mod tangent;

pub use certificate::{Certificate, CertificateError, NoCasimir, no_casimirs};
pub use departure::{Departure, Departures};
pub use elliptic::{Elliptic, EllipticError};
pub use fit::{
    Fit, FitError, Growth, Order, Undecided, fit_line, growth_exponent, observed_order, typical_growth_exponent,
};
pub use pendulum::{Motion, Pendulum, PendulumError};
pub use reference::{Rates, Reference, ReferenceError, Sample, Solution, Solved};
pub use stability::{Stability, StabilityError};
pub use tangent::{Defect, SymplecticDefect, TangentError};

/// A run of a model: its steps compiled, its quantities measured.
pub type Run = cotangent_observe::Run<cotangent_problem::Integrator, cotangent_problem::Diagnostics>;
