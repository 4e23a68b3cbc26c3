//! A model, and what is found of it once, whatever the formulation: what gives it values, its derivatives and brackets.

use crate::compiled::{Compiled, Shared};
use crate::consistency::measure;
use crate::error::ProblemError;
use crate::redundancy::{Gradients, Redundant};
use cotangent_analysis::integrable;
use cotangent_compile::values::{self, InitialValues, Setting, Values};
use cotangent_compile::{CompileError, Engine, Native};
use cotangent_dynamics::{Dynamics, State};
use cotangent_expr::{Array, Expr, Layout, Place, Role, Tensor, Term};
use cotangent_integrate::{Target, project_onto};
use cotangent_model::{Claim, ClaimKind, Quantity, System};
use cotangent_scalar::Limits;
use cotangent_theory::{Formulation, Motion, Structure, TheoryError};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// What may be done with data that are not as they should be.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Repairs {
    /// Project initial data that violate the constraints.
    pub project_initial: bool,
    /// Go on without constraints that depend on others.
    pub drop_redundant: bool,
}

/// A model, and what all formulations of it share: values, Legendre transform, derivatives and brackets, and the functions
/// that are made of them.
pub struct Model {
    /// The model as it was written.
    pub(crate) system: System,
    pub(crate) values: Values,
    pub(crate) limits: Limits,
    gradients: OnceLock<Option<Gradients>>,
    structure: OnceLock<Structure>,
    /// By engine.
    pub(crate) shared: [Shared; 2],
    /// The same without some constraints, by their names: derived once, too.
    reduced: Mutex<Vec<(Vec<String>, Arc<Model>)>>,
    /// The variables to keep where a formulation keeps some of them, by name: none, or one chart.
    pub(crate) charts: Vec<Vec<String>>,
}

impl Model {
    /// A model as it was written. The limits hold for all that is derived and compiled from it.
    pub fn new(system: &System, limits: &Limits) -> Model {
        Model {
            system: system.clone(),
            values: Values::new(system, limits),
            limits: limits.clone(),
            gradients: OnceLock::new(),
            structure: OnceLock::new(),
            shared: Default::default(),
            reduced: Mutex::default(),
            charts: vec![],
        }
    }

    /// The same with the names of the variables that are kept where a formulation keeps some of them.
    pub fn keeping(self, charts: Vec<Vec<String>>) -> Model {
        Model { charts, ..self }
    }

    /// The equations of motion in a formulation, as symbols.
    pub(crate) fn motion(&self, formulation: Formulation) -> Result<Motion, TheoryError> {
        match self.system.dynamics {
            _ if formulation == Formulation::IndexOne => {
                let mut motion = formulation.apply_within(&self.system, &self.limits)?;
                motion.system.claims.extend(self.integrals());
                Ok(motion)
            }
            cotangent_model::Dynamics::Poisson { .. } | cotangent_model::Dynamics::Form { .. } => {
                formulation.apply_within(&self.system, &self.limits)
            }
            _ => formulation.of(self.structure()?, &self.limits),
        }
    }

    /// The functions of positions whose time derivatives its velocity constraints are, as far as they are found: they stay
    /// what they are.
    fn integrals(&self) -> Vec<Claim> {
        let found = integrable(&self.system).unwrap_or_default();
        let system = &self.system;
        let state = system.state();
        let named = state.arrays().iter().chain(system.claims.iter().map(|c| &c.quantity.array));
        let named = named.chain(system.observables.iter().map(|q| &q.array));
        let mut taken: Vec<String> = named.map(|a| a.name().to_owned()).collect();
        let mut claim = |(name, value): (String, Expr)| {
            // The names of the model stay.
            let mut name = format!("integral_{name}");
            while taken.contains(&name) {
                name.push('_');
            }
            taken.push(name.clone());
            let array = Array::scalar(&name, Role::Auxiliary);
            let term = Term::plain(vec![Place { array: array.clone(), index: vec![] }], value);
            let value = Tensor::new(vec![Layout::new(vec![array.clone()])], vec![term]).ok()?;
            Some(Claim { kind: ClaimKind::Invariant, quantity: Quantity { array, value } })
        };
        found.into_iter().filter_map(|i| claim((i.constraint, i.integral?))).collect()
    }

    /// Derivatives and brackets of a model with coordinates and holonomic constraints.
    pub(crate) fn structure(&self) -> Result<&Structure, TheoryError> {
        once(&self.structure, || Structure::within(&self.system, &self.limits))
    }

    /// The gradients of its holonomic constraints, if it has any.
    pub(crate) fn gradients(&self) -> Result<Option<&Gradients>, CompileError> {
        Ok(once(&self.gradients, || Gradients::new(&self.system, &self.limits))?.as_ref())
    }

    /// Parameters and initial values.
    pub(crate) fn given(&self, set: &[Setting]) -> Result<(Vec<f64>, InitialValues), ProblemError> {
        self.check()?;
        let parameters = self.values.parameters(set)?;
        self.check()?;
        let initial = self.values.initial(&parameters, set)?;
        self.check()?;
        Ok((parameters, initial))
    }

    /// Whether to go on.
    pub(crate) fn check(&self) -> Result<(), ProblemError> {
        Ok(self.limits.check().map_err(CompileError::from)?)
    }

    /// The model without these constraints.
    fn without(&self, names: &[String]) -> Result<Arc<Model>, CompileError> {
        let mut known = self.reduced.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, model)) = known.iter().find(|(own, _)| own == names) {
            return Ok(model.clone());
        }
        let model = Arc::new(Model::new(&self.system.without(names)?, &self.limits));
        known.push((names.to_vec(), model.clone()));
        Ok(model)
    }

    /// The model without constraints that depend on others, if there are any and that was asked for.
    pub(crate) fn independent(
        &self,
        parameters: &[f64],
        initial: &InitialValues,
        repairs: Repairs,
    ) -> Result<Option<Reduced>, ProblemError> {
        let Some(gradients) = self.gradients()? else { return Ok(None) };
        let found = gradients.redundant(parameters, &initial.coordinates)?;
        if found.is_empty() {
            return Ok(None);
        }
        if found.iter().all(|r| r.here_only) {
            return Err(ProblemError::SingularStart { constraints: found });
        }
        let names: Vec<String> = found.iter().map(|r| r.name.clone()).collect();
        let reduced = self.without(&names)?;
        // Where the others hold, do these? Data that violate them all say nothing yet.
        let at = InitialValues {
            coordinates: projected(&reduced.system, parameters, initial, &self.limits)?,
            ..initial.clone()
        };
        let residuals = measure(|at| self.values.constraint_residuals(parameters, at), &at)?;
        let violated = |r: &&Redundant| residuals.iter().any(|m| m.name == r.name && !m.holds());
        let contradictory: Vec<Redundant> = found.iter().filter(violated).cloned().collect();
        if !contradictory.is_empty() {
            return Err(ProblemError::Contradictory { constraints: contradictory });
        }
        match repairs.drop_redundant {
            true => Ok(Some((reduced, found))),
            false => Err(ProblemError::Redundant { constraints: found }),
        }
    }
}

/// A model without constraints that depend on others, and these.
pub(crate) type Reduced = (Arc<Model>, Vec<Redundant>);

/// What is in a cell, or is made now.
pub(crate) fn once<T, E>(cell: &OnceLock<T>, make: impl FnOnce() -> Result<T, E>) -> Result<&T, E> {
    if let Some(made) = cell.get() {
        return Ok(made);
    }
    let made = make()?;
    Ok(cell.get_or_init(|| made))
}

/// The initial positions, projected onto the constraints of a system if they can be.
pub(crate) fn projected(
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
            Err(failure) => Err(ProblemError::NotProjected(failure.into())),
        },
        _ => Ok(initial.coordinates.clone()),
    }
}
