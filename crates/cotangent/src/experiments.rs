//! The experiments of the papers that Cotangent comes from, as data: models, runs, claims and references.
//!
//! ```
//! let library = cotangent::experiments::library()?;
//! assert!(library.papers.iter().any(|paper| paper.key == "leimkuhler-reich"));
//! # Ok::<(), cotangent::verbs::Failure>(())
//! ```

use crate::models;
use crate::verbs::Failure;
use crate::verbs::reproduce::{Folder, Library};

/// All papers with their experiments.
pub fn library() -> Result<Library, Failure> {
    Library::new(PAPERS, |name| models::find(name).map(|model| model.source))
}

macro_rules! papers {
    ($($key:literal: [$($experiment:literal)*], [$($model:literal)*];)+) => {
        &[$(Folder {
            key: $key,
            paper: include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../experiments/", $key, "/paper.toml")),
            experiments: &[$((
                $experiment,
                include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../experiments/", $key, "/", $experiment, ".toml")),
            )),*],
            models: &[$((
                $model,
                include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../experiments/", $key, "/", $model, ".cot")),
            )),*],
        }),+]
    };
}

/// The files under `experiments`, paper by paper: experiments in the order in which they are shown, and models.
const PAPERS: &[Folder<'_>] = papers! {
    "leimkuhler-reich": ["fig-1" "fig-2" "fig-3" "fig-4" "fig-5" "fig-6"], [];
    "tyranowski": [
        "fig-1" "fig-2" "fig-3" "fig-4" "fig-5" "fig-6" "fig-7" "fig-8" "fig-9" "fig-10" "fig-11" "fig-12" "turning-points"
    ], ["swing"];
    "balk": ["fig-1-1" "fig-3-1" "fig-3-2" "example-3-6" "fig-4-1" "fig-4-2"], [
        "two-constraints" "two-constraints-printed" "mass-burgers" "characteristics" "broken-burgers"
    ];
};
