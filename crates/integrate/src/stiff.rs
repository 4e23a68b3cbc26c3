//! Stage equations in the form of derivatives: what Radau IIA and backward differentiation share.
//!
//! ```text
//! Σⱼ dᵢⱼ (Yⱼ − z) − ρ = h f(Yᵢ, Λᵢ),   g(Yᵢ) = 0,   z₁ = Y_s
//! ```
//!
//! for equations ż = f(z, λ), 0 = g(z). Newton's method solves for the increments Yᵢ − z and the
//! multipliers Λᵢ. In this form only multiples of the identity couple the stages, and a multiplier
//! occurs in its own stage alone, so the matrix stays sparse for many stages.
//!
//! With constraints the unknowns are Qᵢ − q, h (Pᵢ − p) and h² Λᵢ: a multiplier moves momenta by
//! h Λᵢ and positions by h² Λᵢ, so in these the entries of a row do not depend on the step size and
//! make pivots of one size.

use crate::blocks::{Block, BlockBuilder, Blocks};
use crate::semi_explicit::{SemiExplicit, Shape};
use cotangent_dynamics::{Failure, Machine, Plan, Site, State, carried};
use cotangent_scalar::Scalar;
use cotangent_solve::PatternError;

/// The stage equations of a step, planned.
#[derive(Clone, Debug)]
pub(crate) struct Stages {
    pub(crate) shape: Shape,
    number: usize,
    site: Site,
    blocks: Blocks,
    /// Row by row, for positions and for momenta.
    identities: Vec<[Block; 2]>,
    /// The parts of the derivative at each stage.
    parts: Vec<Vec<Block>>,
}

/// The coefficients of a step.
#[derive(Clone, Copy)]
pub(crate) struct Formula<'a, S> {
    /// The nodes, for a first guess.
    pub(crate) c: &'a [S],
    /// d, row by row.
    pub(crate) d: &'a [S],
    /// ρ; empty if it is zero.
    pub(crate) past: &'a [S],
}

/// What the equations need besides.
pub(crate) struct Work<S> {
    /// Stage after stage.
    unknowns: Vec<S>,
    /// Yᵢ − z and Λᵢ of one stage.
    increment: Vec<S>,
    lambda: Vec<S>,
    stage: Vec<S>,
    rate: Vec<S>,
    residual: Vec<S>,
}

impl Stages {
    pub(crate) fn new(shape: Shape, number: usize, plan: &mut Plan) -> Result<Stages, PatternError> {
        let size = shape.dimension + shape.multipliers;
        let mut b = BlockBuilder::new(number * size);
        let (n, q) = (shape.dimension, shape.positions);
        let places = (0..number * number).map(|k| (k / number * size, k % number * size));
        let identity = |(i, j): (usize, usize)| [b.identity((i, j), q), b.identity((i + q, j + q), n - q)];
        let identities = places.map(identity).collect();
        let parts = (0..number).map(|i| shape.blocks(i * size, &mut b)).collect();
        let blocks = b.build()?;
        let site = plan.newton(blocks.pattern.clone(), vec![shape.rows.clone(); number].concat());
        Ok(Stages { shape, number, site, blocks, identities, parts })
    }

    pub(crate) fn work<S: Scalar>(&self) -> Work<S> {
        let zero = |len: usize| vec![S::from_f64(0.0); len];
        let (n, m) = (self.shape.dimension, self.shape.multipliers);
        Work {
            unknowns: zero(self.number * (n + m)),
            increment: zero(n),
            lambda: zero(m),
            stage: zero(n),
            rate: zero(n),
            residual: zero(m),
        }
    }

    /// Solves the equations, from the rates at the start without multipliers. Returns z₁ − z.
    pub(crate) fn solve<'w, S: Scalar>(
        &self,
        machine: &mut dyn Machine<S>,
        system: &mut (dyn SemiExplicit<S> + '_),
        (h, formula): (S, Formula<'_, S>),
        from: &State<S>,
        work: &'w mut Work<S>,
    ) -> Result<&'w [S], Failure> {
        let Work { unknowns, increment, lambda, stage, rate, residual } = work;
        let (s, n, q) = (self.number, self.shape.dimension, self.shape.positions);
        let size = n + self.shape.multipliers;
        let one = S::from_f64(1.0);
        // Of the unknowns for positions, momenta and multipliers.
        let units = [one, one / h, one / (h * h)];
        lambda.fill(S::from_f64(0.0));
        system.evaluate(&from.values, lambda, rate, residual)?;
        for (x, &c) in unknowns.chunks_mut(size).zip(formula.c) {
            let factor = h * c;
            (0..q).for_each(|k| x[k] = factor * rate[k]);
            (q..n).for_each(|k| x[k] = h * (factor * rate[k]));
            x[n..].fill(S::from_f64(0.0));
        }
        let unscale = |x: &[S], increment: &mut [S], lambda: &mut [S]| {
            increment[..q].copy_from_slice(&x[..q]);
            (q..n).for_each(|k| increment[k] = units[1] * x[k]);
            (n..size).for_each(|k| lambda[k - n] = units[2] * x[k]);
        };
        machine.newton(self.site, unknowns, &mut |x, r, jacobian| {
            jacobian.fill(S::from_f64(0.0));
            for i in 0..s {
                unscale(&x[i * size..(i + 1) * size], increment, lambda);
                for k in 0..n {
                    stage[k] = carried(from.values[k], from.carry[k], increment[k]).0;
                }
                let (r, g) = r[i * size..(i + 1) * size].split_at_mut(n);
                system.evaluate(stage, lambda, rate, g)?;
                let d = &formula.d[i * s..(i + 1) * s];
                for k in 0..n {
                    let sum = (1..s).fold(d[0] * x[k], |sum, j| sum + d[j] * x[j * size + k]);
                    let change = if k < q { sum } else { units[1] * sum };
                    let change = formula.past.get(k).map_or(change, |&past| change - past);
                    r[k] = change - h * rate[k];
                }
                for j in 0..s {
                    let [positions, momenta] = self.identities[i * s + j];
                    self.blocks.add_identity(positions, d[j], jacobian);
                    self.blocks.add_identity(momenta, units[1] * d[j], jacobian);
                }
                system.differentiate(stage, lambda, -h, &mut |part, factor, values| {
                    let unit = units[self.shape.column(part)];
                    self.blocks.add(self.parts[i][part], factor * unit, values, jacobian);
                })?;
            }
            Ok(())
        })?;
        unscale(&unknowns[(s - 1) * size..], increment, lambda);
        Ok(increment)
    }
}

/// z₁ = z + increment.
pub(crate) fn advance<S: Scalar>(from: &State<S>, increment: &[S], to: &mut State<S>) {
    for (k, &w) in increment.iter().enumerate() {
        (to.values[k], to.carry[k]) = carried(from.values[k], from.carry[k], w);
    }
}
