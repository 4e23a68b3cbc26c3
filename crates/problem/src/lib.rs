//! Problems: a system in a formulation, with values and a start from which it can be integrated.
//!
//! The one entry point of everything that integrates. A [`Model`] is a system with what all its formulations share;
//! [`Equations`] are a model in a formulation, compiled, without values; an [`Instance`] of them has parameters and a
//! consistent start. A thousand instances cost one compilation. [`pose`] does all at once. [`Instance::prepare`] plans a method, [`Instance::integrator`] makes its steps, and
//! [`Instance::diagnostics`] measures on the way.

// Clock, threads, files and the like come from the caller: see clippy.toml.
#![cfg_attr(not(test), deny(clippy::disallowed_types, clippy::disallowed_methods))]

mod callable;
mod classification;
mod compiled;
mod conditioning;
pub mod consistency;
mod constrained_bracket;
mod diagnostics;
mod equations;
mod error;
mod forces;
mod index_one;
mod instance;
mod integrator;
mod joined;
mod model;
mod picture;
mod pose;
mod redundancy;
mod scale;
mod surface;

pub use classification::{Need, Preferred};
pub use compiled::{Compiled, View, offer};
pub use conditioning::Conditioning;
pub use diagnostics::Diagnostics;
pub use equations::Equations;
pub use error::{NoRate, PoseError, ProblemError, Rate, Unprojected};
pub use instance::Instance;
pub use integrator::Integrator;
pub use model::{Model, Repairs};
pub use picture::{Picture, Shape};
pub use pose::{irregular, pose};
pub use redundancy::Redundant;
pub use surface::{Freedom, Start};
