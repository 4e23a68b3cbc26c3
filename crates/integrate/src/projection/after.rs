//! Projections after a step.

use super::{COUNTERS, Scheme, is_due};
use crate::sparse::{GramWork, plus_transposed_times, times};
use cotangent_dynamics::{Canonical, Failure, Machine, State, Stepper, carried};
use cotangent_scalar::Scalar;
use cotangent_solve::Pattern;
use std::sync::Arc;

/// Projects states onto the constraint manifold.
pub(crate) struct Projector<'s, S> {
    scheme: Arc<Scheme>,
    system: Box<dyn Canonical<S> + 's>,
    zeros: Vec<S>,
    multipliers: Vec<S>,
    residual: Vec<S>,
    /// The sizes of the terms of each residual.
    sizes: Vec<S>,
    force: Vec<S>,
    /// The displacement, then where it leads.
    shift: Vec<S>,
    moved: Vec<S>,
    velocity: Vec<S>,
    g0: Vec<S>,
    g1: Vec<S>,
    hpp: Vec<S>,
    gram: GramWork<S>,
}

impl<'s, S: Scalar> Projector<'s, S> {
    pub(crate) fn new(scheme: Arc<Scheme>, system: Box<dyn Canonical<S> + 's>) -> Projector<'s, S> {
        let zero = |len: usize| vec![S::from_f64(0.0); len];
        let (n, m) = (scheme.shape.coordinates, scheme.shape.constraints);
        let (g, h) = (scheme.shape.jacobian.len(), scheme.shape.hessian_pp.len());
        Projector {
            system,
            zeros: zero(n),
            multipliers: zero(m),
            residual: zero(m),
            sizes: zero(m),
            force: zero(n),
            shift: zero(n),
            moved: zero(n),
            velocity: zero(n),
            g0: zero(g),
            g1: zero(g),
            hpp: zero(h),
            gram: scheme.gram.work(),
            scheme,
        }
    }

    /// Projects onto φ(q) = 0 if it is due; says whether it was.
    pub(crate) fn positions(&mut self, machine: &mut dyn Machine<S>, state: &mut State<S>) -> Result<bool, Failure> {
        let Projector { scheme, system, zeros, multipliers, residual, sizes, .. } = self;
        let (force, shift, moved, g0, g1, hpp, gram) = (
            &mut self.force,
            &mut self.shift,
            &mut self.moved,
            &mut self.g0,
            &mut self.g1,
            &mut self.hpp,
            &mut self.gram,
        );
        let shape = &scheme.shape;
        let n = shape.coordinates;
        let (q, p) = state.values.split_at(n);
        system.constraints(q, residual)?;
        if !is_due(machine, scheme.projection.above, residual)? {
            return Ok(false);
        }
        system.jacobian(q, g0)?;
        terms(&shape.jacobian, g0, q, residual, sizes);
        system.hessian_pp(q, p, hpp)?;
        let mut move_along = |nu: &[S], moved: &mut [S]| {
            plus_transposed_times(&shape.jacobian, g0, nu, zeros, force);
            times(&shape.hessian_pp, hpp, force, shift);
            (0..n).for_each(|j| moved[j] = carried(q[j], state.carry[j], shift[j]).0);
        };
        multipliers.fill(S::from_f64(0.0));
        machine.newton(scheme.position, multipliers, &mut |nu, r, jacobian| {
            move_along(nu, moved);
            system.constraints(moved, r)?;
            system.jacobian(moved, g1)?;
            scheme.gram.evaluate(S::from_f64(1.0), (g1, hpp, g0), gram, jacobian);
            divide(scheme.gram.pattern(), sizes, r, jacobian);
            Ok(())
        })?;
        move_along(multipliers, moved);
        for j in 0..n {
            (state.values[j], state.carry[j]) = carried(state.values[j], state.carry[j], shift[j]);
        }
        Ok(true)
    }

    /// Projects onto G(q) H_p(q, p) = 0 if it is due; says whether it was.
    pub(crate) fn momenta(&mut self, machine: &mut dyn Machine<S>, state: &mut State<S>) -> Result<bool, Failure> {
        let Projector { scheme, system, zeros, multipliers, residual, sizes, .. } = self;
        let (shift, moved, velocity, g0, hpp, gram) =
            (&mut self.shift, &mut self.moved, &mut self.velocity, &mut self.g0, &mut self.hpp, &mut self.gram);
        let shape = &scheme.shape;
        let n = shape.coordinates;
        let (q, p) = state.values.split_at(n);
        system.jacobian(q, g0)?;
        system.hamiltonian_p(q, p, velocity)?;
        times(&shape.jacobian, g0, velocity, residual);
        terms(&shape.jacobian, g0, velocity, residual, sizes);
        if !is_due(machine, scheme.projection.above, residual)? {
            return Ok(false);
        }
        let mut move_along = |lambda: &[S], moved: &mut [S]| {
            plus_transposed_times(&shape.jacobian, g0, lambda, zeros, shift);
            (0..n).for_each(|j| moved[j] = carried(p[j], state.carry[n + j], -shift[j]).0);
        };
        multipliers.fill(S::from_f64(0.0));
        machine.newton(scheme.momentum, multipliers, &mut |lambda, r, jacobian| {
            move_along(lambda, moved);
            system.hamiltonian_p(q, moved, velocity)?;
            times(&shape.jacobian, g0, velocity, r);
            system.hessian_pp(q, moved, hpp)?;
            scheme.gram.evaluate(S::from_f64(-1.0), (g0, hpp, g0), gram, jacobian);
            divide(scheme.gram.pattern(), sizes, r, jacobian);
            Ok(())
        })?;
        move_along(multipliers, moved);
        for j in 0..n {
            (state.values[n + j], state.carry[n + j]) = carried(state.values[n + j], state.carry[n + j], -shift[j]);
        }
        Ok(true)
    }
}

/// What nothing is made of, at rest: so small that it is never met, and division by it stays finite.
const LEAST: f64 = 1e-150;

/// |rᵢ| + Σⱼ |aᵢⱼ xⱼ|: what a residual is made of. Its multiplier is all but zero, so that the equation
/// itself does not show how large its round-off is; in these units it is that of 1.
fn terms<S: Scalar>(pattern: &Pattern, a: &[S], x: &[S], residual: &[S], sizes: &mut [S]) {
    for (i, (size, r)) in sizes.iter_mut().zip(residual).enumerate() {
        let entries = pattern.positions(i).zip(pattern.row(i));
        let sum = entries.fold(r.abs(), |sum, (k, &j)| sum + (a[k] * x[j as usize]).abs());
        *size = sum.max(S::from_f64(LEAST));
    }
}

/// Residuals, and with them the rows of their derivatives, divided by sizes.
fn divide<S: Scalar>(pattern: &Pattern, sizes: &[S], residual: &mut [S], jacobian: &mut [S]) {
    for (i, &size) in sizes.iter().enumerate() {
        residual[i] = residual[i] / size;
        pattern.positions(i).for_each(|k| jacobian[k] = jacobian[k] / size);
    }
}

pub(super) fn stepper<'s, S: Scalar + 's>(
    scheme: Arc<Scheme>,
    inner: Box<dyn Stepper<S> + 's>,
    manifold: Box<dyn Canonical<S> + 's>,
) -> Box<dyn Stepper<S> + 's> {
    let state = State::new(vec![S::from_f64(0.0); 2 * scheme.shape.coordinates], inner.memory());
    Box::new(After { inner, projector: Projector::new(scheme, manifold), from: state.clone(), to: state })
}

struct After<'s, S> {
    inner: Box<dyn Stepper<S> + 's>,
    projector: Projector<'s, S>,
    from: State<S>,
    to: State<S>,
}

impl<S: Scalar> Stepper<S> for After<'_, S> {
    fn memory(&self) -> usize {
        self.inner.memory() + COUNTERS
    }

    fn own_steps(&self) -> Option<&[S]> {
        self.inner.own_steps()
    }

    fn step(&mut self, machine: &mut dyn Machine<S>, h: S, from: &State<S>, to: &mut State<S>) -> Result<(), Failure> {
        let own = self.inner.memory();
        self.from.values.copy_from_slice(&from.values);
        self.from.carry.copy_from_slice(&from.carry);
        self.from.memory.copy_from_slice(&from.memory[..own]);
        self.inner.step(machine, h, &self.from, &mut self.to)?;
        let target = self.projector.scheme.projection.target;
        let positions = target.positions() && self.projector.positions(machine, &mut self.to)?;
        let momenta = target.momenta() && self.projector.momenta(machine, &mut self.to)?;
        to.values.copy_from_slice(&self.to.values);
        to.carry.copy_from_slice(&self.to.carry);
        to.memory[..own].copy_from_slice(&self.to.memory);
        for (k, done) in [positions, momenta].into_iter().enumerate() {
            let count = from.memory[own + k];
            to.memory[own + k] = if done { count + S::from_f64(1.0) } else { count };
        }
        Ok(())
    }
}
