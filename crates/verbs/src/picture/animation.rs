//! A scene as an animation.

use super::film::moment;
use super::film::{Film, is_coarse_curve};
use super::scene::Scene;
use crate::figures::short;
use cotangent_report::{Animation, End, Frame, Space, Vehicle};

/// Frames a second: long films are shown faster, so that they take well under a minute.
fn rate(frames: usize) -> f64 {
    (frames as f64 / 40.0).clamp(if frames < 100 { 10.0 } else { 30.0 }, 60.0)
}

/// The motion of the bodies, if the model draws any.
pub(super) fn animation(film: &Film) -> Option<Animation> {
    let scene = film.scene.as_ref().filter(|s| !s.bodies.is_empty())?;
    // Bodies that never move are places; those that are drawn as points stay bodies.
    let drawn = |body: usize| {
        scene.points.contains(&body) || scene.trails.contains(&body) || scene.vehicles.iter().any(|v| v.0 == body)
    };
    let fixed: Vec<bool> = (0..scene.bodies.len()).map(|b| scene.is_fixed(b) && !drawn(b)).collect();
    let moving: Vec<usize> = (0..scene.bodies.len()).filter(|b| !fixed[*b]).collect();
    let index = |body: usize| moving.binary_search(&body).ok();
    let end = |body: usize| match index(body) {
        Some(k) => End::Body(k),
        None => End::Fixed(scene.bodies[body].first().copied().unwrap_or_default()),
    };
    let frame = |(sample, &time): (usize, &f64)| Frame {
        time,
        positions: moving.iter().map(|&b| scene.bodies[b][sample]).collect(),
        headings: scene.vehicles.iter().map(|(_, headings)| headings[sample]).collect(),
    };
    let numbers = moving.len() * if scene.spatial { 3 } else { 2 } + scene.vehicles.len() + 4;
    // Of a motion that is cut anyway so much that no frame need be left out: with every second one
    // it could look like another.
    let most = if film.is_cut { (ROOM / numbers).max(2) } else { usize::MAX };
    let frames: Vec<Frame> = film.dense.iter().take(most).enumerate().map(frame).collect();
    let space = if scene.spatial { Space::Three } else { Space::Plane };
    let size = scene.extent();
    let vehicle = |body: usize| Vehicle { body, length: 0.06 * size, width: 0.03 * size };
    Some(Animation {
        description: description(film, scene, &frames),
        rate: rate(frames.len()),
        rods: scene.rods.iter().map(|&(a, b)| (end(a), end(b))).collect(),
        discs: Some(scene.points.iter().filter_map(|&b| index(b)).collect()),
        vehicles: scene.vehicles.iter().filter_map(|(b, _)| index(*b)).map(vehicle).collect(),
        trails: scene.trails.iter().filter_map(|&b| index(b)).collect(),
        ..Animation::new("Motion", space, frames)
    })
}

/// Numbers of an animation that a report has room for.
const ROOM: usize = 100_000;

fn description(film: &Film, scene: &Scene, frames: &[Frame]) -> String {
    let mut text = "What the model draws, at the samples of the history.".to_owned();
    if let ([first, .., last], true) = (frames, film.is_cut) {
        let (from, to) = (moment(first.time), moment(last.time));
        text += &format!(" It is shown from t = {from} to {to}: samples of more would be too few to follow it.");
    }
    if let [first, .., last] = frames {
        let apart = (last.time - first.time).abs() / (frames.len() - 1) as f64;
        text += &format!(" Two samples are {} apart in time.", short(apart));
    }
    if scene.bodies.iter().any(|b| is_coarse_curve(b)) {
        text += " That is long compared with the motion: what happens between two frames is not seen.";
    }
    scene.remarks.iter().for_each(|r| text += &format!(" {r}."));
    text
}
