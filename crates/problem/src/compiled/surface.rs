//! The constraint surface that an analysis found, compiled.

use super::{Means, pattern};
use cotangent_compile::{Arithmetic, CompileError, Function};
use cotangent_dynamics::{Failure, Surface, SurfaceShape};
use cotangent_expr::Layout;
use cotangent_scalar::Scalar;
use std::sync::Arc;

pub(super) struct SurfaceFunctions {
    pub(super) shape: SurfaceShape,
    pub(super) constraints: Function,
    pub(super) jacobian: Function,
    pub(super) directions: Function,
}

impl SurfaceFunctions {
    pub(super) fn new(
        surface: &cotangent_theory::ConstraintSurface,
        state: &Layout,
        parameters: &Layout,
        means: &Means,
    ) -> Result<Self, CompileError> {
        let residuals = surface.residuals()?;
        let jacobian = means.compiled(&[state, parameters], &residuals.jacobian_within(state, &means.limits)?)?;
        let directions = means.compiled(&[state, parameters], &surface.directions)?;
        Ok(SurfaceFunctions {
            shape: SurfaceShape { jacobian: pattern(&jacobian)?, directions: pattern(&directions)? },
            constraints: means.compiled(&[state, parameters], &residuals)?,
            jacobian,
            directions,
        })
    }

    pub(super) fn functions(&self) -> [&Function; 3] {
        [&self.constraints, &self.jacobian, &self.directions]
    }
}

pub(super) struct SurfaceView<S: Scalar, A: Arithmetic<S>> {
    pub(super) functions: Arc<SurfaceFunctions>,
    pub(super) arithmetic: A,
    pub(super) parameters: Arc<[S]>,
    /// In the order of the functions.
    pub(super) work: [A::Work; 3],
}

impl<S: Scalar, A: Arithmetic<S>> Surface<S> for SurfaceView<S, A> {
    fn shape(&self) -> &SurfaceShape {
        &self.functions.shape
    }

    fn constraints(&mut self, z: &[S], out: &mut [S]) -> Result<(), Failure> {
        self.arithmetic.call(&self.functions.constraints, &[z, &self.parameters], &mut [out], &mut self.work[0])
    }

    fn jacobian(&mut self, z: &[S], out: &mut [S]) -> Result<(), Failure> {
        self.arithmetic.call(&self.functions.jacobian, &[z, &self.parameters], &mut [out], &mut self.work[1])
    }

    fn directions(&mut self, z: &[S], out: &mut [S]) -> Result<(), Failure> {
        self.arithmetic.call(&self.functions.directions, &[z, &self.parameters], &mut [out], &mut self.work[2])
    }
}
