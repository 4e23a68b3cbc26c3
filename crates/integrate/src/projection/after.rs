//! Projections after a step.

use super::{ManifoldProjection, count, is_due};
use crate::held::{Lengths, Square};
use crate::sparse::GramWork;
use crate::vector::{add_transposed_times, advance, clear, moved, negate, times, zeros};
use cotangent_dynamics::{Canonical, Failure, Machine, MemoryLayout, State, Stepper};
use cotangent_scalar::Scalar;
use cotangent_solve::Pattern;
use std::sync::Arc;

/// Projects states onto the constraint manifold.
pub(crate) struct Projector<'s, S> {
    planned: Arc<ManifoldProjection>,
    system: Box<dyn Canonical<S> + 's>,
    multipliers: Vec<S>,
    residual: Vec<S>,
    /// The sizes of the terms of each residual.
    sizes: Vec<S>,
    force: Vec<S>,
    /// The displacement, and where it leads.
    shift: Vec<S>,
    end: Vec<S>,
    velocity: Vec<S>,
    g0: Vec<S>,
    g1: Vec<S>,
    hpp: Vec<S>,
    gram: GramWork<S>,
    lengths: Lengths,
    square: Square<S>,
}

impl<'s, S: Scalar> Projector<'s, S> {
    pub(crate) fn new(planned: Arc<ManifoldProjection>, system: Box<dyn Canonical<S> + 's>) -> Projector<'s, S> {
        let (n, m) = (planned.shape.coordinates, planned.shape.constraints);
        Projector {
            system,
            multipliers: zeros(m),
            residual: zeros(m),
            sizes: zeros(m),
            force: zeros(n),
            shift: zeros(n),
            end: zeros(n),
            velocity: zeros(n),
            g0: zeros(planned.shape.jacobian.len()),
            g1: zeros(planned.shape.jacobian.len()),
            hpp: zeros(planned.shape.hessian_pp.len()),
            gram: planned.gram.work(),
            lengths: Lengths::new(&planned.shape),
            square: Square::new(&planned.shape.hessian_pp),
            planned,
        }
    }

    /// Projects onto φ(q) = 0 if it is due; says whether it was.
    pub(crate) fn positions(&mut self, machine: &mut dyn Machine<S>, state: &mut State<S>) -> Result<bool, Failure> {
        let Projector { planned, system, multipliers, residual, sizes, force, shift, end, g0, g1, hpp, gram, .. } =
            self;
        let shape = &planned.shape;
        let (q, p) = state.halves(shape.coordinates);
        system.constraints(q.0, residual)?;
        if !is_due(machine, planned.projection.above, residual)? {
            return Ok(false);
        }
        system.jacobian(q.0, g0)?;
        terms(&shape.jacobian, g0, q.0, residual, sizes);
        system.hessian_pp(q.0, p.0, hpp)?;
        let mut shift_along = |nu: &[S], shift: &mut [S]| {
            clear(force);
            add_transposed_times(&shape.jacobian, g0, nu, force);
            times(&shape.hessian_pp, hpp, force, shift);
        };
        clear(multipliers);
        machine.newton(planned.position, multipliers, &mut |nu, r, jacobian| {
            shift_along(nu, shift);
            moved(q, shift, end);
            system.constraints(end, r)?;
            system.jacobian(end, g1)?;
            planned.gram.evaluate(S::from_f64(1.0), (g1, hpp, g0), gram, jacobian);
            divide(planned.gram.pattern(), sizes, r, jacobian);
            Ok(())
        })?;
        shift_along(multipliers, shift);
        advance(state.halves_mut(shape.coordinates).0, shift);
        Ok(true)
    }

    /// Projects onto G(q) H_p(q, p) = 0 if it is due; says whether it was.
    pub(crate) fn momenta(&mut self, machine: &mut dyn Machine<S>, state: &mut State<S>) -> Result<bool, Failure> {
        let Projector { planned, system, multipliers, residual, sizes, shift, end, velocity, g0, hpp, gram, .. } = self;
        let shape = &planned.shape;
        let (q, p) = state.halves(shape.coordinates);
        system.jacobian(q.0, g0)?;
        system.hamiltonian_p(q.0, p.0, velocity)?;
        times(&shape.jacobian, g0, velocity, residual);
        if !is_due(machine, planned.projection.above, residual)? {
            return Ok(false);
        }
        // All terms may be zero but for rounding: |Gᵢ| |p| in the metric H_pp is what they could be.
        system.hessian_pp(q.0, p.0, hpp)?;
        self.lengths.evaluate(g0, hpp, multipliers);
        let momenta = self.square.evaluate(hpp, p.0).sqrt() * S::from_f64(NOISE);
        terms(&shape.jacobian, g0, velocity, residual, sizes);
        sizes.iter_mut().zip(&*multipliers).for_each(|(size, length)| *size = size.max(*length * momenta));
        let shift_along = |lambda: &[S], g0: &[S], shift: &mut [S]| {
            clear(shift);
            add_transposed_times(&shape.jacobian, g0, lambda, shift);
            negate(shift);
        };
        clear(multipliers);
        machine.newton(planned.momentum, multipliers, &mut |lambda, r, jacobian| {
            shift_along(lambda, g0, shift);
            moved(p, shift, end);
            system.hamiltonian_p(q.0, end, velocity)?;
            times(&shape.jacobian, g0, velocity, r);
            system.hessian_pp(q.0, end, hpp)?;
            planned.gram.evaluate(S::from_f64(-1.0), (g0, hpp, g0), gram, jacobian);
            divide(planned.gram.pattern(), sizes, r, jacobian);
            Ok(())
        })?;
        shift_along(multipliers, g0, shift);
        advance(state.halves_mut(shape.coordinates).1, shift);
        Ok(true)
    }
}

/// What nothing is made of, at rest: so small that it is never met, and division by it stays finite.
const LEAST: f64 = 1e-150;

/// Terms that are smaller than this part of what they could be may be rounding.
const NOISE: f64 = 1e-6;

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
    planned: Arc<ManifoldProjection>,
    inner: Box<dyn Stepper<S> + 's>,
    manifold: Box<dyn Canonical<S> + 's>,
    memory: &MemoryLayout,
) -> Box<dyn Stepper<S> + 's> {
    let state = State::new(zeros(2 * planned.shape.coordinates), inner.memory());
    Box::new(After {
        inner,
        memory: memory.clone(),
        projector: Projector::new(planned, manifold),
        from: state.clone(),
        to: state,
    })
}

struct After<'s, S> {
    inner: Box<dyn Stepper<S> + 's>,
    memory: MemoryLayout,
    projector: Projector<'s, S>,
    from: State<S>,
    to: State<S>,
}

impl<S: Scalar> Stepper<S> for After<'_, S> {
    fn memory(&self) -> usize {
        self.memory.len()
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
        let target = self.projector.planned.projection.target;
        let positions = target.positions() && self.projector.positions(machine, &mut self.to)?;
        let momenta = target.momenta() && self.projector.momenta(machine, &mut self.to)?;
        to.values.copy_from_slice(&self.to.values);
        to.carry.copy_from_slice(&self.to.carry);
        to.memory[..own].copy_from_slice(&self.to.memory);
        count(&self.memory, [positions, momenta], &from.memory, &mut to.memory)
    }
}
