//! From what was asked for to a method on a problem: shared by `run`, `certify` and `compare`.

mod blame;
mod bracket;
mod charts;
mod choice;
mod defaults;
mod fitting;
mod gauge;
mod impossible;
mod named;
mod options;
mod problem;
mod refused;
mod schedule;

pub(crate) use blame::{Blame, Blamed};
pub use bracket::AlmostPoisson;
pub(crate) use bracket::{almost_poisson, examined};
pub(crate) use choice::{Selection, completed, given_once, option, projection, wanted_formulation};
pub(crate) use defaults::defaults;
pub(crate) use fitting::{fits, prepare};
pub(crate) use named::{composition, formulation, method, stage_solver, target};
pub(crate) use options::with_options;
pub(crate) use problem::{Repairs, caution, explained, pose, posed, remark};
pub(crate) use refused::{Refused, refused};
pub(crate) use schedule::schedule;
