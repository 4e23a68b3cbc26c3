//! Gauss collocation: order 2s, symplectic and symmetric on canonical equations, quadratic
//! invariants kept, for any number of stages s; one stage is the implicit midpoint rule.
//!
//! ```text
//! Yᵢ = z + Σⱼ μᵢⱼ Lⱼ,   Lⱼ = h bⱼ f(Yⱼ),   z₁ = z + Σᵢ Lᵢ,   μᵢⱼ = aᵢⱼ/bⱼ
//! ```
//!
//! with the nodes cᵢ of Gauss–Legendre quadrature on [0, 1]. The unknowns are the increments
//! Wᵢ = Yᵢ − z, found by Newton's method with the matrix δᵢⱼ − h aᵢⱼ f′(Yⱼ); or the Lⱼ, by iteration from the polynomial
//! of the step before ([`Iterated`]), where that contracts. The rounded μ satisfy
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
use crate::stage_solver::StageSolver;
use crate::stages::{
    Evaluator, Input, Iterated, Point, Row, Shape, StageEquations, Stages, Sum, Term, Terms, Unknown, Work,
};
use crate::vector::{advanced, combination, zeros};
use cotangent_dynamics::{Dynamics, Failure, Machine, MemoryLayout, Plan, State, Stepper};
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
    solution: "Fixed-point iteration for the increment, which Newton's method takes over where it does not contract; `--stage-solver` chooses one of them.",
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
        solution: "The nodes are those of Gauss–Legendre quadrature (`--stages S`, 2 unless said otherwise). Fixed-point iteration for the terms h bᵢ f(Yᵢ), from the polynomial of the step before; where it does not contract Newton's method for the increments Yᵢ − z. `--stage-solver` chooses one of them.",
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
    /// Where the terms are iterated.
    iterated: Option<Iterated>,
    /// Where it has to be solved for.
    end: Option<Stages>,
}

impl GaussCollocation {
    pub(crate) fn new(
        shape: Shape,
        number: usize,
        solver: Option<StageSolver>,
        plan: &mut Plan,
    ) -> Result<Arc<GaussCollocation>, PatternError> {
        let coefficients = Coefficients::new(number);
        let with_form = matches!(shape, Shape::Presymplectic(_));
        let term = if with_form { Term::Gradient } else { Term::Rate };
        let stages = Stages::new(stage_equations(&coefficients, term), shape.clone(), plan)?;
        let iterated = (!with_form && solver != Some(StageSolver::Newton)).then(|| {
            let entries = (0..number * number).map(|k| coefficients.extrapolation(k / number, k % number));
            Iterated::new(&stages, entries.collect(), solver.is_none(), plan)
        });
        let end = if with_form { Some(Stages::new(end_equations(), shape, plan)?) } else { None };
        Ok(Arc::new(GaussCollocation { number, term, stages, iterated, end }))
    }

    /// What the iteration begins with.
    pub(crate) fn memory(&self) -> MemoryLayout {
        self.iterated.as_ref().map_or_else(MemoryLayout::new, |iterated| iterated.memory().clone())
    }

    pub(crate) fn stepper<'s, S: Scalar + 's>(
        self: &Arc<Self>,
        system: &dyn Dynamics<'s, S>,
    ) -> Result<Box<dyn Stepper<S> + 's>, Failure> {
        Ok(Box::new(GaussStepper {
            evaluator: Evaluator::new(&self.stages.shape, system)?,
            work: self.stages.work(),
            terms: self.iterated.as_ref().map(|iterated| iterated.terms(&self.stages)),
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
    terms: Option<Terms<S>>,
    end: Option<Work<S>>,
    /// Σᵢ Lᵢ.
    sum: Vec<S>,
}

impl<S: Scalar> Stepper<S> for GaussStepper<'_, S> {
    fn memory(&self) -> usize {
        self.method.iterated.as_ref().map_or(0, |iterated| iterated.memory().len())
    }

    fn step(&mut self, machine: &mut dyn Machine<S>, h: S, from: &State<S>, to: &mut State<S>) -> Result<(), Failure> {
        let GaussStepper { method, evaluator, work, terms, end, sum } = self;
        let (stages, one) = (&method.stages, S::from_f64(1.0));
        to.memory.copy_from_slice(&from.memory);
        match (&method.iterated, terms) {
            (Some(iterated), Some(terms)) => {
                terms.solve((stages, iterated), machine, (evaluator, work), h, from, &mut to.memory)?;
                combination((0..method.number).map(|i| (one, terms.term(stages, i))), sum);
            }
            _ => {
                work.solve(stages, machine, evaluator, (h, Input::none()), from)?;
                work.evaluate(stages, evaluator, from)?;
                combination((0..method.number).map(|i| (one, work.term(stages, method.term, i))), sum);
            }
        }
        let increment = match (&method.end, end) {
            (Some(equations), Some(work)) => {
                work.solve(equations, machine, evaluator, (h, Input { given: &[], past: sum }), from)?;
                work.unknown(equations, 0)
            }
            _ => sum,
        };
        advanced((&from.values, &from.carry), increment, (&mut to.values, &mut to.carry));
        Ok(())
    }
}
