//! SVG text to pixels, with the embedded font only.

use crate::error::PlotError;
use crate::font;
use resvg::{tiny_skia, usvg};
use std::sync::{Arc, OnceLock};

/// The largest side of a PNG, in pixels.
const LIMIT: u32 = 16_384;

fn fonts() -> Arc<usvg::fontdb::Database> {
    static FONTS: OnceLock<Arc<usvg::fontdb::Database>> = OnceLock::new();
    let load = || {
        let mut fonts = usvg::fontdb::Database::new();
        fonts.load_font_data(font::BYTES.to_vec());
        fonts.set_sans_serif_family(font::FAMILY);
        Arc::new(fonts)
    };
    Arc::clone(FONTS.get_or_init(load))
}

/// Renders the SVG text at the given scale and encodes it as PNG.
pub(crate) fn png(svg: &str, scale: f64) -> Result<Vec<u8>, PlotError> {
    let pixmap = pixels(svg, scale)?;
    encode(pixmap.data(), pixmap.width(), pixmap.height())
}

/// Renders the SVG text at the given scale, on white.
pub(crate) fn pixels(svg: &str, scale: f64) -> Result<tiny_skia::Pixmap, PlotError> {
    if !(scale.is_finite() && scale > 0.0) {
        return Err(PlotError::Scale { scale });
    }
    let options = usvg::Options { fontdb: fonts(), font_family: font::FAMILY.into(), ..usvg::Options::default() };
    let tree = usvg::Tree::from_str(svg, &options)?;
    let side = |length: f32| (f64::from(length) * scale).round().max(1.0);
    let (width, height) = (side(tree.size().width()), side(tree.size().height()));
    let too_large = PlotError::TooLarge { width: width as u64, height: height as u64, limit: LIMIT };
    if width > f64::from(LIMIT) || height > f64::from(LIMIT) {
        return Err(too_large);
    }
    let Some(mut pixmap) = tiny_skia::Pixmap::new(width as u32, height as u32) else { return Err(too_large) };
    let turn = tiny_skia::Transform::from_scale(
        (width / f64::from(tree.size().width())) as f32,
        (height / f64::from(tree.size().height())) as f32,
    );
    pixmap.fill(tiny_skia::Color::WHITE);
    resvg::render(&tree, turn, &mut pixmap.as_mut());
    Ok(pixmap)
}

/// Encodes opaque pixels.
fn encode(rgba: &[u8], width: u32, height: u32) -> Result<Vec<u8>, PlotError> {
    let rgb: Vec<u8> = rgba.chunks_exact(4).flat_map(|pixel| [pixel[0], pixel[1], pixel[2]]).collect();
    let mut out = Vec::new();
    let mut encoder = png::Encoder::new(&mut out, width, height);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    let mut writer = encoder.write_header()?;
    writer.write_image_data(&rgb)?;
    writer.finish()?;
    Ok(out)
}
