//! How far a table has come.

use serde::{Deserialize, Serialize};

/// What of a table is safely on the disk: a checkpoint keeps it, a resumed run goes on from it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Mark {
    /// How many rows.
    pub rows: u64,
    /// How many bytes the partial data have.
    pub bytes: u64,
    /// The CRC-32 of these bytes. The partial data of another run have the same name and may have
    /// the same length.
    pub checksum: u32,
    /// The CRC-32 of the names and shapes of the columns.
    pub columns: u32,
}
