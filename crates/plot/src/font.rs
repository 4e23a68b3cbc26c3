//! The embedded font and its metrics.
//!
//! A subset of DejaVu Sans (licence beside the file in `assets/`) measures every text, so that
//! the layout is right, and draws the text of PNG files. SVG files name the family first in a
//! list of fallbacks; the fallbacks are not wider, so that nothing overlaps without it.

use std::sync::OnceLock;
use ttf_parser::Face;

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

fn face() -> Option<&'static Face<'static>> {
    static FACE: OnceLock<Option<Face<'static>>> = OnceLock::new();
    FACE.get_or_init(|| Face::parse(BYTES, 0).ok()).as_ref()
}

/// Whether the embedded font can draw the character.
pub fn has_glyph(character: char) -> bool {
    face().is_some_and(|face| face.glyph_index(character).is_some())
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
    let em = f64::from(face.units_per_em());
    let advance = |character| {
        let glyph = face.glyph_index(character)?;
        let larger = if is_superscript(character) { SUPERSCRIPT } else { 1.0 };
        face.glyph_hor_advance(glyph).map(|units| larger * f64::from(units) / em)
    };
    text.chars().map(|character| advance(character).unwrap_or(1.0)).sum::<f64>() * size
}
