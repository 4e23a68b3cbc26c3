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

use super::{COUNTERS, Scheme};
use crate::sparse::{GramWork, plus_transposed_times, times};
use cotangent_dynamics::{Canonical, Failure, Machine, Site, State, Stepper, carried};
use cotangent_scalar::Scalar;
use std::sync::Arc;

pub(super) fn stepper<'s, S: Scalar + 's>(
    scheme: Arc<Scheme>,
    inner: Box<dyn Stepper<S> + 's>,
    manifold: Box<dyn Canonical<S> + 's>,
    (fixed_point, linear): (Site, Site),
) -> Box<dyn Stepper<S> + 's> {
    let zero = |len: usize| vec![S::from_f64(0.0); len];
    let (n, m) = (scheme.shape.coordinates, scheme.shape.constraints);
    let (g, hpp) = (scheme.shape.jacobian.len(), scheme.shape.hessian_pp.len());
    let state = State::new(zero(2 * n), inner.memory());
    let pass = Pass {
        inner,
        system: manifold,
        linear,
        g0: zero(g),
        hpp0: zero(hpp),
        q: zero(scheme.gram.pattern().len()),
        gram: scheme.gram.work(),
        g1: zero(g),
        hpp1: zero(hpp),
        multipliers: zero(2 * m),
        residual: zero(m),
        zeros: zero(n),
        force: zero(n),
        shift: zero(2 * n),
        from: state.clone(),
        to: state,
        scheme,
    };
    Box::new(Symmetric { pass, fixed_point, unknowns: zero(4 * n) })
}

struct Symmetric<'s, S> {
    pass: Pass<'s, S>,
    fixed_point: Site,
    /// (z₁, z̃).
    unknowns: Vec<S>,
}

/// One iteration, and what it needs.
struct Pass<'s, S> {
    scheme: Arc<Scheme>,
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
    zeros: Vec<S>,
    force: Vec<S>,
    shift: Vec<S>,
    from: State<S>,
    to: State<S>,
}

impl<S: Scalar> Stepper<S> for Symmetric<'_, S> {
    fn memory(&self) -> usize {
        self.pass.inner.memory() + COUNTERS
    }

    fn step(&mut self, machine: &mut dyn Machine<S>, h: S, from: &State<S>, to: &mut State<S>) -> Result<(), Failure> {
        let Symmetric { pass, fixed_point, unknowns } = self;
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
        let own = pass.inner.memory();
        for k in own..own + COUNTERS {
            to.memory[k] = from.memory[k] + S::from_f64(1.0);
        }
        Ok(())
    }
}

impl<S: Scalar> Pass<'_, S> {
    fn begin(&mut self, from: &State<S>) -> Result<(), Failure> {
        let (q, p) = from.values.split_at(self.scheme.shape.coordinates);
        self.system.jacobian(q, &mut self.g0)?;
        self.system.hessian_pp(q, p, &mut self.hpp0)?;
        self.scheme.gram.evaluate(S::from_f64(2.0), (&self.g0, &self.hpp0, &self.g0), &mut self.gram, &mut self.q);
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
        let shape = &self.scheme.shape;
        let (n, m) = (shape.coordinates, shape.constraints);
        let two = S::from_f64(2.0);
        for k in 0..2 * n {
            let change = shifted[k] - from.values[k];
            (self.from.values[k], self.from.carry[k]) = carried(from.values[k], from.carry[k], change);
            self.shift[k] = two * change;
        }
        times(&shape.jacobian, &self.g0, &self.shift[..n], &mut self.residual);
        solve(machine, self.linear, &self.scheme, &self.q, &self.residual, &mut self.multipliers[..m])?;
        times(&shape.hessian_pp, &self.hpp0, &self.shift[n..], &mut self.force);
        times(&shape.jacobian, &self.g0, &self.force, &mut self.residual);
        self.residual.iter_mut().for_each(|r| *r = -*r);
        solve(machine, self.linear, &self.scheme, &self.q, &self.residual, &mut self.multipliers[m..])?;

        self.inner.step(machine, h, &self.from, &mut self.to)?;
        let (q1, p1) = z1.split_at(n);
        self.system.jacobian(q1, &mut self.g1)?;
        self.system.hessian_pp(q1, p1, &mut self.hpp1)?;
        self.displace(true);
        for k in 0..2 * n {
            (to.values[k], to.carry[k]) = carried(self.to.values[k], self.to.carry[k], self.shift[k]);
        }
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
        let shape = &self.scheme.shape;
        let (n, m) = (shape.coordinates, shape.constraints);
        let (q1, p1) = z1.split_at(n);
        self.system.constraints(q1, &mut self.residual)?;
        self.residual.iter_mut().for_each(|r| *r = -*r);
        solve(machine, self.linear, &self.scheme, &self.q, &self.residual, &mut self.multipliers[..m])?;
        self.system.jacobian(q1, &mut self.g1)?;
        self.system.hamiltonian_p(q1, p1, &mut self.force)?;
        times(&shape.jacobian, &self.g1, &self.force, &mut self.residual);
        solve(machine, self.linear, &self.scheme, &self.q, &self.residual, &mut self.multipliers[m..])?;
        self.displace(false);
        for k in 0..2 * n {
            next[k] = shifted[k] + self.shift[k];
        }
        Ok(())
    }

    /// shift = D(ν, λ), with the matrices at z₁ (`ahead`) or at z.
    fn displace(&mut self, ahead: bool) {
        let shape = &self.scheme.shape;
        let (g, hpp) = if ahead { (&self.g1, &self.hpp1) } else { (&self.g0, &self.hpp0) };
        let (nu, lambda) = self.multipliers.split_at(shape.constraints);
        let (dq, dp) = self.shift.split_at_mut(shape.coordinates);
        plus_transposed_times(&shape.jacobian, g, nu, &self.zeros, &mut self.force);
        times(&shape.hessian_pp, hpp, &self.force, dq);
        plus_transposed_times(&shape.jacobian, g, lambda, &self.zeros, dp);
        dp.iter_mut().for_each(|x| *x = -*x);
    }
}

/// Solves 2Q x = b.
fn solve<S: Scalar>(
    machine: &mut dyn Machine<S>,
    site: Site,
    scheme: &Scheme,
    q: &[S],
    b: &[S],
    x: &mut [S],
) -> Result<(), Failure> {
    x.fill(S::from_f64(0.0));
    machine.newton(site, x, &mut |x, r, jacobian| {
        times(scheme.gram.pattern(), q, x, r);
        r.iter_mut().zip(b).for_each(|(r, &b)| *r = *r - b);
        jacobian.copy_from_slice(q);
        Ok(())
    })
}
