//! Entries of arrays that move along with the point of a loop.

use crate::program::{Address, Base};
use cotangent_expr::{Atom, Ix};

pub(super) fn array(address: &Address) -> usize {
    match address.base {
        Base::Output(k) | Base::Input(k) => k,
        Base::Work => usize::MAX,
    }
}

/// An entry of an array at a point i: stride · i + offset.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct Entry {
    pub(super) array: usize,
    pub(super) stride: i64,
    pub(super) offset: i64,
}

impl Entry {
    pub(super) fn new(address: &Address) -> Option<Entry> {
        let stride = match address.at.terms() {
            [] => 0,
            [(Atom::Var(0), stride)] => *stride,
            _ => return None,
        };
        Some(Entry { array: array(address), stride, offset: address.at.offset() })
    }

    /// The same after its loop was moved.
    pub(super) fn moved(self, shift: i64) -> Entry {
        Entry { offset: self.offset - self.stride * shift, ..self }
    }

    pub(super) fn at(self, point: i64) -> Entry {
        Entry { stride: 0, offset: self.stride * point + self.offset, ..self }
    }

    /// An entry of an array, wherever that is.
    pub(super) fn anywhere(array: usize, at: Ix) -> Address {
        Address { base: Base::Output(array), at }
    }

    pub(super) fn address(self) -> Address {
        let at = match self.stride {
            0 => Ix::constant(self.offset),
            stride => Ix::var(0).times(stride).shifted(self.offset),
        };
        Entry::anywhere(self.array, at)
    }
}
