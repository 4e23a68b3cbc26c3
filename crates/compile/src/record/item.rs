//! What a step with loops does, before its memory is laid out.

use crate::program::Kernel;
use cotangent_dynamics::{Kind, Site};

/// What a step does, in order. Arrays are the bases of addresses: array k is `Base::Output(k)`.
#[derive(Clone, Debug)]
pub(super) enum Item {
    Kernel(Kernel),
    Newton {
        site: Site,
        unknown: usize,
        /// The sizes of the terms of its equations, where they are known.
        terms: Option<usize>,
        residual: usize,
        jacobian: usize,
        body: Vec<Item>,
    },
    Require {
        kind: Kind,
        residual: usize,
        magnitude: usize,
    },
}
