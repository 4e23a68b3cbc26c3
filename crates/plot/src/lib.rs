//! Figures as data, drawn as SVG text and PNG pixels.
//!
//! A [`Figure`] holds [`Panel`]s; a panel has two [`Axis`]es and shows [`Series`], snapshots of
//! [`Bodies`] or a [`HeatMap`]. [`Figure::to_svg`] and [`Figure::to_png`] draw it,
//! [`Figure::write`] writes a file in one step, and [`check_destination`] refuses a destination
//! before a computation starts.
//!
//! Whatever the data are, there is a picture and it does not mislead: dense series keep every
//! peak and gain none, values that are not numbers are gaps, infinite values and zeros on a
//! logarithmic axis are marked at the edge and counted in a note, and a panel without data says
//! so. The same figure always gives the same bytes.
//!
//! ```
//! use cotangent_plot::{Axis, Figure, Panel, Series};
//! let t: Vec<f64> = (0..1000).map(|i| f64::from(i) * 0.01).collect();
//! let error = t.iter().map(|t| 1e-6 * t.sin()).collect();
//! let panel = Panel::new(
//!     Axis::linear("time"),
//!     Axis::log_absolute("energy error"),
//!     vec![Series::line("midpoint", t, error)],
//! );
//! let svg = Figure::new("Energy").with(panel).to_svg();
//! assert!(svg.starts_with("<svg"));
//! ```

// Clock, threads, files and the like come from the caller: see clippy.toml.
#![cfg_attr(not(test), deny(clippy::disallowed_types, clippy::disallowed_methods))]

mod axes;
mod axis;
mod band;
mod bodies;
mod colour_map;
mod coverage;
mod curves;
mod decimate;
mod digits;
mod error;
mod figure;
mod font;
mod frame;
mod heat;
mod layout;
mod legend;
mod mosaic;
mod movie;
mod occupancy;
mod palette;
mod panel;
mod raster;
mod render;
mod scene;
mod series;
mod shape;
mod sketch;
mod slopes;
mod span;
mod summary;
mod survey;
mod svg;
mod text;
mod theme;
mod ticks;
mod write;

pub use axis::{Axis, Range, Scale};
pub use bodies::{Bodies, Colours, Joint, Snapshot};
pub use colour_map::ColourMap;
pub use cotangent_destination::DestinationError;
pub use error::PlotError;
pub use figure::{Figure, Size};
pub use font::{has_glyph, text_width};
pub use heat::HeatMap;
pub use legend::Legend;
pub use movie::{Movie, check_movie_destination};
pub use palette::{Colour, DARK_SERIES, Dash, LIGHT_SERIES, Marker, Style};
pub use panel::{Aspect, Content, Panel, Slope};
pub use series::{Kind, Series};
pub use theme::Theme;
pub use write::{Format, check_destination};
