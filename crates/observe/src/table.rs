//! Tables of numbers, written row by row while they are computed.
//!
//! Rows go to a hidden file `.NAME.part` beside the table. A [`Mark`] says how much of it is safely
//! on the disk; with it, [`TableWriter::resume`] goes on from there after an interruption, whatever
//! was written behind it. The table itself appears, or replaces an older one, only when it is
//! complete up to a row.
//!
//! ```
//! use cotangent_observe::{Columns, Family, TableWriter};
//! use cotangent_scalar::Cancel;
//! # let folder = tempfile::tempdir()?;
//! # let path = folder.path().join("run.csv");
//! let columns = Columns(vec![Family::scalar("t"), Family::indexed("x", [(1, 2)])]);
//! let mut table = TableWriter::create(&path, columns.clone())?;
//! table.row(&[0.0, 1.0, 0.5])?;
//! let mark = table.mark()?;
//! table.row(&[0.1, 0.9, 0.6])?;
//! drop(table); // the run was killed
//!
//! let mut table = TableWriter::resume(&path, columns, &mark, &Cancel::new())?;
//! table.row(&[0.1, 0.9, 0.6])?;
//! table.finish(&Cancel::new())?;
//! assert_eq!(std::fs::read_to_string(&path)?, "t,x[1],x[2]\n0.0,1.0,0.5\n0.1,0.9,0.6\n");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

// A table is a file.
#![allow(clippy::disallowed_types, clippy::disallowed_methods)]

mod columns;
mod csv;
mod error;
mod mark;
mod npz;
mod partial;
mod place;
mod text;
mod writer;
mod zip;

pub use columns::Columns;
pub use cotangent_dynamics::Family;
pub use error::TableError;
pub use mark::Mark;
pub use text::Text;
pub use writer::TableWriter;
