//! The models that come with Cotangent: examples to read, to run and to start from.
//!
//! ```
//! let pendulum = cotangent::models::find("pendulum").expect("it is shipped");
//! assert_eq!(pendulum.title().as_deref(), Some("Planar pendulum in Cartesian coordinates"));
//! let system = pendulum.system()?;
//! assert_eq!(system.constraints.len(), 1);
//! # Ok::<(), cotangent::Diagnostics>(())
//! ```

use crate::model::System;
use crate::model::diagnostic::Diagnostics;
use crate::model::syntax::{ast::StatementKind, parse};

/// A model that comes with Cotangent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Model {
    /// What to call it on the command line: the name of its file without `.cot`.
    pub name: &'static str,
    /// Its text.
    pub source: &'static str,
}

impl Model {
    /// The one-line description that its `model` statement gives.
    pub fn title(&self) -> Option<String> {
        let file = parse(self.source).file;
        file.statements.into_iter().find_map(|s| match s.kind {
            StatementKind::Model { title, .. } => title.map(|t| t.text),
            _ => None,
        })
    }

    /// The system it describes.
    pub fn system(&self) -> Result<System, Diagnostics> {
        System::parse(self.source)
    }
}

/// Every shipped model, by name.
pub fn all() -> &'static [Model] {
    SHIPPED
}

/// The shipped model with this name.
pub fn find(name: &str) -> Option<&'static Model> {
    SHIPPED.iter().find(|m| m.name == name)
}

macro_rules! shipped {
    ($($name:literal)+) => {
        &[$(Model {
            name: $name,
            source: include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../models/", $name, ".cot")),
        }),+]
    };
}

const SHIPPED: &[Model] = shipped![
    "bicycle"
    "burgers"
    "cawley"
    "chain"
    "charged-bead"
    "christ-lee"
    "crane"
    "double-pendulum"
    "eccentric-kepler"
    "einbein"
    "four-bar"
    "four-bar-angles"
    "heavy-top"
    "heisenberg"
    "heisenberg-form"
    "heisenberg-sphere"
    "henon-heiles"
    "kepler"
    "landau"
    "lorenz-86"
    "lorenz-86-balanced"
    "lotka-volterra"
    "lotka-volterra-3"
    "n-body"
    "pendulum"
    "rigid-body"
    "rigid-body-4"
    "skate"
    "spatial-four-bar"
    "sphere-vortices"
    "spherical-pendulum"
    "toda"
    "tree"
    "volterra-lattice"
    "water"
    "zabusky-kruskal"
];

#[cfg(test)]
mod tests {
    use super::{all, find};

    #[test]
    fn every_file_of_the_models_folder_is_shipped() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../models");
        let mut files: Vec<String> = std::fs::read_dir(folder)
            .unwrap()
            .filter_map(|entry| entry.unwrap().file_name().to_str()?.strip_suffix(".cot").map(str::to_owned))
            .collect();
        files.sort();
        let names: Vec<&str> = all().iter().map(|m| m.name).collect();
        assert_eq!(names, files);
    }

    #[test]
    fn every_shipped_model_has_a_title_and_parses() {
        for model in all() {
            assert!(model.title().is_some(), "{}", model.name);
            let system = model.system().unwrap_or_else(|d| panic!("{}: {d}", model.name));
            assert_eq!(system.name.replace('_', "-"), model.name);
            assert_eq!(system.warnings, [], "{}", model.name);
            assert_eq!(find(model.name), Some(model));
        }
        assert_eq!(find("no-such-model"), None);
    }
}
