//! The bodies of a scene at a few times, in one panel of a figure.

use super::film::{Film, is_coarse_curve, is_slender, moment};
use super::scene::Scene;
use cotangent_model::Look;
use cotangent_plot::{Aspect, Bodies, Colour, Colours, Joint, Panel, Snapshot};

/// How a scene in space is looked at: from the right of the first axis and a little from above.
const AZIMUTH: f64 = -0.9;
const ELEVATION: f64 = 0.35;

/// Snapshots of bodies with rods.
const SNAPSHOTS: usize = 5;

/// What stands still in all pictures of a scene: how everything looks.
pub(super) struct Stage<'a> {
    scene: &'a Scene,
    joints: Vec<Joint>,
    hulls: Vec<Vec<usize>>,
    outline: [[f64; 2]; 5],
    colours: Colours,
    widths: Vec<f64>,
    trail_widths: Vec<f64>,
    /// How large each vehicle is, 1 being the usual size.
    sizes: Vec<f64>,
}

impl Stage<'_> {
    pub(super) fn new(scene: &Scene) -> Stage<'_> {
        // Discs of many bodies would hide the rods between them.
        let size = (12.0 / (scene.points.len().max(1) as f64).sqrt()).clamp(0.25, 1.0);
        let rod_ends: Vec<usize> = scene.rods.iter().flat_map(|&(a, b)| [a, b]).collect();
        let mut joints = vec![Joint::Hidden; scene.bodies.len()];
        for &body in &rod_ends {
            joints[body] = if scene.is_fixed(body) { Joint::Support } else { Joint::Hinge };
        }
        let [rod_looks, point_looks, vehicle_looks, trail_looks] = &scene.looks;
        let colour = |look: &Look| look.colour.and_then(|colour| Colour::named(colour.name()));
        let all = |looks: &[Look]| looks.iter().map(colour).collect::<Vec<_>>();
        let sizes = |looks: &[Look]| looks.iter().map(|look| look.size.unwrap_or(1.0)).collect::<Vec<f64>>();
        let is_plain = scene.looks.iter().all(Vec::is_empty);
        let mut points = vec![None; if is_plain { 0 } else { scene.bodies.len() }];
        // Joints have the colour of a rod that ends there.
        for (&(a, b), look) in scene.rods.iter().zip(rod_looks) {
            [a, b].into_iter().for_each(|body| points[body] = points[body].or(colour(look)));
        }
        for (k, &body) in scene.points.iter().enumerate() {
            let look = point_looks.get(k).copied().unwrap_or_default();
            joints[body] = Joint::Mass(size * look.size.unwrap_or(1.0));
            if let Some(place) = points.get_mut(body) {
                *place = colour(&look);
            }
        }
        let outline = outline(0.06 * scene.extent());
        let corners = scene.bodies.len();
        let hull = |v: usize| (0..outline.len()).map(|c| corners + v * outline.len() + c).collect();
        joints.resize(corners + scene.vehicles.len() * outline.len(), Joint::Hidden);
        Stage {
            scene,
            joints,
            hulls: (0..scene.vehicles.len()).map(hull).collect(),
            outline,
            colours: Colours { points, rods: all(rod_looks), hulls: all(vehicle_looks), trails: all(trail_looks) },
            widths: sizes(rod_looks),
            trail_widths: sizes(trail_looks),
            sizes: sizes(vehicle_looks),
        }
    }

    /// The places of all points at a sample.
    pub(super) fn points(&self, sample: usize) -> Vec<[f64; 2]> {
        let scene = self.scene;
        let mut points: Vec<[f64; 2]> = scene.bodies.iter().map(|b| seen(scene, b[sample])).collect();
        for (k, (body, headings)) in scene.vehicles.iter().enumerate() {
            let ([x, y, _], (sin, cos)) = (scene.bodies[*body][sample], headings[sample].sin_cos());
            let size = self.sizes.get(k).copied().unwrap_or(1.0);
            let corner = |[a, b]: [f64; 2]| [x + size * (a * cos - b * sin), y + size * (a * sin + b * cos)];
            points.extend(self.outline.map(corner));
        }
        points
    }

    /// The paths up to a sample.
    pub(super) fn trails(&self, last: usize) -> Vec<Vec<[f64; 2]>> {
        let path = |b: &usize| self.scene.bodies[*b][..=last].iter().map(|&p| seen(self.scene, p)).collect();
        self.scene.trails.iter().map(path).collect()
    }

    /// Bodies at some times, with paths.
    pub(super) fn bodies(&self, snapshots: Vec<Snapshot>, trails: Vec<Vec<[f64; 2]>>) -> Bodies {
        Bodies {
            snapshots,
            rods: self.scene.rods.clone(),
            hulls: self.hulls.clone(),
            joints: self.joints.clone(),
            trails,
            colours: self.colours.clone(),
            widths: self.widths.clone(),
            trail_widths: self.trail_widths.clone(),
        }
    }

    /// What the axes are called.
    pub(super) fn labels(&self) -> [&'static str; 2] {
        match self.scene.spatial {
            true => ["across, seen from 52° left and 20° above", "up"],
            false => ["horizontal", "vertical"],
        }
    }
}

/// Snapshots that fade, with paths.
pub(super) fn panel(film: &Film, scene: &Scene) -> Panel {
    let times = &film.dense;
    let window = window(scene);
    let stage = Stage::new(scene);
    let mut remarks = vec![];
    let coarse = scene.trails.iter().any(|b| is_coarse_curve(&scene.bodies[*b][..=window]));
    let trails = if coarse { vec![] } else { stage.trails(window) };
    if coarse {
        remarks.push("samples too far apart for paths");
    }
    let snapshot = |&sample: &usize| Snapshot::new(format!("t = {}", moment(times[sample])), stage.points(sample));
    let snapshots: Vec<Snapshot> = chosen(scene, window).iter().map(snapshot).collect();
    // Rods and vehicles have a shape, which only equal units show.
    let slender = scene.rods.is_empty() && scene.vehicles.is_empty() && is_long(&snapshots, &trails);
    if slender {
        remarks.push("axes not to scale");
    }
    let [across, up] = stage.labels();
    let mut panel = Panel::bodies(across, up, stage.bodies(snapshots, trails));
    if slender {
        panel.aspect = Aspect::Free;
    }
    let part = if window + 1 < times.len() || film.is_cut {
        format!(" until t = {}", moment(times[window]))
    } else {
        String::new()
    };
    let remarks: String = remarks.iter().map(|r| format!(" ({r})")).collect();
    panel.titled(format!("Snapshots{part}{remarks}"))
}

/// The last sample that is shown. Bodies with rods are shown until one of them has come about as
/// far as the picture is large, so that snapshots do not cover each other; others to the end.
fn window(scene: &Scene) -> usize {
    let last = scene.samples().saturating_sub(1);
    if scene.rods.is_empty() && scene.vehicles.is_empty() {
        return last;
    }
    let enough = 1.2 * scene.extent();
    let mut gone = vec![0.0; scene.bodies.len()];
    for sample in 1..=last {
        for (body, gone) in scene.bodies.iter().zip(&mut gone) {
            let step = distance(body[sample - 1], body[sample]);
            *gone += if step.is_finite() { step } else { 0.0 };
        }
        if gone.iter().any(|g| *g >= enough) {
            return sample;
        }
    }
    last
}

/// The samples of the snapshots, the body that moves most going equally far between them.
fn chosen(scene: &Scene, window: usize) -> Vec<usize> {
    let travelled = |body: &Vec<[f64; 3]>| {
        let mut sum = 0.0;
        let mut all = vec![0.0];
        for w in body[..=window].windows(2) {
            let step = distance(w[0], w[1]);
            sum += if step.is_finite() { step } else { 0.0 };
            all.push(sum);
        }
        all
    };
    if window == 0 {
        return if scene.samples() > 0 { vec![0] } else { vec![] };
    }
    let free = scene.rods.is_empty() && scene.vehicles.is_empty();
    let most = scene.bodies.iter().map(travelled).max_by(|a, b| a[window].total_cmp(&b[window]));
    let Some(travelled) = most.filter(|t| t[window] > 0.0 && !free) else {
        // The first and the last that show something.
        let is_seen = |sample: &usize| scene.bodies.iter().any(|b| b[*sample].iter().all(|c| c.is_finite()));
        let (first, last) = ((0..=window).find(is_seen), (0..=window).rfind(is_seen));
        return [first.unwrap_or(0), last.unwrap_or(window)].into();
    };
    let at = |k: usize| {
        let goal = travelled[window] * k as f64 / (SNAPSHOTS - 1) as f64;
        travelled.partition_point(|t| *t < goal).min(window)
    };
    let mut list: Vec<usize> = (0..SNAPSHOTS).map(at).collect();
    list.dedup();
    list
}

fn distance(a: [f64; 3], b: [f64; 3]) -> f64 {
    (0..3).map(|c| (a[c] - b[c]).powi(2)).sum::<f64>().sqrt()
}

/// A place as it is seen: in the plane as it is, in space from a fixed direction.
fn seen(scene: &Scene, [x, y, z]: [f64; 3]) -> [f64; 2] {
    if !scene.spatial {
        return [x, y];
    }
    let ((sa, ca), (se, ce)) = (AZIMUTH.sin_cos(), ELEVATION.sin_cos());
    let (across, depth) = (-sa * x + ca * y, -ca * x - sa * y);
    [across, ce * z + se * depth]
}

/// A vehicle of a length, its nose ahead.
fn outline(length: f64) -> [[f64; 2]; 5] {
    [[-0.5, -0.25], [0.25, -0.25], [0.5, 0.0], [0.25, 0.25], [-0.5, 0.25]].map(|[a, b]| [a * length, b * length])
}

fn is_long(snapshots: &[Snapshot], trails: &[Vec<[f64; 2]>]) -> bool {
    let all = || snapshots.iter().flat_map(|s| &s.points).chain(trails.iter().flatten());
    let [x, y] = [0, 1].map(|c| all().map(|p| p[c]).collect::<Vec<f64>>());
    is_slender(&x, &y)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_and_the_last_places_that_are_known_are_shown() {
        let (nowhere, at) = ([f64::NAN; 3], |x: f64| [x, 0.0, 0.0]);
        let scene = Scene {
            spatial: false,
            bodies: vec![vec![nowhere, at(1.0), at(2.0), at(3.0), nowhere]],
            rods: vec![],
            points: vec![0],
            vehicles: vec![],
            trails: vec![],
            looks: Default::default(),
            remarks: vec![],
        };
        assert_eq!(chosen(&scene, 4), [1, 3]);
        let all = Scene { bodies: vec![(0..5).map(|k| at(f64::from(k))).collect()], ..scene };
        assert_eq!(chosen(&all, 4), [0, 4]);
    }
}
