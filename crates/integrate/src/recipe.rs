//! What integrates a system: a method, and what is put around it.

use crate::compose::Composition;
use crate::method::Method;
use crate::projection::Projection;
use crate::stage_solver::StageSolver;

/// A method with everything around its steps, from the inside out: whether what rounding cuts off
/// is carried along, a composition, charts, a projection.
///
/// A [`Method`] alone is a recipe, too: `Method::Rattle.into()`.
#[derive(Clone, PartialEq, Debug)]
pub struct Recipe {
    /// The method.
    pub method: Method,
    /// What solves the equations of its stages; `None`: the iteration where they can be iterated, with Newton's method where
    /// it does not converge.
    pub stage_solver: Option<StageSolver>,
    /// Whether sums are compensated: always, but to see what it is worth.
    pub compensated: bool,
    /// Several steps of the method as one of higher order.
    pub composition: Option<Composition>,
    /// The charts to stay in, sets of coordinates by their numbers; empty: chosen on the way.
    pub charts: Vec<Vec<usize>>,
    /// A projection around all this.
    pub projection: Option<Projection>,
}

impl From<Method> for Recipe {
    fn from(method: Method) -> Self {
        Recipe { method, stage_solver: None, compensated: true, composition: None, charts: vec![], projection: None }
    }
}

impl Recipe {
    /// The same with what solves the equations of the stages.
    pub fn solved_by(self, solver: impl Into<Option<StageSolver>>) -> Recipe {
        Recipe { stage_solver: solver.into(), ..self }
    }

    /// The same with a composition around the method.
    pub fn composed(self, composition: impl Into<Option<Composition>>) -> Recipe {
        Recipe { composition: composition.into(), ..self }
    }

    /// The same in these charts alone.
    pub fn in_charts(self, charts: Vec<Vec<usize>>) -> Recipe {
        Recipe { charts, ..self }
    }

    /// The same with a projection around it.
    pub fn projected(self, projection: impl Into<Option<Projection>>) -> Recipe {
        Recipe { projection: projection.into(), ..self }
    }

    /// The same with plain sums.
    pub fn uncompensated(self) -> Recipe {
        Recipe { compensated: false, ..self }
    }
}
