//! Drawings: how many points and components they have, and what these are.

use super::Elaborator;
use super::scope::{Loops, Purpose};
use super::statements::Labels;
use crate::diagnostic::{Code, Diagnostic, Span};
use crate::drawing::{Drawing, Look};
use crate::syntax::DrawingKind;
use crate::syntax::ast;
use cotangent_expr::{Role, Tensor};

/// The drawings so far.
#[derive(Default)]
pub(super) struct Picture {
    pub(super) drawings: Vec<Drawing>,
    /// How many components every point has, and the first that has them.
    dimension: Option<(usize, Span)>,
}

impl Elaborator<'_> {
    pub(super) fn drawing(&mut self, kind: DrawingKind, d: &ast::Drawing, labels: &mut Labels, picture: &mut Picture) {
        let fresh = self.label(&d.label.name, labels);
        let counted = self.check_points(kind, d);
        let measured = self.check_components(kind, d, picture);
        let loops = self.bind(&d.label.binders, &Loops::default());
        let drawing = self.positions(kind, d, &loops);
        picture.drawings.extend(drawing.filter(|_| fresh && counted && measured));
    }

    fn positions(&mut self, kind: DrawingKind, d: &ast::Drawing, loops: &Loops) -> Option<Drawing> {
        // Every component is looked at, for its own mistakes.
        let mut found = vec![];
        for point in &d.points {
            let parts = point.components.iter().map(|e| Some((self.parts(e, loops, Purpose::Quantity)?, e.span)));
            found.push(parts.collect::<Vec<_>>());
        }
        if loops.broken {
            return None;
        }
        let array = self.labelled(&d.label.name.text, Role::Auxiliary, loops, d.label.span)?;
        let mut points = vec![];
        for point in found {
            let point: Vec<_> = point.into_iter().collect::<Option<_>>()?;
            let components = point.into_iter().map(|(parts, span)| self.vector(&array, parts, loops, span));
            points.push(components.collect::<Option<Vec<Tensor>>>()?);
        }
        let heading = if kind == DrawingKind::Vehicle { points.first_mut()?.pop() } else { None };
        // The parser has seen to it that a size is a number.
        let size = d.size.as_ref().and_then(|size| size.text.parse().ok());
        Some(Drawing { kind, array, points, heading, look: Look { colour: d.colour, size } })
    }

    /// A rod has two points or more, anything else has one.
    fn check_points(&mut self, kind: DrawingKind, d: &ast::Drawing) -> bool {
        let name = &d.label.name.text;
        match (kind, d.points.as_slice()) {
            (DrawingKind::Rod, [point]) => {
                let message = format!("a rod joins two points or more, and `{name}` has one");
                let help = format!(
                    "write `draw rod {name}: (0, 0) -- (x, y)`, or `draw point {name}: (x, y)` for a single point"
                );
                self.error(Diagnostic::new(Code::MalformedDrawing, point.span, message).help(help));
                false
            }
            (DrawingKind::Rod, _) | (_, [_]) => true,
            (_, points) => {
                let spans = points.iter().skip(1).map(|p| p.span).reduce(Span::to).unwrap_or(d.span);
                let message = format!("a {kind} is given by one position, and `{name}` has {}", points.len());
                let d = Diagnostic::new(Code::MalformedDrawing, spans, message).caption("too many");
                self.error(d.help(format!("write `draw rod {name}: …` to join points")));
                false
            }
        }
    }

    /// Every point of a picture has two components, or every one three. A vehicle is in the plane.
    fn check_components(&mut self, kind: DrawingKind, d: &ast::Drawing, picture: &mut Picture) -> bool {
        for point in &d.points {
            let given = point.components.len();
            let is_vehicle = kind == DrawingKind::Vehicle;
            let dimension = match given {
                3 if is_vehicle => 2,
                2 | 3 if !is_vehicle => given,
                _ => {
                    self.wrong_count(kind, point);
                    return false;
                }
            };
            let &mut (first, at) = picture.dimension.get_or_insert((dimension, point.span));
            if first != dimension {
                let message = match is_vehicle {
                    true => {
                        format!("a vehicle moves in the plane, and this picture has points with {first} components")
                    }
                    false => format!("this point has {dimension} components, and the picture has points with {first}"),
                };
                let d = Diagnostic::new(Code::ComponentCount, point.span, message)
                    .label(at, "the first point of the picture");
                self.error(d.help("draw everything in the plane, `(x, y)`, or everything in space, `(x, y, z)`"));
                return false;
            }
        }
        true
    }

    fn wrong_count(&mut self, kind: DrawingKind, point: &ast::Point) {
        let given = point.components.len();
        let (message, help) = match kind {
            DrawingKind::Vehicle => (
                format!("a vehicle has a position in the plane and a heading: 3 values, not {given}"),
                "write `(x, y, theta)`, with the heading as an angle",
            ),
            _ => (
                format!("a point has 2 components in the plane or 3 in space, not {given}"),
                "write `(x, y)` or `(x, y, z)`",
            ),
        };
        self.error(Diagnostic::new(Code::ComponentCount, point.span, message).help(help));
    }
}
