//! The symmetric projection: the same displacement before and after the step.
//!
//! ```text
//! z̃ = z + D(z)μ,   z̃₁ = Φ(z̃),   z₁ = z̃₁ + D(z₁)μ,   φ(q₁) = 0, G(q₁) H_p(z₁) = 0
//! ```
//!
//! with D(z)(ν, λ) = (H_pp Gᵀν, −Gᵀλ). If Φ is symmetric, so is z → z₁. Solved by fixed-point
//! iteration on (z₁, z̃), in which z̃ is corrected along D(z) by ½Q⁻¹ times the residuals at z₁,
//! Q = G H_pp Gᵀ at z: a contraction with a factor of the size of the step. The multipliers, which
//! are small and known to their own size only, follow from z̃ − z: ν = Q⁻¹G δq, λ = −Q⁻¹G H_pp δp.
//!
//! E. Hairer, BIT 40 (2000) 726; Geometric Numerical Integration, V.4.1.

use super::{ManifoldProjection, count};
use crate::sparse::GramWork;
use crate::vector::{add, add_transposed_times, advanced, clear, difference, negate, scaled, subtract, times, zeros};
use cotangent_dynamics::{Canonical, Failure, Machine, MemoryLayout, Site, State, Stepper};
use cotangent_scalar::Scalar;
use std::sync::Arc;

pub(super) fn stepper<'s, S: Scalar + 's>(
    planned: Arc<ManifoldProjection>,
    inner: Box<dyn Stepper<S> + 's>,
    manifold: Box<dyn Canonical<S> + 's>,
    (fixed_point, linear): (Site, Site),
    memory: &MemoryLayout,
) -> Box<dyn Stepper<S> + 's> {
    let (n, m) = (planned.shape.coordinates, planned.shape.constraints);
    let (g, hpp) = (planned.shape.jacobian.len(), planned.shape.hessian_pp.len());
    let state = State::new(zeros(2 * n), inner.memory());
    let pass = Pass {
        inner,
        system: manifold,
        linear,
        g0: zeros(g),
        hpp0: zeros(hpp),
        q: zeros(planned.gram.pattern().len()),
        gram: planned.gram.work(),
        g1: zeros(g),
        hpp1: zeros(hpp),
        multipliers: zeros(2 * m),
        residual: zeros(m),
        force: zeros(n),
        change: zeros(2 * n),
        shift: zeros(2 * n),
        from: state.clone(),
        to: state,
        planned,
    };
    Box::new(Symmetric { pass, memory: memory.clone(), fixed_point, unknowns: zeros(4 * n) })
}

struct Symmetric<'s, S> {
    pass: Pass<'s, S>,
    memory: MemoryLayout,
    fixed_point: Site,
    /// (z₁, z̃).
    unknowns: Vec<S>,
}

/// One iteration, and what it needs.
struct Pass<'s, S> {
    planned: Arc<ManifoldProjection>,
    inner: Box<dyn Stepper<S> + 's>,
    system: Box<dyn Canonical<S> + 's>,
    linear: Site,
    /// G, H_pp and 2Q at z.
    g0: Vec<S>,
    hpp0: Vec<S>,
    q: Vec<S>,
    gram: GramWork<S>,
    /// G and H_pp at z₁.
    g1: Vec<S>,
    hpp1: Vec<S>,
    /// (ν, λ).
    multipliers: Vec<S>,
    residual: Vec<S>,
    force: Vec<S>,
    /// z̃ − z, and twice that or a displacement.
    change: Vec<S>,
    shift: Vec<S>,
    from: State<S>,
    to: State<S>,
}

impl<S: Scalar> Stepper<S> for Symmetric<'_, S> {
    fn memory(&self) -> usize {
        self.memory.len()
    }

    fn step(&mut self, machine: &mut dyn Machine<S>, h: S, from: &State<S>, to: &mut State<S>) -> Result<(), Failure> {
        let Symmetric { pass, memory, fixed_point, unknowns } = self;
        let size = from.values.len();
        unknowns[..size].copy_from_slice(&from.values);
        unknowns[size..].copy_from_slice(&from.values);
        pass.begin(from)?;
        machine.fixed_point(*fixed_point, unknowns, &mut |machine, x, next| {
            let (z1, shifted) = x.split_at(size);
            pass.forward(machine, h, from, (z1, shifted), to)?;
            let (next_z1, next_shifted) = next.split_at_mut(size);
            next_z1.copy_from_slice(&to.values);
            pass.correct(machine, &to.values, shifted, next_shifted)
        })?;
        let (z1, shifted) = unknowns.split_at(size);
        pass.forward(machine, h, from, (z1, shifted), to)?;
        count(memory, [true; 2], &from.memory, &mut to.memory)
    }
}

impl<S: Scalar> Pass<'_, S> {
    fn begin(&mut self, from: &State<S>) -> Result<(), Failure> {
        let (q, p) = from.values.split_at(self.planned.shape.coordinates);
        self.system.jacobian(q, &mut self.g0)?;
        self.system.hessian_pp(q, p, &mut self.hpp0)?;
        self.planned.gram.evaluate(S::from_f64(2.0), (&self.g0, &self.hpp0, &self.g0), &mut self.gram, &mut self.q);
        let own = self.inner.memory();
        self.from.memory.copy_from_slice(&from.memory[..own]);
        Ok(())
    }

    /// `to` = Φ(z̃) + D(z₁)μ, with the μ that z̃ shows.
    fn forward(
        &mut self,
        machine: &mut dyn Machine<S>,
        h: S,
        from: &State<S>,
        (z1, shifted): (&[S], &[S]),
        to: &mut State<S>,
    ) -> Result<(), Failure> {
        let shape = &self.planned.shape;
        let (n, m) = (shape.coordinates, shape.constraints);
        difference(shifted, &from.values, &mut self.change);
        advanced((&from.values, &from.carry), &self.change, (&mut self.from.values, &mut self.from.carry));
        scaled(S::from_f64(2.0), &self.change, &mut self.shift);
        times(&shape.jacobian, &self.g0, &self.shift[..n], &mut self.residual);
        solve(machine, self.linear, &self.planned, &self.q, &self.residual, &mut self.multipliers[..m])?;
        times(&shape.hessian_pp, &self.hpp0, &self.shift[n..], &mut self.force);
        times(&shape.jacobian, &self.g0, &self.force, &mut self.residual);
        negate(&mut self.residual);
        solve(machine, self.linear, &self.planned, &self.q, &self.residual, &mut self.multipliers[m..])?;

        self.inner.step(machine, h, &self.from, &mut self.to)?;
        let (q1, p1) = z1.split_at(n);
        self.system.jacobian(q1, &mut self.g1)?;
        self.system.hessian_pp(q1, p1, &mut self.hpp1)?;
        self.displace(true);
        advanced((&self.to.values, &self.to.carry), &self.shift, (&mut to.values, &mut to.carry));
        to.memory[..self.to.memory.len()].copy_from_slice(&self.to.memory);
        Ok(())
    }

    /// The next z̃: corrected along D(z) by half of what would remove the residuals at z₁.
    fn correct(
        &mut self,
        machine: &mut dyn Machine<S>,
        z1: &[S],
        shifted: &[S],
        next: &mut [S],
    ) -> Result<(), Failure> {
        let shape = &self.planned.shape;
        let (n, m) = (shape.coordinates, shape.constraints);
        let (q1, p1) = z1.split_at(n);
        self.system.constraints(q1, &mut self.residual)?;
        negate(&mut self.residual);
        solve(machine, self.linear, &self.planned, &self.q, &self.residual, &mut self.multipliers[..m])?;
        self.system.jacobian(q1, &mut self.g1)?;
        self.system.hamiltonian_p(q1, p1, &mut self.force)?;
        times(&shape.jacobian, &self.g1, &self.force, &mut self.residual);
        solve(machine, self.linear, &self.planned, &self.q, &self.residual, &mut self.multipliers[m..])?;
        self.displace(false);
        next.copy_from_slice(shifted);
        add(next, &self.shift);
        Ok(())
    }

    /// shift = D(ν, λ), with the matrices at z₁ (`ahead`) or at z.
    fn displace(&mut self, ahead: bool) {
        let shape = &self.planned.shape;
        let (g, hpp) = if ahead { (&self.g1, &self.hpp1) } else { (&self.g0, &self.hpp0) };
        let (nu, lambda) = self.multipliers.split_at(shape.constraints);
        let (dq, dp) = self.shift.split_at_mut(shape.coordinates);
        clear(&mut self.force);
        add_transposed_times(&shape.jacobian, g, nu, &mut self.force);
        times(&shape.hessian_pp, hpp, &self.force, dq);
        clear(dp);
        add_transposed_times(&shape.jacobian, g, lambda, dp);
        negate(dp);
    }
}

/// Solves 2Q x = b.
fn solve<S: Scalar>(
    machine: &mut dyn Machine<S>,
    site: Site,
    planned: &ManifoldProjection,
    q: &[S],
    b: &[S],
    x: &mut [S],
) -> Result<(), Failure> {
    clear(x);
    machine.newton(site, x, &mut |x, r, jacobian| {
        times(planned.gram.pattern(), q, x, r);
        subtract(r, b);
        jacobian.copy_from_slice(q);
        Ok(())
    })
}
