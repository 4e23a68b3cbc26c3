//! Splitting: the exact flows of the parts of an energy, one after the other.
//!
//! ```text
//! Lie:     z₁ = φₙ(h) ∘ … ∘ φ₂(h) ∘ φ₁(h) z
//! Strang:  z₁ = φ₁(h/2) ∘ … ∘ φₙ₋₁(h/2) ∘ φₙ(h) ∘ φₙ₋₁(h/2) ∘ … ∘ φ₁(h/2) z
//! ```
//!
//! The flow of every part is a Poisson map, whatever the bracket, and keeps its Casimirs; so does what is made of them.
//! Each flow runs the whole step. (R. I. McLachlan & G. R. W. Quispel, Acta Numerica 11 (2002) 341.)

use crate::card::{Card, Keeps, KeepsBracket, Needs};
use crate::vector::{advance, zeros};
use cotangent_dynamics::{Failure, Machine, Split, State, Stepper};
use cotangent_scalar::Scalar;
use std::ops::Range;

pub(crate) const LIE: Card = Card {
    name: "splitting-lie",
    summary: "the exact flows of the parts of the energy, one after the other: a Poisson map, first order",
    order: 1,
    symplectic: true,
    bracket: KeepsBracket::Any,
    symmetric: false,
    constraints: Keeps::ByEquations,
    hidden_constraints: Keeps::ByEquations,
    quadratic_invariants: false,
    energy: false,
    needs: Needs::Split,
    explicit: "always",
    scheme: &["z₁ = φₙ(h) ∘ … ∘ φ₂(h) ∘ φ₁(h) z"],
    solution: "Nothing to solve: φₖ is the exact flow of the part Hₖ of H = ΣHₖ, found by symbols (constant, linear, \
        exponential, rotation). Parts are those of the `split` statement, in its order, or else the terms of H.",
    reference: "R. I. McLachlan & G. R. W. Quispel, Acta Numerica 11 (2002) 341; for Lie–Poisson systems R. I. McLachlan, \
        Phys. Rev. Lett. 71 (1993) 3043",
};

pub(crate) const STRANG: Card = Card {
    name: "splitting-strang",
    summary: "the exact flows of the parts of the energy, forth and back: a Poisson map, second order, symmetric",
    order: 2,
    symmetric: true,
    scheme: &["z₁ = φ₁(h/2) ∘ … ∘ φₙ₋₁(h/2) ∘ φₙ(h) ∘ φₙ₋₁(h/2) ∘ … ∘ φ₁(h/2) z"],
    reference: "G. Strang, SIAM J. Numer. Anal. 5 (1968) 506; R. I. McLachlan & G. R. W. Quispel, Acta Numerica 11 (2002) 341",
    ..LIE
};

/// Which flows, and in which order.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Order {
    Lie,
    Strang,
}

pub(crate) fn stepper<'s, S: Scalar + 's>(order: Order, parts: Box<dyn Split<S> + 's>) -> Box<dyn Stepper<S> + 's> {
    let moved = (0..parts.parts()).map(|part| parts.moved(part)).collect();
    Box::new(Splitting { order, moved, increment: zeros(parts.dimension()), parts })
}

struct Splitting<'s, S> {
    order: Order,
    parts: Box<dyn Split<S> + 's>,
    /// What each part moves.
    moved: Vec<Vec<Range<usize>>>,
    increment: Vec<S>,
}

impl<S: Scalar> Splitting<'_, S> {
    fn flow(&mut self, part: usize, h: S, state: &mut State<S>) -> Result<(), Failure> {
        self.parts.increment(part, h, &state.values, &mut self.increment)?;
        for range in &self.moved[part] {
            let own = (&mut state.values[range.clone()], &mut state.carry[range.clone()]);
            advance(own, &self.increment[range.clone()]);
        }
        Ok(())
    }
}

impl<S: Scalar> Stepper<S> for Splitting<'_, S> {
    fn step(&mut self, _: &mut dyn Machine<S>, h: S, from: &State<S>, to: &mut State<S>) -> Result<(), Failure> {
        to.values.copy_from_slice(&from.values);
        to.carry.copy_from_slice(&from.carry);
        to.memory.copy_from_slice(&from.memory);
        let n = self.parts.parts();
        match self.order {
            Order::Lie => (0..n).try_for_each(|k| self.flow(k, h, to)),
            Order::Strang => {
                let half = h * S::from_f64(0.5);
                let Some(last) = n.checked_sub(1) else { return Ok(()) };
                (0..last).try_for_each(|k| self.flow(k, half, to))?;
                self.flow(last, h, to)?;
                (0..last).rev().try_for_each(|k| self.flow(k, half, to))
            }
        }
    }
}
