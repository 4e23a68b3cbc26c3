//! What can go wrong when a report is made or written.

use cotangent_destination::DestinationError;
use std::path::PathBuf;

/// Why a report could not be made or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReportError {
    /// A series has different numbers of abscissas and ordinates.
    #[error("plot `{plot}`: series `{series}` has {x} values of x and {y} of y; give one y for each x")]
    SeriesLength {
        /// Title of the plot.
        plot: String,
        /// Name of the series.
        series: String,
        /// Number of abscissas.
        x: usize,
        /// Number of ordinates.
        y: usize,
    },
    /// A row of a table has more or fewer cells than the table has columns.
    #[error("table `{table}`: row {row} has {found} cells, but there are {expected} columns")]
    RowLength {
        /// Title of the table.
        table: String,
        /// Index of the row, from 1.
        row: usize,
        /// Number of columns.
        expected: usize,
        /// Number of cells in the row.
        found: usize,
    },
    /// A frame of an animation has another number of positions or headings than the first.
    #[error("animation `{animation}`: frame {frame} has {found} {what}, but {expected} are needed")]
    FrameShape {
        /// Title of the animation.
        animation: String,
        /// Index of the frame, from 1.
        frame: usize,
        /// `positions` or `headings`.
        what: &'static str,
        /// The number that is needed.
        expected: usize,
        /// The number that is there.
        found: usize,
    },
    /// A rod, vehicle or trail names a body that does not exist.
    #[error("animation `{animation}`: body {body} does not exist; there are {bodies}, counted from 0")]
    NoBody {
        /// Title of the animation.
        animation: String,
        /// The missing index.
        body: usize,
        /// Number of bodies.
        bodies: usize,
    },
    /// The frame rate is not a positive number.
    #[error("animation `{animation}`: the frame rate must be a positive number, but is {rate}")]
    FrameRate {
        /// Title of the animation.
        animation: String,
        /// The refused rate.
        rate: f64,
    },
    /// So many sections that even without their contents the file would be too large.
    #[error("a report of {sections} sections does not fit into {limit} bytes; leave some out")]
    TooManySections {
        /// Number of sections.
        sections: usize,
        /// The largest size of the file.
        limit: usize,
    },
    /// The file name does not end in `.html` or `.htm`.
    #[error("cannot write a report to `{}`: the name must end in .html", path.display())]
    UnknownExtension {
        /// The refused destination.
        path: PathBuf,
    },
    /// The file cannot be written there.
    #[error(transparent)]
    Destination(#[from] DestinationError),
}
