//! What can go wrong with a table.

use crate::DestinationError;
use std::io;
use std::path::PathBuf;

/// Why a table could not be written or resumed.
#[derive(Debug, thiserror::Error)]
pub enum TableError {
    /// The file name does not say a known format.
    #[error("cannot write `{path}`: the name of a table ends in `.csv` (text) or `.npz` (NumPy arrays)")]
    Format {
        /// Where the table should go.
        path: PathBuf,
    },
    /// The file cannot be written there.
    #[error(transparent)]
    Destination(#[from] DestinationError),
    /// Another process is writing the same table.
    #[error("cannot write `{path}`: another run is writing it just now (to `{part}`)")]
    Busy {
        /// Where the table should go.
        path: PathBuf,
        /// Where its rows are collected.
        part: PathBuf,
    },
    /// Two columns of one name.
    #[error("a table cannot have two columns named `{name}`")]
    Duplicate {
        /// The name.
        name: String,
    },
    /// A name that does not fit the file formats.
    #[error("the name of the column `{start}…` has {bytes} bytes; at most 65531 are possible")]
    LongName {
        /// How the name begins.
        start: String,
        /// How long it is.
        bytes: usize,
    },
    /// More numbers than a row in memory can have.
    #[error("the rows of the table are too wide for the memory of any machine; record fewer columns")]
    TooWide,
    /// A row of the wrong length.
    #[error("a row has {found} numbers, but the table has {expected} columns")]
    Width {
        /// How many numbers a row of this table has.
        expected: usize,
        /// How many were given.
        found: usize,
    },
    /// The operating system refuses to write, for instance because the disk is full.
    #[error("writing `{path}` failed: {source}")]
    Write {
        /// The file.
        path: PathBuf,
        /// What the operating system says.
        source: io::Error,
    },
    /// Somebody asked to stop while the table was read or completed. All rows are kept.
    #[error("interrupted before `{path}` was read or completed; its rows are kept")]
    Interrupted {
        /// The table.
        path: PathBuf,
    },
    /// There are no partial data to go on from.
    #[error(
        "cannot resume `{path}`: the rows written so far should be in `{part}`, which is not there \
         (a run that ends removes it); start the run anew"
    )]
    NothingToResume {
        /// The table.
        path: PathBuf,
        /// Where its rows should be.
        part: PathBuf,
    },
    /// The partial data are shorter than they were.
    #[error("cannot resume `{path}`: `{part}` has {found} bytes, but {needed} were there at the checkpoint")]
    TooShort {
        /// The table.
        path: PathBuf,
        /// Where its rows are.
        part: PathBuf,
        /// How many bytes there are.
        found: u64,
        /// How many there have to be.
        needed: u64,
    },
    /// The partial data are not those of the checkpoint.
    #[error(
        "cannot resume `{path}`: `{part}` does not hold the rows written before the checkpoint \
         (was it damaged, or written by another run?)"
    )]
    Changed {
        /// The table.
        path: PathBuf,
        /// Where its rows are.
        part: PathBuf,
    },
    /// The table that is to be extended is not there.
    #[error("cannot extend `{path}`: it is not there; start the run anew")]
    Gone {
        /// The table.
        path: PathBuf,
    },
    /// The table that is to be extended is another one.
    #[error("cannot extend `{path}`: it does not hold the rows that the run wrote; start the run anew")]
    NotAsLeft {
        /// The table.
        path: PathBuf,
    },
    /// The columns are not those of the checkpoint.
    #[error("cannot resume `{path}`: its columns were others at the checkpoint; record the same quantities")]
    OtherColumns {
        /// The table.
        path: PathBuf,
    },
}
