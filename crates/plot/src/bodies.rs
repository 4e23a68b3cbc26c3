//! Snapshots of bodies in the plane: points, rods, hulls and trails.

use crate::palette::Colour;

/// How a point of a body is drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Joint {
    /// A mass; the number scales the default radius.
    Mass(f64),
    /// A small joint.
    #[default]
    Hinge,
    /// A fixed support.
    Support,
    /// Nothing.
    Hidden,
}

/// The positions of all points at one time.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Snapshot {
    /// What the legend says (such as "t = 0.5"); empty for no entry.
    pub label: String,
    /// The positions; points that are not finite are left out with their rods.
    pub points: Vec<[f64; 2]>,
}

impl Snapshot {
    /// A labelled snapshot.
    pub fn new(label: impl Into<String>, points: Vec<[f64; 2]>) -> Self {
        Snapshot { label: label.into(), points }
    }
}

/// Several snapshots of the same bodies; earlier ones fade.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Bodies {
    /// The snapshots in the order of time.
    pub snapshots: Vec<Snapshot>,
    /// Pairs of points joined by a rod.
    pub rods: Vec<(usize, usize)>,
    /// Outlines of rigid bodies, filled.
    pub hulls: Vec<Vec<usize>>,
    /// How each point is drawn; those missing are hinges.
    pub joints: Vec<Joint>,
    /// Paths left behind, each through its own points.
    pub trails: Vec<Vec<[f64; 2]>>,
    /// The colours of points, rods, outlines and paths, in their order; those missing are as usual.
    pub colours: Colours,
    /// The widths of rods, 1 being the usual one; those missing are as usual.
    pub widths: Vec<f64>,
    /// The same of paths.
    pub trail_widths: Vec<f64>,
}

/// Colours of bodies.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Colours {
    /// Of points.
    pub points: Vec<Option<Colour>>,
    /// Of rods.
    pub rods: Vec<Option<Colour>>,
    /// Of outlines.
    pub hulls: Vec<Option<Colour>>,
    /// Of paths.
    pub trails: Vec<Option<Colour>>,
}

impl Bodies {
    /// Every position that is shown.
    pub(crate) fn positions(&self) -> impl Iterator<Item = [f64; 2]> + '_ {
        let bodies = self.snapshots.iter().flat_map(|snapshot| snapshot.points.iter().copied());
        bodies.chain(self.trails.iter().flatten().copied())
    }

    /// The opacity of the snapshot of the given index: the last is opaque, the first faint.
    pub(crate) fn opacity(&self, index: usize) -> f64 {
        match self.snapshots.len() {
            0 | 1 => 1.0,
            count => {
                let age = (count - 1 - index.min(count - 1)) as f64 / (count - 1) as f64;
                1.0 - 0.72 * age.powf(0.7)
            }
        }
    }
}
