//! Colours, dashes and markers that tell series apart, also in greyscale and for
//! colour-blind readers.
//!
//! The hues are those of Okabe and Ito with one wine red of Tol's in the place of yellow, which
//! is too pale on white; on white paper they are darker, with a contrast of three to one or more.
//! They are ordered so that the lightness of the first five differs by ten units of L* or more;
//! dash and marker change with every series as well.

/// The dash pattern of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Dash {
    /// ————
    Solid,
    /// – – –
    Dashed,
    /// ·····
    Dotted,
    /// –·–·
    DashDot,
}

impl Dash {
    /// The `stroke-dasharray` of the pattern; none for a solid line.
    pub(crate) fn array(self) -> Option<&'static str> {
        match self {
            Dash::Solid => None,
            Dash::Dashed => Some("7 3.5"),
            Dash::Dotted => Some("1.8 2.6"),
            Dash::DashDot => Some("8 3 1.8 3"),
        }
    }
}

/// The shape of a marker.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Marker {
    /// ●
    Circle,
    /// ■
    Square,
    /// ▲
    Triangle,
    /// ◆
    Diamond,
    /// ▼
    Wedge,
    /// ✚
    Plus,
    /// ✖
    Cross,
}

/// How a series is drawn; whatever is `None` follows from the index of the series in its panel.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Style {
    /// Index of a colour in the palette.
    pub colour: Option<usize>,
    /// Dash pattern of the line.
    pub dash: Option<Dash>,
    /// Shape of the markers.
    pub marker: Option<Marker>,
    /// Width of the line.
    pub width: Option<f64>,
}

const DASHES: [Dash; 4] = [Dash::Solid, Dash::Dashed, Dash::DashDot, Dash::Dotted];
const MARKERS: [Marker; 7] =
    [Marker::Circle, Marker::Square, Marker::Triangle, Marker::Diamond, Marker::Wedge, Marker::Plus, Marker::Cross];

/// Colours of the series on white paper.
pub const LIGHT_SERIES: [[u8; 3]; 8] = [
    [0x00, 0x5a, 0x92],
    [0xcc, 0x7f, 0x00],
    [0x22, 0x22, 0x22],
    [0x00, 0x80, 0x5c],
    [0x6b, 0x1a, 0x43],
    [0xb8, 0x4f, 0x00],
    [0xb8, 0x60, 0x8f],
    [0x3a, 0x97, 0xcf],
];

/// Colours of the series on dark paper.
pub const DARK_SERIES: [[u8; 3]; 8] = [
    [0x3d, 0x9b, 0xe0],
    [0xf2, 0xb1, 0x34],
    [0xf4, 0xf4, 0xf4],
    [0x0f, 0x8a, 0x68],
    [0xa0, 0x2f, 0x69],
    [0xe8, 0x73, 0x2c],
    [0xe0, 0x97, 0xc1],
    [0x8f, 0xd3, 0xfa],
];

/// A colour that has a name, as it is on white paper and on dark.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Colour(pub(crate) usize);

/// Names with their colours on white and on dark paper, each seen on its paper.
pub(crate) const NAMED: [(&str, [[u8; 3]; 2]); 11] = [
    ("red", [[0xc6, 0x28, 0x28], [0xff, 0x6b, 0x62]]),
    ("orange", [[0xcc, 0x6a, 0x00], [0xf5, 0x9e, 0x42]]),
    ("yellow", [[0x9a, 0x7d, 0x00], [0xf2, 0xd3, 0x4b]]),
    ("green", [[0x1f, 0x7f, 0x3f], [0x4f, 0xc2, 0x78]]),
    ("blue", [[0x0f, 0x5f, 0xc2], [0x5a, 0xa5, 0xf5]]),
    ("purple", [[0x77, 0x36, 0xa8], [0xb9, 0x8a, 0xee]]),
    ("pink", [[0xb8, 0x3a, 0x82], [0xf0, 0x8f, 0xc4]]),
    ("brown", [[0x7a, 0x4a, 0x1f], [0xc4, 0x96, 0x6a]]),
    ("grey", [[0x6b, 0x70, 0x78], [0x9a, 0xa2, 0xac]]),
    ("black", [[0x1f, 0x1f, 0x1f], [0x5c, 0x63, 0x6b]]),
    ("white", [[0xb8, 0xbd, 0xc4], [0xf4, 0xf4, 0xf4]]),
];

impl Colour {
    /// The colour of this name; none if there is no such name.
    pub fn named(name: &str) -> Option<Colour> {
        NAMED.iter().position(|(known, _)| *known == name).map(Colour)
    }
}

/// A style in which nothing is left open.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct FullStyle {
    pub(crate) colour: usize,
    pub(crate) dash: Dash,
    pub(crate) marker: Marker,
    pub(crate) width: f64,
}

impl Style {
    /// A solid line with a marker: one look for one series in every panel, however its curves wind there. Colour and
    /// marker together repeat after 56.
    pub fn constant(index: usize) -> Style {
        Style {
            colour: Some(index % LIGHT_SERIES.len()),
            dash: Some(Dash::Solid),
            marker: Some(MARKERS[index % MARKERS.len()]),
            width: Some(1.4),
        }
    }

    /// The style of the series of the given index: colour and dash together repeat after 32.
    pub(crate) fn resolve(&self, index: usize) -> FullStyle {
        let colours = LIGHT_SERIES.len();
        let width = self.width.filter(|width| width.is_finite() && *width > 0.0).unwrap_or(1.7);
        FullStyle {
            colour: self.colour.unwrap_or(index) % colours,
            dash: self.dash.unwrap_or(DASHES[(index + index / colours) % DASHES.len()]),
            marker: self.marker.unwrap_or(MARKERS[index % MARKERS.len()]),
            width: width.min(20.0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// CIE lightness L* of an sRGB colour.
    fn lightness(colour: [u8; 3]) -> f64 {
        let linear = colour.map(|channel| {
            let value = f64::from(channel) / 255.0;
            if value <= 0.04045 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
        });
        let luminance = 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2];
        if luminance > 0.008856 { 116.0 * luminance.cbrt() - 16.0 } else { 903.3 * luminance }
    }

    #[test]
    fn the_first_five_colours_differ_in_greyscale_and_from_the_paper() {
        for (palette, paper) in [(LIGHT_SERIES, 100.0), (DARK_SERIES, 8.0)] {
            for i in 0..5 {
                for j in 0..i {
                    let difference = (lightness(palette[i]) - lightness(palette[j])).abs();
                    assert!(difference >= 10.0, "{i} and {j} differ by {difference:.1}");
                }
            }
            for colour in palette {
                assert!((lightness(colour) - paper).abs() >= 25.0, "{colour:?}");
            }
        }
    }

    #[test]
    fn every_named_colour_is_seen_on_its_paper_and_no_two_are_alike() {
        for (name, [light, dark]) in NAMED {
            assert!(100.0 - lightness(light) >= 24.0, "{name} on white");
            assert!(lightness(dark) - 8.0 >= 24.0, "{name} on dark");
        }
        for k in 0..2 {
            let apart = |a: [u8; 3], b: [u8; 3]| {
                a.iter().zip(b).map(|(x, y)| (f64::from(*x) - f64::from(y)).powi(2)).sum::<f64>().sqrt()
            };
            for (i, (a, one)) in NAMED.iter().enumerate() {
                for (b, other) in &NAMED[..i] {
                    assert!(apart(one[k], other[k]) > 40.0, "{a} and {b}");
                }
            }
        }
    }

    #[test]
    fn every_colour_is_seen_on_white() {
        let luminance = |colour: [u8; 3]| {
            let l = lightness(colour);
            if l > 8.0 { ((l + 16.0) / 116.0).powi(3) } else { l / 903.3 }
        };
        for colour in LIGHT_SERIES {
            let contrast = 1.05 / (luminance(colour) + 0.05);
            assert!(contrast >= 3.0, "{colour:?}: {contrast:.2}");
        }
    }

    #[test]
    fn colours_of_equal_lightness_differ_in_dash_or_marker() {
        for i in 0..8 {
            for j in 0..i {
                let (a, b) = (Style::default().resolve(i), Style::default().resolve(j));
                let alike = (lightness(LIGHT_SERIES[i]) - lightness(LIGHT_SERIES[j])).abs() < 10.0;
                assert!(!alike || (a.dash != b.dash && a.marker != b.marker), "{i} and {j}");
            }
        }
    }

    #[test]
    fn thirty_two_series_have_different_looks() {
        let mut looks: Vec<_> = (0..32).map(|index| Style::default().resolve(index)).collect();
        looks.sort_by_key(|style| (style.colour, style.dash as u8));
        assert!(looks.windows(2).all(|pair| (pair[0].colour, pair[0].dash) != (pair[1].colour, pair[1].dash)));
    }
}
