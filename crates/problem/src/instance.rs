//! Equations with values, and a start on the constraint manifold.

use crate::consistency::{Measured, measure};
use crate::diagnostics::Diagnostics;
use crate::equations::Equations;
use crate::error::{NoRate, ProblemError, Rate, Unprojected};
use crate::integrator::Integrator;
use crate::model::{Model, Repairs};
use crate::redundancy::Redundant;
use crate::scale::by_terms;
use crate::surface::{Freedom, Residuals, Start};
use cotangent_compile::values::{self, InitialValues, Rates, Setting};
use cotangent_compile::{CompileError, Engine, Native};
use cotangent_dynamics::{Dynamics, Failure, State};
use cotangent_expr::{Array, Expr, Layout, Node};
use cotangent_integrate::{Prepared, Recipe, Refusal, project};
use cotangent_model::{ConstraintKind, System};
use cotangent_scalar::Limits;
use cotangent_solve::{NewtonOptions, StoppingRule};
use cotangent_theory::{Formulation, Space};
use std::sync::Arc;

/// Equations with values of their parameters and a start: ready to be integrated.
#[derive(Clone, Debug)]
pub struct Instance {
    /// The equations of motion, which other instances may share.
    pub equations: Arc<Equations>,
    /// Which equations of motion they are, with its numbers.
    pub formulation: Formulation,
    /// The values of the parameters of the model, then of the numbers of the formulation.
    pub parameters: Vec<f64>,
    /// The initial state.
    pub start: Vec<f64>,
    /// How far the initial data were moved onto the constraints: the largest change of a position
    /// and of a momentum; `None` if they were not.
    pub moved: Option<[f64; 2]>,
    /// Initial values that are no data of the model and follow from the constraints.
    pub determined: Vec<(String, f64)>,
    /// What these would be for another solution of the equations, where one was found.
    pub alternative: Vec<(String, f64)>,
    /// Constraints that were left out because they depend on others.
    pub dropped: Vec<Redundant>,
}

impl Model {
    /// Its equations in a formulation, with values.
    pub fn instance(
        self: &Arc<Self>,
        formulation: Formulation,
        set: &[Setting],
        repairs: Repairs,
        engine: Engine,
    ) -> Result<Instance, ProblemError> {
        let (parameters, initial) = self.given(set)?;
        let (model, dropped) = match self.independent(&parameters, &initial, repairs)? {
            None => (self.clone(), vec![]),
            Some(reduced) => reduced,
        };
        let equations = Arc::new(model.equations(formulation, engine)?);
        Ok(Instance { dropped, ..equations.on_manifold(parameters, initial, set, repairs)? })
    }
}

impl Equations {
    /// Gives them values. Constraints that depend on others at the start may be left out: the instance has equations
    /// of its own then.
    pub fn instance(self: &Arc<Self>, set: &[Setting], repairs: Repairs) -> Result<Instance, ProblemError> {
        if self.motion.surface().is_some() {
            let parameters = self.model.values.parameters(set)?;
            let from = self.surface_start(&parameters, set)?;
            return self.on_surface(parameters, from, repairs);
        }
        let (parameters, initial) = self.model.given(set)?;
        match self.model.independent(&parameters, &initial, repairs)? {
            None => self.on_manifold(parameters, initial, set, repairs),
            Some((reduced, dropped)) => {
                self.derivable()?;
                let equations = Arc::new(reduced.equations(self.motion.formulation, self.engine)?);
                Ok(Instance { dropped, ..equations.on_manifold(parameters, initial, set, repairs)? })
            }
        }
    }

    /// An instance whose start satisfies the constraints and the hidden ones.
    fn on_manifold(
        self: &Arc<Self>,
        parameters: Vec<f64>,
        initial: InitialValues,
        set: &[Setting],
        repairs: Repairs,
    ) -> Result<Instance, ProblemError> {
        let model_state = self.model.values.start(&parameters, &initial)?;
        self.model.check()?;
        // Velocities and multipliers are functions of the state, or variables of it.
        let velocities = self.velocities()?;
        if let Some(velocities) = velocities.filter(|_| self.motion.structure().is_some()) {
            velocities.check(&model_state, &parameters)?;
        }
        let mut residuals = measure(|at| self.model.values.constraint_residuals(&parameters, at), &initial)?;
        residuals.extend(self.hidden(&parameters, &initial)?);
        self.model.check()?;
        let violated: Vec<Measured> = residuals.iter().filter(|m| !m.holds()).cloned().collect();
        if !violated.is_empty() && !repairs.project_initial {
            return Err(ProblemError::Inconsistent { residuals: violated });
        }
        // Data typed with nine digits hold, and are off by more than round-off: they are polished.
        let off = residuals.iter().any(|m| m.relative > ROUND_OFF);
        let parameters = self.with_numbers(parameters);
        if let Some(settled) = self.settled(&parameters, &model_state, &initial, (set, repairs.project_initial))? {
            let instance = self.instance_at(parameters, settled.start, None, settled.determined);
            let instance = Instance { alternative: settled.alternative, ..instance };
            if let Some(velocities) = velocities {
                velocities.check(&instance.start, &instance.parameters)?;
            }
            return Ok(instance);
        }
        let view = self.compiled.view(Native, parameters.clone());
        let mut start = view.restricted(&model_state).map_err(|e| ProblemError::NoRate(NoRate::Failure(e)))?;
        let mut moved = None;
        if off && let Some(manifold) = view.manifold().ok().flatten() {
            let n = manifold.shape().coordinates;
            let mut state = State::new(start.clone(), 0);
            project(manifold, &mut state).map_err(|e| ProblemError::NotProjected(e.into()))?;
            let change = |range: std::ops::Range<usize>| largest_change(&start[range.clone()], &state.values[range]);
            moved = Some([change(0..n), change(n..2 * n)]).filter(|m| *m != [0.0, 0.0]);
            // What the state has besides follows from the positions and momenta.
            let onto = |state: &[f64]| view.restricted(&view.model_state(state)?);
            start = match self.motion.lift.restriction.is_some() {
                true => onto(&state.values).map_err(|e| ProblemError::NotProjected(e.into()))?,
                false => state.values,
            };
        }
        let instance = self.instance_at(parameters, start, moved, vec![]);
        // They are the reason then.
        let forces = instance.check_forces();
        match instance.check_rate() {
            Err(_) if forces.as_ref().is_err_and(is_reason) => forces?,
            rate => rate.and(forces)?,
        }
        let determined = match &initial.rates {
            Rates::Velocities(given) if !violated.is_empty() => self.velocities_at(&instance, given)?,
            _ => vec![],
        };
        Ok(Instance { determined, ..instance })
    }

    /// The velocities at a start with velocity constraints, where they are others than those that were given.
    fn velocities_at(&self, instance: &Instance, given: &[f64]) -> Result<Vec<(String, f64)>, ProblemError> {
        let no_rate = |e: Failure| ProblemError::NoRate(NoRate::Failure(e));
        let (Some(_), Some(names)) = (&self.motion.velocity, self.model.system.dynamics.velocities()) else {
            return Ok(vec![]);
        };
        let view = self.compiled.view(Native, instance.parameters.clone());
        let Some(mut canonical) = view.canonical().map_err(no_rate)? else { return Ok(vec![]) };
        let (q, p) = instance.start.split_at(given.len());
        let mut found = vec![0.0; given.len()];
        canonical.hamiltonian_p(q, p, &mut found).map_err(no_rate)?;
        let size = |list: &[f64]| list.iter().fold(0.0f64, |m, v| m.max(v.abs()));
        let size = size(given).max(size(&found));
        let changed = (0..given.len()).filter(|&k| (found[k] - given[k]).abs() > MOVED * size);
        Ok(changed.map(|k| (names.entry_name(k), found[k])).collect())
    }

    /// An instance with the start of another one of the same model, in the variables of these equations.
    pub(crate) fn started(
        self: &Arc<Self>,
        mut parameters: Vec<f64>,
        from: &Instance,
    ) -> Result<Instance, ProblemError> {
        parameters.truncate(self.motion.system.parameter_layout().len());
        let parameters = self.with_numbers(parameters);
        let view = self.compiled.view(Native, parameters.clone());
        let start = view.restricted(&from.start).map_err(|e| ProblemError::NoRate(NoRate::Failure(e)))?;
        let instance = self.instance_at(parameters, start, from.moved, from.determined.clone());
        instance.check_rate()?;
        Ok(instance)
    }

    fn instance_at(
        self: &Arc<Self>,
        parameters: Vec<f64>,
        start: Vec<f64>,
        moved: Option<[f64; 2]>,
        determined: Vec<(String, f64)>,
    ) -> Instance {
        let (equations, formulation) = (self.clone(), self.motion.formulation);
        let (alternative, dropped) = (vec![], vec![]);
        let parameters = self.with_energy(parameters, &start);
        Instance { equations, formulation, parameters, start, moved, determined, alternative, dropped }
    }

    /// The inputs of the equations with the energy at a start, where a lapse has it inside: the last of its numbers.
    fn with_energy(&self, mut parameters: Vec<f64>, start: &[f64]) -> Vec<f64> {
        if let (Some(lapse), Some(energy)) = (&self.motion.lapse, parameters.last_mut()) {
            *energy = lapse.initial_energy(start);
        }
        parameters
    }

    /// The inputs of the equations: these parameters of the model, and the numbers that the formulation was given.
    fn with_numbers(&self, mut parameters: Vec<f64>) -> Vec<f64> {
        parameters.extend(self.motion.number_values());
        parameters
    }

    /// The hidden constraints at the start, also where velocities follow from momenta only through the
    /// Legendre transform.
    fn hidden(&self, parameters: &[f64], initial: &InitialValues) -> Result<Vec<Measured>, ProblemError> {
        let of = |at: &InitialValues| match self.model.values.hidden_residuals(parameters, at)? {
            Some(residuals) => Ok(residuals),
            None => self.canonical.hidden_residuals(parameters, at).map(Option::unwrap_or_default),
        };
        let measured = measure(of, initial)?;
        Ok(measured.into_iter().map(|m| Measured { is_rate: true, ..m }).collect())
    }

    /// An instance whose start satisfies the constraints that an analysis found.
    fn on_surface(
        self: &Arc<Self>,
        parameters: Vec<f64>,
        mut from: Start,
        repairs: Repairs,
    ) -> Result<Instance, ProblemError> {
        let motion = &self.motion;
        let mut moved = None;
        let mut determined = vec![];
        if let Some(residuals) = self.residuals()? {
            let mut surface = residuals.with(&parameters);
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
                    return Err(ProblemError::NotProjected(Unprojected::NoPoint));
                }
            }
        }
        let (start, moved) = (from.values, moved.filter(|m| *m != [0.0, 0.0]));
        let parameters = self.with_numbers(parameters);
        let instance = self.instance_at(parameters, start, moved, determined);
        instance.check_forces()?;
        instance.check_rate()?;
        Ok(instance)
    }

    /// The state that the initial values describe: momenta follow from velocities by p = ∂L/∂q̇, also where they
    /// do not determine them.
    fn surface_start(&self, parameters: &[f64], set: &[Setting]) -> Result<Start, ProblemError> {
        let (system, state) = (&self.model.system, &self.motion.state);
        let initial = self.model.values.initial(parameters, set)?;
        let mut values = match &self.lagrangian {
            Some(_) => self.of_lagrangian(parameters, &initial)?,
            None => self.model.values.start(parameters, &initial)?,
        };
        if system.orbit_parameter.is_some() {
            // (q, τ, p, p_τ): the parameter of the orbit begins with the time of the run.
            values.insert(values.len() / 2, 0.0);
            values.push(0.0);
        }
        let named = |name: &str| {
            system.initial.iter().any(|i| i.array.name() == name && i.named > 0) || set.iter().any(|s| s.name == name)
        };
        let half = state.arrays().len() / 2;
        let mut freedom = vec![];
        for (k, array) in state.arrays().iter().enumerate() {
            let Some((lagrangian, _)) = &self.lagrangian else {
                freedom.extend(vec![if named(array.name()) { Freedom::Given } else { Freedom::Default }; array.len()]);
                continue;
            };
            // A momentum is given with its velocity. The parameter of the orbit, the last coordinate, has none.
            let (velocity, is_momentum) = (lagrangian.velocities.arrays().get(k % half), k >= half);
            let Some(velocity) = velocity else {
                freedom.extend(vec![Freedom::Given; array.len()]);
                continue;
            };
            let is_given = named(array.name()) || is_momentum && named(velocity.name());
            let is_added = system.state().offset(array).is_none();
            let moves = |leaf: &Expr| matches!(leaf.node(), Node::At(a, _) if a == velocity);
            let free = match () {
                _ if is_given => Freedom::Given,
                _ if is_added => Freedom::Determined,
                _ if !lagrangian.value.leaves().iter().any(moves) => Freedom::Multiplier,
                _ => Freedom::Default,
            };
            freedom.extend(vec![free; array.len()]);
        }
        Ok(Start { values, freedom })
    }

    fn of_lagrangian(&self, parameters: &[f64], initial: &InitialValues) -> Result<Vec<f64>, ProblemError> {
        let Some((lagrangian, momentum)) = &self.lagrangian else { return Ok(vec![]) };
        // Multipliers of velocity constraints are coordinates after those of the model.
        let mut q = initial.coordinates.clone();
        let mut multipliers = &initial.multipliers[..];
        for c in &self.model.system.constraints {
            let (own, rest) = multipliers.split_at(c.multiplier.len().min(multipliers.len()));
            multipliers = rest;
            if c.kind == ConstraintKind::Vakonomic {
                q.extend(own);
            }
        }
        let n = lagrangian.coordinates.len();
        let padded =
            |known: &[f64]| -> Vec<f64> { known.iter().copied().chain(std::iter::repeat(0.0)).take(n).collect() };
        let p = match &initial.rates {
            Rates::Momenta(p) => padded(p),
            Rates::Velocities(_) | Rates::None => {
                let v = if let Rates::Velocities(v) = &initial.rates { padded(v) } else { vec![0.0; n] };
                momentum.call(&[&q, &v, parameters]).map_err(values::ValueError::from)?
            }
        };
        Ok([q, p].concat())
    }
}

impl Instance {
    /// Equations of a system in a formulation, with values.
    pub fn new(
        system: &System,
        formulation: Formulation,
        set: &[Setting],
        repairs: Repairs,
        engine: Engine,
    ) -> Result<Instance, ProblemError> {
        Arc::new(Model::new(system, &Limits::default())).instance(formulation, set, repairs, engine)
    }

    /// The same with another value of a number of its formulation. The equations are the same, where the number is one of
    /// their inputs.
    pub fn with_number(&self, name: &str, value: f64) -> Result<Instance, ProblemError> {
        let formulation = self.formulation.with_number(name, value)?;
        let motion = &self.equations.motion;
        if motion.numbers.is_empty() {
            self.equations.derivable()?;
            let equations = Arc::new(self.equations.model.equations(formulation, self.equations.engine)?);
            return Ok(Instance { equations, formulation, ..self.clone() });
        }
        let mut parameters = self.parameters.clone();
        let model = motion.system.parameter_layout().len();
        let given = formulation.numbers().into_iter().map(|(_, value)| value);
        parameters[model..].iter_mut().zip(given).for_each(|(own, value)| *own = value);
        Ok(Instance { formulation, parameters, ..self.clone() })
    }

    /// The numbers of its formulation that its lapse has not inside, by name: they change nothing.
    pub fn unused_numbers(&self) -> Vec<&'static str> {
        let motion = &self.equations.motion;
        let Some(lapse) = &motion.lapse else { return vec![] };
        let unused = |array: &Array| !lapse.pace.depends_on(&Layout::new(vec![array.clone()]));
        let names = self.formulation.numbers().into_iter().map(|(name, _)| name);
        names.zip(motion.numbers.arrays()).filter(|(_, array)| unused(array)).map(|(name, _)| name).collect()
    }

    /// Plans a method for the equations, or says why it does not fit.
    pub fn prepare(&self, recipe: impl Into<Recipe>) -> Result<Prepared, Refusal> {
        self.equations.prepare(recipe)
    }

    /// The planned method, compiled as well as can be, its equations solved to round-off.
    pub fn integrator(&self, prepared: &Prepared) -> Result<Integrator, CompileError> {
        Integrator::new(&self.equations, prepared, &self.parameters, self.newton(None), Engine::Best)
    }

    /// How the equations of a step are solved: to round-off, or to a tolerance. What that is where multipliers
    /// vanish is seen from the terms of the constraints, max Σⱼ |∂φᵢ/∂qⱼ qⱼ| at the start.
    pub fn newton(&self, tolerance: Option<f64>) -> NewtonOptions {
        let rule = StoppingRule::default();
        let scale = rule.scale.max(self.constraint_size().unwrap_or(0.0));
        NewtonOptions { stopping: StoppingRule { tolerance, scale, ..rule }, ..NewtonOptions::default() }
    }

    fn constraint_size(&self) -> Result<f64, Failure> {
        let Some(mut manifold) = self.equations.compiled.view(Native, self.parameters.clone()).manifold()? else {
            return Ok(0.0);
        };
        let pattern = manifold.shape().jacobian.clone();
        let mut gradients = vec![0.0; pattern.len()];
        manifold.jacobian(&self.start[..manifold.shape().coordinates], &mut gradients)?;
        let entry = |(k, &j): (usize, &u32)| (gradients[k], self.start[j as usize]);
        let terms = |i: usize| by_terms(pattern.positions(i).zip(pattern.row(i)).map(entry));
        Ok((0..pattern.rows()).map(terms).filter(|s| s.is_finite()).fold(0.0, f64::max))
    }

    /// What there is to measure on the way.
    pub fn diagnostics(&self) -> Result<Diagnostics, CompileError> {
        self.equations.diagnostics(&self.parameters)
    }

    /// The size of the terms of each constraint of the surface at the start: Σⱼ |∂χ/∂zⱼ|·|z|, 1 where that
    /// vanishes; none without a surface. z are the variables of the model, also where the state has fewer.
    pub fn surface_scales(&self) -> Result<Vec<f64>, ProblemError> {
        let motion = &self.equations.motion;
        let whole = match motion.space {
            Space::Reduced(_) => Residuals::new(&motion.hamilton_dirac()?)?,
            _ => None,
        };
        let Some(residuals) = whole.as_ref().map_or_else(|| self.equations.residuals(), |r| Ok(Some(r)))? else {
            return Ok(vec![]);
        };
        let view = self.equations.compiled.view(Native, self.parameters.clone());
        let start = view.model_state(&self.start).map_err(|e| ProblemError::NoRate(NoRate::Failure(e)))?;
        let scales = residuals.with(&self.parameters).scales_at(&start)?;
        Ok(scales.into_iter().map(|s| if s > 0.0 { s } else { 1.0 }).collect())
    }

    /// The constraint forces must be determined where the run begins.
    fn check_forces(&self) -> Result<(), ProblemError> {
        match self.equations.forces()? {
            Some(forces) => forces.check(&self.start, &self.parameters),
            None => Ok(()),
        }
    }

    /// The equations must have values where the run begins.
    fn check_rate(&self) -> Result<(), ProblemError> {
        let view = self.equations.compiled.view(Native, self.parameters.clone());
        let no_rate = |e: Failure| ProblemError::NoRate(NoRate::Failure(e));
        let finite = |values: &[f64], what: Rate| match values.iter().position(|v| !v.is_finite()) {
            Some(k) => {
                let name = self.equations.motion.state.entry_name(k);
                Err(ProblemError::NoRate(NoRate::NotFinite { what, name, value: values[k] }))
            }
            None => Ok(()),
        };
        // In a chart, the rates of the model's own variables.
        let in_chart = view.chart().map_err(no_rate)?.is_some();
        let canonical = if in_chart { view.manifold() } else { view.canonical() };
        if let Some(mut canonical) = canonical.map_err(no_rate)? {
            let n = canonical.shape().coordinates;
            let (q, p) = self.start.split_at(n);
            let mut rate = vec![0.0; n];
            canonical.hamiltonian_p(q, p, &mut rate).map_err(no_rate)?;
            finite(&rate, Rate::Velocity)?;
            canonical.hamiltonian_q(q, p, &mut rate).map_err(no_rate)?;
            finite(&rate, Rate::Force)?;
        }
        if let Some(mut field) = view.field().map_err(no_rate)?.filter(|_| !in_chart) {
            let mut rate = vec![0.0; self.start.len()];
            field.rate(&self.start, &mut rate).map_err(no_rate)?;
            finite(&rate, Rate::Variable)?;
        }
        Ok(())
    }
}

/// Forces that nothing determines make rates without a value.
fn is_reason(error: &ProblemError) -> bool {
    matches!(
        error,
        ProblemError::Unresisted { .. } | ProblemError::Scale { .. } | ProblemError::DependentTogether { .. }
    )
}

/// A velocity that changes by less than this part of the largest was typed with nine digits.
const MOVED: f64 = 1e-8;

/// A relative change that the rounding of a few operations makes.
const ROUND_OFF: f64 = 1e-15;

fn largest_change(from: &[f64], to: &[f64]) -> f64 {
    from.iter().zip(to).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A pendulum whose rod is stated twice.
    const TWICE: &str = "coord x, y\nhamiltonian (p_x^2 + p_y^2)/2 + y\nconstraint rod: x^2 + y^2 = 1\n\
                         constraint again: 2*x^2 + 2*y^2 = 2\ninitial x = 1, p_y = 1";

    const DROPPING: Repairs = Repairs { project_initial: false, drop_redundant: true };

    fn model(text: &str) -> Arc<Model> {
        Arc::new(Model::new(&System::parse(text).unwrap(), &Limits::default()))
    }

    #[test]
    fn initial_data_that_are_off_by_the_rounding_of_their_terms_hold_beside_a_singular_configuration() {
        // Parallelograms that lie nearly flat: no relative change of the angles by 1e-8 changes the constraints by a unit in the last
        // place of their terms.
        for angle in ["1.2e-5", "3.3e-6", "-7.1e-7", "2.9e-5"] {
            for (a, d) in [(0.857, 1.618), (0.913, 1.277), (1.11, 0.7)] {
                let parallelogram = |off: f64| {
                    model(&format!(
                        "coord r, s, t\nlagrangian (r'^2 + s'^2 + t'^2)/2\n\
                         constraint c: {a}*cos(r) + {d}*cos(s) - {a}*cos(t) = {d} + {off:?}\n\
                         constraint d: {a}*sin(r) + {d}*sin(s) - {a}*sin(t) = 0\n\
                         initial r = {angle}, t = {angle}, r' = 1, t' = 1"
                    ))
                };
                let none = Repairs { project_initial: false, drop_redundant: false };
                let instance = |off| parallelogram(off).instance(Formulation::Multipliers, &[], none, Engine::Tape);
                assert!(instance(0.0).is_ok(), "{angle} {a} {d}");
                assert!(instance(4e-16).is_ok(), "{angle} {a} {d}");
                assert!(matches!(instance(1e-13), Err(ProblemError::Inconsistent { .. })), "{angle} {a} {d}");
            }
        }
    }

    #[test]
    fn a_model_without_redundant_constraints_is_made_once_for_all_formulations() {
        let model = model(TWICE);
        let of = |formulation| model.instance(formulation, &[], DROPPING, Engine::Tape).unwrap();
        let (a, b) = (of(Formulation::Multipliers), of(Formulation::Total));
        assert_eq!((a.dropped.len(), &a.dropped), (1, &b.dropped));
        assert!(Arc::ptr_eq(&a.equations.model, &b.equations.model));
    }

    #[test]
    fn equations_that_were_given_are_not_replaced_by_others() {
        let model = model(TWICE);
        let given = Formulation::Multipliers.apply(&model.system).unwrap();
        let given = Arc::new(model.compile(given, Engine::Tape).unwrap());
        assert!(matches!(given.instance(&[], DROPPING), Err(ProblemError::Given)));
        let own = Arc::new(model.equations(Formulation::Multipliers, Engine::Tape).unwrap());
        assert_eq!(own.instance(&[], DROPPING).unwrap().dropped.len(), 1);
    }
}
