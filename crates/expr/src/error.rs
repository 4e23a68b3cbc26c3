//! What can go wrong with expressions.

use crate::expr::Poison;
use cotangent_scalar::Interrupted;

/// Why a derivative, expansion or substitution could not be formed.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
pub enum Error {
    /// An expression could not be built.
    #[error("{0}")]
    Poisoned(#[from] Poison),
    /// More work or memory than the limit allows.
    #[error("{what} needs more than {limit} {unit}; the model is too large for this operation")]
    TooLarge {
        /// The operation.
        what: &'static str,
        /// The limit.
        limit: u64,
        /// What was counted.
        unit: &'static str,
    },
    /// Somebody wanted it to stop.
    #[error(transparent)]
    Interrupted(#[from] Interrupted),
    /// A tensor's places do not fit its shape.
    #[error("a term addresses `{array}`, which is not part of slot {slot} of the tensor")]
    Misplaced {
        /// The array addressed.
        array: String,
        /// The slot, from 0.
        slot: usize,
    },
    /// An array that is not part of the vector in which its place is asked for.
    #[error("`{array}` is not part of the vector in which its place is asked for")]
    Foreign {
        /// The array.
        array: String,
    },
    /// An index leaves its array for some point of the domain.
    #[error("the index of `{array}` reaches {index:?}, outside its range")]
    OutOfRange {
        /// The array addressed.
        array: String,
        /// A multi-index outside.
        index: Vec<i64>,
    },
    /// A loop variable that the domain does not bind, or that is bound after its use.
    #[error("an index refers to a loop variable that is not bound there")]
    Unbound,
    /// A bound or index that leaves its integer table for some point of the domain.
    #[error("a range or index reads outside an integer table, or overflows")]
    Undefined,
    /// A tensor of another rank was expected.
    #[error("{what} needs a tensor of rank {expected}, not {found}")]
    Rank {
        /// The operation.
        what: &'static str,
        /// The rank it needs.
        expected: usize,
        /// The rank it was given.
        found: usize,
    },
}

/// How many points, nodes or terms one operation may produce before it gives up with an error.
pub const MAX_POINTS: u64 = 50_000_000;

/// How many expression nodes one derivative may visit.
pub const MAX_NODES: u64 = 20_000_000;
