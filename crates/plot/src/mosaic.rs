//! Heat maps as shapes: rectangles for small matrices, pixels for large ones.

use crate::axis::Place;
use crate::frame::Frame;
use crate::heat::{HeatMap, blocks};
use crate::shape::Shape;
use crate::sketch::Bar;
use std::collections::BTreeMap;

/// Matrices with no more cells than this are drawn as rectangles.
const RECTANGLES: usize = 4000;
/// Number of colours; one more stands for blank cells.
const COLOURS: u8 = 255;

/// The number of the colour of a value; none for a cell that is left blank.
fn shade(value: f64, bar: &Bar) -> Option<u8> {
    let fraction = match bar.scale.place(value) {
        Place::At(at) => bar.span.fraction(at).clamp(0.0, 1.0),
        Place::NotANumber => return None,
        Place::Infinite { above: true } => 1.0,
        Place::Infinite { above: false } | Place::Zero | Place::Negative => 0.0,
    };
    Some((fraction * f64::from(COLOURS - 1)).round() as u8)
}

fn colour(map: &HeatMap, shade: u8) -> [u8; 3] {
    map.map.colour(f64::from(shade) / f64::from(COLOURS - 1))
}

/// The colours of all cells.
fn cells(map: &HeatMap, bar: &Bar) -> Vec<Option<u8>> {
    map.values.iter().map(|value| shade(*value, bar)).collect()
}

/// The colour that as many cells are above as below.
fn median(shades: &[Option<u8>]) -> u8 {
    let mut known: Vec<u8> = shades.iter().copied().flatten().collect();
    known.sort_unstable();
    known.get(known.len() / 2).copied().unwrap_or(0)
}

/// The cells of one of so many blocks, which differ by one cell at most.
fn part(block: usize, blocks: usize, cells: usize) -> std::ops::Range<usize> {
    block * cells / blocks..(block + 1) * cells / blocks
}

/// The shapes of a matrix without fault; without `pixels_allowed`, always rectangles.
pub(crate) fn shapes(map: &HeatMap, frame: &Frame, bar: &Bar, pixels_allowed: bool) -> Vec<Shape> {
    let (across, up) = blocks(map);
    let (columns, rows) = (map.columns.div_ceil(across), map.rows.div_ceil(up));
    let all = cells(map, bar);
    let middle = median(&all);
    let shades: Vec<Option<u8>> = (0..rows)
        .flat_map(|j| (0..columns).map(move |i| (i, j)))
        .map(|(i, j)| {
            let block = part(j, rows, map.rows).flat_map(|row| {
                part(i, columns, map.columns).filter_map({
                    let all = &all;
                    move |column| *all.get(row * map.columns + column)?
                })
            });
            block.max_by_key(|shade| (shade.abs_diff(middle), *shade))
        })
        .collect();
    if columns * rows <= RECTANGLES || !pixels_allowed {
        return rectangles(map, frame, &shades, columns, rows);
    }
    match pixels(map, &shades, columns, rows) {
        Ok(png) => {
            let corners = [[frame.across(map.x.0), frame.up(map.y.1)], [frame.across(map.x.1), frame.up(map.y.0)]];
            let [a, b] = corners;
            let corners = [[a[0].min(b[0]), a[1].min(b[1])], [a[0].max(b[0]), a[1].max(b[1])]];
            vec![Shape::Pixels { corners, png }]
        }
        Err(_) => rectangles(map, frame, &shades, columns, rows),
    }
}

fn rectangles(map: &HeatMap, frame: &Frame, shades: &[Option<u8>], columns: usize, rows: usize) -> Vec<Shape> {
    let edge = |(from, to): (f64, f64), i: usize, count: usize, cells: usize| {
        from + (to - from) * (i * cells / count) as f64 / cells as f64
    };
    let mut by_shade: BTreeMap<u8, Vec<_>> = BTreeMap::new();
    for (j, row) in shades.chunks(columns.max(1)).enumerate() {
        let (low, high) = (frame.up(edge(map.y, j, rows, map.rows)), frame.up(edge(map.y, j + 1, rows, map.rows)));
        let mut i = 0;
        for run in row.chunk_by(|a, b| a == b) {
            let at = |i: usize| frame.across(edge(map.x, i, columns, map.columns));
            let (left, right) = (at(i), at(i + run.len()));
            i += run.len();
            if let Some(shade) = run[0] {
                let clamp_x = |x: f64| x.clamp(frame.rect.x, frame.rect.right());
                let clamp_y = |y: f64| y.clamp(frame.rect.y, frame.rect.bottom());
                let cell = [[clamp_x(left), clamp_y(high)], [clamp_x(right), clamp_y(low)]];
                by_shade.entry(shade).or_default().push(cell);
            }
        }
    }
    by_shade.into_iter().map(|(shade, cells)| Shape::Cells { cells, colour: colour(map, shade) }).collect()
}

/// The cells as a PNG with a palette, the highest row first; blank cells are transparent.
fn pixels(map: &HeatMap, shades: &[Option<u8>], columns: usize, rows: usize) -> Result<Vec<u8>, png::EncodingError> {
    let flip_x = map.x.0 > map.x.1;
    let flip_y = map.y.0 > map.y.1;
    let mut data = Vec::with_capacity(columns * rows);
    for j in 0..rows {
        let row = if flip_y { j } else { rows - 1 - j };
        for i in 0..columns {
            let column = if flip_x { columns - 1 - i } else { i };
            data.push(shades.get(row * columns + column).copied().flatten().unwrap_or(COLOURS));
        }
    }
    let mut palette: Vec<u8> = (0..COLOURS).flat_map(|shade| colour(map, shade)).collect();
    palette.extend([255, 255, 255]);
    let mut opacity = vec![255; usize::from(COLOURS)];
    opacity.push(0);
    let mut out = Vec::new();
    let mut encoder = png::Encoder::new(&mut out, columns as u32, rows as u32);
    encoder.set_color(png::ColorType::Indexed);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_palette(palette);
    encoder.set_trns(opacity);
    let mut writer = encoder.write_header()?;
    writer.write_image_data(&data)?;
    writer.finish()?;
    Ok(out)
}
