//! Figures one after the other as an animated GIF, which every presentation and browser shows.
//!
//! All frames share one palette of the colours that are frequent in some of them; of each frame only the rectangle that
//! differs from the one before is stored, and in it what stays is transparent. So axes and labels cost nothing.

use crate::error::PlotError;
use crate::figure::Figure;
use crate::raster;
use crate::render::render;
use crate::theme::Theme;
use gif::{DisposalMethod, Encoder, Frame, Repeat};
use std::collections::HashMap;
use std::path::Path;

/// Frames that the palette is taken from.
const LOOKED_AT: usize = 12;
/// Colours of the palette; one more stands for what stays.
const COLOURS: usize = 255;

/// Figures of one size, shown one after the other and again from the start.
#[derive(Clone, Debug, Default)]
pub struct Movie {
    /// The frames.
    pub frames: Vec<Figure>,
    /// How long each is shown, in hundredths of a second; viewers are slow with less than 2.
    pub delay: u16,
}

/// Whether a movie can be written to the path: its name must end in `.gif`.
pub fn check_movie_destination(path: impl AsRef<Path>) -> Result<(), PlotError> {
    let path = path.as_ref();
    match path.extension().and_then(|extension| extension.to_str()) {
        Some(extension) if extension.eq_ignore_ascii_case("gif") => Ok(cotangent_destination::check(path)?),
        _ => Err(PlotError::NotAMovie { path: path.into() }),
    }
}

/// The pixels of a frame.
struct Pixels {
    width: u16,
    height: u16,
    rgb: Vec<[u8; 3]>,
}

fn pixels(figure: &Figure) -> Result<Pixels, PlotError> {
    let theme = if figure.theme == Theme::Dark { Theme::Dark } else { Theme::Light };
    let map = raster::pixels(&render(figure, theme, true), 1.0)?;
    let rgb = map.data().as_chunks::<4>().0.iter().map(|&[r, g, b, _]| [r, g, b]).collect();
    // The rasteriser makes no larger picture.
    Ok(Pixels { width: map.width() as u16, height: map.height() as u16, rgb })
}

/// A palette, and the nearest of its colours to any.
struct Palette {
    colours: Vec<[u8; 3]>,
    known: HashMap<[u8; 3], u8>,
}

impl Palette {
    /// The most frequent colours of some frames.
    fn new(frames: &[Figure], goes_on: &dyn Fn() -> bool) -> Result<Palette, PlotError> {
        let stride = frames.len().div_ceil(LOOKED_AT).max(1);
        let mut counts: HashMap<[u8; 3], u64> = HashMap::new();
        for figure in frames.iter().step_by(stride) {
            if !goes_on() {
                return Err(PlotError::Interrupted);
            }
            for colour in pixels(figure)?.rgb {
                *counts.entry(colour).or_default() += 1;
            }
        }
        let mut colours: Vec<([u8; 3], u64)> = counts.into_iter().collect();
        colours.sort_by_key(|(colour, count)| (u64::MAX - count, *colour));
        let colours: Vec<[u8; 3]> = colours.into_iter().take(COLOURS).map(|(colour, _)| colour).collect();
        let known = colours.iter().enumerate().map(|(k, colour)| (*colour, k as u8)).collect();
        Ok(Palette { colours, known })
    }

    fn index(&mut self, colour: [u8; 3]) -> u8 {
        let apart = |other: &[u8; 3]| -> i32 {
            colour.iter().zip(other).map(|(a, b)| (i32::from(*a) - i32::from(*b)).pow(2)).sum()
        };
        let colours = &self.colours;
        *self.known.entry(colour).or_insert_with(|| {
            let nearest = colours.iter().enumerate().min_by_key(|(_, other)| apart(other));
            nearest.map_or(0, |(k, _)| k as u8)
        })
    }
}

/// The rectangle in which two frames differ: left, top, right and bottom, the last two included.
fn changed(before: &[u8], now: &[u8], width: usize) -> Option<[usize; 4]> {
    let mut found: Option<[usize; 4]> = None;
    for k in (0..now.len()).filter(|k| before[*k] != now[*k]) {
        let (x, y) = (k % width, k / width);
        let [left, top, right, bottom] = found.unwrap_or([x, y, x, y]);
        found = Some([left.min(x), top.min(y), right.max(x), bottom.max(y)]);
    }
    found
}

impl Movie {
    /// The movie as a GIF file. The same figures always give the same bytes.
    pub fn to_gif(&self) -> Result<Vec<u8>, PlotError> {
        self.to_gif_while(&|| true)
    }

    /// The same while it goes on, which is asked before each frame; else [`PlotError::Interrupted`].
    pub fn to_gif_while(&self, goes_on: &dyn Fn() -> bool) -> Result<Vec<u8>, PlotError> {
        let Some(first) = self.frames.first() else { return Err(PlotError::NoFrames) };
        let mut palette = Palette::new(&self.frames, goes_on)?;
        let Pixels { width, height, .. } = pixels(first)?;
        let stays = palette.colours.len() as u8;
        let table: Vec<u8> = palette.colours.iter().copied().chain([[0; 3]]).flatten().collect();
        let mut bytes = Vec::new();
        let mut encoder = Encoder::new(&mut bytes, width, height, &table)?;
        encoder.set_repeat(Repeat::Infinite)?;
        let mut before: Vec<u8> = vec![];
        for figure in &self.frames {
            if !goes_on() {
                return Err(PlotError::Interrupted);
            }
            let found = pixels(figure)?;
            if (found.width, found.height) != (width, height) {
                return Err(PlotError::FrameSize);
            }
            let now: Vec<u8> = found.rgb.into_iter().map(|colour| palette.index(colour)).collect();
            let whole = [0, 0, usize::from(width) - 1, usize::from(height) - 1];
            let fresh = before.is_empty();
            // A frame in which nothing changes is a pixel that stays.
            let [left, top, right, bottom] =
                if fresh { whole } else { changed(&before, &now, usize::from(width)).unwrap_or([0; 4]) };
            let pixel = |x: usize, y: usize| {
                let k = y * usize::from(width) + x;
                if !fresh && before[k] == now[k] { stays } else { now[k] }
            };
            let buffer: Vec<u8> =
                (top..=bottom).flat_map(|y| (left..=right).map(move |x| (x, y))).map(|(x, y)| pixel(x, y)).collect();
            encoder.write_frame(&Frame {
                delay: self.delay,
                dispose: DisposalMethod::Keep,
                transparent: (!fresh).then_some(stays),
                left: left as u16,
                top: top as u16,
                width: (right - left + 1) as u16,
                height: (bottom - top + 1) as u16,
                buffer: buffer.into(),
                ..Frame::default()
            })?;
            before = now;
        }
        drop(encoder);
        Ok(bytes)
    }

    /// Writes the movie to a file whose name ends in `.gif`.
    pub fn write(&self, path: impl AsRef<Path>) -> Result<(), PlotError> {
        self.write_while(path, &|| true)
    }

    /// The same while it goes on, as of [`to_gif_while`](Movie::to_gif_while); nothing is written of a movie that was left.
    pub fn write_while(&self, path: impl AsRef<Path>, goes_on: &dyn Fn() -> bool) -> Result<(), PlotError> {
        let path = path.as_ref();
        check_movie_destination(path)?;
        Ok(cotangent_destination::replace(path, &self.to_gif_while(goes_on)?)?)
    }
}
