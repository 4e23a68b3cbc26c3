//! Gradients of the constraints at a state, as a mechanism sees them that is about to be singular.

use super::parts::Parts;
use crate::callable::Callable;
use crate::error::underived;
use cotangent_compile::{CallError, CompileError, Engine, FunctionBuilder};
use cotangent_solve::{LinearSolver, Pattern};
use cotangent_theory::{Motion, Structure};

/// G, H_pp, φ and the velocities, and what is made of them.
#[derive(Clone)]
pub(super) struct Gradients {
    function: Callable,
    jacobian: Pattern,
    metric: Pattern,
    g: Vec<f64>,
    h: Vec<f64>,
    /// φ and the sizes of its terms.
    levels: Callable,
    phi: Vec<f64>,
    sizes: Vec<f64>,
    /// The velocities H_p, which some formulations have to solve equations for.
    velocities: Callable,
    /// M = H_pp⁻¹ on all coordinates but the time, if that is one: it passes without mass.
    masses: Option<LinearSolver<f64>>,
    inverted: Vec<f64>,
    time: Option<usize>,
    pub(super) parts: Parts,
    /// The constraint that is looked at: what its part does not move is left out.
    constraint: usize,
    /// A state beside the one that is looked at.
    beside: Vec<f64>,
    scratch: Vec<f64>,
}

/// What is seen at one state, for c with cᵢ = 1 that makes Gᵀc least.
#[derive(Clone)]
pub(super) struct Face {
    pub(super) c: Vec<f64>,
    /// r = Gᵀc, and n = H_pp r.
    pub(super) r: Vec<f64>,
    pub(super) n: Vec<f64>,
    /// The velocities H_p, where they were asked for.
    pub(super) v: Vec<f64>,
    /// r·n = |r|² in the metric H_pp, |n|² in the metric M.
    pub(super) square: f64,
    /// ½ v·M v, of what moves along the constraints.
    pub(super) kinetic: f64,
}

impl Face {
    /// r·H_pp r′ for another face.
    pub(super) fn product(&self, other: &Face) -> f64 {
        dot(&self.n, &other.r)
    }

    /// The cosine of the angle between the gradients of two faces; 0 if one is zero. The metric may be negative on both.
    pub(super) fn cosine(&self, other: &Face) -> f64 {
        let sizes = self.square * other.square;
        if sizes > 0.0 { self.square.signum() * self.product(other) / sizes.sqrt() } else { 0.0 }
    }

    pub(super) fn new(rows: usize, columns: usize) -> Face {
        let zeros = || vec![0.0; columns];
        Face { c: vec![0.0; rows], r: zeros(), n: zeros(), v: zeros(), square: 0.0, kinetic: 0.0 }
    }
}

pub(super) fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

impl Gradients {
    pub(super) fn new(motion: &Motion, s: &Structure) -> Result<Option<Gradients>, CompileError> {
        let at_state = |t| motion.at_state(t).map_err(underived);
        let metric = s.hamiltonian_p.jacobian(&s.momenta)?;
        let builder = || FunctionBuilder::new().input(&motion.state).input(&motion.parameters()).engine(Engine::Best);
        let velocities = builder().output(&at_state(&s.hamiltonian_p)?).compile()?;
        let levels = builder().output(&s.constraints).output(&s.constraints.term_sizes()?).compile()?;
        let function = builder().sparse_output(&s.jacobian).sparse_output(&at_state(&metric)?).compile()?;
        let (Some(jacobian), Some(metric)) = (function.pattern(0).cloned(), function.pattern(1).cloned()) else {
            return Ok(None);
        };
        let (m, n) = (jacobian.rows(), jacobian.columns());
        let time = motion.lapse.as_ref().map(|lapse| lapse.time);
        let passing = time.map(|t| (t as u32, t as u32));
        let of_masses: Vec<(u32, u32)> = metric.addresses().chain(passing).collect();
        let of_masses = Pattern::new(n, n, &of_masses).ok();
        let parts = Parts::of(&jacobian, &metric, time);
        Ok(Some(Gradients {
            function: function.into(),
            g: vec![0.0; jacobian.len()],
            h: vec![0.0; metric.len()],
            phi: vec![0.0; m],
            sizes: vec![0.0; m],
            velocities: velocities.into(),
            levels: levels.into(),
            inverted: vec![0.0; of_masses.as_ref().map_or(0, Pattern::len)],
            masses: of_masses.and_then(|pattern| LinearSolver::new(&pattern).ok()),
            time,
            parts,
            constraint: 0,
            jacobian,
            metric,
            beside: vec![0.0; motion.state.len()],
            scratch: vec![0.0; n],
        }))
    }

    /// The number of coordinates.
    pub(super) fn columns(&self) -> usize {
        self.jacobian.columns()
    }

    /// From now on only what moves with a constraint is looked at.
    pub(super) fn turn_to(&mut self, constraint: usize) {
        self.constraint = constraint;
    }

    /// Whether what moves with the constraint has one degree of freedom.
    pub(super) fn has_one_freedom(&self) -> bool {
        let [coordinates, constraints] = self.parts.sizes(self.constraint);
        coordinates == constraints + 1
    }

    /// Whether a coordinate moves with the constraint.
    pub(super) fn moves(&self, coordinate: usize) -> bool {
        self.parts.moves(self.constraint, coordinate)
    }

    /// Whether all coordinates do.
    pub(super) fn is_one_part(&self) -> bool {
        (0..self.columns()).all(|j| self.moves(j))
    }

    /// The entries of H_pp.
    pub(super) fn metric_values(&mut self) -> &mut [f64] {
        &mut self.h
    }

    /// Leaves out what does not move with the constraint.
    pub(super) fn keep(&self, w: &mut [f64]) {
        for (j, w) in w.iter_mut().enumerate() {
            if !self.moves(j) {
                *w = 0.0;
            }
        }
    }

    /// The way from one state to another, of what moves with the constraint.
    pub(super) fn way(&self, from: &[f64], to: &[f64]) -> Vec<f64> {
        let mut way: Vec<f64> = to.iter().zip(&from[..self.columns()]).map(|(to, from)| to - from).collect();
        self.keep(&mut way);
        way
    }

    /// Fills a face, whose c is given.
    pub(super) fn look(&mut self, state: &[f64], parameters: &[f64], face: &mut Face) -> Result<(), CallError> {
        let Gradients { function, g, h, .. } = self;
        function.call(&[state, parameters], &mut [g, h])?;
        transposed_times(&self.jacobian, &self.g, &face.c, &mut face.r);
        times(&self.metric, &self.h, &face.r, &mut face.n);
        face.square = dot(&face.r, &face.n);
        Ok(())
    }

    /// c·φ: by how much a state is off its constraints, and a unit in the last place of what it is made of: the terms of φ, and
    /// positions that are rounded, with G where was looked at last.
    pub(super) fn level(&mut self, state: &[f64], parameters: &[f64], c: &[f64]) -> Result<[f64; 2], CallError> {
        self.levels.call(&[state, parameters], &mut [&mut self.phi, &mut self.sizes])?;
        let terms: f64 = c.iter().zip(&self.sizes).map(|(c, size)| c.abs() * size).sum();
        let positions = self.jacobian.addresses().zip(&self.g).map(|((i, j), g)| c[i as usize] * g * state[j as usize]);
        let size = terms + positions.map(f64::abs).sum::<f64>();
        Ok([dot(c, &self.phi), f64::EPSILON * size])
    }

    /// Fills the velocities of a face; whether there are any.
    pub(super) fn move_on(&mut self, state: &[f64], parameters: &[f64], face: &mut Face) -> bool {
        let is_known = self.velocities.call(&[state, parameters], &mut [&mut face.v]).is_ok();
        self.keep(&mut face.v);
        is_known
    }

    /// φ where its level was asked for last.
    pub(super) fn constraints(&self) -> &[f64] {
        &self.phi
    }

    /// H_pp Gᵀ y where was looked at last, into `out`.
    pub(super) fn shift(&mut self, y: &[f64], out: &mut [f64]) {
        transposed_times(&self.jacobian, &self.g, y, &mut self.scratch);
        times(&self.metric, &self.h, &self.scratch, out);
        self.keep(out);
    }

    /// G w where was looked at last, into `out`.
    pub(super) fn rates(&self, w: &[f64], out: &mut [f64]) {
        times(&self.jacobian, &self.g, w, out);
    }

    /// Makes M where was looked at last; whether there is one.
    pub(super) fn weigh(&mut self) -> bool {
        let Gradients { masses: Some(masses), inverted, time, metric, h, .. } = self else { return false };
        for (value, (i, j)) in inverted.iter_mut().zip(masses.pattern().addresses()) {
            let (i, j) = (i as usize, j as usize);
            *value = match Some(i) == *time || Some(j) == *time {
                true => f64::from(u8::from(i == j)),
                false => metric.position(i, j).map_or(0.0, |at| h[at]),
            };
        }
        masses.factor(inverted).is_ok()
    }

    /// Whether H_pp has a negative entry on its diagonal where was looked at last.
    pub(super) fn is_indefinite(&self) -> bool {
        let moves = |j: usize| self.moves(j) || self.time == Some(j);
        (0..self.metric.rows()).any(|j| moves(j) && self.metric.position(j, j).is_some_and(|at| self.h[at] < 0.0))
    }

    /// a·M b; M is made by [`weigh`](Gradients::weigh).
    pub(super) fn weighed(&mut self, a: &[f64], b: &[f64]) -> f64 {
        self.scratch.copy_from_slice(b);
        self.time.into_iter().for_each(|t| self.scratch[t] = 0.0);
        if let Some(masses) = &mut self.masses {
            masses.solve(&mut self.scratch);
        }
        dot(a, &self.scratch)
    }

    /// A w, with A = Σ cᵢ ∂²φᵢ/∂q² at the state of a face: a difference over the distance `by` w.
    pub(super) fn bend(
        &mut self,
        face: &Face,
        state: &[f64],
        parameters: &[f64],
        (w, by): (&[f64], f64),
        out: &mut [f64],
    ) -> Result<(), CallError> {
        self.beside.copy_from_slice(state);
        self.beside.iter_mut().zip(w).for_each(|(q, w)| *q += by * w);
        let Gradients { function, g, h, beside, .. } = self;
        function.call(&[beside, parameters], &mut [g, h])?;
        transposed_times(&self.jacobian, &self.g, &face.c, out);
        out.iter_mut().zip(&face.r).for_each(|(out, r)| *out = (*out - r) / by);
        Ok(())
    }
}

fn times(pattern: &Pattern, values: &[f64], x: &[f64], out: &mut [f64]) {
    out.fill(0.0);
    pattern.addresses().zip(values).for_each(|((i, j), value)| out[i as usize] += value * x[j as usize]);
}

fn transposed_times(pattern: &Pattern, values: &[f64], x: &[f64], out: &mut [f64]) {
    out.fill(0.0);
    pattern.addresses().zip(values).for_each(|((i, j), value)| out[j as usize] += value * x[i as usize]);
}
