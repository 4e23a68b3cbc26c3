//! What makes the steps of a run.

use crate::failure::Failure;
use crate::stepper::State;
use cotangent_scalar::Cancel;
use std::ops::Range;

/// Makes steps in `f64`: a method on a system, ready to run.
pub trait Advance {
    /// A state to start from.
    fn state(&self, values: Vec<f64>) -> State<f64>;

    /// Makes `steps` steps of size `h`. On failure the state is that of the last good step; the error says how many
    /// were made.
    fn advance(&mut self, state: &mut State<f64>, h: f64, steps: u64) -> Result<(), (u64, Failure)>;

    /// Makes one step as [`advance`](Advance::advance) does, of whose solutions it takes the one that is reached
    /// continuously while the step grows from nothing to `h` in so many parts (see [`Following`](crate::Following)).
    /// On failure the state is what it was.
    fn follow(&mut self, state: &mut State<f64>, h: f64, parts: u32) -> Result<(), Failure>;

    /// Brings back momenta that the method leaves free, where no position changes by that; whether it did.
    fn settle(&mut self, _state: &mut State<f64>) -> bool {
        false
    }

    /// The states at the ends of the method's own steps in the last step, one after the other, where it chooses them
    /// itself (see [`Stepper::own_steps`](crate::Stepper::own_steps)).
    fn own_steps(&self) -> Option<&[f64]> {
        None
    }

    /// Where the memory of a state has the coordinates of its chart, if there are charts: their numbers, counted
    /// from 1, or 0 before the first step.
    fn chart(&self) -> Option<Range<usize>> {
        None
    }

    /// Updates of Newton's method made so far.
    fn iterations(&self) -> u64;

    /// Iterations to fixed points made so far.
    fn contractions(&self) -> u64 {
        0
    }

    /// Steps that were brought back onto the constraints, by no more than the rounding of their multipliers.
    fn mended(&self) -> u64 {
        0
    }

    /// Steps fail when the token is set, also in the middle of a long one.
    fn cancel_with(&mut self, cancel: &Cancel);
}
