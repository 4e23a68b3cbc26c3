//! Explicit Runge–Kutta pairs with step-size control and dense output: orders 5 and 8; they keep
//! nothing, and follow the solution closely where it is fast and in large steps where it is slow.
//!
//! ```text
//! kᵢ = f(z + h Σⱼ aᵢⱼ kⱼ),   z₁ = z + h Σᵢ bᵢ kᵢ,   err = h Σᵢ (bᵢ − b̂ᵢ) kᵢ
//! ```
//!
//! Without a tolerance a step has the size that is given ([`Fixed`]). With one, the method chooses
//! its own steps and what is given is the interval of output ([`controlled`]).

mod control;
mod controlled;
mod dense;
mod dop853;
mod dopri5;
mod tableau;

use crate::card::{Card, Keeps, KeepsBracket, Needs};
use crate::vector::{advanced, moved, scale, zeros};
use control::Controller;
use cotangent_dynamics::{Failure, Field, Machine, MemoryLayout, State, Stepper};
use cotangent_scalar::{Dd, Scalar};
use std::sync::Arc;
use tableau::{Tableau, combine};

pub(crate) const DOPRI5: Card = Card {
    name: "dopri5",
    summary: "Dormand and Prince's method of order 5 with step-size control; keeps nothing; a baseline",
    order: 5,
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
        "kᵢ = f(z + h Σⱼ aᵢⱼ kⱼ),   i = 1 … 7",
        "z₁ = z + h Σᵢ bᵢ kᵢ,   err = h Σᵢ (bᵢ − b̂ᵢ) kᵢ",
        "h ← 0.9 h ε₀^0.04 / ε^0.17,   ε = ‖err‖ / (T ‖z‖),   ε₀ that of the step before",
    ],
    solution: "Nothing to solve. The method chooses its own steps h so that the difference of its formulas of orders 5 \
        and 4, relative to the size of the positions or momenta, stays below T (`--tol T`, 1e-10 unless said \
        otherwise); the step that is given is the interval of output, where the state comes from dense output of \
        order 4. With `--tol 0` it makes the steps that are given.",
    reference: "J. R. Dormand & P. J. Prince, J. Comput. Appl. Math. 6 (1980) 19; K. Gustafsson, M. Lundh & \
        G. Söderlind, BIT 28 (1988) 270; Hairer, Nørsett & Wanner, Solving Ordinary Differential Equations I, II.4–II.6",
};

pub(crate) const DOP853: Card = Card {
    name: "dop853",
    summary: "Dormand and Prince's method of order 8 with step-size control; keeps nothing; for high accuracy",
    order: 8,
    scheme: &[
        "kᵢ = f(z + h Σⱼ aᵢⱼ kⱼ),   i = 1 … 12",
        "z₁ = z + h Σᵢ bᵢ kᵢ",
        "err₅, err₃: differences to formulas of orders 5 and 3;   ‖err‖ = ‖err₅‖² / √(‖err₅‖² + 0.01 ‖err₃‖²)",
        "h ← 0.9 h / ε^(1/8),   ε = ‖err‖ / (T ‖z‖)",
    ],
    solution: "Nothing to solve. The method chooses its own steps h so that the error estimate from its formulas of \
        orders 5 and 3, relative to the size of the positions or momenta, stays below T (`--tol T`, 1e-10 unless said \
        otherwise); the step that is given is the interval of output, where the state comes from dense output of \
        order 7. With `--tol 0` it makes the steps that are given.",
    reference: "Hairer, Nørsett & Wanner, Solving Ordinary Differential Equations I, II.4–II.6 and II.10",
    ..DOPRI5
};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Pair {
    Dopri5,
    Dop853,
}

/// The method, planned.
#[derive(Clone, Debug)]
pub(crate) struct EmbeddedMethod {
    pair: Pair,
    tolerance: Option<f64>,
    /// The lengths of the groups of variables that have a size in common.
    groups: Vec<usize>,
    /// Own steps inside an interval, beyond which it gives up.
    most_steps: u32,
    tableau: Tableau<Dd>,
    memory: MemoryLayout,
}

impl EmbeddedMethod {
    pub(crate) fn new(pair: Pair, tolerance: Option<f64>, groups: &[usize]) -> Arc<EmbeddedMethod> {
        let tableau = match pair {
            Pair::Dopri5 => dopri5::tableau(),
            Pair::Dop853 => dop853::tableau(),
        };
        let memory = match tolerance {
            Some(_) => controlled::memory(groups.iter().sum(), &tableau),
            None => MemoryLayout::new(),
        };
        let most_steps = controlled::MOST_STEPS;
        Arc::new(EmbeddedMethod { pair, tolerance, groups: groups.to_vec(), most_steps, tableau, memory })
    }

    /// The same with steps as they are given.
    pub(crate) fn uncontrolled(&self) -> Arc<EmbeddedMethod> {
        Arc::new(EmbeddedMethod { tolerance: None, memory: MemoryLayout::new(), ..self.clone() })
    }

    /// The same with so many own steps inside an interval at most.
    pub(crate) fn giving_up_after(&self, most_steps: u32) -> Arc<EmbeddedMethod> {
        Arc::new(EmbeddedMethod { most_steps, ..self.clone() })
    }

    /// With a tolerance, what the own steps need.
    pub(crate) fn memory(&self) -> &MemoryLayout {
        &self.memory
    }

    pub(crate) fn stepper<'s, S: Scalar + 's>(
        self: &Arc<Self>,
        field: Box<dyn Field<S> + 's>,
    ) -> Box<dyn Stepper<S> + 's> {
        let formula = Formula::new(&self.tableau, field);
        match self.tolerance {
            None => Box::new(Fixed { formula }),
            Some(tolerance) => {
                let controller = Controller::new(self.pair, tolerance);
                let limits = (self.groups.clone(), self.most_steps);
                controlled::stepper(formula, controller, limits, self.memory.clone())
            }
        }
    }
}

/// The formula with its workspace.
struct Formula<'s, S> {
    tableau: Tableau<S>,
    field: Box<dyn Field<S> + 's>,
    dimension: usize,
    /// k, stage after stage.
    rates: Vec<S>,
    stage: Vec<S>,
    /// h Σ bᵢ kᵢ.
    increment: Vec<S>,
}

impl<'s, S: Scalar> Formula<'s, S> {
    fn new(tableau: &Tableau<Dd>, field: Box<dyn Field<S> + 's>) -> Self {
        let n = field.dimension();
        Formula {
            tableau: tableau.rounded(),
            field,
            dimension: n,
            rates: zeros(tableau.stages() * n),
            stage: zeros(n),
            increment: zeros(n),
        }
    }

    /// The stages after the first, up to the one at z₁, which is not evaluated, and the increment to
    /// it.
    fn stages(&mut self, h: S, (values, carry): (&[S], &[S])) -> Result<(), Failure> {
        let n = self.dimension;
        let last = self.tableau.step.len();
        for i in 1..=last {
            combine(&self.tableau.step[i - 1], &self.rates, &mut self.increment);
            scale(h, &mut self.increment);
            moved((values, carry), &self.increment, &mut self.stage);
            if i < last {
                self.field.rate(&self.stage, &mut self.rates[i * n..(i + 1) * n])?;
            }
        }
        Ok(())
    }
}

/// The formula of higher order with steps as they are given.
struct Fixed<'s, S> {
    formula: Formula<'s, S>,
}

impl<S: Scalar> Stepper<S> for Fixed<'_, S> {
    fn step(&mut self, _: &mut dyn Machine<S>, h: S, from: &State<S>, to: &mut State<S>) -> Result<(), Failure> {
        let formula = &mut self.formula;
        formula.field.rate(&from.values, &mut formula.rates[..formula.dimension])?;
        formula.stages(h, (&from.values, &from.carry))?;
        advanced((&from.values, &from.carry), &formula.increment, (&mut to.values, &mut to.carry));
        to.memory.copy_from_slice(&from.memory);
        Ok(())
    }
}
