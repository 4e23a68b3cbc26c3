//! What can go wrong when a figure is written.

use cotangent_destination::DestinationError;
use std::path::PathBuf;

/// Why a figure could not be rendered or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PlotError {
    /// The file name ends in neither `.svg` nor `.png`.
    #[error("cannot write a figure to `{}`: the name must end in .svg or .png", path.display())]
    UnknownExtension {
        /// The refused destination.
        path: PathBuf,
    },
    /// The file cannot be written there.
    #[error(transparent)]
    Destination(#[from] DestinationError),
    /// The scale of a PNG is not a positive number.
    #[error("the scale of a PNG must be a positive number, but is {scale}")]
    Scale {
        /// The refused scale.
        scale: f64,
    },
    /// The PNG would have too many pixels.
    #[error("a PNG of {width} × {height} pixels is too large (at most {limit} pixels a side); use a smaller scale")]
    TooLarge {
        /// Requested width in pixels.
        width: u64,
        /// Requested height in pixels.
        height: u64,
        /// The largest side allowed.
        limit: u32,
    },
    /// The SVG text could not be rasterised.
    #[error("the figure could not be rasterised: {0}")]
    Raster(#[from] resvg::usvg::Error),
    /// The file name does not end in `.gif`.
    #[error("cannot write a movie to `{}`: the name must end in .gif", path.display())]
    NotAMovie {
        /// The refused destination.
        path: PathBuf,
    },
    /// Somebody asked to stop.
    #[error("interrupted before the movie was made")]
    Interrupted,
    /// A movie without a picture.
    #[error("a movie needs at least one frame")]
    NoFrames,
    /// Frames of several sizes.
    #[error("the frames of a movie have one size")]
    FrameSize,
    /// The pixels could not be encoded as GIF.
    #[error("the pixels could not be encoded as GIF: {0}")]
    Gif(#[from] gif::EncodingError),
    /// The pixels could not be encoded as PNG.
    #[error("the pixels could not be encoded as PNG: {0}")]
    Encode(#[from] png::EncodingError),
}
