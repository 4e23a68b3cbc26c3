//! Measurements of runs: expressions in the columns of their tables and in named functions.
//!
//! ```
//! use cotangent_lab::measure::{Expression, Record, Records};
//!
//! let swing = Record::new([("time", vec![0.0, 1.0, 2.0]), ("energy", vec![0.5, 0.5 + 1e-3, 0.5 - 2e-3])]);
//! let runs = Records::from([("swing".to_owned(), swing)]);
//! let error = Expression::parse("max(abs(swing.energy - first(swing.energy)))")?;
//! assert_eq!(error.number(&runs)?, 0.5 - (0.5 - 2e-3));
//! # Ok::<(), cotangent_lab::measure::MeasureError>(())
//! ```
//!
//! Everything is a series of numbers; a number is a series of one, which stands beside any other. `swing.energy` is a
//! column of the run `swing`, `swing.u[3]` that of a member of a family, and `swing.u[*]` those of all members, one
//! behind the other.

mod error;
mod expression;
mod function;
mod record;
mod spectrum;

pub use error::MeasureError;
pub use expression::Expression;
pub use function::{FUNCTIONS, Function};
pub use record::{Record, Records};
pub use spectrum::{SpectrumError, spectrum};
