//! What a picture of the motion shows.

use crate::syntax::{Colour, DrawingKind};
use cotangent_expr::{Array, Tensor};

/// A drawing or a family of them: positions that a picture shows as a point, a rod, a vehicle or a
/// trail.
#[derive(Clone, Debug)]
pub struct Drawing {
    /// What is drawn.
    pub kind: DrawingKind,
    /// Its name, as an array over the members.
    pub array: Array,
    /// The positions, one after the other: two or more for a rod, otherwise one. Each has two
    /// components in the plane, three in space; each component is a vector over the members.
    pub points: Vec<Vec<Tensor>>,
    /// The direction a vehicle heads to, as an angle from the first axis; a vector over the members.
    pub heading: Option<Tensor>,
    /// How it looks.
    pub look: Look,
}

/// How a drawing looks; what is not said is as usual.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Look {
    /// Its colour.
    pub colour: Option<Colour>,
    /// Its size, or the width of its line, 1 being the usual one.
    pub size: Option<f64>,
}

impl Drawing {
    /// 2 in the plane, 3 in space.
    pub fn dimension(&self) -> usize {
        self.points.first().map_or(0, Vec::len)
    }

    /// All that is evaluated for it: the components of the points in their order, then the heading.
    pub fn components(&self) -> impl Iterator<Item = &Tensor> {
        self.points.iter().flatten().chain(&self.heading)
    }

    /// The same drawing with every component through a map, such as a change of variables.
    pub fn map<E>(&self, mut f: impl FnMut(&Tensor) -> Result<Tensor, E>) -> Result<Drawing, E> {
        let mut points = Vec::with_capacity(self.points.len());
        for point in &self.points {
            points.push(point.iter().map(&mut f).collect::<Result<_, E>>()?);
        }
        let heading = self.heading.as_ref().map(f).transpose()?;
        Ok(Drawing { kind: self.kind, array: self.array.clone(), points, heading, look: self.look })
    }
}
