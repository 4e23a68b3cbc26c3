//! Light and dark colours, and the roles that are painted with them.

use crate::palette::{Colour, DARK_SERIES, LIGHT_SERIES, NAMED};

/// The colours of a figure.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Theme {
    /// Dark ink on white paper.
    #[default]
    Light,
    /// Light ink on dark paper.
    Dark,
    /// In SVG, what the viewer prefers (`prefers-color-scheme`); in PNG, light.
    Auto,
}

/// What a stroke or a fill stands for; the theme gives its colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Paint {
    Ink,
    Muted,
    Grid,
    Paper,
    /// The colour of the series of this index (taken modulo the palette).
    Series(usize),
    /// A colour by its name.
    Named(Colour),
    /// A colour that is data, the same in every theme.
    Fixed([u8; 3]),
}

const SERIES: usize = LIGHT_SERIES.len();

impl Paint {
    /// The colour in the light or dark theme.
    pub(crate) fn colour(self, dark: bool) -> [u8; 3] {
        match (self, dark) {
            (Paint::Ink, false) => [0x1f, 0x1f, 0x1f],
            (Paint::Ink, true) => [0xe8, 0xe8, 0xe8],
            (Paint::Muted, false) => [0x55, 0x55, 0x55],
            (Paint::Muted, true) => [0xb4, 0xb4, 0xb4],
            (Paint::Grid, false) => [0xe3, 0xe3, 0xe3],
            (Paint::Grid, true) => [0x3a, 0x3d, 0x42],
            (Paint::Paper, false) => [0xff, 0xff, 0xff],
            (Paint::Paper, true) => [0x16, 0x18, 0x1c],
            (Paint::Series(index), false) => LIGHT_SERIES[index % SERIES],
            (Paint::Series(index), true) => DARK_SERIES[index % SERIES],
            (Paint::Named(Colour(index)), dark) => NAMED[index % NAMED.len()].1[usize::from(dark)],
            (Paint::Fixed(colour), _) => colour,
        }
    }

    /// The name of the role in a style sheet; none for a fixed colour.
    pub(crate) fn role(self) -> Option<String> {
        Some(match self {
            Paint::Ink => "ink".into(),
            Paint::Muted => "muted".into(),
            Paint::Grid => "grid".into(),
            Paint::Paper => "paper".into(),
            Paint::Series(index) => format!("s{}", index % SERIES),
            Paint::Named(Colour(index)) => format!("c{index}"),
            Paint::Fixed(_) => return None,
        })
    }

    fn roles() -> impl Iterator<Item = Paint> {
        let named = (0..NAMED.len()).map(|index| Paint::Named(Colour(index)));
        let own = [Paint::Ink, Paint::Muted, Paint::Grid, Paint::Paper].into_iter();
        own.chain((0..SERIES).map(Paint::Series)).chain(named)
    }
}

/// The colour as `#rrggbb`.
pub(crate) fn hex([r, g, b]: [u8; 3]) -> String {
    format!("#{r:02x}{g:02x}{b:02x}")
}

/// The style sheet that turns a light figure dark where the viewer prefers that.
pub(crate) fn dark_style() -> String {
    let mut css = String::from("@media (prefers-color-scheme: dark){");
    for paint in Paint::roles() {
        if let Some(role) = paint.role() {
            let colour = hex(paint.colour(true));
            css.push_str(&format!(".k-{role}{{stroke:{colour}}}.f-{role}{{fill:{colour}}}"));
        }
    }
    css.push('}');
    css
}
