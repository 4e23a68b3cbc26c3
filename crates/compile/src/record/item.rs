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
    FixedPoint {
        site: Site,
        unknown: usize,
        next: usize,
        body: Vec<Item>,
        otherwise: Option<Otherwise>,
    },
    Repeat {
        coefficients: Vec<f64>,
        coefficient: usize,
        state: usize,
        next: usize,
        body: Vec<Item>,
    },
    Require {
        kind: Kind,
        residual: usize,
        magnitude: usize,
    },
    /// The rest is for calls of functions.
    Leave,
}

/// Another way to a fixed point.
#[derive(Clone, Debug)]
pub(super) struct Otherwise {
    pub(super) pause: usize,
    pub(super) solution: usize,
    pub(super) body: Vec<Item>,
}

impl Item {
    /// The items inside of it.
    pub(super) fn bodies(&self) -> impl Iterator<Item = &Vec<Item>> {
        let [first, second] = match self {
            Item::Newton { body, .. } | Item::Repeat { body, .. } => [Some(body), None],
            Item::FixedPoint { body, otherwise, .. } => [Some(body), otherwise.as_ref().map(|o| &o.body)],
            Item::Kernel(_) | Item::Require { .. } | Item::Leave => [None, None],
        };
        first.into_iter().chain(second)
    }

    /// The same, to be changed.
    pub(super) fn bodies_mut(&mut self) -> impl Iterator<Item = &mut Vec<Item>> {
        let [first, second] = match self {
            Item::Newton { body, .. } | Item::Repeat { body, .. } => [Some(body), None],
            Item::FixedPoint { body, otherwise, .. } => [Some(body), otherwise.as_mut().map(|o| &mut o.body)],
            Item::Kernel(_) | Item::Require { .. } | Item::Leave => [None, None],
        };
        first.into_iter().chain(second)
    }

    /// The arrays of a region itself, those of its bodies apart: it needs all of each.
    pub(super) fn own_arrays(&self) -> Vec<usize> {
        match self {
            Item::Kernel(_) | Item::Leave => vec![],
            Item::Newton { unknown, terms, residual, jacobian, .. } => {
                [*unknown, *residual, *jacobian].into_iter().chain(*terms).collect()
            }
            Item::FixedPoint { unknown, next, otherwise, .. } => {
                let other = otherwise.iter().flat_map(|o| [o.pause, o.solution]);
                [*unknown, *next].into_iter().chain(other).collect()
            }
            Item::Repeat { coefficient, state, next, .. } => vec![*coefficient, *state, *next],
            Item::Require { residual, magnitude, .. } => vec![*residual, *magnitude],
        }
    }

    /// The arrays that have other values after a region than before.
    pub(super) fn changed(&self) -> Vec<usize> {
        match self {
            Item::Kernel(_) | Item::Require { .. } | Item::Leave => vec![],
            Item::Newton { unknown, .. } => vec![*unknown],
            Item::FixedPoint { unknown, otherwise, .. } => {
                [*unknown].into_iter().chain(otherwise.as_ref().map(|o| o.pause)).collect()
            }
            Item::Repeat { state, .. } => vec![*state],
        }
    }

    /// Its kernels, those inside of it too.
    pub(super) fn kernels(&self) -> Vec<&Kernel> {
        match self {
            Item::Kernel(kernel) => vec![kernel],
            region => region.bodies().flatten().flat_map(Item::kernels).collect(),
        }
    }
}
