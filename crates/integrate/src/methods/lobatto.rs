//! The Lobatto IIIA–IIIB pair for constraints: order 2s − 2, symmetric, symplectic on the constraint
//! manifold, constraints and hidden constraints at round-off.
//!
//! ```text
//! Pᵢ = p − h Σⱼ âᵢⱼ (H_q(Qⱼ, Pⱼ) + G(Qⱼ)ᵀΛⱼ)
//! Qᵢ = q + h Σⱼ aᵢⱼ H_p(Qⱼ, Pⱼ),   φ(Qᵢ) = 0
//! q₁ = Q_s,   p₁ = p − h Σⱼ bⱼ (H_q(Qⱼ, Pⱼ) + G(Qⱼ)ᵀΛⱼ),   G(q₁) H_p(q₁, p₁) = 0
//! ```
//!
//! with the coefficients of Lobatto IIIA (a) and IIIB (â). The first row of a and the last column of
//! â are zero, so Q₁ = q, and Λ_s occurs in p₁ alone. Newton's method solves for Pᵢ − p (i = 1 … s),
//! Qᵢ − q (i = 2 … s) and Λᵢ (i < s) together, then for Λ_s, as in RATTLE, which is the case s = 2.
//!
//! L. Jay, SIAM J. Numer. Anal. 33 (1996) 368, eq. (3.1); Hairer, Lubich & Wanner, Geometric
//! Numerical Integration, VII.1.4.

use crate::blocks::{Block, BlockBuilder, Blocks};
use crate::card::{Card, Keeps, Needs};
use crate::coefficients::Lobatto as Coefficients;
use crate::sparse::{Gram, GramWork, plus_transposed_times, times};
use cotangent_dynamics::{Canonical, CanonicalShape, Failure, Kind, Machine, Plan, Site, State, Stepper, carried};
use cotangent_scalar::Scalar;
use cotangent_solve::PatternError;
use std::sync::Arc;

pub(crate) fn card(stages: usize) -> Card {
    Card {
        name: "lobatto-3a3b",
        summary: "order 2s − 2 with s stages, symplectic, symmetric, with constraints at round-off",
        order: 2 * stages.max(2) as u32 - 2,
        symplectic: true,
        symmetric: true,
        constraints: Keeps::Yes,
        hidden_constraints: Keeps::Yes,
        quadratic_invariants: false,
        energy: false,
        needs: Needs::Canonical,
        explicit: "never",
        scheme: &[
            "Pᵢ = p − h Σⱼ âᵢⱼ (H_q(Qⱼ, Pⱼ) + G(Qⱼ)ᵀΛⱼ),   i = 1 … s",
            "Qᵢ = q + h Σⱼ aᵢⱼ H_p(Qⱼ, Pⱼ),   φ(Qᵢ) = 0",
            "q₁ = Q_s,   p₁ = p − h Σⱼ bⱼ (H_q(Qⱼ, Pⱼ) + G(Qⱼ)ᵀΛⱼ),   G(q₁) H_p(q₁, p₁) = 0",
        ],
        solution: "The coefficients are those of Lobatto IIIA (a) and IIIB (â) (`--stages S`, 3 unless said otherwise); 2 stages are `rattle`. Newton's method for all stages and multipliers together, then for the last multiplier.",
        reference: "L. Jay, SIAM J. Numer. Anal. 33 (1996) 368; Hairer, Lubich & Wanner, Geometric Numerical Integration, VII.1.4",
    }
}

/// What is known before the arithmetic is.
#[derive(Clone, Debug)]
pub(crate) struct Scheme {
    shape: CanonicalShape,
    coefficients: Coefficients,
    gram: Gram,
    stages: Site,
    /// G H_p = 0, if there are constraints.
    hidden: Option<Site>,
    blocks: Blocks,
    ones: Block,
    /// Row by row, where a coefficient is not zero for its column.
    uu: Vec<Block>,
    uw: Vec<Block>,
    uw_curvature: Vec<Block>,
    ul: Vec<Block>,
    wu: Vec<Block>,
    ww: Vec<Block>,
    lw: Vec<Block>,
}

impl Scheme {
    pub(crate) fn new(shape: &CanonicalShape, stages: usize, plan: &mut Plan) -> Result<Arc<Scheme>, PatternError> {
        let (n, m, s) = (shape.coordinates, shape.constraints, stages);
        let gram = Gram::new(&shape.jacobian, &shape.hessian_pp)?;
        // Unknowns: U₁ … U_s, W₂ … W_s, Λ₁ … Λ_{s−1}.
        let (u, w, l) = (|i: usize| i * n, |i: usize| (s + i - 1) * n, |i: usize| (2 * s - 1) * n + i * m);
        let mut b = BlockBuilder::new(l(s - 1));
        let ones = b.identity((0, 0), (2 * s - 1) * n);
        let (mut uu, mut uw, mut uw_curvature, mut ul) = (vec![], vec![], vec![], vec![]);
        for i in 0..s {
            for j in 0..s - 1 {
                uu.push(b.block((u(i), u(j)), &shape.hessian_qp));
                ul.push(b.transposed((u(i), l(j)), &shape.jacobian));
                if j > 0 {
                    uw.push(b.block((u(i), w(j)), &shape.hessian_qq));
                    uw_curvature.push(b.block((u(i), w(j)), &shape.curvature));
                }
            }
        }
        let (mut wu, mut ww, mut lw) = (vec![], vec![], vec![]);
        for i in 1..s {
            for j in 0..s {
                wu.push(b.block((w(i), u(j)), &shape.hessian_pp));
                if j > 0 {
                    ww.push(b.transposed((w(i), w(j)), &shape.hessian_qp));
                }
            }
            lw.push(b.block((l(i - 1), w(i)), &shape.jacobian));
        }
        let blocks = b.build()?;
        let rows =
            [vec![(Kind::Momentum, n); s], vec![(Kind::Coordinate, n); s - 1], vec![(Kind::Constraint, m); s - 1]];
        let site = plan.newton(blocks.pattern.clone(), rows.concat());
        let hidden = (m > 0).then(|| plan.newton(gram.pattern().clone(), vec![(Kind::HiddenConstraint, m)]));
        let coefficients = Coefficients::new(s);
        let shape = shape.clone();
        Ok(Arc::new(Scheme {
            shape,
            coefficients,
            gram,
            stages: site,
            hidden,
            blocks,
            ones,
            uu,
            uw,
            uw_curvature,
            ul,
            wu,
            ww,
            lw,
        }))
    }

    pub(crate) fn stepper<'s, S: Scalar + 's>(
        self: &Arc<Self>,
        system: Box<dyn Canonical<S> + 's>,
    ) -> Box<dyn Stepper<S> + 's> {
        let zero = |len: usize| vec![S::from_f64(0.0); len];
        let shape = &self.shape;
        let (n, m, s) = (shape.coordinates, shape.constraints, self.coefficients.stages());
        Box::new(Lobatto {
            unknowns: zero((2 * s - 1) * n + (s - 1) * m),
            mu: zero(m),
            stages: Stages {
                p: vec![zero(n); s],
                q: vec![zero(n); s],
                force: vec![zero(n); s],
                kick: vec![zero(n); s],
                velocity: vec![zero(n); s],
                g: vec![zero(shape.jacobian.len()); s],
                matrix: zero(matrix_len(shape)),
                dp: zero(n),
                p1: zero(n),
                gram: self.gram.work(),
            },
            scheme: self.clone(),
            system,
        })
    }
}

/// Room for any of the matrices of a stage.
fn matrix_len(shape: &CanonicalShape) -> usize {
    let lengths = [&shape.hessian_qq, &shape.hessian_qp, &shape.hessian_pp, &shape.curvature].map(|p| p.len());
    lengths.into_iter().max().unwrap_or(0)
}

struct Lobatto<'s, S> {
    scheme: Arc<Scheme>,
    system: Box<dyn Canonical<S> + 's>,
    unknowns: Vec<S>,
    mu: Vec<S>,
    stages: Stages<S>,
}

struct Stages<S> {
    p: Vec<Vec<S>>,
    q: Vec<Vec<S>>,
    /// H_q at each stage.
    force: Vec<Vec<S>>,
    /// H_q + GᵀΛ.
    kick: Vec<Vec<S>>,
    velocity: Vec<Vec<S>>,
    g: Vec<Vec<S>>,
    matrix: Vec<S>,
    /// p₁ − p without Λ_s.
    dp: Vec<S>,
    p1: Vec<S>,
    gram: GramWork<S>,
}

impl<S: Scalar> Stepper<S> for Lobatto<'_, S> {
    fn step(&mut self, machine: &mut dyn Machine<S>, h: S, from: &State<S>, to: &mut State<S>) -> Result<(), Failure> {
        let Lobatto { scheme, system, unknowns, mu, stages } = self;
        let (shape, c) = (&scheme.shape, &scheme.coefficients);
        let (n, s) = (shape.coordinates, c.stages());
        let system = system.as_mut();
        stages.predict(scheme, system, h, from, unknowns)?;
        machine.newton(scheme.stages, unknowns, &mut |x, r, jacobian| {
            stages.place(scheme, from, x);
            stages.residual(scheme, system, h, x, r)?;
            stages.fill(scheme, system, h, x, jacobian)
        })?;
        stages.place(scheme, from, unknowns);
        stages.evaluate(scheme, system, unknowns)?;
        for k in 0..n {
            let sum = (1..s - 1).fold(c.b::<S>(0) * stages.kick[0][k], |sum, j| sum + c.b::<S>(j) * stages.kick[j][k]);
            stages.dp[k] = -(h * sum);
        }
        let weight = h * c.b::<S>(s - 1);
        mu.fill(S::from_f64(0.0));
        if let Some(site) = scheme.hidden {
            machine.newton(site, mu, &mut |mu, r, jacobian| {
                stages.end(scheme, weight, from, mu);
                let Stages { q, p1, velocity, g, matrix, gram, .. } = &mut *stages;
                system.hamiltonian_p(&q[s - 1], p1, &mut velocity[s - 1])?;
                times(&shape.jacobian, &g[s - 1], &velocity[s - 1], r);
                let hpp = &mut matrix[..shape.hessian_pp.len()];
                system.hessian_pp(&q[s - 1], p1, hpp)?;
                scheme.gram.evaluate(-weight, (&g[s - 1], hpp, &g[s - 1]), gram, jacobian);
                Ok(())
            })?;
        }
        stages.end(scheme, weight, from, mu);
        for k in 0..n {
            let dp = stages.dp[k] - weight * stages.kick[s - 1][k];
            let dq = unknowns[(2 * s - 2) * n + k];
            (to.values[k], to.carry[k]) = carried(from.values[k], from.carry[k], dq);
            (to.values[n + k], to.carry[n + k]) = carried(from.values[n + k], from.carry[n + k], dp);
        }
        Ok(())
    }
}

impl<S: Scalar> Stages<S> {
    /// A first guess: the rates at the start, without the constraints, as in [`rattle`](super::rattle).
    fn predict(
        &mut self,
        scheme: &Scheme,
        system: &mut (dyn Canonical<S> + '_),
        h: S,
        from: &State<S>,
        x: &mut [S],
    ) -> Result<(), Failure> {
        let (shape, c) = (&scheme.shape, &scheme.coefficients);
        let (n, s) = (shape.coordinates, c.stages());
        let (q, p) = from.values.split_at(n);
        x[(2 * s - 1) * n..].fill(S::from_f64(0.0));
        system.hamiltonian_q(q, p, &mut self.force[0])?;
        system.hamiltonian_p(q, p, &mut self.velocity[0])?;
        for i in 0..s {
            let factor = h * c.c::<S>(i);
            for k in 0..n {
                x[i * n + k] = -(factor * self.force[0][k]);
                if i > 0 {
                    x[(s + i - 1) * n + k] = factor * self.velocity[0][k];
                }
            }
        }
        Ok(())
    }

    /// Pᵢ and Qᵢ.
    fn place(&mut self, scheme: &Scheme, from: &State<S>, x: &[S]) {
        let (n, s) = (scheme.shape.coordinates, scheme.coefficients.stages());
        for i in 0..s {
            for k in 0..n {
                self.p[i][k] = carried(from.values[n + k], from.carry[n + k], x[i * n + k]).0;
                self.q[i][k] = match i {
                    0 => from.values[k],
                    _ => carried(from.values[k], from.carry[k], x[(s + i - 1) * n + k]).0,
                };
            }
        }
    }

    /// Forces, kicks (the last without its multiplier), velocities and Jacobians at all stages.
    fn evaluate(&mut self, scheme: &Scheme, system: &mut (dyn Canonical<S> + '_), x: &[S]) -> Result<(), Failure> {
        let shape = &scheme.shape;
        let (n, m, s) = (shape.coordinates, shape.constraints, scheme.coefficients.stages());
        let lambda = &x[(2 * s - 1) * n..];
        for j in 0..s {
            system.hamiltonian_q(&self.q[j], &self.p[j], &mut self.force[j])?;
            system.hamiltonian_p(&self.q[j], &self.p[j], &mut self.velocity[j])?;
            system.jacobian(&self.q[j], &mut self.g[j])?;
            if j + 1 < s {
                let own = &lambda[j * m..(j + 1) * m];
                plus_transposed_times(&shape.jacobian, &self.g[j], own, &self.force[j], &mut self.kick[j]);
            }
        }
        Ok(())
    }

    fn residual(
        &mut self,
        scheme: &Scheme,
        system: &mut (dyn Canonical<S> + '_),
        h: S,
        x: &[S],
        r: &mut [S],
    ) -> Result<(), Failure> {
        self.evaluate(scheme, system, x)?;
        let (shape, c) = (&scheme.shape, &scheme.coefficients);
        let (n, m, s) = (shape.coordinates, shape.constraints, c.stages());
        for i in 0..s {
            for k in 0..n {
                let push = (1..s - 1)
                    .fold(c.a_hat::<S>(i, 0) * self.kick[0][k], |sum, j| sum + c.a_hat::<S>(i, j) * self.kick[j][k]);
                r[i * n + k] = x[i * n + k] + h * push;
                if i > 0 {
                    let row = (s + i - 1) * n + k;
                    let drift = (1..s).fold(c.a::<S>(i, 0) * self.velocity[0][k], |sum, j| {
                        sum + c.a::<S>(i, j) * self.velocity[j][k]
                    });
                    r[row] = x[row] - h * drift;
                }
            }
            if i > 0 {
                let row = (2 * s - 1) * n + (i - 1) * m;
                system.constraints(&self.q[i], &mut r[row..row + m])?;
            }
        }
        Ok(())
    }

    fn fill(
        &mut self,
        scheme: &Scheme,
        system: &mut (dyn Canonical<S> + '_),
        h: S,
        x: &[S],
        jacobian: &mut [S],
    ) -> Result<(), Failure> {
        let Scheme { shape, coefficients: c, blocks, .. } = scheme;
        let (n, m, s) = (shape.coordinates, shape.constraints, c.stages());
        let lambda = &x[(2 * s - 1) * n..];
        jacobian.fill(S::from_f64(0.0));
        blocks.add_identity(scheme.ones, S::from_f64(1.0), jacobian);
        for j in 0..s {
            let (q, p) = (&self.q[j], &self.p[j]);
            let qp = &mut self.matrix[..shape.hessian_qp.len()];
            system.hessian_qp(q, p, qp)?;
            for i in 0..s {
                if j + 1 < s {
                    blocks.add(scheme.uu[i * (s - 1) + j], h * c.a_hat::<S>(i, j), qp, jacobian);
                }
                if i > 0 && j > 0 {
                    blocks.add(scheme.ww[(i - 1) * (s - 1) + j - 1], -(h * c.a::<S>(i, j)), qp, jacobian);
                }
            }
            let pp = &mut self.matrix[..shape.hessian_pp.len()];
            system.hessian_pp(q, p, pp)?;
            (1..s).for_each(|i| blocks.add(scheme.wu[(i - 1) * s + j], -(h * c.a::<S>(i, j)), pp, jacobian));
            if j + 1 < s {
                (0..s).for_each(|i| {
                    blocks.add(scheme.ul[i * (s - 1) + j], h * c.a_hat::<S>(i, j), &self.g[j], jacobian);
                });
            }
            if j > 0 && j + 1 < s {
                let qq = &mut self.matrix[..shape.hessian_qq.len()];
                system.hessian_qq(q, p, qq)?;
                let place = |i: usize| i * (s - 2) + j - 1;
                (0..s).for_each(|i| blocks.add(scheme.uw[place(i)], h * c.a_hat::<S>(i, j), qq, jacobian));
                let bend = &mut self.matrix[..shape.curvature.len()];
                system.curvature(q, &lambda[j * m..(j + 1) * m], bend)?;
                (0..s).for_each(|i| blocks.add(scheme.uw_curvature[place(i)], h * c.a_hat::<S>(i, j), bend, jacobian));
            }
            if j > 0 {
                blocks.add(scheme.lw[j - 1], S::from_f64(1.0), &self.g[j], jacobian);
            }
        }
        Ok(())
    }

    /// p₁ for Λ_s = μ.
    fn end(&mut self, scheme: &Scheme, weight: S, from: &State<S>, mu: &[S]) {
        let (n, last) = (scheme.shape.coordinates, scheme.coefficients.stages() - 1);
        plus_transposed_times(&scheme.shape.jacobian, &self.g[last], mu, &self.force[last], &mut self.kick[last]);
        for k in 0..n {
            let dp = self.dp[k] - weight * self.kick[last][k];
            self.p1[k] = carried(from.values[n + k], from.carry[n + k], dp).0;
        }
    }
}
