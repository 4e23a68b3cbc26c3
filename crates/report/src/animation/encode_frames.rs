//! Frames of an animation as text: 16 bits a coordinate, evenly thinned.

use super::{Animation, Bounds, Space};
use crate::{base64, column};
use serde_json::Value;
use std::f64::consts::TAU;

/// The value of a coordinate that is not shown.
const MISSING: u16 = u16::MAX;

/// Positions farther away than this are not shown.
const FARTHEST: f64 = 1e100;

/// What of an animation is put into the page.
pub(crate) struct Encoded {
    /// Indices of the frames kept.
    pub(crate) frames: Vec<usize>,
    pub(crate) bodies: usize,
    pub(crate) rods: usize,
    pub(crate) vehicles: usize,
    pub(crate) times: Value,
    pub(crate) positions: String,
    pub(crate) headings: String,
    /// The box that the 16 bits divide.
    pub(crate) low: [f64; 3],
    pub(crate) high: [f64; 3],
    /// What the caller wants to be in view.
    pub(crate) view: Option<Bounds>,
    /// Positions kept but not shown.
    pub(crate) missing: usize,
}

fn dimensions(animation: &Animation) -> usize {
    if animation.space == Space::Three { 3 } else { 2 }
}

/// Bytes of the page that a frame of so many bodies takes.
pub(crate) fn frame_length(animation: &Animation, bodies: usize) -> usize {
    base64::length(2 * (bodies * dimensions(animation) + animation.vehicles.len()))
}

/// Encodes what fits into the budget: first fewer frames, then fewer bodies.
pub(crate) fn encode(animation: &Animation, budget: usize) -> Encoded {
    // A rod takes up to 50 bytes, a vehicle 60, the name of a disc 8, a frame is to be at most a
    // twentieth of what is left.
    let rods = animation.rods.len().min(budget / 4 / 50);
    let vehicles = animation.vehicles.len().min(budget / 8 / 60);
    let bodies = animation.bodies().min(budget / 4 / 8).min(budget / 20 * 3 / 4 / (2 * dimensions(animation)));
    let fixed = 50 * rods + 60 * vehicles + 8 * bodies;
    let length = base64::length(2 * (bodies * dimensions(animation) + vehicles)) + 12;
    let most = (budget.saturating_sub(fixed) / length).max(2);
    let frames = spread(animation.frames.len(), most);

    let view = animation.bounds.filter(|b| (0..3).all(|k| b.low[k] < b.high[k] && (b.high[k] - b.low[k]).is_finite()));
    let (low, high) = extent(animation, &frames, bodies, view);
    let mut missing = 0;
    let mut positions = Vec::with_capacity(frames.len() * bodies * 6);
    let mut headings = Vec::new();
    for &f in &frames {
        let frame = &animation.frames[f];
        for place in &frame.positions[..bodies] {
            let codes = (0..dimensions(animation)).map(|k| code(place[k], low[k], high[k]));
            let shown = codes.clone().all(|code| code != MISSING);
            missing += usize::from(!shown);
            positions.extend(codes.flat_map(|code| (if shown { code } else { MISSING }).to_le_bytes()));
        }
        for heading in &frame.headings[..vehicles] {
            headings.extend(angle(*heading).to_le_bytes());
        }
    }
    let times: Vec<f64> = frames.iter().map(|&f| animation.frames[f].time).collect();
    Encoded {
        times: column::encode(&times, false).json,
        positions: base64::encode(&positions),
        headings: base64::encode(&headings),
        frames,
        bodies,
        rods,
        vehicles,
        low,
        high,
        view,
        missing,
    }
}

/// At most `most` indices below `all`, evenly spread, with the first and the last.
fn spread(all: usize, most: usize) -> Vec<usize> {
    if all <= most {
        return (0..all).collect();
    }
    (0..most).map(|k| (k as u128 * (all as u128 - 1) / (most as u128 - 1)) as usize).collect()
}

/// The box of all positions that are kept; with a given view, no farther than ten times it.
fn extent(animation: &Animation, frames: &[usize], bodies: usize, view: Option<Bounds>) -> ([f64; 3], [f64; 3]) {
    let (mut low, mut high) = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);
    for place in frames.iter().flat_map(|&f| &animation.frames[f].positions[..bodies]) {
        if place[..dimensions(animation)].iter().all(|x| x.abs() < FARTHEST) {
            for k in 0..3 {
                low[k] = low[k].min(place[k]);
                high[k] = high[k].max(place[k]);
            }
        }
    }
    for k in 0..3 {
        if let Some(view) = view {
            let size = view.high[k] - view.low[k];
            low[k] = low[k].max(view.low[k] - 10.0 * size);
            high[k] = high[k].min(view.high[k] + 10.0 * size);
        }
        if !(low[k].is_finite() && high[k].is_finite() && low[k] <= high[k]) {
            (low[k], high[k]) = (0.0, 0.0);
        }
    }
    (low, high)
}

fn code(x: f64, low: f64, high: f64) -> u16 {
    if !(low..=high).contains(&x) {
        return MISSING;
    }
    let size = if high > low { high - low } else { 1.0 };
    ((x - low) / size * f64::from(MISSING - 1)).round() as u16
}

/// An angle as a part of a turn.
fn angle(heading: f64) -> u16 {
    if heading.is_finite() { (heading.rem_euclid(TAU) / TAU * f64::from(MISSING - 1)).round() as u16 } else { MISSING }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_are_evenly_spread_from_first_to_last() {
        assert_eq!(spread(5, 10), [0, 1, 2, 3, 4]);
        assert_eq!(spread(101, 5), [0, 25, 50, 75, 100]);
        assert_eq!(spread(0, 2), [0; 0]);
    }

    #[test]
    fn coordinates_use_the_whole_range() {
        assert_eq!((code(-1.0, -1.0, 1.0), code(1.0, -1.0, 1.0), code(0.0, -1.0, 1.0)), (0, 65534, 32767));
        assert_eq!((code(f64::NAN, 0.0, 1.0), code(2.0, 0.0, 1.0), code(3.0, 3.0, 3.0)), (MISSING, MISSING, 0));
        assert_eq!((angle(0.0), angle(f64::INFINITY)), (0, MISSING));
    }
}
