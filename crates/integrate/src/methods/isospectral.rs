//! Isospectral methods for matrix algebras: Poisson maps that keep the eigenvalues of W, for any energy.
//!
//! With Ω(W) the gradient of the energy, Ẇ = [W, Ω] is what the canonical equations Q̇ = −ΩQ, Ṗ = ΩᵀP of the energy
//! H(Q Pᵀ) make of W = Q Pᵀ. Gauss collocation of these, started at Q = 1, Pᵀ = W, closes in W:
//!
//! ```text
//! Qᵢ = 1 − Σⱼ μᵢⱼ Gⱼ Qⱼ,   Rᵢ = W + Σⱼ μᵢⱼ Rⱼ Gⱼ,   Gⱼ = h bⱼ Ω(Qⱼ Rⱼ),   μᵢⱼ = aᵢⱼ/bⱼ
//! W₁ = W + Σⱼ [Qⱼ Rⱼ, Gⱼ]
//! ```
//!
//! *Poisson.* The method is symplectic in (Q, P), and W is a momentum map, invariant under Q → QA, P → PA⁻ᵀ, with which
//! the method commutes. *Spectrum.* R Q is a quadratic invariant, so that W₁ = Q₁ W Q₁⁻¹. *Algebra.* In so, u and sp the
//! Q₁ are elements of the group for the same reason, and the Qⱼ Rⱼ of the algebra. In sl and su the energy is one on gl
//! and u that does not depend on the last entry of the diagonal: the trace is a Casimir there. One stage is the isospectral midpoint rule
//!
//! ```text
//! W = (1 + ½hΩ) W̃ (1 − ½hΩ),   W₁ = (1 − ½hΩ) W̃ (1 + ½hΩ),   Ω = Ω(W̃).
//! ```
//!
//! The unknowns are Qᵢ − 1 and Rᵢ − W, found by fixed-point iteration.
//!
//! K. Modin & M. Viviani, Found. Comput. Math. 20 (2020) 889.

use crate::card::{Card, Keeps, KeepsBracket, Needs};
use crate::coefficients::Gauss;
use crate::vector::{add, advanced, clear, combination, zeros};
use cotangent_dynamics::{Failure, Kind, Machine, MatrixBlock, Plan, Poisson, Site, State, Stepper};
use cotangent_scalar::Scalar;
use std::sync::Arc;

pub(crate) const MIDPOINT: Card = Card {
    name: "isospectral-midpoint",
    summary: "the midpoint rule for matrix algebras: a Poisson map that keeps eigenvalues, second order, symmetric",
    order: 2,
    symplectic: false,
    bracket: KeepsBracket::Any,
    symmetric: true,
    constraints: Keeps::ByEquations,
    hidden_constraints: Keeps::ByEquations,
    quadratic_invariants: false,
    energy: false,
    needs: Needs::Matrices,
    explicit: "never",
    scheme: &["W = (1 + h/2 Ω) V (1 − h/2 Ω),   W₁ = (1 − h/2 Ω) V (1 + h/2 Ω),   Ω = Ω(V)"],
    solution: "For variables that are the entries of matrices W of gl, sl, so, u, su or sp with W′ = [W, Ω], Ω = Ω(W) the \
        gradient of any energy. V by fixed-point iteration, which fails for steps that are too long for it. W₁ is similar to \
        W: eigenvalues stay what they are.",
    reference: "K. Modin & M. Viviani, Found. Comput. Math. 20 (2020) 889",
};

pub(crate) fn card(stages: usize) -> Card {
    Card {
        name: "isospectral-gauss",
        summary: "Gauss collocation for matrix algebras: a Poisson map that keeps eigenvalues, order 2s with s stages, symmetric",
        order: 2 * stages as u32,
        scheme: &[
            "Qᵢ = 1 − h Σⱼ aᵢⱼ Ωⱼ Qⱼ,   Rᵢ = W + h Σⱼ aᵢⱼ Rⱼ Ωⱼ,   Ωⱼ = Ω(Qⱼ Rⱼ),   i = 1 … s",
            "W₁ = W + h Σⱼ bⱼ [Qⱼ Rⱼ, Ωⱼ]",
        ],
        solution: "For variables that are the entries of matrices W of gl, sl, so, u, su or sp with W′ = [W, Ω], Ω = Ω(W) the \
            gradient of any energy. The nodes are those of Gauss–Legendre quadrature (`--stages S`, 2 unless said \
            otherwise). Qᵢ and Rᵢ by fixed-point iteration, which fails for steps that are too long for it. W₁ is similar \
            to W: eigenvalues stay what they are.",
        ..MIDPOINT
    }
}

/// The method, planned.
#[derive(Clone, Debug)]
pub(crate) struct Isospectral {
    blocks: Vec<MatrixBlock>,
    coefficients: Gauss,
    /// The number of entries of all matrices together.
    entries: usize,
    dimension: usize,
    site: Site,
}

impl Isospectral {
    pub(crate) fn new(blocks: Vec<MatrixBlock>, stages: usize, plan: &mut Plan) -> Arc<Isospectral> {
        let entries = blocks.iter().map(|b| b.rows * b.rows).sum();
        let dimension = blocks.iter().map(|b| b.variables.len()).sum();
        // Q and R are of different sizes.
        let site = plan.fixed_point(vec![(Kind::Matrix, entries); 2 * stages]);
        Arc::new(Isospectral { blocks, coefficients: Gauss::new(stages), entries, dimension, site })
    }

    pub(crate) fn stepper<'s, S: Scalar + 's>(
        self: &Arc<Self>,
        system: Box<dyn Poisson<S> + 's>,
    ) -> Box<dyn Stepper<S> + 's> {
        let (s, m) = (self.coefficients.stages(), self.entries);
        Box::new(IsospectralStepper {
            unknowns: zeros(2 * s * m),
            increment: zeros(self.dimension),
            pass: Pass {
                system,
                matrix: zeros(m),
                q: zeros(m),
                r: zeros(m),
                g: zeros(m),
                product: zeros(m),
                left: zeros(s * m),
                right: zeros(s * m),
                stage: zeros(self.dimension),
                gradient: zeros(self.dimension),
            },
            method: self.clone(),
        })
    }

    /// The blocks, each with the place of its entries.
    fn blocks(&self) -> impl Iterator<Item = (&MatrixBlock, std::ops::Range<usize>)> {
        let mut first = 0;
        self.blocks.iter().map(move |block| {
            let own = first..first + block.rows * block.rows;
            first = own.end;
            (block, own)
        })
    }

    /// W = Σ zₐ Dₐ.
    fn matrices<S: Scalar>(&self, z: &[S], out: &mut [S]) {
        self.combined(|block| &block.basis, z, S::from_f64(1.0), out);
    }

    /// Σ t xₐ Eₐ for one of the bases.
    fn combined<S: Scalar>(
        &self,
        basis: impl Fn(&MatrixBlock) -> &Vec<Vec<(usize, usize, f64)>>,
        x: &[S],
        t: S,
        out: &mut [S],
    ) {
        clear(out);
        for (block, own) in self.blocks() {
            let out = &mut out[own];
            for (entries, &a) in basis(block).iter().zip(&block.variables) {
                for &(i, j, value) in entries {
                    let out = &mut out[i * block.rows + j];
                    *out = *out + S::from_f64(value) * (t * x[a]);
                }
            }
        }
    }

    /// zₐ = tr(Fₐ W)/ν.
    fn coordinates<S: Scalar>(&self, matrix: &[S], out: &mut [S]) {
        for (block, own) in self.blocks() {
            let matrix = &matrix[own];
            for (entries, &a) in block.dual.iter().zip(&block.variables) {
                let mut terms = entries.iter().map(|&(i, j, f)| S::from_f64(f) * matrix[j * block.rows + i]);
                let first = terms.next().unwrap_or_else(|| S::from_f64(0.0));
                out[a] = terms.fold(first, |sum, term| sum + term) / S::from_f64(block.norm);
            }
        }
    }

    /// out = A B, block by block.
    fn times<S: Scalar>(&self, a: &[S], b: &[S], out: &mut [S]) {
        for (block, own) in self.blocks() {
            let n = block.rows;
            let (a, b, out) = (&a[own.clone()], &b[own.clone()], &mut out[own]);
            for (i, row) in out.chunks_mut(n).enumerate() {
                for (j, out) in row.iter_mut().enumerate() {
                    let first = a[i * n] * b[j];
                    *out = (1..n).fold(first, |sum, k| sum + a[i * n + k] * b[k * n + j]);
                }
            }
        }
    }
}

struct IsospectralStepper<'s, S> {
    method: Arc<Isospectral>,
    /// Qᵢ − 1 and Rᵢ − W, for one stage after the other.
    unknowns: Vec<S>,
    increment: Vec<S>,
    pass: Pass<'s, S>,
}

struct Pass<'s, S> {
    system: Box<dyn Poisson<S> + 's>,
    /// W.
    matrix: Vec<S>,
    q: Vec<S>,
    r: Vec<S>,
    g: Vec<S>,
    product: Vec<S>,
    /// Gⱼ Qⱼ.
    left: Vec<S>,
    /// Rⱼ Gⱼ.
    right: Vec<S>,
    stage: Vec<S>,
    gradient: Vec<S>,
}

impl<S: Scalar> Stepper<S> for IsospectralStepper<'_, S> {
    fn step(&mut self, machine: &mut dyn Machine<S>, h: S, from: &State<S>, to: &mut State<S>) -> Result<(), Failure> {
        let IsospectralStepper { method, unknowns, increment, pass } = self;
        method.matrices(&from.values, &mut pass.matrix);
        clear(unknowns);
        let (s, m) = (method.coefficients.stages(), method.entries);
        machine.fixed_point(method.site, unknowns, &mut |_, x, next| {
            (0..s).try_for_each(|j| pass.stage(method, h, j, x))?;
            for (i, next) in next.chunks_mut(2 * m).enumerate() {
                let (q, r) = next.split_at_mut(m);
                let mu = |j: usize| method.coefficients.mu(i, j).value::<S>(&[]);
                combination((0..s).map(|j| (-mu(j), &pass.left[j * m..][..m])), q);
                combination((0..s).map(|j| (mu(j), &pass.right[j * m..][..m])), r);
            }
            Ok(())
        })?;
        clear(increment);
        for j in 0..s {
            pass.stage(method, h, j, unknowns)?;
            pass.commutator(method, j);
            method.coordinates(&pass.product, &mut pass.stage);
            add(increment, &pass.stage);
        }
        to.memory.copy_from_slice(&from.memory);
        advanced((&from.values, &from.carry), increment, (&mut to.values, &mut to.carry));
        Ok(())
    }
}

impl<S: Scalar> Pass<'_, S> {
    /// Gⱼ Qⱼ and Rⱼ Gⱼ at the unknowns.
    fn stage(&mut self, method: &Isospectral, h: S, j: usize, x: &[S]) -> Result<(), Failure> {
        let m = method.entries;
        let own = &x[2 * j * m..][..2 * m];
        self.q.copy_from_slice(&own[..m]);
        for (block, place) in method.blocks() {
            for k in 0..block.rows {
                let q = &mut self.q[place.start + k * (block.rows + 1)];
                *q = *q + S::from_f64(1.0);
            }
        }
        self.r.copy_from_slice(&own[m..]);
        add(&mut self.r, &self.matrix);
        method.times(&self.q, &self.r, &mut self.product);
        method.coordinates(&self.product, &mut self.stage);
        self.system.gradient(&self.stage, &mut self.gradient)?;
        let weight = h * method.coefficients.b(j).value::<S>(&[]);
        method.combined(|block| &block.dual, &self.gradient, weight, &mut self.g);
        method.times(&self.g, &self.q, &mut self.left[j * m..][..m]);
        method.times(&self.r, &self.g, &mut self.right[j * m..][..m]);
        Ok(())
    }

    /// [Qⱼ Rⱼ, Gⱼ] = Qⱼ (Rⱼ Gⱼ) − (Gⱼ Qⱼ) Rⱼ.
    fn commutator(&mut self, method: &Isospectral, j: usize) {
        let m = method.entries;
        method.times(&self.left[j * m..][..m], &self.r, &mut self.g);
        method.times(&self.q, &self.right[j * m..][..m], &mut self.product);
        crate::vector::subtract(&mut self.product, &self.g);
    }
}
