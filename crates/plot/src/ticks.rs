//! Ticks at round numbers, with labels that do not overlap.

use crate::axis::Scale;
use crate::digits::{Decimal, labels, power_of_ten};
use crate::font::text_width;
use crate::span::Span;

/// A labelled tick at a coordinate of the axis.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Tick {
    pub(crate) at: f64,
    pub(crate) label: String,
}

/// The ticks of an axis, and what is said once at its end (a factor or an offset).
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Ticks {
    pub(crate) major: Vec<Tick>,
    pub(crate) minor: Vec<f64>,
    pub(crate) note: String,
}

/// The room there is for labels.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Room {
    /// Length of the axis in pixels.
    pub(crate) length: f64,
    /// Font size of the labels.
    pub(crate) size: f64,
    /// Whether the axis, and so the row of labels, is horizontal.
    pub(crate) horizontal: bool,
}

impl Room {
    /// Whether labels at these coordinates keep clear of one another.
    fn holds(&self, span: &Span, ticks: &[Tick]) -> bool {
        ticks.windows(2).all(|pair| {
            let apart = (span.fraction(pair[1].at) - span.fraction(pair[0].at)) * self.length;
            apart >= self.needed(&pair[0].label, &pair[1].label)
        })
    }

    fn needed(&self, a: &str, b: &str) -> f64 {
        if self.horizontal {
            0.5 * (text_width(a, self.size) + text_width(b, self.size)) + 1.2 * self.size
        } else {
            2.2 * self.size
        }
    }

    /// Removes labels that would touch the one before.
    fn thin(&self, span: &Span, ticks: &mut [Tick]) {
        let mut last: Option<(f64, String)> = None;
        for tick in ticks {
            let at = span.fraction(tick.at) * self.length;
            match &last {
                Some((before, label)) if at - before < self.needed(label, &tick.label) - 0.9 * self.size => {
                    tick.label.clear();
                }
                _ => last = Some((at, tick.label.clone())),
            }
        }
    }
}

impl Ticks {
    /// Ticks for an axis of the given scale.
    pub(crate) fn of(scale: Scale, span: &Span, room: Room) -> Ticks {
        let mut ticks = if scale.is_log() { logarithmic(span, room) } else { linear(span, room) };
        room.thin(span, &mut ticks.major);
        ticks
    }

    /// The width of the widest label.
    pub(crate) fn widest(&self, size: f64) -> f64 {
        self.major.iter().map(|tick| text_width(&tick.label, size)).fold(0.0, f64::max)
    }
}

/// The multiples of m·10ᵏ in the span, as integers in units of 10ᵏ.
fn multiples(span: &Span, m: i64, k: i32) -> Vec<i64> {
    let step = Decimal { n: m, k }.value();
    let (first, last) = ((span.lo / step).floor(), (span.hi / step).ceil());
    if !(first.abs() < 1e15 && last.abs() < 1e15 && last - first < 2000.0) {
        return Vec::new();
    }
    let slack = 1e-9 * (span.hi * 0.5 - span.lo * 0.5);
    let inside = |n: &i64| {
        let value = Decimal { n: *n, k }.value();
        value.is_finite() && value >= span.lo - slack && value <= span.hi + slack
    };
    (first as i64..=last as i64).map(|i| i * m).filter(inside).collect()
}

/// The steps 1, 2, 5 times powers of ten, from the power below `least` upwards.
fn steps(least: f64) -> impl Iterator<Item = (i64, i32)> {
    let k = least.log10().floor().clamp(-322.0, 308.0) as i32;
    (k..=k + 4).flat_map(|k| [(1, k), (2, k), (5, k)]).filter(|&(_, k)| k <= 308)
}

fn linear(span: &Span, room: Room) -> Ticks {
    let half = span.hi * 0.5 - span.lo * 0.5;
    let least = (half / (room.length / 60.0).max(1.0)).max(span.lo.abs().max(span.hi.abs()) * 4e-16);
    let mut best = Ticks::default();
    for (m, k) in steps(least) {
        let ns = multiples(span, m, k);
        if ns.len() < 2 && !best.major.is_empty() {
            break;
        }
        let (texts, note) = labels(&ns, k);
        let at = |n: &i64| Decimal { n: *n, k }.value().clamp(span.lo, span.hi);
        let major: Vec<Tick> = ns.iter().zip(texts).map(|(n, label)| Tick { at: at(n), label }).collect();
        let fits = !major.is_empty() && major.len() < 40 && room.holds(span, &major);
        if major.is_empty() {
            continue;
        }
        best = Ticks { minor: between(span, m, k, room), major, note };
        if fits {
            break;
        }
    }
    best
}

/// Minor ticks of a linear axis with major step m·10ᵏ, unless they would be crowded.
fn between(span: &Span, m: i64, k: i32, room: Room) -> Vec<f64> {
    let (minor_m, minor_k) = match m {
        1 => (2, k - 1),
        2 => (5, k - 1),
        _ => (1, k),
    };
    let ns = multiples(span, minor_m, minor_k);
    if ns.len() as f64 * 5.0 > room.length {
        return Vec::new();
    }
    let major = if minor_k == k { m } else { 10 * m };
    let value = |n: i64| Decimal { n, k: minor_k }.value().clamp(span.lo, span.hi);
    ns.into_iter().filter(|n| n % major != 0).map(value).collect()
}

/// Integers in an interval, up to rounding of its ends.
fn integers(lo: f64, hi: f64) -> std::ops::RangeInclusive<i32> {
    (lo - 1e-9).ceil() as i32..=(hi + 1e-9).floor() as i32
}

fn logarithmic(span: &Span, room: Room) -> Ticks {
    let decades = integers(span.lo, span.hi);
    if span.width() < 0.5 && span.lo > -290.0 && span.hi < 290.0 {
        return narrow(span, room);
    }
    if decades.clone().count() < 3 && span.width() < 2.5 && span.lo > -290.0 && span.hi < 290.0 {
        for mantissas in [[1, 2, 5].as_slice(), &[1, 3], &[1]] {
            let ticks = mantissa_ticks(span, mantissas, room);
            if ticks.major.len() >= 2 && room.holds(span, &ticks.major) {
                return ticks;
            }
        }
    }
    if decades.clone().count() < 2 && span.lo > -290.0 && span.hi < 290.0 {
        return narrow(span, room);
    }
    let per_decade = room.length / span.width();
    for stride in [1, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 40, 50, 100, 200, 400] {
        let at = |k: i32| Tick { at: f64::from(k).clamp(span.lo, span.hi), label: power_of_ten(k) };
        let major: Vec<Tick> = decades.clone().filter(|k| k % stride == 0).map(at).collect();
        if room.holds(span, &major) {
            let minor = if stride == 1 && per_decade >= 22.0 {
                mantissa_positions(span, &[2, 3, 4, 5, 6, 7, 8, 9])
            } else if stride > 1 && per_decade >= 3.0 {
                decades.clone().filter(|k| k % stride != 0).map(f64::from).collect()
            } else {
                Vec::new()
            };
            return Ticks { major, minor, note: String::new() };
        }
    }
    Ticks::default()
}

/// Coordinates log₁₀(m·10ᵏ) in the span, ascending.
fn mantissa_positions(span: &Span, mantissas: &[i64]) -> Vec<f64> {
    let powers = span.lo.floor() as i32 - 1..=span.hi.ceil() as i32;
    powers
        .flat_map(|k| mantissas.iter().map(move |&m| f64::from(k) + (m as f64).log10()))
        .filter(|at| *at >= span.lo - 1e-9 && *at <= span.hi + 1e-9)
        .map(|at| at.clamp(span.lo, span.hi))
        .collect()
}

/// Labelled ticks at the given multiples of powers of ten, for an axis of one or two decades.
fn mantissa_ticks(span: &Span, mantissas: &[i64], room: Room) -> Ticks {
    let short = span.lo >= -3.0 && span.hi <= 4.5;
    let label = |m: i64, k: i32| match (short, m) {
        (true, _) => labels(&[m], k).0.concat(),
        (false, 1) => power_of_ten(k),
        (false, m) => format!("{m}×{}", power_of_ten(k)),
    };
    let powers = span.lo.floor() as i32 - 1..=span.hi.ceil() as i32;
    let major: Vec<Tick> = powers
        .flat_map(|k| mantissas.iter().map(move |&m| (m, k)))
        .map(|(m, k)| Tick { at: f64::from(k) + (m as f64).log10(), label: label(m, k) })
        .filter(|tick| tick.at >= span.lo - 1e-9 && tick.at <= span.hi + 1e-9)
        .map(|tick| Tick { at: tick.at.clamp(span.lo, span.hi), ..tick })
        .collect();
    let rest: Vec<i64> = (1..10).filter(|m| !mantissas.contains(m)).collect();
    let minor = if room.length / span.width() >= 60.0 { mantissa_positions(span, &rest) } else { Vec::new() };
    Ticks { major, minor, note: String::new() }
}

/// Ticks at round values on a logarithmic axis of less than half a decade.
fn narrow(span: &Span, room: Room) -> Ticks {
    let values = Span { lo: 10_f64.powf(span.lo), hi: 10_f64.powf(span.hi) };
    let coordinate = |value: f64| value.log10().clamp(span.lo, span.hi);
    let mut ticks = linear(&values, Room { length: 0.7 * room.length, ..room });
    for tick in &mut ticks.major {
        tick.at = coordinate(tick.at);
    }
    ticks.minor = ticks.minor.into_iter().map(coordinate).collect();
    ticks
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const ROOM: Room = Room { length: 400.0, size: 12.0, horizontal: true };

    fn shown(scale: Scale, lo: f64, hi: f64) -> (String, String) {
        let ticks = Ticks::of(scale, &Span { lo, hi }, ROOM);
        let labels: Vec<_> = ticks.major.into_iter().map(|tick| tick.label).collect();
        (labels.join(" "), ticks.note)
    }

    #[test]
    fn ticks_are_where_a_reader_expects_them() {
        assert_eq!(shown(Scale::Linear, 0.0, 10.0).0, "0 1 2 3 4 5 6 7 8 9 10");
        assert_eq!(
            shown(Scale::Linear, 0.0, 1e5),
            ("0.0 0.1 0.2 0.3 0.4 0.5 0.6 0.7 0.8 0.9 1.0".into(), "×10⁵".into())
        );
        assert_eq!(shown(Scale::Log, -6.2, -0.9).0, "10⁻⁶ 10⁻⁵ 10⁻⁴ 10⁻³ 10⁻² 10⁻¹");
        assert_eq!(shown(Scale::Log, -323.3, 308.0).0, "10⁻³⁰⁰ 10⁻²⁰⁰ 10⁻¹⁰⁰ 10⁰ 10¹⁰⁰ 10²⁰⁰ 10³⁰⁰");
        assert_eq!(shown(Scale::Log, 0.1, 1.2).0, "2 5 10");
        assert_eq!(shown(Scale::Log, -16.1, -14.9).0, "10⁻¹⁶ 2×10⁻¹⁶ 5×10⁻¹⁶ 10⁻¹⁵");
    }

    proptest! {
        #[test]
        fn linear_ticks_are_inside_round_and_at_least_two(lo in -1e6..1e6_f64, width in 1e-9..1e6_f64, size in -280..280_i32) {
            let unit = 10_f64.powi(size);
            let span = Span { lo: lo * unit, hi: (lo + width) * unit };
            let ticks = Ticks::of(Scale::Linear, &span, ROOM);
            prop_assert!(ticks.major.len() >= 2, "{span:?} {ticks:?}");
            prop_assert!(ticks.major.iter().all(|tick| tick.at >= span.lo && tick.at <= span.hi));
            prop_assert!(ticks.major.windows(2).all(|pair| pair[0].at < pair[1].at));
            let (first, second) = (ticks.major[0].at, ticks.major[1].at);
            let step = (second - first).log10().rem_euclid(1.0);
            let round = [0.0, 2_f64.log10(), 5_f64.log10(), 1.0];
            let error = 4.0 * f64::EPSILON * first.abs().max(second.abs()) / (second - first);
            prop_assert!(round.iter().any(|good| (good - step).abs() < 1e-6 + error), "{span:?} {ticks:?}");
        }

        #[test]
        fn logarithmic_ticks_are_inside_and_at_least_two(lo in -320.0..300.0_f64, width in 1e-3..8.0_f64, horizontal: bool) {
            let span = Span { lo, hi: lo + width };
            let ticks = Ticks::of(Scale::Log, &span, Room { horizontal, ..ROOM });
            if lo > -289.0 && lo + width < 289.0 {
                prop_assert!(ticks.major.len() >= 2, "{span:?} {ticks:?}");
            }
            prop_assert!(ticks.major.iter().all(|tick| tick.at >= span.lo && tick.at <= span.hi));
        }
    }
}
