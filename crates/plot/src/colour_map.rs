//! Colours for values: perceptually uniform, readable in greyscale and for colour-blind readers.

/// A family of colours from low to high values.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ColourMap {
    /// Dark violet over green to yellow.
    #[default]
    Viridis,
    /// Dark blue over grey to yellow; almost the same for all kinds of colour vision.
    Cividis,
}

const VIRIDIS: [[u8; 3]; 17] = [
    [68, 1, 84],
    [72, 24, 106],
    [71, 45, 123],
    [66, 64, 134],
    [59, 82, 139],
    [51, 99, 141],
    [44, 114, 142],
    [38, 130, 142],
    [33, 145, 140],
    [31, 160, 136],
    [40, 174, 128],
    [63, 188, 115],
    [94, 201, 98],
    [132, 212, 75],
    [173, 220, 48],
    [216, 226, 25],
    [253, 231, 37],
];

const CIVIDIS: [[u8; 3]; 9] = [
    [0, 34, 78],
    [31, 51, 110],
    [67, 78, 108],
    [96, 103, 112],
    [124, 123, 120],
    [154, 145, 119],
    [187, 171, 109],
    [221, 199, 90],
    [254, 232, 56],
];

impl ColourMap {
    /// The colour at a fraction from 0 (low) to 1 (high); beyond, that of the nearer end.
    pub fn colour(self, fraction: f64) -> [u8; 3] {
        let table: &[[u8; 3]] = match self {
            ColourMap::Viridis => &VIRIDIS,
            ColourMap::Cividis => &CIVIDIS,
        };
        let last = table.len() - 1;
        let at = if fraction.is_nan() { 0.0 } else { fraction.clamp(0.0, 1.0) } * last as f64;
        let index = (at as usize).min(last - 1);
        let t = at - index as f64;
        let mut colour = [0; 3];
        for channel in 0..3 {
            let (a, b) = (f64::from(table[index][channel]), f64::from(table[index + 1][channel]));
            colour[channel] = (a + t * (b - a)).round() as u8;
        }
        colour
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn brightness_grows_along_the_map() {
        for map in [ColourMap::Viridis, ColourMap::Cividis] {
            let grey = |i: u32| {
                let [r, g, b] = map.colour(f64::from(i) / 40.0).map(f64::from);
                0.2126 * r + 0.7152 * g + 0.0722 * b
            };
            assert!((0..40).all(|i| grey(i) < grey(i + 1)), "{map:?}");
        }
    }
}
