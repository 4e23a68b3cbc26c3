//! Charts of the constraint manifold, compiled.

use cotangent_compile::{Arithmetic, Function};
use cotangent_dynamics::{Chart, Failure};
use cotangent_scalar::Scalar;
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

/// Their parameters are those of the model, then the matrix of the chart, then the reference position.
pub(super) struct ChartFunctions {
    pub(super) coordinates: usize,
    pub(super) threshold: f64,
    /// The numbers that make up a chart.
    pub(super) length: usize,
    pub(super) restriction: Function,
    pub(super) lift: Function,
}

pub(super) struct ChartView<S: Scalar, A: Arithmetic<S>> {
    pub(super) functions: Arc<ChartFunctions>,
    pub(super) arithmetic: A,
    pub(super) parameters: Rc<RefCell<Vec<S>>>,
    /// Where the chart begins among the parameters.
    pub(super) first: usize,
    pub(super) restriction_work: A::Work,
    pub(super) lift_work: A::Work,
}

impl<S: Scalar, A: Arithmetic<S>> Chart<S> for ChartView<S, A> {
    fn coordinates(&self) -> usize {
        self.functions.coordinates
    }

    fn threshold(&self) -> f64 {
        self.functions.threshold
    }

    fn set(&mut self, matrix: &[S], reference: &[S]) {
        let mut parameters = self.parameters.borrow_mut();
        let numbers = matrix.iter().chain(reference);
        parameters[self.first..].iter_mut().zip(numbers).for_each(|(p, &number)| *p = number);
    }

    fn restrict(&mut self, state: &[S], out: &mut [S]) -> Result<(), Failure> {
        let f = &self.functions.restriction;
        self.arithmetic.call(f, &[state, &self.parameters.borrow()], &mut [out], &mut self.restriction_work)
    }

    fn lift(&mut self, local: &[S], out: &mut [S]) -> Result<(), Failure> {
        let f = &self.functions.lift;
        self.arithmetic.call(f, &[local, &self.parameters.borrow()], &mut [out], &mut self.lift_work)
    }
}
