//! Reports: one HTML file that needs nothing else.
//!
//! A [`Report`] is a list of [`Section`]s: [`Text`], [`Table`], [`Formulas`], [`Code`], [`Plot`],
//! [`Animation`] and [`Provenance`]. [`Report::to_html`] gives the page, [`Report::write`] writes
//! it in one step, and [`check_destination`] refuses a destination before a computation starts.
//!
//! The page makes no request of any kind, stays below [`FILE_LIMIT`] bytes whatever is put into
//! it, and the same report always gives the same bytes. What had to be left out to stay below
//! the limit is said where it would have been: dense series keep every peak, animations lose
//! frames, long tables and texts end early. Formulas are MathML, plots and animations are drawn
//! in the browser and have a description and a table of their extremes for readers who do not
//! see them.
//!
//! ```
//! use cotangent_report::{Plot, Report, Scale, Series, Text};
//! let t: Vec<f64> = (0..1000).map(|i| f64::from(i) * 0.01).collect();
//! let error = t.iter().map(|t| 1e-6 * (1.0 + t.sin())).collect();
//! let html = Report::new("Pendulum")
//!     .with(Text::new("Result", "The energy error stays bounded."))
//!     .with(
//!         Plot::new("Energy error", "time", "error")
//!             .y_scale(Scale::Log)
//!             .with(Series::line("implicit midpoint", t, error)),
//!     )
//!     .to_html()?;
//! assert!(html.starts_with("<!doctype html>"));
//! # Ok::<(), cotangent_report::ReportError>(())
//! ```

// Clock, threads, files and the like come from the caller: see clippy.toml.
#![cfg_attr(not(test), deny(clippy::disallowed_types, clippy::disallowed_methods))]

mod animation;
mod base64;
mod budget;
mod code;
mod column;
mod decimate;
mod destination;
mod digits;
mod error;
mod escape;
mod formulas;
mod mathml;
mod notation;
mod plot;
mod provenance;
mod report;
mod section;
mod series;
mod series_table;
mod table;
mod text;

pub use animation::{Animation, Bounds, End, Frame, Look, Looks, Space, Vehicle};
pub use budget::FILE_LIMIT;
pub use code::Code;
pub use cotangent_destination::DestinationError;
pub use destination::check_destination;
pub use error::ReportError;
pub use formulas::{Formula, Formulas};
pub use notation::latex;
pub use plot::{Plot, Scale};
pub use provenance::Provenance;
pub use report::Report;
pub use section::Section;
pub use series::{Mark, Series};
pub use table::{Align, Cell, Column, Status, Table};
pub use text::Text;
