//! The shown interval of an axis, in its coordinate (the value or its decimal logarithm).

use crate::axis::{Axis, Place, Range};

/// An interval of coordinates with `lo < hi`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Span {
    pub(crate) lo: f64,
    pub(crate) hi: f64,
}

/// The smallest and largest coordinate seen so far.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Extent {
    lo: f64,
    hi: f64,
}

impl Default for Extent {
    fn default() -> Self {
        Extent { lo: f64::INFINITY, hi: f64::NEG_INFINITY }
    }
}

impl Extent {
    /// Includes a finite coordinate.
    pub(crate) fn include(&mut self, coordinate: f64) {
        self.lo = self.lo.min(coordinate);
        self.hi = self.hi.max(coordinate);
    }

    /// Includes what another extent includes.
    pub(crate) fn merge(&mut self, other: Extent) {
        self.lo = self.lo.min(other.lo);
        self.hi = self.hi.max(other.hi);
    }

    /// Whether nothing was included.
    pub(crate) fn is_empty(&self) -> bool {
        self.lo > self.hi
    }

    /// Smallest and largest coordinate, if any.
    pub(crate) fn bounds(&self) -> Option<(f64, f64)> {
        (!self.is_empty()).then_some((self.lo, self.hi))
    }
}

/// The smallest width of a linear axis around values of this size: some units in the last place,
/// so that neighbouring ticks are different numbers.
fn resolution(lo: f64, hi: f64) -> f64 {
    (lo.abs().max(hi.abs()) * f64::EPSILON * 40.0).max(1e-304)
}

impl Span {
    /// The width; infinite if it exceeds the largest number.
    pub(crate) fn width(&self) -> f64 {
        self.hi - self.lo
    }

    /// Where the coordinate lies: 0 at the lower end, 1 at the upper.
    pub(crate) fn fraction(&self, coordinate: f64) -> f64 {
        let width = self.width();
        if width.is_finite() && (coordinate - self.lo).is_finite() {
            (coordinate - self.lo) / width
        } else {
            (coordinate * 0.5 - self.lo * 0.5) / (self.hi * 0.5 - self.lo * 0.5)
        }
    }

    /// The span of an axis for data of the given extent; with a remark if its fixed range cannot
    /// be shown. `margin` is the free part on either side.
    pub(crate) fn of(axis: &Axis, extent: Extent, margin: f64) -> (Span, Option<String>) {
        let mut remark = None;
        if let Range::Fixed(from, to) = axis.range {
            match (axis.scale.place(from.min(to)), axis.scale.place(from.max(to))) {
                (Place::At(lo), Place::At(hi)) if lo.min(hi) < lo.max(hi) => {
                    let (lo, hi) = (lo.min(hi), lo.max(hi));
                    let least = if axis.scale.is_log() { 1e-6 } else { resolution(lo, hi) };
                    return (Span { lo, hi }.widened(least), None);
                }
                _ => remark = Some(format!("The range {from} … {to} cannot be shown; all data are shown instead.")),
            }
        }
        (Span::around(extent, axis.scale.is_log(), margin), remark)
    }

    fn around(extent: Extent, log: bool, margin: f64) -> Span {
        let Some((lo, hi)) = extent.bounds() else {
            return if log { Span { lo: -1.0, hi: 1.0 } } else { Span { lo: 0.0, hi: 1.0 } };
        };
        if log {
            let width = hi - lo;
            if width < 1e-9 {
                return Span { lo: lo - 1.0, hi: hi + 1.0 };
            }
            return Span { lo: lo - margin * width, hi: hi + margin * width };
        }
        if lo == hi {
            let half = if lo == 0.0 { 1.0 } else { (lo.abs() * 0.1).max(1e-304) };
            return Span { lo: lo - half, hi: hi + half }.bounded();
        }
        let room = margin * (hi * 0.5 - lo * 0.5) * 2.0;
        let room = if room.is_finite() { room } else { 0.0 };
        Span { lo: lo - room, hi: hi + room }.bounded().widened(resolution(lo, hi))
    }

    /// Extended to round numbers where those are very near, so that 0 … 999.99 ends at 1000.
    pub(crate) fn snapped(self) -> Span {
        let width = self.width();
        let unit = 10_f64.powf(width.log10().floor());
        let (lo, hi) = ((self.lo / unit).floor() * unit, (self.hi / unit).ceil() * unit);
        let near = |a: f64, b: f64| (a - b).abs() < 0.01 * width;
        Span {
            lo: if near(lo, self.lo) { lo.min(self.lo) } else { self.lo },
            hi: if near(hi, self.hi) { hi.max(self.hi) } else { self.hi },
        }
    }

    fn bounded(self) -> Span {
        Span { lo: self.lo.clamp(-f64::MAX, f64::MAX), hi: self.hi.clamp(-f64::MAX, f64::MAX) }
    }

    fn widened(self, least: f64) -> Span {
        if self.width() >= least {
            return self;
        }
        let middle = self.lo * 0.5 + self.hi * 0.5;
        Span { lo: middle - least * 0.5, hi: middle + least * 0.5 }.bounded()
    }

    /// The same middle with `factor` times the width.
    pub(crate) fn stretched(self, factor: f64) -> Span {
        let (middle, half) = (self.lo * 0.5 + self.hi * 0.5, (self.hi * 0.5 - self.lo * 0.5) * factor);
        let wide = Span { lo: middle - half, hi: middle + half }.bounded();
        if wide.hi > wide.lo { wide } else { self }
    }
}
