//! Gauss collocation: order 2s, symplectic and symmetric on canonical equations, quadratic
//! invariants kept, for any number of stages s; one stage is the implicit midpoint rule.
//!
//! ```text
//! Yᵢ = z + Σⱼ μᵢⱼ Lⱼ,   Lⱼ = h bⱼ f(Yⱼ),   z₁ = z + Σᵢ Lᵢ,   μᵢⱼ = aᵢⱼ/bⱼ
//! ```
//!
//! with the nodes cᵢ of Gauss–Legendre quadrature on [0, 1]. The unknowns are the increments
//! Wᵢ = Yᵢ − z, found by Newton's method with the matrix δᵢⱼ − h aᵢⱼ f′(Yⱼ). The rounded μ satisfy
//! the condition of symplecticity μᵢⱼ + μⱼᵢ = 1 exactly.
//!
//! For equations J ż = ∇H with a constant J, perhaps singular, the same with J before the increments,
//!
//! ```text
//! J (Yᵢ − z) = Σⱼ μᵢⱼ Lⱼ,   Lⱼ = h bⱼ ∇H(Yⱼ),   J (z₁ − z) = Σᵢ Lᵢ,   Nᵀ∇H = 0 at the Yᵢ and at z₁
//! ```
//!
//! with N a basis of ker J: since (aᵢⱼ) is invertible, Nᵀ∇H(Yᵢ) = 0 follows from the rows that J says nothing new in, and
//! stands in their place. The two-form ½ dz∧J dz is kept.
//!
//! Hairer, Lubich & Wanner, Geometric Numerical Integration, II.1.3 and VIII.6; M. Antoñana,
//! J. Makazaga & A. Murua, Numer. Algorithms 76 (2017) 861; with a singular J R. I. McLachlan, K. Modin, O. Verdier &
//! M. Wilkins, SIAM J. Sci. Comput. 36 (2014) A2229, Prop. 4.

use crate::card::{Card, Keeps, KeepsBracket, Needs};
use crate::coefficients::Gauss as Coefficients;
use crate::stages::{Evaluator, Input, Point, Row, Shape, StageEquations, Stages, Sum, Term, Unknown, Work};
use crate::vector::{advanced, combination, zeros};
use cotangent_dynamics::{Dynamics, Failure, Machine, Plan, State, Stepper};
use cotangent_scalar::Scalar;
use cotangent_solve::PatternError;
use std::sync::Arc;

pub(crate) const IMPLICIT_MIDPOINT: Card = Card {
    name: "implicit-midpoint",
    summary: "second order, symplectic, symmetric, keeps quadratic invariants; for any equations",
    order: 2,
    symplectic: true,
    bracket: KeepsBracket::Constant,
    symmetric: true,
    constraints: Keeps::ByEquations,
    hidden_constraints: Keeps::ByEquations,
    quadratic_invariants: true,
    energy: false,
    needs: Needs::Field,
    explicit: "never",
    scheme: &["z₁ = z + h f((z + z₁)/2)"],
    solution: "Newton's method for the increment at the midpoint.",
    reference: "Hairer, Lubich & Wanner, Geometric Numerical Integration, II.1.3",
};

pub(crate) fn card(stages: usize) -> Card {
    Card {
        name: "gauss",
        summary: "order 2s with s stages, symplectic, symmetric, keeps quadratic invariants; for any equations",
        order: 2 * stages as u32,
        symplectic: true,
        bracket: KeepsBracket::Constant,
        symmetric: true,
        constraints: Keeps::ByEquations,
        hidden_constraints: Keeps::ByEquations,
        quadratic_invariants: true,
        energy: false,
        needs: Needs::Field,
        explicit: "never",
        scheme: &["Yᵢ = z + h Σⱼ aᵢⱼ f(Yⱼ),   i = 1 … s", "z₁ = z + h Σᵢ bᵢ f(Yᵢ)"],
        solution: "The nodes are those of Gauss–Legendre quadrature (`--stages S`, 2 unless said otherwise). Newton's method for the increments Yᵢ − z.",
        reference: "J. C. Butcher, Math. Comp. 18 (1964) 50; Hairer, Lubich & Wanner, Geometric Numerical Integration, II.1.3",
    }
}

/// The first two formulas, for Yᵢ − z.
fn stage_equations(c: &Coefficients, term: Term) -> StageEquations {
    let s = c.stages();
    let point = |i: usize| Point { position: Some(i), weight: Some(c.b(i)), ..Point::default() };
    let right = |i: usize| (0..s).map(|j| (j, c.mu(i, j))).collect();
    let row = |i: usize| match term {
        Term::Gradient => Row::weighted(term, i, right(i), Sum::Together).with_kernel(i),
        _ => Row::weighted(term, i, right(i), Sum::Together),
    };
    StageEquations {
        unknowns: (0..s).map(|i| Unknown::position(c.c(i))).collect(),
        points: (0..s).map(point).collect(),
        rows: (0..s).map(row).collect(),
    }
}

/// The end of a step of J ż = ∇H, for z₁ − z; Σᵢ Lᵢ is known.
fn end_equations() -> StageEquations {
    StageEquations {
        unknowns: vec![Unknown::position(1.0)],
        points: vec![Point { position: Some(0), ..Point::default() }],
        rows: vec![Row::increment(Term::Gradient, 0, vec![]).with_kernel(0)],
    }
}

/// Gauss collocation, planned.
#[derive(Clone, Debug)]
pub(crate) struct GaussCollocation {
    number: usize,
    term: Term,
    stages: Stages,
    /// Where it has to be solved for.
    end: Option<Stages>,
}

impl GaussCollocation {
    pub(crate) fn new(shape: Shape, number: usize, plan: &mut Plan) -> Result<Arc<GaussCollocation>, PatternError> {
        let with_form = matches!(shape, Shape::Presymplectic(_));
        let term = if with_form { Term::Gradient } else { Term::Rate };
        let stages = Stages::new(stage_equations(&Coefficients::new(number), term), shape.clone(), plan)?;
        let end = if with_form { Some(Stages::new(end_equations(), shape, plan)?) } else { None };
        Ok(Arc::new(GaussCollocation { number, term, stages, end }))
    }

    pub(crate) fn stepper<'s, S: Scalar + 's>(
        self: &Arc<Self>,
        system: &dyn Dynamics<'s, S>,
    ) -> Result<Box<dyn Stepper<S> + 's>, Failure> {
        Ok(Box::new(GaussStepper {
            evaluator: Evaluator::new(&self.stages.shape, system)?,
            work: self.stages.work(),
            end: self.end.as_ref().map(Stages::work),
            sum: zeros(self.stages.dimension()),
            method: self.clone(),
        }))
    }
}

struct GaussStepper<'s, S> {
    method: Arc<GaussCollocation>,
    evaluator: Evaluator<'s, S>,
    work: Work<S>,
    end: Option<Work<S>>,
    /// Σᵢ Lᵢ.
    sum: Vec<S>,
}

impl<S: Scalar> Stepper<S> for GaussStepper<'_, S> {
    fn step(&mut self, machine: &mut dyn Machine<S>, h: S, from: &State<S>, to: &mut State<S>) -> Result<(), Failure> {
        let GaussStepper { method, evaluator, work, end, sum } = self;
        work.solve(&method.stages, machine, evaluator, (h, Input::none()), from)?;
        work.evaluate(&method.stages, evaluator, from)?;
        let one = S::from_f64(1.0);
        combination((0..method.number).map(|i| (one, work.term(&method.stages, method.term, i))), sum);
        let increment = match (&method.end, end) {
            (Some(equations), Some(work)) => {
                work.solve(equations, machine, evaluator, (h, Input { given: &[], past: sum }), from)?;
                work.unknown(equations, 0)
            }
            _ => sum,
        };
        advanced((&from.values, &from.carry), increment, (&mut to.values, &mut to.carry));
        to.memory.copy_from_slice(&from.memory);
        Ok(())
    }
}
