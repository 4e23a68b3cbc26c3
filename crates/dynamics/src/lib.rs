//! What a method may ask of a system, and what a step may do besides arithmetic.
//!
//! A step is straight-line arithmetic over a [`Scalar`](cotangent_scalar::Scalar); its only branches
//! are those of a [`Machine`]. So one source of a step is *run* in `f64`, *differentiated* with dual
//! numbers, run in extended precision, or *recorded* and compiled as a whole.
//!
//! - [`Dynamics`]: a system as methods see it, [`Canonical`] equations, J ż = ∇H with a constant J ([`Presymplectic`]),
//!   ż = B(z)∇H ([`Poisson`]) or a vector [`Field`];
//! - [`Stepper`]: a method made ready for a system, from one [`State`] to the next;
//! - [`Machine`]: solves the implicit equations of a step, which a [`Plan`] lists.

mod cause;
mod failure;
mod following;
mod machine;
mod memory;
mod numeric;
mod plan;
mod requirement;
mod stepper;
mod system;
mod words;

pub use cause::{ErrorControl, GaveUp, Implicit, Misuse, Source, Unrecordable, Unsolved, Value};
pub use failure::{Failure, FailureKind};
pub use following::Following;
pub use machine::{Equations, Machine, Map};
pub use memory::{MemoryLayout, Part};
pub use numeric::Numeric;
pub use plan::{Equation, Kind, Plan, Site, Unknowns};
pub use requirement::{allowance, unsatisfied};
pub use stepper::{Carried, CarriedMut, State, Stepper, carried};
pub use system::{
    Canonical, CanonicalShape, Chart, Dynamics, Field, Hidden, HiddenShape, Index, Poisson, PoissonShape,
    Presymplectic, PresymplecticShape, Surface, SurfaceShape,
};
pub use words::Names;
