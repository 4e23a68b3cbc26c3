//! What a picture of the motion shows at a state: the drawings of a model as numbers.

use crate::callable::Callable;
use crate::error::underived;
use crate::joined::joined;
use cotangent_compile::{CallError, CompileError, Engine, FunctionBuilder};
use cotangent_expr::Tensor;
use cotangent_model::{DrawingKind, Look};
use cotangent_theory::Motion;

/// Evaluates the drawings of a model.
#[derive(Clone)]
pub struct Picture {
    /// What is drawn, in the order of the model.
    pub shapes: Vec<Shape>,
    /// Two in the plane, three in space.
    pub dimension: usize,
    parameters: Vec<f64>,
    function: Callable,
}

/// One drawing: where its numbers are among those of a picture.
#[derive(Clone, PartialEq, Debug)]
pub struct Shape {
    /// What it is.
    pub kind: DrawingKind,
    /// Its label.
    pub name: String,
    /// How many members the label has.
    pub members: usize,
    /// How many points each member has: one, or two and more for a rod.
    pub points: usize,
    /// Whether each member has a heading, after its points.
    pub heading: bool,
    /// How it looks.
    pub look: Look,
    first: usize,
    dimension: usize,
}

impl Shape {
    /// The coordinates of a point of a member.
    pub fn point<'a>(&self, picture: &'a [f64], member: usize, point: usize) -> impl Iterator<Item = f64> + 'a {
        let (first, members) = (self.first + point * self.dimension * self.members + member, self.members);
        (0..self.dimension).map(move |c| picture[first + c * members])
    }

    /// The heading of a member, as an angle.
    pub fn heading(&self, picture: &[f64], member: usize) -> Option<f64> {
        let first = self.first + self.points * self.dimension * self.members;
        self.heading.then(|| picture[first + member])
    }
}

impl Picture {
    /// Compiles the drawings of a model; `None` if it has none.
    pub fn new(motion: &Motion, parameters: &[f64], engine: Engine) -> Result<Option<Picture>, CompileError> {
        let Some(dimension) = motion.system.picture_dimension() else { return Ok(None) };
        let (mut shapes, mut columns, mut first) = (vec![], vec![], 0);
        for d in &motion.system.drawings {
            let (members, heading) = (d.array.len(), d.heading.is_some());
            let name = d.array.name().to_owned();
            shapes.push(Shape {
                kind: d.kind,
                name,
                members,
                points: d.points.len(),
                heading,
                look: d.look,
                first,
                dimension,
            });
            columns.extend(d.components().cloned());
            first += members * (d.points.len() * dimension + usize::from(heading));
        }
        // Each component is a vector of its own.
        let flat = |(k, t): (usize, &Tensor)| t.flattened(&format!("component {k}"));
        let columns: Vec<Tensor> = columns.iter().enumerate().map(flat).collect::<Result<_, _>>()?;
        let all = joined(columns.iter().filter_map(|t| Some((t.shape().first()?.arrays().first()?, t))))?;
        let builder = FunctionBuilder::new().input(&motion.state).input(&motion.parameters());
        let all = motion.at_state(&all).map_err(underived)?;
        let function = builder.output(&all).engine(engine).within(&motion.limits).compile()?;
        Ok(Some(Picture { shapes, dimension, parameters: parameters.to_vec(), function: function.into() }))
    }

    /// How many numbers a picture has.
    pub fn len(&self) -> usize {
        self.function.f.program().outputs[0]
    }

    /// Which of its numbers are coordinates of points; the others are headings.
    pub fn coordinates(&self) -> impl Iterator<Item = usize> + '_ {
        self.shapes.iter().flat_map(|s| s.first..s.first + s.points * s.dimension * s.members)
    }

    /// Whether nothing is drawn.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The numbers of the picture at a state.
    pub fn draw(&mut self, state: &[f64], out: &mut [f64]) -> Result<(), CallError> {
        self.function.call(&[state, &self.parameters], &mut [out])
    }
}
