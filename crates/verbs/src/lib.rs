//! The verbs: check, analyze, run, certify, compare, reproduce, each a function from a request to a document.
//!
//! A verb prints nothing, and writes no file but those it is asked for. What it has to say on the way goes to a
//! [`Listener`], and it ends early where its limits say so. Its document is what `--json` shows; text, figures and pages
//! are made of it.
//!
//! ```
//! use cotangent_verbs::{Choice, run};
//!
//! let pendulum = "
//! coord x, y
//! hamiltonian (p_x^2 + p_y^2)/2 + y
//! constraint rod: (x^2 + y^2 - 1)/2 = 0
//! initial x = 1, p_y = -2
//! run step = 0.1, until = 10
//! ";
//! let swing = run(pendulum, &Choice::default().until(100.0))?;
//! assert!(swing.energy.max_abs_error < 0.02);
//! assert!(swing.text(false).contains("largest error"));
//! # Ok::<(), cotangent_verbs::Failure>(())
//! ```
//!
//! Each verb has a module with its `Request`, which says more than the function of its name takes: files to write, lists
//! to compare. Its `answer` is given a model and a [`Session`].

// Clock, threads, files and the like come from the caller: see clippy.toml.
#![cfg_attr(not(test), deny(clippy::disallowed_types, clippy::disallowed_methods))]

pub mod analyze;
pub mod certify;
pub mod check;
mod choice;
mod claims;
mod code;
pub mod compare;
mod ending;
mod explain;
mod failure;
mod figures;
mod formulations;
mod input;
mod kind;
mod loaded;
mod map;
mod memory;
mod methods;
mod noticed;
mod picture;
pub mod printable;
mod reason;
pub mod reproduce;
pub mod run;
mod session;
pub mod setting;
mod setup;
mod stop;

pub use analyze::analyze;
pub use certify::certify;
pub use check::check;
pub use choice::{Choice, Files};
pub use code::Code;
pub use compare::compare;
pub use ending::Ending;
pub use explain::{Explained, explain};
pub use failure::{At, ErrorDocument, Failure, Problem};
pub use figures::number;
pub use formulations::{Formulations, formulations};
pub use input::{Input, Source};
pub use kind::{ClaimKind, Class, ConstraintKind, GivenAs, ModelKind, Role};
pub use map::Map;
pub use methods::{Methods, methods};
pub use noticed::SingularPassage;
pub use picture::{Background, Watch};
pub use reason::Reason;
pub use run::run;
pub use session::{Listener, Message, Progress, Session, Status};
pub use setup::AlmostPoisson;
pub use stop::Stop;
