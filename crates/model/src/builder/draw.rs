//! Drawings of a [`SystemBuilder`].

use super::{BuildError, QUANTITY, Sum, SystemBuilder};
use crate::drawing::{Drawing, Look};
use crate::system::DrawingKind;
use cotangent_expr::{Array, Role, Tensor};
use std::ops::RangeInclusive;

impl SystemBuilder {
    /// Something that a picture of the motion shows, given by its points: two or more for a rod,
    /// otherwise one. A point has two components in the plane or three in space; the third of a
    /// vehicle is its heading.
    ///
    /// ```
    /// # use cotangent_expr::Expr;
    /// # use cotangent_model::{DrawingKind, SystemBuilder};
    /// # let mut b = SystemBuilder::new("pendulum");
    /// # let (x, y) = (b.coordinate("x"), b.coordinate("y"));
    /// b.draw(DrawingKind::Point, "bob", [[x.q(), y.q()]]);
    /// b.draw(DrawingKind::Rod, "arm", [[Expr::zero(), Expr::zero()], [x.q(), y.q()]]);
    /// ```
    pub fn draw<P>(&mut self, kind: DrawingKind, name: &str, points: impl IntoIterator<Item = P>)
    where
        P: IntoIterator<Item: Into<Sum>>,
    {
        let array = Array::scalar(name, Role::Auxiliary);
        let points = points.into_iter().map(|p| p.into_iter().map(Into::into).collect()).collect();
        self.add_drawing(kind, array, points);
    }

    /// A family of drawings; each component gives its members.
    pub fn draw_family<P>(
        &mut self,
        kind: DrawingKind,
        name: &str,
        range: RangeInclusive<i64>,
        points: impl IntoIterator<Item = P>,
    ) where
        P: IntoIterator<Item = Sum>,
    {
        let array = Array::family(name, Role::Auxiliary, *range.start(), *range.end());
        let points = points.into_iter().map(|p| p.into_iter().collect()).collect();
        self.add_drawing(kind, array, points);
    }

    /// The look of the drawing that was added last.
    pub fn look(&mut self, look: Look) {
        if let Some(last) = self.drawings.last_mut() {
            last.look = look;
        }
    }

    fn add_drawing(&mut self, kind: DrawingKind, array: Array, points: Vec<Vec<Sum>>) {
        let name = array.name().to_string();
        self.label(&name);
        let (is_rod, is_vehicle) = (kind == DrawingKind::Rod, kind == DrawingKind::Vehicle);
        if points.is_empty() || is_rod == (points.len() == 1) {
            return self.fail(BuildError::PointCount { kind, name });
        }
        let mut components = vec![];
        for point in &points {
            let all: Option<Vec<Tensor>> = point.iter().map(|c| self.component(&array, c)).collect();
            let Some(all) = all else { return };
            components.push(all);
        }
        let heading = match components.as_mut_slice() {
            [point] if is_vehicle && point.len() == 3 => point.pop(),
            _ => None,
        };
        let dimension = self.drawings.first().map(Drawing::dimension).or(components.first().map(Vec::len));
        let good = |n: usize| Some(n) == dimension && if is_vehicle { n == 2 } else { n == 2 || n == 3 };
        if is_vehicle != heading.is_some() || !components.iter().all(|p| good(p.len())) {
            return self.fail(BuildError::ComponentCount(name));
        }
        self.drawings.push(Drawing { kind, array, points: components, heading, look: Look::default() });
    }

    fn component(&mut self, array: &Array, value: &Sum) -> Option<Tensor> {
        match array.dims() {
            [] => self.total(array, value),
            _ => self.vector(array, value.clone(), array.name(), &QUANTITY),
        }
    }
}
