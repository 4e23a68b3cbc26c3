//! The memory of Newton's method and what it measures in it.

use cotangent_scalar::Real;

use crate::outcome::{NewtonError, NewtonWork, Quantity};
use crate::pivoting::grow;
use crate::stall::{Stall, weight};
use crate::stopping::{Made, StoppingRule, Verdict, moving, size_ratio};
use crate::{LinearSolver, Pattern, Unsupported};

/// The memory of [`newton`](crate::newton) for systems of one pattern, allocated once.
#[derive(Clone, Debug)]
pub struct NewtonWorkspace<S> {
    solver: LinearSolver<S>,
    residual: Vec<S>,
    jacobian: Vec<S>,
    previous_jacobian: Vec<S>,
    update: Vec<S>,
    previous_update: Vec<S>,
    /// The largest size of each unknown or its update so far.
    sizes: Vec<f64>,
    /// The size of each equation, for the damping.
    weights: Vec<f64>,
    /// The sizes of the terms of the equations, where they are known; otherwise empty.
    terms: Vec<f64>,
    /// The same at the first guess alone, for stalls, and whether they are known.
    first_terms: (Vec<f64>, bool),
    /// How many equations each group of one kind and unit has, in order.
    groups: Vec<usize>,
}

/// After so many stalls the remainder of noise is taken for noise.
const STALLS: u32 = 3;

impl<S: Real> NewtonWorkspace<S> {
    /// A workspace for systems whose Jacobian has this pattern, which must be square.
    pub fn new(pattern: &Pattern) -> Result<Self, Unsupported> {
        let solver = LinearSolver::new(pattern)?;
        let (size, entries, zero) = (solver.size(), pattern.len(), S::from_f64(0.0));
        Ok(Self {
            solver,
            residual: vec![zero; size],
            jacobian: vec![zero; entries],
            previous_jacobian: vec![zero; entries],
            update: vec![zero; size],
            previous_update: vec![zero; size],
            sizes: vec![0.0; size],
            weights: vec![0.0; size],
            terms: Vec::with_capacity(size),
            first_terms: (vec![0.0; size], false),
            groups: vec![1; size],
        })
    }

    /// The same for groups of equations of one kind and unit, one after the other: one that is
    /// nothing but noise has no size of its own.
    pub fn grouped(self, groups: &[usize]) -> Self {
        if groups.iter().sum::<usize>() != self.size() {
            return self;
        }
        NewtonWorkspace { groups: groups.to_vec(), ..self }
    }

    /// From now on the terms of the equations have these sizes, by which an update may be known to be the last; with none of
    /// them, their sizes are not known.
    pub fn set_terms(&mut self, sizes: &[S]) {
        self.terms.clear();
        if sizes.len() == self.size() {
            self.terms.extend(sizes.iter().map(|size| size.value()));
        }
    }

    /// At the first guess the terms of the equations have these sizes: a residual that stays is compared with them
    /// instead of [`StoppingRule::scale`].
    pub fn set_first_terms(&mut self, sizes: &[S]) {
        let (first, are_known) = &mut self.first_terms;
        *are_known = sizes.len() == first.len();
        first.iter_mut().zip(sizes).for_each(|(first, size)| *first = size.value());
    }

    /// The solver, factored at the Jacobian of the last update: for sensitivities at the solution
    /// when the last update was negligible.
    pub fn solver(&mut self) -> &mut LinearSolver<S> {
        &mut self.solver
    }

    /// The number of unknowns.
    pub fn size(&self) -> usize {
        self.sizes.len()
    }

    pub(crate) fn forget_sizes(&mut self) {
        self.sizes.fill(0.0);
    }

    pub(crate) fn evaluate<E>(
        &mut self,
        x: &[S],
        system: &mut impl FnMut(&[S], &mut [S], &mut [S]) -> Result<(), E>,
        work: &mut NewtonWork,
    ) -> Result<(), NewtonError<E>> {
        work.evaluations += 1;
        system(x, &mut self.residual, &mut self.jacobian).map_err(NewtonError::Callback)
    }

    /// The equation with the largest residual, and that residual.
    pub(crate) fn worst_residual(&self) -> (usize, f64) {
        let mut worst = (0, 0.0);
        for (i, f) in self.residual.iter().enumerate() {
            let size = f.value().abs();
            if size > worst.1 || size.is_nan() {
                worst = (i, size);
            }
        }
        worst
    }

    pub(crate) fn is_solved(&self) -> bool {
        self.residual.iter().all(|f| f.value() == 0.0)
    }

    pub(crate) fn check_residual<E>(&self, iteration: u32) -> Result<(), NewtonError<E>> {
        finite(&self.residual, Quantity::Residual, iteration)
    }

    /// A Jacobian that is not finite has no factors, or no finite solution: it is looked at where that is so, or where no
    /// update is made.
    pub(crate) fn check_jacobian<E>(&self, iteration: u32) -> Result<(), NewtonError<E>> {
        // Without an exit on the way: it is taken by almost none.
        if self.jacobian.iter().fold(true, |all, j| all & j.is_finite()) {
            return Ok(());
        }
        let broken = |i: &usize| self.row(*i).any(|(_, j)| !j.is_finite());
        let index = (0..self.size()).find(broken).unwrap_or(0);
        Err(NewtonError::NotFinite { quantity: Quantity::Jacobian, index, iteration })
    }

    /// The unknowns and values of a row of the Jacobian.
    fn row(&self, i: usize) -> impl Iterator<Item = (usize, S)> {
        let pattern = self.solver.pattern();
        let columns = pattern.row(i).iter().map(|&j| j as usize);
        columns.zip(self.jacobian[pattern.positions(i)].iter().copied())
    }

    /// δ = J⁻¹ f; the last update becomes the previous one.
    pub(crate) fn compute_update<E>(&mut self, work: &mut NewtonWork) -> Result<(), NewtonError<E>> {
        let iteration = work.iterations;
        std::mem::swap(&mut self.update, &mut self.previous_update);
        if let Err(singular) = self.solver.factor_and_solve(&self.jacobian, &self.residual, &mut self.update) {
            self.check_jacobian(iteration)?;
            return Err(NewtonError::Singular { singular, iteration });
        }
        work.rcond = self.solver.rcond();
        let solved = finite(&self.update, Quantity::Update, iteration);
        if solved.is_err() {
            self.check_jacobian(iteration)?;
        }
        solved
    }

    pub(crate) fn step(&self, x: &mut [S]) {
        for (x, &update) in x.iter_mut().zip(&self.update) {
            *x = *x - update;
        }
    }

    /// Makes only the derivative parts of the update.
    pub(crate) fn infinitesimal_step(&self, x: &mut [S]) {
        for (x, update) in x.iter_mut().zip(&self.update) {
            *x = *x - update.infinitesimal();
        }
    }

    /// Takes back half of the step just made, which then counts as the step made.
    pub(crate) fn half_a_step_back(&mut self, x: &mut [S]) {
        let half = S::from_f64(0.5);
        for (x, update) in x.iter_mut().zip(&mut self.update) {
            *update = half * *update;
            *x = *x + *update;
        }
    }

    /// Keeps the Jacobian while the next one is filled in.
    pub(crate) fn remember_jacobian(&mut self) {
        std::mem::swap(&mut self.jacobian, &mut self.previous_jacobian);
    }

    /// Takes note of how large the unknowns and their updates are; says whether |δⱼ| > sⱼ/√u for some unknown, with its
    /// largest size before.
    pub(crate) fn grow_sizes(&mut self, x: &[S]) -> bool {
        let mut runaway = false;
        for ((x, delta), size) in x.iter().zip(&self.update).zip(&mut self.sizes) {
            *size = size.max(x.value().abs());
            let delta = delta.value().abs();
            runaway |= *size > 0.0 && delta * S::EPSILON.sqrt() > *size;
            *size = size.max(delta);
        }
        runaway
    }

    /// What the rule says of the update.
    pub(crate) fn judge(&self, x: &[S], smallest: f64, previous: f64) -> Verdict<f64, bool> {
        let unknowns = x.iter().zip(&self.update).zip(&self.sizes);
        let unknowns = unknowns.map(|((x, delta), &size)| [x.value().abs(), delta.value().abs(), size]);
        let residual = self.residual.iter().map(|f| f.value().abs());
        let known = self.terms.iter().copied().chain(std::iter::repeat(f64::NAN));
        let terms = residual.clone().zip(known).map(|(f, terms)| [f, terms]);
        let moving = residual.enumerate().map(|(i, f)| [f, moving(self.solver.pattern(), i, &self.jacobian, x)]);
        StoppingRule::judge(&mut Made, S::EPSILON, (smallest, previous), unknowns, terms, moving)
    }

    /// What is looked at where updates do not shrink.
    fn stall<'a>(&'a self, x: &'a [S]) -> Stall<'a, S> {
        Stall {
            pattern: self.solver.pattern(),
            unknowns: x,
            sizes: &self.sizes,
            residual: &self.residual,
            jacobian: &self.jacobian,
            previous_jacobian: &self.previous_jacobian,
            previous_update: &self.previous_update,
            terms: if self.first_terms.1 { &self.first_terms.0 } else { &[] },
        }
    }

    /// Whether updates that no longer shrink, and are not small, are round-off nevertheless: see [`StoppingRule`](crate::StoppingRule).
    /// `stalls` counts those before.
    pub(crate) fn stalled_at_round_off(&self, x: &[S], scale: f64, stalls: u32) -> bool {
        let stall = self.stall(x);
        if stalls < STALLS {
            return stall.is_round_off(scale);
        }
        // Noise in one equation moves all unknowns, and others may show the ½ ΔJ δ of that; and the unknowns
        // of an equation may all but vanish where those of others in its group show how large its terms
        // are. After several stalls a residual that is small for its group is accepted.
        let mut first = 0;
        self.groups.iter().all(|&count| {
            let mut group = first..first + count;
            first += count;
            let weight = group.clone().map(|i| stall.weight(i)).fold(0.0, f64::max);
            group.all(|i| {
                (stall.is_small(i, scale) || stall.is_within(i, weight))
                    && stall.is_noise(i, S::EPSILON.sqrt() * weight)
            })
        })
    }

    /// Fixes the size of each equation for this step and returns the largest relative residual.
    pub(crate) fn weigh_equations(&mut self) -> f64 {
        for i in 0..self.size() {
            self.weights[i] = weight(self.solver.pattern(), i, &self.jacobian, &self.sizes);
        }
        self.weighted_residual()
    }

    fn weighted_residual(&self) -> f64 {
        let mut largest = 0.0;
        for (f, &weight) in self.residual.iter().zip(&self.weights) {
            grow(&mut largest, size_ratio(f.value().abs(), weight));
        }
        largest
    }

    /// Whether the residual has grown, and not by round-off.
    pub(crate) fn has_grown(&self, x: &[S], before: f64, scale: f64) -> bool {
        let now = self.weighted_residual();
        now.is_nan() || (now > before && !(0..self.size()).all(|i| self.stall(x).is_small(i, scale)))
    }
}

pub(crate) fn finite<S: Real, E>(values: &[S], quantity: Quantity, iteration: u32) -> Result<(), NewtonError<E>> {
    if values.iter().fold(true, |all, value| all & value.is_finite()) {
        return Ok(());
    }
    match values.iter().position(|value| !value.is_finite()) {
        Some(index) => Err(NewtonError::NotFinite { quantity, index, iteration }),
        None => Ok(()),
    }
}
