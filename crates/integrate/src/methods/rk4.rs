//! The classical Runge–Kutta method: order 4, explicit, keeps nothing; the baseline.
//!
//! ```text
//! k₁ = f(z),  k₂ = f(z + h/2 k₁),  k₃ = f(z + h/2 k₂),  k₄ = f(z + h k₃)
//! z₁ = z + h/6 (k₁ + 2 k₂ + 2 k₃ + k₄)
//! ```
//!
//! W. Kutta, Z. Math. Phys. 46 (1901) 435.

use crate::card::{Card, Keeps, KeepsBracket, Needs};
use crate::vector::{add, add_scaled, advanced, moved, scale, scaled, scaled_sum, zeros};
use cotangent_dynamics::{Failure, Field, Machine, State, Stepper};
use cotangent_scalar::Scalar;

pub(crate) const CARD: Card = Card {
    name: "rk4",
    summary: "the classical Runge–Kutta method: fourth order, explicit, keeps nothing; a baseline",
    order: 4,
    symplectic: false,
    bracket: KeepsBracket::No,
    symmetric: false,
    constraints: Keeps::ByEquations,
    hidden_constraints: Keeps::ByEquations,
    quadratic_invariants: false,
    energy: false,
    needs: Needs::Field,
    explicit: "always",
    scheme: &[
        "k₁ = f(z),   k₂ = f(z + h/2 k₁),   k₃ = f(z + h/2 k₂),   k₄ = f(z + h k₃)",
        "z₁ = z + h/6 (k₁ + 2 k₂ + 2 k₃ + k₄)",
    ],
    solution: "Nothing to solve.",
    reference: "W. Kutta, Z. Math. Phys. 46 (1901) 435",
};

pub(crate) fn stepper<'s, S: Scalar + 's>(field: Box<dyn Field<S> + 's>) -> Box<dyn Stepper<S> + 's> {
    let n = field.dimension();
    let rates = [zeros(n), zeros(n), zeros(n), zeros(n)];
    Box::new(Rk4 { field, stage: zeros(n), increment: zeros(n), rates })
}

struct Rk4<'s, S> {
    field: Box<dyn Field<S> + 's>,
    stage: Vec<S>,
    increment: Vec<S>,
    rates: [Vec<S>; 4],
}

impl<S: Scalar> Stepper<S> for Rk4<'_, S> {
    fn step(&mut self, _: &mut dyn Machine<S>, h: S, from: &State<S>, to: &mut State<S>) -> Result<(), Failure> {
        let Rk4 { field, stage, increment, rates: [k1, k2, k3, k4] } = self;
        let (z, half) = ((&from.values[..], &from.carry[..]), h * S::from_f64(0.5));
        let mut place = |factor: S, rate: &[S], stage: &mut [S]| {
            scaled(factor, rate, increment);
            moved(z, increment, stage);
        };
        field.rate(&from.values, k1)?;
        place(half, k1, stage);
        field.rate(stage, k2)?;
        place(half, k2, stage);
        field.rate(stage, k3)?;
        place(h, k3, stage);
        field.rate(stage, k4)?;
        let two = S::from_f64(2.0);
        scaled_sum(k1, two, k2, increment);
        add_scaled(increment, two, k3);
        add(increment, k4);
        scale(h * S::ratio(1, 6), increment);
        advanced(z, increment, (&mut to.values, &mut to.carry));
        to.memory.copy_from_slice(&from.memory);
        Ok(())
    }
}
