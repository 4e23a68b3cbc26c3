//! From a system and what is set to something that can be integrated: equations of motion, values,
//! and a start on the constraint manifold.

use crate::arithmetic::Native;
use crate::compiled::Compiled;
use crate::consistency::{Measured, measure};
use crate::diagnostics::Diagnostics;
use crate::error::CompileError;
use crate::function::{Engine, FunctionBuilder};
use crate::integrator::Integrator;
use crate::redundancy::{Redundant, redundant_within};
use crate::surface::{Freedom, Residuals, Start};
use crate::values::{self, InitialValues, Setting, ValueError};
use cotangent_dynamics::{Dynamics, Failure, State};
use cotangent_integrate::{Prepared, Recipe, Refusal, Target, project, project_onto};
use cotangent_model::System;
use cotangent_scalar::Limits;
use cotangent_solve::{LinearSolver, NewtonOptions, StoppingRule};
use cotangent_theory::{Formulation, Motion, TheoryError};

/// What may be done with data that are not as they should be.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Repairs {
    /// Project initial data that violate the constraints.
    pub project_initial: bool,
    /// Go on without constraints that depend on others.
    pub drop_redundant: bool,
}

/// A system ready to be integrated.
#[derive(Clone)]
pub struct Problem {
    /// The equations of motion.
    pub motion: Motion,
    /// The same, compiled.
    pub compiled: Compiled,
    /// The values of the parameters.
    pub parameters: Vec<f64>,
    /// The initial state.
    pub start: Vec<f64>,
    /// How far the initial data were moved onto the constraints: the largest change of a position
    /// and of a momentum; `None` if they were not.
    pub moved: Option<[f64; 2]>,
    /// Initial values that are no data of the model and follow from the constraints.
    pub determined: Vec<(String, f64)>,
    /// Constraints that were left out because they depend on others.
    pub dropped: Vec<Redundant>,
}

/// Why a system cannot be integrated.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
pub enum ProblemError {
    /// A value that is missing or wrong.
    #[error(transparent)]
    Value(#[from] ValueError),
    /// Equations that do not exist.
    #[error(transparent)]
    Theory(#[from] TheoryError),
    /// An expression that could not be compiled.
    #[error(transparent)]
    Compile(#[from] CompileError),
    /// Initial data off the constraints.
    #[error("the initial data violate {}", list(residuals))]
    Inconsistent {
        /// The constraints that do not hold.
        residuals: Vec<Measured>,
    },
    /// Constraints that depend on others.
    #[error("{}", dependent(constraints))]
    Redundant {
        /// Which, and on what.
        constraints: Vec<Redundant>,
    },
    /// Constraints that cannot hold at once.
    #[error("the constraints contradict each other: {}", dependent(constraints))]
    Contradictory {
        /// Those that depend on others and do not hold.
        constraints: Vec<Redundant>,
    },
    /// A constraint force that nothing resists.
    #[error(
        "the force of the constraint `{name}` cannot be determined at the initial data: G H_pp Gᵀ, by which it acts \
         on the constraints, is singular there, though the constraints are independent"
    )]
    Unresisted {
        /// A constraint to blame.
        name: String,
    },
    /// A constraint whose gradient has a square beyond all numbers.
    #[error(
        "the constraint `{name}` is written in a scale beyond the numbers of 64 bits: its gradient has the size {size:.1e}, \
         and G H_pp Gᵀ, by which its force acts on it, is {entry:e}"
    )]
    Scale {
        /// The constraint.
        name: String,
        /// The largest entry of its gradient.
        size: f64,
        /// What its square with the masses becomes.
        entry: f64,
    },
    /// Second-class constraints that are not so at the start.
    #[error(
        "the multipliers cannot be determined at the initial data: the matrix of brackets of the second-class \
         constraints is singular there, at `{name}`"
    )]
    SingularBrackets {
        /// A constraint to blame.
        name: String,
    },
    /// Constraints that depend on others at the start alone.
    #[error("the initial configuration is singular: there {}", dependent(constraints))]
    SingularStart {
        /// Which, and on what.
        constraints: Vec<Redundant>,
    },
    /// Initial data that could not be projected.
    #[error("the initial data could not be projected onto the constraints: {0}")]
    NotProjected(Failure),
    /// Values that are not finite at the start.
    #[error("the equations of motion have no finite value at the initial data: {0}")]
    NoRate(String),
}

fn list(residuals: &[Measured]) -> String {
    let one = |m: &Measured| format!("{} (off by {:.3e})", m.name, m.value);
    let mut parts: Vec<String> = residuals.iter().take(6).map(one).collect();
    if residuals.len() > 6 {
        parts.push(format!("{} more", residuals.len() - 6));
    }
    parts.join(", ")
}

fn dependent(constraints: &[Redundant]) -> String {
    let one = |r: &Redundant| match r.on.as_slice() {
        [] => format!("`{}` restricts nothing (its gradient is zero)", r.name),
        on => {
            let names: Vec<String> = on.iter().take(6).map(|n| format!("`{n}`")).collect();
            let more = if on.len() > 6 { format!(" and {} more", on.len() - 6) } else { String::new() };
            format!("`{}` depends on {}{more}", r.name, names.join(", "))
        }
    };
    let mut parts: Vec<String> = constraints.iter().take(6).map(one).collect();
    if constraints.len() > 6 {
        parts.push(format!("{} more are dependent", constraints.len() - 6));
    }
    parts.join("; ")
}

impl Problem {
    /// Derives, compiles and checks.
    pub fn new(
        system: &System,
        formulation: Formulation,
        set: &[Setting],
        repairs: Repairs,
        engine: Engine,
    ) -> Result<Problem, ProblemError> {
        Problem::within(system, formulation, set, repairs, engine, &Limits::default())
    }

    /// The same within limits, which hold for what is prepared and compiled from it as well.
    pub fn within(
        system: &System,
        formulation: Formulation,
        set: &[Setting],
        repairs: Repairs,
        engine: Engine,
        limits: &Limits,
    ) -> Result<Problem, ProblemError> {
        let parameters = values::parameters(system, set)?;
        check(limits)?;
        let initial = values::initial(system, &parameters, set)?;
        check(limits)?;
        let (system, dropped) = independent(system, &parameters, &initial, repairs, limits)?;
        let system = system.as_ref();
        let motion = formulation.apply_within(system, limits)?;
        let compiled = Compiled::new(&motion, engine)?;
        let mut start = values::start(system, &parameters, &initial)?;
        check(limits)?;
        let mut residuals = measure(|at| values::constraint_residuals(system, &parameters, at), &initial)?;
        residuals.extend(hidden(system, &motion, &parameters, &initial)?);
        check(limits)?;
        let violated: Vec<Measured> = residuals.iter().filter(|m| !m.holds()).cloned().collect();
        if !violated.is_empty() && !repairs.project_initial {
            return Err(ProblemError::Inconsistent { residuals: violated });
        }
        // Data typed with nine digits hold, and are off by more than round-off: they are polished.
        let off = residuals.iter().any(|m| m.relative > ROUND_OFF);
        let mut moved = None;
        if off && let Some(manifold) = compiled.view(Native, parameters.clone()).manifold().ok().flatten() {
            let n = manifold.shape().coordinates;
            let mut state = State::new(start.clone(), 0);
            project(manifold, &mut state).map_err(ProblemError::NotProjected)?;
            let change = |range: std::ops::Range<usize>| largest_change(&start[range.clone()], &state.values[range]);
            moved = Some([change(0..n), change(n..2 * n)]).filter(|m| *m != [0.0, 0.0]);
            start = state.values;
        }
        let determined = vec![];
        let problem = Problem { motion, compiled, parameters, start, moved, determined, dropped };
        check(limits)?;
        // Forces that nothing determines make rates without a value: they are the reason then.
        let forces = problem.check_forces();
        match problem.check_rate() {
            Err(_) if matches!(forces, Err(ProblemError::Unresisted { .. } | ProblemError::Scale { .. })) => forces?,
            rate => rate.and(forces)?,
        }
        Ok(problem)
    }

    /// Equations of which an analysis found the constraints, from a start that satisfies them.
    pub fn on_surface(
        motion: Motion,
        parameters: Vec<f64>,
        mut from: Start,
        repairs: Repairs,
        engine: Engine,
    ) -> Result<Problem, ProblemError> {
        let compiled = Compiled::new(&motion, engine)?;
        let mut moved = None;
        let mut determined = vec![];
        if let Some(mut surface) = Residuals::new(&motion, &parameters)? {
            if let Some(found) = surface.project(&from, Freedom::Determined)? {
                let open = (0..found.len()).filter(|&k| found[k] != from.values[k]);
                determined = open.map(|k| (motion.state.entry_name(k), found[k])).collect();
                from.values = found;
            }
            let residuals = surface.measured(&from.values)?;
            let violated: Vec<Measured> = residuals.iter().filter(|m| !m.holds()).cloned().collect();
            if !violated.is_empty() && !repairs.project_initial {
                return Err(ProblemError::Inconsistent { residuals: violated });
            }
            // Data typed with nine digits hold, and are polished as far as that goes.
            let off = residuals.iter().any(|m| m.relative > ROUND_OFF);
            match if off { surface.project(&from, Freedom::Given)? } else { None } {
                Some(on) => {
                    let (n, old) = (motion.system.dynamics.variables().len(), &from.values);
                    moved = Some([largest_change(&old[..n], &on[..n]), largest_change(&old[n..], &on[n..])]);
                    from.values = on;
                }
                None if violated.is_empty() => {}
                None => {
                    let reason = "no point of their surface was found nearby".into();
                    return Err(ProblemError::NotProjected(Failure::NotConverged { reason, equation: None }));
                }
            }
        }
        let (start, moved) = (from.values, moved.filter(|m| *m != [0.0, 0.0]));
        let problem = Problem { motion, compiled, parameters, start, moved, determined, dropped: vec![] };
        problem.check_forces()?;
        problem.check_rate()?;
        Ok(problem)
    }

    /// Plans a method, alone or with what is put around it, for these equations, or says why it does not fit.
    pub fn prepare(&self, recipe: impl Into<Recipe>) -> Result<Prepared, Refusal> {
        Prepared::new(recipe, &self.compiled.view(Native, self.parameters.clone()))
    }

    /// The planned method, compiled as well as can be, its equations solved to round-off.
    pub fn integrator(&self, prepared: &Prepared) -> Result<Integrator, CompileError> {
        Integrator::new(&self.compiled, prepared, &self.parameters, self.newton(None), Engine::Best)
    }

    /// How the equations of a step are solved: to round-off, or to a tolerance. What that is where multipliers
    /// vanish is seen from the terms of the constraints, max Σⱼ |∂φᵢ/∂qⱼ qⱼ| at the start.
    pub fn newton(&self, tolerance: Option<f64>) -> NewtonOptions {
        let rule = StoppingRule::default();
        let scale = rule.scale.max(self.constraint_size().unwrap_or(0.0));
        NewtonOptions { stopping: StoppingRule { tolerance, scale, ..rule }, ..NewtonOptions::default() }
    }

    fn constraint_size(&self) -> Result<f64, Failure> {
        let Some(mut manifold) = self.compiled.view(Native, self.parameters.clone()).manifold()? else {
            return Ok(0.0);
        };
        let pattern = manifold.shape().jacobian.clone();
        let mut gradients = vec![0.0; pattern.len()];
        manifold.jacobian(&self.start[..manifold.shape().coordinates], &mut gradients)?;
        let term = |(k, &j): (usize, &u32)| (gradients[k] * self.start[j as usize]).abs();
        let terms = |i: usize| pattern.positions(i).zip(pattern.row(i)).map(term).sum::<f64>();
        Ok((0..pattern.rows()).map(terms).filter(|s| s.is_finite()).fold(0.0, f64::max))
    }

    /// What there is to measure on the way.
    pub fn diagnostics(&self) -> Result<Diagnostics, CompileError> {
        Diagnostics::new(&self.motion, &self.parameters, Engine::Best)
    }

    /// The size of the terms of each constraint of the surface at the start: Σⱼ |∂χ/∂zⱼ|·|z|, 1 where that
    /// vanishes; none without a surface.
    pub fn surface_scales(&self) -> Result<Vec<f64>, ProblemError> {
        let Some(mut surface) = Residuals::new(&self.motion, &self.parameters)? else { return Ok(vec![]) };
        Ok(surface.scales_at(&self.start)?.into_iter().map(|s| if s > 0.0 { s } else { 1.0 }).collect())
    }

    /// The constraint forces must be determined where the run begins.
    fn check_forces(&self) -> Result<(), ProblemError> {
        let structure = self.motion.structure.as_ref().filter(|_| self.motion.multipliers.is_some());
        let (gram, brackets) = (structure.map(|s| &s.gram), self.motion.surface.as_ref().map(|s| &s.brackets));
        let Some(matrix) = gram.or(brackets) else { return Ok(()) };
        let f = FunctionBuilder::new()
            .within(&self.motion.limits)
            .input(&self.motion.state)
            .input(&self.motion.system.parameter_layout())
            .sparse_output(matrix)
            .engine(Engine::Tape)
            .compile()?;
        let Some(pattern) = f.pattern(0) else { return Ok(()) };
        let mut values = vec![0.0; pattern.len()];
        f.call(&[&self.start, &self.parameters], &mut [&mut values], &mut f.workspace()).map_err(ValueError::from)?;
        let solver = LinearSolver::new(pattern);
        let mut solver =
            solver.map_err(|e| CompileError::System { name: "the multipliers".into(), reason: e.to_string() })?;
        match solver.factor(&values) {
            Ok(()) => Ok(()),
            Err(singular) => {
                let name = matrix.shape()[0].entry_name(singular.row);
                let diagonal = |i: usize| pattern.position(i, i).map_or(0.0, |k| values[k]);
                Err(match gram {
                    Some(_) => match self.beyond(&diagonal)? {
                        Some(beyond) => beyond,
                        None => ProblemError::Unresisted { name },
                    },
                    None => ProblemError::SingularBrackets { name },
                })
            }
        }
    }

    /// A constraint of which the square of the gradient is no number, though the gradient is one.
    fn beyond(&self, diagonal: &dyn Fn(usize) -> f64) -> Result<Option<ProblemError>, ProblemError> {
        let Some(structure) = &self.motion.structure else { return Ok(None) };
        let f = FunctionBuilder::new()
            .input(&self.motion.state)
            .input(&self.motion.system.parameter_layout())
            .sparse_output(&structure.jacobian)
            .engine(Engine::Tape)
            .compile()?;
        let Some(pattern) = f.pattern(0) else { return Ok(None) };
        let mut gradients = vec![0.0; pattern.len()];
        f.call(&[&self.start, &self.parameters], &mut [&mut gradients], &mut f.workspace())
            .map_err(ValueError::from)?;
        let size = |i: usize| pattern.positions(i).map(|k| gradients[k].abs()).fold(0.0, f64::max);
        // Half of the exponents of a number.
        let far = |size: f64| size > 0.0 && !(1e-150..=1e150).contains(&size);
        let lost = |entry: f64| entry == 0.0 || !entry.is_finite();
        Ok((0..pattern.rows()).find(|&i| far(size(i)) && lost(diagonal(i))).map(|i| ProblemError::Scale {
            name: structure.constraints.shape()[0].entry_name(i),
            size: size(i),
            entry: diagonal(i),
        }))
    }

    /// The equations must have values where the run begins.
    fn check_rate(&self) -> Result<(), ProblemError> {
        let view = self.compiled.view(Native, self.parameters.clone());
        let no_rate = |e: Failure| ProblemError::NoRate(e.to_string());
        let finite = |values: &[f64], what: &str, names: &dyn Fn(usize) -> String| match values
            .iter()
            .position(|v| !v.is_finite())
        {
            Some(k) => Err(ProblemError::NoRate(format!("{what} `{}` is {}", names(k), values[k]))),
            None => Ok(()),
        };
        let names = |k: usize| self.motion.state.entry_name(k);
        // In a chart, the rates of the model's own variables.
        let in_chart = view.chart().map_err(no_rate)?.is_some();
        let canonical = if in_chart { view.manifold() } else { view.canonical() };
        if let Some(mut canonical) = canonical.map_err(no_rate)? {
            let n = canonical.shape().coordinates;
            let (q, p) = self.start.split_at(n);
            let mut rate = vec![0.0; n];
            canonical.hamiltonian_p(q, p, &mut rate).map_err(no_rate)?;
            finite(&rate, "the velocity of", &names)?;
            canonical.hamiltonian_q(q, p, &mut rate).map_err(no_rate)?;
            finite(&rate, "the force on", &names)?;
        }
        if let Some(mut field) = view.field().map_err(no_rate)?.filter(|_| !in_chart) {
            let mut rate = vec![0.0; self.start.len()];
            field.rate(&self.start, &mut rate).map_err(no_rate)?;
            finite(&rate, "the rate of", &names)?;
        }
        Ok(())
    }
}

fn check(limits: &Limits) -> Result<(), ProblemError> {
    Ok(limits.check().map_err(CompileError::from)?)
}

/// A relative change that the rounding of a few operations makes.
const ROUND_OFF: f64 = 1e-15;

fn largest_change(from: &[f64], to: &[f64]) -> f64 {
    from.iter().zip(to).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
}

/// The system without constraints that depend on others, if that was asked for.
fn independent<'a>(
    system: &'a System,
    parameters: &[f64],
    initial: &InitialValues,
    repairs: Repairs,
    limits: &Limits,
) -> Result<(std::borrow::Cow<'a, System>, Vec<Redundant>), ProblemError> {
    use std::borrow::Cow;
    let found = redundant_within(system, parameters, &initial.coordinates, limits)?;
    if found.is_empty() {
        return Ok((Cow::Borrowed(system), found));
    }
    if found.iter().all(|r| r.here_only) {
        return Err(ProblemError::SingularStart { constraints: found });
    }
    let names: Vec<String> = found.iter().map(|r| r.name.clone()).collect();
    let reduced = system.without(&names).map_err(CompileError::from)?;
    // Where the others hold, do these? Data that violate them all say nothing yet.
    let at = InitialValues { coordinates: on_manifold(&reduced, parameters, initial, limits)?, ..initial.clone() };
    let residuals = measure(|at| values::constraint_residuals(system, parameters, at), &at)?;
    let violated = |r: &&Redundant| residuals.iter().any(|m| m.name == r.name && !m.holds());
    let contradictory: Vec<Redundant> = found.iter().filter(violated).cloned().collect();
    if !contradictory.is_empty() {
        return Err(ProblemError::Contradictory { constraints: contradictory });
    }
    match repairs.drop_redundant {
        true => Ok((Cow::Owned(reduced), found)),
        false => Err(ProblemError::Redundant { constraints: found }),
    }
}

/// The initial positions, projected onto the constraints of a system if they can be.
fn on_manifold(
    system: &System,
    parameters: &[f64],
    initial: &InitialValues,
    limits: &Limits,
) -> Result<Vec<f64>, ProblemError> {
    let motion = Formulation::Multipliers.apply_within(system, limits)?;
    let compiled = Compiled::new(&motion, Engine::Tape)?;
    let mut state = State::new(values::start(system, parameters, initial)?, 0);
    let n = initial.coordinates.len();
    match compiled.view(Native, parameters.to_vec()).manifold() {
        Ok(Some(manifold)) => match project_onto(Target::Position, manifold, &mut state) {
            Ok(()) => Ok(state.values[..n].to_vec()),
            Err(failure) => Err(ProblemError::NotProjected(failure)),
        },
        _ => Ok(initial.coordinates.clone()),
    }
}

/// The hidden constraints at the start, also where velocities follow from momenta only through the
/// Legendre transform.
fn hidden(
    system: &System,
    motion: &Motion,
    parameters: &[f64],
    initial: &InitialValues,
) -> Result<Vec<Measured>, ProblemError> {
    let of = |at: &InitialValues| match values::hidden_residuals(system, parameters, at)? {
        Some(residuals) => Ok(residuals),
        None => values::hidden_residuals(&motion.system, parameters, at).map(Option::unwrap_or_default),
    };
    let mut measured = measure(of, initial)?;
    measured.iter_mut().for_each(|m| m.name = format!("d/dt {}", m.name));
    Ok(measured)
}
