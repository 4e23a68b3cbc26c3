//! The right-hand side, counted and checked.

use cotangent_scalar::Real;

use super::ReferenceError;

/// The right-hand side of z′ = f(z): (state, where the rates go).
pub type Rates<'a, S, E> = dyn FnMut(&[S], &mut [S]) -> Result<(), E> + 'a;

/// Rates with a budget.
pub(super) struct Counted<'a, 'b, S, E> {
    rates: &'a mut Rates<'b, S, E>,
    budget: u64,
    left: u64,
}

/// Why an evaluation gives nothing.
#[derive(Debug)]
pub(super) enum Failed<E> {
    /// The budget is spent.
    Budget { evaluations: u64 },
    /// The rate of a component is not finite.
    NotFinite { index: usize },
    /// The rates themselves failed.
    Rates(E),
}

impl<E> Failed<E> {
    pub(super) fn at(self, time: f64) -> ReferenceError<E> {
        match self {
            Self::Budget { evaluations } => ReferenceError::Budget { evaluations, time },
            Self::NotFinite { index } => ReferenceError::NotFinite { index, time },
            Self::Rates(error) => ReferenceError::Rates { time, error },
        }
    }
}

impl<'a, 'b, S: Real, E> Counted<'a, 'b, S, E> {
    pub(super) fn new(rates: &'a mut Rates<'b, S, E>, budget: u64) -> Self {
        Self { rates, budget, left: budget }
    }

    pub(super) fn evaluations(&self) -> u64 {
        self.budget - self.left
    }

    pub(super) fn evaluate(&mut self, state: &[S], rates: &mut [S]) -> Result<(), Failed<E>> {
        self.left = self.left.checked_sub(1).ok_or(Failed::Budget { evaluations: self.budget })?;
        (self.rates)(state, rates).map_err(Failed::Rates)?;
        match rates.iter().position(|r| !r.is_finite()) {
            Some(index) => Err(Failed::NotFinite { index }),
            None => Ok(()),
        }
    }
}
