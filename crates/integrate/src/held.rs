//! A step that is one only if the constraints hold at its end.

use cotangent_dynamics::{Canonical, Failure, Kind, Machine, State, Stepper};
use cotangent_scalar::Scalar;

/// The method, whose steps fail where they do not end on φ(q) = 0, whatever its own iterations think of that.
///
/// An iteration measures its residual by how much its unknowns can change it, and for multipliers that is as much
/// as a mass is light: ∂φ/∂λ ~ h²/m. What counts for a constraint is the size of its own terms.
pub(crate) fn around<'s, S: Scalar + 's>(
    inner: Box<dyn Stepper<S> + 's>,
    manifold: Box<dyn Canonical<S> + 's>,
) -> Box<dyn Stepper<S> + 's> {
    let zeros = vec![S::from_f64(0.0); manifold.shape().constraints];
    Box::new(Held { inner, manifold, residual: zeros.clone(), magnitude: zeros })
}

struct Held<'s, S> {
    inner: Box<dyn Stepper<S> + 's>,
    manifold: Box<dyn Canonical<S> + 's>,
    residual: Vec<S>,
    magnitude: Vec<S>,
}

impl<S: Scalar> Stepper<S> for Held<'_, S> {
    fn memory(&self) -> usize {
        self.inner.memory()
    }

    fn forget(&self, memory: &mut [S]) {
        self.inner.forget(memory);
    }

    fn own_steps(&self) -> Option<&[S]> {
        self.inner.own_steps()
    }

    fn step(&mut self, machine: &mut dyn Machine<S>, h: S, from: &State<S>, to: &mut State<S>) -> Result<(), Failure> {
        self.inner.step(machine, h, from, to)?;
        let q = &to.values[..self.manifold.shape().coordinates];
        self.manifold.constraints(q, &mut self.residual)?;
        self.manifold.constraint_magnitudes(q, &mut self.magnitude)?;
        machine.require(Kind::Constraint, &self.residual, &self.magnitude)
    }
}
