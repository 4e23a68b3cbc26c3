//! Compositions of the Störmer–Verlet method for a separable energy H = T(p) + V(q) without constraints.
//!
//! The last kick of a stage and the first of the next are at the same positions, and are made at once: a stage takes one
//! evaluation of the forces,
//!
//! ```text
//! q ← q + γₖ h H_p(p),   p ← p − (γₖ + γₖ₊₁) h/2 H_q(q)
//! ```
//!
//! after a first kick by γ₁ h/2, with γ_{s+1} = 0.
//!
//! What rounding cuts off is summed up beside q and p, and joins them at the end of the step: no stage waits for it.

use crate::vector::{accumulate, scaled, settle, zeros};
use cotangent_dynamics::{Canonical, Failure, Machine, State, Stepper};
use cotangent_scalar::Scalar;

/// Stages with the coefficients γ₁ … γ_s.
pub(crate) fn composed<'s, S: Scalar + 's>(
    coefficients: Vec<S>,
    system: Box<dyn Canonical<S> + 's>,
) -> Box<dyn Stepper<S> + 's> {
    let n = system.shape().coordinates;
    let next = coefficients.iter().skip(1).copied().chain([S::from_f64(0.0)]).collect();
    let first = coefficients.first().copied().unwrap_or_else(|| S::from_f64(0.0));
    let moves = Moves { system, rate: zeros(n), increment: zeros(n) };
    Box::new(Leapfrog { first, next, numbers: zeros(4 * n + 1), moves })
}

struct Leapfrog<'s, S> {
    /// γ₁.
    first: S,
    /// γ₂ … γ_s, 0.
    next: Vec<S>,
    /// q and p, what rounding has cut off from both, and γ of the stage to come.
    numbers: Vec<S>,
    moves: Moves<'s, S>,
}

struct Moves<'s, S> {
    system: Box<dyn Canonical<S> + 's>,
    rate: Vec<S>,
    increment: Vec<S>,
}

impl<S: Scalar> Moves<'_, S> {
    /// q ← q + t H_p(p).
    fn drift(&mut self, t: S, numbers: &mut [S]) -> Result<(), Failure> {
        let n = self.rate.len();
        self.system.hamiltonian_p(&numbers[..n], &numbers[n..2 * n], &mut self.rate)?;
        self.advance(t, 0, numbers);
        Ok(())
    }

    /// p ← p − t H_q(q).
    fn kick(&mut self, t: S, numbers: &mut [S]) -> Result<(), Failure> {
        let n = self.rate.len();
        self.system.hamiltonian_q(&numbers[..n], &numbers[n..2 * n], &mut self.rate)?;
        self.advance(-t, n, numbers);
        Ok(())
    }

    /// Moves n of the values, from the given one on.
    fn advance(&mut self, t: S, first: usize, numbers: &mut [S]) {
        let n = self.rate.len();
        scaled(t, &self.rate, &mut self.increment);
        let (values, carry) = numbers[..4 * n].split_at_mut(2 * n);
        accumulate((&mut values[first..first + n], &mut carry[first..first + n]), &self.increment);
    }
}

impl<S: Scalar> Stepper<S> for Leapfrog<'_, S> {
    fn step(&mut self, machine: &mut dyn Machine<S>, h: S, from: &State<S>, to: &mut State<S>) -> Result<(), Failure> {
        let Leapfrog { first, next, numbers, moves } = self;
        let half = h * S::from_f64(0.5);
        let end = numbers.len() - 1;
        from.store(&mut numbers[..end]);
        numbers[end] = *first;
        moves.kick(*first * half, numbers)?;
        let mut stage = |next: S, numbers: &mut [S]| {
            let own = numbers[end];
            moves.drift(own * h, numbers)?;
            moves.kick((own + next) * half, numbers)?;
            numbers[end] = next;
            Ok(())
        };
        if !machine.repeat(next, numbers, &mut |_, next, numbers| stage(next, numbers))? {
            next.iter().try_for_each(|&next| stage(next, numbers))?;
        }
        let (values, carry) = numbers[..end].split_at_mut(end / 2);
        settle((values, carry));
        to.load(&numbers[..end]);
        Ok(())
    }
}
