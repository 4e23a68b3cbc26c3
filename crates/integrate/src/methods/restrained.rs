//! Reich's method for a Poisson system: an integrator of the system without constraints between two flows that the
//! constraints generate.
//!
//! ```text
//! z̄ = φ_{λ·g}(z),   z̄₁ = Ψ_h(z̄),   g(z̄₁) = 0
//! z₁ = φ_{μ·g}(z̄₁),   χ(z₁) = 0,   χ = {g, H}
//! ```
//!
//! The gₖ commute, so that φ_{λ·g} keeps g, and all Casimirs of the bracket whatever λ is. With a Poisson integrator Ψ the
//! step is a Poisson map for the Dirac bracket of (g, χ). z̄ is found by iteration, corrected by the matrix h{χ, g} of the
//! leading term, z₁ by Newton's method with {χ, g}; both move along the flows, by δλ at a time.
//!
//! S. Reich, SIAM J. Numer. Anal. 33 (1996) 475, for canonical equations.

use crate::vector::{add, advanced, clear, difference, negate, scale, subtract, times, zeros};
use cotangent_dynamics::{Failure, Kind, Machine, Plan, Restrained, RestrainedShape, Site, State, Stepper};
use cotangent_scalar::Scalar;
use std::sync::Arc;

/// The method, planned.
#[derive(Clone, Debug)]
pub(crate) struct ReichPoisson {
    shape: RestrainedShape,
    start: Site,
    end: Site,
    linear: Site,
}

impl ReichPoisson {
    pub(crate) fn new(shape: &RestrainedShape, plan: &mut Plan) -> Arc<ReichPoisson> {
        let (n, m) = (shape.dimension, shape.brackets.rows());
        let linear = plan.affine(shape.brackets.clone(), vec![(Kind::Constraint, m)]);
        let start = plan.fixed_point(vec![(Kind::State, n)]);
        let end = plan.fixed_point(vec![(Kind::State, n)]);
        Arc::new(ReichPoisson { shape: shape.clone(), start, end, linear })
    }

    pub(crate) fn stepper<'s, S: Scalar + 's>(
        self: &Arc<Self>,
        inner: Box<dyn Stepper<S> + 's>,
        system: Box<dyn Restrained<S> + 's>,
    ) -> Box<dyn Stepper<S> + 's> {
        let (n, m) = (self.shape.dimension, self.shape.brackets.rows());
        let state = State::new(zeros(n), inner.memory());
        Box::new(ReichPoissonStepper {
            method: self.clone(),
            inner,
            system,
            from: state.clone(),
            to: state,
            unknowns: zeros(n),
            residual: zeros(m),
            matrix: zeros(self.shape.brackets.len()),
            other: zeros(self.shape.brackets.len()),
            lambda: zeros(m),
            increment: zeros(n),
        })
    }
}

struct ReichPoissonStepper<'s, S> {
    method: Arc<ReichPoisson>,
    inner: Box<dyn Stepper<S> + 's>,
    system: Box<dyn Restrained<S> + 's>,
    from: State<S>,
    to: State<S>,
    unknowns: Vec<S>,
    residual: Vec<S>,
    matrix: Vec<S>,
    other: Vec<S>,
    lambda: Vec<S>,
    increment: Vec<S>,
}

impl<S: Scalar> Stepper<S> for ReichPoissonStepper<'_, S> {
    /// What the inner method remembers.
    fn memory(&self) -> usize {
        self.inner.memory()
    }

    fn step(&mut self, machine: &mut dyn Machine<S>, h: S, from: &State<S>, to: &mut State<S>) -> Result<(), Failure> {
        let (start, end) = (self.method.start, self.method.end);
        let mut unknowns = std::mem::take(&mut self.unknowns);
        unknowns.copy_from_slice(&from.values);
        let mut arrived = machine.fixed_point(start, &mut unknowns, &mut |machine, z, next| {
            self.forward(machine, h, from, z)?;
            self.system.constraints(&self.to.values, &mut self.residual)?;
            // The mean of both ends: an error of the second order in h.
            self.system.brackets(z, &mut self.matrix)?;
            self.system.brackets(&self.to.values, &mut self.other)?;
            add(&mut self.matrix, &self.other);
            scale(h * S::from_f64(0.5), &mut self.matrix);
            self.correct(machine, z, next)
        });
        if arrived.is_ok() {
            arrived = self.forward(machine, h, from, &unknowns);
        }
        if arrived.is_ok() {
            unknowns.copy_from_slice(&self.to.values);
            arrived = machine.fixed_point(end, &mut unknowns, &mut |machine, z, next| {
                self.system.hidden(z, &mut self.residual)?;
                self.system.brackets(z, &mut self.matrix)?;
                self.correct(machine, z, next)
            });
        }
        difference(&unknowns, &self.to.values, &mut self.increment);
        self.unknowns = unknowns;
        arrived?;
        to.copy_from(&self.to);
        advanced((&self.to.values, &self.to.carry), &self.increment, (&mut to.values, &mut to.carry));
        Ok(())
    }
}

impl<S: Scalar> ReichPoissonStepper<'_, S> {
    /// The inner step from z̄.
    fn forward(&mut self, machine: &mut dyn Machine<S>, h: S, from: &State<S>, start: &[S]) -> Result<(), Failure> {
        self.from.copy_from(from);
        difference(start, &from.values, &mut self.increment);
        let own = (&mut self.from.values[..], &mut self.from.carry[..]);
        advanced((&from.values, &from.carry), &self.increment, own);
        self.inner.step(machine, h, &self.from, &mut self.to)
    }

    /// φ_{δλ·g}(z) with M δλ = −r.
    fn correct(&mut self, machine: &mut dyn Machine<S>, z: &[S], next: &mut [S]) -> Result<(), Failure> {
        let ReichPoissonStepper { method, system, residual, matrix, lambda, increment, .. } = self;
        negate(residual);
        clear(lambda);
        let pattern = &method.shape.brackets;
        machine.newton(method.linear, lambda, &mut |x, r, jacobian| {
            times(pattern, matrix, x, r);
            subtract(r, residual);
            jacobian.copy_from_slice(matrix);
            Ok(())
        })?;
        next.copy_from_slice(z);
        for (k, &step) in lambda.iter().enumerate() {
            system.increment(k, step, next, increment)?;
            add(next, increment);
        }
        Ok(())
    }
}
