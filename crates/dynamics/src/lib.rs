//! What a method may ask of a system, and what a step may do besides arithmetic.
//!
//! A step is straight-line arithmetic over a [`Scalar`](cotangent_scalar::Scalar); its only branches
//! are those of a [`Machine`]. So one source of a step is *run* in `f64`, *differentiated* with dual
//! numbers, run in extended precision, or *recorded* and compiled as a whole.
//!
//! - [`Dynamics`]: a system as methods see it, [`Canonical`] equations, J ż = ∇H with a constant J ([`Presymplectic`]),
//!   ż = B(z)∇H ([`Poisson`]) or a vector [`Field`];
//! - [`Stepper`]: a method made ready for a system, from one [`State`] to the next;
//! - [`Machine`]: solves the implicit equations of a step, which a [`Plan`] lists;
//! - [`AnySystem`] and [`Mechanics`]: systems that are written in Rust, once for any arithmetic;
//! - [`Advance`] and [`Measure`]: what a run asks of whatever steps, and of whatever is measured on the way.

// Clock, threads, files and the like come from the caller: see clippy.toml.
#![cfg_attr(not(test), deny(clippy::disallowed_types, clippy::disallowed_methods))]

mod advance;
mod any_system;
mod cause;
mod conditioned;
mod failure;
mod family;
mod following;
mod machine;
mod measure;
mod mechanics;
mod memory;
mod numeric;
mod plan;
mod requirement;
mod stepper;
mod system;
mod words;

pub use advance::Advance;
pub use any_system::AnySystem;
pub use cause::{Implicit, Misuse, Source, Unrecordable, Unsolved, Value};
pub use conditioned::{Branch, Conditioned, NEARLY_SINGULAR};
pub use failure::{ErrorControl, Failure, FailureKind, GaveUp};
pub use family::Family;
pub use following::Following;
pub use machine::{Contraction, Equations, Machine, Map, PAUSE, Stage, patience};
pub use measure::{Condition, Kept, Measure, Recorded, Time};
pub use mechanics::Mechanics;
pub use memory::{MemoryLayout, Part};
pub use numeric::Numeric;
pub use plan::{Equation, Kind, Plan, Site, Unknowns};
pub use requirement::{allowance, unsatisfied};
pub use stepper::{Carried, CarriedMut, State, Stepper, carried};
pub use system::{
    BracketShape, Canonical, CanonicalShape, Chart, Dynamics, Field, Hidden, HiddenShape, Index, MatrixBlock, Poisson,
    PoissonShape, Presymplectic, PresymplecticShape, Restrained, RestrainedShape, Split, Surface, SurfaceShape,
};
pub use words::Names;
