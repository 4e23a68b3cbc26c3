//! Radau IIA collocation: order 2s − 1, stiffly accurate, damps; the usual implicit Runge–Kutta
//! method of codes for differential–algebraic equations, for any number of stages s.
//!
//! ```text
//! Yᵢ = z + h Σⱼ aᵢⱼ f(Yⱼ, Λⱼ),   g(Yᵢ) = 0,   z₁ = Y_s
//! ```
//!
//! with the nodes 0 < c₁ < … < c_s = 1 of Radau quadrature. With constraints z = (q, p),
//! f = (H_p, −H_q − Gᵀλ) and
//!
//! - index 3: g = φ(q). The positions have order 2s − 1; the momenta, whose normal part is
//!   a difference quotient of positions, order s only, and leave the hidden constraints by that;
//! - index 2: g = G(q) H_p(q, p). Positions and momenta have order 2s − 1; the positions drift off
//!   φ = 0.
//!
//! The equations are solved in the form Σⱼ dᵢⱼ (Yⱼ − z) = h f(Yᵢ, Λᵢ) with d = a⁻¹, the derivatives of
//! the Lagrange polynomials of 0, c₁, …, c_s ([`derivative_form`](crate::derivative_form)).
//!
//! Hairer & Wanner, Solving Ordinary Differential Equations II, IV.5 and VII.4; Hairer, Lubich &
//! Roche, Lecture Notes in Mathematics 1409 (1989); L. Jay, Appl. Numer. Math. 17 (1995) 97.

use crate::card::{Card, Keeps, KeepsBracket, Needs};
use crate::coefficients::{Coefficient, Radau as Coefficients};
use crate::derivative_form::{increment, stage_equations};
use crate::stages::{Evaluator, Input, Shape, Stages, Work};
use crate::vector::{advanced, zeros};
use cotangent_dynamics::{Dynamics, Failure, Index, Machine, Plan, State, Stepper};
use cotangent_scalar::Scalar;
use cotangent_solve::PatternError;
use std::sync::Arc;

pub(crate) fn card(stages: usize) -> Card {
    Card {
        name: "radau-2a",
        summary: "order 2s − 1 with s stages, damps; for stiff and for differential–algebraic equations",
        order: 2 * stages.max(1) as u32 - 1,
        symplectic: false,
        bracket: KeepsBracket::No,
        symmetric: false,
        constraints: Keeps::Yes,
        hidden_constraints: Keeps::No,
        quadratic_invariants: false,
        energy: false,
        needs: Needs::Any,
        explicit: "never",
        scheme: &[
            "Yᵢ = z + h Σⱼ aᵢⱼ f(Yⱼ, Λⱼ),   i = 1 … s,   z₁ = Y_s",
            "with constraints: z = (q, p),   f = (H_p, −H_q − Gᵀλ)",
            "index 3: φ(Qᵢ) = 0;   index 2: G(Qᵢ) H_p(Qᵢ, Pᵢ) = 0",
        ],
        solution: "The nodes are those of Radau quadrature, the last of them the end of the step (`--stages S`, 3 unless said otherwise). Newton's method for the increments Yᵢ − z and multipliers Λᵢ of all stages together. With constraints (index 3) φ = 0 holds at the stages and at the end, and the order is that of the momenta, s; on the formulation `index-reduced` (index 2) G q̇ = 0 holds instead, with order 2s − 1. Index 1 is the formulation `standard`.",
        reference: "Hairer & Wanner, Solving Ordinary Differential Equations II, IV.5 and VII; Hairer, Lubich & Roche, Lecture Notes in Mathematics 1409 (1989)",
    }
}

/// Radau IIA collocation, planned.
#[derive(Clone, Debug)]
pub(crate) struct RadauCollocation {
    number: usize,
    stages: Stages,
}

impl RadauCollocation {
    pub(crate) fn new(shape: Shape, number: usize, plan: &mut Plan) -> Result<Arc<RadauCollocation>, PatternError> {
        let coefficients = Coefficients::new(number);
        let c: Vec<Coefficient> = (0..number).map(|i| coefficients.c(i)).collect();
        let d: Vec<Coefficient> = (0..number * number).map(|k| coefficients.d(k / number, k % number)).collect();
        Ok(Arc::new(RadauCollocation { number, stages: Stages::new(stage_equations(&shape, &c, &d), shape, plan)? }))
    }

    pub(crate) fn shape(&self) -> &Shape {
        &self.stages.shape
    }

    /// The order with unknown multipliers.
    pub(crate) fn constrained_order(&self) -> Option<u32> {
        let stages = self.number as u32;
        self.shape().index().map(|index| match index {
            Index::Two => 2 * stages - 1,
            Index::Three => stages,
        })
    }

    pub(crate) fn stepper<'s, S: Scalar + 's>(
        self: &Arc<Self>,
        system: &dyn Dynamics<'s, S>,
    ) -> Result<Box<dyn Stepper<S> + 's>, Failure> {
        Ok(Box::new(RadauStepper {
            evaluator: Evaluator::new(&self.stages.shape, system)?,
            work: self.stages.work(),
            increment: zeros(self.stages.dimension()),
            method: self.clone(),
        }))
    }
}

struct RadauStepper<'s, S> {
    method: Arc<RadauCollocation>,
    evaluator: Evaluator<'s, S>,
    work: Work<S>,
    /// z₁ − z.
    increment: Vec<S>,
}

impl<S: Scalar> Stepper<S> for RadauStepper<'_, S> {
    fn step(&mut self, machine: &mut dyn Machine<S>, h: S, from: &State<S>, to: &mut State<S>) -> Result<(), Failure> {
        let RadauStepper { method, evaluator, work, increment: dz } = self;
        work.solve(&method.stages, machine, evaluator, (h, Input::none()), from)?;
        increment(&method.stages, method.number, work, dz);
        advanced((&from.values, &from.carry), dz, (&mut to.values, &mut to.carry));
        Ok(())
    }
}
