//! A scene as an animation.

use super::film::moment;
use super::film::{Film, is_coarse_curve};
use super::scene::Scene;
use crate::figures::short;
use cotangent_report::{Animation, End, Frame, Look, Looks, Space, Vehicle};

/// Seconds that a motion is shown at least, and at most, where its own time would take less or more.
const SHORTEST: f64 = 4.0;
const LONGEST: f64 = 30.0;

/// How much time of the model passes in a second: 1 if the motion then takes neither too long nor too short, or else
/// a round number.
pub(super) fn speed(duration: f64, longest: f64) -> f64 {
    let duration = duration.abs();
    if !(duration.is_normal() && duration < 1e300) || (SHORTEST..=longest).contains(&duration) {
        return 1.0;
    }
    let wanted = if duration > longest { duration / longest } else { duration / SHORTEST };
    let decade = 10f64.powf(wanted.log10().floor());
    let round = [1.0, 2.0, 5.0, 10.0].map(|k| k * decade);
    // Faster if it is long, slower if it is short.
    match duration > longest {
        true => round.into_iter().find(|r| *r >= wanted * (1.0 - 1e-9)).unwrap_or(wanted),
        false => round.into_iter().rev().find(|r| *r <= wanted * (1.0 + 1e-9)).unwrap_or(wanted),
    }
}

/// How fast frames are shown, and what that is in words.
fn rate(frames: &[Frame]) -> (f64, String) {
    let [first, .., last] = frames else { return (30.0, String::new()) };
    let duration = (last.time - first.time).abs();
    let speed = speed(duration, LONGEST);
    let rate = (frames.len() - 1) as f64 * speed / duration;
    let unit = if speed == 1.0 { "time unit" } else { "time units" };
    match rate.is_finite() && rate > 0.0 {
        true => (rate, format!(" Played at {} {unit} a second.", short(speed))),
        false => (30.0, String::new()),
    }
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
    let vehicle = |(k, body): (usize, usize)| {
        let size = size * scene.looks[2].get(k).and_then(|look| look.size).unwrap_or(1.0);
        Vehicle { body, length: 0.06 * size, width: 0.03 * size }
    };
    Some(Animation {
        description: description(film, scene, &frames) + &rate(&frames).1,
        rate: rate(&frames).0,
        rods: scene.rods.iter().map(|&(a, b)| (end(a), end(b))).collect(),
        discs: Some(scene.points.iter().filter_map(|&b| index(b)).collect()),
        vehicles: scene
            .vehicles
            .iter()
            .enumerate()
            .filter_map(|(k, (b, _))| Some((k, index(*b)?)))
            .map(vehicle)
            .collect(),
        trails: scene.trails.iter().filter_map(|&b| index(b)).collect(),
        looks: looks(scene),
        ..Animation::new("Motion", space, frames)
    })
}

fn looks(scene: &Scene) -> Looks {
    let one = |look: &cotangent_model::Look| Look {
        colour: look.colour.map(|colour| colour.name()),
        size: look.size.unwrap_or(1.0),
    };
    let [rods, discs, vehicles, trails] = scene.looks.each_ref().map(|list| list.iter().map(one).collect());
    Looks { rods, discs, vehicles, trails }
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

#[cfg(test)]
mod tests {
    use super::speed;

    #[test]
    fn the_speed_is_a_round_number_that_makes_the_motion_last_some_seconds() {
        for (duration, longest, expected) in [
            (20.0, 30.0, 1.0),
            (100.0, 30.0, 5.0),
            (31.0, 30.0, 2.0),
            (1.0, 30.0, 0.2),
            (1e6, 30.0, 5e4),
            (0.0, 30.0, 1.0),
        ] {
            assert!((speed(duration, longest) / expected - 1.0).abs() < 1e-12, "{duration}");
        }
        for duration in [1e-9, 0.3, 3.9, 44.0, 1234.5, 1e12] {
            let seconds = duration / speed(duration, 10.0);
            assert!((4.0 - 1e-6..=10.0 + 1e-6).contains(&seconds), "{duration}: {seconds}");
        }
        assert_eq!(speed(f64::NAN, 30.0), 1.0);
    }
}
