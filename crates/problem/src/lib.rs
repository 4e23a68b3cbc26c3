//! Problems: a system in a formulation, with values and a start from which it can be integrated.
//!
//! The one entry point of everything that integrates. A [`Model`] is a system with what all its formulations share;
//! [`Equations`] are a model in a formulation, compiled, without values; an [`Instance`] of them has parameters and a
//! consistent start. A thousand instances cost one compilation. [`pose`] does all at once. [`Instance::prepare`] plans a method, [`Instance::integrator`] makes its steps, and
//! [`Instance::diagnostics`] measures on the way.

mod classification;
mod compiled;
mod conditioning;
pub mod consistency;
mod diagnostics;
mod equations;
mod error;
mod forces;
mod instance;
mod integrator;
mod measure;
mod model;
mod picture;
mod pose;
mod redundancy;
mod scale;
mod surface;

pub use classification::Need;
pub use compiled::{Compiled, View, offer};
pub use conditioning::{Branch, Conditioned, Conditioning};
pub use diagnostics::{Diagnostics, Kept};
pub use equations::Equations;
pub use error::{NoRate, PoseError, ProblemError, Rate, Unprojected};
pub use instance::Instance;
pub use integrator::Integrator;
pub use model::{Model, Repairs};
pub use picture::{Picture, Shape};
pub use pose::pose;
pub use redundancy::{Redundant, redundant};
pub use surface::{Freedom, Start};
