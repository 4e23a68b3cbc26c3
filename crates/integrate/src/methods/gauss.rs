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
//! Hairer, Lubich & Wanner, Geometric Numerical Integration, II.1.3 and VIII.6; M. Antoñana,
//! J. Makazaga & A. Murua, Numer. Algorithms 76 (2017) 861.

use crate::blocks::{Block, BlockBuilder, Blocks};
use crate::card::{Card, Keeps, Needs};
use crate::coefficients::Gauss as Coefficients;
use cotangent_dynamics::{Failure, Field, Kind, Machine, Plan, Site, State, Stepper, carried};
use cotangent_scalar::Scalar;
use cotangent_solve::{Pattern, PatternError};
use std::sync::Arc;

pub(crate) const IMPLICIT_MIDPOINT: Card = Card {
    name: "implicit-midpoint",
    summary: "second order, symplectic, symmetric, keeps quadratic invariants; for any equations",
    order: 2,
    symplectic: true,
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

/// What is known before the arithmetic is.
#[derive(Clone, Debug)]
pub(crate) struct Scheme {
    dimension: usize,
    /// The number of entries of f′.
    entries: usize,
    coefficients: Coefficients,
    site: Site,
    blocks: Blocks,
    ones: Block,
    /// Row by row.
    stages: Vec<Block>,
}

impl Scheme {
    /// For a vector field whose derivative has this pattern.
    pub(crate) fn new(jacobian: &Pattern, stages: usize, plan: &mut Plan) -> Result<Arc<Scheme>, PatternError> {
        let n = jacobian.rows();
        let mut b = BlockBuilder::new(stages * n);
        let ones = b.identity((0, 0), stages * n);
        let places = (0..stages * stages).map(|k| (k / stages * n, k % stages * n));
        let at = places.map(|place| b.block(place, jacobian)).collect();
        let blocks = b.build()?;
        let site = plan.newton(blocks.pattern.clone(), vec![(Kind::State, n); stages]);
        let coefficients = Coefficients::new(stages);
        let entries = jacobian.len();
        Ok(Arc::new(Scheme { dimension: n, entries, coefficients, site, blocks, ones, stages: at }))
    }

    pub(crate) fn stepper<'s, S: Scalar + 's>(
        self: &Arc<Self>,
        field: Box<dyn Field<S> + 's>,
    ) -> Box<dyn Stepper<S> + 's> {
        let (s, n) = (self.coefficients.stages(), self.dimension);
        let zero = |len: usize| vec![S::from_f64(0.0); len];
        Box::new(Gauss {
            scheme: self.clone(),
            field,
            increments: zero(s * n),
            stage: zero(n),
            rates: zero(s * n),
            matrix: zero(self.entries),
        })
    }
}

struct Gauss<'s, S> {
    scheme: Arc<Scheme>,
    field: Box<dyn Field<S> + 's>,
    /// W, stage after stage.
    increments: Vec<S>,
    /// One Yᵢ.
    stage: Vec<S>,
    /// Lᵢ = h bᵢ f(Yᵢ), stage after stage.
    rates: Vec<S>,
    matrix: Vec<S>,
}

impl<S: Scalar> Stepper<S> for Gauss<'_, S> {
    fn step(&mut self, machine: &mut dyn Machine<S>, h: S, from: &State<S>, to: &mut State<S>) -> Result<(), Failure> {
        let Gauss { scheme, field, increments, stage, rates, matrix } = self;
        let Scheme { coefficients: c, blocks, ones, stages, .. } = &**scheme;
        let (s, n) = (c.stages(), scheme.dimension);
        field.rate(&from.values, stage)?;
        for i in 0..s {
            let factor = h * c.c(i);
            (0..n).for_each(|k| increments[i * n + k] = factor * stage[k]);
        }
        machine.newton(scheme.site, increments, &mut |w, r, jacobian| {
            jacobian.fill(S::from_f64(0.0));
            blocks.add_identity(*ones, S::from_f64(1.0), jacobian);
            for j in 0..s {
                place(from, &w[j * n..(j + 1) * n], stage);
                weighted_rate(field.as_mut(), h * c.b::<S>(j), stage, &mut rates[j * n..(j + 1) * n])?;
                field.jacobian(stage, matrix)?;
                for i in 0..s {
                    blocks.add(stages[i * s + j], -(h * c.b::<S>(j) * c.mu::<S>(i, j)), matrix, jacobian);
                }
            }
            for i in 0..s {
                for k in 0..n {
                    let first = c.mu::<S>(i, 0) * rates[k];
                    let sum = (1..s).fold(first, |sum, j| sum + c.mu::<S>(i, j) * rates[j * n + k]);
                    r[i * n + k] = w[i * n + k] - sum;
                }
            }
            Ok(())
        })?;
        for i in 0..s {
            place(from, &increments[i * n..(i + 1) * n], stage);
            weighted_rate(field.as_mut(), h * c.b::<S>(i), stage, &mut rates[i * n..(i + 1) * n])?;
        }
        for k in 0..n {
            let sum = (1..s).fold(rates[k], |sum, i| sum + rates[i * n + k]);
            (to.values[k], to.carry[k]) = carried(from.values[k], from.carry[k], sum);
        }
        to.memory.copy_from_slice(&from.memory);
        Ok(())
    }
}

/// L = h b f(Y).
fn weighted_rate<S: Scalar>(
    field: &mut (dyn Field<S> + '_),
    weight: S,
    stage: &[S],
    out: &mut [S],
) -> Result<(), Failure> {
    field.rate(stage, out)?;
    out.iter_mut().for_each(|rate| *rate = weight * *rate);
    Ok(())
}

/// Y = z + W.
fn place<S: Scalar>(from: &State<S>, increment: &[S], stage: &mut [S]) {
    for (k, y) in stage.iter_mut().enumerate() {
        *y = carried(from.values[k], from.carry[k], increment[k]).0;
    }
}
