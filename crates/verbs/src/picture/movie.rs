//! The motion as a movie for slides.

use super::animation::speed;
use super::film::{Film, is_coarse_curve};
use super::snapshots::Stage;
use crate::figures::short;
use cotangent_plot::{Axis, Bodies, Figure, Legend, Movie, Panel, Snapshot};

/// A slide is not looked at for longer.
const LONGEST: f64 = 10.0;
/// Hundredths of a second that a frame is shown.
const DELAY: u16 = 5;
/// The width of a frame, and the least and the greatest height, in pixels.
const WIDTH: f64 = 480.0;
const HEIGHTS: [f64; 2] = [240.0, 520.0];
/// What axes and labels take of the width and of the height.
const MARGINS: [f64; 2] = [90.0, 100.0];

/// The motion of the bodies; `None` if the model draws none.
pub(crate) fn movie(film: &Film) -> Option<Movie> {
    let scene = film.scene.as_ref().filter(|scene| !scene.bodies.is_empty())?;
    let (&first, &last) = (film.dense.first()?, film.dense.last()?);
    let stage = Stage::new(scene);
    let speed = speed(last - first, LONGEST);
    let rate = 100.0 / f64::from(DELAY);
    let count = ((last - first).abs() / speed * rate).round().max(1.0) as usize;
    let sample = |frame: usize| {
        let time = first + (last - first) * frame as f64 / count as f64;
        let before = |t: &f64| if last >= first { *t < time } else { *t > time };
        film.dense.partition_point(before).min(film.dense.len() - 1)
    };
    let coarse = scene.trails.iter().any(|b| is_coarse_curve(&scene.bodies[*b]));
    let view = View::new((0..film.dense.len()).flat_map(|sample| stage.points(sample)));
    let digits = (-(speed / rate).log10()).ceil().clamp(0.0, 12.0) as usize;
    let unit = if speed == 1.0 { "time unit" } else { "time units" };
    let frame = |k: usize| {
        let sample = sample(k);
        let trails = if coarse { vec![] } else { stage.trails(sample) };
        let bodies = stage.bodies(vec![Snapshot::new("", stage.points(sample))], trails);
        let title = format!("t = {:.digits$}, {} {unit} a second", film.dense[sample], short(speed));
        view.figure(stage.labels(), bodies, title)
    };
    Some(Movie { frames: (0..=count).map(frame).collect(), delay: DELAY })
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
