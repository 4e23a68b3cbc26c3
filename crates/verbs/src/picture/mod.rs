//! What a run looked like: figures, reports, lines of text.

mod animation;
mod band;
mod derivation;
mod destinations;
mod figure;
mod film;
mod page;
mod scene;
mod snapshots;
mod sparkline;

pub(crate) use destinations::Destinations;
pub(crate) use figure::figure;
pub(crate) use film::{Film, watch};
pub(crate) use page::{Page, formulas, provenance};
pub(crate) use sparkline::{Sparkline, sparklines};
