//! The motion as a movie for slides.

use super::animation::speed;
use super::film::{Film, is_coarse_curve, moment};
use super::scene::Scene;
use super::snapshots::Stage;
use crate::figures::short;
use cotangent_plot::{Axis, Bodies, Figure, Legend, Movie, Panel, Snapshot};

/// A slide is not looked at for longer.
const LONGEST: f64 = 10.0;
/// Hundredths of a second that a frame is shown.
const DELAY: u16 = 5;
/// Frames in a second.
const RATE: f64 = 100.0 / DELAY as f64;
/// The width of a frame, and the least and the greatest height, in pixels.
const WIDTH: f64 = 480.0;
const HEIGHTS: [f64; 2] = [240.0, 520.0];
/// What axes and labels take of the width and of the height.
const MARGINS: [f64; 2] = [90.0, 100.0];

/// The motion of the bodies; `None` if the model draws none.
pub(crate) fn movie(film: &Film) -> Option<Movie> {
    let (scene, reel) = shown(film)?;
    let stage = Stage::new(scene);
    let coarse = scene.trails.iter().any(|b| is_coarse_curve(&scene.bodies[*b]));
    let end = reel.samples.last().copied().unwrap_or(0);
    let view = View::new((0..=end).flat_map(|sample| stage.points(sample)));
    let digits = (-(reel.speed / RATE).log10()).ceil().clamp(0.0, 12.0) as usize;
    let frame = |&sample: &usize| {
        let trails = if coarse { vec![] } else { stage.trails(sample) };
        let bodies = stage.bodies(vec![Snapshot::new("", stage.points(sample))], trails);
        let title = format!("t = {:.digits$}, {}", film.dense[sample], pace(reel.speed));
        view.figure(stage.labels(), bodies, title)
    };
    Some(Movie { frames: reel.samples.iter().map(frame).collect(), delay: DELAY })
}

/// That a movie ends before the run does.
pub(crate) fn shortened(film: &Film) -> Option<String> {
    let (_, reel) = shown(film)?;
    let [first, last] = [reel.samples.first()?, reel.samples.last()?].map(|sample| film.dense[*sample]);
    let is_shortened = film.is_cut || film.dense.last() != Some(&last);
    let end = film.times.last().filter(|_| is_shortened)?;
    let [first, last, end] = [first, last, *end].map(moment);
    Some(format!(
        "the movie shows t = {first} to {last} of {end}, at {}: more of the motion could not be followed",
        pace(reel.speed)
    ))
}

/// What moves, and the frames of it.
fn shown(film: &Film) -> Option<(&Scene, Reel)> {
    let scene = film.scene.as_ref().filter(|scene| !scene.bodies.is_empty())?;
    Some((scene, Reel::new(&film.dense, &scene.bodies)?))
}

fn pace(speed: f64) -> String {
    let unit = if speed == 1.0 { "time unit" } else { "time units" };
    format!("{} {unit} a second", short(speed))
}

/// The samples that are shown one after the other, and how much time of the model passes in a second.
struct Reel {
    samples: Vec<usize>,
    speed: f64,
}

impl Reel {
    /// As much of the motion as can be followed: from one frame to the next no body goes far, unless it does so from one
    /// sample to the next.
    fn new(times: &[f64], bodies: &[Vec<[f64; 3]>]) -> Option<Reel> {
        let mut end = times.len().checked_sub(1)?;
        // What hardly moves is not followed.
        let largest = bodies.iter().map(|body| extent(body)).fold(0.0, f64::max);
        let bodies: Vec<&Vec<[f64; 3]>> = bodies.iter().filter(|body| extent(body) > 0.02 * largest).collect();
        loop {
            let reel = Reel::until(times, end);
            let is_every = reel.samples.windows(2).all(|w| w[1] - w[0] <= 1);
            let at = |body: &&Vec<[f64; 3]>| reel.samples.iter().map(|s| body[*s]).collect::<Vec<_>>();
            if is_every || !bodies.iter().any(|body| is_coarse_curve(&at(body))) {
                return Some(reel);
            }
            end /= 2;
        }
    }

    /// The samples nearest in time to the frames up to a sample.
    fn until(times: &[f64], end: usize) -> Reel {
        let (first, last) = (times[0], times[end]);
        let speed = speed(last - first, LONGEST);
        let count = ((last - first).abs() / speed * RATE).round().max(1.0) as usize;
        let sample = |frame: usize| {
            let time = first + (last - first) * frame as f64 / count as f64;
            let before = |t: &f64| if last >= first { *t < time } else { *t > time };
            let next = times[..=end].partition_point(before).min(end);
            let previous = next.saturating_sub(1);
            if (times[previous] - time).abs() < (times[next] - time).abs() { previous } else { next }
        };
        Reel { samples: (0..=count).map(sample).collect(), speed }
    }
}

/// How far a body comes.
fn extent(places: &[[f64; 3]]) -> f64 {
    let size = |c: usize| {
        let all = places.iter().map(|p| p[c]).filter(|x| x.is_finite());
        let (low, high) = all.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), x| (l.min(x), h.max(x)));
        if high > low { high - low } else { 0.0 }
    };
    (0..3).map(size).fold(0.0, f64::max)
}

/// The part of the plane that all frames show.
struct View {
    low: [f64; 2],
    high: [f64; 2],
}

impl View {
    fn new(points: impl Iterator<Item = [f64; 2]>) -> View {
        let (mut low, mut high) = ([f64::INFINITY; 2], [f64::NEG_INFINITY; 2]);
        for point in points.filter(|p| p.iter().all(|x| x.is_finite())) {
            for c in 0..2 {
                (low[c], high[c]) = (low[c].min(point[c]), high[c].max(point[c]));
            }
        }
        let extent = (0..2).map(|c| high[c] - low[c]).fold(0.0, f64::max);
        let margin = if extent.is_finite() && extent > 0.0 { 0.06 * extent } else { 1.0 };
        match low.iter().chain(&high).all(|x| x.is_finite()) {
            true => View { low: low.map(|x| x - margin), high: high.map(|x| x + margin) },
            false => View { low: [-1.0; 2], high: [1.0; 2] },
        }
    }

    fn figure(&self, [across, up]: [&str; 2], bodies: Bodies, title: String) -> Figure {
        let ratio = (self.high[1] - self.low[1]) / (self.high[0] - self.low[0]);
        let height = ((WIDTH - MARGINS[0]) * ratio + MARGINS[1]).clamp(HEIGHTS[0], HEIGHTS[1]);
        let mut panel = Panel::bodies(across, up, bodies).with_legend(Legend::None);
        panel.x = Axis::linear(across).from_to(self.low[0], self.high[0]);
        panel.y = Axis::linear(up).from_to(self.low[1], self.high[1]);
        Figure::new(title).with(panel).sized(WIDTH, height.round())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A body that goes round so many times in a unit of time.
    fn round(times: &[f64], turns: f64) -> Vec<Vec<[f64; 3]>> {
        let place =
            |t: &f64| [(t * turns * std::f64::consts::TAU).cos(), (t * turns * std::f64::consts::TAU).sin(), 0.0];
        vec![times.iter().map(place).collect()]
    }

    #[test]
    fn frames_show_the_nearest_samples() {
        let times: Vec<f64> = (0..=10).map(f64::from).collect();
        let reel = Reel::until(&times, 10);
        assert_eq!((reel.speed, reel.samples.len()), (1.0, 201));
        // 20 frames a second: at 0.45 and 0.55.
        assert_eq!([9, 11, 29, 31].map(|k| reel.samples[k]), [0, 1, 1, 2]);
        // Two samples, each for half of the movie.
        let reel = Reel::until(&[0.0, 0.01], 1);
        let later = reel.samples.iter().filter(|s| **s == 1).count();
        assert!(reel.samples.len().abs_diff(2 * later) <= 1, "{later} of {}", reel.samples.len());
        // Backwards in time.
        assert_eq!(Reel::until(&[0.0, -5.0], 1).samples.last(), Some(&1));
    }

    #[test]
    fn a_motion_that_is_too_fast_for_its_frames_is_shown_in_part() {
        let times: Vec<f64> = (0..=4000).map(|k| f64::from(k) * 0.02).collect();
        let slow = Reel::new(&times, &round(&times, 0.1)).unwrap();
        assert_eq!(slow.samples.last(), Some(&4000));
        let fast = Reel::new(&times, &round(&times, 1.0)).unwrap();
        let end = times[*fast.samples.last().unwrap()];
        assert!(end < 80.0, "{end}");
        // At least eight frames in a turn.
        let apart = end / (fast.samples.len() - 1) as f64;
        assert!(apart <= 1.0 / 8.0, "{apart}");
        // Steps that are large themselves are shown one by one, and no fewer of them.
        let few: Vec<f64> = (0..=40).map(|k| f64::from(k) * 0.4).collect();
        assert_eq!(Reel::new(&few, &round(&few, 1.0)).unwrap().samples.last(), Some(&40));
    }
}
