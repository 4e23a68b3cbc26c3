//! From one state to the next.

use crate::failure::Failure;
use crate::machine::Machine;
use cotangent_scalar::Scalar;

/// Everything that a step starts from: what a checkpoint writes and a failed step leaves alone.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct State<S> {
    /// The variables.
    pub values: Vec<S>,
    /// What rounding has cut off from each of them: the exact sum of all increments is
    /// `values + carry`.
    pub carry: Vec<S>,
    /// What a method remembers besides, in the parts of its [`MemoryLayout`](crate::MemoryLayout).
    pub memory: Vec<S>,
}

/// Values, and what rounding has cut off from each of them.
pub type Carried<'a, S> = (&'a [S], &'a [S]);

/// The same to be filled.
pub type CarriedMut<'a, S> = (&'a mut [S], &'a mut [S]);

impl<S: Scalar> State<S> {
    /// A state with nothing carried or remembered.
    pub fn new(values: Vec<S>, memory: usize) -> State<S> {
        let zero = S::from_f64(0.0);
        State { carry: vec![zero; values.len()], memory: vec![zero; memory], values }
    }

    /// Values with their carry, of the first `at` variables and of the others: positions and momenta.
    pub fn halves(&self, at: usize) -> (Carried<'_, S>, Carried<'_, S>) {
        let ((q, p), (q_carry, p_carry)) = (self.values.split_at(at), self.carry.split_at(at));
        ((q, q_carry), (p, p_carry))
    }

    /// The same to be filled.
    pub fn halves_mut(&mut self, at: usize) -> (CarriedMut<'_, S>, CarriedMut<'_, S>) {
        let ((q, p), (q_carry, p_carry)) = (self.values.split_at_mut(at), self.carry.split_at_mut(at));
        ((q, q_carry), (p, p_carry))
    }

    /// The number of its numbers: values, carry and memory.
    pub fn numbers(&self) -> usize {
        self.values.len() + self.carry.len() + self.memory.len()
    }

    /// Takes its numbers from a list that has as many: values, then carry, then memory.
    pub fn load(&mut self, flat: &[S]) {
        let mut at = 0;
        for part in [&mut self.values, &mut self.carry, &mut self.memory] {
            let end = at + part.len();
            part.copy_from_slice(&flat[at..end]);
            at = end;
        }
    }

    /// Puts them there.
    pub fn store(&self, flat: &mut [S]) {
        let mut at = 0;
        for part in [&self.values, &self.carry, &self.memory] {
            flat[at..at + part.len()].copy_from_slice(part);
            at += part.len();
        }
    }

    /// Takes the numbers of another state; allocates only if the lengths differ.
    pub fn copy_from(&mut self, other: &State<S>) {
        self.values.clone_from(&other.values);
        self.carry.clone_from(&other.carry);
        self.memory.clone_from(&other.memory);
    }
}

/// A method made ready for a system.
pub trait Stepper<S: Scalar> {
    /// How many numbers the method remembers from step to step.
    fn memory(&self) -> usize {
        0
    }

    /// Makes the memory fit a state in other variables, which the next step starts from.
    fn forget(&self, memory: &mut [S]) {
        memory.fill(S::from_f64(0.0));
    }

    /// The values at the ends of the method's own steps in the last step, one after the other and first those that they
    /// start from, where it chooses them itself; they may go beyond it.
    fn own_steps(&self) -> Option<&[S]> {
        None
    }

    /// One step of size `h`; `to` has the lengths of `from` and is filled completely.
    fn step(&mut self, machine: &mut dyn Machine<S>, h: S, from: &State<S>, to: &mut State<S>) -> Result<(), Failure>;
}

/// Compensated summation: x + (carry + increment) rounded, and what the rounding cut off.
///
/// (Kahan; for integrators Hairer, Lubich & Wanner, Geometric Numerical Integration, VIII.5.)
#[inline]
pub fn carried<S: Scalar>(x: S, carry: S, increment: S) -> (S, S) {
    let y = increment + carry;
    let sum = x + y;
    (sum, y - (sum - x))
}
