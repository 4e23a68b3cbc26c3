//! What a table of numbers says: slopes, orders and growth, each with its uncertainty.

mod growth;
mod line;
mod order;
mod undecided;

pub use growth::{Growth, growth_exponent, typical_growth_exponent};
pub use line::{Fit, FitError, fit_line};
pub use order::{Order, observed_order};
pub use undecided::Undecided;
