//! The drawings of a model along a run: bodies, rods between them, paths.

use cotangent_model::{DrawingKind, Look};
use cotangent_problem::{Picture, Shape};
use std::collections::HashMap;
use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};

/// Bodies in motion.
pub(crate) struct Scene {
    /// Whether it is in space.
    pub(crate) spatial: bool,
    /// Where each body is, at every sample.
    pub(crate) bodies: Vec<Vec<[f64; 3]>>,
    /// Pairs of bodies.
    pub(crate) rods: Vec<(usize, usize)>,
    /// Bodies drawn as points.
    pub(crate) points: Vec<usize>,
    /// Bodies drawn as vehicles, with their headings.
    pub(crate) vehicles: Vec<(usize, Vec<f64>)>,
    /// Bodies that leave a path.
    pub(crate) trails: Vec<usize>,
    /// How the rods, points, vehicles and paths look, in their order.
    pub(crate) looks: [Vec<Look>; 4],
    /// What is not shown.
    pub(crate) remarks: Vec<String>,
}

/// Members of one drawing that are shown; of more, every second, third, ….
const MEMBERS: usize = 400;

/// Paths that are shown.
const TRAILS: usize = 40;

impl Scene {
    /// From the numbers of the picture at each of so many samples.
    pub(super) fn new<'a>(picture: &Picture, samples: usize, numbers: impl Fn(usize) -> &'a [f64]) -> Scene {
        let mut cast = Cast { samples, numbers, bodies: vec![], known: HashMap::new() };
        let mut scene = Scene {
            spatial: picture.dimension > 2,
            bodies: vec![],
            rods: vec![],
            points: vec![],
            vehicles: vec![],
            trails: vec![],
            looks: [vec![], vec![], vec![], vec![]],
            remarks: vec![],
        };
        for shape in &picture.shapes {
            let most = if shape.kind == DrawingKind::Trail { TRAILS } else { MEMBERS };
            let stride = shape.members.div_ceil(most).max(1);
            if stride > 1 {
                let (name, all) = (&shape.name, shape.members);
                scene.remarks.push(format!("{name}: one of {stride} shown, {all} in all"));
            }
            // The last of each group, so that points are where the rods of a path end.
            let members = (stride - 1..shape.members).step_by(stride);
            match shape.kind {
                DrawingKind::Rod if stride > 1 && cast.is_path(shape) => {
                    // A path drawn from equally spaced joints alone keeps its course.
                    let joints = (0..shape.members).step_by(stride).chain([shape.members]);
                    let joint = |k: usize| if k == 0 { (0, 0) } else { (k - 1, shape.points - 1) };
                    let bodies: Vec<usize> = joints.map(|k| cast.body(shape, joint(k).0, joint(k).1)).collect();
                    scene.rods.extend(bodies.windows(2).map(|w| (w[0], w[1])));
                }
                DrawingKind::Rod => members.for_each(|m| {
                    let bodies: Vec<usize> = (0..shape.points).map(|p| cast.body(shape, m, p)).collect();
                    scene.rods.extend(bodies.windows(2).map(|w| (w[0], w[1])));
                }),
                DrawingKind::Point => scene.points.extend(members.map(|m| cast.body(shape, m, 0))),
                DrawingKind::Trail => scene.trails.extend(members.map(|m| cast.body(shape, m, 0))),
                DrawingKind::Vehicle => {
                    scene.vehicles.extend(members.map(|m| (cast.body(shape, m, 0), cast.headings(shape, m))));
                }
            }
            let counts = [scene.rods.len(), scene.points.len(), scene.vehicles.len(), scene.trails.len()];
            scene.looks.iter_mut().zip(counts).for_each(|(looks, count)| looks.resize(count, shape.look));
        }
        scene.bodies = cast.bodies;
        if scene.looks.iter().flatten().all(|look| *look == Look::default()) {
            scene.looks = Default::default();
        }
        scene
    }

    /// How many samples there are.
    pub(super) fn samples(&self) -> usize {
        self.bodies.first().map_or(0, Vec::len)
    }

    /// The largest distance along an axis that is finite.
    pub(super) fn extent(&self) -> f64 {
        let sizes = (0..3).map(|c| {
            let all = self.bodies.iter().flatten().map(|p| p[c]).filter(|x| x.is_finite());
            let (low, high) = all.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), x| (l.min(x), h.max(x)));
            if high > low { high - low } else { 0.0 }
        });
        sizes.fold(0.0, f64::max)
    }

    /// Whether a body is where it was at the start, at every sample.
    pub(super) fn is_fixed(&self, body: usize) -> bool {
        let places = &self.bodies[body];
        places.iter().all(|p| Some(p) == places.first())
    }
}

/// Collects bodies; those that are always at the same place are one.
struct Cast<F> {
    samples: usize,
    numbers: F,
    bodies: Vec<Vec<[f64; 3]>>,
    known: HashMap<u64, Vec<usize>>,
}

impl<'a, F: Fn(usize) -> &'a [f64]> Cast<F> {
    fn place(&self, shape: &Shape, sample: usize, member: usize, point: usize) -> [f64; 3] {
        let mut place = [0.0; 3];
        for (c, x) in shape.point((self.numbers)(sample), member, point).enumerate().take(3) {
            place[c] = x;
        }
        place
    }

    fn body(&mut self, shape: &Shape, member: usize, point: usize) -> usize {
        let places: Vec<[f64; 3]> = (0..self.samples).map(|s| self.place(shape, s, member, point)).collect();
        let bits = |p: &[f64; 3]| p.map(f64::to_bits);
        let mut hasher = DefaultHasher::new();
        places.iter().for_each(|p| bits(p).hash(&mut hasher));
        let alike = self.known.entry(hasher.finish()).or_default();
        let same = |k: &usize| self.bodies[*k].iter().zip(&places).all(|(a, b)| bits(a) == bits(b));
        if let Some(known) = alike.iter().copied().find(same) {
            return known;
        }
        alike.push(self.bodies.len());
        self.bodies.push(places);
        self.bodies.len() - 1
    }

    fn headings(&self, shape: &Shape, member: usize) -> Vec<f64> {
        (0..self.samples).map(|s| shape.heading((self.numbers)(s), member).unwrap_or(f64::NAN)).collect()
    }

    /// Whether each rod of a family begins where the one before it ends.
    fn is_path(&self, shape: &Shape) -> bool {
        let ends = [0, self.samples.saturating_sub(1)];
        let joined = |s: usize, m: usize| {
            let (end, next) = (self.place(shape, s, m, shape.points - 1), self.place(shape, s, m + 1, 0));
            end.map(f64::to_bits) == next.map(f64::to_bits)
        };
        shape.points == 2 && self.samples > 0 && (0..shape.members - 1).all(|m| ends.iter().all(|&s| joined(s, m)))
    }
}
