//! What a run looked like: figures, reports, lines of text.

mod animation;
mod background;
mod band;
mod derivation;
mod destinations;
mod figure;
mod film;
mod movie;
mod page;
mod scene;
mod snapshots;
mod sparkline;

pub use background::Background;
pub(crate) use destinations::Destinations;
pub(crate) use figure::figure;
pub use film::Watch;
pub(crate) use film::{Film, check_quantities, watch};
pub(crate) use movie::shortened;
pub(crate) use page::{Page, formulas, provenance, sources};
pub(crate) use sparkline::{Sparkline, sparklines};
