//! Formulations and methods of one model side by side.
//!
//! A combination of equations, method, projection and step is run once with every step measured
//! ([`measure`]): the error at the end against a solution that owes nothing to it ([`Exact`]), the
//! largest energy error and residuals, how each grows with time, and the work. A combination that runs
//! off is a result like any other: it says where it ended.

mod combination;
mod exact;
mod measure;
mod round_off;
mod timing;
mod unknown;

pub use combination::Combination;
pub use exact::{Exact, sample_times};
pub use measure::{Curves, Ended, Measured, Pace, measure};
pub use unknown::{NoPace, Unknown};

/// Samples that are kept of a run.
pub const SAMPLES: usize = 2048;
