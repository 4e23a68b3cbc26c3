//! The motion that errors are added to: points on the constraint manifold, to some 11 digits.

use super::StabilityError;
use super::propagate::NODES;
use crate::reference::Reference;
use cotangent_compile::{Compiled, Engine, Native, Problem, Tape};
use cotangent_dynamics::{Canonical, Dynamics, Failure, State};
use cotangent_integrate::project;
use cotangent_observe::Interrupt;
use cotangent_scalar::Dual;

/// Points of the motion at the nodes of steps of one size.
#[derive(Clone, Debug)]
pub struct Path {
    /// The step size.
    pub(super) step: f64,
    /// (q, p) at the two nodes of each step, with their times.
    pub(super) points: Vec<[(f64, Vec<f64>); 2]>,
    /// The time in which the positions change by their own size; 0 if they do not.
    pub(super) span: f64,
}

/// Steps in the time in which the positions change by their own size.
const RESOLUTION: f64 = 12.0;

/// The most steps for a system of four variables; larger ones have fewer, as each costs more.
const MOST: f64 = 1024.0;

/// The fewest steps for any.
const FEWEST: f64 = 24.0;

/// Beyond, matrices of dual numbers column by column take too long.
const LARGEST: usize = 120;

impl Path {
    /// The motion of a model with constraints from the start of a problem to a time, or as far as it
    /// can be resolved.
    pub fn new(problem: &Problem, until: f64, interrupt: &Interrupt) -> Result<Path, StabilityError> {
        let failed = |reason: String| StabilityError::NoPath { reason };
        let own = problem.compiled.view(Native, problem.parameters.clone()).model_state(&problem.start);
        let own = own.map_err(|e| failed(e.to_string()))?;
        let size = own.len();
        if size > LARGEST {
            return Err(StabilityError::TooLarge { size, largest: LARGEST });
        }
        // Equations whose integrals are φ, ψ and H: errors of the integration do not grow off the manifold.
        let motion = problem.motion.hamilton_dirac().map_err(|e| failed(e.to_string()))?;
        if motion.surface.is_some() {
            return Err(StabilityError::ByAnalysis);
        }
        if motion.multipliers.is_none() {
            return Err(StabilityError::NoConstraints);
        }
        let compiled = Compiled::new(&motion, Engine::Best).map_err(|e| failed(e.to_string()))?;
        let view = compiled.view(Native, problem.parameters.clone());
        let misfit = |e: Failure| failed(e.to_string());
        let field = view.field().map_err(misfit)?;
        let mut field = field.ok_or_else(|| failed("there is no vector field to solve".into()))?;
        let manifold = || view.manifold().map_err(misfit)?.ok_or(StabilityError::NoConstraints);
        let start = on_manifold(manifold()?, own).map_err(misfit)?;
        let mut rates = |z: &[f64], out: &mut [f64]| match interrupt.is_set() {
            true => Err(Failure::Misused { reason: "interrupted".into() }),
            false => field.rate(z, out),
        };
        let most = (MOST * (4.0 / size.max(1) as f64).powi(2)).clamp(FEWEST, MOST);
        let speed = speed(&compiled, problem, &start).map_err(misfit)?;
        let wanted = (until * speed * RESOLUTION).ceil().max(FEWEST);
        let steps = wanted.min(most);
        let step = (until / steps).min(if speed > 0.0 { 1.0 / (speed * RESOLUTION) } else { f64::INFINITY });
        let times: Vec<f64> = (0..steps as usize).flat_map(|k| NODES.map(|c| (k as f64 + c) * step)).collect();
        let solution = Reference::new(1e-12).in_blocks(size / 2).solve_at(&mut rates, &start, &times);
        let samples = solution.map_err(|e| failed(e.to_string()))?.samples;
        let mut points = vec![];
        for pair in samples.chunks_exact(2) {
            let point = |k: usize| -> Result<(f64, Vec<f64>), StabilityError> {
                let at = on_manifold(manifold()?, pair[k].state.clone()).map_err(misfit)?;
                Ok((pair[k].time, at))
            };
            points.push([point(0)?, point(1)?]);
        }
        Ok(Path { step, points, span: if speed > 0.0 { 1.0 / speed } else { 0.0 } })
    }

    /// The time of its end.
    pub fn until(&self) -> f64 {
        self.step * self.points.len() as f64
    }
}

fn on_manifold(manifold: Box<dyn Canonical<f64>>, values: Vec<f64>) -> Result<Vec<f64>, Failure> {
    let mut state = State::new(values, 0);
    project(manifold, &mut state)?;
    Ok(state.values)
}

/// How fast positions change by their own size: |q̇|/|q|, or √(|q̈|/|q|) where that is more, as in a
/// motion that starts at rest.
fn speed(compiled: &Compiled, problem: &Problem, z: &[f64]) -> Result<f64, Failure> {
    type First = Dual<f64>;
    let parameters = problem.parameters.iter().map(|&p| First::constant(p)).collect();
    let Some(mut field) = compiled.view(Tape, parameters).field()? else { return Ok(0.0) };
    let at: Vec<First> = z.iter().map(|&z| First::constant(z)).collect();
    let (mut f, mut change) = (at.clone(), at);
    field.rate(&change, &mut f)?;
    change.iter_mut().zip(&f).for_each(|(z, f)| z.tangent[0] = f.value);
    field.rate(&change, &mut f)?;
    let largest = |list: &mut dyn Iterator<Item = f64>| list.fold(0.0f64, |m, v| m.max(v.abs()));
    let q = 0..z.len() / 2;
    let size = largest(&mut z[q.clone()].iter().copied());
    let first = largest(&mut f[q.clone()].iter().map(|f| f.value)) / size;
    let second = (largest(&mut f[q].iter().map(|f| f.tangent[0])) / size).sqrt();
    Ok(if size > 0.0 { first.max(second) } else { 0.0 })
}
