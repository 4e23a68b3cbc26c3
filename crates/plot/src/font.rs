//! The embedded font and its metrics.
//!
//! A subset of DejaVu Sans (licence beside the file in `assets/`) measures every text, so that
//! the layout is right, and draws the text of PNG files. SVG files name the family first in a
//! list of fallbacks; the fallbacks are not wider, so that nothing overlaps without it.

use skrifa::charmap::Charmap;
use skrifa::instance::{LocationRef, Size};
use skrifa::metrics::GlyphMetrics;
use skrifa::{FontRef, MetadataProvider};
use std::sync::OnceLock;

/// The font file.
pub(crate) static BYTES: &[u8] = include_bytes!("../assets/DejaVuSans-subset.ttf");

/// The family of the embedded font.
pub(crate) const FAMILY: &str = "DejaVu Sans";

/// The `font-family` list written to SVG.
pub(crate) const FAMILIES: &str = "'DejaVu Sans', Verdana, 'Segoe UI', Arial, sans-serif";

/// Height of capital letters and digits, in units of the font size.
pub(crate) const CAP_HEIGHT: f64 = 0.73;

/// Distance between two lines of text, in units of the font size.
pub(crate) const LINE_HEIGHT: f64 = 1.28;

/// What is asked of the font.
struct Face {
    characters: Charmap<'static>,
    widths: GlyphMetrics<'static>,
    units_per_em: f64,
}

fn face() -> Option<&'static Face> {
    static FACE: OnceLock<Option<Face>> = OnceLock::new();
    let read = || {
        let font = FontRef::new(BYTES).ok()?;
        let (size, location) = (Size::unscaled(), LocationRef::default());
        Some(Face {
            characters: font.charmap(),
            widths: font.glyph_metrics(size, location),
            units_per_em: f64::from(font.metrics(size, location).units_per_em),
        })
    };
    FACE.get_or_init(read).as_ref()
}

/// Whether the embedded font can draw the character.
pub fn has_glyph(character: char) -> bool {
    face().is_some_and(|face| face.characters.map(character).is_some())
}

/// Superscripts are set larger by this factor: those of the font are small for tick labels.
pub(crate) const SUPERSCRIPT: f64 = 1.25;

/// Whether the character is a superscript digit or sign.
pub(crate) fn is_superscript(character: char) -> bool {
    matches!(character, '¹' | '²' | '³' | '⁰' | '⁴'..='⁹' | '⁺' | '⁻')
}

/// The width of a text set in the embedded font at the given size, in the unit of the size.
///
/// Superscript digits and signs are set a quarter larger.
/// A character that the font lacks counts as one em.
pub fn text_width(text: &str, size: f64) -> f64 {
    let Some(face) = face() else { return size * text.chars().count() as f64 };
    let advance = |character| {
        let glyph = face.characters.map(character)?;
        let larger = if is_superscript(character) { SUPERSCRIPT } else { 1.0 };
        face.widths.advance_width(glyph).map(|units| larger * f64::from(units) / face.units_per_em)
    };
    text.chars().map(|character| advance(character).unwrap_or(1.0)).sum::<f64>() * size
}
