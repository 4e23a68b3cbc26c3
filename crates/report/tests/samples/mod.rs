//! Reports to look at and to test with; the data are computed here, without the other crates.

// Each test uses some of these.
#![allow(dead_code, unused_imports)]

mod awkward;
mod chain;
mod pendulum;

pub(crate) use awkward::{HOSTILE, awkward, enormous};
pub(crate) use pendulum::sample;
