//! Axes as data: label, scale and range.

/// How values become positions along an axis.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Scale {
    /// Position proportional to the value.
    #[default]
    Linear,
    /// Position proportional to the logarithm; zeros and negative values are marked at the
    /// lower edge and counted in a note.
    Log,
    /// Position proportional to the logarithm of the absolute value; zeros are marked at the
    /// lower edge and counted in a note.
    LogAbsolute,
}

/// The values shown along an axis.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Range {
    /// All the data, with a small margin.
    #[default]
    Auto,
    /// From one value to the other, in either order. A range that cannot be shown (not finite,
    /// empty, not positive on a logarithmic axis) is replaced by [`Range::Auto`] and a note.
    Fixed(f64, f64),
}

/// One axis of a panel.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Axis {
    /// What is measured along the axis, with its unit.
    pub label: String,
    /// Linear or logarithmic.
    pub scale: Scale,
    /// Which values are shown.
    pub range: Range,
}

impl Axis {
    /// A linear axis that shows all the data.
    pub fn linear(label: impl Into<String>) -> Self {
        Axis { label: label.into(), ..Axis::default() }
    }

    /// A logarithmic axis that shows all positive data.
    pub fn log(label: impl Into<String>) -> Self {
        Axis { label: label.into(), scale: Scale::Log, ..Axis::default() }
    }

    /// A logarithmic axis of absolute values.
    pub fn log_absolute(label: impl Into<String>) -> Self {
        Axis { label: label.into(), scale: Scale::LogAbsolute, ..Axis::default() }
    }

    /// The same axis with a fixed range.
    pub fn from_to(mut self, from: f64, to: f64) -> Self {
        self.range = Range::Fixed(from, to);
        self
    }
}

impl Scale {
    /// Whether positions are proportional to a logarithm.
    pub fn is_log(self) -> bool {
        self != Scale::Linear
    }
}

/// A value as an axis sees it; `At` holds the coordinate (the value or its decimal logarithm).
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Place {
    At(f64),
    NotANumber,
    Infinite { above: bool },
    Zero,
    Negative,
}

impl Scale {
    /// Where a value belongs.
    pub(crate) fn place(self, value: f64) -> Place {
        if value.is_nan() {
            return Place::NotANumber;
        }
        let value = if self == Scale::LogAbsolute { value.abs() } else { value };
        if value.is_infinite() {
            return Place::Infinite { above: value > 0.0 };
        }
        match self {
            Scale::Linear => Place::At(value),
            _ if value == 0.0 => Place::Zero,
            _ if value < 0.0 => Place::Negative,
            _ => Place::At(value.log10()),
        }
    }

    /// The coordinate of a value, if it has one.
    pub(crate) fn coordinate(self, value: f64) -> Option<f64> {
        match self.place(value) {
            Place::At(coordinate) => Some(coordinate),
            _ => None,
        }
    }
}
