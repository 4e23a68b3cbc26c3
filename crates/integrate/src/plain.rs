//! A method without compensated summation: what rounding cuts off is lost. For comparison.

use cotangent_dynamics::{Failure, Machine, State, Stepper};
use cotangent_scalar::Scalar;

/// The method with an empty carry before and after each step.
pub(crate) fn around<'s, S: Scalar + 's>(inner: Box<dyn Stepper<S> + 's>) -> Box<dyn Stepper<S> + 's> {
    Box::new(Plain { inner, from: State::new(vec![], 0) })
}

struct Plain<'s, S> {
    inner: Box<dyn Stepper<S> + 's>,
    from: State<S>,
}

impl<S: Scalar> Stepper<S> for Plain<'_, S> {
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
        self.from.copy_from(from);
        self.from.carry.fill(S::from_f64(0.0));
        self.inner.step(machine, h, &self.from, to)?;
        to.carry.fill(S::from_f64(0.0));
        Ok(())
    }
}
