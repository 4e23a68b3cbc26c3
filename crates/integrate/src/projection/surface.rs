//! The projection onto constraints χ(z) = 0 that mix all variables, as those that Dirac's analysis finds.
//!
//! ```text
//! z = z̃ + Σₐ xₐ D_a(z̃),   χ(z) = 0
//! ```
//!
//! along the Hamiltonian vector fields D_a = {·, χ_a} of the second-class constraints. They span the
//! symplectic complement of the constraint surface, so that no metric is chosen, which would have to compare
//! positions with momenta; Newton's matrix ∂χ/∂z·D is {χ_a, χ_b} at z̃, invertible because the constraints are
//! second class. Casimirs of the bracket stay what they are, up to the square of the displacement. Where a
//! Casimir is a constraint itself its vector field vanishes, and D is its gradient.
//!
//! For holonomic constraints χ = (φ, ψ) these are the directions of the position and momentum projections,
//! {·, ψ} = (H_pp Gᵀ, −ψ_qᵀ) and {·, φ} = (0, −Gᵀ), but for the force −ψ_qᵀ.

use super::{Projection, count, is_due};
use crate::sparse::Product;
use crate::vector::{advance, clear, moved, times, zeros};
use cotangent_dynamics::{Failure, Kind, Machine, MemoryLayout, Plan, Site, State, Stepper, Surface, SurfaceShape};
use cotangent_scalar::Scalar;
use cotangent_solve::PatternError;
use std::sync::Arc;

/// The method, planned.
#[derive(Clone, Debug)]
pub(crate) struct SurfaceProjection {
    pub(crate) projection: Projection,
    shape: SurfaceShape,
    /// ∂χ/∂z·D.
    brackets: Product,
    site: Site,
}

impl SurfaceProjection {
    pub(crate) fn new(
        shape: &SurfaceShape,
        projection: Projection,
        plan: &mut Plan,
    ) -> Result<Arc<SurfaceProjection>, PatternError> {
        let brackets = Product::new(&shape.jacobian, &shape.directions)?;
        let site = plan.newton(brackets.pattern.clone(), vec![(Kind::Constraint, shape.jacobian.rows())]);
        Ok(Arc::new(SurfaceProjection { projection, shape: shape.clone(), brackets, site }))
    }

    /// The method with the projection after it.
    pub(crate) fn around<'s, S: Scalar + 's>(
        self: &Arc<Self>,
        inner: Box<dyn Stepper<S> + 's>,
        surface: Box<dyn Surface<S> + 's>,
        memory: &MemoryLayout,
    ) -> Box<dyn Stepper<S> + 's> {
        let (n, m) = (self.shape.jacobian.columns(), self.shape.jacobian.rows());
        let state = State::new(zeros(n), inner.memory());
        Box::new(OntoSurface {
            inner,
            memory: memory.clone(),
            surface,
            multipliers: zeros(m),
            residual: zeros(m),
            jacobian: zeros(self.shape.jacobian.len()),
            directions: zeros(self.shape.directions.len()),
            shift: zeros(n),
            end: zeros(n),
            from: state.clone(),
            to: state,
            planned: self.clone(),
        })
    }
}

struct OntoSurface<'s, S> {
    planned: Arc<SurfaceProjection>,
    inner: Box<dyn Stepper<S> + 's>,
    memory: MemoryLayout,
    surface: Box<dyn Surface<S> + 's>,
    multipliers: Vec<S>,
    residual: Vec<S>,
    jacobian: Vec<S>,
    directions: Vec<S>,
    /// The displacement, and where it leads.
    shift: Vec<S>,
    end: Vec<S>,
    from: State<S>,
    to: State<S>,
}

impl<S: Scalar> OntoSurface<'_, S> {
    /// Projects the state that the inner step has reached, if it is due; says whether it was.
    fn project(&mut self, machine: &mut dyn Machine<S>) -> Result<bool, Failure> {
        let OntoSurface { planned, surface, multipliers, residual, jacobian, directions, shift, end, to, .. } = self;
        let State { values, carry, .. } = to;
        surface.constraints(values, residual)?;
        if !is_due(machine, planned.projection.above, residual)? {
            return Ok(false);
        }
        surface.directions(values, directions)?;
        clear(multipliers);
        machine.newton(planned.site, multipliers, &mut |x, r, matrix| {
            times(&planned.shape.directions, directions, x, shift);
            moved((values, carry), shift, end);
            surface.constraints(end, r)?;
            surface.jacobian(end, jacobian)?;
            planned.brackets.evaluate(jacobian, directions, matrix);
            Ok(())
        })?;
        times(&planned.shape.directions, directions, multipliers, shift);
        advance((values, carry), shift);
        Ok(true)
    }
}

impl<S: Scalar> Stepper<S> for OntoSurface<'_, S> {
    fn memory(&self) -> usize {
        self.memory.len()
    }

    fn own_steps(&self) -> Option<&[S]> {
        self.inner.own_steps()
    }

    fn step(&mut self, machine: &mut dyn Machine<S>, h: S, from: &State<S>, to: &mut State<S>) -> Result<(), Failure> {
        let own = self.inner.memory();
        self.from.values.copy_from_slice(&from.values);
        self.from.carry.copy_from_slice(&from.carry);
        self.from.memory.copy_from_slice(&from.memory[..own]);
        self.inner.step(machine, h, &self.from, &mut self.to)?;
        let done = self.project(machine)?;
        to.values.copy_from_slice(&self.to.values);
        to.carry.copy_from_slice(&self.to.carry);
        to.memory[..own].copy_from_slice(&self.to.memory);
        // Positions and momenta are projected together.
        count(&self.memory, [done; 2], &from.memory, &mut to.memory)
    }
}
